"""Answers: what the library says, as Python objects. Nothing here computes a statistic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from html import escape
from math import floor, isnan, log10
from typing import Any, NamedTuple, Optional

# Colours that remain different for people who see few colours, from the palette of Okabe and Ito
_BLUE, _VERMILION = "#0072b2", "#d55e00"


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


def _rounded(x: float, error: float) -> str:
    """A number with the digits that its standard error leaves meaningful, as the program prints it"""
    if isnan(x):
        return "unknown"
    return f"{x:.{max(1 - floor(log10(error)), 0)}f}" if 1e-12 < error < 1e15 else f"{x:.6g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


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
            return f"mean {self._text(self.mean)}, no interval ({self.withheld['interval']})"
        return (
            f"mean {self._text(self.mean)}, between {self._text(self.lower)} and {self._text(self.upper)} "
            f"({100 * self.confidence:g}% {self.interval}, {self.about}, {self.count} reports)"
        )

    def _text(self, x: float) -> str:
        return _rounded(x, self.standard_error)

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
        head = ("", "estimate", f"{100 * self.confidence:g}% limits")
        lines = [f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>"]
        for name, *cells in self._rows():
            lines.append(f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
        return f"<table><caption>{escape(self.collection)}</caption>{''.join(lines)}</table>"

    def _rows(self) -> list[tuple[str, str, str]]:
        """The rows of the table: a name, the estimate, and its limits or why there are none"""
        rows = [("reports", f"{self.count:,}", "")]
        if self.refused:
            rows.append(("refused", f"{self.refused:,}", "they cannot be reports of this collection"))
        rows += [("mean", self._text(self.mean), self._mean_limits())]
        if not isnan(self.mean):
            rows += [("standard error", self._text(self.standard_error), "")]
            rows += [("standard deviation", self._text(self.standard_deviation), self.withheld.get("spread", ""))]
        if not isnan(self.influence):
            rows.append(("influence of dishonest reports", self._text(self.influence), "at most"))
        return rows + self._distribution_rows()

    def _mean_limits(self) -> str:
        why = self.withheld.get("mean") or self.withheld.get("interval")
        if why:
            return why
        outside = "; outside the range, so hardly reports of this collection" if self.mean_is_outside else ""
        return f"{self._text(self.lower)} to {self._text(self.upper)} ({self.interval}, {self.about}){outside}"

    def _distribution_rows(self) -> list[tuple[str, str, str]]:
        if "distribution" in self.withheld:
            return [("distribution", "unknown", self.withheld["distribution"])]
        rows = [
            (f"quantile {q.p:g}", self._text(q.value), f"{self._text(q.lower)} to {self._text(q.upper)}")
            for q in self.quantiles
        ]
        return rows + [
            (f"share below {s.x:g}", _percent(s.share), f"{_percent(s.lower)} to {_percent(s.upper)}")
            for s in self.below
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draws the mean with its interval, and the bins with their limits. Returns the axes of matplotlib."""
        if ax is None:
            import matplotlib.pyplot

            ax = matplotlib.pyplot.subplots()[1]
        known = [b for b in self.bins if not isnan(b.share)]
        if known:
            _draw_bins(ax, known, f"share, {100 * self.confidence:g}% limits")
        else:
            ax.set_yticks([])
            why = self.withheld.get("distribution", "")
            ax.text(0.5, 0.5, why, transform=ax.transAxes, ha="center", backgroundcolor="white")
        if not isnan(self.mean):
            self._draw_mean(ax)
        ax.set_xlim(*self.range)
        ax.set_title(self.collection, fontsize="medium")
        if ax.get_legend_handles_labels()[1]:
            ax.legend(frameon=False)
        return ax

    def _draw_mean(self, ax: Any) -> None:
        label = f"mean {self._text(self.mean)}"
        if not isnan(self.lower):
            label += f", {100 * self.confidence:g}% {self._text(self.lower)} to {self._text(self.upper)}"
            ax.axvspan(self.lower, self.upper, color=_VERMILION, alpha=0.25, lw=0)
        ax.axvline(self.mean, color=_VERMILION, label=label)


def _draw_bins(ax: Any, bins: list[Bin], label: str) -> None:
    middles = [(b.start + b.stop) / 2 for b in bins]
    errors = [[max(0.0, b.share - b.lower) for b in bins], [max(0.0, b.upper - b.share) for b in bins]]
    shares, widths = [b.share for b in bins], [b.stop - b.start for b in bins]
    ax.bar(middles, shares, width=widths, color=_BLUE, alpha=0.5, edgecolor="white", label=label)
    ax.errorbar(middles, shares, yerr=errors, fmt="none", ecolor="#333333", elinewidth=1)
    ax.set_ylabel("share of the values")
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
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

    def __repr__(self) -> str:
        return f"<Difference: {self}>"

    def __str__(self) -> str:
        if self.withheld:
            return f"difference {self._text(self.difference)}, no interval ({next(iter(self.withheld.values()))})"
        return (
            f"difference {self._text(self.difference)}, between {self._text(self.lower)} and {self._text(self.upper)} "
            f"({100 * self.confidence:g}% {self.interval}), p = {self.p_value:.3g}"
        )

    def _text(self, x: float) -> str:
        return _rounded(x, self.standard_error)
