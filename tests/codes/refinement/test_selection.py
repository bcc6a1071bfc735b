from dataclasses import replace

import numpy as np

from ecoc.codes.refinement.limits import LIMITS
from ecoc.codes.refinement.proxy import HeldOut
from ecoc.codes.refinement.selection import held_out_hits, shortest_of_the_best


def test_hits_are_of_samples_that_were_held_out():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 50)
    code = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    noise = rng.normal(size=(200, 4))
    assert held_out_hits(HeldOut.of_outputs(np.eye(4)[y] + 0.1 * noise, y), code).all()
    assert 0.1 < held_out_hits(HeldOut.of_outputs(noise, y), code).mean() < 0.45  # nothing to learn, nothing learned


def test_a_class_with_one_sample_warns_nobody(recwarn):
    y = np.array([0] * 20 + [1] * 20 + [2])
    outputs = np.eye(3)[y] + 0.1 * np.random.default_rng(0).normal(size=(41, 3))
    held_out_hits(HeldOut.of_outputs(outputs, y), np.eye(3, dtype=int) * 2 - 1)
    assert not recwarn


def test_shortest_within_a_standard_error():
    def hits(n):
        return np.arange(100) < n

    assert shortest_of_the_best({3: hits(50), 4: hits(87), 5: hits(88), 6: hits(90)}) == 4  # the error is 3
    assert shortest_of_the_best({3: hits(50), 4: hits(86), 6: hits(90)}) == 6


def test_many_classes_share_a_covariance():
    rng = np.random.default_rng(0)
    y, code = np.repeat(np.arange(80), 10), rng.choice([-1, 1], size=(80, 12))
    held_out = HeldOut.of_outputs(np.eye(80)[y] + 0.08 * rng.normal(size=(800, 80)), y)
    pooled = held_out_hits(held_out, code).mean()
    assert 0.3 < held_out_hits(held_out, code, replace(LIMITS, many_classes=80)).mean() < pooled + 0.02
