"""The known failures of judges, one module each: the figure, when it is an alarm, and the items behind it.

Every module of this folder that defines `AUDIT = Audit(...)` is found as an audit. It can also define `AUDITS`, a tuple
of audits that look at the same thing. docs/methods.md, Audits, has a table of all, and the formulas.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from judges.card import Card, Item, describe_origin
from judges.errors import BadCard
from judges.params import CombinationRule
from judges.protocols.combination import combine_on_scale, nearest_answer
from judges.stats.uncertainty import Interval
from judges.types import Reading, Remark, Score

Verdict = Literal["pass", "warning", "alarm", "not tested"]
Cell = tuple[str, str, str]
"""(item, unit, dimension)"""
MAX_POINTS = 1000
"""The most points of a picture; beyond it every k-th point is shown."""


@dataclass(frozen=True, slots=True)
class AuditReply:
    """One judgment: the item's key, the part and the sample that it is about, and the reading of the reply."""

    item: str
    reading: Reading
    part: str = ""
    sample: int = 0


@dataclass(frozen=True)
class AuditEvidence:
    """All data that an audit may use: one judge (a card, a model) on one set of items.

    `probes`: replies of the same judge to items changed by a probe, by probe name; `others`: replies of other judges to
    the same items, by model (other parameters of the same model are not among them); `gold`: what people say in a cell
    (None = n/a); `fits`: whether a person found that a justification fits its score; `model`: the judge's model.
    """

    card: Card
    model: str
    items: Mapping[str, Item]
    replies: Sequence[AuditReply]
    probes: Mapping[str, Sequence[AuditReply]] = field(default_factory=dict)
    others: Mapping[str, Sequence[AuditReply]] = field(default_factory=dict)
    gold: Mapping[Cell, float | None] = field(default_factory=dict)
    fits: Mapping[Cell, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flag:
    """An item behind a finding, with place and reason. `strength` (0..1) orders the flags and the review queue."""

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

    @classmethod
    def bars(cls, x: str, y: str, *heights: tuple[str, float | None], mark: float | None = None) -> Plot:
        """A picture of named heights; those that do not exist are left out."""
        bars = [(name, height) for name, height in heights if height is not None]
        names, values = tuple(name for name, _ in bars), tuple(float(height) for _, height in bars)
        return cls("bars", x, y, (("", names, values),), mark)

    @classmethod
    def points(cls, x: str, y: str, pairs: Sequence[tuple[float, float]]) -> Plot:
        """A picture of points; if there are very many, they are thinned evenly."""
        thin = pairs[:: -(-len(pairs) // MAX_POINTS)] if pairs else pairs
        return cls("points", x, y, (("", tuple(float(p[0]) for p in thin), tuple(float(p[1]) for p in thin)),))


@dataclass(frozen=True)
class AuditFinding:
    """The finding of an audit: a figure (with its interval if it is a rate), the verdict, and why in one sentence."""

    verdict: Verdict
    why: str
    figure: float | None = None
    interval: Interval | None = None
    n: int = 0
    flags: tuple[Flag, ...] = ()
    plot: Plot | None = None


@dataclass(frozen=True)
class Audit:
    """A known failure. `measures` describes the figure, `alarm` when it is an alarm ({threshold} is the limit).

    `threshold` is the default limit, which a workspace may change; None means that there is no limit to set. `probe` is
    the probe run that it needs ("" none; "second judge": another model on the same items; "both orders": the judge
    itself, asked in both; "gold", "fits": answers of people).
    """

    name: str
    title: str
    measures: str
    alarm: str
    threshold: float | None
    find: Callable[[AuditEvidence, float], AuditFinding]
    probe: str = ""


def combine_replies(replies: Sequence[AuditReply], card: Card, rule: CombinationRule) -> list[AuditReply]:
    """The replies, with all samples of one item and part combined into one by the judge's rule; each has sample 0.

    A value between two answers becomes the nearest answer, which is what people are shown. Confidence is the median
    (the lower of two middle ones). Notes and issues are those of the first reply that could be used. A broken rule in
    any of the replies counts. If no reply could be used, the reason is that of the first.
    """
    by_part: dict[tuple[str, str], list[AuditReply]] = {}
    for reply in sorted(replies, key=lambda r: r.sample):
        by_part.setdefault((reply.item, reply.part), []).append(reply)
    return [_as_one(samples, card, rule) if len(samples) > 1 else samples[0] for samples in by_part.values()]


def _as_one(samples: Sequence[AuditReply], card: Card, rule: CombinationRule) -> AuditReply:
    used = [reply.reading for reply in samples if reply.reading.unscored is None]
    if len(used) < 2:
        return replace(samples[0], reading=used[0] if used else samples[0].reading, sample=0)
    cells: dict[tuple[str, str], list[Score]] = {}
    for reading in used:
        for score in reading.scores:
            cells.setdefault((score.unit, score.dimension), []).append(score)
    scores = []
    for (unit, name), cell_scores in cells.items():
        dimension = card.dimension(name, unit)
        if dimension is None:
            scores.append(cell_scores[0])
            continue
        scale = dimension.scale
        value = combine_on_scale([s.value for s in cell_scores], rule, scale)
        value = nearest_answer(value) if value is not None and scale.size else value
        sure = sorted((s for s in cell_scores if s.confidence is not None), key=lambda s: s.confidence or 0.0)
        middle = sure[(len(sure) - 1) // 2] if sure else cell_scores[0]
        scores.append(Score(unit, name, value, middle.confidence, middle.source))
    rules: dict[tuple[str, str, str], Remark] = {}
    for reading in used:
        for remark in reading.remarks:
            if remark.sort == "rule":
                rules.setdefault((remark.unit, remark.dimension, _shape(card, remark)), remark)
    remarks = (*(r for r in used[0].remarks if r.sort != "rule"), *rules.values())
    facts = {name: value for reading in reversed(used) for name, value in reading.facts.items()}
    combined = replace(used[0], scores=tuple(scores), remarks=remarks, facts=facts)
    return AuditReply(samples[0].item, combined, samples[0].part)


def _shape(card: Card, remark: Remark) -> str:
    """The text of a broken rule without its values, so that the same rule in two samples gives one finding."""
    dimension = card.dimension(remark.dimension, remark.unit) if remark.dimension else None
    words = dimension.scale.answers if dimension is not None else []
    values = sorted((re.escape(word) for word in words if not word[:1].isdigit()), key=len, reverse=True)
    return re.sub("|".join([r"\d+(?:\.\d+)?", *(rf"\b{value}\b" for value in values)]), "#", remark.text)


@cache
def all_audits() -> dict[str, Audit]:
    """Every audit in this folder, by name."""
    names = [m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]
    modules = [importlib.import_module(f"judges.audits.{name}") for name in sorted(names)]
    every = [audit for module in modules for audit in getattr(module, "AUDITS", None) or (module.AUDIT,)]
    return {audit.name: audit for audit in every}


def run_audits(evidence: AuditEvidence, thresholds: Mapping[str, float]) -> dict[str, AuditFinding]:
    """Return the finding of each audit of the judge's card, by the audit's name; `thresholds` replace the defaults.

    Raises BadCard if the card names an audit that does not exist.
    """
    known = all_audits()
    if strange := unknown_audits(evidence.card):
        raise BadCard(strange)
    return {
        name: known[name].find(evidence, thresholds.get(name, known[name].threshold or 0.0))
        for name in evidence.card.audits
    }


def unknown_audits(card: Card) -> str:
    """A sentence that names the audits of a card that do not exist; "" if all of them exist."""
    strange = [name for name in card.audits if name not in all_audits()]
    if not strange:
        return ""
    audit_names = ", ".join(all_audits())
    return f"{describe_origin(card)}: there is no audit {', '.join(map(repr, strange))}. There are: {audit_names}."
