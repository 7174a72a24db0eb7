"""A card: a judge's rubric as data. Its folder in judges/cards/ is all that adding a judge takes."""

from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from typing import Any

from pydantic import BaseModel

import judges.cards
from judges.errors import UnknownCard
from judges.types import Dialogue, Dimension, Kind, Pair, Reading, Response, Scale, sort_of, units


@dataclass(frozen=True)
class Card:
    """A judge's rubric: what it takes, what it asks, what it returns and the rules it obeys.

    `reply` is the pydantic model of the judge's JSON; `read` turns a valid reply for one item into scores and remarks;
    `text` (where a card's judges answer in prose) makes the reply's JSON of a raw text, and of the part it is about.
    """

    name: str
    title: str
    kind: Kind
    dimensions: tuple[Dimension, ...]
    reply: type[BaseModel]
    read: Callable[[Any, Any], Reading]
    text: Callable[[str, str], dict[str, Any]] | None = None

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The card's content as JSON: what its version is the hash of, and what a workspace stores of it."""
        return {
            "name": self.name,
            "title": self.title,
            "kind": self.kind,
            "dimensions": [asdict(d) for d in self.dimensions],
            "reply": self.reply.model_json_schema(),
        }

    @cached_property
    def version(self) -> str:
        """Twelve hex digits of the SHA-256 of the card's content."""
        text = json.dumps(self.spec, sort_keys=True, ensure_ascii=False, default=list)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def dimension(self, name: str, unit: str) -> Dimension | None:
        """The dimension of that name that is asked of that sort of unit, if the card has one."""
        sort = sort_of(unit)
        return next((d for d in self.dimensions if d.name == name and d.sort == sort), None)

    def cells(self, item: Dialogue | Pair | Response) -> list[tuple[str, Dimension]]:
        """Every (unit, dimension) of an item that people are asked about, in reading order."""
        return [(unit, d) for unit in units(item) for d in self.dimensions if d.asked and d.sort == sort_of(unit)]


@cache
def cards() -> dict[str, Card]:
    """Every card that has a folder in judges/cards/, by name."""
    found = [m.name for m in pkgutil.iter_modules(judges.cards.__path__) if m.ispkg]
    loaded = [importlib.import_module(f"judges.cards.{name}.card").CARD for name in sorted(found)]
    return {card.name: card for card in loaded}


def card(name: str) -> Card:
    """The card of that name. Raises UnknownCard, naming those there are."""
    try:
        return cards()[name]
    except KeyError:
        raise UnknownCard(f"There is no card {name!r}. There are: {', '.join(cards())}.") from None


@cache
def scales() -> dict[tuple[Kind, str, str], Scale]:
    """The scale of (item kind, unit sort, dimension) over all cards; a name means one scale wherever it is asked."""
    return {(c.kind, d.sort, d.name): d.scale for c in cards().values() for d in c.dimensions}
