"""What the columns of a table mean: a small document, made on screen once and kept for tables of that shape."""

from __future__ import annotations

from collections import abc
from collections.abc import Collection, Iterator
from typing import Any

from pydantic import Field, ValidationError

from data.errors import BadInput
from data.ids import content_id
from data.intake.sentences import problems
from judges.card import Card, cards
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
"""The cards with one dimension, whose judgment can be a single value."""


Cards = abc.Mapping[str, Card]


class From(Strict):
    """Where a value comes from: one or more columns, joined by a blank line, or else a constant."""

    columns: list[str] = Field(default_factory=list)
    constant: str = ""

    def __bool__(self) -> bool:
        return bool(self.columns or self.constant)

    def value(self, row: dict[str, Any]) -> Any:
        """The value in a row: as it stands for one column, joined text for several, None where there is nothing."""
        if not self.columns:
            return self.constant or None
        if len(self.columns) == 1:
            return row.get(self.columns[0])
        parts = [say(row.get(name)) for name in self.columns]
        return "\n\n".join(part for part in parts if part) or None

    def text(self, row: dict[str, Any], sign: str = "\n\n") -> str:
        """The value in a row as text; `sign` joins several columns."""
        if len(self.columns) > 1:
            return sign.join(part for part in (say(row.get(name)) for name in self.columns) if part)
        return say(self.value(row))


class JudgmentColumns(Strict):
    """A judge's replies in a table: `raw` its whole reply, or `value` the one value of a card with one dimension.

    `values` says what the value's cells mean; a cell that it does not know is an unscored judgment.
    """

    card: str
    model: From
    params: dict[str, Any] = Field(default_factory=dict)
    raw: From = From()
    value: From = From()
    values: dict[str, str] = Field(default_factory=dict)
    reason: From = From()
    turn: From = From()


class LabelColumns(Strict):
    """A person's answers in a table. `unit` may be `turn`: that of the row. Without `made_at` the time is unknown.

    `probability` is that with which the item was drawn, where items are said to be drawn at random.
    """

    value: From
    values: dict[str, str] = Field(default_factory=dict)
    unit: From
    dimension: From
    annotator: From
    mode: From = From(constant="blind")
    made_at: From = From()
    team: From = From()
    probability: From = From()


class Mapping(Strict):
    """The meaning of a table's columns. `fields` are those of FIELDS for the kind; with `items` off, only judgments and
    labels are taken, of items that are in the dataset already.

    A dialogue is one row with all its `turns` as JSON, or several rows that stand together under one id: with `role`
    and `text`, or with `user` and `assistant`; `turn` puts them in order.
    """

    kind: Kind
    id: From = From()
    items: bool = True
    fields: dict[str, From] = Field(default_factory=dict)
    meta: list[str] = Field(default_factory=list)
    judgments: list[JudgmentColumns] = Field(default_factory=list, max_length=50)
    labels: list[LabelColumns] = Field(default_factory=list, max_length=50)

    def field(self, name: str) -> From:
        """Where a field of the item comes from; nothing where it is not mapped."""
        return self.fields.get(name) or From()

    def columns(self) -> set[str]:
        """Every column that is used."""
        return {name for source in self._sources() for name in source.columns} | set(self.meta)

    def _sources(self) -> Iterator[From]:
        yield self.id
        yield from self.fields.values()
        for judged in self.judgments:
            yield from (judged.model, judged.raw, judged.value, judged.reason, judged.turn)
        for label in self.labels:
            yield from (label.value, label.unit, label.dimension, label.annotator)
            yield from (label.mode, label.made_at, label.team, label.probability)

    def faults(self, columns: Collection[str], there: Cards | None = None) -> list[str]:
        """What is missing before a table with these columns can be read, in sentences; empty when nothing is.

        `there` are the workspace's cards; without it, those that have a folder.
        """
        found = [f"There is no column {name[:60]!r}." for name in sorted(self.columns() - set(columns))]
        found += [f"{name!r} is not a field of a {self.kind}." for name in self.fields if name not in FIELDS[self.kind]]
        for names in _NEEDED[self.kind] if self.items else ():
            if not any(self.field(name) for name in names):
                found.append(f"Say which column holds {' or '.join(names)}.")
        if not self.id and (not self.items or self.field("text") or self.field("user")):
            found.append("Say which column holds the id of the item.")
        if not self.items and not self.judgments and not self.labels:
            found.append("Nothing is taken: map items, judgments or labels.")
        for judged in self.judgments:
            found += _judged(self.kind, judged, cards() if there is None else there)
            if judged.card == "mt_bench" and not judged.turn and not (self.field("text") or self.field("assistant")):
                found.append("A judgment of mt_bench needs its turn.")
        for label in self.labels:
            for name in ("value", "unit", "dimension", "annotator"):
                if not getattr(label, name):
                    found.append(f"A label needs its {name}.")
        return found


def _judged(kind: Kind, judged: JudgmentColumns, there: Cards) -> list[str]:
    found = []
    card = there.get(judged.card)
    if card is None or card.kind != kind:
        fitting = ", ".join(name for name, known in there.items() if known.kind == kind)
        found.append(f"A judgment needs a card for a {kind}: {fitting} (not {judged.card[:60]!r}).")
    if not judged.model:
        found.append("A judgment needs its model: a column, or a name.")
    if bool(judged.raw) == bool(judged.value):
        found.append("A judgment needs its whole reply or its value, one of the two.")
    if judged.value and judged.card not in SINGLE:
        found.append(f"The card {judged.card[:60]!r} asks more than one question: map the whole reply.")
    return found


def signature(columns: Collection[str]) -> str:
    """The name under which the mapping of tables with these columns is kept."""
    return content_id(sorted(columns))


def parse(text: str) -> Mapping:
    """A mapping from its JSON. Raises BadInput with everything that is wrong with it."""
    try:
        return Mapping.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise BadInput("The mapping cannot be read. " + " ".join(s for _, s in problems(error))) from None


def say(value: Any) -> str:
    """A cell as text: nothing for an empty one, 2 for 2.0."""
    if value is None:
        return ""
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def spell(values: dict[str, str]) -> str:
    """The meaning of cells as a person types it: `0 = tie, 1 = a, 2 = b`."""
    return ", ".join(f"{cell} = {meaning}" for cell, meaning in values.items())


def unspell(text: str) -> dict[str, str]:
    """The meaning of cells from `0 = tie, 1 = a`. Raises BadInput for what is not of that form."""
    values: dict[str, str] = {}
    for part in filter(str.strip, text.split(",")):
        cell, sign, meaning = part.partition("=")
        if not sign or not meaning.strip():
            raise BadInput(f"{part.strip()[:60]!r} says no meaning. Write pairs such as 0 = tie, 1 = a, 2 = b.")
        values[cell.strip()] = meaning.strip()
    return values
