"""Save and load fitted models safely, in the format of skops, never as a pickle."""

from ecoc.utils.exceptions import PersistenceError
from ecoc.utils.persistence.archive import find_skops
from ecoc.utils.persistence.loading import load, untrusted_types
from ecoc.utils.persistence.saving import save, saved_size

__all__ = ["PersistenceError", "find_skops", "load", "save", "saved_size", "untrusted_types"]
