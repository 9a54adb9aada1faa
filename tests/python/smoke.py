"""The wheel in a Python without NumPy or anything else: what a list, an array and bytes can do."""

import array
import pickle
import sys

import podium

age = podium.Collection("minimax epsilon=1 range=1:120")
reports = age.privatize([42] * 20000, threads=2)
sums = age.aggregate(reports, threads=2)
estimate = sums.summary(quantiles=[0.5], bins=10)
assert estimate.lower < 42 < estimate.upper or abs(estimate.mean - 42) < 7 * estimate.standard_error
assert pickle.loads(pickle.dumps(sums)) == sums and podium.Aggregate.from_bytes(bytes(sums)) == sums
assert sums + sums - sums != 0 and sum([sums, sums]).count == 40000
codes = age.codes(array.array("d", [1.0, 2.0]))
assert codes.typecode == "B" and age.aggregate(codes=codes).count == 2
try:
    podium.Collection("minimax epsilon=-1 range=1:120")
except podium.PodiumError as error:
    assert "epsilon" in str(error)
else:
    raise AssertionError("a negative epsilon is accepted")
print("Python %d.%d: podium %s, %s" % (*sys.version_info[:2], podium.__version__, estimate))
