"""`card`: the cards of a workspace: add one from a file or from questions, list them, show one."""

from __future__ import annotations

import argparse

from data.cards import cards
from data.cli.options import acting_person, add_actor, workspace_store
from data.store import Store
from data.store.errors import NotFound
from judges.authoring.soundness import find_faults
from judges.card import Card
from judges.cli.options import add_card, chosen_card
from judges.cli.show import describe_card
from judges.plural import many


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="add|list|show")
    new = verbs.add_parser(
        "add",
        help="one from a file, or of questions",
        description="Save a card in the workspace: one of a file, or of questions given with --dimension. The same "
        "name once more is a new version.",
    )
    new.add_argument("name", nargs="?", default="", metavar="NAME|FILE", help="the same as --card")
    add_card(new)
    new.add_argument("--dry-run", action="store_true", help="only say what would be saved")
    add_actor(new)
    verbs.add_parser("list", help="the cards there are", description="A line for each card.")
    shown = verbs.add_parser("show", help="one card in full", description="One card in full, and its versions.")
    shown.add_argument("name", metavar="NAME", help="the card's name")
    shown.add_argument("--version", default="", metavar="V", help="a version of it that is stored, or its beginning")


def run(options: argparse.Namespace) -> int:
    """Add, list or show; exit code 1 where a card lacks something."""
    return {"add": _add, "list": _list, "show": _show}[options.verb](options)


def _add(options: argparse.Namespace) -> int:
    """Save a card, and say what it asks; exit code 1 where it lacks something."""
    with workspace_store(new=True) as store:
        # Questions under the name of a card that was made here are a new version of it.
        known_cards = {
            n: c for n, c in cards.current_cards(store).items() if not options.dimension or not cards.is_own_card(c)
        }
        card = chosen_card(options, options.name or None, known_cards)
        cards.own_recipe(card)
        saved = cards.adopt_card(store, acting_person(store, options.actor), card, dry=options.dry_run)
    word = "Would save" if options.dry_run else "Saved" if saved else "There already:"
    dimension_text = "; ".join(f"{d.name} of each {d.sort} ({d.scale.words})" for d in card.dimensions)
    print(f"{word} {card.name}, version {card.version}, for a {card.kind}: {dimension_text}.")
    for fault in (lacks := find_faults(card)):
        print(fault.text)
    return int(bool(lacks))


def _list(_: argparse.Namespace) -> int:
    """A line for each card: name, version, kind, the judges that use it, its stored versions, and what it asks."""
    with workspace_store(new=True) as store:
        used = cards.judges_per_card(store)
        for name, card in cards.current_cards(store).items():
            stored = len(cards.card_versions(store, name))
            dimension_names = ", ".join(dict.fromkeys(d.name for d in card.dimensions if d.asked))
            counts = f"{many(used.get(name, 0), 'judge'):10} {many(stored, 'version'):11}"
            print(f"{name:30} {card.version}  {card.kind:9} {_origin(card):14} {counts} {dimension_names}")
    return 0


def _origin(card: Card) -> str:
    return "custom" if cards.is_own_card(card) else "applied per turn" if cards.is_per_turn(card) else "built-in"


def _show(options: argparse.Namespace) -> int:
    """The card and its versions; exit code 1 where it lacks something."""
    with workspace_store(new=True) as store:
        card = _version(store, options.name, options.version)
        stored = cards.card_versions(store, options.name)
    lacks = find_faults(card)
    lines = describe_card(card, lacks)
    for version in stored:
        now = ", current" if version.current else ""
        by = many(version.judges, "judge")
        lines.append(
            f"Version {version.version}{now}: {version.actor}, {version.made_at:%Y-%m-%d %H:%M} UTC, used by {by}."
        )
    print("\n".join(lines).encode("utf-8", "replace").decode())
    return int(bool(lacks))


def _version(store: Store, name: str, head: str) -> Card:
    card = cards.card_named(store, name)
    if not head:
        return card
    versions = [version for version in cards.card_versions(store, name) if version.version.startswith(head)]
    if not versions:
        raise NotFound(f"The card {name} has no stored version {head[:40]!r}.")
    return versions[0].card
