"""Saved models that are damaged or forged: ``load`` returns an estimator or raises a PersistenceError of one line.

A damaged file has changed bytes. A forged file has other members, another description of the model or arrays of another
shape, and a checksum that fits, as an attacker would write it.
"""

import hashlib
import io
import json
import tempfile
import warnings
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from ecoc import ECOCClassifier, PersistenceError, load, save
from ecoc.utils.persistence.archive import checksum
from tests.attacks.mutations import mutate
from tests.attacks.watching import one_line, watched

DANGEROUS = (
    ("os", "system"),
    ("builtins", "eval"),
    ("builtins", "exec"),
    ("subprocess", "Popen"),
    ("tests.attacks.watching", "payload"),
    ("ecoc.tool.cli", "main"),
    ("numpy", "load"),
    ("joblib", "load"),
    ("sklearn.svm._classes", "SVC"),
)
VALUES = (None, True, -1, 0, 10**30, 1e308, "x", "", [], {}, [[1]], {"a": 1}, "../../etc/passwd", "1.npy", "NaN")


@cache
def samples():
    y = np.arange(30) % 3
    return np.random.default_rng(0).normal(size=(30, 3)) + y[:, None], y


@cache
def models():
    """The bytes of some saved models, and what they predict."""
    X, y = samples()
    made = []
    with tempfile.TemporaryDirectory() as folder:
        for estimator, options in (
            (Ridge(), {"coding": "ova", "decoding": "linear", "probability": False}),
            (SVC(), {"coding": "dense", "decoding": "discriminant"}),
            (LogisticRegression(), {"coding": "ovo", "decoding": "loss_weighted"}),
            (GaussianNB(), {"coding": "ova", "decoding": "probabilistic"}),
        ):
            path = Path(folder, "model.skops")
            model = ECOCClassifier(estimator, random_state=0, **options).fit(X, y)
            save(model, path)
            made.append((path.read_bytes(), model.predict(X)))
    return made


@cache
def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members, rng, twice=()):
    """An archive with a checksum that fits its members."""
    sums = {name: hashlib.sha256(content).digest() for name, content in members.items() if name != "ecoc.json"}
    if "ecoc.json" in members:
        header = {**json.loads(members["ecoc.json"]), "sha256": checksum(sums)}
        members = {**members, "ecoc.json": json.dumps(header).encode()}
    buffer = io.BytesIO()
    method = zipfile.ZIP_STORED if rng.random() < 0.3 else zipfile.ZIP_DEFLATED
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", method, compresslevel=1) as archive:
        warnings.simplefilter("ignore")  # duplicate names
        for name, content in members.items():
            archive.writestr(name, content)
        for name in twice:
            archive.writestr(name, members[name])
    return buffer.getvalue()


def nodes(value, found):
    """All dictionaries in a description of a model."""
    if isinstance(value, dict):
        found.append(value)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        nodes(part, found)
    return found


def change_schema(rng, members):
    schema = json.loads(members["schema.json"])
    every = nodes(schema, [])
    for _ in range(rng.integers(1, 4)):
        node = every[rng.integers(len(every))]
        kind = rng.integers(6)
        key = sorted(node)[rng.integers(len(node))] if node else "x"
        if kind == 0:
            node[key] = VALUES[rng.integers(len(VALUES))]
        elif kind == 1:
            node.pop(key, None)
        elif kind == 2:
            node["__module__"], node["__class__"] = DANGEROUS[rng.integers(len(DANGEROUS))]
        elif kind == 3:
            node["__loader__"] = every[rng.integers(len(every))].get("__loader__", "JsonNode")
        elif kind == 4:  # the same part many times; not the whole, whose copies would hold each other
            other = every[rng.integers(len(every))]
            if len(json.dumps(other)) < 5000:
                copied = json.dumps([other] * int(rng.integers(1, 60)))
                node[key] = json.loads(copied) if rng.random() < 0.5 else json.loads(copied)[0]
        else:
            node["file"] = str(rng.choice(sorted(members)))
    members["schema.json"] = json.dumps(schema).encode()


def change_array(rng, members):
    names = sorted(name for name in members if name.endswith(".npy"))
    name = names[rng.integers(len(names))]
    kind = rng.integers(4)
    if kind == 0:  # a header that claims another shape
        content = members[name]
        members[name] = content.replace(b"(", b"(%d," % 10 ** int(rng.integers(0, 14)), 1)
        return
    values = (
        np.array(["x", "y"]),
        np.full((3, 3), np.nan),
        np.zeros(0),
        np.arange(7, dtype=np.int8),
        np.ones((2, 2, 2)) * 1j,
        np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
    )
    buffer = io.BytesIO()
    np.save(buffer, values[rng.integers(len(values))])
    members[name] = mutate(rng, members[name]) if kind == 1 else buffer.getvalue()


def forge(rng, content):
    """A file that an attacker wrote."""
    members = dict(members_of(content))
    kind = rng.integers(8)
    names = sorted(members)
    twice = ()
    if kind <= 2:
        change_schema(rng, members)
    elif kind <= 4:
        change_array(rng, members)
    elif kind == 5:  # a member is missing, has the name or content of another, or comes twice
        a, b = rng.choice(names, 2, replace=False).tolist()
        change = rng.integers(4)
        if change == 0:
            del members[a]
        elif change == 1:
            members[a + "x"] = members.pop(a)
        elif change == 2 and "ecoc.json" not in (a, b):
            members[a], members[b] = members[b], members[a]
        else:
            twice = (a,)
    elif kind == 6:  # it unpacks to very much more
        name = names[rng.integers(len(names))]
        if name != "ecoc.json":
            filler = {0: b" ", 1: b"[", 2: b"\0"}[int(rng.integers(3))]
            members[name] += filler * int(2 ** rng.uniform(10, 25))  # 1 KiB to 32 MiB, mostly the cheaper sizes
    else:
        members["more.npy"] = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (9,)}"
        change_schema(rng, members)
    return packed(members, rng, twice)


def attack(seed):
    rng = np.random.default_rng(seed)
    content, expected = models()[rng.integers(len(models()))]
    is_forged = rng.random() < 0.5
    content = forge(rng, content) if is_forged else mutate(rng, content)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other versions
        path = Path(folder, "model.skops")
        path.write_bytes(content)
        try:
            with watched():
                model = load(path)
        except PersistenceError as error:
            one_line(error)
            return "forged, refused" if is_forged else "damaged, refused"
    assert isinstance(model, BaseEstimator), type(model)
    if not is_forged:  # what was changed has no meaning, such as the date of a member
        assert np.array_equal(model.predict(samples()[0]), expected), "a damaged model predicts something else"
    return "forged, an estimator" if is_forged else "damaged, the same model"
