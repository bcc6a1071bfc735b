"""A report is one small safe file, its numbers are the model's, and a browser lets one point, sort, filter and cut."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics import confusion_matrix
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ecoc
from ecoc import ECF, ECOCClassifier, OneVsAll, confusion_report
from ecoc.inspection.reporting import Limits, Section, model_sections, page, report, scatter, table

X, Y = load_digits(return_X_y=True)
X, Y = X[:600] / 16, Y[:600]
EVIL = "</script><script>window.broken = 1</script>"
NAMES = np.array([EVIL, 'two "q"', "it's", "é中", "<!-- a & b", "<b id=bold>", "six", "seven", "eight", "nine " * 30])
TRAIN, TEST = slice(0, 300), slice(300, 600)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def model():
    return ECOCClassifier(Ridge(), coding=ECF(n_columns=8, effort=0.05), random_state=0).fit(X[TRAIN], NAMES[Y[TRAIN]])


@pytest.fixture(scope="module")
def text(model):
    return report(model, X[TEST], NAMES[Y[TEST]])


def data_of(text):
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(found)


def test_numbers_are_the_models(model, text):
    data = data_of(text)["model"]
    found = confusion_report(model, X[TEST], NAMES[Y[TEST]])
    assert data["accuracy"][-1] == pytest.approx(found.accuracy)
    assert data["accuracy"] == pytest.approx(
        [model.truncate(m).score(X[TEST], NAMES[Y[TEST]]) for m in data["lengths"]]
    )
    made = np.zeros((10, 10), dtype=int)
    for i, j, count in np.reshape(data["confusions"][-1], (-1, 3)):
        made[i, j] = count
    np.testing.assert_array_equal(made, found.made)
    np.testing.assert_array_equal(data["samples"], found.n_samples)
    np.testing.assert_array_equal(data["hits"][-1], found.n_samples - found.made.sum(axis=1))
    np.testing.assert_allclose(data["columnErrors"], found.column_error_rate, atol=1e-4)
    assert [["0+-".index(c) for c in word] for word in data["code"]] == (model.code_book_.matrix % 3).tolist()
    assert f"<b>{found.accuracy:.1%}</b>" in text


def test_probabilities(model, text):
    data = data_of(text)["calibration"]
    sure, right = model.predict_proba(X[TEST]).max(axis=1), model.predict(X[TEST]) == NAMES[Y[TEST]]
    assert sum(data["count"]) == 300
    assert np.dot(data["confidence"], data["count"]) == pytest.approx(sure.sum())
    assert np.dot(data["accuracy"], data["count"]) == pytest.approx(right.sum())
    without = ECOCClassifier(Ridge(), coding="ova", decoding="hamming", probability=False).fit(X[TRAIN], Y[TRAIN])
    assert "calibration" not in data_of(report(without, X[TEST], Y[TEST]))


def test_needs_nothing_else(text):
    assert not re.search(r"\b(src|href|@import|fetch)\b\s*[=(]", text)
    assert set(re.findall(r"https?://[^\s\"']+", text)) == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert "default-src 'none'" in text
    assert text.count("<script") == text.count("</script>") == 3
    assert len(text.encode()) < 200_000


def test_is_called_by_either_name_and_written_in_one_step(model, tmp_path):
    path = tmp_path / "report.html"
    text = ecoc.report(model, X[TEST], NAMES[Y[TEST]], path)
    assert path.read_text(encoding="utf-8") == text
    with pytest.raises(ValueError, match="was not trained on"):
        report(model, X[TEST], Y[TEST], path)
    assert path.read_text(encoding="utf-8") == text
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


class Coded(RidgeClassifier):
    """A classifier with a code book that is no ECOCClassifier."""

    @property
    def code_book_(self):
        return OneVsAll().build(len(self.classes_), y=self.classes_)


def test_other_models():
    piped = make_pipeline(StandardScaler(), ECOCClassifier(SVC(), coding="ovo", random_state=0)).fit(X[TRAIN], Y[TRAIN])
    told = report(piped, X[TEST], Y[TEST], title="A <title>")
    assert "<h1>A &lt;title&gt;</h1>" in told
    assert f"<b>{piped[-1].n_support_}</b><span>support vectors" in told
    assert data_of(told)["model"]["lengths"] == [45]
    other = Coded().fit(X[TRAIN], Y[TRAIN])
    data = data_of(report(other, X[TEST], Y[TEST]))["model"]
    assert data["accuracy"] == [pytest.approx(other.score(X[TEST], Y[TEST]))]
    assert data["columnErrors"] is None


@pytest.mark.parametrize(
    "plain",
    [SVC(), GaussianNB(), ECOCClassifier(GaussianNB(), coding="plain"), make_pipeline(StandardScaler(), SVC())],
    ids=lambda plain: type(plain).__name__,
)
def test_a_plain_model_has_all_sections_but_those_of_a_code(plain):
    sections = {s.name: s for s in model_sections(plain.fit(X[TRAIN], Y[TRAIN]), X[TEST], Y[TEST])}
    data = sections["model"].data
    assert data["accuracy"] == [pytest.approx(plain.score(X[TEST], Y[TEST]))]
    assert (data["code"], data["distances"], sections["model"].draw) == (None, None, "")
    made = confusion_matrix(Y[TEST], plain.predict(X[TEST]))
    for i, j, count in np.reshape(data["confusions"][0], (-1, 3)):
        assert made[i, j] == count
    assert sum(data["confusions"][0][2::3]) == made.sum() - np.trace(made)
    assert {"summary", "matrix", "classes", "pairs"} < set(sections)
    assert "code" not in sections
    assert ("calibration" in sections) == hasattr(plain, "predict_proba")
    text = report(plain, X[TEST], Y[TEST])
    assert "10 classes; measured on 300 samples." in text
    assert "codeword" not in text.partition("<script")[0]


@pytest.mark.parametrize("coding", ["ova", "plain"])
def test_rejected_samples_are_no_confusions(coding):
    model = ECOCClassifier(Ridge() if coding == "ova" else SVC(), coding=coding, random_state=0)
    model.set_params(reject_cost=0.2, reject_label=-1).fit(X[TRAIN], Y[TRAIN])
    said = model.predict(X[TEST])
    data = data_of(text := report(model, X[TEST], Y[TEST]))["model"]
    assert data["accuracy"][-1] == pytest.approx(np.mean(said == Y[TEST]))
    assert sum(data["confusions"][-1][2::3]) == np.sum((said != Y[TEST]) & (said >= 0))
    assert f"<b>{np.mean(said >= 0):.1%}</b><span>of the samples are answered" in text
    calibration, right = data_of(text)["calibration"], model.predict_proba(X[TEST]).argmax(axis=1) == Y[TEST]
    assert np.dot(calibration["accuracy"], calibration["count"]) == pytest.approx(right.sum())


def test_tables_with_feature_names_do_not_warn(recwarn):
    frame = pd.DataFrame(X, columns=[f"pixel {j}" for j in range(X.shape[1])])
    models = [
        ECOCClassifier(Ridge(), coding="ova", random_state=0),
        make_pipeline(StandardScaler().set_output(transform="pandas"), ECOCClassifier(Ridge(), coding="ova")),
        Coded(),
    ]
    for model in models:
        model.fit(frame[TRAIN], Y[TRAIN])
        data = data_of(report(model, frame[TEST], Y[TEST]))
        assert data["model"]["accuracy"][-1] == pytest.approx(model.score(frame[TEST], Y[TEST]))
        assert ("calibration" in data) == hasattr(model, "predict_proba")
    assert [str(warning.message) for warning in recwarn if "feature names" in str(warning.message)] == []


def test_a_model_that_cannot_be_cut_is_shown_whole(model, text, monkeypatch):
    def refuse(self, n_columns):
        raise ValueError("this model has no held-out outputs")

    assert data_of(text)["model"]["whole"] == ""
    with monkeypatch.context() as patch:
        patch.setattr(ECOCClassifier, "truncate", refuse)
        data = data_of(cut := report(model, X[TEST], NAMES[Y[TEST]]))["model"]
    assert data["lengths"] == [8]
    assert data["whole"] == "this model has no held-out outputs"
    assert "slider" not in cut.partition("<script")[0]
    assert "shown with all its columns only. this model has no held-out outputs" in cut
    assert data["accuracy"] == data_of(text)["model"]["accuracy"][-1:]
    ovo = ECOCClassifier(Ridge(), coding="ovo").fit(X[TRAIN], Y[TRAIN])
    assert data_of(report(ovo, X[TEST], Y[TEST]))["model"]["whole"] == "All columns are needed to separate the classes."


def test_a_factorization_of_another_code_is_not_shown():
    same = ECOCClassifier(Ridge(), coding=ECF(n_columns=12, refine=False, effort=0.05), random_state=0)
    told = model_sections(same.fit(X[TRAIN], Y[TRAIN]), X[TEST], Y[TEST])[0].body
    assert "Factorization(valid, 10 × 12" in told
    refined = ECOCClassifier(Ridge(), coding=ECF(n_columns=8, effort=0.05), random_state=0).fit(X[TRAIN], Y[TRAIN])
    assert refined.factorization_ is not None
    assert "Factorization" not in model_sections(refined, X[TEST], Y[TEST])[0].body


def test_large_models_stay_small(model, text):
    limits = Limits(classes=4, entries=20)
    small = page("T", model_sections(model, X[TEST], NAMES[Y[TEST]], limits=limits))
    data = data_of(small)["model"]
    assert "The 4 of 10 classes with the most errors are shown" in small
    assert len(data["labels"]) == len(data["samples"]) == len(data["order"]) == 4
    assert data["code"] is None
    assert len(data["distances"]) == 6
    assert data["lengths"] == [8]
    assert len(small) < len(text)


def test_what_a_model_costs(model, text):
    told = model_sections(model, X[TEST], NAMES[Y[TEST]], fit_seconds=0.12345, saved_bytes=1_234_567)[0].body
    assert "<b>0.123</b><span>seconds to fit" in told
    assert "<b>1,235 kB</b><span>size of the saved file" in told
    assert "seconds to fit" not in text
    pytest.importorskip("skops")
    assert re.search(r"<b>\d+ kB</b><span>size of the saved file", text)


def test_the_size_of_a_large_model_is_not_measured():
    model = ECOCClassifier(Ridge(), coding="ova").fit(X[TRAIN], Y[TRAIN])
    for limits in (Limits(saved_bytes=500), Limits(saved_columns=9)):
        assert "size of the saved file" not in model_sections(model, X[TEST], Y[TEST], limits=limits)[0].body


def test_more_sections_stand_where_they_are_put(model):
    summary, *details = model_sections(model, X[TEST], NAMES[Y[TEST]])
    told = page("T", [summary, Section("mine", "Mine"), *details])
    assert re.findall('<section id="(.*?)"', told)[:3] == ["summary", "mine", "model"]
    assert "scikit-learn" in told.partition("<footer>")[2]


def test_another_section():
    rows = [{"coding": "ecf", "accuracy": np.float64(0.9), "columns": np.int64(8), "best": True}]
    rows.append({"coding": EVIL, "accuracy": float("nan"), "columns": 10, "best": False})
    told = page("T", [table("candidates", "Candidates", rows), Section("end", "End", body="<i>x</i>")], "note", "foot")
    data = data_of(told)["candidates"]
    assert [column["number"] for column in data["columns"]] == [False, True, True, False]
    assert data["rows"] == [["ecf", 0.9, 8, "True"], [EVIL, None, 10, "False"]]
    assert table("none", "None", []).data == {"columns": [], "rows": [], "marked": []}
    assert table("some", "Some", rows, percent=["accuracy"]).data["columns"][1]["percent"]


ACTIONS = """
const out = {}, all = selector => [...document.querySelectorAll(selector)];
const cells = (table, j) => all(table + " tbody tr").map(row => row.children[j].textContent);
function point(canvas, row, column, kind, rows, columns) {
  const box = canvas.getBoundingClientRect();
  const clientX = box.left + (column + .5) * box.width / columns, clientY = box.top + (row + .5) * box.height / rows;
  canvas.dispatchEvent(new PointerEvent(kind, {clientX, clientY}));
}
const matrix = document.querySelector("#matrix canvas");
out.first = document.querySelector("#matrix .detail").textContent;
point(matrix, 0, 3, "mousemove", 10, 10);
out.hover = document.querySelector("#matrix .detail").textContent;
point(matrix, 2, 2, "mousemove", 10, 10);
out.own = document.querySelector("#matrix .detail").textContent;
point(matrix, 2, 2, "mouseleave", 10, 10);
out.left = document.querySelector("#matrix .detail").textContent;
point(document.querySelector("#code canvas"), 1, 4, "pointermove", 10, 8);
out.code = document.querySelector("#code .detail").textContent;
out.confusions = cells("#pairs", 7);
const head = all("#pairs th")[2];
head.firstChild.click();
out.falling = [head.getAttribute("aria-sort"), cells("#pairs", 2)];
head.firstChild.click();
out.rising = [head.getAttribute("aria-sort"), cells("#pairs", 2)];
const filter = document.querySelector("#classes input");
filter.value = "SIX";
filter.dispatchEvent(new Event("input"));
out.filtered = cells("#classes", 0);
document.querySelector("#pairs input[type=checkbox]").click();
out.only = cells("#pairs", 7);
document.querySelector("#pairs tbody tr").click();
out.picked = [document.querySelector("#matrix h3").textContent, all("#pairs tbody tr")[0].children[0].textContent];
const slider = document.querySelector(".bar input");
out.whole = document.querySelector(".bar output").textContent;
slider.value = 0;
slider.dispatchEvent(new Event("input"));
out.cut = document.querySelector(".bar output").textContent;
out.tiles = all("#summary [data-follows]").map(tile => [...tile.children].map(child => child.textContent));
slider.value = slider.max;
slider.dispatchEvent(new Event("input"));
out.wholeTiles = all("#summary [data-follows]").map(tile => [...tile.children].map(child => child.textContent));
slider.value = 0;
slider.dispatchEvent(new Event("input"));
out.cutDetail = document.querySelector("#matrix .detail").textContent;
const choice = document.querySelector("#matrix select");
choice.value = "confusions";
choice.dispatchEvent(new Event("change"));
out.scale = document.querySelector("#matrix .scale").textContent;
out.dots = all("#calibration circle.dot").length;
out.broken = [typeof window.broken, all("#bold").length];
out.errors = window.errors;
const pre = document.createElement("pre");
pre.id = "result";
pre.textContent = JSON.stringify(out);
document.body.append(pre);
"""


def browse(text, actions, folder):
    """What a script says that acts in the page, after whatever went wrong is written down."""
    watch = '<script>window.errors = []; addEventListener("error", e => errors.push(e.message));</script>'
    told = text.replace("<title>", watch + "<title>", 1).replace(
        "</body>", f"<script type='module'>{actions}</script></body>"
    )
    (folder / "page.html").write_text(told, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--window-size=1200,900"]
    command = [CHROMIUM, *options, f"--user-data-dir={folder / 'profile'}", "--dump-dom", str(folder / "page.html")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    found = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    return json.loads(html.unescape(found[1]))


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_in_a_browser(model, text, tmp_path):
    out = browse(text, ACTIONS, tmp_path)
    assert out["errors"] == []
    assert out["broken"] == ["undefined", 0]
    data, found = data_of(text)["model"], confusion_report(model, X[TEST], NAMES[Y[TEST]])
    i, j = data["order"][0], data["order"][3]
    first, second = data["labels"][i], data["labels"][j]
    assert out["hover"].startswith(f"{first} | {second}distance{found.distance[i, j]} of 8 columns")
    assert f"correction{found.promised[i, j]}, by the paper's definition {found.promised_paper[i, j]}" in out["hover"]
    assert f"{first} classified as {second}{found.made[i, j]} of {found.n_samples[i]}" in out["hover"]
    code = model.code_book_.matrix
    apart = [f"{c} ({100 * data['columnErrors'][c]:.1f}%)" for c in np.flatnonzero(code[i] != code[j])]
    assert out["hover"].endswith(", ".join(apart))
    assert out["own"].startswith(f"{data['labels'][data['order'][2]]}samples")
    assert out["left"] == out["first"]
    assert out["first"].startswith(tuple(f"{a} | {b}" for a in data["labels"] for b in data["labels"]))
    assert out["code"].startswith(f"{data['labels'][data['order'][1]]}, column 4")
    both = found.made + found.made.T
    assert list(map(int, out["confusions"])) == sorted(both[np.triu_indices(10, 1)], reverse=True)[:20]
    distances = sorted(found.distance[np.triu_indices(10, 1)].tolist())
    assert out["rising"] == ["ascending", list(map(str, distances[:20]))]
    assert out["falling"] == ["descending", list(map(str, distances[:-21:-1]))]
    assert "six" in out["filtered"]  # and classes that are confused with it
    assert len(out["filtered"]) < 10
    assert set(out["only"]).isdisjoint({"0"})
    assert out["picked"][0].startswith(out["picked"][1])
    assert out["whole"].startswith(f"8 of 8: accuracy {100 * found.accuracy:.1f}%")
    assert out["cut"].startswith(f"{data['lengths'][0]} of 8: accuracy {100 * data['accuracy'][0]:.1f}%")
    assert f"of {data['lengths'][0]} columns" in out["cutDetail"]
    for tiles, share, words in (
        (out["tiles"], data["accuracy"][0], f", first {data['lengths'][0]} columns"),
        (out["wholeTiles"], data["accuracy"][-1], ""),
    ):
        error = np.sqrt(share * (1 - share) / 300)
        names = [f"accuracy{words}", f"standard error of the accuracy{words}"]
        assert tiles == [[f"{100 * value:.1f}%", name] for value, name in zip((share, error), names)]
    assert out["scale"] == f"0{max(data['confusions'][0][2::3])}"
    assert out["dots"] == len(data_of(text)["calibration"]["count"])


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_rows_of_many_classes_have_names_in_a_browser(tmp_path):
    k = 150
    labels = np.array([f"a very long name of class number {i:03d}" for i in range(k)])
    labels = np.repeat(labels, 2)
    points = np.random.default_rng(0).normal(size=(2 * k, 8))
    model = ECOCClassifier(Ridge(), coding="dense", decoding="hamming", probability=False, random_state=0)
    model.fit(points, labels)
    actions = """
const out = {errors: window.errors};
for (const part of ["code", "matrix"]) {
  const names = [...document.querySelectorAll(`#${part} .rows div`)];
  const top = document.querySelector(`#${part} canvas`).getBoundingClientRect().top;
  const place = name => name.getBoundingClientRect().top - top;
  out[part] = names.map(name => [name.textContent, name.title, place(name), parseFloat(name.style.fontSize)]);
}
const pre = document.createElement("pre");
pre.id = "result";
pre.textContent = JSON.stringify(out);
document.body.append(pre);
"""
    text = report(model, points, labels)
    out = browse(text, actions, tmp_path)
    order = data_of(text)["model"]["order"]
    assert out["errors"] == []
    assert [name for name, *_ in out["code"]] == [f"{i:03d}" for i in order]
    assert [title for _, title, *_ in out["code"]] == labels[::2][order].tolist()
    every = len(order) // len(out["matrix"])
    assert every > 1
    assert [name for name, *_ in out["matrix"]] == [f"{i:03d}" for i in order[::every]]
    for part, step in (("code", 13), ("matrix", 4 * every)):
        assert [top for *_, top, _ in out[part]] == pytest.approx([step * row for row in range(len(out[part]))])
        assert min(size for *_, size in out[part]) >= 8


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
@pytest.mark.parametrize("coding", ["ova", "plain"])
def test_the_table_of_classes_counts_samples_without_an_answer_in_a_browser(tmp_path, coding):
    model = ECOCClassifier(SVC(), coding=coding, reject_cost=0.1, reject_label=-1, random_state=0)
    said = model.fit(X[TRAIN], Y[TRAIN]).predict(X[TEST])
    actions = """
const pre = document.createElement("pre"), all = selector => [...document.querySelectorAll("#classes " + selector)];
pre.id = "result";
const cells = all("tbody tr").map(row => [0, 3].map(j => row.children[j].textContent));
pre.textContent = JSON.stringify([window.errors, all("th")[3].textContent, cells]);
document.body.append(pre);
"""
    errors, heading, rows = browse(report(model, X[TEST], Y[TEST]), actions, tmp_path)
    assert errors == []
    assert heading.startswith("no answer")
    assert {int(label): int(n) for label, n in rows} == {c: np.sum((Y[TEST] == c) & (said == -1)) for c in range(10)}


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_two_classes_without_an_error_in_a_browser(tmp_path):
    few = Y < 2
    model = ECOCClassifier(SVC(), random_state=0).fit(X[few], Y[few])
    assert model.score(X[few], Y[few]) == 1
    actions = """
const pre = document.createElement("pre");
pre.id = "result";
pre.textContent = JSON.stringify([window.errors, document.querySelector("#matrix .detail").textContent]);
document.body.append(pre);
"""
    errors, detail = browse(report(model, X[few], Y[few]), actions, tmp_path)
    assert errors == []
    assert detail.startswith("0 | 1distance1 of 1 columns")


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_a_table_of_candidates_in_a_browser(tmp_path):
    rows = [{"coding": EVIL, "columns": 10}, {"coding": "ecf", "columns": 9}, {"coding": "ova", "columns": None}]
    actions = """
document.querySelectorAll("th button")[1].click();
const pre = document.createElement("pre");
pre.id = "result";
const rows = [...document.querySelectorAll("tbody tr")].map(row => row.textContent);
const marked = [...document.querySelectorAll("tr.marked")].map(row => row.textContent);
pre.textContent = JSON.stringify([window.errors, rows, marked]);
document.body.append(pre);
"""
    told = browse(page("Candidates", [table("candidates", "All", rows, marked=[1])]), actions, tmp_path)
    assert told == [[], [f"{EVIL}10", "ecf9", "ova–"], ["ecf9"]]


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_points_of_candidates_in_a_browser(tmp_path):
    names = [EVIL, "ecf", "ecf", "ova", "ovo", "dense"]
    rows = [
        {"coding": name, "classifiers": count, "accuracy": share, "error": 0.01}
        for name, count, share in zip(names, [4, 5.5, 10, 10, 45, 45], [0.9, 0.95, 1, 0.99, 0.99, 0.98])
    ]
    drawing = scatter(
        "candidates",
        "All",
        rows,
        "classifiers",
        "accuracy",
        group="coding",
        error="error",
        line=[2, 0, 1],
        marks={1: "recommended", 2: "most accurate"},
        band=(0.97, 1),
        notes={"line": "front", "band": "near"},
        percent=["accuracy", "error"],
    )
    assert drawing.data["line"] == [0, 1, 2]
    actions = """
const all = selector => [...document.querySelectorAll(selector)], detail = document.querySelector(".detail");
const picture = document.querySelector("svg"), out = {first: detail.textContent};
const dots = all(".plot > svg .point"), box = dots[3].getBoundingClientRect();
const [clientX, clientY] = [box.left + box.width / 2 + 2, box.top + box.height / 2];
picture.dispatchEvent(new MouseEvent("mousemove", {clientX, clientY}));
out.pointed = detail.textContent;
picture.dispatchEvent(new MouseEvent("mouseleave"));
out.left = detail.textContent;
dots[0].focus();
out.active = document.activeElement === dots[0];
dots[0].dispatchEvent(new FocusEvent("focus"));  // a window in the background is told of none
out.focused = detail.textContent;
out.named = all("svg .named").map(text => text.textContent);
out.legend = all(".legend span").map(span => span.textContent);
out.axis = all("svg text").map(text => text.textContent);
out.counts = [dots.length, all("svg .dim").length, all(".plot > svg .band").length];
const inside = picture.getBoundingClientRect();
out.outside = all("svg .point, svg .named").filter(e => e.closest(".plot > svg")).map(e => e.getBoundingClientRect())
  .filter(b => b.left < inside.left || b.right > inside.right || b.top < inside.top || b.bottom > inside.bottom).length;
out.broken = [typeof window.broken, window.errors];
const pre = document.createElement("pre");
pre.id = "result";
pre.textContent = JSON.stringify(out);
document.body.append(pre);
"""
    out = browse(page("Candidates", [drawing]), actions, tmp_path)
    assert out["broken"] == ["undefined", []]
    assert out["first"] == out["left"] == "recommendedcodingecfclassifiers5.5accuracy95.0%error1.0%"
    assert out["pointed"] == "ovacodingovaclassifiers10accuracy99.0%error1.0%"
    assert out["active"]
    assert out["focused"] == f"{EVIL}coding{EVIL}classifiers4accuracy90.0%error1.0%"
    assert out["named"] == ["recommended", "most accurate"]
    assert out["legend"] == [EVIL, "ecf", "ova", "ovo", "dense", "front", "near"]
    assert {"4", "10", "45", "100", "classifiers, logarithmic", "accuracy, %"} <= set(out["axis"])
    assert out["counts"] == [6, 3, 1]
    assert out["outside"] == 0
