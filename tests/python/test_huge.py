"""Arrays of more than 2^32 bytes, and of more than 2^32 items. They are zeros that the system has not made yet, so only
what is written takes memory: 0.6 GB."""

import numpy as np
import pytest

from podium import Collection

SHARP = Collection("duchi epsilon=50 range=0:1000")
N = 2**29 + 5


@pytest.fixture(scope="module")
def values():
    made = np.zeros(N)
    made[[2**28, -1]] = 1000.0
    return made


@pytest.mark.parametrize("threads", [1, 2])
def test_codes_of_many_bytes(values, threads):
    codes = SHARP.codes(values, threads=threads)
    assert codes.shape == (N,)
    high = SHARP.reports(codes[[0, 2**28 - 1, 2**28, 2**28 + 1, -2, -1]]) > 500
    assert high.tolist() == [False, False, True, False, False, True]
    assert SHARP.aggregate(codes=codes, threads=threads).count == N


def test_nan_behind_many_bytes(values):
    values[-2] = np.nan
    with pytest.raises(ValueError, match="a value is NaN"):
        SHARP.codes(values)
    values[-2] = 0.0


def test_reports_of_many_bytes(values):
    sums = SHARP.aggregate(values, threads=2)
    assert sums.count + sums.refused == N


def test_codes_of_many_items():
    n = 2**32 + 5
    assert SHARP.aggregate(codes=np.zeros(n, np.uint8), threads=2).count == n
