"""Groups: aggregates and summaries of many groups, whichever engine added them up.

While they are added up, the key of a group is a tuple with an item for each column; without columns it is (). In a
result it is what the caller asked for: the item itself if `by` is the name of one column, a tuple if it is a list.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _core
from ._answers import Summary
from ._collection import Aggregate, Collection
from ._core import PodiumError

By = Union[str, Sequence[str]]
Key = tuple[Any, ...]


def columns_of(by: Optional[By]) -> list[str]:
    """The names of the columns that make the groups."""
    if by is None:
        return []
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise PodiumError("by must be the name of a column, or a list of names")
    return names


def require_columns(names: Iterable[str], there: Iterable[str]) -> None:
    for name in names:
        if name not in there:
            raise PodiumError(f"no column is called {name!r}; there are {', '.join(map(str, there))}")


def require_numbers(are_numbers: bool, kind: str, name: str, found: object) -> None:
    if not are_numbers:
        raise TypeError(f"{kind} must be numbers, and the column {name!r} has the type {found}")


def key_of(items: Iterable[Any]) -> Key:
    """The key of a group. NaN differs even from itself, so that all NaN are replaced by one object."""
    return tuple(math.nan if isinstance(item, float) and item != item else item for item in items)


def merge(parts: Iterable[tuple[Key, Aggregate]]) -> dict[Key, Aggregate]:
    """One aggregate for each key."""
    sums: dict[Key, Aggregate] = {}
    for key, part in parts:
        sums[key] = sums[key] + part if key in sums else part
    return sums


def _sorted(keys: Iterable[Key]) -> list[Key]:
    """The keys in order, null and NaN last; as they came if they cannot be compared."""
    found = list(keys)
    try:
        return sorted(found, key=lambda key: tuple((item is None, item != item, item) for item in key))
    except TypeError:
        return found


def finish(
    collection: Collection, by: Optional[By], parts: Iterable[tuple[Key, Aggregate]]
) -> Union[Aggregate, dict[Any, Aggregate]]:
    """What the caller gets: an aggregate, or one for each group."""
    sums = merge(parts)
    if by is None:
        return sums.get((), collection.aggregate())
    return {key[0] if isinstance(by, str) else key: sums[key] for key in _sorted(sums)}


# ---- Summaries ----


class Summaries(dict[Any, Summary]):
    """The summary of each group, by its key. ``to_frame()`` makes a table of them, which a notebook shows."""

    def __init__(self, summaries: Mapping[Any, Summary], by: By) -> None:
        super().__init__(summaries)
        self.by = by

    def to_frame(self, part: Optional[str] = None) -> Any:
        """A pandas DataFrame with a row for each group; or the rows of ``"quantiles"``, ``"bins"`` or ``"below"``.

        The index has the keys.
        """
        import pandas

        frames = [summary.to_frame(part) for summary in self.values()]
        rows = pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()
        keys = [key for key, frame in zip(self, frames) for _ in range(len(frame))]
        if isinstance(self.by, str):
            rows.index = pandas.Index(keys, name=self.by)
        elif keys:
            rows.index = pandas.MultiIndex.from_tuples(keys, names=list(self.by))
        return rows

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html())


def _check(collection: Collection, sums: Mapping[Any, Aggregate]) -> None:
    """Raises PodiumError if a group, or all of them together, cannot be reports of the collection."""
    which = _core.check_groups(collection._handle, [aggregate._handle for aggregate in sums.values()])
    if which is not None:
        raise PodiumError(f"group {list(sums)[which]!r}: {_core.NOT_REPORTS}")
    if sums:
        sum(sums.values(), collection.aggregate()).check()


def summarize(
    collection: Collection,
    by: Optional[By],
    sums: Union[Aggregate, Mapping[Any, Aggregate]],
    check: bool,
    question: Mapping[str, Any],
) -> Union[Summary, Summaries]:
    """The summary of an aggregate, or of each group."""
    if isinstance(sums, Aggregate):
        return sums.summary(check=check, **question)
    if check:
        _check(collection, sums)
    made = {key: aggregate.summary(check=False, **question) for key, aggregate in sums.items()}
    return Summaries(made, () if by is None else by)
