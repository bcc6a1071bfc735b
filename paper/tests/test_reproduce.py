import csv
import gzip
import importlib.util
import json
import multiprocessing
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ecoc_paper import cli
from ecoc_paper.datasets import cards
from ecoc_paper.experiments import Protocol, Store, method_names, methods, reproduce
from ecoc_paper.experiments.page import Page

ROOT = Path(__file__).parents[1]

TINY = Protocol(
    "tiny",
    datasets=("toy",),
    folds=(0,),
    max_rows=200,
    Cs=(1.0, 100.0),
    gammas=(0.1, 0.5),
    max_iter=5000,
    min_distances=(1, 3),
    lengths=("1/2", "1"),
    length_methods=("DENSE", "ECF-H", "ECF-E", "ECF a=0"),
    rhos=(0.4,),
    effort=0.02,
    starts=3,
    seeds=(0, 1),
    tunings=("column", "fold"),
    decodings=("hamming", "loss_weighted"),
    trials=3,
    planted=((10, 4, 2, 3),),
    curves=("toy",),
)
METHODS = ("OVA", "OVO", "DENSE", "RAND", "R-H", "ECF-H", "ECF-E", "ECF-H Alg. 1", "ECF a=0")
HEAVY = ["joblib", "sklearn.decomposition", "sklearn.metrics", "sklearn.model_selection", "sklearn.svm"]
RUN = f"""
from pathlib import Path
from ecoc import factorize
from ecoc_paper.experiments import Protocol, Store, run
from ecoc_paper.experiments.results import write_all

factorize([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 2)  # loads compiled code
protocol, store = {TINY!r}, Store(Path(folder) / "results.sqlite")
ready.set()
run(protocol, store, methods={METHODS!r})
write_all(protocol, store, Path(folder), methods={METHODS!r}, draw=False)
"""
TABLES = (
    "results.csv",
    "points.csv",
    "wins_paper_column.csv",
    "wins_paper_fold.csv",
    "lengths_column_hamming.csv",
    "differences_fold_loss_weighted.csv",
    "correlations.csv",
    "exchanged.csv",
    "variants.csv",
    "stopped.csv",
    "solvers.csv",
    "hierarchies.csv",
    "readings.csv",
    "decomposition.csv",
    "convergence.csv",
    "planted.csv",
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    reproduce(TINY, folder, methods=METHODS)
    return folder


def start(folder):
    """Run in a process of its own; give it once its store is open."""
    processes = multiprocessing.get_context("forkserver")  # whose processes need not import everything anew
    processes.set_forkserver_preload([*HEAVY, "ecoc_paper.experiments.results"])
    process = processes.Process(target=exec, args=(RUN, {"folder": str(folder), "ready": (ready := processes.Event())}))
    process.start()
    assert ready.wait(120)
    return process


def finished(folder):
    with closing(sqlite3.connect(folder / "results.sqlite", timeout=60)) as base:
        return base.execute("SELECT count(*) FROM cells").fetchone()[0]


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_killed_five_times_it_ends_with_the_same_bytes(tmp_path, written):
    rng, sizes = random.Random(0), [0]
    for _ in range(5):
        process = start(tmp_path)
        enough = min(sizes[-1] + rng.randrange(5), finished(written))
        while finished(tmp_path) < enough:
            assert process.is_alive()
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.1))
        process.kill()
        process.join()
        assert process.exitcode in (-signal.SIGKILL, 0)  # 0: it had come to its end, tables and all
        sizes.append(finished(tmp_path))
    process = start(tmp_path)
    process.join()
    assert process.exitcode == 0
    assert sizes == sorted(sizes)  # nothing finished is lost
    assert sizes[-1] > 0
    assert sizes[3] < finished(tmp_path) == finished(written)  # most of the kills were in the middle
    for name in TABLES:
        assert (tmp_path / name).read_bytes() == (written / name).read_bytes()


TWO_WORKERS = """
import sys
from ecoc_paper.experiments import Backend, Protocol, Store, run
planted = ((200, 8, 1000, 1000), (210, 8, 1000, 1000))
run(Protocol("p", datasets=(), planted=planted, curves=(), boundaries=False), Store(sys.argv[1]), backend=Backend(2))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_workers_end_with_their_parent(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", TWO_WORKERS, str(tmp_path / "results.sqlite")])
    try:
        assert wait_until(lambda: process.poll() is not None or len(workers(process.pid)) == 2, 120)
        started = workers(process.pid)
        time.sleep(2)  # they have begun their first tasks
    finally:
        process.kill()
        process.wait()
    assert len(started) == 2
    assert wait_until(lambda: not any(map(is_running, started)), 30), "workers outlived their parent"


def workers(parent):
    """Process ids of the children of a process, without joblib's resource tracker."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [pid for pid in children if "resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_text()]


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


# The page says how to join; this does what it says.


PAGE = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
RESULTS, PLUGIN, PROTOCOL = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Type a command in an empty folder; methods and data sets that it registers are forgotten afterwards."""
    method_names()  # registers ours
    monkeypatch.setattr(methods, "_METHODS", dict(methods._METHODS))
    monkeypatch.setattr(cards, "_CARDS", dict(cards._CARDS))
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ecoc-paper", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return SimpleNamespace(returncode=end.value.code or 0, **capsys.readouterr()._asdict())

    return run


def test_a_method_and_a_data_set_join_as_the_page_says(command, tmp_path):
    (tmp_path / "mine.py").write_text(PLUGIN, encoding="utf-8")
    (line,) = re.findall(r"^ecoc-paper (.* --plugin .*)$", PAGE, re.MULTILINE)
    done = command(*line.split())
    assert done.returncode == 0, done.err
    with (tmp_path / "mine" / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["dataset"] for row in rows} == {"digits"}
    assert {(row["method"], row["setting"]) for row in rows} >= {("SPARSE", "10"), ("SPARSE", "20"), ("OVA", "")}
    page = (tmp_path / "mine" / "index.html").read_text(encoding="utf-8")
    assert "SPARSE" in page
    assert "Failed cells" not in page
    assert page.count("stratified folds") == 1  # what was run stands once, above all tables


def test_a_protocol_of_ones_own_runs_from_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Page, "figure", lambda *_: None)  # another test draws them
    names: dict[str, object] = {}
    exec(PLUGIN, names)
    exec(PROTOCOL, names)
    assert (tmp_path / "mine" / "index.html").is_file()


def test_wins_of_ones_own_results_are_counted():
    names: dict[str, object] = {}
    exec(RESULTS, names)
    assert [(row["method"], row["points"]) for row in names["wins"]] == [("ECF-H", 1), ("ECF-E", 1), ("OVA", 1)]
    assert sum(row["wins"] for row in names["wins"]) == 100  # they have ten columns each


def test_a_file_of_ones_own_needs_no_code(command, tmp_path):
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    rows = ["a,b,c,d,kind", *(",".join([*map(str, row), f"k{label}"]) for row, label in zip(X.tolist(), y))]
    (tmp_path / "my.csv").write_text("\n".join(rows))
    done = command("reproduce", "--datasets", "my.csv", "--target", "kind", "--methods", "OVA")
    assert done.returncode == 0, done.err
    assert done.out.strip() == str(Path("reproduction") / "index.html")


# What is written ------------------------------------------------------------------------------------------------


def test_every_figure_is_there_in_both_formats(written):
    figures = {path.name for path in (written / "figures").iterdir()}
    names = {"toy", "design", "convergence", "planted", "decomposition", "lengths"}
    names |= {f"accuracy_{m}_{d}" for m in ("support", "columns") for d in TINY.decodings}
    names |= {f"{what}_{tuning}" for what in ("wins", "allocations") for tuning in TINY.tunings}
    assert {f"{name}.{ending}" for name in names for ending in ("png", "svg")} <= figures


def test_the_page_needs_nothing_else(written):
    page = (written / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
    assert "<script" not in page
    assert page.count("<figure") == len(list((written / "figures").glob("*.svg")))


def test_tables_stand_beside_the_papers_figures(written):
    with (written / "wins_paper_column.csv").open() as file:
        wins = {row["method"]: row for row in csv.DictReader(file)}
    assert wins["ECF-H"]["paper: wins by support vectors"] == "62.1"
    assert wins["OVO"]["paper: wins by classifiers"] == "16.6"
    with (written / "toy.csv").open() as file:
        toy = {row["method"]: row["paper"] for row in csv.DictReader(file)}
    assert toy == {"ECF-H": "77.12", "ECF-E": "", "DENSE": "66.45", "OVA": "49.53"}


def test_writing_again_writes_the_same(written):
    before = {
        path: path.read_bytes() for path in sorted(written.rglob("*")) if path.suffix in (".csv", ".svg", ".html")
    }
    reproduce(TINY, written, methods=METHODS)
    assert before == {path: path.read_bytes() for path in before}


# The command ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "--preset", "fast"], "unknown preset 'fast'"),
        (["reproduce", "--datasets", "galss"], "Did you mean 'glass'?"),
        (["reproduce", "--methods", "OVAA", "--datasets", "toy"], "Did you mean 'OVA'?"),
        (["reproduce", "--plugin", "none.py"], "no plugin none.py"),
    ],
)
def test_errors_are_one_line(command, arguments, message):
    done = command(*arguments)
    assert done.returncode == 2
    assert len(done.err.strip().splitlines()) == 1
    assert message in done.err


def test_the_command_is_a_program(tmp_path):
    done = subprocess.run([sys.executable, "-m", "ecoc_paper", "datasets", "galss"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ecoc-paper: Unknown data set 'galss'")


def test_failed_cells_are_told(command, tmp_path):
    program = "from ecoc_paper import experiments, datasets\n"
    program += "@experiments.register_method('BROKEN')\ndef broken():\n    raise RuntimeError('on purpose')\n"
    (tmp_path / "mine.py").write_text(program)
    done = command("reproduce", "--plugin", "mine.py", "--methods", "BROKEN", "--datasets", "toy")
    assert done.returncode == 1
    assert "2 cells failed, RuntimeError: on purpose" in done.err
    assert len((tmp_path / "reproduction" / "failures.csv").read_text().splitlines()) == 3


def test_data_sets_are_listed_and_shown(command):
    listed = command("datasets")
    assert all(name in listed.out for name in ("glass", "traffic36", "optdigits"))
    assert {"name": "glass"}.items() <= json.loads(command("datasets", "--json").out)[0].items()
    shown = command("datasets", "toy")
    assert "1,400 samples, 2 features, 14 classes" in shown.out
    assert json.loads(command("datasets", "toy", "--json").out)["classes"] == 14


# The page of results --------------------------------------------------------------------------------------------


def results_tool():
    spec = importlib.util.spec_from_file_location("results_tool", ROOT / "tools" / "results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLES_OF_PAGE = ROOT / "docs" / "figures" / "results" / "tables"
has_tables = pytest.mark.skipif(not TABLES_OF_PAGE.is_dir(), reason="the tables of the long run are not there yet")


def test_a_template_is_filled_from_tables(tmp_path):
    tool = results_tool()
    (tmp_path / "wins.csv").write_text("method,wins,note\nECF-H,12.5,a\nOVA,3.0,\n")
    text = "{{wins: method=OVA: wins}} of\n{{table wins | method, wins}}"
    assert tool.render(text, tmp_path) == "3.0 of\n| method | wins |\n|:--|--:|\n| ECF-H | 12.5 |\n| OVA | 3.0 |"
    for wrong in (
        "{{wins: method=OVO: wins}}",
        "{{wins: method=OVA: losses}}",
        "{{table wins | rank}}",
        "{{table none}}",
    ):
        with pytest.raises(SystemExit):
            tool.render(wrong, tmp_path)


@has_tables
def test_the_page_shows_every_figure_that_is_kept():
    docs = ROOT / "docs"
    shown = re.findall(r"\]\((figures/[^)]*)\)", (docs / "results.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.png"))


@has_tables
def test_every_number_of_the_page_comes_from_the_tables_of_one_run():
    tool = results_tool()
    assert tool.PAGE.read_text(encoding="utf-8") == tool.render(tool.TEMPLATE.read_text(encoding="utf-8"))


@has_tables
@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in TABLES_OF_PAGE.rglob("results.csv.gz")), ids=lambda path: path.name
)
def test_accuracies_of_the_page_are_those_of_the_cells(folder):
    """Mean over seeds of the mean over settings of the share of correct rows of all folds."""
    before = {"sparse similarity": "Zhao-Xing", "minimal search": "minimal"}  # names in an earlier run
    rows = defaultdict(lambda: np.zeros(3))
    with gzip.open(folder / "results.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["experiment"], row["tuning"]) == ("accuracy", "column") and row["decoding"] in (
                "loss_weighted",
                "own",
            ):
                key = row["dataset"], row["method"], row.get("seed"), row["setting"]
                rows[key] += int(row["correct"]), int(row["n_test"]), 1
    seeds = defaultdict(lambda: defaultdict(list))
    for (dataset, method, seed, _), (correct, n, n_folds) in rows.items():
        if n_folds == 5:  # Algorithm 1 may have no valid code in a fold
            seeds[dataset, method][seed].append(100 * correct / n)
    with (folder / "accuracy_column_loss_weighted.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for method in set(row) - {"data set", "seeds"}:
                if row[method]:
                    own = seeds.get((row["data set"], method)) or seeds[row["data set"], before[method]]
                    expected = np.mean([np.mean(shares) for shares in own.values()])
                    assert abs(float(row[method].split()[0]) - expected) < 0.051, (row["data set"], method)


@has_tables
@pytest.mark.parametrize(
    ("experiment", "dataset", "method", "setting"),
    [("accuracy", "glass", "ECF-H", "1"), ("accuracy", "ecoli", "R-H", "0.4"), ("accuracy", "ecoli", "S-ECOC", "0.5")],
)
def test_cells_of_the_page_are_computed_again(data_dir, experiment, dataset, method, setting):
    if data_dir is None:
        pytest.skip("the development sets are not at hand")
    from ecoc_paper import datasets
    from ecoc_paper.experiments import PRESETS
    from ecoc_paper.experiments.cells import Cell, Job, execute
    from ecoc_paper.experiments.methods import get_method

    with gzip.open(TABLES_OF_PAGE / "results.csv.gz", "rt", encoding="utf-8") as file:
        name = {
            "seed": "0",
            "experiment": experiment,
            "dataset": dataset,
            "fold": "0",
            "method": method,
            "setting": setting,
        }
        rows = [row for row in csv.DictReader(file) if name.items() <= row.items()]
    assert rows
    cell, data = Cell(experiment, dataset, 0, method, setting), datasets.load(dataset, data_dir=data_dir)
    result = execute(Job(cell, PRESETS["paper"], data, get_method(method))).result
    for row in rows:
        # Another processor may round differently, which can move a row that lies on a boundary.
        assert abs(result["correct"][row["tuning"]][row["decoding"]] - int(row["correct"])) <= 1
        assert result["n_columns"] == int(row["n_columns"])


@pytest.mark.parametrize("content", [b"no data base", b"SQLite format 3\0" + b"x" * 5000, "other table"])
def test_a_store_that_is_none(tmp_path, content):
    path = tmp_path / "results.sqlite"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as base:
            base.execute("CREATE TABLE cells (protocol TEXT)")
    before = path.read_bytes()
    with pytest.raises(OSError, match=r"results\.sqlite.*choose another folder"):
        Store(path)
    assert path.read_bytes() == before
