"""Dask: reports drawn and added up on the workers, so that only aggregates of some kilobytes cross the network.

>>> import dask.dataframe
>>> import podium.dask
>>> age = podium.Collection("minimax epsilon=1 range=1:120")
>>> people = dask.dataframe.from_dict({"city": ["Oslo", "Rome"] * 5000, "age": [42.0, 17.0] * 5000}, npartitions=2)
>>> people["age"] = podium.dask.privatize(people["age"], age)
>>> people.to_parquet("reports.parquet")            # once: whoever computes the column again draws again
>>> reports = dask.dataframe.read_parquet("reports.parquet")
>>> podium.dask.summary(reports, "age", age, by="city")["Oslo"].count
5000

An aggregate is exact, so the result is that of one machine, to the bit, however the rows are partitioned and whichever
tasks were tried again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional, Union, overload

try:
    import dask.dataframe
    import pandas
    from dask.base import compute
    from dask.delayed import delayed
except ImportError as error:
    raise ImportError(f"{error}; podium.dask needs: pip install 'podium-privacy[dask]'") from error

from . import _groups
from ._answers import Summary
from ._collection import Aggregate, Collection, _policy, collection_of
from ._groups import By, Key, Summaries

_PARTS_MERGED = 8  # at once


# ---- Privatising ----


def privatize(column: Any, collection: Union[Collection, str], *, nan: Optional[str] = None) -> Any:
    """A Series of Dask with the reports, drawn on the workers.

    >>> people.assign(age=podium.dask.privatize(people["age"], age)).to_parquet("ages.parquet")

    As in pandas, NaN and NA mean missing and stay missing; ``nan`` is that of ``Collection.privatize``.

    Write the reports once, and read them from there. Dask computes a column again for each call of ``compute``, and
    again for partitions that were lost with a worker. Each time draws another report about the same value, and
    whoever sees two of them has learnt 2 epsilon.
    """
    return _drawn("privatize", column, collection, nan)


def codes(column: Any, collection: Union[Collection, str], *, nan: Optional[str] = None) -> Any:
    """A Series of Dask with codes: reports as small unsigned integers. As for the rest, see ``privatize``.

    >>> podium.dask.codes(people["age"], age).dtype
    dtype('uint8')
    """
    return _drawn("codes", column, collection, nan)


def _drawn(work: str, column: Any, collection: Union[Collection, str], nan: Optional[str]) -> Any:
    if not isinstance(column, dask.dataframe.Series):
        raise TypeError(f"privatise one column, a Series of Dask, not {type(column).__name__}")
    _policy(nan or "keep")
    c = collection_of(collection)
    empty = _draw(column._meta, work, c, nan)
    return column.map_partitions(_draw, work, c, nan, meta=empty)


def _draw(values: Any, work: str, collection: Collection, nan: Optional[str]) -> Any:
    return getattr(collection, work)(values, nan=nan)


# ---- Adding up: on the workers ----


def _item(item: Any) -> Any:
    """An item of a key as Python has it; all that pandas calls missing is None."""
    if pandas.isna(item):
        return None
    return item.item() if hasattr(item, "item") else item


def _add(
    rows: Any, names: list[str], column: str, collection: Collection, kind: str, nan: Optional[str]
) -> dict[Key, Aggregate]:
    """The aggregates of a partition, by key."""

    def aggregate_of(items: Any) -> Aggregate:
        if kind == "codes":
            return collection.aggregate(codes=items.dropna())
        return collection.aggregate(items, nan=nan)

    if not names:
        return {(): aggregate_of(rows[column])}
    groups = rows.groupby(names, dropna=False, sort=False, observed=True)[column]
    return _groups.merge((_groups.key_of(map(_item, key)), aggregate_of(items)) for key, items in groups)


def _merge(parts: list[dict[Key, Aggregate]]) -> dict[Key, Aggregate]:
    return _groups.merge(item for part in parts for item in part.items())


# ---- Adding up: where the question is asked ----


def _require(frame: Any, names: list[str], kind: str) -> None:
    if not isinstance(frame, dask.dataframe.DataFrame):
        raise TypeError(f"give a DataFrame of Dask, not {type(frame).__name__}")
    _groups.require_columns(names, list(frame.columns))
    found = frame.dtypes[names[-1]]
    _groups.require_numbers(pandas.api.types.is_numeric_dtype(found), kind, names[-1], found)


@overload
def aggregate(
    frame: Any,
    column: str,
    collection: Union[Collection, str],
    *,
    by: None = None,
    codes: bool = False,
    nan: Optional[str] = None,
) -> Aggregate: ...


@overload
def aggregate(
    frame: Any,
    column: str,
    collection: Union[Collection, str],
    *,
    by: By,
    codes: bool = False,
    nan: Optional[str] = None,
) -> dict[Any, Aggregate]: ...


def aggregate(
    frame: Any,
    column: str,
    collection: Union[Collection, str],
    *,
    by: Optional[By] = None,
    codes: bool = False,
    nan: Optional[str] = None,
) -> Union[Aggregate, dict[Any, Aggregate]]:
    """The aggregate of a column of reports; with ``by``, a dict with the aggregate of each group.

    >>> podium.dask.aggregate(reports, "age", age)
    <Aggregate of 10000 reports, 'minimax epsilon=1 range=1:120'>
    >>> podium.dask.aggregate(reports, "age", age, by="city")["Oslo"].count
    5000

    Parameters
    ----------
    frame
        A DataFrame of Dask.
    column
        The name of the column that has the reports.
    collection
        A collection, or its spec.
    by
        The name of a column, or a list of names; the keys are then tuples. What is missing is a group of its own,
        ``None``.
    codes
        Whether the column has codes.
    nan
        What a NaN is: ``"skip"``, the default in pandas and here, counts it as missing, and ``"refuse"`` as refused.
    """
    c, names, kind = collection_of(collection), [*_groups.columns_of(by), column], "codes" if codes else "reports"
    _require(frame, names, kind)
    c.aggregate(nan=nan)  # stops here if nan is wrong
    add, merge = delayed(_add, traverse=False), delayed(_merge)
    parts = [add(rows, names[:-1], column, c, kind, nan) for rows in frame[list(dict.fromkeys(names))].to_delayed()]
    while len(parts) > 1:
        parts = [merge(parts[at : at + _PARTS_MERGED]) for at in range(0, len(parts), _PARTS_MERGED)]
    sums: Iterable[dict[Key, Aggregate]] = compute(*parts)
    return _groups.finish(c, by, (item for part in sums for item in part.items()))


@overload
def summary(
    frame: Any,
    column: str,
    collection: Union[Collection, str],
    *,
    by: None = None,
    codes: bool = False,
    nan: Optional[str] = None,
    check: bool = True,
    **question: Any,
) -> Summary: ...


@overload
def summary(
    frame: Any,
    column: str,
    collection: Union[Collection, str],
    *,
    by: By,
    codes: bool = False,
    nan: Optional[str] = None,
    check: bool = True,
    **question: Any,
) -> Summaries: ...


def summary(
    frame: Any,
    column: str,
    collection: Union[Collection, str],
    *,
    by: Optional[By] = None,
    codes: bool = False,
    nan: Optional[str] = None,
    check: bool = True,
    **question: Any,
) -> Union[Summary, Summaries]:
    """The summary of a column of reports; with ``by``, the summary of each group.

    >>> table = podium.dask.summary(reports, "age", age, by="city", quantiles=[0.5]).to_frame()
    >>> list(table.index)
    ['Oslo', 'Rome']

    The first arguments are those of ``aggregate``, and the others those of ``Aggregate.summary``: ``confidence``,
    ``interval``, ``population``, ``quantiles``, ``bins``, ``below`` and ``dishonest``. Groups come as a dict, whose
    ``to_frame()`` is a table.
    """
    c = collection_of(collection)
    c.aggregate().summary(**question)  # a wrong question stops here, before the workers work
    sums = aggregate(frame, column, c, by=by, codes=codes, nan=nan)
    return _groups.summarize(c, by, sums, check, question)
