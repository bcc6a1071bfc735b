"""Which model does a table need? Codes and plain scikit-learn by cross-validation, their costs, a recommendation."""

from ecoc.comparison.baselines import BASELINES, make_baseline
from ecoc.comparison.candidates import BaselineCandidate, Candidate, CodeCandidate, code_candidates
from ecoc.comparison.comparing import compare
from ecoc.comparison.learners import LEARNERS, make_learner
from ecoc.comparison.protection import Protection
from ecoc.comparison.race import Step
from ecoc.comparison.results import COSTS, METRICS, CandidateResult
from ecoc.comparison.verdict import Comparison

__all__ = [
    "BASELINES",
    "COSTS",
    "LEARNERS",
    "METRICS",
    "BaselineCandidate",
    "Candidate",
    "CandidateResult",
    "CodeCandidate",
    "Comparison",
    "Protection",
    "Step",
    "code_candidates",
    "compare",
    "make_baseline",
    "make_learner",
]
