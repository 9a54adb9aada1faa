"""The package beside the program and the test vectors, and what people may pass to it.

The reports are drawn from the system's random bits, so assertions about them have wide margins: a correct package fails
one of them with a probability below 1e-8 in all. What can be exact uses the test vectors.
"""

import array
import copy
import ctypes
import dataclasses
import decimal
import fractions
import importlib.metadata
import math
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import podium
from common import AGE, SOURCE, SPECS, is_report, needs_program, pa, pd, pl, run
from podium import Aggregate, Collection, PodiumError
from podium._columns import read

# ---- Collections ----


def test_version_is_that_of_the_header():
    header = Path(SOURCE, "include/podium.h").read_text()
    version = ".".join(re.findall(r"#define PODIUM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
    assert podium.__version__ == version


def test_version_of_the_wheel():
    try:
        version = importlib.metadata.version("podium-privacy")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("this is not a wheel")
    assert podium.__version__ == version


@pytest.mark.parametrize("spec", SPECS)
def test_repr_is_the_spec_and_reads_back(spec):
    c = Collection(spec)
    assert repr(c) == f"Collection({spec!r})" and str(c) == spec
    assert eval(repr(c)) == c and hash(eval(repr(c))) == hash(c)
    assert Collection(c.text("name")) == c
    assert pickle.loads(pickle.dumps(c)) == c and copy.deepcopy(c) == c


def test_keywords_are_the_same_collection():
    assert Collection(epsilon=1, range=(1, 120), mechanism="minimax") == AGE
    assert Collection(epsilon=1, range=(1, 120)).spec == "podium epsilon=1 range=1:120"
    assert Collection(epsilon=1, range=(0, 1), mechanism="minimax", cells=16).cells <= 16
    assert Collection(epsilon=1, range=(0, 1), mechanism="podium-tuned", spread=0.05).spread == 0.05
    assert AGE.range == (1, 120) and AGE.epsilon == 1 and AGE.mechanism == "minimax" and AGE.code_bytes == 1


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"spec": "minmax epsilon=1 range=0:1"}, 'no mechanism is called "minmax"; it must be one of'),
        ({"spec": "minimax range=0:1"}, 'lacks "epsilon="'),
        ({"spec": "minimax epsilon=-1 range=0:1"}, "epsilon"),
        ({"epsilon": 1, "range": (0, 1), "mechanism": "gauss"}, 'no mechanism is called "gauss"'),
        ({"epsilon": 1, "range": (0, 1), "mechanism": "podium:3"}, "mechanism|parameter"),
        ({"epsilon": 1, "range": (1, 0)}, "min|range"),
        ({"epsilon": 1, "range": 5}, "two numbers"),
        ({"epsilon": 1}, "range="),
        ({"epsilon": 1, "range": (0, 1), "spread": 0.1}, "spread"),
        ({"epsilon": 1, "range": (0, 1), "mechanism": "auto", "objective": "best"}, "objective must be"),
        ({"epsilon": 1, "range": (0, 1), "mechanism": "auto", "cells": 9}, "leave out spread and cells"),
        ({"epsilon": 1, "range": (0, 1), "objective": "uniform"}, "mechanism='auto'"),
        ({"epsilon": 1, "range": (0, 1), "mechanism": "minimax", "cells": 2**32 + 16}, "cells must be from 2 to 65536"),
        ({"epsilon": 1, "range": (0, 1), "mechanism": "minimax", "cells": -1}, "cells must not be negative"),
        ({"spec": SPECS[0], "epsilon": 1}, "not both"),
        ({"spec": SPECS[0], "objective": "uniform"}, "not both"),
    ],
)
def test_wrong_collections_say_what_is_wrong(arguments, words):
    with pytest.raises(PodiumError, match=words):
        Collection(**arguments)
    assert issubclass(PodiumError, ValueError)


# ---- The same bytes as the library and the program ----


@needs_program
@pytest.mark.parametrize("spec", SPECS)
def test_aggregates_are_those_of_the_program(spec, tmp_path):
    c = Collection(spec)
    reports = c.privatize(np.linspace(*c.range, 5000))
    text = "\n".join(map(repr, reports.tolist())) + "\n"
    theirs = run("aggregate", "--collection", spec, "--header", "no", "--force", data=text.encode())
    ours = c.aggregate(reports)
    assert Aggregate.from_bytes(theirs) == ours
    assert theirs.decode().strip() == ours.text()
    ours.write(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == theirs
    assert Aggregate.read(tmp_path / "ours") == ours


@needs_program
def test_summary_is_that_of_the_program(tmp_path):
    import json

    sums = AGE.aggregate(AGE.privatize(np.random.default_rng(1).normal(40, 10, 100_000)))
    sums.write(tmp_path / "sums")
    theirs = json.loads(
        run(
            "estimate",
            str(tmp_path / "sums"),
            "--format",
            "json",
            "--quantiles",
            "0.1,0.5",
            "--histogram",
            "8",
            "--interval",
            "guaranteed",
        )
    )
    theirs = theirs[0] if isinstance(theirs, list) else theirs
    ours = sums.summary(quantiles=[0.1, 0.5], bins=8, interval="guaranteed")
    assert theirs["mean"] == ours.mean and theirs["lower"] == ours.lower and theirs["upper"] == ours.upper
    assert [q["value"] for q in theirs["quantiles"]] == [q.value for q in ours.quantiles]
    assert [b["share"] for b in theirs["histogram"]] == [b.share for b in ours.bins]
    assert [b["lower"] for b in theirs["histogram"]] == [b.lower for b in ours.bins]


# ---- What may be passed ----


def test_what_goes_in_comes_out():
    assert isinstance(AGE.privatize(42), float) and isinstance(AGE.privatize(np.float32(4)), float)
    for number in (True, np.int8(3), decimal.Decimal("3.5"), fractions.Fraction(7, 2)):
        assert is_report(AGE, [AGE.privatize(number)])
    assert isinstance(AGE.privatize(10**400), float) and isinstance(AGE.privatize(-(10**400)), float)
    for values in ([1, 2.5, 3], (1, 2, 3), range(3), (x for x in (1, 2, 3)), [10**400, 2, 3], [True, np.int8(1), 3]):
        reports = AGE.privatize(values)
        assert isinstance(reports, list) and len(reports) == 3 and is_report(AGE, reports)
    doubles = array.array("d", [1, 2, 3])
    assert isinstance(AGE.privatize(doubles), array.array) and isinstance(AGE.codes(doubles), array.array)
    view = memoryview(bytes(48)).cast("d", (2, 3))
    assert AGE.privatize(view).shape == (2, 3) and AGE.codes(view).format == "B"
    assert is_report(AGE, AGE.privatize(array.array("i", [1, 2])))
    nested = AGE.privatize([[1, 2], (3, None), [[4]], 5])
    assert [type(item) for item in nested] == [list, list, list, float] and nested[1][1] is None
    assert len(nested[0]) == 2 and is_report(AGE, nested[2][0] + nested[0])
    assert isinstance(AGE.reports(3), float) and AGE.reports(3) == AGE.reports([3])[0]


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i1", "u1", "i8", "u8", "?", ">f8", ">i4", "<f8", "longdouble"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (3, 4), (2, 0, 3), (2, 3, 4)])
def test_numpy_of_every_dtype_and_shape(dtype, shape):
    values = np.ones(shape, dtype)
    reports = AGE.privatize(values)
    assert isinstance(reports, np.ndarray) and reports.dtype == np.float64 and reports.shape == shape
    assert is_report(AGE, reports)
    codes = AGE.codes(values)
    assert codes.dtype == np.uint8 and codes.shape == shape
    back = AGE.reports(codes)
    assert back.shape == shape and is_report(AGE, back)
    assert AGE.aggregate(codes=codes) == AGE.aggregate(back)
    assert AGE.aggregate(back).count == values.size


def test_codes_are_as_narrow_as_the_collection_allows():
    assert Collection(SPECS[4]).codes(np.zeros(3)).dtype == np.uint16
    assert Collection(SPECS[1]).codes(np.zeros(3)).dtype == np.uint32
    assert isinstance(AGE.codes(42), int)


@pytest.mark.parametrize(
    "spec",
    ["minimax epsilon=8 range=0:1000", "minimax epsilon=8 range=0:1000 cells=1000", "podium epsilon=8 range=0:1000"],
)
def test_codes_of_many_values_are_in_their_order(spec):
    c = Collection(spec)
    values = np.repeat([0.0, 1000.0, 0.0], 70_000)
    for threads in (1, 3):
        reports = c.reports(c.codes(values, threads=threads)).reshape(6, -1)
        assert (np.median(reports, axis=1) > 500).tolist() == [False, False, True, True, False, False]


def test_values_and_not_their_neighbours_are_read():
    """At epsilon 50 nearly all reports are close to their values, so a wrong stride or byte order would show."""
    sharp = Collection("podium epsilon=50 range=0:1000")
    truth = np.arange(1000.0)
    for values in (
        truth,
        truth[::-1],
        truth[::3],
        truth.reshape(10, 100).T,
        truth.astype(">f8"),
        truth.astype("i4"),
        np.asfortranarray(truth.reshape(10, 100)),
        np.frombuffer(b"x" + truth.tobytes(), "f8", offset=1),
    ):
        assert np.median(np.abs(sharp.privatize(values) - values)) < 5
    assert np.median(np.abs(np.array(sharp.privatize(truth.tolist())) - truth)) < 5
    assert np.median(np.abs(np.array(sharp.privatize(array.array("i", range(1000)))) - truth)) < 5
    numbers = (ctypes.c_double * 1000)(*range(1000))
    longs = (ctypes.c_long * 1000)(*range(1000))
    for buffer in (numbers, longs, memoryview(longs)):
        assert np.median(np.abs(np.array(sharp.privatize(buffer)) - truth)) < 5
    for dtype in (">f8", "<f8", "f2", ">i2", "u8", ">u4", "f4", "i8"):
        small = np.arange(1000.0).astype(dtype)
        for values in (small, small[::-7], small.reshape(10, 10, 10)[:, ::2].T):
            view = sharp.privatize(memoryview(values))
            assert view.shape == values.shape and np.median(np.abs(np.asarray(view) - values.astype(float))) < 5
    assert sharp.privatize(memoryview(np.array(500.0))).shape == ()
    assert sharp.privatize(memoryview(np.array([True, False]))).shape == (2,)


def test_values_are_not_changed_and_may_be_read_only():
    values = np.arange(10.0)
    values.flags.writeable = False
    AGE.privatize(values)
    assert (values == np.arange(10.0)).all()


def test_out():
    values = np.full((100, 3), 42.0)
    out = np.zeros((100, 3))
    assert AGE.privatize(values, out=out) is out and is_report(AGE, out)
    wide = np.zeros((100, 6))
    assert (
        AGE.privatize(values, out=wide[:, ::2]).base is wide
        and (wide[:, 1::2] == 0).all()
        and is_report(AGE, wide[:, ::2])
    )
    assert AGE.privatize(values, out=values) is values and is_report(AGE, values)
    for wrong, words in ((np.zeros(3), "shape"), (np.zeros((100, 3), "f4"), "float64"), (bytes(8), "float64")):
        with pytest.raises(PodiumError, match=words):
            AGE.privatize(values, out=wrong)
    with pytest.raises(TypeError, match="float64 array"):
        AGE.privatize(values, out=[0])
    both = np.full(200, 42.0)
    with pytest.raises(PodiumError, match="overlaps"):
        AGE.privatize(both[:150], out=both[50:])
    frozen = np.zeros(1)
    frozen.flags.writeable = False
    with pytest.raises(PodiumError, match="written"):
        AGE.privatize(np.ones(1), out=frozen)


class Quoting:
    """A number whose own error quotes it"""

    def __float__(self):
        raise RuntimeError("12345")


@pytest.mark.parametrize(
    "values",
    [
        "secret-12345",
        b"secret-12345",
        ["secret-12345"],
        [1, "secret-12345"],
        np.array(["secret-12345"]),
        np.array([1, "secret-12345"], object),
        np.array(["2020-01-01"], "M8[D]"),
        np.array([12345j]),
        [12345j],
        12345j,
        [np.array([12345.0, 12345.0])],
        [Quoting()],
        [10**400, "12345"],
        [decimal.Decimal("sNaN12345")],
        [[1.0], ["12345"]],
        None,
        {"a": object()},
        {12345: 1},
        object(),
        memoryview(b"12345").cast("c"),
    ],
)
def test_errors_do_not_quote_values(values):
    for call in (AGE.privatize, AGE.codes):
        with pytest.raises(TypeError, match="values must be numbers|real number") as caught:
            call(values)
        assert "12345" not in str(caught.value)
        assert caught.value.__cause__ is None and (
            caught.value.__suppress_context__ or caught.value.__context__ is None
        )


# ---- NaN ----


def test_nan_is_an_error_unless_the_caller_says_what_it_is():
    values = np.array([1.0, math.nan, 120.0])
    for call in (AGE.privatize, AGE.codes):
        with pytest.raises(PodiumError, match="NaN.*middle"):
            call(values)
        with pytest.raises(PodiumError, match="nan must be"):
            call(values, nan="ignore")
        with pytest.raises(PodiumError, match="NaN"):
            call(math.nan)
    assert np.isnan(AGE.privatize(values, nan="keep")).tolist() == [False, True, False]
    assert np.isnan(AGE.privatize(values, nan="keep", out=values)).tolist() == [False, True, False]
    assert is_report(AGE, AGE.privatize(np.array([math.nan]), nan="middle"))
    assert math.isnan(AGE.privatize(math.nan, nan="keep")) and is_report(AGE, AGE.privatize(math.nan, nan="middle"))
    with pytest.raises(PodiumError, match="room"):
        AGE.codes(values, nan="keep")
    assert AGE.codes([1.0, math.nan], nan="keep")[1] is None
    assert is_report(AGE, AGE.privatize([math.inf, -math.inf])) and is_report(
        AGE, AGE.privatize(np.full(99, -math.inf))
    )
    signalling = np.array([0x7FF0000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
    assert np.isnan(AGE.privatize(signalling, nan="keep")).all()
    for at in (0, 65535, 65536, 199_999):
        values = np.ones(200_000)
        values[at] = math.nan
        with pytest.raises(PodiumError, match="NaN"):
            AGE.privatize(values)
        assert np.flatnonzero(np.isnan(AGE.privatize(values, nan="keep"))).tolist() == [at]


def test_an_error_leaves_out_untouched():
    values, out = np.append(np.ones(200_000), math.nan), np.zeros(200_001)
    with pytest.raises(PodiumError):
        AGE.privatize(values, out=out, threads=2)
    assert (out == 0).all()
    with pytest.raises(PodiumError):
        AGE.privatize(values, out=values)
    assert (values[:-1] == 1).all()


def test_missing_values_get_no_report_in_out():
    masked = np.ma.MaskedArray([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
    for values, shape, gone in (
        ([1, None, 3], (3,), [1]),
        ([[1, 2], [None, None]], (4,), [2, 3]),
        (masked, (2, 2), [1]),
        *([(pa.array([None, 2.0]), (2,), [0])] if pa else []),
    ):
        out = np.zeros(shape)
        assert AGE.privatize(values, out=out) is out and np.flatnonzero(np.isnan(out)).tolist() == gone
        wide = np.zeros((*shape[:-1], 2 * shape[-1]))
        AGE.privatize(values, out=wide[..., ::2])
        assert np.flatnonzero(np.isnan(wide[..., ::2])).tolist() == gone and (wide[..., 1::2] == 0).all()
    doubles = array.array("d", [0, 0])
    assert AGE.privatize([None, 1], out=doubles) is doubles and math.isnan(doubles[0]) and not math.isnan(doubles[1])
    with pytest.raises(PodiumError, match="one value"):
        AGE.privatize(1.0, out=np.zeros(1))


def test_missing_values_stay_missing():
    reports = AGE.privatize([1, None, 3])
    assert reports[1] is None and AGE.codes([None, 2])[0] is None
    assert AGE.aggregate(reports).count == 2 and AGE.aggregate(reports).refused == 0
    masked = AGE.privatize(np.ma.MaskedArray([1.0, math.nan, 3.0], mask=[False, True, False]))
    assert masked.mask.tolist() == [False, True, False] and AGE.aggregate(masked).count == 2
    kept = AGE.privatize(np.array([1.0, math.nan]), nan="keep")
    assert (AGE.aggregate(kept).refused, AGE.aggregate(kept, nan="skip").refused) == (1, 0)


# ---- Data frames ----


@pytest.mark.skipif(pd is None, reason="no pandas")
def test_pandas():
    import podium.pandas  # noqa: F401

    arrow = ["double[pyarrow]", "int64[pyarrow]"] if pa else []
    for dtype in ["float64", "float32", "Float64", "int64", "Int64", "boolean", *arrow]:
        may_miss = dtype not in ("int64",)
        series = pd.Series(
            [1, None if may_miss and dtype != "float32" else 1, 1], dtype=dtype, index=[7, 8, 9], name="age"
        )
        reports = AGE.privatize(series)
        assert isinstance(reports, pd.Series) and reports.index.tolist() == [7, 8, 9] and reports.name == "age"
        assert reports.isna().tolist() == series.isna().tolist(), dtype
        assert is_report(AGE, reports.dropna().to_numpy(float))
        assert AGE.aggregate(reports).count == int(series.notna().sum()) and AGE.aggregate(reports).refused == 0
        codes = AGE.codes(series)
        assert codes.isna().tolist() == series.isna().tolist() and "int8" in str(codes.dtype).lower()
        assert AGE.reports(codes).isna().tolist() == series.isna().tolist()
        assert AGE.aggregate(codes=codes).count == int(series.notna().sum())
    frame = pd.DataFrame({"age": [42.0] * 1000})
    reports = frame["age"].podium.privatize(SPECS[0])
    assert reports.podium.aggregate(AGE) == AGE.aggregate(reports)
    assert frame["age"].podium.codes(AGE).dtype == "uint8"
    with pytest.raises(PodiumError, match="NaN"):
        AGE.privatize(pd.Series([math.nan]), nan="error")
    for wrong in (pd.Series(["12345"]), pd.Series(["12345"], dtype=object), pd.Series(["a"], dtype="category")):
        with pytest.raises(TypeError, match="not of the dtype"):
            AGE.privatize(wrong)
    with pytest.raises(TypeError, match="one column at a time"):
        AGE.privatize(frame)
    for dtype in ["Int64", *arrow]:
        values = pd.array([1, None], dtype=dtype)
        assert AGE.privatize(values).isna().tolist() == AGE.codes(values).isna().tolist() == [False, True]


@pytest.mark.skipif(pl is None, reason="no polars")
def test_polars():
    for dtype in (pl.Float64, pl.Int32, pl.UInt8, pl.Boolean):
        series = pl.Series("age", [1, None, 1]).cast(dtype)
        reports = AGE.privatize(series)
        assert (
            isinstance(reports, pl.Series)
            and reports.name == "age"
            and reports.is_null().to_list() == [False, True, False]
        )
        assert is_report(AGE, reports.drop_nulls().to_numpy())
        assert AGE.codes(series).dtype == pl.UInt8 and AGE.codes(series).null_count() == 1
        assert AGE.aggregate(reports).count == 2 and AGE.reports(AGE.codes(series)).null_count() == 1
    assert AGE.privatize(pl.Series([1.0, 2.0])).null_count() == 0
    with pytest.raises(PodiumError, match="NaN"):
        AGE.privatize(pl.Series([math.nan]))
    with pytest.raises(TypeError, match="not of the dtype"):
        AGE.privatize(pl.Series(["12345"]))


@pytest.mark.skipif(pa is None, reason="no pyarrow")
def test_pyarrow():
    for kind in (pa.float64(), pa.int16(), pa.uint64()):
        column = pa.array([1, None, 1], kind)
        reports = AGE.privatize(column)
        assert reports.type == pa.float64() and reports.is_null().to_pylist() == [False, True, False]
        assert AGE.aggregate(reports).count == 2 and AGE.codes(column).null_count == 1
        chunked = AGE.privatize(pa.chunked_array([column, column]))
        assert isinstance(chunked, pa.ChunkedArray) and chunked.null_count == 2 and len(chunked) == 6
    sharp = Collection("podium epsilon=50 range=0:1000")
    sliced = pa.array(np.arange(1000.0)).slice(100, 50)
    assert np.median(np.abs(sharp.privatize(sliced).to_numpy() - np.arange(100.0, 150))) < 5
    assert len(AGE.privatize(pa.chunked_array([], pa.float64()))) == 0
    with pytest.raises(TypeError, match="not of the type"):
        AGE.privatize(pa.array(["12345"]))


def address(values):
    """Where the values are that the C module is to read."""
    return np.asarray(read(values).data).__array_interface__["data"][0]


def test_float64_arrays_are_not_copied():
    values = np.arange(1000.0)

    class Dlpack:
        def __dlpack__(self, **options):
            return values.__dlpack__(**options)

        def __dlpack_device__(self):
            return values.__dlpack_device__()

    class Array:
        __array_interface__ = values.__array_interface__

    for same in (values, memoryview(values), values.reshape(10, 100), Dlpack(), Array()):
        assert address(same) == values.ctypes.data
    doubles = array.array("d", values)
    assert address(doubles) == doubles.buffer_info()[0]


@pytest.mark.skipif(pd is None, reason="no pandas")
def test_float64_columns_of_pandas_are_not_copied():
    series, masked = pd.Series(np.arange(1000.0)), pd.array(np.arange(1000.0), dtype="Float64")
    assert address(series) == series.to_numpy().ctypes.data
    for same in (masked, pd.Series(masked, copy=False)):
        assert address(same) == masked.to_numpy("float64", copy=False).ctypes.data


@pytest.mark.skipif(not (pd and pl and pa), reason="no pandas, polars or pyarrow")
def test_float64_columns_of_arrow_are_not_copied():
    arrow = pa.array(np.arange(1000.0))
    for same in (arrow, pa.chunked_array([arrow]), pd.Series(pd.arrays.ArrowExtensionArray(arrow))):
        assert address(same) == arrow.buffers()[1].address
    assert address(arrow.slice(100)) == arrow.buffers()[1].address + 800
    polars = pl.Series(np.arange(1000.0))
    assert address(polars) == polars.to_numpy(allow_copy=False).ctypes.data


def test_dlpack_and_array_protocol():
    class Dlpack:
        def __dlpack__(self, **options):
            return np.arange(3.0).__dlpack__(**options)

        def __dlpack_device__(self):
            return np.arange(3.0).__dlpack_device__()

    class Array:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    for values in (Dlpack(), Array()):
        assert AGE.privatize(values).shape == (3,)


# ---- Aggregates ----


def test_aggregates_of_two_collections_do_not_mix():
    a, b = AGE.aggregate([]), Collection(SPECS[1]).aggregate([])
    for mix in (lambda: a + b, lambda: a - b, lambda: podium.difference(a, b)):
        with pytest.raises(PodiumError, match='different specs, "minimax .*" and "podium '):
            mix()
    assert a != b and a != 0 and AGE.aggregate() == a
    least, most = (AGE.aggregate([report] * 9) for report in AGE.support)
    assert least != most and least.count == most.count == 9 and hash(least) != hash(most)
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(TypeError, match="Collection.aggregate"):
        Aggregate()
    with pytest.raises(PodiumError):
        a - AGE.aggregate(AGE.privatize([1.0]))
    with pytest.raises(PodiumError, match="code"):
        AGE.reports(np.array([256], np.uint16))
    for wrong in ([-1], [0.5], [2**32]):
        with pytest.raises(PodiumError, match="code"):
            AGE.reports(wrong)


# ---- Answers ----


def test_summary():
    sums = AGE.aggregate(AGE.privatize(np.full(200_000, 42.0)))
    s = sums.summary(0.9, "anytime", True, quantiles=[0.1, 0.5], bins=10, below=[50], dishonest=3)
    assert (s.confidence, s.interval, s.about, s.count) == (0.9, "anytime", "population", 200_000)
    assert s.lower < s.mean < s.upper and abs(s.mean - 42) < 7 * s.standard_error and s.influence > 0
    assert [q.p for q in s.quantiles] == [0.1, 0.5] and len(s.bins) == 10 and s.below[0].x == 50
    assert abs(sum(b.share for b in s.bins) - 1) < 1e-9
    assert s.to_frame().loc[0, "mean"] == s.mean and list(s.to_frame("bins").columns) == list(podium.Bin._fields)
    assert len(s.to_frame("quantiles")) == 2 and "<table>" in s._repr_html_() and "quantile 0.1" in s._repr_html_()
    assert "mean 4" in str(s) and repr(dataclasses.astuple(pickle.loads(pickle.dumps(s)))) == repr(
        dataclasses.astuple(s)
    )
    assert sums.summary().quantiles == () and sums.summary(quantiles=[0.5]).bins == ()


def test_summary_of_few_reports_says_why_it_is_silent():
    empty = AGE.aggregate().summary(quantiles=[0.5], bins=4)
    assert math.isnan(empty.mean) and empty.withheld["mean"] and "no mean" in str(empty)
    two = Collection(SPECS[2])
    silent = two.aggregate(two.privatize(np.zeros(1000))).summary(bins=4)
    assert math.isnan(silent.variance) and silent.withheld["spread"] and silent.withheld["distribution"]
    some = AGE.aggregate(AGE.privatize(np.full(1000, 42.0)))
    gone = (some - AGE.aggregate()).summary(interval="anytime")
    rest = (some + some - some).summary(interval="anytime", check=False)
    assert not gone.withheld.get("interval") and rest.withheld["interval"] and "no interval" in str(rest)


def test_wrong_questions():
    sums = AGE.aggregate(AGE.privatize(np.full(1000, 42.0)))
    for options, words in (
        ({"confidence": 0}, "between 0 and 1"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"interval": "wald"}, '"normal", "guaranteed" or "anytime"'),
        ({"quantiles": [50]}, "0 to 1"),
        ({"bins": 1000}, "from 1 to 512"),
        ({"bins": 2**32 + 5}, "from 1 to 512"),
        ({"bins": -1}, "bins must not be negative"),
        ({"dishonest": -1}, "dishonest must not be negative"),
    ):
        with pytest.raises(PodiumError, match=words):
            sums.summary(**options)
    with pytest.raises(TypeError, match="bins must be a whole number, not float"):
        sums.summary(bins=2.5)
    assert len(sums.summary(bins=np.int64(5)).bins) == 5
    with pytest.raises(PodiumError, match="cannot be reports"):
        AGE.aggregate(np.full(1000, 42.0)).summary()
    assert AGE.aggregate(np.full(1000, 42.0)).summary(check=False).refused == 1000


def test_plot(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    sums = AGE.aggregate(AGE.privatize(np.random.default_rng(2).normal(40, 10, 100_000)))
    for bins in (0, 20):
        ax = sums.summary(bins=bins).plot()
        assert len(ax.patches) >= bins
        ax.figure.savefig(tmp_path / f"{bins}.png")


def cells_of(summary):
    """The rows of the table that a notebook shows"""
    rows = re.findall("<tr>(.*?)</tr>", summary._repr_html_())
    return [re.findall("<t[hd]>(.*?)</t[hd]>", row) for row in rows]


def test_table_shows_the_digits_that_the_error_leaves():
    sums = AGE.aggregate(AGE.privatize(np.full(200_000, 42.0)))
    head, reports, mean, error, *rest = cells_of(sums.summary(0.9, quantiles=[0.5], below=[50], dishonest=3))
    assert head == ["", "estimate", "90% limits"] and reports == ["reports", "200,000", ""]
    assert re.fullmatch(r"\d+\.\d\d", mean[1]) and mean[2].endswith("(normal, these people)")
    assert re.fullmatch(r"0\.\d\d", error[1])
    assert [row[0] for row in rest][1:] == ["influence of dishonest reports", "quantile 0.5", "share below 50"]
    assert rest[-1][1].endswith("%")


def test_table_says_why_something_is_unknown():
    two = Collection(SPECS[2])
    rows = cells_of(two.aggregate(two.privatize(np.zeros(1000))).summary(bins=4, quantiles=[0.5]))
    reason = "reports of this collection tell the mean alone"
    assert ["standard deviation", "unknown", reason] in rows and ["distribution", "unknown", reason] in rows
    assert "nan" not in str(cells_of(AGE.aggregate().summary(quantiles=[0.5], bins=4)))
    assert ["refused", "1", "they cannot be reports of this collection"] in cells_of(
        AGE.aggregate([42.0]).summary(check=False)
    )


def test_plot_of_what_is_unknown():
    pytest.importorskip("matplotlib").use("Agg")
    for sums in (AGE.aggregate(), AGE.aggregate(AGE.privatize([42.0, 17.0]))):
        ax = sums.summary(bins=4, check=False).plot()
        assert "too few reports" in [text.get_text() for text in ax.texts]
        assert bool(ax.lines) == (sums.count > 0)


def test_summary_of_a_series_of_aggregates():
    pandas = pytest.importorskip("pandas")
    import podium.pandas  # noqa: F401

    reports = pandas.Series(AGE.privatize(np.full(3000, 42.0)))
    sums = reports.groupby(["morning", "noon", "night"] * 1000).agg(AGE.aggregate)
    table = sums.podium.summary(0.9, interval="guaranteed")
    assert list(table.index) == ["morning", "night", "noon"] and (table["confidence"] == 0.9).all()
    assert table.loc["noon", "upper"] == sums["noon"].summary(0.9, "guaranteed").upper


def test_answers_print_as_sentences():
    a = AGE.aggregate(AGE.privatize(np.full(9000, 42.0)))
    plan = podium.plan(AGE, people=5000)
    assert repr(plan) == "<Plan: 5000 people: mean within 3.69 (95%), minimax epsilon=1 range=1:120>"
    assert repr(podium.difference(a, a)).startswith("<Difference: difference 0.0, between -")
    assert repr(podium.explain(AGE)) == str(podium.explain(AGE))


def test_planning():
    needed = podium.plan(AGE, within=2)
    assert math.isclose(podium.plan(SPECS[0], people=needed.people).within, 2, rel_tol=1e-3)
    assert podium.plan(AGE, people=needed.people, within=2).collection.epsilon == pytest.approx(1, rel=0.01)
    assert podium.plan(AGE, people=100_000, quantile=0.5).within > 0
    assert podium.plan(AGE, people=100_000, bins=10).within > 0
    assert podium.plan(AGE, within=5, quantile=0.5).people > 100
    for options in ({}, {"people": 0}, {"within": -1}, {"people": 9, "quantile": 0.5, "bins": 3}):
        with pytest.raises(PodiumError):
            podium.plan(AGE, **options)
    rows = podium.compare(epsilon=1, range=(1, 120))
    assert {row.mechanism for row in rows} >= {"podium", "minimax", "laplace"}
    assert [row.worst for row in rows if row.mechanism == "minimax"] == [pytest.approx(AGE.variance())]
    told = podium.explain(AGE)
    assert told.factor == pytest.approx(math.e) and "strong" in str(told) and told.examples[0].value == 1
    assert podium.adjust([0.01, math.nan, 0.03])[0] == 0.02
    with pytest.raises(PodiumError):
        podium.adjust([2])


def test_import_needs_no_numpy():
    code = (
        "import sys; sys.modules['numpy'] = None; import podium; c = podium.Collection('minimax epsilon=1 range=0:1');"
        "assert c.aggregate(c.privatize([0.5] * 10)).count == 10; assert not c.aggregate(codes=c.codes([1])).refused"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def module(*arguments, **options):
    command = [sys.executable, "-m", "podium", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@needs_program
def test_the_module_is_the_program(tmp_path):
    assert module().stdout == module("--help").stdout == run("--help").decode() and "Usage: podium" in module().stdout
    assert module("help", "plan").stdout == run("help", "plan").decode()
    done = module("privatize", "--collection", SPECS[0], "--column", "age", input="age\n42\n17\n")
    assert done.returncode == 0 and len(done.stdout.split()) == 3
    wrong = module("privatise")
    assert wrong.returncode == 2 and "no command is called 'privatise'" in wrong.stderr
