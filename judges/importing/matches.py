"""Judges paired with people, from plain files: Assay's own lines, its exports, or a table of columns."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from judges.audits import AuditReply, Cell
from judges.authoring.recipe import RecipeScale, recipe_scale
from judges.authoring.scale_inference import explain_two_scales, is_missing, parse_answer, survey
from judges.card import Card, Item
from judges.cards import cards
from judges.errors import AssayError, BadScale, UnknownCard
from judges.examples import is_example
from judges.importing.column_names import Owner, normalize, owner
from judges.importing.columns import (
    AnswerColumn,
    Columns,
    cell_text,
    different_cells,
    fault_of_names,
    find_columns,
    names_questions,
    nested_answers,
    question_column,
)
from judges.importing.contents import ExportedValue, FileContents
from judges.importing.item_keys import (
    are_verdicts,
    decode_verdicts,
    dialogue_id,
    item_keys,
    row_roles,
    time_column,
    time_in_seconds,
    turn_units,
    utterance_columns,
)
from judges.importing.judged_files import (
    AmbiguousJudge,
    JudgeKey,
    answers_by_cell,
    answers_by_person,
    judge_key,
    judge_of,
    named_judges,
    placeholder_item,
    placeholder_items,
    read_replies,
    resolve_cells,
)
from judges.importing.line_files import BadLines
from judges.importing.lines import LabelLine
from judges.importing.nested_cells import nested_columns, replace_names, unfold_row
from judges.importing.summary_rows import drop_summaries, explain_summaries
from judges.params import CombinationRule, Params
from judges.plural import many, verb
from judges.protocols.combination import combination_rule
from judges.types import Dimension, Kind, Reading, Scale, Score, Strict, UnitSort, section_place, sort_of, turn_number

_Place = tuple[str, str]
"""The item of a row, and the unit of it that answers in the row are about."""
_KINDS: dict[str, Kind] = {"turn": "dialogue", "conversation": "dialogue", "response": "response"}


class NoTable(AssayError):
    """A table whose columns, or whose cells' meaning, cannot be identified."""


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
    judge_match = _match(files, known, judge, replies, _units(known.kind, files, values), complete=False, words=words)
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
    rule = combination_rule(known, json.loads(judge.params))
    return JudgeMatch(judge.title, known, replies, people, answers, rule, basis, assumptions, items=items, voices=heard)


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


def _units(kind: Kind, files: FileContents, values: Iterable[ExportedValue]) -> dict[str, Item]:
    """Items without text, with the units that scores and labels name."""
    named: dict[str, set[str]] = defaultdict(set)
    for value in (*values, *files.gold, *files.decided):
        named[value.item].add(value.unit)
    for lines in files.labels.values():
        for _, label in lines:
            named[label.item].add(label.unit)
    items = {}
    for key, units in named.items():
        turns = {turn_number(unit) for unit in units if unit.startswith("turn:")}
        cut = max((section_place(unit)[0] for unit in units if unit.startswith("section:")), default=0)
        items[key] = placeholder_item(kind, key, turns, {str(n): "ab" for n in range(1, cut + 1)})
    return items


def _card(name: str, kind: Kind, dimensions: Sequence[Dimension]) -> Card:
    """A card that asks some dimensions; it cannot be run."""

    def read(_reply: Any, _item: Any) -> Reading:
        raise UnknownCard(f"There is no card {name}: replies of its judges cannot be read.")

    return Card(name, name, kind, tuple(dimensions), Strict, read, defaults=Params())


def match_table(
    path: Path, rows: Sequence[Mapping[str, Any]], judges: Sequence[str], people: Sequence[str], good_rows: bool
) -> list[JudgeMatch]:
    """Every judge's columns of a table, paired with people's columns on the same dimension.

    `judges` and `people` are the columns that the caller named. `good_rows` leaves out rows whose cells are not answers
    like the others. Raises NoTable with a sentence that names the columns.
    """
    summaries: list[str] = []
    rows = list(drop_summaries(rows, lambda row: row, summaries))
    names = list(dict.fromkeys(name for row in rows for name in row))
    if fault := fault_of_names(str(path), names, judges, people):
        raise NoTable(fault)
    if nested := nested_columns(rows):
        rows = [unfold_row(row, nested) for row in rows]
        names = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in nested]
        judges, people = replace_names(judges, nested), replace_names(people, nested)

    def cells(column: str) -> list[Any]:
        return different_cells(column, rows)

    free = [name for name in names if name not in (*judges, *people)]
    question = next((name for name in free if names_questions(name, names, cells)), "")
    speech = utterance_columns(free, rows)
    dialogue = dialogue_id(free, rows, "", "role" in speech) if speech else ""
    speech = speech if dialogue else {}
    roles = find_columns([name for name in names if name not in (question, *speech.values())], rows, judges, people)
    roles = replace(roles, id=dialogue, texts={}) if speech else roles
    if summaries:
        why = explain_summaries(summaries)
        roles = replace(roles, assumptions=(*roles.assumptions, f"{why[:1].upper()}{why[1:]}."))
    left_columns = [*roles.meta, *(column for unclear in roles.unclear for column in unclear.columns)]
    question = question or question_column([name for name in left_columns if name in free], cells)
    voices = [*roles.judges, *roles.people]
    verdicts = not roles.texts and are_verdicts(voices, rows, lambda column: [row.get(column) for row in rows])
    rows, roles = decode_verdicts(rows, roles) if roles.kind == "pair" or verdicts else (rows, roles)
    rows, roles = _drop_rows_without_id(path, rows, roles, good_rows)
    keys = _places(roles, names, rows, question, speech)
    rows, roles, keys = _part_by_question(rows, roles, keys, question) if question else (rows, roles, keys)
    rows, roles, keys = _pivot_wide(rows, roles, keys) if roles.by else (rows, roles, keys)
    about = dict.fromkeys(v.dimension for v in roles.judges)
    if not set(about) & {v.dimension for v in roles.people}:
        raise NoTable(_column_question(path, names, rows, roles))
    groups: dict[str, list[AnswerColumn]] = defaultdict(list)
    for series in roles.judges:
        groups[series.rater].append(series)
    kind: Kind = "dialogue" if speech else "response"
    return [
        _of_columns(path, rows, keys, kind, name, own_columns, roles, good_rows) for name, own_columns in groups.items()
    ]


def _places(
    roles: Columns, names: Sequence[str], rows: Sequence[Mapping[str, Any]], question: str, speech: Mapping[str, str]
) -> list[_Place]:
    """The item of each row, with the turn where a row is an utterance of a dialogue."""
    if not speech:
        return [(key, "response") for key in item_keys(roles, names, rows, question)]
    keys = [cell_text(row.get(roles.id)).strip() for row in rows]
    givers = [column for column in (roles.by, question) if column]
    answers = [series.column for series in (*roles.judges, *roles.people, *roles.values)]
    spoken_by = row_roles(roles.id, rows, speech["role"], speech["text"], answers) if "role" in speech else {}
    return list(zip(keys, turn_units(keys, rows, speech, givers, spoken_by), strict=True))


def _part_by_question(
    rows: Sequence[Mapping[str, Any]], roles: Columns, keys: Sequence[_Place], question: str
) -> tuple[list[dict[str, Any]], Columns, list[_Place]]:
    """Rows of an answer to one question each as rows with columns for each question; `question` names the row's.

    Rows of an item whose questions differ become one, unless people or judges differ by row.
    """
    questions = list(dict.fromkeys(filter(None, (cell_text(row.get(question)).strip() for row in rows))))
    parts: dict[_Place, list[tuple[_Place, dict[str, Any]]]] = {}
    series = (*roles.judges, *roles.people, *roles.values)
    for key, row in zip(keys, rows, strict=True):
        named = cell_text(row.get(question)).strip()
        part = {_column_of(v, named): row.get(v.column) for v in series if named}
        before = [] if roles.by else [other for _, other in parts.get(key, ()) if not part.keys() & other.keys()]
        if before:
            before[0].update(part)
        else:
            parts.setdefault(key, []).append((key, {**row, **part}))
    wide = [pair for pairs in parts.values() for pair in pairs]

    def split(answer_columns: Iterable[AnswerColumn]) -> tuple[AnswerColumn, ...]:
        pairs = ((v, named, _column_of(v, named)) for v in answer_columns for named in questions)
        return tuple(
            AnswerColumn(column, v.rater, normalize(named) or named, survey(row.get(column) for _, row in wide))
            for v, named, column in pairs
        )

    judges, people, values = split(roles.judges), split(roles.people), split(roles.values)
    notes = (*roles.assumptions, f"{question} names the question of each row: {', '.join(questions)}.")
    roles = replace(roles, judges=judges, people=people, values=values, assumptions=notes)
    return [row for _, row in wide], roles, [key for key, _ in wide]


def _column_of(series: AnswerColumn, question: str) -> str:
    return f"{series.column} ({question})"


def _drop_rows_without_id(
    path: Path, rows: Sequence[Mapping[str, Any]], roles: Columns, good_rows: bool
) -> tuple[Sequence[Mapping[str, Any]], Columns]:
    """The rows that have an id, where the table has ids; how many have none is noted, or refused without good rows."""
    with_id = [row for row in rows if not roles.id or cell_text(row.get(roles.id)).strip()]
    if len(with_id) == len(rows):
        return rows, roles
    without = len(rows) - len(with_id)
    sentence = f"{many(without, 'row')} {verb(without, 'has', 'have')} no id: {roles.id} is empty."
    if not good_rows:
        raise NoTable(f"{path}: {sentence} --good-rows leaves {verb(without, 'it', 'them')} out.")
    return with_id, replace(roles, assumptions=(*roles.assumptions, f"Left out: {sentence}"))


def _of_columns(
    path: Path, rows: Sequence[Mapping[str, Any]], keys: Sequence[_Place], kind: Kind, name: str,
    judge_columns: list[AnswerColumn], roles: Columns, good_rows: bool,
) -> JudgeMatch:  # fmt: skip
    dimensions: list[Dimension] = []
    scores: dict[str, list[Score]] = defaultdict(list)
    human_codes: dict[Cell, list[float | None]] = defaultdict(list)
    notes, out, by_person = list(roles.assumptions), set[int](), dict[tuple[Cell, str], float | None]()
    for series in judge_columns:
        humans = [v for v in roles.people if v.dimension == series.dimension]
        if not humans:
            notes.append(f"{series.column} is left out: no person's column is about the same.")
            continue
        scale = _common_scale(path, rows, [series, *humans], good_rows)
        sort: UnitSort = "response" if kind == "response" else _sort_in_dialogues(keys, rows, [series, *humans])
        dimension = Dimension(series.dimension or "answer", sort, scale.scale, series.column)
        dimensions.append(dimension)
        notes += explain_two_scales(series.column, series.answers, [v.answers for v in humans], scale)
        for n, ((key, place), row) in enumerate(zip(keys, rows, strict=True)):
            unit = place if sort == "turn" else sort
            if not unit:
                continue  # what a user says
            try:
                cells = [parse_answer(row.get(v.column), scale) for v in (series, *humans)]
            except BadScale:
                out.add(n)
                continue
            codes = [None if cell is None else dimension.scale.code(cell) for cell in cells]
            if codes[0] is not None:
                scores[key].append(Score(unit, dimension.name, codes[0]))
            cell = (key, unit, dimension.name)
            for v, code in zip(humans, codes[1:], strict=True):
                # In each row of a dialogue, what is said of all of it is the same.
                if code is not None and (sort != "conversation" or (cell, v.column) not in by_person):
                    by_person[cell, v.column] = code
                    human_codes[cell].append(code)
    if out:
        notes.append(
            f"{len(out):,} of {many(len(rows), 'row')} {verb(len(out), 'is', 'are')} left out: "
            "a cell in them is not an answer like the others."
        )
    if kind == "response" and (again := len(keys) - len(set(keys))):
        notes.append(f"{many(again, 'row')} with the item of an earlier row: the judge's first answer counts.")
    known = _card(name, kind, dimensions)
    values_by_cell = {cell: values for cell, values in human_codes.items() if values}
    items = dict.fromkeys(key for key, _ in keys)
    replies = [AuditReply(key, Reading(tuple(scores.get(key, ())))) for key in items]
    turns: dict[str, set[int]] = defaultdict(set)
    for key, unit in keys if kind == "dialogue" else ():
        turns[key] |= {turn_number(unit)} if unit else set()
    people = ", ".join(dict.fromkeys(v.column for v in roles.people))
    judged = ", ".join(v.column for v in judge_columns)
    notes.insert(0, f"Judge: {judged}. People: {people}." + (f" Items: {roles.id}." if roles.id else ""))
    for d in dimensions:
        notes.append(f"{d.title}: {_scale(d.scale)}.")
    return JudgeMatch(
        name, known, replies, resolve_cells(values_by_cell, known), values_by_cell, "first", "a table", tuple(notes),
        {key: placeholder_item(kind, key, turns[key]) for key in items}, by_person,
        frozenset((key, "") for key in items),
    )  # fmt: skip


def _sort_in_dialogues(
    keys: Sequence[_Place], rows: Sequence[Mapping[str, Any]], answer_columns: Iterable[AnswerColumn]
) -> UnitSort:
    """Whether answers in the rows of dialogues are about turns: a dialogue has several, and they differ."""
    cells: dict[tuple[str, str], set[str]] = defaultdict(set)
    for series in answer_columns:
        for (key, _), row in zip(keys, rows, strict=True):
            cells[series.column, key] |= {cell_text(row.get(series.column)).strip()} - {""}
    return "turn" if any(len(known) > 1 for known in cells.values()) else "conversation"


def _scale(scale: Scale) -> str:
    sort = {"ordinal": "whole numbers", "interval": "numbers", "flag": "yes or no", "ordered": "answers in this order",
            "unordered": "answers without an order"}  # fmt: skip
    return f"{sort[scale.kind]}, {scale.words}" if scale.kind != "flag" else sort["flag"]


def _common_scale(
    path: Path, rows: Sequence[Mapping[str, Any]], answer_columns: list[AnswerColumn], good_rows: bool
) -> RecipeScale:
    """The common scale of all cells of some columns or, with good rows only, of most cells. Raises NoTable."""
    for series in answer_columns:
        if series.answers is None and not good_rows:
            hint = " --good-rows leaves those rows out." if series.survey.most else ""
            raise NoTable(f"{path}: the column {series.column} has no scale: {series.survey.why}.{hint}")
    cell_survey = survey(row.get(series.column) for series in answer_columns for row in rows)
    scale = cell_survey.answers or (cell_survey.most if good_rows else None)
    if scale is None:
        kinds = "; ".join(f"{v.column} has {_scale(v.answers.scale)}" for v in answer_columns if v.answers is not None)
        raise NoTable(f"{path}: its columns have no scale in common: {kinds or cell_survey.why}.")
    return scale


def _column_question(
    path: Path, names: Sequence[str], rows: Sequence[Mapping[str, Any]], roles: Columns
) -> str:
    """The sentence that asks which columns are the judge's and which are people's."""
    known = [f"{', '.join(v.column for v in roles.judges)} as a judge's"] if roles.judges else []
    known += [f"{', '.join(v.column for v in roles.people)} as a person's"] if roles.people else []
    known_text = f" Found: {' and '.join(known)}." if known else ""
    sentences = [*(unclear.sentence for unclear in roles.unclear), nested_answers(roles.meta, rows)]
    why = " ".join(filter(None, sentences))
    problem, advice = "it is not clear which columns are the judge's and which are people's", "Say it with"
    if roles.judges and roles.people:
        problem, advice = "by their names no judge and no person answer the same question", "Name those that do with"
    return (
        f"{path}: {problem}. It has: {', '.join(names)}.{known_text}{f' {why}' if why else ''} "
        f"{advice} --judge COLUMN --human COLUMN."
    )


def _pivot_wide(
    rows: Sequence[Mapping[str, Any]], roles: Columns, keys: Sequence[_Place]
) -> tuple[list[dict[str, Any]], Columns, list[_Place]]:
    """Long rows (one person's or judge's answers each) as wide rows with a column for each person or judge."""
    rows_by_key: dict[_Place, dict[str, Any]] = {key: {} for key in keys}
    names: dict[str, tuple[str, str]] = {}
    when = time_column(roles.meta, rows)
    by_time = sorted(zip(keys, rows, strict=True), key=lambda pair: time_in_seconds(cell_text(pair[1].get(when))))
    for key, row in by_time:
        into = rows_by_key[key]
        for series in (v for v in roles.values if v.column in row):
            rater = cell_text(row.get(roles.by)).strip()
            column = rater if len(roles.values) == 1 else f"{rater} {series.column}"
            # A judge's first answer counts, and the last one of a person.
            if column not in into or (owner(rater) != "judge" and not is_missing(row.get(series.column))):
                into[column] = row.get(series.column)
            names[column] = (rater, series.dimension)
        for series in (v for v in (*roles.judges, *roles.people) if v.column in row):
            into.setdefault(series.column, row.get(series.column))
    wide = list(rows_by_key.values())
    voices: dict[Owner, list[AnswerColumn]] = {"judge": [], "person": [], "": []}
    for name, (rater, dimension) in names.items():
        voices[owner(rater)].append(AnswerColumn(name, rater, dimension, survey(row.get(name) for row in wide)))
    notes = list(roles.assumptions)
    if roles.people and not roles.judges:
        voices["judge"] += voices.pop("")
    elif (voices["judge"] or roles.judges) and voices[""]:
        raters = ", ".join(list(dict.fromkeys(voice.rater for voice in voices[""]))[:8])
        notes.append(f"{raters}: taken for people, as these are not names of judges.")
        voices["person"] += voices.pop("")
    judges, people = (*roles.judges, *voices["judge"]), (*roles.people, *voices["person"])
    return wide, replace(roles, judges=judges, people=people, assumptions=tuple(notes)), list(rows_by_key)
