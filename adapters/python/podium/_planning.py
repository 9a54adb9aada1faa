"""Before the first report: which mechanism, how many people, what a report can tell."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import NamedTuple, Optional, Union

from . import _core
from ._collection import Collection, _count
from ._core import PodiumError


@dataclass(frozen=True)
class Plan:
    """How many people report with which collection, and how near the estimate then is"""

    collection: Collection
    people: float
    within: float
    confidence: float
    about: str

    def __repr__(self) -> str:
        return f"<Plan: {self}>"

    def __str__(self) -> str:
        return (
            f"{self.people:.0f} people: {self.about} within {self.within:.3g} "
            f"({100 * self.confidence:g}%), {self.collection}"
        )


def plan(
    collection: Union[Collection, str],
    *,
    people: Optional[float] = None,
    within: Optional[float] = None,
    confidence: float = 0.95,
    spread: float = 0.25,
    quantile: Optional[float] = None,
    bins: Optional[int] = None,
) -> Plan:
    """Computes the error from the people, or the people from the error; given both, the least epsilon that is enough.

    >>> needed = plan("minimax epsilon=1 range=1:120", within=2)
    >>> round(plan(needed.collection, people=needed.people).within, 2)
    2.0
    >>> plan("minimax epsilon=1 range=1:120", people=10_000, within=2).collection.epsilon > 1
    True

    Parameters
    ----------
    people, within
        How many people report, and half the width of the interval. Give one or both.
    spread
        What is known of the values: their mean square about the middle, in units of the squared width of the range. 1/4
        covers all values.
    quantile, bins
        Plan for the limits of this quantile, or of the shares of that many bins, instead of the mean.
    """
    c = collection if isinstance(collection, Collection) else Collection(collection)
    if people is None and within is None:
        raise PodiumError("give people or within; the other one is computed")
    if quantile is not None and bins is not None:
        raise PodiumError("give quantile or bins, not both")
    if quantile is not None or bins is not None:
        return _plan_shape(c, people, within, confidence, quantile, bins)
    if within is None and people is not None:
        return Plan(c, people, _core.plan_error(c._handle, people, spread, confidence), confidence, "mean")
    if people is None and within is not None:
        return Plan(c, _core.plan_people(c._handle, within, spread, confidence), within, confidence, "mean")
    assert people is not None and within is not None
    epsilon = _core.plan_epsilon(c._handle, people, within, spread, confidence)
    return Plan(_with_epsilon(c, epsilon), people, within, confidence, "mean")


def _with_epsilon(c: Collection, epsilon: float) -> Collection:
    facts = c._facts
    return Collection(
        epsilon=epsilon, range=c.range, mechanism=c.mechanism, spread=facts["spread"], cells=facts["cells"]
    )


def _plan_shape(
    c: Collection,
    people: Optional[float],
    within: Optional[float],
    confidence: float,
    quantile: Optional[float],
    bins: Optional[int],
) -> Plan:
    if people is not None and within is not None:
        raise PodiumError("for a quantile or bins, give people or within, not both")
    about = f"quantile {quantile:g}" if quantile is not None else f"{bins} bins"
    if people is not None:
        if quantile is not None:
            found = _core.plan_quantile(c._handle, people, quantile, confidence)
        else:
            found = _core.plan_histogram(c._handle, people, _count("bins", bins), confidence)
        return Plan(c, people, found, confidence, about)
    if quantile is not None:
        needed = _core.plan_quantile_people(c._handle, within or 0, quantile, confidence)
    else:
        needed = _core.plan_histogram_people(c._handle, within or 0, _count("bins", bins), confidence)
    return Plan(c, needed, within or nan, confidence, about)


class Noise(NamedTuple):
    """The noise of a mechanism: variances of a report, and the error of the distribution"""

    mechanism: str
    summary: str
    worst: float
    uniform: float
    middle: float
    distribution: float
    code_bytes: int


def compare(*, epsilon: float, range: tuple[float, float], spread: float = 0.0, cells: int = 0) -> list[Noise]:
    """The noise of every mechanism with this epsilon and range, in the library's order.

    >>> best = min(compare(epsilon=1, range=(1, 120)), key=lambda row: row.worst)
    >>> best.mechanism
    'minimax'
    """
    rows = []
    for name, summary, parameter in _core.mechanisms():
        own_spread, own_cells = spread if parameter == "spread" else 0.0, cells if parameter == "cells" else 0
        c = Collection(epsilon=epsilon, range=range, mechanism=name, spread=own_spread, cells=own_cells)
        worst, uniform, middle, distribution = (_core.noise(c._handle, objective) for objective in (0, 1, 2, 3))
        rows.append(Noise(name, summary, worst, uniform, middle, distribution, c.code_bytes))
    return rows


class Odds(NamedTuple):
    """What somebody believed with the probability `prior` before a report is believed afterwards from least to most."""

    prior: float
    least: float
    most: float


class Example(NamedTuple):
    """Of the reports of this value, a share lies from lower to upper."""

    value: float
    share: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Explanation:
    """What a report can tell about a person"""

    collection: str
    epsilon: float
    factor: float
    strength: str
    odds: tuple[Odds, ...]
    examples: tuple[Example, ...]

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        lines = [
            f"{self.collection}: {self.strength} protection. "
            f"A report changes odds by a factor of at most {self.factor:.3g}."
        ]
        lines += [
            f"  What was {o.prior:.0%} likely is then from {o.least:.1%} to {o.most:.1%} likely." for o in self.odds
        ]
        lines += [
            f"  Of ten people whose number is {e.value:g}, about {10 * e.share:.0f} report "
            f"from {e.lower:.4g} to {e.upper:.4g}."
            for e in self.examples
        ]
        return "\n".join(lines)


def explain(collection: Union[Collection, str]) -> Explanation:
    """What a report can tell about a person, in numbers and in words.

    >>> explain("minimax epsilon=1 range=1:120").strength
    'strong'
    """
    c = collection if isinstance(collection, Collection) else Collection(collection)
    promises = [_core.promise(c.epsilon, prior) for prior in (0.01, 0.1, 0.5)]
    examples = tuple(Example(x, 0.8, *_core.span(c._handle, x, 0.8)) for x in c.range)
    odds = tuple(Odds(prior, least, most) for _, prior, least, most, _ in promises)
    return Explanation(c.spec, c.epsilon, promises[0][0], promises[0][4], odds, examples)
