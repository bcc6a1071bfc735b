import numpy as np
import pytest

from ecoc.codes.refinement.moments import Moments
from ecoc.codes.refinement.proxy import HeldOut
from ecoc.codes.refinement.starts import discriminant_code, spectral_code


@pytest.mark.parametrize("start", [discriminant_code, spectral_code])
@pytest.mark.parametrize("noise", [0.3, 1e-9, 0.0])
def test_starts_tell_all_classes_apart(start, noise):
    """Also without any variance within the classes, whose covariance is then singular."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 4)
    means = rng.normal(size=(40, 40))
    code = start(Moments(HeldOut.of_outputs(means[y] + noise * rng.normal(size=(160, 40)), y)), 8, rng)
    assert code.shape == (40, 8)
    assert len(np.unique(code, axis=0)) == 40
