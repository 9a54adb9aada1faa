"""Collections and aggregates."""

from __future__ import annotations

import functools
import operator
import os
from array import array
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from numbers import Number
from typing import Any, Optional, TypeVar, Union, overload

from . import _core
from ._answers import Difference, Summary
from ._columns import TYPECODES, read, read_codes
from ._core import PodiumError

_POLICIES = {"error": 0, "keep": 1, "middle": 2}
_OBJECTIVES = {"worst": 0, "uniform": 1, "middle": 2, "distribution": 3}
_LEAST_PER_THREAD = 65536
_BINS_DEFAULT = 20
_Part = TypeVar("_Part")


def _policy(nan: str) -> int:
    if nan not in _POLICIES:
        raise PodiumError("nan must be 'error', 'keep' or 'middle'")
    return _POLICIES[nan]


def _count(name: str, number: Any, most: int = 2**32 - 1) -> int:
    """A whole number for C, which would drop the high bits of a larger one. The library refuses what is too large."""
    try:
        count = operator.index(number)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(number).__name__}") from None
    if count < 0:
        raise PodiumError(f"{name} must not be negative")
    return min(count, most)


def _in_threads(threads: int, n: int, work: Callable[[int, int], _Part]) -> list[_Part]:
    """What work(start, stop) returns for parts of range(n), at most one for each thread."""
    if _count("threads", threads) == 0:
        raise PodiumError("threads must be at least 1")
    parts = max(1, min(threads, n // _LEAST_PER_THREAD))
    edges = [n * i // parts for i in range(parts + 1)]
    if parts == 1:
        return [work(0, n)]
    with ThreadPoolExecutor(parts) as pool:
        return list(pool.map(work, edges[:-1], edges[1:]))


def _part(memory: Any, item: int, start: int, stop: int, n: int) -> Any:
    """Items start to stop of n; the whole memory needs no slice."""
    return memory if stop - start == n else memoryview(memory).cast("B")[start * item : stop * item]


class Collection:
    """What is asked: a mechanism, an epsilon, a range of values, and perhaps a parameter.

    It is public, and fixed before the first value is seen. The range must come from knowledge of the question and never
    from the data, because a range that is computed from the data reveals something about the data.

    >>> Collection("minimax epsilon=1 range=1:120")
    Collection('minimax epsilon=1 range=1:120')
    >>> Collection(epsilon=1, range=(1, 120), mechanism="minimax") == _
    True
    >>> Collection(epsilon=0.5, range=(0, 10), mechanism="auto").mechanism
    'minimax'

    Parameters
    ----------
    spec
        A line such as ``"minimax epsilon=1 range=1:120"``, or the text of a file that ``podium design`` wrote.
    epsilon, range, mechanism, spread, cells
        The same as keywords, instead of a line. Without a mechanism it is ``podium``; ``"auto"`` chooses the one with
        the least noise for the objective.
    objective
        What ``"auto"`` minimises: ``"worst"``, ``"uniform"``, ``"middle"`` or ``"distribution"``.
    """

    __slots__ = ("_handle", "_facts", "_spec", "_item", "__weakref__")

    def __init__(
        self,
        spec: Optional[str] = None,
        *,
        epsilon: Optional[float] = None,
        range: Optional[tuple[float, float]] = None,
        mechanism: Optional[str] = None,
        spread: float = 0.0,
        cells: int = 0,
        objective: str = "worst",
    ) -> None:
        if spec is not None:
            keywords = (epsilon, range, mechanism)
            if any(keyword is not None for keyword in keywords) or spread or cells or objective != "worst":
                raise PodiumError("give a spec or keywords, not both")
            if not isinstance(spec, str):
                raise TypeError(f"a spec must be a str, not {type(spec).__name__}")
            handle = _core.text_parse(spec) if "\n" in spec.strip() else _core.spec_parse(spec.strip())
        else:
            handle = _handle_from(epsilon, range, mechanism, spread, cells, objective)
        self._handle = handle
        self._facts: dict[str, Any] = _core.facts(handle)
        self._spec: str = _core.spec_line(handle)
        self._item = {1: 1, 2: 2, 3: 4, 4: 4}[self._facts["code_bytes"]]

    # ---- What it is ----

    @property
    def spec(self) -> str:
        """The line that names this collection in C, in the program, in SQL and here."""
        return self._spec

    @property
    def mechanism(self) -> str:
        """The name of the mechanism."""
        return str(self._facts["mechanism"])

    @property
    def epsilon(self) -> float:
        """How much a report may tell: less is more private."""
        return float(self._facts["epsilon"])

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest value. A value outside counts as the nearer end."""
        return float(self._facts["min"]), float(self._facts["max"])

    @property
    def spread(self) -> Optional[float]:
        """The mechanism's parameter of that name, if it has one."""
        return float(self._facts["spread"]) if self._facts["parameter"] == "spread" else None

    @property
    def cells(self) -> int:
        """How many different reports there are."""
        return int(self._facts["support"])

    @property
    def fingerprint(self) -> str:
        """A short text by which two sides can check that they mean the same collection."""
        return f"{self._facts['fingerprint']:016x}"

    @property
    def support(self) -> tuple[float, float]:
        """The least and the greatest report, often far outside the range.

        >>> low, high = Collection("minimax epsilon=1 range=1:120").support
        >>> low < 1 and high > 120
        True
        """
        return float(self._facts["least"]), float(self._facts["most"])

    @property
    def code_bytes(self) -> int:
        """How many bytes a code has when it is sent."""
        return int(self._facts["code_bytes"])

    def variance(self, x: Optional[float] = None) -> float:
        """The variance of the report of x; without x its maximum over the range.

        >>> age = Collection("minimax epsilon=1 range=1:120")
        >>> age.variance(60) <= age.variance()
        True
        """
        return float(self._facts["variance_most"]) if x is None else _core.variance(self._handle, x)

    def text(self, name: Optional[str] = None) -> str:
        """The lines of a collection file, as ``podium design`` writes them.

        >>> Collection(Collection("duchi epsilon=1 range=0:1").text("age"))
        Collection('duchi epsilon=1 range=0:1')
        """
        return _core.text(self._handle, name)

    def __repr__(self) -> str:
        return f"Collection({self._spec!r})"

    def __str__(self) -> str:
        return self._spec

    def __eq__(self, other: object) -> bool:
        return self._spec == other._spec if isinstance(other, Collection) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._spec)

    def __reduce__(self) -> tuple[Callable[[str], Collection], tuple[str]]:
        return _collection, (self._spec,)

    # ---- Privatising ----

    @overload
    def privatize(self, values: float, *, nan: Optional[str] = None, threads: int = 1) -> float: ...

    @overload
    def privatize(self, values: Any, *, out: Any = None, nan: Optional[str] = None, threads: int = 1) -> Any: ...

    def privatize(self, values: Any, *, out: Any = None, nan: Optional[str] = None, threads: int = 1) -> Any:
        """Turns private values into reports, which may leave the device.

        >>> age = Collection("minimax epsilon=1 range=1:120")
        >>> reports = age.privatize([42, 17, 65])
        >>> len(reports)
        3

        What comes back is what went in: a number for a number, a list for a list, a NumPy array of the same shape, a
        Series of pandas or polars, an Array of pyarrow, an ``array.array`` or a memoryview. Reports are float64.
        Missing values stay missing: None in a list, NaN and NA in pandas, null in polars and pyarrow, masked items of
        NumPy.

        A report is often far outside the range. Do not clamp, round or drop reports, because only unaltered ones
        average to the truth. Privatise each value once: a second report about it spends epsilon again.

        Parameters
        ----------
        values
            Numbers. One outside the range counts as the nearer end.
        out
            A float64 array of NumPy, or an ``array.array``, for the reports, which is returned. It may be the values
            themselves. Where a value is missing it gets NaN.
        nan
            What happens to a value that is NaN: ``"error"``, ``"keep"`` (its report is NaN), or ``"middle"`` (it is
            privatised as the middle of the range, so that nobody sees that it was NaN). The default is ``"keep"`` in
            pandas, where NaN means missing, and ``"error"`` otherwise.
        threads
            How many threads to use. Each draws random bits of its own.
        """
        if type(values) is float or isinstance(values, Number):  # the first is the quicker question
            if out is not None:
                raise PodiumError("out is for an array of values, and this is one value")
            return _core.privatize_one(self._handle, values, _POLICIES["error"] if nan is None else _policy(nan))
        return self._privatize(values, out, nan, threads, None)

    def _privatize_from(self, values: Any, source: bytes, nan: Optional[str] = None) -> Any:
        """For tests only: the random bytes are those of the source, so the reports protect nobody."""
        return self._privatize(values, None, nan, 1, source)

    def _privatize(self, values: Any, out: Any, nan: Optional[str], threads: int, source: Optional[bytes]) -> Any:
        column = read(values)
        policy = _policy(column.nan if nan is None else nan)
        if out is None:
            target, copies = column.new("d"), False
        else:
            target, copies = _target(out, column)
            policy = self._checked(column.data, policy)
        n = column.size

        def work(start: int, stop: int) -> None:
            part = _part(column.data, 8, start, stop, n)
            _core.privatize(self._handle, _part(target, 8, start, stop, n), part, policy, source)

        if n > 0:
            _in_threads(threads, n, work)
        if out is None:
            return column.finish(target)
        if column.missing is not None:
            column.blank(target)
        if copies:
            out[...] = target
        return out

    def _checked(self, data: Any, policy: int) -> int:
        """Looks for NaN before anything is overwritten. Whoever makes a new array does that on the way."""
        if policy != _POLICIES["error"] or not _core.has_nan(data):
            return policy or _POLICIES["middle"]
        raise PodiumError(_core.NAN_FOUND)

    def codes(self, values: Any, *, nan: Optional[str] = None, threads: int = 1) -> Any:
        """Turns private values into codes: reports in as few bytes as possible, as unsigned integers.

        An item has 1 byte if the collection has up to 256 cells, as Minimax has by default, 2 bytes up to 65536, and 4
        otherwise. ``reports`` turns them into reports. Codes have no NaN, so where ``privatize`` would keep one, a list
        or a column of a data frame gets None, NA or null, and a plain array is an error.

        >>> age = Collection("minimax epsilon=1 range=1:120")
        >>> codes = age.codes([42, 17, 65])
        >>> all(0 <= code < 256 for code in codes)
        True
        """
        if isinstance(values, Number):
            return self.codes([values], nan=nan)[0]
        return self._codes(values, nan, threads, None)

    def _codes_from(self, values: Any, source: bytes) -> Any:
        """For tests only, as _privatize_from is."""
        return self._codes(values, "middle", 1, source)

    def _codes(self, values: Any, nan: Optional[str], threads: int, source: Optional[bytes]) -> Any:
        column = read(values)
        chosen = column.nan if nan is None else nan
        if _policy(chosen) == 0 and _core.has_nan(column.data):
            raise PodiumError(_core.NAN_FOUND)
        if chosen == "keep":
            column.hide_nan()
        target, n, item = column.new(TYPECODES[self.code_bytes]), column.size, self._item

        def work(start: int, stop: int) -> None:
            out = _part(target, item, start, stop, n)
            _core.codes(self._handle, out, _part(column.data, 8, start, stop, n), item, source)

        if n > 0:
            _in_threads(threads, n, work)
        return column.finish(target)

    # ---- Reports ----

    def reports(self, codes: Any) -> Any:
        """The reports that codes stand for.

        >>> age = Collection("minimax epsilon=1 range=1:120")
        >>> reports = age.reports(age.codes([42, 17, 65]))
        >>> age.aggregate(reports).count
        3
        """
        if isinstance(codes, Number):
            return self.reports([codes])[0]
        memory, item, column = read_codes(codes)
        if column is None:
            column = read(codes)
        target = column.new("d")
        if column.size > 0:
            _core.reports(self._handle, target, memory, item)
        return column.finish(target)

    def aggregate(
        self, reports: Any = None, *, codes: Any = None, nan: Optional[str] = None, threads: int = 1
    ) -> Aggregate:
        """Adds up reports, or codes, exactly: in any order, any number of threads or machines, to the same bytes.

        >>> age = Collection("minimax epsilon=1 range=1:120")
        >>> sums = age.aggregate(age.privatize([42] * 1000))
        >>> sums.count, sums.refused
        (1000, 0)

        A report that the collection cannot have produced is refused, and counted as refused. Missing reports are
        skipped. ``nan`` says what a NaN is: ``"refuse"`` counts it as refused, and ``"skip"``, which is the default in
        pandas, as missing. Without reports it is the aggregate of none.
        """
        if reports is not None and codes is not None:
            raise PodiumError("give reports or codes, not both")
        if nan not in (None, "refuse", "skip"):
            raise PodiumError("nan must be 'refuse' or 'skip'")
        if codes is not None:
            memory, item = _present_codes(codes)
        else:
            memory, item = _present_reports([] if reports is None else reports, nan), 0
        bytes_each = item or 8
        n = memoryview(memory).nbytes // bytes_each

        def work(start: int, stop: int) -> Any:
            return _core.aggregate(self._handle, _part(memory, bytes_each, start, stop, n), item)

        parts = _in_threads(threads, n, work)
        return Aggregate._made(self, functools.reduce(_core.merge, parts))


def _handle_from(
    epsilon: Optional[float],
    range: Optional[tuple[float, float]],
    mechanism: Optional[str],
    spread: float,
    cells: int,
    objective: str,
) -> Any:
    if epsilon is None or range is None:
        raise PodiumError("a collection needs a spec such as 'podium epsilon=1 range=1:120', or epsilon= and range=")
    try:
        low, high = range
    except (TypeError, ValueError):
        raise PodiumError("range must be two numbers, such as (1, 120)") from None
    if objective not in _OBJECTIVES:
        raise PodiumError("objective must be 'worst', 'uniform', 'middle' or 'distribution'")
    if mechanism == "auto":
        if spread or cells:
            raise PodiumError("mechanism='auto' chooses the parameters too: leave out spread and cells")
        return _core.choose(epsilon, low, high, _OBJECTIVES[objective])
    if objective != "worst":
        raise PodiumError("objective is for mechanism='auto'")
    name = mechanism or _core.mechanisms()[0][0]
    return _core.spec_make(name, epsilon, low, high, spread, _count("cells", cells))


def _target(out: Any, column: Any) -> tuple[Any, bool]:
    """Where the reports are written: `out` itself, or an array that is copied into `out` afterwards."""
    shape = getattr(column, "shape", (column.size,))
    try:
        view = memoryview(out)
    except TypeError:
        raise TypeError(f"out must be a float64 array, not {type(out).__name__}") from None
    if view.format.lstrip("@=") != "d":
        raise PodiumError("out must be a float64 array")
    if view.readonly:
        raise PodiumError("out cannot be written to")
    if view.shape != shape:
        raise PodiumError(f"out has the shape {view.shape}, and the values have {shape}")
    return (out, False) if view.c_contiguous else (column.new("d"), True)


def _present_reports(reports: Any, nan: Optional[str]) -> Any:
    column = read([reports] if isinstance(reports, Number) else reports)
    return column.present(nan == "skip" or (nan is None and column.nan == "keep"))


def _present_codes(codes: Any) -> tuple[Any, int]:
    memory, item, column = read_codes(codes)
    if column is None or column.missing is None:
        return memory, item
    kept = [cell for cell, gone in zip(memory.tolist(), column.missing) if not gone]
    return array("I", kept), item


@functools.lru_cache(maxsize=256)
def _collection(spec: str) -> Collection:
    """A collection that is shared, because some take tens of milliseconds to make."""
    return Collection(spec)


def collection_of(collection: Union[Collection, str]) -> Collection:
    """The collection itself, or the one that a spec names."""
    if isinstance(collection, str):
        return _collection(collection)
    if not isinstance(collection, Collection):
        raise TypeError(f"a collection must be a podium.Collection or a spec, not {type(collection).__name__}")
    return collection


class Aggregate:
    """The exact sum of many reports. It never changes: ``+`` and ``-`` make a new one.

    >>> age = Collection("minimax epsilon=1 range=1:120")
    >>> morning, evening = age.aggregate(age.privatize([42] * 900)), age.aggregate(age.privatize([17] * 100))
    >>> day = morning + evening
    >>> day.count
    1000
    >>> (day - evening).count
    900
    >>> Aggregate.from_bytes(bytes(day)) == day
    True

    ``sum(aggregates)`` merges many. Aggregates can be pickled. The bytes are the same as those of ``podium aggregate``.
    """

    __slots__ = ("_collection", "_handle", "__weakref__")
    _collection: Collection
    _handle: Any

    def __init__(self) -> None:
        raise TypeError("aggregates are made by Collection.aggregate and Aggregate.from_bytes")

    @classmethod
    def _made(cls, collection: Collection, handle: Any) -> Aggregate:
        made = cls.__new__(cls)
        made._collection, made._handle = collection, handle
        return made

    @classmethod
    def from_bytes(cls, encoded: Union[bytes, bytearray, memoryview, str]) -> Aggregate:
        """Reads what ``bytes(aggregate)`` or ``podium aggregate`` wrote, and checks it.

        >>> Aggregate.from_bytes(b"nonsense")
        Traceback (most recent call last):
        podium.PodiumError: the bytes are not an aggregate
        """
        data = encoded.strip().encode() if isinstance(encoded, str) else memoryview(encoded).tobytes()
        if data.startswith(b"podium-aggregate:"):
            data = data.rstrip()
        collection = _collection(_core.peek(data))
        return cls._made(collection, _core.decode(collection._handle, data))

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]]) -> Aggregate:
        """Reads a file that ``podium aggregate`` or ``write`` wrote."""
        with open(path, "rb") as file:
            return cls.from_bytes(file.read())

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a file that ``podium estimate`` and ``podium merge`` read."""
        with open(path, "w", encoding="ascii") as file:
            file.write(self.text() + "\n")

    def text(self) -> str:
        """The bytes in hexadecimal, on one line, as ``podium aggregate`` writes them."""
        return _core.format(self._handle)

    @property
    def collection(self) -> Collection:
        """The collection whose reports these are."""
        return self._collection

    @property
    def count(self) -> int:
        """How many reports were added."""
        return _core.counts(self._handle)[0]

    @property
    def refused(self) -> int:
        """How many were refused, because the collection cannot have produced them."""
        return _core.counts(self._handle)[1]

    def __bytes__(self) -> bytes:
        return _core.encode(self._handle)

    def __add__(self, other: object) -> Aggregate:
        if not isinstance(other, Aggregate):
            return NotImplemented
        return self._made(self._collection, _core.merge(self._handle, other._handle))

    def __radd__(self, other: object) -> Aggregate:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # sum() starts with 0

    def __sub__(self, other: object) -> Aggregate:
        if not isinstance(other, Aggregate):
            return NotImplemented
        return self._made(self._collection, _core.subtract(self._collection._handle, self._handle, other._handle))

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, Aggregate) else NotImplemented

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __reduce__(self) -> tuple[Callable[[bytes], Aggregate], tuple[bytes]]:
        return Aggregate.from_bytes, (bytes(self),)

    def __repr__(self) -> str:
        refused = f", {self.refused} refused" if self.refused else ""
        return f"<Aggregate of {self.count} reports{refused}, {self._collection.spec!r}>"

    def check(self) -> None:
        """Raises PodiumError if these cannot be independent reports of the collection.

        Raw values, clamped or rounded reports, and those of another collection would lead to a confident wrong answer.

        >>> age = Collection("minimax epsilon=1 range=1:120")
        >>> age.aggregate([42.0] * 1000).check()
        Traceback (most recent call last):
        podium.PodiumError: these cannot be reports of this collection
        """
        _core.check(self._collection._handle, self._handle)

    def summary(
        self,
        confidence: float = 0.95,
        interval: str = "normal",
        population: bool = False,
        *,
        quantiles: Iterable[float] = (),
        bins: int = 0,
        below: Iterable[float] = (),
        dishonest: int = 0,
        check: bool = True,
    ) -> Summary:
        """What the reports say about the values, and what they cannot say.

        >>> age = Collection("minimax epsilon=1 range=1:120")
        >>> estimate = age.aggregate(age.privatize([42] * 100_000)).summary(quantiles=[0.5], bins=20)
        >>> abs(estimate.mean - 42) < 5 and estimate.lower < estimate.mean < estimate.upper
        True

        Parameters
        ----------
        confidence
            Of the interval of the mean and of the limits of the distribution.
        interval
            ``"normal"``; ``"guaranteed"``, which holds for every number of reports; or ``"anytime"``, which holds
            however often you look.
        population
            Whether the interval is for a population from which these people were drawn at random, not for them.
        quantiles, bins, below
            What to say about the distribution: quantiles, such as ``[0.1, 0.5, 0.9]``; the shares of that many equal
            bins; the shares of the values below these numbers. It is estimated only if one of them is given.
        dishonest
            How many reports may be dishonest; ``influence`` then says how far they can have moved the mean.
        check
            Whether to stop if these cannot be reports of the collection (see ``check``).
        """
        if check:
            self.check()
        probabilities, points = array("d", quantiles), array("d", below)
        if any(not 0 <= p <= 1 for p in probabilities):
            raise PodiumError("quantiles must be from 0 to 1")
        bins, dishonest = _count("bins", bins), _count("dishonest", dishonest, 2**64 - 1)
        asked = bins or (_BINS_DEFAULT if probabilities or points else 0)
        made = _core.summary(
            self._collection._handle,
            self._handle,
            confidence,
            interval,
            population,
            asked,
            dishonest,
            probabilities,
            points,
        )
        return Summary._from(self._collection.spec, self._collection.range, made, bins > 0)


def difference(
    a: Aggregate, b: Aggregate, confidence: float = 0.95, interval: str = "normal", population: bool = False
) -> Difference:
    """The mean of the values behind a minus that behind b, with an interval and a p-value.

    The groups must be different people, or the same people with new reports.

    >>> age = Collection("minimax epsilon=1 range=1:120")
    >>> old, young = age.aggregate(age.privatize([60] * 50_000)), age.aggregate(age.privatize([20] * 50_000))
    >>> difference(old, young).p_value < 0.001
    True
    """
    if not isinstance(a, Aggregate) or not isinstance(b, Aggregate):
        raise TypeError("a difference is between two aggregates")
    if a.collection != b.collection:
        raise PodiumError(f'the aggregates have different specs, "{a.collection}" and "{b.collection}"')
    made = _core.difference(a.collection._handle, a._handle, b._handle, confidence, interval, population)
    return Difference(**made)


def adjust(p_values: Iterable[float]) -> list[float]:
    """Adjusts the p-values of many comparisons by Holm's method. NaN is no comparison.

    >>> adjust([0.01, 0.04])
    [0.02, 0.04]
    """
    p = array("d", p_values)
    adjusted = array("d", bytes(8 * len(p)))
    if p:
        _core.adjust(adjusted, p)
    return adjusted.tolist()
