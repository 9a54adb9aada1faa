"""The test vectors of tests/data/vectors.txt through the package: the same bytes as the library, and everybody else."""

from pathlib import Path

import numpy as np

from common import SOURCE
from podium import Collection


def split_mix(seed, n):
    """The first n words of the generator SplitMix64."""
    z = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)


def random_bytes(seed, n):
    return split_mix(seed, (n + 7) // 8).astype("<u8").tobytes()


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 2**64 - 1
    return f"{value:016x}"


def double(bits):
    return float(np.array(int(bits, 16), np.uint64).view(np.float64))


def vector_lines(*kinds):
    """The lines of these kinds, each with the spec that it is about, as fields."""
    spec = None
    for line in Path(SOURCE, "tests/data/vectors.txt").read_text().splitlines():
        kind, _, rest = line.partition(" ")
        head, _, text = rest.partition(" text=")
        fields = dict(field.split("=", 1) for field in head.split(" ") if "=" in field)
        if kind == "spec":
            spec = text if fields["status"] == "0" else None
        if kind in kinds and spec is not None:
            yield kind, spec, fields


def test_vectors_of_values():
    collections, seen = {}, 0
    for kind, spec, fields in vector_lines("spec", "value"):
        if kind == "spec":
            c = collections[spec] = Collection(spec)
            assert c.fingerprint == fields["fingerprint"] and c.cells == int(fields["support"])
            assert c.support == (double(fields["least"]), double(fields["most"]))
            assert c.variance() == double(fields["variance_most"])
            continue
        c, seen = collections[spec], seen + 1
        value, source = np.array([double(fields["x"])]), random_bytes(int(fields["seed"]), 512)
        assert c._codes_from(value, source)[0] == int(fields["cell"])
        assert c._privatize_from(value, source, nan="middle")[0] == double(fields["report"])
    mechanisms = {c.mechanism for c in collections.values()}
    assert seen > 2000 and len(mechanisms) == 10


def test_vectors_of_arrays():
    seen = 0
    for _, spec, fields in vector_lines("array"):
        c, n, seed = Collection(spec), int(fields["n"]), int(fields["seed"])
        k = split_mix(seed, n) % np.uint64(int(fields["count"]))
        values = double(fields["low"]) + k.astype(float) * double(fields["step"])
        source = random_bytes(seed, 300 * n)
        reports, codes = c._privatize_from(values, source), c._codes_from(values, source)
        assert fnv(reports.astype("<f8").tobytes()) == fields["reports"]
        assert fnv(codes.astype("<u4").tobytes()) == fields["cells"]
        assert (c.reports(codes) == reports).all()
        sums = bytes(c.aggregate(reports))
        assert len(sums) == int(fields["bytes"]) and c.aggregate(codes=codes).count == n
        assert fields["state"] == (sums.hex() if len(sums) <= 160 else fnv(sums))
        seen += 1
    assert seen == 151
