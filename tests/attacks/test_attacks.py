"""A few attacks of each kind, and whether the attacks would find a defect. ``make attack`` runs many more."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

pytest.importorskip("skops")
pytest.importorskip("typer")
pytest.importorskip("daqp")

import ecoc
from tests.attacks import COUNTS, PARTS, designs, get_attack, model_files, pages, promises, watching
from tests.attacks.__main__ import summary
from tests.attacks.running import read_log, run

FEW = {"designs": 60, "model_files": 60, "tables": 200, "command_line": 25, "decodings": 30, "promises": 8}
FEW |= {"kills": 6, "pages": 1}
ROOT = Path(__file__).parents[2]


def test_every_kind_is_tried():
    assert list(FEW) == list(COUNTS) == list(PARTS)
    assert [part for parts in PARTS.values() for part in parts if not (ROOT / "src" / "ecoc" / part).exists()] == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", FEW)
def test_attacks(kind):
    attack = get_attack(kind)
    for seed in range(FEW[kind]):
        assert attack(seed)


def test_wrong_codes_are_found(monkeypatch):
    """A code with two equal columns, and a claim that a code does not exist."""
    designs.compile_kernels()

    def with_equal_columns(*arguments, **options):
        found = ecoc.factorize(*arguments, **options)
        found.code[:, 0] = found.code[:, -1]
        return found

    monkeypatch.setattr(designs, "factorize", with_equal_columns)
    with pytest.raises((AssertionError, ValueError)):
        [designs.attack(seed) for seed in range(20)]

    def denied(*arguments, **options):
        raise ecoc.InfeasibleError("there is none", bound="none", proven=True)

    monkeypatch.setattr(designs, "factorize", denied)
    with pytest.raises(AssertionError, match="a code exists"):
        [designs.attack(seed) for seed in range(20)]


def test_all_codes_of_four_classes():
    assert len(designs.all_distances(4, 2)) == 21  # pairs of the seven splits
    assert designs.all_distances(4, 7).tolist() == [[4] * 6]  # all splits: the exhaustive code


def test_code_that_runs_is_found(monkeypatch):
    monkeypatch.setattr(model_files, "load", lambda path: watching.payload())
    with pytest.raises(AssertionError, match="code ran"):
        model_files.attack(0)
    with pytest.raises(AssertionError, match="code ran"), watching.watched():
        subprocess.run([sys.executable, "--version"], check=True, capture_output=True)


def test_false_promises_are_found(monkeypatch):
    X, y, new, truth = promises.trust.samples("noise", 300, 0)
    model = ecoc.ECOCClassifier(GaussianNB(), coding="ova", decoding="linear", random_state=0).fit(X, y)
    promises.check(model, new, truth, 300, noise=True, where="")
    monkeypatch.setattr(model, "predict_sets", lambda X, confidence: np.zeros((len(X), 5), dtype=bool))
    with pytest.raises(AssertionError, match=r"sets cover 0\.00"):
        promises.check(model, new, truth, 300, noise=True, where="")
    monkeypatch.setattr(promises.trust, "claim", lambda model: 0.5)
    with pytest.raises(AssertionError, match=r"claimed 0\.50"):
        promises.check(model, new, truth, 300, noise=True, where="")
    monkeypatch.setattr(model, "predict_proba", lambda X: np.full((len(X), 5), np.nan))
    with pytest.raises(AssertionError, match="nan"):
        promises.check(model, new, truth, 300, noise=True, where="")


def test_scripts_are_found():
    names = pages.draw_names(np.random.default_rng(0), 6)
    assert pages.Tags(f"<p>{pages.PAYLOADS[4]}</p>").handlers == ["onerror"]
    if pages.CHROMIUM is not None:
        with pytest.raises(AssertionError, match="a script ran"):
            pages.browse(f"<!doctype html><body><script>{pages.ACTION}</script></body>", names)


def test_a_run_goes_on_and_counts_defects(tmp_path, monkeypatch):
    tried = []

    def attack(seed):
        tried.append(seed)
        if seed == 3:
            raise AssertionError("three")
        return "odd" if seed % 2 else "even"

    monkeypatch.setattr("tests.attacks.running.get_attack", lambda kind: attack)
    log = tmp_path / "designs.jsonl"
    run("designs", log, 3, 60)
    with log.open("a") as file:
        file.write('[3, "cut of')  # killed while it wrote
    run("designs", log, 6, 60)
    assert tried == [0, 1, 2, 3, 4, 5]
    assert read_log(log)[3] == "DEFECT: AssertionError: three"
    table, defects = summary({"designs": log, "tables": tmp_path / "none.jsonl"})
    assert defects == 1
    assert "| designs | `designs` | 6 | even 3; odd 2 | 1 |" in table
    assert "tables" not in table
    run("designs", log, 12, 60, part=1, parts=2)
    assert tried[6:] == [7, 9, 11]
    run("designs", log, 100, -1)  # no time left
    assert len(tried) == 9
