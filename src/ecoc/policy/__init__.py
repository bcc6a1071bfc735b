"""Choose coding, decoding and training for a learner, with reasons: kinds of learners, ordered rules, and the plan."""

from ecoc.policy.learner import KINDS, Learner, Offers, Problem, describe, is_a, register_learner
from ecoc.policy.plan import Plan, make_plan
from ecoc.policy.rules import CODING, DECODING, JUDGING, PLAIN, REFINEMENT, REHEARSAL
from ecoc.policy.tables import Rule, Rules
from ecoc.policy.training import BINS, HELD_OUT, HELD_OUT_TOL

__all__ = [
    "BINS",
    "CODING",
    "DECODING",
    "HELD_OUT",
    "HELD_OUT_TOL",
    "JUDGING",
    "KINDS",
    "PLAIN",
    "REFINEMENT",
    "REHEARSAL",
    "Learner",
    "Offers",
    "Plan",
    "Problem",
    "Rule",
    "Rules",
    "describe",
    "is_a",
    "make_plan",
    "register_learner",
]
