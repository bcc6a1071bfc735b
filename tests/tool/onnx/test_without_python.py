"""Do exported models predict without Python: in C, and in a browser? The examples are compiled and run."""

import json
import os
import queue
import shutil
import subprocess
import tarfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.svm import SVC

import ecoc

pytest.importorskip("onnx", reason="exporting needs onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="the wheel of onnxruntime has the library")

EXAMPLES = Path(__file__).parents[3] / "examples" / "onnx"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def header_folder():
    """Where is the header of ONNX Runtime's C API? In Debian 13 it is in libonnxruntime-dev."""
    given = [os.environ["ONNXRUNTIME_INCLUDE"]] if "ONNXRUNTIME_INCLUDE" in os.environ else []
    usual = [f"{prefix}/include{rest}" for prefix in ("/usr", "/usr/local") for rest in ("", "/onnxruntime")]
    return next((folder for folder in given + usual if (Path(folder) / "onnxruntime_c_api.h").exists()), None)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.skipif(header_folder() is None, reason="needs onnxruntime_c_api.h, e.g. of libonnxruntime-dev")
def test_in_c(tmp_path):
    (library,) = (Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so.*")
    for name in ("libonnxruntime.so", "libonnxruntime.so.1"):
        (tmp_path / name).symlink_to(library)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-isystem", header_folder()]
    linked = [f"-L{tmp_path}", "-lonnxruntime", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["cc", *strict, EXAMPLES / "predict.c", "-o", tmp_path / "predict", *linked], check=True)
    X, y = load_iris(return_X_y=True)
    for labels in (y, load_iris().target_names[y]):
        model = ecoc.ECOCClassifier(SVC(), random_state=0).fit(X, labels)
        (tmp_path / "model.onnx").write_bytes(ecoc.to_onnx(model, X))
        samples = "\n".join(" ".join(map(str, sample)) for sample in X)
        command = [tmp_path / "predict", tmp_path / "model.onnx"]
        done = subprocess.run(command, input=samples, capture_output=True, text=True, check=True)
        rows = [line.split() for line in done.stdout.splitlines()]
        assert [row[0] for row in rows] == model.predict(X).astype(str).tolist()
        found = np.array([row[1:] for row in rows], dtype=float)
        np.testing.assert_allclose(found, model.predict_proba(X), atol=1.1e-5)
    (tmp_path / "model.onnx").write_bytes(b"no model")
    done = subprocess.run(command, input=samples, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "model.onnx" in done.stderr


# Strokes in shares of the square, and the digit that they show.
DRAWN = [
    (0, [(0.5 + 0.28 * np.sin(t), 0.5 - 0.42 * np.cos(t)) for t in np.linspace(0, 2 * np.pi, 30)]),
    (1, [(0.5, 0.05), (0.5, 0.95)]),
    (7, [(0.2, 0.08), (0.8, 0.08), (0.45, 0.95)]),
]
DRAW = """
<script type="module">
const paper = document.getElementById("paper"), found = [];
const tell = (value) => fetch("/told", { method: "POST", body: JSON.stringify(value) });
addEventListener("error", (event) => tell({ error: event.message }));
addEventListener("unhandledrejection", (event) => tell({ error: String(event.reason) }));
const at = (kind, [x, y]) => {
  const box = paper.getBoundingClientRect();
  paper.dispatchEvent(new PointerEvent(kind, { clientX: box.left + x * 320, clientY: box.top + y * 320 }));
};
for (const stroke of STROKES) {
  document.getElementById("clear").click();
  const classified = new Promise((done) => document.addEventListener("classified", done, { once: true }));
  at("pointerdown", stroke[0]);
  stroke.forEach((place) => at("pointermove", place));
  at("pointerup", stroke.at(-1));
  found.push({ ...(await classified).detail, shown: document.getElementById("label").textContent });
}
tell(found);
</script>
</html>"""


class Pages(SimpleHTTPRequestHandler):
    """A server of files that also takes what a page tells."""

    def __init__(self, *given, told, **named):
        self.told = told
        super().__init__(*given, **named)

    def do_POST(self):
        self.told.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def runtime_folder(tmp_path):
    """The folder node_modules with what the page needs of onnxruntime-web, from npm."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm")
    command = ["npm", "pack", "onnxruntime-web", "--silent", "--prefer-offline"]
    try:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=90, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("npm does not answer")
    if done.returncode:
        pytest.skip(f"npm brings no onnxruntime-web: {done.stderr[-100:]}")
    folder = tmp_path / "site" / "node_modules" / "onnxruntime-web" / "dist"
    folder.mkdir(parents=True)
    with tarfile.open(tmp_path / done.stdout.split()[-1]) as archive:
        for name in ("ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm"):
            (folder / name).write_bytes(archive.extractfile(f"package/dist/{name}").read())
    return tmp_path / "site"


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_in_a_browser(runtime_folder, tmp_path):
    X, y = load_digits(return_X_y=True)
    model = ecoc.ECOCClassifier(SVC(), coding="ova", random_state=0).fit(X, y)
    (runtime_folder / "digits.onnx").write_bytes(ecoc.to_onnx(model, X))
    script = DRAW.replace("STROKES", json.dumps([stroke for _, stroke in DRAWN]))
    page = (EXAMPLES / "digits.html").read_text(encoding="utf-8").replace("</html>", script)
    (runtime_folder / "page.html").write_text(page, encoding="utf-8")
    told = queue.Queue()
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, told=told, directory=runtime_folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/page.html"
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        # Without a port for debugging, a headless browser ends as soon as the page is there.
        browser = subprocess.Popen([CHROMIUM, *options, profile, "--remote-debugging-port=0", address], **quiet)
        try:
            found = told.get(timeout=90)
        finally:
            browser.terminate()
            browser.wait(timeout=30)
            server.shutdown()
    assert isinstance(found, list), found
    drawn = np.array([each["X"] for each in found])
    assert drawn.max() > 8
    assert [each["label"] for each in found] == model.predict(drawn).astype(str).tolist()
    assert [each["label"] for each in found] == [str(digit) for digit, _ in DRAWN]
    assert [each["shown"] for each in found] == [f"This is {digit}." for digit, _ in DRAWN]
    np.testing.assert_allclose([each["probabilities"] for each in found], model.predict_proba(drawn), atol=1e-5)
