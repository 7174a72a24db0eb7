"""Tables as judgments and labels, by what their columns seem to mean: as an import reads them, but for their texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from judges.authoring.recipe import RecipeScale
from judges.card import Card
from judges.cards import cards
from judges.errors import AssayError
from judges.importing.answer_mapping import AnswerMapping, map_answers
from judges.importing.columns import fault_of_names
from judges.importing.contents import FileContents
from judges.importing.entries import Hint, RejectedRow
from judges.importing.interpretation import AnswerSeries, Interpretation, interpret_contents, set_scales
from judges.importing.judged_files import items_of_units
from judges.importing.line_files import bad_rows, explain_left_out, join_orders
from judges.importing.lines import JudgmentLine, LabelLine, explain_errors
from judges.importing.mapping import ColumnMapping
from judges.importing.nested_cells import unfold_records
from judges.importing.table_answers import AnswerReader
from judges.importing.table_contents import SourceContents, read_table
from judges.jsonl import Record
from judges.plural import verb
from judges.types import Dimension, Place, Scale

_NAME = "table"
"""The name of the cards that are made of the questions of tables."""
_UNTIMED = "1970-01-01T00:00:00Z"
"""The time of labels: of a person's answers to one question the one further down counts."""
_SCALES = {"ordinal": "whole numbers", "interval": "numbers", "flag": "yes or no", "ordered": "answers in this order",
           "unordered": "answers without an order"}  # fmt: skip


class NoTable(AssayError):
    """A table whose columns, or whose cells' meaning, cannot be identified."""


def read_tables(
    tables: Mapping[Path, Sequence[Record]], judges: Sequence[str], people: Sequence[str], good_rows: bool,
    scales: Mapping[str, RecipeScale] = MappingProxyType({}),
) -> FileContents:  # fmt: skip
    """The judgments and labels in some tables, the cards of their questions, and their items without texts.

    `judges` and `people` are the columns that the caller named. `good_rows` leaves out what is no answer; `scales` are
    those of columns that the caller named. Raises NoTable with a sentence that names the columns, BadLines, BadInput.
    """
    unfolded = {path: unfold_records(iter(records)) for path, records in tables.items()}
    tables = {path: list(records) for path, (records, _) in unfolded.items()}
    known = {
        str(path): read_table((record.value for record in tables[path]), (), nested)
        for path, (_, nested) in unfolded.items()
    }
    names = list(dict.fromkeys(name for table in known.values() for name in table.columns))
    if fault := fault_of_names(", ".join(known), names, judges, people):
        raise NoTable(fault)
    questions: dict[Place, Dimension] = {(c.kind, d.sort, d.name): d for c in cards().values() for d in c.dimensions}
    interpretation = interpret_contents(SourceContents(known), questions, judges, people)
    interpretation = set_scales(interpretation, scales, questions, ", ".join(known))
    mapped = map_answers(interpretation, _NAME, cards())
    about = [{s.question for s in mapped.series if s.by == by} for by in ("judge", "person")]
    if not about[0] & about[1]:
        raise NoTable(_column_question(known, names, interpretation))
    known_cards = cards() | {name: card for mapping in mapped.tables.values() for name, card in mapping.cards().items()}
    contents = FileContents(cards={card.version: card for card in known_cards.values()})
    notes = [*_notes(interpretation, mapped)]
    for path, records in tables.items():
        notes += _add_answers(contents, path, records, mapped.tables[str(path)], known_cards, good_rows)
    alone = f"{next(iter(known))}: " if len(known) == 1 else ""
    contents.assumptions = tuple(sentence.removeprefix(alone) for sentence in notes)
    return contents


def _add_answers(
    contents: FileContents, path: Path, records: Sequence[Record], mapping: ColumnMapping,
    known_cards: Mapping[str, Card], good_rows: bool,
) -> list[str]:  # fmt: skip
    """Add the answers in a table, and its items as far as they have units; return what is left out, in sentences."""
    reader = AnswerReader(str(path), mapping, _UNTIMED)
    if mapping.kind == "dialogue":  # whose rows have to be consecutive, and are not always
        names = [reader.name(record) for record in records]
        places = {name: place for place, name in reversed(list(enumerate(names)))}
        records = [records[place] for place in sorted(range(len(names)), key=lambda place: places[names[place]])]
    judgments, labels = list[tuple[int, JudgmentLine]](), list[tuple[float, tuple[int, LabelLine]]]()
    bad, notes = list[tuple[int, str]](), list[str]()
    units: dict[str, set[str]] = defaultdict(set)
    for entry in reader.read(records):
        if isinstance(entry, Hint):
            notes.append(entry.sentence)
            continue
        try:
            if isinstance(entry, RejectedRow):
                bad.append((entry.line, " ".join(sentence for _, sentence in entry.problems)))
            elif entry.sort == "label":
                label = LabelLine.model_validate(entry.data)
                labels.append((entry.moment or 0, (entry.line, label)))
                units[label.item].add(label.unit)
            else:
                version = known_cards[entry.data["card"]].version
                judgment = JudgmentLine.model_validate({**entry.data, "card_version": version})
                judgments.append((entry.line, judgment))
                units[judgment.item] |= {judgment.part, *(score.unit for score in judgment.scores or ())}
        except ValidationError as error:
            bad.append((entry.line, f"{explain_errors(error.errors())}."))
    if bad and not good_rows:
        raise bad_rows(path, bad)
    if bad:
        notes.append(explain_left_out(path, bad, "answer"))
    contents.judgments[path] = join_orders(judgments)
    contents.labels[path] = [numbered for _, numbered in sorted(labels, key=itemgetter(0))]
    contents.asked |= units.keys() if judgments else set()
    contents.items |= items_of_units(mapping.kind, units)
    return notes


def _notes(interpretation: Interpretation, mapped: AnswerMapping) -> Iterator[str]:
    """Whose the answers are, on which scales, and what was taken for granted."""
    sides = [[s for s in mapped.series if s.by == by] for by in ("judge", "person")]
    judges, people = (list(dict.fromkeys(_giver(s, mapped.series) for s in side)) for side in sides)
    ids = ", ".join(dict.fromkeys(column for table in mapped.tables.values() for column in table.id.columns))
    givers = f"{verb(len(judges), 'Judge', 'Judges')}: {', '.join(judges)}. People: {', '.join(people)}."
    yield f"{givers} Items: {ids}." if ids else givers
    yield from interpretation.assumptions
    for series in interpretation.series:
        if series.by and series.why:
            yield f"{series.name}: {series.why}." if series.answers else f"{series.name} is left out: {series.why}."
    for series in {s.question: s for s in mapped.series}.values():
        if series.answers is not None:
            yield f"{series.dimension}: {_words(series.answers.scale)}."


def _giver(series: AnswerSeries, others: Sequence[AnswerSeries]) -> str:
    """Who gave answers: their column's name or, if it has those of several, their own."""
    raters = {other.rater for other in others if (other.file, other.name) == (series.file, series.name)}
    return series.rater_column or (series.rater if len(raters) > 1 else series.name)


def _words(scale: Scale) -> str:
    return f"{_SCALES[scale.kind]}, {scale.words}" if scale.kind != "flag" else _SCALES[scale.kind]


def _column_question(files: Mapping[str, object], names: Sequence[str], read: Interpretation) -> str:
    """The sentence on answers without a scale, or that asks which columns are the judge's and which are people's."""
    if unscaled := {s.name: s.why for s in read.series if s.by and s.answers is None}:
        reasons = "; ".join(dict.fromkeys(unscaled.values()))
        return f"{', '.join(files)}: no scale fits the values of {', '.join(unscaled)}: {reasons}."
    columns = [", ".join(dict.fromkeys(s.name for s in read.series if s.by == by)) for by in ("judge", "person")]
    sides = [f"{known} as a {whose}" for known, whose in zip(columns, ("judge's", "person's"), strict=True) if known]
    problem, advice = "it is not clear which columns are the judge's and which are people's", "Say it with"
    if all(columns):
        problem, advice = "by their names no judge and no person answer the same question", "Name those that do with"
    sentences = [f"{problem}. It has: {', '.join(names)}.", f"Found: {' and '.join(sides)}." if sides else ""]
    alone = f"{next(iter(files))}: " if len(files) == 1 else ""
    sentences += [sentence.removeprefix(alone) for sentence in (*read.unclear, *read.assumptions)]
    return f"{', '.join(files)}: {' '.join(filter(None, sentences))} {advice} --judge COLUMN --human COLUMN."
