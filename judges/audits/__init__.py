"""The known failures of judges, one file each: what is measured, when it is an alarm, and the items behind it.

An audit is found by being here: a module of this folder with `AUDIT = Audit(...)`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from judges.card import Card, Item
from judges.errors import BadCard
from judges.folders import place
from judges.types import Reading
from judges.uncertainty import Interval

Verdict = Literal["fine", "look", "alarm", "cannot tell yet"]
Cell = tuple[str, str, str]
"""(item, unit, dimension)"""


@dataclass(frozen=True, slots=True)
class Reply:
    """One judgment of the judge: the item's key, the part and sample it is about, and what it was read as."""

    item: str
    reading: Reading
    part: str = ""
    sample: int = 0


@dataclass(frozen=True)
class Evidence:
    """All that an audit may look at: one judge (a card, a model) on one set of items.

    `probes`: replies of the same judge to items changed by a probe, by probe name; `others`: replies of other judges to
    the same items, by model (other parameters of the same model are not among them); `gold`: what people say in a cell
    (None = n/a); `fits`: whether a person found that a justification fits its score; `model`: the judge's model;
    `raws`: the judge's raw replies by item, where orders or windows are compared.
    """

    card: Card
    model: str
    items: Mapping[str, Item]
    replies: Sequence[Reply]
    probes: Mapping[str, Sequence[Reply]] = field(default_factory=dict)
    others: Mapping[str, Sequence[Reply]] = field(default_factory=dict)
    gold: Mapping[Cell, float | None] = field(default_factory=dict)
    fits: Mapping[Cell, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flag:
    """An item behind a finding, where in it, and why in words. `strength` in 0..1 orders them, and the review queue."""

    item: str
    text: str
    unit: str = ""
    dimension: str = ""
    strength: float = 0.5


@dataclass(frozen=True)
class Plot:
    """The picture that shows a finding. `bars`: a height per label; `points`: x against y; `lines`: y over x.

    Each series is (name, xs, ys); for bars the xs are labels. `mark` is a horizontal (bars, lines) threshold.
    """

    kind: Literal["bars", "points", "lines"]
    x: str
    y: str
    series: tuple[tuple[str, tuple[str | float, ...], tuple[float, ...]], ...]
    mark: float | None = None


@dataclass(frozen=True)
class Finding:
    """What an audit found: a figure (with its interval where it is a rate), the verdict, and why in one sentence."""

    verdict: Verdict
    why: str
    figure: float | None = None
    interval: Interval | None = None
    n: int = 0
    flags: tuple[Flag, ...] = ()
    plot: Plot | None = None


@dataclass(frozen=True)
class Audit:
    """A known failure. `measures` says what the figure is, `alarm` when it is one, with {threshold} for the limit.

    `threshold` is the default limit, which a workspace may change; None: there is none to set. `probe` is the probe run
    that it needs ("" none; "second judge": another model on the same items; "both orders": the judge itself, asked in
    both; "gold", "fits": answers of people).
    """

    name: str
    title: str
    measures: str
    alarm: str
    threshold: float | None
    find: Callable[[Evidence, float], Finding]
    probe: str = ""


@cache
def audits() -> dict[str, Audit]:
    """Every audit in this folder, by name."""
    found = [m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]
    loaded = [getattr(importlib.import_module(f"judges.audits.{name}"), "AUDIT", None) for name in sorted(found)]
    return {audit.name: audit for audit in loaded if audit is not None}


def audit(evidence: Evidence, thresholds: Mapping[str, float]) -> dict[str, Finding]:
    """What every audit of the judge's card finds, by name; `thresholds` replace the defaults.

    Raises BadCard where the card names an audit that there is not.
    """
    known = audits()
    if strange := unknown(evidence.card):
        raise BadCard(strange)
    return {
        name: known[name].find(evidence, thresholds.get(name, known[name].threshold or 0.0))
        for name in evidence.card.audits
    }


def unknown(card: Card) -> str:
    """In a sentence, which of a card's audits there are not; "" where all of them are there."""
    strange = [name for name in card.audits if name not in audits()]
    if not strange:
        return ""
    there = ", ".join(audits())
    return f"{place(card)}: there is no audit {', '.join(map(repr, strange))}. There are: {there}."
