"""Every decoding keeps its promises, and check_decoding notices each one that is broken."""

import subprocess
import sys

import numpy as np
import pytest

import ecoc.decoding
from ecoc.decoding import DECODINGS, Decoding, Hamming, LossBased, LossWeighted, get_decoding
from ecoc.testing import check_decoding


@pytest.mark.parametrize("name", DECODINGS)
def test_every_decoding_conforms(name):
    check_decoding(name)


@pytest.mark.parametrize(
    "decoding",
    [
        LossWeighted("hinge"),
        LossWeighted(weights_from="out_of_fold"),
        ecoc.decoding.Discriminant(priors="uniform"),
        ecoc.decoding.Probabilistic(smoothing=0),
        Hamming,
    ],
)
def test_parameters_and_classes_conform(decoding):
    check_decoding(decoding, random_state=1)


def test_every_public_decoding_has_a_name():
    public = (getattr(ecoc.decoding, name) for name in ecoc.decoding.__all__)
    classes = {one for one in public if isinstance(one, type) and issubclass(one, Decoding)} - {Decoding}
    assert classes == {type(get_decoding(name)) for name in DECODINGS}


def test_decodings_do_not_import_codings():
    code = "import sys, ecoc.decoding; assert 'ecoc.codes.coding' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


class Lowest(Hamming):
    def _scores(self, outputs):
        return -super()._scores(outputs)


class ZerosAsSides(Hamming):
    """Takes a 0 for -1."""

    keeps_correction = False

    def _scores(self, outputs):
        side = np.where(self.codebook_.matrix > 0, 1, -1)
        return (outputs[:, None] == side).mean(axis=2)


class FirstColumnCountsMost(LossBased):
    keeps_correction = False

    def _scores(self, outputs):
        weight = np.arange(outputs.shape[1], 0, -1) ** 2.0
        return (outputs * weight) @ self.codebook_.matrix.T


class Worst(LossBased):
    """Believes in the weakest column."""

    def _scores(self, outputs):
        return np.array([[min(t for t in f * x if t) for x in self.codebook_.matrix] for f in outputs])


class BiasedSide(LossBased):
    keeps_correction = False

    def _scores(self, outputs):
        return super()._scores(outputs + 0.1)


class FavouredClass(LossBased):
    keeps_correction = False

    def _scores(self, outputs):
        return super()._scores(outputs) + 0.01 * (np.arange(self.codebook_.n_classes) == 0)


class Centring(LossBased):
    """Looks at the other samples."""

    keeps_correction = False

    def _scores(self, outputs):
        return super()._scores(outputs) - outputs.mean(axis=0, keepdims=True) @ self.codebook_.matrix.T / 1e3


class Transposed(Hamming):
    def _scores(self, outputs):
        return super()._scores(outputs).T


class Endless(Hamming):
    def _scores(self, outputs):
        with np.errstate(divide="ignore"):
            return -1 / np.log(super()._scores(outputs))


class WritesOutputs(LossBased):
    def _scores(self, outputs):
        outputs *= 2
        return super()._scores(outputs)


class WritesParameters(LossBased):
    def _fit(self):
        self.loss = "hinge"


class Counting(Hamming):
    def _scores(self, outputs):
        self.calls_ = getattr(self, "calls_", 0) + 1
        return super()._scores(outputs) / self.calls_


class Unchecked(LossBased):
    def scores(self, outputs):
        return self._scores(np.atleast_2d(outputs)[:, : self.codebook_.n_columns])


class HiddenParameter(Hamming):
    def __init__(self, power=2):
        self.exponent = power


class Guessing(Hamming):
    needs = "guesses"


class Unlikely(LossBased):
    gives_probabilities = True

    def probabilities(self, outputs):
        return np.full((len(outputs), self.codebook_.n_classes), 0.5)


class Forgetful(LossBased):
    @property
    def fit_on(self):
        return "training"

    def fit(self, codebook, outputs=None, y=None, sample_weight=None):
        return super().fit(codebook, np.zeros((1, len(np.transpose(codebook)))), [0])

    def _fit_outputs(self, outputs, y, weight):
        pass


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (
            Lowest,
            r"Lowest\(\) on one-vs-all: decides for class 1 though all outputs are right for class 0; the highest",
        ),
        (ZerosAsSides, "on one-vs-one: decides for class"),
        (Worst, r"does not correct the 1 wrong signs in columns \[0\] of class 1, .* set keeps_correction = False"),
        (FirstColumnCountsMost, "another order of the columns changes the scores"),
        (BiasedSide, "swapping the sides of some columns changes the scores"),
        (FavouredClass, "another order of the classes changes the scores, by up to 0.01"),
        (Centring, "one at a time changes the scores"),
        (Transposed, r"scores have shape \(5, 12\), not \(12, 5\)"),
        (Endless, "not all finite"),
        (WritesOutputs, "changes the outputs to decode"),
        (WritesParameters, r"fit changes its parameters \['loss'\]"),
        (Counting, "second call of scores changes"),
        (Unchecked, "accepts NaN; it should raise a ValueError"),
        (HiddenParameter, "HiddenParameter: clone failed with .* store each parameter unchanged under its own name"),
        (Guessing, r"needs must be one of \('signs', 'margins', 'probabilities'\), not 'guesses'"),
        (Unlikely, "probabilities do not sum to 1"),
        (Forgetful, "fits without the outputs it needs"),
        (dict, r"\{\} must be an instance of a subclass of ecoc.decoding.Decoding"),
    ],
)
def test_broken_promises_are_noticed(broken, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_decoding(broken)
