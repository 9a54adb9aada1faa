"""The accessor of pandas: ``df["age"].podium.privatize("minimax epsilon=1 range=1:120")``.

``import podium`` registers it if pandas was imported before; otherwise ``import podium.pandas`` does.
"""

from __future__ import annotations

from typing import Any, Union

import pandas

from ._collection import Aggregate, Collection, collection_of


class Accessor:
    """What a Series can do with a collection, or with the spec of one; and what a Series of aggregates says

    >>> people = pandas.DataFrame({"city": ["Paris", "Oslo"] * 5000, "age": [42.0] * 10_000})
    >>> people["age"] = people["age"].podium.privatize("minimax epsilon=1 range=1:120")
    >>> by_city = people.groupby("city")["age"].agg(Collection("minimax epsilon=1 range=1:120").aggregate)
    >>> by_city.podium.summary()["count"].to_dict()
    {'Oslo': 5000, 'Paris': 5000}
    """

    def __init__(self, series: Any) -> None:
        self._series = series

    def privatize(self, collection: Union[Collection, str], **options: Any) -> Any:
        """The reports of these values, as ``Collection.privatize`` makes them."""
        return collection_of(collection).privatize(self._series, **options)

    def codes(self, collection: Union[Collection, str], **options: Any) -> Any:
        """The codes of these values, as ``Collection.codes`` makes them."""
        return collection_of(collection).codes(self._series, **options)

    def aggregate(self, collection: Union[Collection, str], **options: Any) -> Aggregate:
        """The aggregate of these reports, as ``Collection.aggregate`` makes it."""
        return collection_of(collection).aggregate(self._series, **options)

    def summary(self, *arguments: Any, **options: Any) -> Any:
        """A DataFrame with a row for each aggregate of this Series, from ``Aggregate.summary`` with these arguments."""
        rows = [dict(sums.summary(*arguments, **options)._numbers()) for sums in self._series]
        return pandas.DataFrame(rows, index=self._series.index)


if "podium" not in getattr(pandas.Series, "_accessors", ()):
    pandas.api.extensions.register_series_accessor("podium")(Accessor)
