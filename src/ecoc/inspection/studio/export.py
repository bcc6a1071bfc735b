"""The Python lines and the command that make and train the code of a state without a page."""

from math import isclose
from typing import Any

from ecoc.codes.design.allocation import ALLOCATIONS
from ecoc.inspection.studio.certificate import FINAL
from ecoc.inspection.studio.state import State
from ecoc.inspection.studio.subject import Subject
from ecoc.utils.estimators import last_step

_SHORT = 60  # wishes that Python lines name


def python_lines(subject: Subject, state: State, n_columns: int) -> str:
    """Return Python lines that make the code; without a variable for the distances, they read the file of the code."""
    brings, learner = _learner(subject)
    fitted = f"model = ECOCClassifier({learner}, coding=code, random_state=0)"
    tail = [fitted] if subject.samples is None else [f"{fitted}.fit(X, y)"]
    long = len(state.wishes) + len(state.demands) > _SHORT
    if not subject.distances_code or long:
        head = [
            "from ecoc import CodeBook, ECOCClassifier",
            *brings,
            "",
            "# “Save the code book” in the page writes this file.",
        ]
        return "\n".join([*head, 'code = CodeBook.load("code.csv")', *tail])
    names = ["ECOCClassifier", "allocate", "factorize", "nearest_correlation"]
    if "class_distances" in subject.distances_code:
        names.insert(2, "class_distances")
    lines = [f"from ecoc import {', '.join(names)}", *brings, "", f"labels = {subject.labels!r}"]
    wishes = f", wishes={_pairs(subject, state.wishes)}" if state.wishes else ""
    lines.append(f"D = allocate({subject.distances_code}, {_allocation(state)}, labels=labels{wishes})")
    least: Any = state.min_distance
    if state.demands:
        least = {(subject.labels[i], subject.labels[j]): max(n, least) for (i, j), n in state.demands.items()}
        least |= {"default": state.min_distance}
    made = f"factorize(nearest_correlation(D), {n_columns}, min_distance={least!r}, labels=labels, random_state=0"
    lines.append(f"result = {made}, effort={FINAL.effort:g})")
    return "\n".join([*lines, "code = result.codebook", *tail])


def command_words(subject: Subject) -> list[str]:
    """Return the words of the command that trains with the file of the code book."""
    return [*subject.command, "--coding", "code.csv", "-o", "model.skops"]


def _pairs(subject: Subject, wishes: Any) -> str:
    return repr({(subject.labels[i], subject.labels[j]): wish for (i, j), wish in wishes.items()})


def _allocation(state: State) -> str:
    named = (name for name, number in ALLOCATIONS.items() if isclose(number, state.allocation))
    return repr(next(named, state.allocation))


def _learner(subject: Subject) -> tuple[list[str], str]:
    """Return the lines that import the learner, and its expression; a composed one is left to the user."""
    learner = None if subject.template is None else last_step(subject.template).estimator
    module = [part for part in type(learner).__module__.split(".") if not part.startswith("_")]
    parts: dict[str, Any] = {} if learner is None else learner.get_params()
    if module[:1] != ["sklearn"] or any(hasattr(part, "fit") for part in parts.values()):
        return ["# estimator: the binary classifier to train"], "estimator"
    return [f"from {'.'.join(module)} import {type(learner).__name__}"], " ".join(repr(learner).split())
