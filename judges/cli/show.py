"""`show`: one card in full, or the messages that a judge gets for an item."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from judges.audits import all_audits
from judges.authoring.soundness import CardFault, find_faults, shown_fields
from judges.card import Card, Item
from judges.cli.options import add_card, chosen_card
from judges.errors import BadCard, BadInput
from judges.importing.line_files import read_lines
from judges.importing.lines import explain_errors, parse_item
from judges.protocols.call_plan import CallReply, build_request, pieces, tasks
from judges.protocols.messages import Message
from judges.reading.schema import strict_schema


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("name", nargs="?", default="", metavar="CARD", help="the same as --card")
    add_card(parser)
    parser.add_argument("--prompt", metavar="ITEMS.jsonl", type=Path, help="the messages for the first item of a file")


def run(options: argparse.Namespace) -> int:
    """Print the card, or with --prompt the messages of every call that the first item takes.

    Exit code 1 if the card has faults, which go to stderr too.
    """
    card = chosen_card(options, options.name or None)
    lacks = find_faults(card)
    lines = prompt_lines(card, first_item(card, options.prompt)) if options.prompt else describe_card(card, lacks)
    print("\n".join(lines).encode("utf-8", "replace").decode())
    for fault in lacks:
        print(fault.text, file=sys.stderr)
    return int(bool(lacks))


def describe_card(card: Card, lacks: Sequence[CardFault] = ()) -> list[str]:
    """A card as lines: what it takes and asks, its rules, audits and prompts, and the shape of its replies.

    `lacks` are its faults (judges/authoring/soundness.py), which are printed first. Parts that fail are left out.
    """
    out = [f"{card.title} ({card.name}), version {card.version}", ""]
    out += ["It lacks:", *(f"  {line}" for fault in lacks for line in fault.text.splitlines()), ""] if lacks else []
    out += [f"Takes a {card.kind}, and shows the judge:", *_shown_fields(card)]
    out += ["", "Asks:"]
    for d in card.dimensions:
        stated = "" if d.asked else " (stated by the judge only)"
        out += [f"  {d.name} of each {d.sort}{stated}: {d.scale.words}", f"      {d.definition}"]
    if card.rules:
        out += ["", "Rules, checked when a reply is read:", *(f"  {rule}" for rule in card.rules)]
    out += ["", "Known failures that are looked for:"]
    known = all_audits()
    out += [f"  {name}: {known[name].title}" for name in card.audits if name in known] or ["  none"]
    changed = card.defaults.model_dump(exclude_defaults=True)
    out += ["", f"Begins with: {json.dumps(changed)}"] if changed else []
    for name, text in card.texts.items():
        out += ["", f"--- prompt{f', {name}' if name else ''} ---", text]
    for example in card.examples:
        out += ["", f"--- example: {example.shows} ---", json.dumps(example.reply, ensure_ascii=False)]
    if card.text is not None:
        return [*out, "", "The reply is prose."]
    try:
        schema = json.dumps(strict_schema(card.reply), ensure_ascii=False, indent=1)
    except BadCard as error:
        schema = str(error)
    return [*out, "", "--- schema of the reply ---", schema]


def prompt_lines(card: Card, item: Item) -> list[str]:
    """The messages of every call for an item, as an endpoint without JSON mode gets them. Raises BadInput without any.

    A window after the first is shown without the summary that the window before it would give.
    """
    out: list[str] = []
    for task in tasks(card, card.defaults, [(item.id, item)]):
        before: dict[str, CallReply] = {}
        for piece in pieces(card, card.defaults, task):
            name = ", ".join(filter(None, (item.id, task.part, piece)))
            out += [*([""] if out else []), f"##### {name}"]
            out += _messages(build_request(card, card.defaults, task, piece, before, "text").messages)
            before[piece] = CallReply(*task.slot, piece, "")
    if not out:
        raise BadInput(f"{item.id} has nothing that {card.name} judges: the texts are not in the file.")
    return out


def first_item(card: Card, path: Path) -> Item:
    """The first item of the card's kind in a file of canonical lines. Raises BadInput, with file and line."""
    for number, row in read_lines(path):
        if isinstance(row, str):
            raise BadInput(f"{path}, line {number}: {row}")
        if row.get("kind") == card.kind:
            try:
                return parse_item(row)
            except ValidationError as error:
                raise BadInput(f"{path}, line {number}: {explain_errors(error.errors())}.") from None
    raise BadInput(f"{path} holds no {card.kind}, which is what {card.name} judges. An item's kind stands under kind.")


def _shown_fields(card: Card) -> list[str]:
    """The names of the fields that the judge is shown; by part if an item is judged in parts."""
    try:
        return [f"  {f'{part}: ' if part else ''}{', '.join(names)}" for part, _, names in shown_fields(card)]
    except BadCard as error:
        return [f"  {error}"]


def _messages(messages: list[Message]) -> list[str]:
    return [line for message in messages for line in (f"--- {message['role']} ---", message["content"])]
