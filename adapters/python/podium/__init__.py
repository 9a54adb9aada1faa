"""Podium: local differential privacy for numbers.

A device turns each private value into a report, and only reports leave it. Many reports together say what the values
have in common, such as their mean; a single one says next to nothing.

>>> import podium
>>> age = podium.Collection("minimax epsilon=1 range=1:120")
>>> reports = age.privatize([42] * 100_000)         # where the values are
>>> sums = age.aggregate(reports)                   # where the reports arrive
>>> estimate = sums.summary()
>>> estimate.lower < estimate.mean < estimate.upper
True

docs/python.md has the rest.
"""

from . import _core
from ._answers import Bin, Difference, Quantile, Share, Summary
from ._collection import Aggregate, Collection, adjust, difference
from ._columns import loaded as _loaded
from ._core import PodiumError
from ._planning import Example, Explanation, Noise, Odds, Plan, compare, explain, plan

__version__ = _core.version()
__all__ = [
    "Aggregate",
    "Bin",
    "Collection",
    "Difference",
    "Example",
    "Explanation",
    "Noise",
    "Odds",
    "Plan",
    "PodiumError",
    "Quantile",
    "Share",
    "Summary",
    "adjust",
    "compare",
    "difference",
    "explain",
    "plan",
]

if _loaded("pandas") is not None:
    from . import pandas as _pandas  # noqa: F401
