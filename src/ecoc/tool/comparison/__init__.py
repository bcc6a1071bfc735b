"""Compare codes and plain scikit-learn by cross-validation: accuracies, costs, a recommendation."""

from ecoc.tool.comparison.candidates import BaselineCandidate, Candidate, CodeCandidate, code_candidates
from ecoc.tool.comparison.comparing import compare
from ecoc.tool.comparison.learners import BASELINES, LEARNERS, make_baseline, make_learner
from ecoc.tool.comparison.protected_classes import Protection
from ecoc.tool.comparison.race import Step
from ecoc.tool.comparison.results import COSTS, METRICS, CandidateResult
from ecoc.tool.comparison.verdict import Comparison

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
