"""The first reading of an import: whose answers the columns or names are, to which questions, on which scales.

A person may correct it, series by series; `plan_proposal` makes a plan of the result.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, cast

from judges.authoring.recipe import RESERVED, RecipeScale, recipe_scale
from judges.authoring.scale_inference import (
    Survey,
    explain_strays,
    explain_two_scales,
    is_missing_code,
    parse_answer,
    side_words,
    survey,
)
from judges.errors import BadInput, BadScale
from judges.importing.column_names import Owner, is_saved_index, normalize, parse_name, stated_ends
from judges.importing.columns import AnswerColumn, cell_text, find_columns, names_questions, question_column
from judges.importing.item_keys import (
    are_unique,
    are_verdicts,
    describe_code,
    dialogue_id,
    key_columns,
    row_roles,
    time_column,
    utterance_columns,
    verdict_code,
)
from judges.importing.mapping import FIELDS, UNITS, ColumnMapping, ValueSource
from judges.importing.nested_cells import replace_names
from judges.importing.speakers import ROLES, read_messages, speaker_name, speaker_roles
from judges.importing.table_contents import ColumnValues, SourceContents, TableContents, is_empty
from judges.protocols.orders import names_sides
from judges.types import MAX_NAME_LETTERS, NO_NAME_SIGNS, Dimension, Kind, Place

UNNAMED = "rating"
"""The name of a question that the file does not name."""
_PEOPLE = 30
_LETTERS = 50
_SHOWN = 4
_TURNED = re.compile(r"(.+)_(ba|swapped|reversed|flipped)")
_ORDERED = ({"ab", "ba"}, {"ab"}, {"ba"})


@dataclass(frozen=True)
class AnswerSeries:
    """Answers that belong together: a column of a table (`file`), or what other tools' files call by a name.

    `by` says whose they are, "" that they are not taken; `rater` is the judge's or person's name, or else
    `rater_column` the column of it; `order` that in which a judge saw a pair; `count` is 0 where it is not known;
    `latest` the column of the times by which the newest of a person's answers counts;
    `dimension` and `sort` the question; `answers` its scale, None where the values have none in common (`why`);
    `only` the rows that they stand in; `cells` the different values but for the few `strays`, which are far off them
    and make no scale, `counts` how often each is there (once where it does not say), and `values` what those of a
    code mean;
    `answered` the number of items that have one, None where these are rows.
    """

    file: str
    name: str
    by: Owner
    rater: str
    dimension: str
    kind: Kind
    sort: str
    answers: RecipeScale | None
    count: int
    examples: tuple[str, ...] = ()
    reason: str = ""
    confidence: str = ""
    rater_column: str = ""
    latest: str = ""
    order: ValueSource = field(default_factory=ValueSource)
    only: dict[str, list[str]] = field(default_factory=dict)
    why: str = ""
    cells: tuple[Any, ...] = ()
    strays: tuple[Any, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    answered: int | None = None
    counts: tuple[int, ...] = field(default=(), repr=False)

    @property
    def missing(self) -> list[str]:
        """The cells of a person's column that are codes for a missing answer, unless the scale has them."""
        codes = filter(is_missing_code, self.strays if self.file and self.by == "person" else ())
        return [cell_text(code).strip() for code in codes if self.answers and not _is_on(code, self.answers)]

    @property
    def question(self) -> Place:
        """The question that it answers."""
        return self.kind, self.sort, self.dimension

    @property
    def rater_source(self) -> ValueSource:
        """Where a mapping finds whose answers they are."""
        return ValueSource(columns=[self.rater_column]) if self.rater_column else ValueSource(constant=self.rater)


@dataclass(frozen=True)
class Interpretation:
    """The series of a source, each table's own mapping without them, and what was taken for granted, or is unclear.

    `items` counts the rows or items, where it is known.
    """

    series: tuple[AnswerSeries, ...] = ()
    tables: Mapping[str, ColumnMapping] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    items: int = 0

    @property
    def sampling(self) -> Literal["all", "unknown"]:
        """The way in which labelled items were chosen, as far as files show: "all" if people answered for every one."""
        complete = any(s.by == "person" and (s.answered or s.count) >= self.items > 0 for s in self.series)
        return "all" if complete else "unknown"


def interpret_contents(
    contents: SourceContents, stored: Mapping[Place, Dimension], judges: Sequence[str] = (), people: Sequence[str] = ()
) -> Interpretation:
    """A first reading.

    `stored` are the questions of the workspace, which are taken where their names and scales fit; `judges` and `people`
    are the columns of which it was said whose they are.
    """
    read = {file: _Table(file, table, judges, people) for file, table in contents.tables.items()}
    kinds = {known.kind for known in read.values() if not known.mapping.textless}
    if len(kinds) == 1:  # scores and labels of the items may be in files of their own
        textless = [file for file, known in read.items() if known.mapping.textless]
        read |= {file: _Table(file, contents.tables[file], judges, people, *kinds) for file in textless}
    series = [s for known in read.values() for s in known.series]
    for summary in contents.value_summaries:
        by: Owner = "person" if summary.by == "person" else "judge"
        kind = cast("Kind", summary.kind)
        rater = next(iter(summary.raters)) if len(summary.raters) == 1 else ""
        named = _dimension_name(summary.name)
        series.append(
            AnswerSeries(
                "", summary.name, by, rater, named, kind, summary.sort, None, answered=summary.items,
                **_cells(summary.values),
            )
        )  # fmt: skip
    rows = sum(table.count for table in contents.tables.values())
    items = rows or sum(contents.items.values())
    settled = share_scales(matched_series(_cut_names(series)), stored)
    assumptions = [sentence for known in read.values() for sentence in known.assumptions]
    unclear = tuple(sentence for known in read.values() for sentence in known.unclear)
    tables = {file: known.mapping for file, known in read.items()}
    return Interpretation(settled, tables, (*assumptions, *scale_warnings(settled)), unclear, items)


def _cut_names(series: Sequence[AnswerSeries]) -> list[AnswerSeries]:
    """The series, the names of their questions as long as they may be; two that begin alike stay two."""
    short_names = {s.dimension: _cut_name(s.dimension) for s in series}
    met = list(short_names.values())
    for name, short in short_names.items():
        if met.count(short) > 1 and name != short:
            short_names[name] = _mark_cut(short, name, _LETTERS)
    return [replace(s, dimension=short_names[s.dimension]) for s in series]


def _cut_name(name: str) -> str:
    before = len(UNNAMED) + 1 if name.startswith(f"{UNNAMED}_") and not name[len(UNNAMED) + 1 :].isidentifier() else 0
    return name[: _LETTERS + before]


def matched_series(series: Sequence[AnswerSeries]) -> list[AnswerSeries]:
    """Return the series; if judges and people have one question each, on scales that fit, it gets one name."""
    about = {by: {s.question for s in series if s.by == by} for by in ("judge", "person")}
    names = [name for places in about.values() for _, _, name in places]
    if any(len(places) != 1 for places in about.values()) or names[0] == names[1]:
        return list(series)
    if scale_warnings([replace(s, dimension=UNNAMED) for s in series]):
        return list(series)
    name = next((name for name in names if name != UNNAMED), UNNAMED)
    return [replace(s, dimension=name) if s.by else s for s in series]


def scale_warnings(series: Iterable[AnswerSeries]) -> list[str]:
    """A sentence for each judge's series that seems to have another scale than people's of its question.

    And one where no question has answers of both.
    """
    scales = [(s, survey(s.cells).answers) for s in series if s.by]
    warnings = []
    for answer_series, scale in scales:
        about = (answer_series.kind, answer_series.dimension)
        same = [(s, of) for s, of in scales if s.by == "person" and (s.kind, s.dimension) == about]
        if answer_series.by == "judge":
            common = survey([*answer_series.cells, *(cell for s, _ in same for cell in s.cells)]).answers
            warnings += explain_two_scales(answer_series.name, scale, [of for _, of in same], common)
    sides = [{s.question for s, _ in scales if s.by == by} for by in ("judge", "person")]
    if all(sides) and not sides[0] & sides[1]:
        names = [", ".join(sorted(name for _, _, name in side)) for side in sides]
        warnings.append(
            f"Judges answer {names[0]} and people {names[1]}: no question has answers of both, so there is no figure. "
            "Give the two the same question on the Import page."
        )
    return warnings


def name_people(series: Sequence[AnswerSeries]) -> list[AnswerSeries]:
    """The series, with one person for each column that answers a question.

    Where one name stands for several such columns, as human does for human_ann and human_ben, each person is named by
    the column.
    """
    places = [(s.file, s.by, s.rater, s.question) for s in series]
    return [
        replace(s, rater=_person_name(s.name)) if s.by == "person" and s.rater and places.count(place) > 1 else s
        for s, place in zip(series, places, strict=True)
    ]


def set_scales(
    read: Interpretation, scales: Mapping[str, RecipeScale], stored: Mapping[Place, Dimension], source: str
) -> Interpretation:
    """The reading with these scales, by the name of a series; each is that of its question. Raises BadInput.

    `source` names the files in the refusal of a name that no series of answers has.
    """
    answers = {series.name: series for series in read.series if series.by}
    for name in scales:
        if name not in answers:
            raise BadInput(f"{source} has no answers called {name!r}. It has: {', '.join(answers) or 'none'}.")
    changed = {answers[name].question: scale for name, scale in scales.items()}
    if not changed:
        return read
    series = (replace(s, values={}) if s.question in changed else s for s in read.series)
    return replace(read, series=share_scales(series, stored, changed))


def share_scales(
    series: Iterable[AnswerSeries], stored: Mapping[Place, Dimension],
    scales: Mapping[Place, RecipeScale | None] = MappingProxyType({}),
) -> tuple[AnswerSeries, ...]:  # fmt: skip
    """The series, each with the scale of its question; `scales` are those that somebody chose.

    That is the scale of the workspace's question of its name, where all values are answers on it, else the one that all
    its series have in common, or that most values and some of each series are on; then under a name that is free.
    """
    all_series = [replace(s, answers=scales.get(s.question, s.answers)) for s in series]
    groups: dict[Place, list[int]] = {}
    for place, answer_series in enumerate(all_series):
        if answer_series.by:
            groups.setdefault(answer_series.question, []).append(place)
    for (kind, sort, name), places in groups.items():
        members = [all_series[place] for place in places]
        cells = [cell for s in members for cell in s.cells]
        joint = survey(cells, [count for s in members for count in s.counts or [1] * len(s.cells)])
        chosen = next((s.answers for s in members if s.answers is not None), None)
        conflict = "" if chosen or joint.answers else _explain_scales_apart(members)
        usual = chosen or joint.answers
        if usual is None and not conflict:
            is_common = all(not s.cells or any(_is_on(cell, joint.most) for cell in s.cells) for s in members)
            usual = joint.most if is_common else None
        dimension, scale = _name_question(kind, sort, name, usual, cells, stored)
        for place, s in zip(places, members, strict=True):
            own_why = "" if chosen is not None else survey(s.cells, s.counts).why
            why = conflict or joint.why if scale is None else own_why
            why = re.sub(r" \([\d,]+\)", "", why)  # how many different cells there are shows nothing
            if not s.cells and (s.count or s.only):
                why = "there are lists, long texts or too many different words among them"
            settled = replace(s, answers=scale, dimension=dimension, why=why)
            if scale is not None and (off := [cell for cell in s.strays if not _is_on(cell, scale)]):
                codes = settled.missing
                others = [cell for cell in off if cell_text(cell).strip() not in codes]
                phrases = [explain_strays(others)] if others else []
                if codes:
                    phrases.append(f"taken for missing, unless you write a scale that has them: {', '.join(codes)}")
                settled = replace(settled, why="; ".join(phrases))
            all_series[place] = settled
    return tuple(all_series)


def _explain_scales_apart(members: Iterable[AnswerSeries]) -> str:
    """A phrase if series have a scale each, but none in common, as numbers and words have none; else nothing."""
    scales = {s.name: survey(s.cells).answers for s in members}
    shown = [f"{name} has {scale.scale.words}" for name, scale in scales.items() if scale is not None]
    return "; ".join(shown) if 1 < len(shown) == len(scales) else ""


def _name_question(
    kind: Kind, sort: str, name: str, scale: RecipeScale | None, cells: Sequence[Any], stored: Mapping[Place, Dimension]
) -> tuple[str, RecipeScale | None]:
    """The name of the question and its scale."""
    if scale is not None and sort == "pair" and names_sides(scale.scale) and ("pair", "pair", "verdict") in stored:
        verdict = stored["pair", "pair", "verdict"].scale
        if set(scale.categories) <= set(verdict.categories):
            return "verdict", recipe_scale(verdict)
    answers = [cell for cell in cells if scale is None or _is_on(cell, scale)]  # without a stray word among them
    base, number = name, 1
    while (known := stored.get((kind, sort, name))) is not None:
        known_scale = recipe_scale(known.scale)
        # A name of our own means no question of somebody's: 1 to 5 is not a part of their 1 to 10.
        ours = base == UNNAMED and explain_two_scales("", scale, [known_scale])
        if not ours and known_scale is not None and all(_is_on(cell, known_scale) for cell in answers):
            return name, known_scale
        number += 1
        name = f"{base}_{number}" if base != UNNAMED or name != UNNAMED else f"{sort}_{UNNAMED}"
    return name, scale


def _is_on(cell: Any, scale: RecipeScale | None) -> bool:
    """Whether a cell is an answer on a scale, or empty; on None, which texts have for a scale, nothing is."""
    if scale is None:
        return False
    try:
        parse_answer(cell, scale)
    except BadScale:
        return False
    return True


def _cells(values: ColumnValues) -> dict[str, Any]:
    shown = tuple(str(cell) for cell in values.cells[:_SHOWN])
    pairs = [pair for pair in zip(values.cells, values.counts, strict=True) if pair[0] not in values.strays]
    return {
        "count": values.count - values.missing, "examples": shown, "cells": tuple(cell for cell, _ in pairs),
        "strays": tuple(values.strays), "counts": tuple(count for _, count in pairs),
    }  # fmt: skip


def _words(values: ColumnValues) -> list[str]:
    """The different cells as texts, by which `AnswerColumns.only` knows their rows."""
    return list(dict.fromkeys(cell_text(cell).strip() for cell in values.cells))


def _dimension_name(name: str) -> str:
    """Turn a name from a file, however long, into that of a dimension."""
    plain = _flat(unicodedata.normalize("NFKC", name))
    if not plain or not plain.isidentifier():
        plain = f"{UNNAMED}_{plain}".rstrip("_")
    if not plain.isidentifier():
        plain = UNNAMED
    return f"{plain}_{UNNAMED}" if plain in RESERVED or plain.startswith("_") else plain


def _person_name(text: str) -> str:
    """Turn a column's name into one that a person may have."""
    plain = " ".join(re.sub(f"[{NO_NAME_SIGNS}]", " ", text).split())
    return plain if len(plain) <= MAX_NAME_LETTERS else _mark_cut(plain, text, MAX_NAME_LETTERS)


def _mark_cut(short: str, name: str, letters: int) -> str:
    """A name of so many letters at most, which ends in a mark of the whole name, so that two long ones stay two."""
    return f"{short[: letters - 7]}_{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def _flat(name: str) -> str:
    return re.sub(r"[^\w]+", "_", name.strip().lower()).strip("_")


class _Table:
    """One table's first reading."""

    def __init__(
        self, file: str, table: TableContents, judges: Sequence[str], people: Sequence[str], kind: Kind | None = None
    ) -> None:
        self.file, self.table = file, table
        names = [name for name in table.columns if name not in table.nested]
        judges, people = (replace_names(columns, table.nested) for columns in (judges, people))
        speech = utterance_columns(names, table.rows)
        fields = {name: ValueSource(columns=[column]) for name, column in speech.items()}
        spoken = bool(fields)
        used = {column for source in fields.values() for column in source.columns}
        free = [name for name in names if name not in {*used, *judges, *people}]
        question = next((name for name in free if names_questions(name, names, self._different_cells)), "")
        roles = find_columns([name for name in names if name not in {*used, question}], table.rows, judges, people)
        self.assumptions = [f"{file}: {sentence}" for sentence in roles.assumptions]
        self.unclear = [f"{file}: {group.sentence}" for group in roles.unclear]
        self.kind: Kind = kind or ("dialogue" if fields else roles.kind)
        self._named_sides = roles.named_sides
        voices = [*roles.judges, *roles.people]
        key = dialogue_id(names, table.rows, roles.id, "role" in fields) if fields else roles.id
        self.turns = self._by_turn(key, [v.column for v in (*voices, *roles.values)]) if fields else set()
        if kind is None and not fields and not roles.texts and are_verdicts(voices, table.rows, self._different_cells):
            self.kind = "pair"
        texts = {name: ValueSource(columns=columns) for name, columns in roles.texts.items()}
        fields |= {name: source for name, source in texts.items() if name in FIELDS[self.kind]}
        self.series = [self._series_of(voice, "judge") for voice in roles.judges]
        self.series += name_people([self._series_of(voice, "person") for voice in roles.people])
        self.series += self._by(roles.by, roles.values) if roles.by else []
        unclear = [column for group in roles.unclear for column in group.columns]
        question = question or question_column([*roles.meta, *unclear], self._different_cells)
        self.series = [part for s in self.series for part in self._parts(s, question)]
        self._orders(roles.meta)
        assigned_columns = {s.name for s in self.series} | {c for s in self.series for c in (s.reason, s.confidence)}
        assigned_columns |= {roles.by, question} | {c for s in self.series for c in s.order.columns}
        unowned = dict.fromkeys(column for column in unclear if column not in assigned_columns)
        self.series += [self._series_of(AnswerColumn(column, column, "", _NOTHING), "") for column in unowned]
        by = self._key(key) if not spoken else [key] if key else []
        meta_columns = [c for c in roles.meta if table.columns[c].count and not table.columns[c].many]
        meta = [c for c in meta_columns if c not in by and c not in assigned_columns]
        if indexes := [c for c in meta if is_saved_index(c) and self._numbers_rows(c)]:
            self.assumptions.append(f"{file}: {', '.join(indexes)}: left out, as only rows are numbered there.")
            meta = [c for c in meta if c not in indexes]
        if not spoken:
            meta = self._of_items(meta, by or [column for source in fields.values() for column in source.columns])
        spoken_by: dict[str, Any] = {}
        if "turns" in fields:
            (column, *_) = fields["turns"].columns
            dialogues = [read_messages(row.get(column)) or () for row in table.rows]
            spoken_by = speaker_roles(dialogues)
            self._describe_speakers(column, (speaker_name(part) for parts in dialogues for part in parts), spoken_by)
        elif "role" in speech:
            answers = [voice.column for voice in (*voices, *roles.values)]
            spoken_by = row_roles(key, table.rows, speech["role"], speech["text"], answers)
            speakers = (cell_text(row.get(speech["role"])).strip().lower() for row in table.rows)
            self._describe_speakers(speech["role"], speakers, spoken_by)
        self.mapping = ColumnMapping(
            kind=self.kind, id=ValueSource(columns=by), fields=fields, roles=spoken_by, meta=meta
        )  # fmt: skip

    def _numbers_rows(self, column: str) -> bool:
        """Whether the cells of a column are the numbers of all rows, from 0 or 1 on, in any order."""
        cells = {cell_text(cell).strip() for cell in self.table.columns[column].cells}
        count = self.table.count
        return any(cells == {str(number) for number in range(first, first + count)} for first in (0, 1))

    def _describe_speakers(self, column: str, names: Iterable[str], roles: Mapping[str, str]) -> None:
        """Say how the speakers of a column are read, and of whom that is not known."""
        if roles:
            named = ", ".join(f"{name} = {role}" for name, role in roles.items())
            self.assumptions.append(f"{self.file}: the speakers in {column} are read as {named}.")
        if unknown := [name for name in dict.fromkeys(names) if name and name not in ROLES and name not in roles]:
            self.assumptions.append(
                f"{self.file}: which of the speakers {', '.join(unknown[:8])} in {column} is the assistant is not "
                "known: say it in the mapping (Speakers on the Import page, roles in a file), or no such dialogue is "
                "imported."
            )

    def _of_items(self, names: Sequence[str], key: Sequence[str]) -> list[str]:
        """Return the columns whose cells are the same in all rows of an item; the others concern its answers."""
        cells_by_item: dict[tuple[str, ...], dict[str, str]] = {}
        differing: dict[str, None] = {}
        for row in self.table.rows if key else ():
            first = cells_by_item.setdefault(tuple(cell_text(row.get(column)).strip() for column in key), {})
            for name in names:
                cell = "" if is_empty(row.get(name)) else str(row.get(name))
                if first.setdefault(name, cell) != cell:
                    differing[name] = None
        latest = time_column(list(differing), self.table.rows)
        if latest and any(s.by == "person" for s in self.series):
            self.series = [replace(s, latest=latest) if s.by == "person" else s for s in self.series]
            self.assumptions.append(f"{self.file}: where a person answered again, the last time in {latest} counts.")
            del differing[latest]
            names = [name for name in names if name != latest]
        if differing:
            named = ", ".join(differing)
            self.assumptions.append(f"{self.file}: {named}: left out, as rows of one item differ there.")
        return [name for name in names if name not in differing]

    def _series_of(self, voice: AnswerColumn, by: Owner) -> AnswerSeries:
        named = _dimension_name(voice.dimension) if voice.dimension else UNNAMED
        summary = _cells(self.table.columns[voice.column])
        if survey(summary["cells"]).numbers:
            ends = tuple(end for end in stated_ends(voice.column) if end not in summary["cells"])
            summary |= {"cells": summary["cells"] + ends, "counts": summary["counts"] + (1,) * len(ends)}
        series = AnswerSeries(
            self.file, voice.column, by, _person_name(voice.rater) if by == "person" else voice.rater, named, self.kind,
            "turn" if voice.column in self.turns else UNITS[self.kind], None,
            reason=voice.reason, confidence=voice.confidence, **summary,
        )  # fmt: skip
        if self.kind == "pair" and voice.column in self._named_sides:
            return replace(series, cells=("a", "tie", "b"), counts=(), strays=(), dimension="verdict")
        return self._decode_verdicts(series) if self.kind == "pair" else series

    def _decode_verdicts(self, series: AnswerSeries) -> AnswerSeries:
        """A verdict on a pair that is written in a code, with what the code means."""
        code = verdict_code(cell_text(row.get(series.name)).strip() for row in self.table.rows)
        if not code:
            return series
        code |= side_words(self._different_cells(series.name))
        self.assumptions.append(f"{self.file}: {series.name} is read as a verdict, {describe_code(code)}.")
        words = tuple(dict.fromkeys(code.values()))
        return replace(series, values=code, cells=words, counts=(), strays=(), dimension="verdict")

    def _by_turn(self, key: str, names: Iterable[str]) -> set[str]:
        """Return the columns with different answers in the rows of a dialogue: these are of turns, not of the whole."""
        cells_by_id: dict[tuple[str, str], set[str]] = {}
        for row in self.table.rows:
            for name in names:
                if (cell := cell_text(row.get(name)).strip()) and key:
                    cells_by_id.setdefault((name, str(row.get(key))), set()).add(cell)
        columns = list(dict.fromkeys(name for (name, _), cells in cells_by_id.items() if len(cells) > 1))
        if columns:
            names = ", ".join(columns)
            self.assumptions.append(f"{self.file}: {names}: taken as said of turns, as a dialogue has several.")
        return set(columns)

    def _by(self, by: str, values: Iterable[AnswerColumn]) -> list[AnswerSeries]:
        """The answers of each judge and person that a column names; where they are many, those of a sort together."""
        series = []
        raters = _words(self.table.columns[by])
        usual: Owner = "judge" if parse_name(by).owner == "judge" else "person"
        sides: dict[str, Owner] = {name: "judge" if parse_name(name).owner == "judge" else usual for name in raters}
        values = list(values)
        same = Counter(voice.dimension for voice in values)
        for voice in values:
            # Of one rater, response_1_rating and response_2_rating are two questions.
            named = normalize(voice.column) if same[voice.dimension] > 1 else voice.dimension
            base = self._series_of(replace(voice, dimension=named), usual)
            if 0 < len(raters) <= _PEOPLE:
                series += [replace(base, by=sides[name], rater=name, only={by: [name]}, count=0) for name in raters]
                continue
            together, owners = replace(base, rater="", rater_column=by), sorted(set(sides.values()))
            if len(owners) < 2:
                series.append(replace(together, by=owners[0] if owners else usual))
                continue
            for side in owners:
                names = [name for name in raters if sides[name] == side]
                series.append(replace(together, by=side, only={by: names}, count=0))
        return series

    def _different_cells(self, column: str) -> list[Any]:
        return self.table.columns[column].cells

    def _parts(self, series: AnswerSeries, column: str) -> list[AnswerSeries]:
        """A series by question, where a column names that of each row."""
        names = _words(self.table.columns[column]) if column else []
        parts = [
            replace(series, dimension=_dimension_name(name), only={**series.only, column: [name]}, count=0)
            for name in names
        ]
        return parts or [series]

    def _orders(self, meta: Iterable[str]) -> None:
        """In which order a judge saw a pair: by a column, or by the name of a second column of its verdicts."""
        if self.kind != "pair":
            return
        columns = [c for c in meta if {cell_text(x).strip().lower() for x in self.table.columns[c].cells} in _ORDERED]
        names = {_flat(s.name) for s in self.series if s.by == "judge"}
        for place, series in enumerate(self.series):
            turned = _TURNED.fullmatch(_flat(series.name))
            if series.by == "judge" and columns:
                self.series[place] = replace(series, order=ValueSource(columns=[columns[0]]))
            elif series.by == "judge" and turned and {turned[1], f"{turned[1]}_ab"} & names:
                base = next(s for s in self.series if _flat(s.name) in (turned[1], f"{turned[1]}_ab"))
                self.series[place] = replace(
                    series, order=ValueSource(constant="ba"), rater=base.rater, dimension=base.dimension
                )
                self.series[self.series.index(base)] = replace(base, order=ValueSource(constant="ab"))
                self.assumptions.append(f"{self.file}: {series.name} is taken for the verdict with the places swapped.")

    def _key(self, id_column: str) -> list[str]:
        """The columns that identify items: the id, and where it repeats, what separates its rows."""
        if not id_column:
            return []
        separating_columns = dict.fromkeys(c for s in self.series for c in (*s.only, s.rater_column) if c)
        separating_columns |= dict.fromkeys(c for s in self.series for c in s.order.columns)
        columns = key_columns(id_column, self.table.columns, self.table.rows, list(separating_columns))
        if not are_unique([*columns, *separating_columns], self.table.rows):
            self.assumptions.append(
                f"{self.file}: {id_column} repeats, and no column tells its rows apart: they are answers to one item."
            )
        return columns


_NOTHING = Survey(None, None, 0, 0, 0)
