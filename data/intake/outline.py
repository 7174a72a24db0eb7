"""What an import seems to be: which columns or names are whose answers, to which questions, on which scales.

It is a first reading that a person may correct, series by series; `planned` makes a plan of what stands then: mappings
of the tables, questions for what other tools' files say, and a card where none that is there asks the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from data.cards import Place
from data.errors import BadInput
from data.intake.contents import Cells, Contents, Table
from data.intake.mapping import UNITS, From, JudgmentColumns, LabelColumns, Only
from data.intake.mapping import Mapping as Columns
from data.intake.plan import Plan, Question, Sampling
from data.intake.suggest import spoken
from judges.asking.orders import sided
from judges.card import Card
from judges.errors import BadScale
from judges.files.columns import Voice, columns, owner
from judges.making.made import from_recipe
from judges.making.recipe import MOST, RESERVED, Answers, checked
from judges.making.scales import Survey, answer, survey
from judges.types import Dimension, Kind, Scale

By = Literal["judge", "person", ""]
WHOLE = "rating"
"""What a question is called of which the file says no name."""
_APART = ("turn", "turn_number", "section", "system", "model", "model_id", "system_id", "sample", "unit")
_PEOPLE = 30
_SHOWN = 4


@dataclass(frozen=True)
class Series:
    """Answers that belong together: a column of a table (`file`), or what other tools' files call by a name.

    `by` says whose they are, "" that they are not taken; `who` the judge's or person's name ("": as the file has it);
    `dimension` and `sort` the question; `answers` its scale, None where the values have none in common (`why`).
    `value`: the answers stand in this row only where the column `Only.column` names who gave them.
    """

    file: str
    name: str
    by: By
    who: str
    dimension: str
    kind: Kind
    sort: str
    answers: Answers | None
    count: int
    examples: tuple[str, ...] = ()
    reason: str = ""
    confidence: str = ""
    only: Only | None = None
    why: str = ""
    cells: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Outline:
    """The series of a source, each table's own mapping without them, and what was taken for granted, or is unclear.

    `items` counts the rows or items, where it is known.
    """

    series: tuple[Series, ...] = ()
    tables: Mapping[str, Columns] = field(default_factory=dict)
    told: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    items: int = 0

    @property
    def sampling(self) -> Sampling:
        """How the labelled items were chosen, as far as the files tell: all where somebody answered for every row."""
        whole = any(s.by == "person" and s.count >= self.items > 0 for s in self.series)
        return "all" if whole else "unknown"


def outline(
    contents: Contents, asked: Mapping[Place, Dimension], judges: Sequence[str] = (), people: Sequence[str] = ()
) -> Outline:
    """A first reading. `asked` are the questions of the workspace, which are taken where their names and scales fit;

    `judges` and `people` are the columns of which it was said whose they are.
    """
    series: list[Series] = []
    tables: dict[str, Columns] = {}
    told: list[str] = []
    unclear: list[str] = []
    for file, table in contents.tables.items():
        known = _Table(file, table, judges, people)
        tables[file] = known.mapping
        series += known.series
        told += known.told
        unclear += known.unclear
    for one in contents.sayings:
        by: By = "person" if one.by == "person" else "judge"
        kind: Kind = one.kind  # type: ignore[assignment]
        who = next(iter(one.who)) if len(one.who) == 1 else ""
        named = _named(one.name)
        series.append(Series("", one.name, by, who, named, kind, one.sort, None, **_cells(one.values)))
    rows = sum(table.count for table in contents.tables.values())
    items = rows or sum(contents.items.values())
    return Outline(scaled(series, asked), tables, tuple(told), tuple(unclear), items)


def scaled(series: Iterable[Series], asked: Mapping[Place, Dimension]) -> tuple[Series, ...]:
    """The series, each with the scale of its question: that of the workspace's question of its name, where all its

    values are answers on it, else the one that all its series have in common; then under a name that is free.
    """
    given = list(series)
    groups: dict[tuple[str, str, str], list[int]] = {}
    for place, one in enumerate(given):
        if one.by:
            groups.setdefault((one.kind, one.sort, one.dimension), []).append(place)
    for (kind, sort, name), places in groups.items():
        cells = [cell for place in places for cell in given[place].cells]
        found = survey(cells)
        chosen = next((given[place].answers for place in places if given[place].answers is not None), None)
        dimension, scale = _settled(kind, sort, name, chosen or found.answers or found.most, cells, asked)
        for place in places:
            why = "" if scale is not None and (chosen is not None or found.answers is not None) else found.why
            given[place] = replace(given[place], answers=scale, dimension=dimension, why=why)
    return tuple(given)


def _settled(
    kind: str, sort: str, name: str, scale: Answers | None, cells: Sequence[Any], asked: Mapping[Place, Dimension]
) -> tuple[str, Answers | None]:
    """The name of the question and its scale."""
    if scale is not None and sort == "pair" and sided(scale.scale) and ("pair", "pair", "verdict") in asked:
        verdict = asked["pair", "pair", "verdict"].scale
        if set(scale.categories) <= set(verdict.categories):
            return "verdict", _as_answers(verdict)
    base, number = name, 1
    while (known := asked.get((kind, sort, name))) is not None:  # type: ignore[call-overload]
        if (there := _as_answers(known.scale)) is not None and _all_on(cells, there):
            return name, there
        number += 1
        name = f"{base}_{number}"
    return name, scale


def _as_answers(scale: Scale) -> Answers | None:
    """A scale as a recipe has it; None for turns."""
    if scale.kind == "turn":
        return None
    return Answers(
        kind=scale.kind, lo=scale.lo, hi=scale.hi, categories=list(scale.categories), na=scale.na, step=scale.step
    ) if scale.kind in ("ordinal", "interval") else Answers(
        kind=scale.kind, categories=list(scale.categories), na=scale.na
    )  # fmt: skip


def _all_on(cells: Iterable[Any], answers: Answers) -> bool:
    for cell in cells:
        try:
            answer(cell, answers)
        except BadScale:
            return False
    return True


def _cells(told: Cells) -> dict[str, Any]:
    shown = tuple(str(cell) for cell in told.cells[:_SHOWN])
    return {"count": told.count, "examples": shown, "cells": tuple(told.cells)}


def _named(name: str) -> str:
    """A name of other people's as a dimension has it."""
    plain = re.sub(r"[^\w]+", "_", name.strip().lower()).strip("_")[:50]
    if not plain or not plain.isidentifier():
        plain = f"{WHOLE}_{plain}".rstrip("_")
    if not plain.isidentifier():
        plain = WHOLE
    return f"{plain}_{WHOLE}" if plain in RESERVED or plain.startswith("_") else plain


class _Table:
    """One table's first reading."""

    def __init__(self, file: str, table: Table, judges: Sequence[str], people: Sequence[str]) -> None:
        self.file, self.table = file, table
        self.unclear: list[str] = []
        names = list(table.columns)
        fields = spoken(names, table.rows)
        used = {column for source in fields.values() for column in source.columns}
        found = columns([name for name in names if name not in used], table.rows, judges, people)
        self.told = [f"{file}: {sentence}" for sentence in found.told]
        self.unclear = [f"{file}: {one.sentence}" for one in found.unclear]
        self.kind: Kind = "dialogue" if fields else found.kind
        texts = {name: From(columns=held) for name, held in found.texts.items()}
        fields |= {name: source for name, source in texts.items() if name in _FIELDS_OF[self.kind]}
        self.series = [s for s in self._series(found.judges, "judge")]
        self.series += [s for s in self._series(found.people, "person")]
        self.series += self._by(found.by, found.values) if found.by else []
        taken = {s.name for s in self.series} | {c for s in self.series for c in (s.reason, s.confidence)} | {found.by}
        self.series += self._left([c for one in found.unclear for c in one.columns if c not in taken])
        key = self._key(found.id, found.meta) if not spoken(names, table.rows) else [found.id] if found.id else []
        beside = [c for c in found.meta if c not in key and c not in taken and not table.columns[c].many]
        self.mapping = Columns(kind=self.kind, id=From(columns=key), fields=fields, meta=beside)

    def _one(self, voice: Voice, by: By) -> Series:
        named = _named(voice.dimension) if voice.dimension else WHOLE
        told = _cells(self.table.columns[voice.column])
        return Series(
            self.file, voice.column, by, voice.who, named, self.kind, UNITS[self.kind], None,
            reason=voice.reason, confidence=voice.confidence, **told,
        )  # fmt: skip

    def _series(self, voices: Iterable[Voice], by: By) -> list[Series]:
        return [self._one(voice, by) for voice in voices]

    def _left(self, names: Iterable[str]) -> list[Series]:
        """Columns of which a person has to say whose they are."""
        return [self._one(Voice(name, name, "", _NOTHING), "") for name in dict.fromkeys(names)]

    def _by(self, by: str, values: Iterable[Voice]) -> list[Series]:
        """The answers of each judge and person that a column names; where they are many, all people's together."""
        found = []
        who = [str(cell) for cell in self.table.columns[by].cells]
        for voice in values:
            one = self._one(voice, "person")
            if len(who) > _PEOPLE or not who:
                found.append(replace(one, who="", only=Only(column=by, values=[])))
                continue
            for name in who:
                by_one: By = "judge" if owner(name) == "judge" or owner(by) == "judge" else "person"
                found.append(replace(one, by=by_one, who=name, only=Only(column=by, values=[name])))
        return found

    def _key(self, found: str, meta: Sequence[str]) -> list[str]:
        """The columns that tell items apart: the id, and where it repeats, what parts its rows."""
        if not found:
            return []
        key, people = [found], [s.only.column for s in self.series if s.only is not None]
        if people:
            return key
        plain = {re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_"): name for name in self.table.columns}
        for name in _APART:
            if self._apart(key):
                break
            column = plain.get(name)
            if column is not None and column not in key and len(set(map(str, self.table.columns[column].cells))) > 1:
                key.append(column)
        return key if self._apart(key) else [found]

    def _apart(self, key: Sequence[str]) -> bool:
        names = [tuple(str(row.get(column)) for column in key) for row in self.table.rows]
        return len(set(names)) == len(names)


_NOTHING = Survey(None, None, 0, 0, 0)
_FIELDS_OF: dict[Kind, tuple[str, ...]] = {
    "dialogue": ("scenario", "system", "turns"),
    "pair": ("input", "response_a", "response_b", "system_a", "system_b"),
    "response": ("task", "output", "reference", "system"),
}


def planned(made: Outline, plan: Plan, there: Mapping[str, Card]) -> Plan:
    """The plan with mappings, questions and cards for what the outline says. `there` are the workspace's cards.

    Raises BadInput where something still has to be said.
    """
    taken = [s for s in made.series if s.by and s.answers is not None]
    if lost := [s for s in made.series if s.by and s.answers is None]:
        named = "; ".join(f"{s.name} ({s.why or 'no values'})" for s in lost[:3])
        raise BadInput(f"No scale fits the values of {named}. Leave them out, or say the scale.")
    places = {(s.kind, s.sort, s.dimension): s for s in taken}
    homes, specs = _homes(places, plan.dataset, there)
    mappings = []
    for file, base in made.tables.items():
        mine = [s for s in taken if s.file == file]
        mappings.append(base.model_copy(update={
            "judgments": [_judged(s, homes) for s in mine if s.by == "judge"],
            "labels": [_labelled(s) for s in mine if s.by == "person"],
        }))  # fmt: skip
    questions = [
        Question(
            s.by or "judge", s.kind, s.sort, s.name, homes[s.kind, s.sort, s.dimension], s.dimension, s.answers, s.who
        )
        for s in taken
        if not s.file
    ]
    return replace(plan, mappings=tuple(mappings), questions=tuple(questions), cards=tuple(specs))


def _judged(one: Series, homes: Mapping[tuple[str, str, str], str]) -> JudgmentColumns:
    return JudgmentColumns(
        card=homes[one.kind, one.sort, one.dimension],
        model=From(constant=one.who) if one.who or one.only is None else From(columns=[one.only.column]),
        value=From(columns=[one.name]),
        answers=one.answers,
        reason=From(columns=[one.reason] if one.reason else []),
        confidence=From(columns=[one.confidence] if one.confidence else []),
        dimension=From(constant=one.dimension),
        unit=From(constant=one.sort),
        only=one.only,
    )


def _labelled(one: Series) -> LabelColumns:
    return LabelColumns(
        value=From(columns=[one.name]),
        answers=one.answers,
        unit=From(constant=one.sort),
        dimension=From(constant=one.dimension),
        annotator=From(constant=one.who) if one.who or one.only is None else From(columns=[one.only.column]),
        only=one.only,
    )


def _homes(
    places: Mapping[tuple[str, str, str], Series], dataset: str, there: Mapping[str, Card]
) -> tuple[dict[tuple[str, str, str], str], list[dict[str, Any]]]:
    """The card of each question, and the contents of those that have to be made."""
    homes: dict[tuple[str, str, str], str] = {}
    specs = []
    for kind in dict.fromkeys(kind for kind, _, _ in places):
        mine = {place: s for place, s in places.items() if place[0] == kind}
        fitting = next((c.name for c in there.values() if c.kind == kind and _asks(c, mine)), "")
        if fitting:
            homes |= dict.fromkeys(mine, fitting)
            continue
        left = {place: s for place, s in mine.items() if not (place[1:] == ("pair", "verdict") and "plain_pairwise" in there)}
        homes |= dict.fromkeys(set(mine) - set(left), "plain_pairwise")
        rows = list(left.items())
        for start in range(0, len(rows), MOST):
            card = _card(kind, dict(rows[start : start + MOST]), dataset, {*there, *homes.values()})
            specs.append(card.spec)
            homes |= dict.fromkeys((place for place, _ in rows[start : start + MOST]), card.name)
    return homes, specs


def _asks(card: Card, mine: Mapping[tuple[str, str, str], Series]) -> bool:
    """Whether a card asks all these questions, on these scales."""
    known = {(d.sort, d.name): d.scale for d in card.dimensions}
    return all(s.answers is not None and known.get(place[1:]) == s.answers.scale for place, s in mine.items())


def _card(kind: str, mine: Mapping[tuple[str, str, str], Series], dataset: str, taken: set[str]) -> Card:
    """A card that asks these questions, under a name that is free."""
    base = re.sub(r"[^a-z0-9]+", "_", dataset.lower()).strip("_")[:32]
    base = base if len(base) >= 3 and base[0].isalpha() else f"imported_{base}".rstrip("_")[:32]
    name, number = base, 1
    while name in taken or name.endswith("_on_turns"):
        number += 1
        name = f"{base}_{number}"
    asked = [
        {
            "name": dimension, "unit": sort, "definition": f"What {one.name} says in the files it was imported from.",
            "answers": None if one.answers is None else one.answers.model_dump(),
        }
        for (_, sort, dimension), one in mine.items()
    ]  # fmt: skip
    title = " ".join(dataset.split())[:60] or "Imported"
    return from_recipe(checked({"name": name, "title": title, "kind": kind, "dimensions": asked}))
