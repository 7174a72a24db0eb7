"""`show`: one card in full, or the messages that a judge gets for an item."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from judges.audits import audits, unknown
from judges.card import Card, Item, card
from judges.errors import AssayError, BadCard
from judges.files.lines import said
from judges.folders import place
from judges.pieces import Answer, ask, pieces, tasks
from judges.prepared import prepared
from judges.prompt import Message
from judges.schema import strict
from judges.types import ITEM, Kind

_SPECIMENS: dict[Kind, dict[str, Any]] = {
    "dialogue": {"turns": [{"turn": t, "role": r, "text": "..."} for t in (1, 2) for r in ("user", "assistant")]},
    "pair": {"input": "...", "response_a": {"text": "..."}, "response_b": {"text": "..."}},
    "response": {"task": "...", "output": "..."},
}


class NoItem(AssayError):
    """A file holds no item that a card can judge."""


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("show", description=__doc__.partition(": ")[2])
    parser.add_argument("card", metavar="CARD", help="the card's name, as list shows it")
    parser.add_argument("--prompt", metavar="ITEMS.jsonl", type=Path, help="the messages for the first item of a file")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the card, or with --prompt the messages of every call that the first item takes."""
    one = card(options.card)
    lines = prompted(one, first(one, options.prompt)) if options.prompt else described(one)
    print("\n".join(lines).encode("utf-8", "replace").decode())
    return 0


def described(one: Card) -> list[str]:
    """A card as lines: what it takes and asks, its rules, audits and prompts, and the shape of its replies."""
    out = [f"{one.title} ({one.name}), version {one.version}", "", f"Takes a {one.kind}, and shows the judge:"]
    out += [f"  {line}" for line in _shown(one)]
    out += ["", "Asks:"]
    for d in one.dimensions:
        stated = "" if d.asked else " (stated by the judge only)"
        out += [f"  {d.name} of each {d.sort}{stated}: {d.scale.words}", f"      {d.definition}"]
    if one.rules:
        out += ["", "Rules, checked when a reply is read:", *(f"  {rule}" for rule in one.rules)]
    out += ["", "Known failures that are looked for:"]
    known = audits()
    out += [f"  {name}: {known[name].title}" for name in one.audits if name in known] or ["  none"]
    out += [f"  {strange}" for strange in [unknown(one)] if strange]
    changed = one.defaults.model_dump(exclude_defaults=True)
    out += ["", f"Begins with: {json.dumps(changed)}"] if changed else []
    out += ["", *lacks] if (lacks := warnings(one)) else []
    for name, text in one.prompts.items():
        out += ["", f"--- prompt{f', {name}' if name else ''} ---", text]
    for example in one.examples:
        out += ["", f"--- example: {example.shows} ---", json.dumps(example.reply, ensure_ascii=False)]
    if one.text is not None:
        return [*out, "", "The reply is prose."]
    return [*out, "", "--- schema of the reply ---", json.dumps(strict(one.reply), ensure_ascii=False, indent=1)]


def prompted(one: Card, item: Item) -> list[str]:
    """The messages of every call for an item as lines, as an endpoint without JSON mode gets them. NoItem without any.

    A window after the first is shown without the summary that the one before it would give.
    """
    out: list[str] = []
    for task in tasks(one, one.defaults, [(item.id, item)]):
        before: dict[str, Answer] = {}
        for piece in pieces(one, one.defaults, task):
            name = ", ".join(filter(None, (item.id, task.part, piece)))
            out += [*([""] if out else []), f"##### {name}"]
            out += _messages(ask(one, one.defaults, task, piece, before, "text").messages)
            before[piece] = Answer(task.key, task.part, task.sample, piece, "")
    if not out:
        raise NoItem(f"{item.id} has nothing that {one.name} judges: the texts are not in the file.")
    return out


def first(one: Card, path: Path) -> Item:
    """The first item of the card's kind in a file of canonical lines. Raises NoItem, with file and line."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                if isinstance(row, dict) and row.get("kind") == one.kind:
                    return prepared(ITEM.validate_python(row))
            except ValidationError as error:
                raise NoItem(f"{path}, line {number}: {said(error.errors())}.") from None
            except (ValueError, RecursionError):
                raise NoItem(f"{path}, line {number}: it is not a JSON object.") from None
    raise NoItem(f"{path} holds no {one.kind}, which is what {one.name} judges. An item's kind stands under kind.")


def _shown(one: Card) -> list[str]:
    """The names of what the judge is shown; for each part where an item is judged in parts."""
    return [f"{f'{part}: ' if part else ''}{', '.join(names)}" for part, _, names in _fields(one)]


def _fields(one: Card) -> list[tuple[str, str, list[str]]]:
    """(part, variant of the prompt, names of the fields) for each part of a specimen. BadCard where a card's own
    functions fail.
    """
    specimen = ITEM.validate_python({"id": "specimen", "kind": one.kind, **_SPECIMENS[one.kind]})
    try:
        return [(part, one.variant(specimen, part), list(one.fields(specimen, part))) for part in one.parts(specimen)]
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise BadCard(f"{place(one)}: parts(), variant() or fields() failed on a plain {one.kind}: {why}.") from error


def warnings(one: Card) -> list[str]:
    """What a card lacks to be run: its prompt, or in the prompt the name of a field that the judge is shown."""
    if not one.prompts:
        return ["There is no prompt.md: its judgments can be imported, but it cannot be run."]
    found = []
    for _, variant, names in _fields(one):
        if variant not in one.prompts:
            found.append(
                f"There is no prompt for the variant {variant!r}: there are {', '.join(map(repr, one.prompts))}."
            )
        elif unsaid := [name for name in names if name not in one.prompts[variant]]:
            file = f"prompt{f'_{variant}' if variant else ''}.md"
            found.append(f"{file} does not name what the judge is shown: {', '.join(unsaid)}.")
    return list(dict.fromkeys(found))


def _messages(made: list[Message]) -> list[str]:
    return [line for message in made for line in (f"--- {message['role']} ---", message["content"])]
