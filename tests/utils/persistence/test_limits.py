"""Files that were made to do harm: loading refuses them in one line, and takes little memory or time for it."""

import hashlib
import io
import json
import subprocess
import sys
import tracemalloc
import warnings
import zipfile
import zlib

import numpy as np
import pytest
from scipy.sparse import csr_matrix, save_npz
from sklearn.linear_model import Ridge

from ecoc import ECOCClassifier
from ecoc.utils.exceptions import PersistenceError
from ecoc.utils.persistence import load, save
from ecoc.utils.persistence.archive import Defaults, checksum, read_archive

pytest.importorskip("skops")

Y = np.arange(40) % 4
X = np.random.default_rng(0).normal(size=(40, 3)) + Y[:, None]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "model.skops"
    save(ECOCClassifier(Ridge(), coding="ova", decoding="linear", probability=False).fit(X, Y), file)
    return file


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def forge(path, change, *, method=zipfile.ZIP_DEFLATED):
    """Rewrite a file with changed members, its schema as an object, and a new checksum."""
    members = members_of(path)
    schema = json.loads(members["schema.json"])
    change(schema, members)
    members["schema.json"] = json.dumps(schema).encode()
    sums = {name: hashlib.sha256(content).digest() for name, content in members.items() if name != "ecoc.json"}
    members["ecoc.json"] = json.dumps({**json.loads(members["ecoc.json"]), "sha256": checksum(sums)}).encode()
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def array(values):
    buffer = io.BytesIO()
    np.save(buffer, values)
    return buffer.getvalue()


def array_node(file, **more):
    return {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode", "type": "numpy", **more} | {
        "file": file
    }


def list_node(*content, **more):
    return {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": list(content), **more}


def attribute(schema, node):
    """Put a node into the model."""
    schema["content"]["content"]["note"] = node
    schema["content"]["key_types"]["content"].append(schema["content"]["key_types"]["content"][0])


def refused(path, match, **options):
    """The file is refused in one line, with less memory than its content would take."""
    tracemalloc.start()
    try:
        with pytest.raises(PersistenceError, match=match) as caught:
            load(path, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(caught.value).startswith(f"cannot load a model from {path}: ")
    assert "\n" not in str(caught.value)
    return peak


def test_the_forged_files_below_would_load(path):
    forge(path, lambda schema, members: attribute(schema, list_node()))
    assert load(path).note == []


def test_a_member_that_unpacks_to_very_much(path):
    def change(schema, members):
        members["large.npy"] = array(np.zeros(5_000_000))
        attribute(schema, array_node("large.npy"))

    forge(path, change)
    assert path.stat().st_size < 100_000
    assert load(path).note.shape == (5_000_000,)
    peak = refused(
        path, r"unpacks to 40\.0 MB, and max_bytes allows 30\.0 MB; if you .*max_bytes=400", max_bytes=30 * 10**6
    )
    assert peak < 5e6
    assert load(path, max_bytes=41 * 10**6).note.shape == (5_000_000,)


def test_a_member_that_is_named_very_often(path):
    def change(schema, members):
        members["once.npy"] = array(np.zeros(100_000))
        attribute(schema, list_node(*(array_node("once.npy") for _ in range(50))))

    forge(path, change)
    peak = refused(path, r"unpacks to 40\.0 MB", max_bytes=30 * 10**6)
    assert peak < 5e6
    assert len(load(path).note) == 50


def test_nodes_with_one_id_are_read_once(path):
    """As skops writes an array that several parts of a model share."""

    def change(schema, members):
        members["once.npy"] = array(np.zeros(100_000))
        attribute(schema, list_node(*(array_node("once.npy", __id__=7) for _ in range(50))))

    forge(path, change)
    note = load(path, max_bytes=2 * 10**6).note
    assert len({id(part) for part in note}) == 1


def test_one_id_for_a_small_and_a_large_member(path):
    def change(schema, members):
        members |= {"small.npy": array(np.zeros(1)), "large.npy": array(np.zeros(100_000))}
        nodes = [array_node(name, __id__=i) for i in range(50) for name in ("small.npy", "large.npy")]
        attribute(schema, list_node(*nodes))

    forge(path, change)
    refused(path, r"unpacks to 40\.0 MB", max_bytes=30 * 10**6)


def test_bytes_that_become_a_list(path):
    def change(schema, members):
        members["some.bin"] = bytes(10**6)
        node = {"__class__": "bytearray", "__module__": "builtins", "__loader__": "BytearrayNode", "file": "some.bin"}
        attribute(schema, node)

    forge(path, change)
    refused(path, r"unpacks to 9\.0 MB", max_bytes=5 * 10**6)
    assert load(path).note == bytearray(10**6)


def test_a_sparse_matrix_that_unpacks_to_very_much(path):
    buffer = io.BytesIO()
    save_npz(buffer, csr_matrix((np.zeros(2_000_000), (np.zeros(2_000_000, int), np.arange(2_000_000)))))
    node = {"__class__": "csr_matrix", "__module__": "scipy.sparse._csr", "__loader__": "SparseMatrixNode"}

    def change(schema, members):
        members["large.npz"] = buffer.getvalue()
        attribute(schema, node | {"type": "scipy", "file": "large.npz"})

    forge(path, change)
    assert refused(path, r"unpacks to 2\d\.\d MB", max_bytes=10**7) < 2 * 10**7
    assert load(path).note.shape == (1, 2_000_000)


def test_a_schema_that_is_very_large(path):
    forge(path, lambda schema, members: schema.update(filler=" " * 10**7))
    assert refused(path, r"unpacks to 10\.0 MB", max_bytes=5 * 10**6) < 2 * 10**6
    load(path)


@pytest.mark.parametrize(("part", "needed"), [({}, "32[12]"), ([], "2[67]"), (0, "1[34]")])
def test_a_schema_of_very_many_parts(path, part, needed):
    forge(path, lambda schema, members: schema.update(filler=[part] * 200_000))
    assert refused(path, rf"unpacks to {needed}\.\d MB", max_bytes=10**7) < 5 * 10**6
    load(path)


def test_nodes_that_stand_for_an_exponential_number(path):
    """Thirty lists of the next list twice: skops would visit 2³⁰ nodes."""

    def change(schema, members):
        node = list_node(__id__=1000)
        for i in range(30):
            short = {key: value for key, value in node.items() if key != "content"}
            node = list_node(node, {**short, "content": []}, __id__=i + 1)
        attribute(schema, node)

    forge(path, change)
    refused(path, "two different parts with the same __id__")


def test_nesting_without_end(path):
    def change(schema, members):
        node = list_node()
        for _ in range(400):
            node = list_node(node)
        attribute(schema, node)

    forge(path, change)
    refused(path, "RecursionError")


@pytest.mark.parametrize(
    ("shape", "dtype", "message"),
    [
        ("(1000000000000,)", "<f8", "an array of shape .* in 1"),
        ("(3, -1)", "<f8", "an array of shape"),
        ("(1000000000000,)", "|V0", "an array of shape"),
        ("(2,)", "|O", "an array of shape"),
        ("(2**40,)", "<f8", "ValueError"),
        ("(1,", "<f8", "TokenError"),
    ],
)
def test_an_array_that_claims_terabytes(path, shape, dtype, message):
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    claimed = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(16)

    def change(schema, members):
        members["claims.npy"] = claimed
        attribute(schema, array_node("claims.npy"))

    forge(path, change)
    assert refused(path, f"damaged .*{message}") < 10**7


def test_an_array_of_another_version_of_the_format(path):
    def change(schema, members):
        members["future.npy"] = b"\x93NUMPY\x04\x00" + array(np.zeros(2))[8:]
        attribute(schema, array_node("future.npy"))

    forge(path, change)
    refused(path, "damaged")


def test_two_members_with_one_name(path):
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("schema.json", "{}")
    refused(path, r"two members with the name 'schema\.json'")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions(path, method):
    forge(path, lambda schema, members: None, method=method)
    refused(path, "is compressed by another method")


def test_a_member_that_is_larger_than_it_says(path):
    """Its declared size and checksum are those of its first bytes; reading it whole would unpack 100 MB."""
    whole = bytes(10**8)
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packed.compress(whole) + packed.flush()

    def change(schema, members):
        members["liar.bin"] = whole[:100]
        node = {"__class__": "bytes", "__module__": "builtins", "__loader__": "BytesNode", "file": "liar.bin"}
        attribute(schema, node)

    forge(path, change)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("liar.bin")
        start = archive.start_dir
    stub = zlib.compressobj(-1, zlib.DEFLATED, -15)
    stub = stub.compress(whole[:100]) + stub.flush()
    assert content.count(stub) == 1
    sizes = info.compress_size.to_bytes(4, "little") + info.file_size.to_bytes(4, "little")
    grown = content.replace(stub, packed).replace(sizes, len(packed).to_bytes(4, "little") + sizes[4:])
    moved = len(packed) - len(stub)
    end = grown.rindex(b"PK\x05\x06")
    grown = bytearray(grown)
    grown[end + 16 : end + 20] = (start + moved).to_bytes(4, "little")
    entry = start + moved  # members after the grown one begin later
    for _ in range(int.from_bytes(grown[end + 10 : end + 12], "little")):
        offset = int.from_bytes(grown[entry + 42 : entry + 46], "little")
        if offset > info.header_offset:
            grown[entry + 42 : entry + 46] = (offset + moved).to_bytes(4, "little")
        entry += 46 + sum(int.from_bytes(grown[entry + at : entry + at + 2], "little") for at in (28, 30, 32))
    path.write_bytes(grown)
    tracemalloc.start()
    found = load(path).note
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == whole[:100]
    assert peak < 2 * 10**7


def test_a_file_that_is_larger_than_the_limit(path):
    refused(path, r"it has at least [\d,]+ bytes, and max_bytes allows 100 bytes", max_bytes=100)


def test_a_device_without_end():
    with pytest.raises(PersistenceError, match=r"cannot load a model from /dev/zero: it has at least 5\.2 MB"):
        load("/dev/zero", max_bytes=5 * 10**6)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "1 GB"])
def test_the_limit_is_a_number(path, wrong):
    with pytest.raises(ValueError, match="max_bytes must be a positive integer or None"):
        load(path, max_bytes=wrong)


@pytest.mark.parametrize("name", ["schema.json", "ecoc.json"])
def test_any_change_of_the_content_is_noticed(path, name):
    members = members_of(path)
    changed = json.loads(members[name])
    if name == "ecoc.json":
        changed["sha256"] = "0" * 64
    else:
        changed["content"]["content"]["verbose"]["content"] = "1"
    members[name] = json.dumps(changed).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    refused(path, "its content does not match its checksum: it is damaged or was changed")


def test_members_that_were_added_or_removed_are_noticed(path):
    members = members_of(path)
    unread = next(name for name in members if name.endswith(".npy"))
    for changed in ({**members, "more.bin": b""}, {name: members[name] for name in members if name != unread}):
        with zipfile.ZipFile(path, "w") as archive:
            for member, content in changed.items():
                archive.writestr(member, content)
        refused(path, "does not match its checksum")


def test_by_default_a_large_file_may_unpack_to_more(path):
    def change(schema, members):
        members["zeros.npy"] = array(np.zeros(10**5))
        members["noise.npy"] = array(np.random.default_rng(0).normal(size=10**5))
        attribute(schema, list_node(*(array_node("zeros.npy") for _ in range(10)), array_node("noise.npy")))

    forge(path, change)
    assert path.stat().st_size < 10**6
    assert read_archive(path, None, Defaults(bytes=10**6, ratio=16))
    with pytest.raises(PersistenceError, match=r"unpacks to 8\.8 MB, and max_bytes allows \d\.\d MB"):
        read_archive(path, None, Defaults(bytes=10**6, ratio=8))
    assert len(load(path).note) == 11


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
def test_a_bomb_under_a_memory_limit(path):
    """A file of 80 kB that unpacks to 1.2 GB is refused, in a process that may take 300 MB more than it has."""

    def change(schema, members):
        members["once.npy"] = array(np.zeros(10**7))
        attribute(schema, list_node(*(array_node("once.npy") for _ in range(15))))

    forge(path, change)
    program = """
import resource, sys
import ecoc, sklearn.linear_model, skops.io, ecoc.classifier, ecoc.utils.persistence
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + 300_000_000
resource.setrlimit(resource.RLIMIT_AS, (size, size))
try:
    ecoc.load(sys.argv[1])
except ecoc.PersistenceError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=120)
    assert "it unpacks to 1.2 GB, and max_bytes allows 536.9 MB" in done.stdout, done.stderr
