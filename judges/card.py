"""A card: a judge's rubric as data. To add a judge, add the card's folder to judges/cards/."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from judges.params import Params
from judges.types import Dialogue, Dimension, Kind, Pair, Reading, Response, sort_of, units

Item = Dialogue | Pair | Response


@dataclass(frozen=True)
class Example:
    """A few-shot example: what it shows ("a 1", "low confidence"), the fields as the judge sees them, its reply."""

    shows: str
    fields: dict[str, Any]
    reply: dict[str, Any] | str


@dataclass(frozen=True)
class AnsweringCalls:
    """Calls in which a model answers an item instead of judging it; each call is a piece of one judgment.

    `pieces` gives the names of the calls in the order in which they are asked. `after` gives the calls whose replies a
    call continues: it is asked only if these can be used. `messages` makes its messages from their raw replies, by
    piece. `temperature` is the temperature of all calls about an item. `params` are shown as the parameters of a run.
    """

    pieces: Callable[[Any], list[str]]
    after: Callable[[Any, str], list[str]]
    messages: Callable[[Any, str, Mapping[str, str]], list[dict[str, str]]]
    temperature: Callable[[Any], float]
    params: Mapping[str, Any] = field(default_factory=dict)


@lru_cache(1_000)
def _reply_schema(reply: type[BaseModel]) -> dict[str, Any]:
    return reply.model_json_schema()


@lru_cache(1_000)
def _dimension_spec(dimension: Dimension) -> dict[str, Any]:
    """A dimension as it is written in a card's content.

    The version is a hash of this content, so it keeps the word and the keys from before scales had steps. A judge must
    not become another judge because Assay renames something, explains more of an answer to people, or accepts a judge's
    number that it refused before.
    """
    spec = asdict(dimension)
    del spec["anchors"], spec["between"]
    scale = spec["scale"]
    if not scale["step"]:
        del scale["step"]
        scale["kind"] = "number" if scale["kind"] == "interval" else scale["kind"]
    return spec


def _item_units(item: Any) -> list[str]:
    """The item as a whole; no unit for a pair without texts, because it has nothing to judge."""
    return [] if isinstance(item, Pair) and None in (item.response_a.text, item.response_b.text) else [""]


def _only_variant(_item: Any, _part: str) -> str:
    return ""


def _content(item: Any, _part: str) -> dict[str, Any]:
    """All judged content under its own field names, without the systems' names and other facts of the item."""
    shown = dict(item.model_dump(mode="json", exclude={"id", "kind", "system", "meta"}))
    if isinstance(item, Pair):
        shown |= {"response_a": item.response_a.text, "response_b": item.response_b.text}
        del shown["sections"]
        if item.sections:
            absent = {f"response_{s}": [c.label for c in item.sections if getattr(c, s) is None] for s in ("a", "b")}
            shown["sections"] = [section.label for section in item.sections]
            shown |= {"sections_absent": absent} if any(absent.values()) else {}
    return shown


@dataclass(frozen=True)
class Card:
    """A judge's rubric: what it takes, what it asks, what it returns and the rules it obeys.

    `reply` is the pydantic model of the judge's JSON; `read` turns a valid reply for one item into scores and remarks;
    `text` is for cards whose judges answer in prose: it makes the reply's JSON from a raw text and the part it is
    about.

    To run it: `prompts` are its system messages by variant ("" is the usual one; without any, replies can be imported,
    but the card cannot be run). `templates`, by variant, are messages with fields in braces; they replace the fenced
    material, only where a published pipeline is reproduced. `variant` says which of them an item (and part) gets.
    `parts` gives the units that are judged in a call of their own ("" = the whole item), and `fields` the JSON of the
    item that the judge is shown. `audits` are the names of its audits, `defaults` its initial parameters.

    `recipe` says how a card without a folder was made (judges/authoring/custom.py); None for a folder's card. `again`
    rebuilds such a card from its stored content, if the recipe's "from" names this card. `allowed` is the rule for the
    verdict, if there is one: it gets the other scores as codes by (unit, dimension) and gives the verdicts that they
    allow. `rules` tells people, in sentences, what is checked when a reply is read. `read_part` replaces `read` if a
    JSON reply does not say which unit it is about (as in judges/authoring/overlay.py). `trust` names the flag that says
    whether the judge's aggregate can be trusted. `counts` is the weight of a score in a mean by its confidence in words
    (`judges.triage.confidence_level`), if the card sets one.

    `needs` says in sentences what it needs of a model and of the items. `least_reply` is the least number of tokens of
    a reply. Neither is part of its version. `conversation` is set if the replies are answers to be judged, not
    judgments (judges/mtbench/generation.py).
    """

    name: str
    title: str
    kind: Kind
    dimensions: tuple[Dimension, ...]
    reply: type[BaseModel]
    read: Callable[[Any, Any], Reading]
    text: Callable[[str, str], dict[str, Any]] | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    variant: Callable[[Any, str], str] = _only_variant
    parts: Callable[[Any], list[str]] = _item_units
    fields: Callable[[Any, str], dict[str, Any]] = _content
    examples: tuple[Example, ...] = ()
    audits: tuple[str, ...] = ()
    defaults: Params = field(default_factory=Params)
    recipe: dict[str, Any] | None = None
    allowed: Callable[[Mapping[tuple[str, str], float | None]], tuple[str, ...]] | None = None
    rules: tuple[str, ...] = ()
    read_part: Callable[[Any, Any, str], Reading] | None = None
    trust: str = ""
    counts: Mapping[str, float] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    least_reply: int = 0
    conversation: AnsweringCalls | None = None
    templates: Mapping[str, str] = field(default_factory=dict)
    again: Callable[[Card, Mapping[str, Any]], Card] | None = None

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The card's content as JSON: its version is the hash of it, and a workspace stores it."""
        content = {
            "name": self.name,
            "title": self.title,
            "kind": self.kind,
            "dimensions": [_dimension_spec(d) for d in self.dimensions],
            "reply": _reply_schema(self.reply),
            "prompts": dict(self.prompts),
            "examples": [asdict(e) for e in self.examples],
            "recipe": self.recipe,
        }
        return content | ({"templates": dict(self.templates)} if self.templates else {})

    @cached_property
    def version(self) -> str:
        """Twelve hex digits of the SHA-256 of the card's content."""
        text = json.dumps(self.spec, sort_keys=True, ensure_ascii=False, default=list)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def texts(self) -> dict[str, str]:
        """All words that its judges get for any item, by variant: a prompt with its template below it."""
        return {name: f"{text}\n\n{self.templates.get(name, '')}".strip() for name, text in self.prompts.items()}

    def dimension(self, name: str, unit: str) -> Dimension | None:
        """The dimension of that name for that sort of unit; None if the card has none."""
        sort = sort_of(unit)
        return next((d for d in self.dimensions if d.name == name and d.sort == sort), None)

    def cells(self, item: Item, stated: bool = False) -> list[tuple[str, Dimension]]:
        """Every (unit, dimension) of an item that people are asked about, in reading order.

        stated: include those that only the judge states; people may answer these but need not.
        """
        dimensions = [d for d in self.dimensions if d.asked or stated]
        return [(unit, d) for unit in units(item) for d in dimensions if d.sort == sort_of(unit)]


def prompts_beside(file: str) -> dict[str, str]:
    """The prompts in the folder of a card's module, by variant: prompt.md is "", prompt_reference.md "reference"."""
    files = sorted(Path(file).parent.glob("prompt*.md"))
    return {f.stem.removeprefix("prompt").removeprefix("_"): f.read_text(encoding="utf-8").strip() for f in files}


PER_TURN = "_on_turns"
"""The ending of the name of a response card that is applied per turn; no other card may use it."""
HOMES: dict[str, str] = {}
"""The folder of each card that has one, by the card's name; filled when the cards are loaded."""


def describe_origin(card: Card) -> str:
    """The origin of a card, for messages: the file of its folder, or of the card that is applied per turn."""
    name = str(((card.recipe or {}).get("over") or {}).get("name", card.name))
    return f"judges/cards/{HOMES[name]}/card.py" if name in HOMES else f"The card {name}"
