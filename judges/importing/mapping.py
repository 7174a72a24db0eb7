"""The meaning of a table's columns: a small document, made on screen once and kept for tables of that shape."""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Mapping
from typing import Any, Literal

from pydantic import Field

from judges.authoring.custom import from_recipe
from judges.authoring.recipe import Recipe, RecipeScale
from judges.authoring.scale_inference import is_missing, parse_answer
from judges.card import Card
from judges.cards import cards
from judges.errors import BadScale
from judges.importing.columns import cell_text
from judges.types import Kind, Strict

FIELDS: dict[Kind, tuple[str, ...]] = {
    "dialogue": ("scenario", "system", "turns", "turn", "role", "text", "user", "assistant"),
    "pair": ("input", "response_a", "response_b", "system_a", "system_b"),
    "response": ("task", "output", "reference", "system"),
}
_NEEDED: dict[Kind, tuple[tuple[str, ...], ...]] = {
    "dialogue": (("turns", "text", "assistant"),),
    "pair": (("response_a",), ("response_b",)),
    "response": (("output",),),
}
SINGLE = ("plain_pairwise", "mt_bench")
"""The cards whose reply can be made of a single value."""
UNITS: dict[Kind, str] = {"dialogue": "conversation", "pair": "pair", "response": "response"}
"""The unit that a value is about where nothing else is said."""
Cards = Mapping[str, Card]
_MAX_COLUMNS = 1_000
_NUMBER = re.compile(r"-?(\d{1,12}(\.\d{0,18})?|\.\d{1,18})", re.ASCII)


class ValueSource(Strict):
    """The source of a value: one or more columns, joined by a blank line, or else a constant."""

    columns: list[str] = Field(default_factory=list)
    constant: str = ""

    def __bool__(self) -> bool:
        return bool(self.columns or self.constant)

    def value(self, row: dict[str, Any]) -> Any:
        """The value in a row: unchanged for one column, joined text for several, None where there is nothing."""
        if not self.columns:
            return self.constant or None
        if len(self.columns) == 1:
            return row.get(self.columns[0])
        return self.text(row) or None

    def text(self, row: dict[str, Any], sign: str = "\n\n") -> str:
        """The value in a row as text; `sign` joins several columns."""
        if len(self.columns) > 1:
            return sign.join(part for part in (cell_text(row.get(name)) for name in self.columns) if part)
        return cell_text(self.value(row))


class AnswerColumns(Strict):
    """Answers in a table. They are taken of the rows in which each column of `only` has one of its values."""

    only: dict[str, list[str]] = Field(default_factory=dict)

    def has(self, row: dict[str, Any]) -> bool:
        """Whether a row has such an answer."""
        return all(cell_text(row.get(column)).strip() in values for column, values in self.only.items())

    def columns(self) -> set[str]:
        """Every column that is used."""
        sources = (value for _, value in self if isinstance(value, ValueSource))
        return {name for source in sources for name in source.columns} | self.only.keys()


class JudgmentColumns(AnswerColumns):
    """A judge's replies in a table: `raw` its whole reply, or `value` what it gave in one dimension of its card.

    `values` says what the value's cells mean, or `answers` on which scale they are read; a cell that is neither is no
    score. `dimension` (not needed if the card asks one question) and `unit` (`turn`: that of the row) may be the same
    for all rows, or columns: then each row has one of the item's values. What one judge gave an item is one judgment; a
    value that is there already is another `sample`. `order` is that in which a judge saw a pair: ab or ba.
    """

    card: str
    model: ValueSource
    params: dict[str, Any] = Field(default_factory=dict)
    raw: ValueSource = ValueSource()
    value: ValueSource = ValueSource()
    values: dict[str, str] = Field(default_factory=dict)
    answers: RecipeScale | None = None
    reason: ValueSource = ValueSource()
    turn: ValueSource = ValueSource()
    dimension: ValueSource = ValueSource()
    unit: ValueSource = ValueSource()
    confidence: ValueSource = ValueSource()
    sample: ValueSource = ValueSource()
    order: ValueSource = ValueSource()

    @property
    def reply(self) -> bool:
        """Whether the value is made into a reply of its card; else it comes in as a score without one."""
        return self.card in SINGLE and not self.dimension


class LabelColumns(AnswerColumns):
    """A person's answers in a table. `unit` may be `turn`: that of the row. Without `made_at` the time is unknown.

    Where one person answered again, the answer with the last time in `latest` counts, else that further down. The
    cells in `missing` are codes for no answer, such as 99.
    `probability` is that with which the item was drawn, where items are said to be drawn at random.
    """

    value: ValueSource
    values: dict[str, str] = Field(default_factory=dict)
    answers: RecipeScale | None = None
    unit: ValueSource
    dimension: ValueSource
    annotator: ValueSource
    turn: ValueSource = ValueSource()
    mode: ValueSource = ValueSource(constant="blind")
    made_at: ValueSource = ValueSource()
    latest: ValueSource = ValueSource()
    missing: list[str] = Field(default_factory=list, exclude_if=operator.not_)
    team: ValueSource = ValueSource()
    probability: ValueSource = ValueSource()


class ColumnMapping(Strict):
    """The meaning of a table's columns.

    `fields` are those of FIELDS for the kind; with `items` off, only judgments and labels are taken, of items that are
    in the dataset already.

    A dialogue is one row with all its `turns` as JSON, or several adjacent rows under one id: with `role` and `text`,
    or with `user` and `assistant`; `turn` puts them in order. `roles` are those (user, assistant, system or tool) of
    speakers, in small letters, whose names say none, as {"doctor": "assistant"}. `recipes` are cards of own
    dimensions that the import makes where they do not exist.
    """

    kind: Kind
    id: ValueSource = ValueSource()
    items: bool = True
    fields: dict[str, ValueSource] = Field(default_factory=dict)
    roles: dict[str, Literal["user", "assistant", "system", "tool"]] = Field(
        default_factory=dict, exclude_if=operator.not_
    )
    meta: list[str] = Field(default_factory=list)
    judgments: list[JudgmentColumns] = Field(default_factory=list, max_length=_MAX_COLUMNS)
    labels: list[LabelColumns] = Field(default_factory=list, max_length=_MAX_COLUMNS)
    recipes: list[Recipe] = Field(default_factory=list, max_length=50)

    @property
    def textless(self) -> bool:
        """Whether the table holds no judged texts, but only answers about them."""
        return self.kind != "dialogue" and not any(self.field(name) for names in _NEEDED[self.kind] for name in names)

    @property
    def bare(self) -> bool:
        """Whether the table holds neither judged texts nor answers."""
        return self.textless and not self.judgments and not self.labels

    def field(self, name: str) -> ValueSource:
        """Return the source of a field of the item; an empty one if the field is not mapped."""
        return self.fields.get(name) or ValueSource()

    def columns(self) -> set[str]:
        """Every column that is used."""
        of_items = {name for source in (self.id, *self.fields.values()) for name in source.columns} | set(self.meta)
        return of_items.union(*(answers.columns() for answers in (*self.judgments, *self.labels)))

    def cards(self) -> dict[str, Card]:
        """The cards that its recipes make, by name."""
        return {recipe.name: from_recipe(recipe) for recipe in self.recipes}

    def complete(self, cards_by_name: Cards) -> ColumnMapping:
        """Itself, each value of a judge with its question and unit, where its card leaves no choice."""
        judgments = [_fill_from_card(judged, cards_by_name.get(judged.card)) for judged in self.judgments]
        return self.model_copy(update={"judgments": judgments})

    def faults(self, columns: Collection[str], cards_by_name: Cards | None = None) -> list[str]:
        """Return sentences on what is missing before a table with these columns can be read; empty if nothing is.

        `cards_by_name` are the workspace's cards. Without it, those that have a folder are used.
        """
        cards_by_name = self.cards() | dict(cards() if cards_by_name is None else cards_by_name)
        faults = [f"There is no column {name[:60]!r}." for name in sorted(self.columns() - set(columns))]
        faults += [
            f"{name!r} is not a field of a {self.kind}." for name in self.fields if name not in FIELDS[self.kind]
        ]
        for names in _NEEDED[self.kind] if self.items and not self.textless else ():
            if not any(self.field(name) for name in names):
                faults.append(f"Say which column holds {' or '.join(names)}.")
        if not self.id and (not self.items or self.field("text") or self.field("user")):
            faults.append("Say which column holds the id of the item.")
        if not self.items and not self.judgments and not self.labels:
            faults.append("Nothing would be imported: map items, judgments or labels.")
        for judged in self.judgments:
            faults += _judgment_faults(self.kind, judged, cards_by_name)
            if judged.card == "mt_bench" and not judged.turn and not (self.field("text") or self.field("assistant")):
                faults.append("A judgment of mt_bench needs its turn.")
        for label in self.labels:
            for name in ("value", "unit", "dimension", "annotator"):
                if not getattr(label, name):
                    faults.append(f"A label needs its {name}.")
        return faults


def _judgment_faults(kind: Kind, judged: JudgmentColumns, cards_by_name: Cards) -> list[str]:
    faults = []
    card = cards_by_name.get(judged.card)
    if card is None or card.kind != kind:
        fitting = ", ".join(name for name, known in cards_by_name.items() if known.kind == kind)
        faults.append(f"A judgment needs a card for a {kind}: {fitting} (not {judged.card[:60]!r}).")
    if not judged.model:
        faults.append("A judgment needs its model: a column, or a name.")
    if bool(judged.raw) == bool(judged.value):
        faults.append("A judgment needs its whole reply or its value, one of the two.")
    if card is not None and judged.value and not judged.reply and not judged.dimension.columns:
        faults += _dimension(card, judged)
    return faults


def _fill_from_card(judged: JudgmentColumns, card: Card | None) -> JudgmentColumns:
    if card is None or not judged.value or judged.reply:
        return judged
    names = {d.name for d in card.dimensions if judged.dimension.constant in ("", d.name)}
    if judged.dimension.columns or len(names) != 1:
        return judged
    (name,) = names
    sorts = {d.sort for d in card.dimensions if d.name == name}
    unit = judged.unit if judged.unit or len(sorts) > 1 else ValueSource(constant=next(iter(sorts)))
    return judged.model_copy(update={"dimension": ValueSource(constant=name), "unit": unit})


def _dimension(card: Card, judged: JudgmentColumns) -> list[str]:
    """Return what is wrong with the question that a value answers; nothing if it is one that the card asks."""
    names = list(dict.fromkeys(d.name for d in card.dimensions))
    if not judged.dimension and len(names) > 1:
        return [f"Say which question of {card.name} the value answers: {', '.join(names)}."]
    named = judged.dimension.constant
    if named in ("", *names):
        return []
    return [f"{card.name} has no dimension {named[:60]!r}. It has: {', '.join(names)}."]


def interpret_cell(cell: Any, values: dict[str, str], answers: RecipeScale | None = None) -> Any:
    """Return the meaning of a cell: by the list of values or on the scale, if there is one, otherwise as it reads.

    Return None if it is none of the values, or no answer on the scale.
    """
    text = cell_text(cell).strip()
    if answers is not None and not values:
        try:
            return parse_answer(cell, answers)
        except BadScale:
            return None
    if values:
        if text not in values:
            return None
        text = values[text]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if not _NUMBER.fullmatch(text):
        return text.lower()
    number = float(text)
    return int(number) if number == int(number) and abs(number) < 1e9 else number


def lacks_answer(cell: Any, answers: RecipeScale | None) -> bool:
    """Whether a cell has a mark for nothing, and no word of the scale, which "none" may be."""
    return is_missing(cell) and (answers is None or interpret_cell(cell, {}, answers) is None)
