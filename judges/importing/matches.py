"""Judges paired with people, from plain files: Assay's own lines, its exports, or a table of columns."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from judges.audits import AuditReply, Cell
from judges.authoring.recipe import recipe_scale
from judges.authoring.scale_inference import parse_answer, survey
from judges.card import Card, Item
from judges.cards import cards
from judges.errors import BadScale, UnknownCard
from judges.examples import is_example
from judges.importing.contents import ExportedValue, FileContents
from judges.importing.judged_files import (
    AmbiguousJudge,
    JudgeKey,
    answers_by_cell,
    answers_by_person,
    items_of_units,
    judge_key,
    judge_of,
    named_judges,
    placeholder_items,
    read_replies,
    resolve_cells,
)
from judges.importing.line_files import BadLines
from judges.importing.lines import LabelLine
from judges.params import CombinationRule, Params
from judges.protocols.combination import combination_rule
from judges.types import Dimension, Kind, Reading, Scale, Score, Strict, UnitSort, sort_of

_KINDS: dict[str, Kind] = {"turn": "dialogue", "conversation": "dialogue", "response": "response"}


@dataclass(frozen=True)
class JudgeMatch:
    """One judge paired with people: its replies, the gold of every cell with its answers, and how samples combine.

    `card` asks the dimensions; `items` are the items; `voices` are each person's answers in a cell.
    `asked_parts` are the (item, part) that the judge was asked about; about others it gave only the cells in `named`.
    `left_out` counts replies that are left out. `assumptions` are sentences on how the data was interpreted, and
    `basis` says whose labels these are.
    """

    judge: str
    card: Card
    replies: list[AuditReply]
    people: dict[Cell, float | None]
    labels: dict[Cell, list[float | None]]
    rule: CombinationRule
    basis: str
    assumptions: tuple[str, ...] = ()
    items: Mapping[str, Item] = field(default_factory=dict)
    voices: Mapping[tuple[Cell, str], float | None] = field(default_factory=dict)
    asked_parts: frozenset[tuple[str, str]] = frozenset()
    named: frozenset[Cell] = frozenset()
    left_out: int = 0


def match_judges(
    files: FileContents, items: Mapping[str, Item], card: str | None, words: str, card_of: Callable[[str], Card]
) -> list[JudgeMatch]:
    """The judges of the files, paired with the labels or the gold of the files.

    The result has all judges of Assay's own lines, or the judges of a card that words name (a model, or
    "temperature=0.7"; see `named_judges`). `items` are those given with their texts; `card_of` gives the card of a name
    if the files contain none. Raises AmbiguousJudge if there is no judge, BadLines.
    """
    line_judges = dict.fromkeys(judge_of(line) for lines in files.judgments.values() for _, line in lines)
    by_value: dict[JudgeKey, list[ExportedValue]] = defaultdict(list)
    for value in files.scores:
        by_value[_judge(value)].append(value)
    usual = [judge for judge in (*line_judges, *(j for j in by_value if j not in line_judges)) if not judge.probe]
    chosen = named_judges(usual, card, words)
    names = "; ".join(judge.title for judge in usual[:8])
    if not usual:
        reason = "all judgments in the files are of probes" if line_judges else "the files hold no judgments"
        raise AmbiguousJudge(f"There is no judge: {reason}. Give the judge's usual judgments or scores too.")
    if not chosen:
        raise AmbiguousJudge(f"There is no judge of that card, model and parameters. There are: {names}.")
    if not (files.labels or files.gold):
        raise AmbiguousJudge("The files hold no labels and no gold: give people's labels too.")
    return [
        _by_lines(files, items, judge, card_of) if judge in line_judges else _by_values(files, judge, by_value[judge])
        for judge in chosen
    ]


def _judge(value: ExportedValue) -> JudgeKey:
    card, model, version = (str(value.row.get(name) or "") for name in ("card", "model", "card_version"))
    return judge_key(card, model, value.params, version)


def _by_lines(
    files: FileContents, items: Mapping[str, Item], judge: JudgeKey, card_of: Callable[[str], Card]
) -> JudgeMatch:
    """A judge that has judgments in the files."""
    known = files.cards.get(judge.version) or card_of(judge.card)
    rows = {
        path: [(n, line) for n, line in lines if judge_of(line) == judge] for path, lines in files.judgments.items()
    }
    named = [(label.item, label.unit) for lines in files.labels.values() for _, label in lines]
    named += [(value.item, value.unit) for value in (*files.gold, *files.decided)]
    known_items: Mapping[str, Item] = {**files.items, **items} or placeholder_items(
        known, [pair for lines in rows.values() for pair in lines], named
    )
    replies = [
        reply for path, lines in rows.items() if lines for reply in read_replies(path, lines, known, known_items)
    ]
    lines = [line for pairs in rows.values() for _, line in pairs]
    reply_keys = frozenset((line.item, line.part) for line in lines if line.scores is None)
    if files.asked:
        reply_keys = frozenset((item, "") for item in files.asked)
        replies += [AuditReply(item, Reading()) for item in sorted(files.asked - {line.item for line in lines})]
    named_cells = frozenset((line.item, s.unit, s.dimension) for line in lines for s in line.scores or ())
    others = [judge_of(line) for pairs in files.judgments.values() for _, line in pairs]
    left_out = sum(other != judge and other.asked_anyhow == judge.asked_anyhow for other in others if not other.probe)
    judge_match = _match(files, known, judge, replies, known_items, complete=bool(items))
    return replace(judge_match, asked_parts=reply_keys, named=named_cells, left_out=left_out)


def _by_values(files: FileContents, judge: JudgeKey, values: list[ExportedValue]) -> JudgeMatch:
    """A judge that has scores in an export of Assay, each with its code on the scale.

    If its card is not known here, the words count, and the scales are inferred from all values, the judge's and
    people's.
    """
    dimension_keys = dict.fromkeys((sort_of(v.unit), v.dimension) for v in values)
    known = files.cards.get(judge.version) or cards().get(judge.card)
    words = known is None or not dimension_keys.keys() <= {(d.sort, d.name) for d in known.dimensions}
    if known is None or words:
        kind: Kind = next((_KINDS.get(sort, "pair") for sort, _ in dimension_keys), "response")
        known = _card(judge.card, kind, _dimensions(files, dimension_keys, values))
    samples: dict[tuple[str, int], list[Score]] = defaultdict(list)
    for v in values:
        dimension = known.dimension(v.dimension, v.unit)
        if dimension is not None:
            code = _code(v, dimension.scale, words)
            score = Score(v.unit, v.dimension, code, v.row.get("confidence"), str(v.row.get("source") or ""))
            samples[v.item, int(v.row.get("sample") or 0)].append(score)
    replies = [AuditReply(item, Reading(tuple(scores)), "", sample) for (item, sample), scores in samples.items()]
    named: dict[str, set[str]] = defaultdict(set)
    labels = [label for lines in files.labels.values() for _, label in lines]
    for item, unit in [(of.item, of.unit) for cells in (values, files.gold, files.decided, labels) for of in cells]:
        named[item].add(unit)
    judge_match = _match(files, known, judge, replies, items_of_units(known.kind, named), complete=False, words=words)
    return replace(judge_match, named=frozenset(value.cell for value in values))


def _dimensions(
    files: FileContents, dimension_keys: Iterable[tuple[UnitSort, str]], values: list[ExportedValue]
) -> list[Dimension]:
    """The dimensions of these names, each with the scale of all its values; without a common scale it is left out."""
    all_values: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for v in (*values, *files.gold, *files.decided):
        all_values[sort_of(v.unit), v.dimension].append(v.value)
    for lines in files.labels.values():
        for _, label in lines:
            all_values[sort_of(label.unit), label.dimension].append(label.value)
    scales = [(sort, name, survey(all_values[sort, name]).answers) for sort, name in dimension_keys]
    return [Dimension(name, sort, replace(of.scale, na=True), name) for sort, name, of in scales if of is not None]


def _match(
    files: FileContents, known: Card, judge: JudgeKey, replies: list[AuditReply], items: Mapping[str, Item],
    complete: bool, words: bool = False,
) -> JudgeMatch:  # fmt: skip
    modes = {label.mode for lines in files.labels.values() for _, label in lines}
    labels = files.labels
    if words:
        labels = {path: [(n, _match_words(label, known)) for n, label in lines] for path, lines in labels.items()}
    heard = answers_by_person(labels, known, items, complete)
    answers = answers_by_cell(heard)
    people = resolve_cells(answers, known, files.resolve)
    for value in (*files.gold, *files.decided):
        dimension = known.dimension(value.dimension, value.unit)
        if dimension is not None and (value.cell in answers or not files.labels):
            code = _code(value, dimension.scale, words)
            people[value.cell] = code
            answers.setdefault(value.cell, [code])
    shown = {key for key, item in {**items, **files.items}.items() if is_example(known, item)}
    people = {cell: value for cell, value in people.items() if cell[0] not in shown}
    assumptions = (f"Left out, as the judge is shown them as examples: {', '.join(sorted(shown))}.",) if shown else ()
    basis = "blind labels" if "blind" in modes else "assisted labels" if modes else "gold"
    basis, title = ("a table", judge.model) if files.asked else (basis, judge.title)
    rule = combination_rule(known, json.loads(judge.params))
    notes = (*files.assumptions, *assumptions)
    return JudgeMatch(title, known, replies, people, answers, rule, basis, notes, items=items, voices=heard)


def _match_words(label: LabelLine, known: Card) -> LabelLine:
    dimension = known.dimension(label.dimension, label.unit)
    if dimension is None:
        return label
    return label.model_copy(update={"value": _parse_words(label.value, dimension.scale)})


def _code(value: ExportedValue, scale: Scale, words: bool) -> float | None:
    """The code of a value: its row's code, or the code of its words if `words` count or it has none. Raises BadLines.

    The combined value of several samples or people may lie between two answers.
    """
    try:
        if words:
            return scale.code(_parse_words(value.value, scale))
        if "code" not in value.row:
            return scale.code(scale.parse_text(value.value))
    except BadScale as error:
        raise BadLines(f"{value.dimension} of {value.unit} of {value.item!r}: {error}.") from None
    low, high = (scale.base, scale.base + scale.size - 1) if scale.size else (scale.lo, scale.hi)
    if value.code is not None and scale.kind != "turn" and not low <= value.code <= high:
        subject = f"{value.dimension} of {value.unit} of {value.item!r}"
        raise BadLines(f"code of {subject}: {value.code:g} is not on the scale.")
    return value.code


def _parse_words(value: Any, scale: Scale) -> Any:
    """A value in words, in the form that a scale accepts."""
    answers = recipe_scale(scale)
    return value if answers is None else parse_answer(value, answers)


def _card(name: str, kind: Kind, dimensions: Sequence[Dimension]) -> Card:
    """A card that asks some dimensions; it cannot be run."""

    def read(_reply: Any, _item: Any) -> Reading:
        raise UnknownCard(f"There is no card {name}: replies of its judges cannot be read.")

    return Card(name, name, kind, tuple(dimensions), Strict, read, defaults=Params())
