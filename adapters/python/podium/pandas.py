"""The accessor of pandas: ``df["age"].podium.privatize("minimax epsilon=1 range=1:120")``.

``import podium`` registers it if pandas was imported before; otherwise ``import podium.pandas`` does.
"""

from __future__ import annotations

from typing import Any, Union

import pandas

from ._collection import Aggregate, Collection, collection_of


class Accessor:
    """What a Series can do with a collection, or with the spec of one"""

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


if "podium" not in getattr(pandas.Series, "_accessors", ()):
    pandas.api.extensions.register_series_accessor("podium")(Accessor)
