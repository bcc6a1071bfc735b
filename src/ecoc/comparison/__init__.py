"""Which code, of which length? Candidates by cross-validation, what each costs, and a recommendation."""

from ecoc.comparison.candidates import Candidate, make_candidates
from ecoc.comparison.cross_validation import compare
from ecoc.comparison.learners import LEARNERS, make_learner
from ecoc.comparison.protection import Protection
from ecoc.comparison.results import COSTS, CandidateResult, Comparison

__all__ = [
    "COSTS",
    "LEARNERS",
    "Candidate",
    "CandidateResult",
    "Comparison",
    "Protection",
    "compare",
    "make_candidates",
    "make_learner",
]
