"""How are bytes damaged? Flipped, cut, repeated, moved, or replaced by bytes that have a meaning in many formats."""

MEANINGFUL = (
    b"\0",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\n",
    b'"',
    b",",
    b"-1",
    b"1e400",
    b"nan",
    b"PK\x05\x06",
    b"{",
)


def flip(rng, data):
    changed = bytearray(data)
    for place in rng.integers(len(changed), size=rng.integers(1, 9)):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut(rng, data):
    return data[: rng.integers(len(data))]


def drop(rng, data):
    start = int(rng.integers(len(data)))
    return data[:start] + data[start + int(rng.integers(1, 200)) :]


def repeat(rng, data):
    start = int(rng.integers(len(data)))
    return data[:start] + data[start : start + int(rng.integers(1, 200))] * int(rng.integers(2, 50)) + data[start:]


def replace(rng, data):
    start, new = int(rng.integers(len(data))), MEANINGFUL[rng.integers(len(MEANINGFUL))]
    return data[:start] + new + data[start + len(new) :]


def insert(rng, data):
    start, new = int(rng.integers(len(data))), MEANINGFUL[rng.integers(len(MEANINGFUL))]
    return data[:start] + new + data[start:]


def noise(rng, data):
    start, length = int(rng.integers(len(data))), int(rng.integers(1, 64))
    return data[:start] + rng.bytes(length) + data[start + length :]


MUTATIONS = (flip, cut, drop, repeat, replace, insert, noise)


def mutate(rng, data):
    """Damage bytes, mostly once."""
    for _ in range(1 + int(rng.random() < 0.3) + int(rng.random() < 0.1)):
        data = MUTATIONS[rng.integers(len(MUTATIONS))](rng, data or b"\0")
    return data
