"""What holds for every input, tried on many (hypothesis). Random bytes come from the test, so that results can be equal
to the bit: however the values lie in memory, the reports are those of the same values in a plain array."""

import array
import copy
import functools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import podium
from common import SPECS, pa, pd, pl
from podium import Aggregate, Collection, PodiumError

COLLECTIONS = [Collection(spec) for spec in SPECS]
SOURCE = np.random.default_rng(7).bytes(300 * 512)
MECHANISMS = [row[0] for row in podium._core.mechanisms()]

numbers = st.floats() | st.integers() | st.booleans() | st.integers(-(10**400), 10**400)
dtypes = npst.floating_dtypes() | npst.integer_dtypes() | npst.unsigned_integer_dtypes() | npst.boolean_dtypes()
shapes = npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=8)
collections = st.sampled_from(COLLECTIONS)


@st.composite
def arrays(draw):
    """Any numbers in any layout: sliced, reversed, transposed, misaligned."""
    values = draw(npst.arrays(draw(dtypes), draw(shapes)))
    if draw(st.booleans()):
        values = np.frombuffer(b"x" + values.tobytes(), values.dtype, offset=1).reshape(values.shape)
    values = values.transpose(draw(st.permutations(range(values.ndim))))
    slices = [draw(st.sampled_from([slice(None), slice(None, None, -1), slice(1, None, 2)])) for _ in values.shape]
    return values[(*slices, ...)]


def reports_of(c, values):
    """The reports of the same values in a plain array of doubles."""
    with np.errstate(all="ignore"):
        plain = np.array(values, dtype=np.float64, order="C").reshape(-1)
    return c._privatize_from(plain, SOURCE, "middle")


def same(ours, theirs):
    return np.array_equal(np.asarray(ours, float).reshape(-1), theirs)


# ---- Whatever the layout ----


@given(collections, arrays())
def test_numpy_in_any_layout(c, values):
    expected = reports_of(c, values)
    reports = c._privatize_from(values, SOURCE, "middle")
    assert reports.shape == values.shape and reports.dtype == np.float64 and same(reports, expected)
    assert same(c.reports(c._codes_from(values, SOURCE)), expected)


@given(collections, arrays(), st.integers(0, 2))
def test_out_in_any_layout(c, values, layout):
    out = [np.zeros(values.shape), np.zeros(values.shape[::-1]).T, np.zeros((*values.shape, 2))[..., 0]][layout]
    assert c._privatize(values, out, "middle", 1, SOURCE) is out and same(out, reports_of(c, values))


@given(collections, arrays())
def test_buffers_in_any_layout(c, values):
    if values.dtype.itemsize > 8:
        return  # Python's buffers have no long double
    reports = c._privatize_from(memoryview(values), SOURCE, "middle")
    assert same(reports, reports_of(c, values)) and (values.size == 0 or reports.shape == values.shape)


@given(collections, st.lists(numbers, max_size=40))
def test_lists_of_any_numbers(c, values):
    expected = reports_of(c, [x if isinstance(x, float) else max(-1e308, min(1e308, x)) for x in values])
    assert c._privatize_from(values, SOURCE, "middle") == expected.tolist()
    assert c._privatize_from(tuple(values), SOURCE, "middle") == expected.tolist()
    nested = [values[:3], [values[3:]]]
    reports = c._privatize_from(nested, SOURCE, "middle")
    assert reports == [expected[:3].tolist(), [expected[3:].tolist()]]


@given(collections, npst.arrays(np.float64, st.integers(0, 40)), st.integers(0, 3))
def test_columns_of_data_frames(c, values, chunks):
    expected = reports_of(c, values)
    parts = np.array_split(values, chunks + 1)
    columns = [array.array("d", values)]
    if pd:
        columns += [pd.Series(values), pd.Series(pd.arrays.FloatingArray(values, np.zeros(len(values), bool)))]
    if pl:
        columns += [pl.Series(values), pl.concat([pl.Series(part) for part in parts], rechunk=False)]
    if pa:
        columns += [pa.array(values), pa.chunked_array(parts, pa.float64())]
    for column in columns:
        reports = c._privatize_from(column, SOURCE, "middle")
        assert type(reports) is type(column) and same(np.array(reports, float), expected)


# ---- What is not a value ----


@given(collections, npst.arrays(np.float64, st.integers(1, 40)))
def test_policies_for_nan(c, values):
    is_nan = np.isnan(values)
    expected = reports_of(c, values)
    assert not np.isnan(expected).any()
    kept = c._privatize_from(values, SOURCE, "keep")
    assert np.array_equal(kept, np.where(is_nan, np.nan, expected), equal_nan=True)
    if is_nan.any():
        for call in (c.privatize, c.codes):
            with pytest.raises(PodiumError, match="a value is NaN"):
                call(values)
    else:
        assert same(c._privatize_from(values, SOURCE, "error"), expected)


@given(collections, st.lists(st.none() | st.floats(allow_nan=False), max_size=30))
def test_missing_values_stay_missing_in_every_column(c, values):
    gone = [value is None for value in values]
    plain = [0.0 if value is None else value for value in values]
    present = reports_of(c, plain)[~np.array(gone, bool)]
    columns = [
        (values, lambda made: [item is None for item in made]),
        (np.ma.MaskedArray(plain, mask=gone), lambda made: np.ma.getmaskarray(made).tolist()),
    ]
    if pd:
        columns.append((pd.Series(values, dtype="Float64"), lambda made: made.isna().tolist()))
    if pd and pa:
        columns.append((pd.array(values, dtype="double[pyarrow]"), lambda made: made.isna().tolist()))
    if pl:
        columns.append((pl.Series(values, dtype=pl.Float64), lambda made: made.is_null().to_list()))
    if pa:
        columns.append((pa.array(values, pa.float64()), lambda made: made.is_null().to_pylist()))
    for column, is_missing in columns:
        reports, codes = c._privatize_from(column, SOURCE), c._codes_from(column, SOURCE)
        assert is_missing(reports) == is_missing(codes) == is_missing(c.reports(codes)) == gone
        sums = c.aggregate(reports)
        assert sums == c.aggregate(present) and sums.count == len(present) and sums.refused == 0
        assert c.aggregate(codes=codes).count == len(present)
        out = np.zeros(len(values))
        c.privatize(column, out=out)
        assert np.isnan(out).tolist() == gone


# ---- Aggregates ----


@given(collections, st.lists(arrays(), min_size=1, max_size=6), st.randoms(use_true_random=False), st.integers(1, 4))
def test_merges_in_any_order_are_the_same_bytes(c, groups, random, threads):
    reports = [c.privatize(group, nan="middle").reshape(-1) for group in groups]
    whole = c.aggregate(np.concatenate(reports), threads=threads)
    parts = [c.aggregate(r) for r in reports]
    random.shuffle(parts)
    while len(parts) > 1:  # as a tree of any shape
        merged = parts.pop(random.randrange(len(parts))) + parts.pop(random.randrange(len(parts)))
        parts.insert(random.randrange(len(parts) + 1), merged)
    assert parts[0] == whole and bytes(parts[0]) == bytes(whole) and hash(parts[0]) == hash(whole)


@given(collections, st.lists(st.floats(), max_size=50), st.lists(st.floats(), max_size=50))
def test_subtracting_undoes_merging(c, one, other):
    a, b = (c.aggregate(c.privatize(values, nan="middle") + values[:3]) for values in (one, other))
    rest = a + b - b
    assert (rest.count, rest.refused) == (a.count, a.refused)
    ours, theirs = rest.summary(check=False), a.summary(check=False)
    assert repr((ours.mean, ours.variance)) == repr((theirs.mean, theirs.variance))


@given(collections, st.lists(st.floats(), max_size=50))
def test_round_trips_of_aggregates(c, values):
    sums = c.aggregate(c.privatize(values, nan="middle") + values)
    encoded = bytes(sums)
    for again in (
        Aggregate.from_bytes(encoded),
        Aggregate.from_bytes(bytearray(encoded)),
        Aggregate.from_bytes(memoryview(encoded + encoded)[: len(encoded)]),
        Aggregate.from_bytes(sums.text()),
        Aggregate.from_bytes(sums.text().encode() + b"\n"),
        copy.copy(sums),
        copy.deepcopy(sums),
        *(pickle.loads(pickle.dumps(sums, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)),
    ):
        assert again == sums and bytes(again) == encoded and again.collection == c


@given(collections, st.binary(max_size=300), st.integers(0, 2000), st.integers(0, 255))
def test_bytes_that_are_no_aggregate(c, data, at, byte):
    encoded = bytearray(bytes(c.aggregate(c.privatize([1.0] * 20))))
    for wrong in (data, bytes(encoded[:40]) + data, encoded[:at] if at < len(encoded) else b""):
        with pytest.raises(PodiumError):
            Aggregate.from_bytes(bytes(wrong))
    encoded[at % len(encoded)] = byte
    try:  # One byte may leave an aggregate, which then is one: it encodes to those bytes.
        changed = Aggregate.from_bytes(bytes(encoded))
    except PodiumError:
        return
    assert bytes(changed) == bytes(encoded)


# ---- Collections and questions ----


@given(
    st.sampled_from(MECHANISMS),
    st.floats(1e-3, 20),
    st.floats(-1e9, 1e9),
    st.floats(1e-3, 1e9),
)
def test_round_trips_of_collections(mechanism, epsilon, low, width):
    try:
        c = Collection(epsilon=epsilon, range=(low, low + width), mechanism=mechanism)
    except PodiumError:
        return  # tuned Podium needs a spread
    for again in (Collection(c.spec), Collection(c.text("name")), pickle.loads(pickle.dumps(c)), eval(repr(c))):
        assert again == c and again.fingerprint == c.fingerprint and again.range == (low, low + width)
    assert c._privatize_from([low], SOURCE) == pickle.loads(pickle.dumps(c))._privatize_from([low], SOURCE)


@functools.lru_cache(maxsize=None)
def many(i):
    c = COLLECTIONS[i]
    return c.aggregate(c._privatize_from(np.linspace(*c.range, 500), SOURCE)), c


@given(
    st.integers(0, len(COLLECTIONS) - 1),
    st.floats(),
    st.sampled_from(["normal", "guaranteed", "anytime", "wald"]),
    st.booleans(),
    st.lists(st.floats(-0.5, 1.5), max_size=3),
    st.lists(st.floats(), max_size=3),
    st.integers(-2, 600),
    st.integers(-1, 2**70),
)
def test_any_question_has_an_answer_or_an_error(i, confidence, interval, population, quantiles, below, bins, dishonest):
    sums, c = many(i)
    options = {"quantiles": quantiles, "below": below, "bins": bins, "dishonest": dishonest, "check": False}
    is_fair = 0 < confidence < 1 and interval != "wald" and 0 <= bins <= 512 and dishonest >= 0
    if not is_fair or any(not 0 <= p <= 1 for p in quantiles):
        with pytest.raises(PodiumError):
            sums.summary(confidence, interval, population, **options)
        return
    s = sums.summary(confidence, interval, population, **options)
    assert s.mean == sums.summary(check=False).mean and (math.isnan(s.lower) or s.lower <= s.mean <= s.upper)
    assert [q.p for q in s.quantiles] == quantiles and len(s.bins) == bins and len(s.below) == len(below)
    known = [q.value for q in sorted(s.quantiles) if not math.isnan(q.value)]  # sorted by probability
    assert known == sorted(known) and all(c.range[0] <= value <= c.range[1] for value in known)
