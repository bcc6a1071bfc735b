"""Save and load fitted models safely, in the format of skops, never as a pickle."""

from ecoc.utils.persistence.loading import load
from ecoc.utils.persistence.saving import save

__all__ = ["load", "save"]
