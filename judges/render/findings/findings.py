"""Findings as data: sentences, tables and plots, which say the same on a page and in a report.

A module beside this one makes the findings of one statistic from its figures. `pages/ui/findings.py` draws them with
Streamlit, `judges/render/findings/as_html.py` as HTML. A template is ours and has places for values, which are only
ever shown as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from judges.render.svg import IntervalRow, Series
from judges.stats.confidence import ReliabilityLevel
from judges.stats.uncertainty import Interval

Kind = Literal["plain", "quiet", "warning"]


@dataclass(frozen=True)
class Sentence:
    """Our own text, with **strong** parts and placeholders for values; `quiet` marks a remark, a warning stands out."""

    template: str
    values: Mapping[str, object]
    kind: Kind = "plain"


def say(template: str, /, **values: object) -> Sentence:
    """A sentence that a reader should not miss."""
    return Sentence(template, values)


def quiet(template: str, /, **values: object) -> Sentence:
    """A remark on the figures: the data behind them, and how they were computed."""
    return Sentence(template, values, "quiet")


def warn(template: str, /, **values: object) -> Sentence:
    """A warning: why the figures may be misleading."""
    return Sentence(template, values, "warning")


def sentence_text(sentence: Sentence) -> str:
    """A sentence as plain text, for a terminal."""
    return sentence.template.replace("**", "").format(**sentence.values)


@dataclass(frozen=True)
class Column:
    """The display of a column of a table.

    `shape` is the format of its numbers (".3f", "+.2f", ".0%", ","), "" for texts; `help` says what they mean, `title`
    is the heading where it is not the column's key, `width` its width on a page in pixels, or in Streamlit's words.
    """

    shape: str = ""
    help: str = ""
    title: str = ""
    width: int | Literal["large"] | None = None


COUNT = Column(",")
"""A column of counts."""
SHARE = Column(".0%")
"""A column of shares, from 0 to 1."""


@dataclass(frozen=True)
class Table:
    """Rows with the same keys; a figure that does not exist is None. `columns` has those that need a format."""

    rows: Sequence[Mapping[str, object]]
    columns: Mapping[str, Column] = field(default_factory=dict)
    caption: str = ""


@dataclass(frozen=True)
class Measures:
    """The main figures, each as (name, value in words, what it means)."""

    figures: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Intervals:
    """Figures with their intervals, a row each, and a dashed line at `mark`, which is called `marked`.

    The axis covers `reach` at least. `title` is what the plot is called where it stands alone.
    """

    rows: Sequence[IntervalRow]
    mark: float | None = None
    marked: str = ""
    reach: tuple[float, float] = (0.0, 1.0)
    title: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Confusion:
    """A table of agreement as a picture: K x K counts, rows = people, columns = judge."""

    counts: Any
    answers: Sequence[str]
    title: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Marginals:
    """The shares of each answer, by people and by the judge."""

    people: Sequence[float]
    judge: Sequence[float]
    answers: Sequence[str]
    title: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Growth:
    """A figure over the number of items that it is from, with its band.

    `forecast` is the forecast with more items, `target` a line to reach, which is called `target_name`.
    """

    observed: Sequence[Interval]
    forecast: Sequence[Interval] = ()
    target: float = 0.0
    target_name: str = ""
    title: str = ""
    caption: str = ""


@dataclass(frozen=True)
class ReliabilityDiagram:
    """Accuracy at each level of confidence, beside the line of perfect calibration."""

    levels: Sequence[ReliabilityLevel]
    title: str = ""
    caption: str = ""


@dataclass(frozen=True)
class LineChart:
    """Lines over x, each with a band where it has ends, and a dashed line at `mark`."""

    series: Sequence[Series]
    x: str = ""
    y: str = ""
    mark: float | None = None
    title: str = ""
    caption: str = ""


Plot = Intervals | Confusion | Marginals | Growth | ReliabilityDiagram | LineChart
Finding = Sentence | Table | Measures | Plot


# -- plots that only a page draws, with plotly ------------------------------------------------------------------------


@dataclass(frozen=True)
class Radar:
    """Several figures of each of a few things: an axis a figure, from the centre `reach[0]` outwards.

    `series` are (name, a value for each of `axes`, None where there is none).
    """

    axes: Sequence[str]
    series: Sequence[tuple[str, Sequence[float | None]]]
    reach: tuple[float, float]


@dataclass(frozen=True)
class Bubbles:
    """The number of times two values meet: (x, y, number); both axes cover `reach`, and are equal on the diagonal."""

    points: Sequence[tuple[float, float, int]]
    x: str
    y: str
    reach: tuple[float, float]


@dataclass(frozen=True)
class WaterfallChart:
    """The way from one figure to another: `start` and `end` are (name, value), `steps` (name, change, in words).

    `shape` is the format of the figures.
    """

    start: tuple[str, float]
    steps: Sequence[tuple[str, float, str]]
    end: tuple[str, float]
    shape: str = ".3f"
