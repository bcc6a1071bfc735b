"""Find a decoding by its name."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from sklearn.base import clone

from ecoc.decoding.base import Decoding
from ecoc.decoding.centroid import Centroid
from ecoc.decoding.counting import BetaDensity, Laplacian
from ecoc.decoding.discriminant import Discriminant
from ecoc.decoding.euclidean import AttenuatedEuclidean, Euclidean
from ecoc.decoding.hamming import Hamming, InverseHamming
from ecoc.decoding.loss import LOSSES, LossBased
from ecoc.decoding.loss_weighted import LossWeighted
from ecoc.decoding.probabilistic import Probabilistic
from ecoc.decoding.structured import Structured
from ecoc.utils.messages import unknown_name

DECODINGS: Mapping[str, Callable[[], Decoding]] = MappingProxyType(
    {
        "hamming": Hamming,
        "inverse_hamming": InverseHamming,
        "euclidean": Euclidean,
        "attenuated_euclidean": AttenuatedEuclidean,
        "laplacian": Laplacian,
        "beta_density": BetaDensity,
        **{loss: partial(LossBased, loss) for loss in LOSSES},
        "loss_weighted": LossWeighted,
        "loss_weighted_linear": partial(LossWeighted, "linear"),
        "centroid": Centroid,
        "probabilistic": Probabilistic,
        "discriminant": Discriminant,
        "structured": Structured,
    }
)


def get_decoding(decoding: Any) -> Decoding:
    """Return a new, unfitted decoding, given its name or another decoding to clone.

    Parameters
    ----------
    decoding : str or Decoding
        A key of `DECODINGS`, or a decoding.

    Returns
    -------
    Decoding
        A new object, even if a decoding was given.

    Raises
    ------
    ValueError
        If no decoding has that name. The message lists the names and suggests the nearest.

    Examples
    --------
    >>> from ecoc.decoding import DECODINGS, get_decoding
    >>> get_decoding("loss_weighted_linear")
    LossWeighted(loss='linear')
    >>> sorted(DECODINGS)
    ['attenuated_euclidean', 'beta_density', 'centroid', 'discriminant', 'euclidean', 'exponential', 'hamming',
     'hinge', 'inverse_hamming', 'laplacian', 'linear', 'logistic', 'loss_weighted', 'loss_weighted_linear',
     'probabilistic', 'squared', 'structured']
    """
    if isinstance(decoding, str):
        if decoding not in DECODINGS:
            raise ValueError(unknown_name("decoding", decoding, DECODINGS))
        return DECODINGS[decoding]()
    if isinstance(decoding, Decoding):
        cloned: Decoding = clone(decoding)
        return cloned
    if isinstance(decoding, type) and issubclass(decoding, Decoding):
        raise TypeError(f"A decoding must be an object, not its class: write {decoding.__name__}().")
    raise TypeError(
        f"A decoding must be one of the names {', '.join(DECODINGS)}, or an object of a subclass of "
        f"ecoc.decoding.Decoding; got {decoding!r}."
    )
