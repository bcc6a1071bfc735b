"""Tables of rules: ordered rows with a condition, a choice, the reason, and the measurements behind it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ecoc.policy.learner import Problem


@dataclass(frozen=True)
class Rule:
    """One row of a table of rules.

    Parameters
    ----------
    when : callable
        Takes a :class:`Problem` and tells whether the row applies.
    condition : str
        The same in words.
    then : object or callable
        The choice, or a callable that makes it from the problem.
    why : str
        The reason, for users.
    measured : str, default=""
        The data and figures behind it, and the effect of half and double of its numbers.
    """

    when: Callable[[Problem], bool]
    condition: str
    then: Any
    why: str
    measured: str = ""

    def apply(self, problem: Problem) -> Any:
        """Return the choice for a problem."""
        return self.then(problem) if callable(self.then) and not isinstance(self.then, type) else self.then


class Rules(list[Rule]):
    """A table of rules, in order."""

    def decide(self, problem: Problem) -> tuple[Any, Rule]:
        """Return the choice of the first row that applies, and this row.

        Parameters
        ----------
        problem : Problem
            The problem.

        Returns
        -------
        (object, Rule)
            The last row applies to everything.
        """
        rule = next(rule for rule in self if rule.when(problem))
        return rule.apply(problem), rule

    def as_markdown(self) -> str:
        """Return the table for a page of the documentation.

        Returns
        -------
        str
            Markdown.
        """
        rows = [f"| {rule.condition} | {_words(rule.then)} | {rule.why} |" for rule in self]
        return "\n".join(["| When | Then | Why |", "|---|---|---|", *rows]) + "\n"


def _words(then: Any) -> str:
    if then is None:
        return "–"
    if callable(then):
        return str(then.__doc__).splitlines()[0].rstrip(".")
    return f"`{then!r}`" if hasattr(then, "get_params") else str(then)
