"""Columns: whatever array people have, as contiguous memory that the C module reads, and the way back.

A column has `data`, an array of doubles without a copy where the layout allows; `missing`, which says where the array
has no value; `new`, which makes the output; and `finish`, which returns it as the kind of array that came in. Nothing
here imports NumPy, pandas, polars or pyarrow: an object of theirs can only be there if they were imported before.

No message contains a value. That is also why errors of conversions are replaced: Python's own would quote the text that
is not a number.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

from . import _core
from ._core import PodiumError

NUMBERS = "values must be numbers"
NO_ROOM = "an array without a mask has no room for missing codes: drop the NaN, or pass nan='middle'"


def loaded(name: str) -> Any:
    """The module of that name if somebody has imported it, else None."""
    return sys.modules.get(name)


def _is(values: Any, module: str, *names: str) -> bool:
    found = loaded(module)
    kinds = tuple(getattr(found, name) for name in names if hasattr(found, name)) if found else ()
    return isinstance(values, kinds) if kinds else False


class Column:
    """A list, of lists perhaps, or anything else that one can iterate over. What comes back is a list like it."""

    data: Any
    missing: Any = None  # a list or an array of bool, or None if no value is missing
    nan = "error"  # what happens to NaN if the caller does not say it

    def __init__(self, values: Iterable[Any]) -> None:
        items = list(values)
        self._nested = items if any(issubclass(kind, _LISTS) for kind in set(map(type, items))) else None
        if self._nested is not None:
            items = list(_flat(items))
        if type(None) in set(map(type, items)):
            self.missing = [item is None for item in items]
            items = [0.0 if item is None else item for item in items]
        self.data = _doubles(items)

    @property
    def size(self) -> int:
        return len(self.data)

    def hide_nan(self) -> None:
        """Makes NaN missing, for outputs that have no NaN."""
        before = self.missing or [False] * len(self.data)
        self.missing = [gone or x != x for gone, x in zip(before, self.data)]

    def present(self, skips_nan: bool) -> Any:
        """The data without what is missing."""
        if self.missing is not None:
            return array(
                "d", (x for x, gone in zip(self.data, self.missing) if not gone and not (skips_nan and x != x))
            )
        return array("d", (x for x in self.data if x == x)) if skips_nan else self.data

    def new(self, typecode: str) -> Any:
        return array(typecode, bytes(array(typecode).itemsize * len(self.data)))

    def blank(self, out: Any) -> None:
        """Writes NaN into an array of doubles of the caller's where a value is missing."""
        doubles = memoryview(out).cast("B").cast("d")
        for at, gone in enumerate(self.missing):
            if gone:
                doubles[at] = float("nan")

    def finish(self, out: Any) -> Any:
        items = out.tolist()
        if self.missing is not None:
            items = [None if gone else item for item, gone in zip(items, self.missing)]
        return items if self._nested is None else _nest(self._nested, iter(items))


_LISTS = (list, tuple)


def _flat(items: Any) -> Iterable[Any]:
    for item in items:
        if isinstance(item, _LISTS):
            yield from _flat(item)
        else:
            yield item


def _nest(like: Any, items: Iterator[Any]) -> list[Any]:
    return [_nest(item, items) if isinstance(item, _LISTS) else next(items) for item in like]


def _doubles(items: list[Any]) -> Any:
    """Converts whatever is a number. Of an error that an item raises, only the type of that item is told."""
    try:
        try:
            return array("d", items)
        except OverflowError:
            return array("d", map(_clamped, items))
    except MemoryError:
        raise
    except Exception:
        raise TypeError(f"{NUMBERS}, not {next(filter(None, map(_unlike_a_number, items)), 'these')}") from None


def _clamped(item: Any) -> float:
    try:
        return float(array("d", (item,))[0])
    except OverflowError:  # an int beyond every double lies beyond every range
        return float("inf") if item > 0 else float("-inf")


def _unlike_a_number(item: Any) -> str:
    """The name of the item's type if it is not a number, else nothing."""
    try:
        _clamped(item)
    except Exception:
        return type(item).__name__
    return ""


_KINDS = ("efd", "bhiqln", "BHIQLN", "?")


def _struct_code(character: str, itemsize: int) -> Optional[str]:
    """The character that struct has for such a number: an "l" has 4 bytes or 8, depending on who wrote it."""
    kind = next((kind for kind in _KINDS if character in kind), "")
    return next((code for code in kind[:4] if struct.calcsize("=" + code) == itemsize), None)


class BufferColumn(Column):
    """Whatever has the buffer protocol: an array.array comes back as one, and anything else as a memoryview."""

    def __init__(self, values: Any) -> None:
        self._view = memoryview(values)
        self._is_array = isinstance(values, array)
        order, code = self._view.format[:-1], _struct_code(self._view.format[-1:], self._view.itemsize)
        if code is None or order not in ("", "@", "=", "<", ">", "!"):
            raise TypeError(f"{NUMBERS}, not items of the format {self._view.format!r}")
        if code == "d" and order in ("", "@") and self._view.c_contiguous:
            self.data = self._view
        else:
            order = "=" if order in ("", "@") else order
            self.data = array("d", struct.unpack(f"{order}{self.size}{code}", self._view.tobytes()))

    @property
    def size(self) -> int:
        return self._view.nbytes // self._view.itemsize

    def hide_nan(self) -> None:
        if _core.has_nan(self.data):
            raise PodiumError(NO_ROOM)

    def present(self, skips_nan: bool) -> Any:
        if not skips_nan or not _core.has_nan(self.data):
            return self.data
        return array("d", (x for x in memoryview(self.data).cast("B").cast("d") if x == x))

    def new(self, typecode: str) -> Any:
        return array(typecode, bytes(array(typecode).itemsize * self.size))

    def finish(self, out: Any) -> Any:
        if self._is_array:
            return out
        # No memoryview without items can have more than one dimension.
        return memoryview(out).cast("B").cast(out.typecode, self._view.shape or ()) if self.size else memoryview(out)


class NumpyColumn(Column):
    """NumPy's arrays, of any shape, strides and byte order"""

    def __init__(self, values: Any) -> None:
        np = loaded("numpy")
        self._np = np
        self._mask = values.mask if isinstance(values, np.ma.MaskedArray) else None
        if self._mask is not None:
            self.missing = np.broadcast_to(self._mask, values.shape)
            values = values.filled(0)
        self.data = self._doubles(np.asarray(values))
        self.shape = self.data.shape

    def _doubles(self, values: Any) -> Any:
        if values.dtype.kind not in "biuf":
            raise TypeError(f"{NUMBERS}, not of the dtype {values.dtype}")
        with self._np.errstate(all="ignore"):  # a warning would say something about a value
            return self._np.require(values, self._np.float64, ["C", "A"])

    @property
    def size(self) -> int:
        return int(self.data.size)

    def hide_nan(self) -> None:
        if self._mask is None and _core.has_nan(self.data):
            raise PodiumError(NO_ROOM)
        if self._mask is not None:
            self.missing = self.missing | self._np.isnan(self.data)

    def present(self, skips_nan: bool) -> Any:
        data = self.data if self.missing is None else self.data[~self.missing]
        return data[~self._np.isnan(data)] if skips_nan and _core.has_nan(data) else data

    def new(self, typecode: str) -> Any:
        return self._np.empty(self.data.shape, dtype=typecode)

    def blank(self, out: Any) -> None:
        self._np.asarray(out)[self.missing] = self._np.nan

    def finish(self, out: Any) -> Any:
        if self.missing is not None:
            return self._np.ma.MaskedArray(out, mask=self.missing)
        return out


class _Masked(NumpyColumn):
    """A column of a data frame: one dimension, and missing values that are not NaN"""

    def __init__(self, data: Any, missing: Any) -> None:
        self._np = loaded("numpy")
        self._mask = missing
        if missing is not None and missing.any():
            data = self._np.where(missing, 0.0, data)
            self.missing = missing
        self.data = self._doubles(data)

    def hide_nan(self) -> None:
        if _core.has_nan(self.data):
            nan = self._np.isnan(self.data)
            self.missing = nan if self.missing is None else self.missing | nan


class PandasColumn(_Masked):
    """A Series comes back as a Series with the same index and name. In pandas NaN means missing, so it stays."""

    nan = "keep"

    def __init__(self, values: Any) -> None:
        pd = loaded("pandas")
        self._pd, self._series = pd, values
        kind = pd.api.types
        if not kind.is_numeric_dtype(values.dtype) or kind.is_complex_dtype(values.dtype):
            raise TypeError(f"{NUMBERS}, not of the dtype {values.dtype}")
        if isinstance(values.dtype, loaded("numpy").dtype):
            super().__init__(values.to_numpy(), None)
        else:
            super().__init__(values.array.to_numpy("float64", na_value=float("nan")), values.isna().to_numpy())

    def finish(self, out: Any) -> Any:
        dtype = self._series.dtype
        missing = self.missing
        if isinstance(dtype, loaded("numpy").dtype) and (out.dtype.kind == "f" or missing is None):
            made = self._pd.Series(out)
        else:
            unmasked = missing if missing is not None else self._np.zeros(len(out), bool)
            is_float = out.dtype.kind == "f"
            arrays = self._pd.arrays
            made = self._pd.Series((arrays.FloatingArray if is_float else arrays.IntegerArray)(out, unmasked))
            if isinstance(dtype, getattr(self._pd, "ArrowDtype", ())):
                pa = loaded("pyarrow")
                made = made.astype(self._pd.ArrowDtype(pa.from_numpy_dtype(out.dtype)))
        made.index, made.name = self._series.index, self._series.name
        return made


class PandasArrayColumn(PandasColumn):
    """An array of pandas without an index, as pandas.array makes it"""

    def __init__(self, values: Any) -> None:
        super().__init__(loaded("pandas").Series(values, copy=False))

    def finish(self, out: Any) -> Any:
        return super().finish(out).array


class PolarsColumn(_Masked):
    """A polars Series comes back as one, with its name. Null stays null."""

    def __init__(self, values: Any) -> None:
        pl = loaded("polars")
        self._pl, self._name = pl, values.name
        if not (values.dtype.is_numeric() or values.dtype == pl.Boolean):
            raise TypeError(f"{NUMBERS}, not of the dtype {values.dtype}")
        doubles = values if values.dtype == pl.Float64 else values.cast(pl.Float64)
        missing = values.is_null().to_numpy() if values.null_count() else None
        super().__init__((doubles if missing is None else doubles.fill_null(0.0)).to_numpy(), missing)

    def finish(self, out: Any) -> Any:
        made = self._pl.Series(self._name, out)
        if self.missing is None:
            return made
        return made.set(self._pl.Series(self.missing), None)


class ArrowColumn(_Masked):
    """An Array or a ChunkedArray of pyarrow. Null stays null."""

    def __init__(self, values: Any) -> None:
        pa = loaded("pyarrow")
        self._pa, self._is_chunked = pa, isinstance(values, pa.ChunkedArray)
        if not (
            pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_boolean(values.type)
        ):
            raise TypeError(f"{NUMBERS}, not of the type {values.type}")
        if self._is_chunked:
            values = (
                values.chunk(0)
                if values.num_chunks == 1
                else pa.concat_arrays([pa.array([], values.type), *values.chunks])
            )
        missing = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
        doubles = values if values.type == pa.float64() else values.cast(pa.float64(), safe=False)
        super().__init__(
            (doubles if missing is None else doubles.fill_null(0.0)).to_numpy(zero_copy_only=True), missing
        )

    def finish(self, out: Any) -> Any:
        made = self._pa.array(out, mask=self.missing)
        return self._pa.chunked_array([made]) if self._is_chunked else made


def read(values: Any) -> Column:
    """The column of whatever the caller has."""
    if _is(values, "numpy", "ndarray", "generic"):
        return NumpyColumn(values)
    if _is(values, "pandas", "Series"):
        return PandasColumn(values)
    if _is(values, "polars", "Series"):
        return PolarsColumn(_with_numpy(values))
    if _is(values, "pyarrow", "Array", "ChunkedArray"):
        return ArrowColumn(_with_numpy(values))
    if _is(values, "pandas.api.extensions", "ExtensionArray"):
        return PandasArrayColumn(values)
    if isinstance(values, (str, bytes, bytearray, Mapping)):
        raise TypeError(f"{NUMBERS}, not {type(values).__name__}")
    if (
        _is(values, "pandas", "DataFrame")
        or _is(values, "polars", "DataFrame", "LazyFrame")
        or _is(values, "pyarrow", "Table")
    ):
        raise TypeError("privatise one column at a time, because each column has a collection of its own")
    if isinstance(values, (array, memoryview)):
        return BufferColumn(values)
    if hasattr(values, "__array__") or hasattr(values, "__array_interface__"):
        _with_numpy(values)
        return NumpyColumn(loaded("numpy").asarray(values))
    if hasattr(values, "__dlpack__"):
        _with_numpy(values)
        return NumpyColumn(loaded("numpy").from_dlpack(values))
    if isinstance(values, Iterable):
        return Column(values)
    try:
        return BufferColumn(values)
    except (TypeError, BufferError):
        raise TypeError(f"{NUMBERS}, or an array of them, not {type(values).__name__}") from None


def _with_numpy(values: Any) -> Any:
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise TypeError(f"to read {type(values).__module__}.{type(values).__name__}, Podium needs NumPy") from None
    return values


# ---- Codes ----

TYPECODES = {1: "B", 2: "H", 3: "I", 4: "I"}
WIDTHS = {"B": 1, "H": 2, "I": 4}


def read_codes(codes: Any) -> tuple[Any, int, Optional[Column]]:
    """Memory of codes, how many bytes each has, and the column to return reports in."""
    if (
        _is(codes, "numpy", "ndarray")
        and codes.dtype.kind == "u"
        and codes.dtype.itemsize <= 4
        and codes.dtype.isnative
    ):
        np = loaded("numpy")
        if not isinstance(codes, np.ma.MaskedArray):
            memory = np.require(codes, requirements=["C", "A"])
            return memory, memory.dtype.itemsize, None
    if isinstance(codes, array) and codes.typecode in WIDTHS and codes.itemsize == WIDTHS[codes.typecode]:
        return codes, codes.itemsize, None
    column = read(list(codes) if isinstance(codes, (bytes, bytearray)) else codes)
    return _cells(column), 4, column


def _cells(column: Column) -> Any:
    np = loaded("numpy")
    if np is not None:
        whole = np.asarray(column.data)
        if not ((whole >= 0) & (whole < 2**32) & (whole == np.floor(whole))).all():
            raise PodiumError("a code is not one of this collection's")
        return whole.astype(np.uint32)
    if not all(0 <= x < 2**32 and x == int(x) for x in _flat(column.data.tolist())):
        raise PodiumError("a code is not one of this collection's")
    return array("I", map(int, _flat(column.data.tolist())))
