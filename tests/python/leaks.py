"""Does memory stay as it is over a million calls of every kind, also of those that fail?

  leaks.py [CALLS]

After some calls of a kind, many more of it must not leave memory that C's heap or Python's has in use, nor references
to what was passed. How much is in use is counted, not measured, so that one object for every tenth call would show.
"""

import array
import ctypes
import gc
import math
import pickle
import sys

import podium

try:
    import numpy as np
except ImportError:
    np = None

AGE = podium.Collection("minimax epsilon=1 range=1:120")
OTHER = podium.Collection("podium epsilon=1 range=1:120")
VALUES, NANS, OUT = (array.array("d", [x] * 10) for x in (42.0, float("nan"), 0.0))
ITEMS = [42.0, None, 3] * 3
REPORTS = AGE.privatize(VALUES)
CODES = AGE.codes(VALUES)
SUMS = AGE.aggregate(REPORTS)
BYTES = bytes(SUMS)
PICKLE = pickle.dumps((AGE, SUMS))
SPEC = "laplace epsilon=1 range=0:1"
MEMORY = np.arange(20.0).reshape(4, 5)[:, ::2] if np else None
# References to these are counted, and whatever leaks a reference leaks one to one of them or allocates something.
KEPT = (VALUES, NANS, OUT, ITEMS, REPORTS, CODES, SUMS, BYTES, AGE, MEMORY, AGE._handle, OTHER._handle, SUMS._handle)
KEPT += (podium.PodiumError, podium._core, podium.Aggregate, podium.Collection, None, True, False)


class Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks".split()
    ]
    _fields_ += [(name, ctypes.c_size_t) for name in ("fordblks", "keepcost")]


def heap():
    """How many bytes malloc has given away."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Mallinfo
    info = mallinfo()
    return info.uordblks + info.hblkhd


def refused(call, *arguments, **options):
    def attempt():
        try:
            call(*arguments, **options)
        except (ValueError, TypeError):
            return
        raise AssertionError("a call that must fail does not")

    return attempt


# What is called, and how often it is for each thousand calls of the first: some take milliseconds.
KINDS = {
    "one value": (lambda: AGE.privatize(42.0), 1000),
    "an array": (lambda: AGE.privatize(VALUES), 1000),
    "out": (lambda: AGE.privatize(VALUES, out=OUT), 1000),
    "keep": (lambda: AGE.privatize(NANS, nan="keep"), 1000),
    "a list": (lambda: AGE.privatize(ITEMS), 500),
    "codes": (lambda: AGE.codes(VALUES), 1000),
    "codes of a list": (lambda: AGE.codes(ITEMS), 500),
    "reports": (lambda: AGE.reports(CODES), 1000),
    "aggregate": (lambda: AGE.aggregate(REPORTS), 500),
    "aggregate codes": (lambda: AGE.aggregate(codes=CODES), 500),
    "merge": (lambda: SUMS + SUMS, 500),
    "subtract": (lambda: SUMS - SUMS, 500),
    "equal": (lambda: SUMS == SUMS, 500),
    "counts": (lambda: (SUMS.count, SUMS.refused), 500),
    "check": (lambda: SUMS.check(), 500),
    "bytes": (lambda: podium.Aggregate.from_bytes(bytes(SUMS)), 300),
    "text": (lambda: podium.Aggregate.from_bytes(SUMS.text()), 300),
    "pickle": (lambda: pickle.loads(PICKLE), 300),
    "summary": (lambda: SUMS.summary(check=False), 500),
    "shape": (lambda: SUMS.summary(quantiles=[0.5], below=[9], bins=5, check=False), 1),
    "difference": (lambda: podium.difference(SUMS, SUMS), 300),
    "adjust": (lambda: podium.adjust([0.01, 0.02]), 300),
    "collection": (lambda: podium.Collection(SPEC), 200),
    "keywords": (lambda: podium.Collection(epsilon=1, range=(0, 1), mechanism="duchi"), 200),
    "collection text": (lambda: podium.Collection(AGE.text("age")), 2),
    "facts": (lambda: (AGE.variance(3), podium._core.facts(AGE._handle), podium._core.mechanisms()), 200),
    "plan": (lambda: podium.plan(AGE, people=1000), 200),
    "plan epsilon": (lambda: podium.plan(OTHER, people=1000, within=5), 2),
    "plan a quantile": (lambda: podium.plan(AGE, people=100_000, quantile=0.5), 1),
    "explain": (lambda: podium.explain(OTHER), 20),
    "NaN": (refused(AGE.privatize, NANS), 500),
    "a NaN": (refused(AGE.privatize, float("nan")), 500),
    "out of another length": (refused(AGE.privatize, VALUES, out=CODES), 300),
    "core: lengths": (refused(podium._core.privatize, AGE._handle, OUT, bytes(8), 0, None), 500),
    "core: not a buffer": (refused(podium._core.privatize, AGE._handle, OUT, 5, 0, None), 500),
    "core: not whole items": (refused(podium._core.privatize, AGE._handle, OUT, bytes(81), 0, None), 500),
    "core: read only": (refused(podium._core.privatize, AGE._handle, bytes(80), VALUES, 0, None), 500),
    "core: too few random bytes": (refused(podium._core.privatize, AGE._handle, OUT, VALUES, 1, b"123"), 500),
    "core: codes": (refused(podium._core.codes, AGE._handle, OUT, VALUES, 3, None), 500),
    "core: another capsule": (refused(podium._core.facts, SUMS._handle), 500),
    "core: wrong arguments": (refused(podium._core.privatize, 1, 2), 500),
    "no number": (refused(AGE.privatize, ["a"]), 300),
    "no code": (refused(AGE.reports, [300]), 300),
    "no spec": (refused(podium.Collection, "minmax epsilon=1 range=0:1"), 300),
    "no text": (refused(podium.Collection, "a = 1\nb = 2"), 300),
    "no bytes": (refused(podium.Aggregate.from_bytes, BYTES[:-1]), 300),
    "two collections": (refused(lambda: SUMS + OTHER.aggregate()), 300),
    "no question": (refused(SUMS.summary, confidence=2, check=False), 300),
    "no interval": (refused(SUMS.summary, interval="wald", check=False), 300),
    "no p-value": (refused(podium.adjust, [2]), 300),
    "not reports": (refused(AGE.aggregate(VALUES).check), 300),
}
if np:
    KINDS["NumPy"] = (lambda: AGE.privatize(MEMORY), 300)


def repeat(call, n):
    for _ in range(n):
        call()


def left_by(call, n):
    """What n calls leave: bytes of the heap, blocks of Python's memory, and references."""
    repeat(call, n // 10 + 5)
    gc.collect()
    before, blocks, references = heap(), sys.getallocatedblocks(), list(map(sys.getrefcount, KEPT))
    repeat(call, n)
    gc.collect()
    grown = max(map(lambda a, b: a - b, map(sys.getrefcount, KEPT), references))
    return heap() - before, sys.getallocatedblocks() - blocks, grown


def leak_of(call, n):
    """What is wrong, or nothing. Caches and free lists may grow once, but a leak grows again with the same calls."""
    for _ in range(3):
        heap_bytes, objects, references = left_by(call, n)
        if heap_bytes <= 20_000 + n and objects <= 100 + n // 10 and references <= 10 + n // 10:
            return ""
    return f"{n} calls leave {heap_bytes} bytes, {objects} objects, {references} references"


def main():
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    share = calls / sum(weight for _, weight in KINDS.values())
    done, leaks = 0, []
    for name, (call, weight) in KINDS.items():
        n = max(20, math.ceil(share * weight))
        done += n
        found = leak_of(call, n)
        leaks += [f"{name}: {found}"] if found else []
        if sys.stderr.isatty():
            print(f"\r{done:9d} calls, {name:30}", end="", file=sys.stderr)
    if leaks:
        sys.exit("\n".join(["leaks.py: memory grows", *leaks]))
    print(f"leaks: {done} calls of {len(KINDS)} kinds leave nothing")


main()
