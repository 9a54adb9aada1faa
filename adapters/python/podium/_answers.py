"""Answers: what the library says, as Python objects. Nothing here computes a statistic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from html import escape
from typing import Any, NamedTuple, Optional


class Quantile(NamedTuple):
    """The value below which a share p of the values lies, and its limits"""

    p: float
    value: float
    lower: float
    upper: float


class Share(NamedTuple):
    """The share of the values below x, and its limits"""

    x: float
    share: float
    lower: float
    upper: float


class Bin(NamedTuple):
    """One of equal parts of the range, the share of the values in it, and the limits of the share"""

    start: float
    stop: float
    share: float
    lower: float
    upper: float


def _number(x: float) -> str:
    return f"{x:.6g}"


@dataclass(frozen=True)
class Summary:
    """What an aggregate says about the values. What it cannot say is NaN, and ``withheld`` has the reason."""

    collection: str
    range: tuple[float, float]
    count: int
    refused: int
    confidence: float
    interval: str
    about: str
    mean: float
    standard_error: float
    lower: float
    upper: float
    variance: float
    standard_deviation: float
    mean_is_outside: bool
    influence: float
    quantiles: tuple[Quantile, ...]
    below: tuple[Share, ...]
    bins: tuple[Bin, ...]
    withheld: Mapping[str, str]

    @classmethod
    def _from(cls, spec: str, limits: tuple[float, float], made: dict[str, Any], shows_bins: bool) -> Summary:
        made["quantiles"] = tuple(map(Quantile._make, made["quantiles"]))
        made["below"] = tuple(map(Share._make, made["below"]))
        made["bins"] = tuple(map(Bin._make, made["bins"])) if shows_bins else ()
        return cls(collection=spec, range=limits, **made)

    def __repr__(self) -> str:
        return f"<Summary: {self}>"

    def __str__(self) -> str:
        if "mean" in self.withheld:
            return f"no mean ({self.withheld['mean']})"
        if "interval" in self.withheld:
            return f"mean {_number(self.mean)}, no interval ({self.withheld['interval']})"
        return (
            f"mean {_number(self.mean)}, between {_number(self.lower)} and {_number(self.upper)} "
            f"({100 * self.confidence:g}% {self.interval}, {self.about}, {self.count} reports)"
        )

    def to_frame(self, part: Optional[str] = None) -> Any:
        """A pandas DataFrame: one row with the numbers, or the rows of ``"quantiles"``, ``"bins"`` or ``"below"``."""
        import pandas

        kinds: dict[str, tuple[Any, list[str]]] = {
            "quantiles": (self.quantiles, list(Quantile._fields)),
            "bins": (self.bins, list(Bin._fields)),
            "below": (self.below, list(Share._fields)),
        }
        if part is None:
            return pandas.DataFrame([dict(self._numbers())])
        if part not in kinds:
            raise ValueError("part must be 'quantiles', 'bins' or 'below'")
        rows, columns = kinds[part]
        return pandas.DataFrame(list(rows), columns=columns)

    def _numbers(self) -> list[tuple[str, Any]]:
        others = ("range", "quantiles", "below", "bins", "withheld")
        return [(f.name, getattr(self, f.name)) for f in fields(self) if f.name not in others]

    def _repr_html_(self) -> str:
        rows = [(name, _number(value) if isinstance(value, float) else str(value)) for name, value in self._numbers()]
        for q in self.quantiles:
            rows.append((f"quantile {q.p:g}", f"{_number(q.value)} ({_number(q.lower)} to {_number(q.upper)})"))
        for s in self.below:
            rows.append((f"share below {s.x:g}", f"{s.share:.4f} ({s.lower:.4f} to {s.upper:.4f})"))
        rows += [(f"no {part}", reason) for part, reason in self.withheld.items()]
        named = [(escape(name.replace("_", " ")), escape(text)) for name, text in rows]
        return f"<table>{''.join(f'<tr><th>{name}</th><td>{text}</td></tr>' for name, text in named)}</table>"

    def plot(self, ax: Any = None) -> Any:
        """Draws the mean with its interval, and the bins with their limits. Returns the axes of matplotlib."""
        if ax is None:
            import matplotlib.pyplot

            ax = matplotlib.pyplot.subplots()[1]
        known = [b for b in self.bins if b.share == b.share]
        if known:
            _draw_bins(ax, known)
        else:
            ax.set_yticks([])
        ax.axvspan(self.lower, self.upper, color="#d55e00", alpha=0.25, lw=0)
        ax.axvline(self.mean, color="#d55e00", label=f"mean, {100 * self.confidence:g}% {self.interval}")
        ax.set_xlim(*self.range)
        ax.set_xlabel(self.collection)
        ax.legend()
        return ax


def _draw_bins(ax: Any, bins: list[Bin]) -> None:
    middles = [(b.start + b.stop) / 2 for b in bins]
    errors = [[max(0.0, b.share - b.lower) for b in bins], [max(0.0, b.upper - b.share) for b in bins]]
    shares, widths = [b.share for b in bins], [b.stop - b.start for b in bins]
    ax.bar(middles, shares, width=widths, color="#0072b2", alpha=0.6, edgecolor="white")
    ax.errorbar(middles, shares, yerr=errors, fmt="none", ecolor="#333333", elinewidth=1)
    ax.set_ylabel("share of the values")
    ax.set_ylim(bottom=0)


@dataclass(frozen=True)
class Difference:
    """The mean of one group minus that of another. What is not known is NaN, and ``withheld`` has the reason."""

    confidence: float
    interval: str
    population: bool
    difference: float
    standard_error: float
    lower: float
    upper: float
    p_value: float
    withheld: Mapping[str, str]

    def __str__(self) -> str:
        if self.withheld:
            return f"difference {_number(self.difference)}, no interval ({next(iter(self.withheld.values()))})"
        return (
            f"difference {_number(self.difference)}, between {_number(self.lower)} and {_number(self.upper)} "
            f"({100 * self.confidence:g}% {self.interval}), p = {self.p_value:.3g}"
        )
