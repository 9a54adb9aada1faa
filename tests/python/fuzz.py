"""Looks for bytes that break what reads bytes: aggregates, specs, pickles (atheris, which is libFuzzer for Python).

  fuzz.py TARGET DIRECTORY [LIBFUZZER-OPTION...]

The corpus is in DIRECTORY/TARGET, and starts with a few seeds. Whatever is read must be a PodiumError or what was
meant; any other exception, a crash or a hang ends the run, and leaves the input in DIRECTORY.
"""

import io
import pickle
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["podium"]):
    import podium
    from podium import Aggregate, Collection, PodiumError
    from podium import _collection as module

SPECS = [
    "minimax epsilon=1 range=1:120 cells=16",
    "podium epsilon=0.1 range=-1e9:1e9",
    "podium-tuned epsilon=4 range=0:1 spread=0.01",
    "laplace epsilon=50 range=0:0.001",
    "duchi epsilon=1e-6 range=0:1",
]


def states():
    for spec in SPECS:
        c = Collection(spec)
        values = [c.range[0]] * 300
        yield c, c.aggregate(c.privatize(values) + values)
        yield c, c.aggregate()


# ---- What reads ----


def read_aggregate(data):
    try:
        sums = Aggregate.from_bytes(data)
    except PodiumError:
        return
    assert Aggregate.from_bytes(bytes(sums)) == Aggregate.from_bytes(sums.text()) == sums
    assert (sums + sums).count == 2 * sums.count and (sums - sums).count == 0
    sums.summary(check=False)


def read_spec(data):
    try:
        c = Collection(data.decode("utf-8", "surrogateescape"))
    except (PodiumError, UnicodeEncodeError):
        return
    assert Collection(c.spec) == Collection(c.text()) == c
    low, high = c.support
    assert low <= c.privatize(c.range[0]) <= high


def from_bytes_of(owner, name):
    """All that a pickle of ours asks of getattr."""
    assert (owner, name) == (Aggregate, "from_bytes"), "a pickle asks for something else"
    return Aggregate.from_bytes


class Unpickler(pickle._Unpickler):
    """Finds what our pickles have in them, because any other pickle may run anything. It is the one in Python, because
    the one in C allocates whatever memory a broken pickle asks for."""

    known = {
        ("builtins", "getattr"): from_bytes_of,
        (module.__name__, "Aggregate"): Aggregate,
        (module.__name__, "_collection"): module._collection,
    }

    def find_class(self, owner, name):
        return self.known[owner, name]


def read_pickle(data):
    try:
        state = Unpickler(io.BytesIO(data)).load()
    except Exception as error:
        assert not isinstance(error, SystemError), "Python is confused"
        return
    if isinstance(state, (Aggregate, Collection)):
        assert pickle.loads(pickle.dumps(state)) == state


# ---- Where to begin ----


def aggregate_seeds():
    return [seed for _, sums in states() for seed in (bytes(sums), sums.text().encode())]


def spec_seeds():
    return [text.encode() for c, _ in states() for text in (c.spec, c.text("name"))]


def pickle_seeds():
    return [pickle.dumps(state, protocol) for pair in states() for state in pair for protocol in (0, 2, 5)]


TARGETS = {
    "aggregate": (read_aggregate, aggregate_seeds),
    "spec": (read_spec, spec_seeds),
    "pickle": (read_pickle, pickle_seeds),
}


def main():
    target, directory, options = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    read, seeds = TARGETS[target]
    corpus = directory / target
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds()):
        read(seed)  # a seed that is refused would be a mistake of ours, and a slow start
        (corpus / f"seed-{number}").write_bytes(seed)
    print(f"fuzz: {target}, podium {podium.__version__}", flush=True)
    atheris.Setup([sys.argv[0], f"-artifact_prefix={directory}/", *options, str(corpus)], read)
    atheris.Fuzz()


main()
