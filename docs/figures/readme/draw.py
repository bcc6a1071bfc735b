"""Draw the pictures of docs/inspection.md: ``python docs/figures/readme/draw.py``; the report needs Chromium."""

import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from ecoc import ECF, DenseRandom, ECOCClassifier
from ecoc.inspection import CodeBookDisplay, DistanceDisplay, LengthDisplay

HERE = Path(__file__).parent


def main() -> None:
    """Draw three plots of models of the digits, and the report of ``make demo``."""
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)
    learner = LogisticRegression(max_iter=1000)
    ecf = ECOCClassifier(learner, coding=ECF(n_columns=9), random_state=0).fit(X_train, y_train)
    dense = ECOCClassifier(learner, coding=DenseRandom(9), random_state=0).fit(X_train, y_train)
    CodeBookDisplay.from_estimator(ecf).figure_.savefig(HERE / "code_book.png", dpi=110)
    DistanceDisplay.from_estimator(ecf).figure_.savefig(HERE / "distances.png", dpi=110)
    curve = LengthDisplay.from_estimator(ecf, X_test, y_test, label="ECF")
    LengthDisplay.from_estimator(dense, X_test, y_test, label="dense random", ax=curve.ax_)
    curve.figure_.savefig(HERE / "length.png", dpi=110)

    browser = shutil.which("chromium")
    if browser is None:
        raise SystemExit("Chromium was not found, so the report was not drawn.")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.html")
        demo = "ecoc compare sklearn:digits --budget 60 --report"
        subprocess.run([*shlex.split(demo), report], check=True)
        flags = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1100,1480"]
        subprocess.run([browser, *flags, f"--screenshot={HERE / 'report.png'}", report.as_uri()], check=True)


if __name__ == "__main__":
    main()
