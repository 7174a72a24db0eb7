"""Few-shot examples of a card: two or three, shown before the item as turns of their own; part of its version.

A card's folder may hold examples.jsonl, one object a line: {"shows", "fields", "reply"}, and "card" where a folder has
several cards. Calibration shows whether examples help; none are shipped.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from judges.card import Card, Example, Item
from judges.errors import BadCard

EXAMPLE_COUNTS = (2, 3)
"""The numbers of few-shot examples that a card may have, if it has any."""
_ORIGIN_KEYS = {"card", "card_version", "item", "part", "judge_model"}
"""The keys that a line may have besides those of the example: its card, and where an export took it from."""
_MARK = re.compile(r"\[\[[^\[\]\n]{1,10}\]\]")


def with_examples(card: Card, examples: Sequence[Example]) -> Card:
    """The card with these examples in place of its own.

    It has another version. Its stored content (Card.spec) contains the examples with its recipe, so that
    custom.from_spec can rebuild it.

    Raises BadCard unless there are two or three examples, each in the form in which the card's judges see an item and
    reply.
    """
    if not EXAMPLE_COUNTS[0] <= len(examples) <= EXAMPLE_COUNTS[1]:
        raise BadCard(
            f"Give {card.name} {EXAMPLE_COUNTS[0]} or {EXAMPLE_COUNTS[1]} examples; there are {len(examples)}."
        )
    for number, example in enumerate(examples, 1):
        check_example(card, number, example)
    return replace(card, examples=tuple(examples))


def is_example(card: Card, item: Item) -> bool:
    """Whether an example of a card is this item, as its judges see it: other fields do not count."""
    if not card.examples or item.kind != card.kind:
        return False
    return any(card.fields(item, part) in [e.fields for e in card.examples] for part in card.parts(item))


def parse_example(row: Any, where: str) -> Example:
    """The example that an object {"shows", "fields", "reply"} describes; BadCard, naming `where`, if it is none."""
    if not isinstance(row, dict) or row.keys() - _ORIGIN_KEYS != {"shows", "fields", "reply"}:
        raise BadCard(f"{where}: an example has the keys shows, fields and reply, and no others.")
    shows, fields, reply = row["shows"], row["fields"], row["reply"]
    if not isinstance(shows, str) or not isinstance(fields, dict) or not isinstance(reply, (dict, str)):
        raise BadCard(
            f"{where}: shows is a text, fields an object, reply an object (a text where judges reply in prose)."
        )
    return Example(shows, fields, reply)


def examples_of_folder(file: str, cards: Iterable[Card]) -> list[Card]:
    """The cards of a folder, each with its examples in the folder's examples.jsonl, if there are any.

    A line without "card" belongs to the first card. Raises BadCard for a line that cannot be used.
    """
    folder_cards, path = list(cards), Path(file).with_name("examples.jsonl")
    if not path.exists():
        return folder_cards
    own: dict[str, list[Example]] = {card.name: [] for card in folder_cards}
    # Not splitlines(), which parts a text that holds U+2028.
    for number, line in enumerate(io.StringIO(path.read_text(encoding="utf-8")), 1):
        where = f"{path.parent.name}/examples.jsonl, line {number}"
        try:
            row = json.loads(line)
        except ValueError:
            raise BadCard(f"{where}: it is not a JSON object.") from None
        example = parse_example(row, where)
        name = row.get("card", folder_cards[0].name)
        if name not in own:
            raise BadCard(f"{where}: this folder has no card {name!r}. It has: {', '.join(own)}.")
        own[name].append(example)
    return [with_examples(card, own[card.name]) if own[card.name] else card for card in folder_cards]


def check_example(card: Card, number: int, example: Example) -> None:
    """Raise BadCard if an example does not have the form in which the card's judges see an item and reply."""
    where = f"Example {number} of {card.name}"
    if not example.shows.strip() or not example.fields:
        raise BadCard(f"{where}: say what it shows, and give the fields as the judge sees them.")
    if card.text is not None:
        if not isinstance(example.reply, str) or not _MARK.search(example.reply):
            raise BadCard(
                f"{where}: the reply must be a text that ends in its rating or verdict, such as [[7]] or [[A]]."
            )
        return
    if not isinstance(example.reply, dict):
        raise BadCard(f"{where}: the reply must be a JSON object.")
    try:
        card.reply.model_validate(example.reply)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadCard(f"{where}: in the reply, {place}: {first['msg'].lower()}.") from None
