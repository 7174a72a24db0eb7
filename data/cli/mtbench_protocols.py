"""`mtbench protocol` and `mtbench prompts`: how MT-Bench is run here, and by whose words its judges are asked."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from data.cli.options import acting_person, add_actor, workspace_store
from data.records import judge_prompts, protocols
from data.store import Store
from data.store.errors import NotFound
from judges.cards.mt_bench.protocol_cards import judge_card, pair_card
from judges.mtbench import protocol as built_in
from judges.mtbench.prompts import BUILT_IN_FAMILIES, BadPrompt
from judges.mtbench.protocol import Protocol, describe_protocol, read_protocol
from judges.plural import many


def add(verbs: Any) -> None:
    """Add both to the verbs of `mtbench`."""
    parser = verbs.add_parser("protocol", help="protocols: add one, list them, show one")
    actions = parser.add_subparsers(dest="what", required=True, metavar="add|list|show")
    new = actions.add_parser(
        "add",
        help="one from a file",
        description="Add a protocol from a file of JSON, or change the one of that name. The earlier version stays "
        "on record: judges carry the mark of the protocol that they used. `show NAME --json` prints one to change.",
    )
    new.add_argument("file", metavar="FILE", help="a file of JSON")
    add_actor(new)
    actions.add_parser("list", help="the protocols there are", description="A line for each protocol.")
    shown = actions.add_parser("show", help="one in words", description="A protocol, factor by factor.")
    shown.add_argument("name", metavar="NAME|MARK|FILE", help="its name, its mark as a judge bears it, or a file")
    shown.add_argument("--json", action="store_true", help="as JSON, to be changed and added")
    parser = verbs.add_parser("prompts", help="prompts of judges: list them, show some")
    actions = parser.add_subparsers(dest="what", required=True, metavar="list|show")
    actions.add_parser(
        "list",
        help="the families there are",
        description="A line for each family of prompts: ours, and those of every judge_prompts.jsonl that came in.",
    )
    shown = actions.add_parser("show", help="the texts of a family", description="The texts of a family of prompts.")
    shown.add_argument("name", metavar="FAMILY", help="its name; with @WORDING where several have that name")


def run(options: argparse.Namespace) -> int:
    """Add, list or show."""
    does = {
        ("protocol", "add"): _add, ("protocol", "list"): _list, ("protocol", "show"): _show,
        ("prompts", "list"): _prompts, ("prompts", "show"): _texts,
    }  # fmt: skip
    with workspace_store(new=True) as store:
        return does[options.verb, options.what](store, options)


def chosen_protocol(store: Store, name_or_path: str) -> Protocol:
    """The protocol of the workspace with that name or mark, or that a file of that path holds. Raises AssayError."""
    try:
        return protocols.protocol_named(store, name_or_path)
    except NotFound:
        if Path(name_or_path).is_file():
            return read_protocol(Path(name_or_path))
        raise


def _add(store: Store, options: argparse.Namespace) -> int:
    protocol = read_protocol(Path(options.file))
    was = protocols.known_protocols(store).get(protocol.name)
    new = protocols.add_protocol(store, acting_person(store, options.actor), protocol)
    word = "There already" if not new else "Changed" if was else "Added"
    print(f"{word}: {protocol.name}, mark {protocol.mark}. {_asked_by(store, protocol)}")
    return 0


def _list(store: Store, _: argparse.Namespace) -> int:
    for name, protocol in protocols.known_protocols(store).items():
        origin = "built-in" if name in built_in.protocols() else "added"
        print(f"{protocol.mark:40} {origin:9} {protocol.title}".rstrip())
    return 0


def _show(store: Store, options: argparse.Namespace) -> int:
    protocol = chosen_protocol(store, options.name)
    if options.json:
        print(protocol.model_dump_json(indent=2))
        return 0
    print(f"{protocol.shown_title}, mark {protocol.mark}")
    for factor, value in describe_protocol(protocol):
        print(f"{factor:27} {value}")
    print(_asked_by(store, protocol))
    return 0


def _asked_by(store: Store, protocol: Protocol) -> str:
    """By which wording its judge would be asked here, in a sentence."""
    if protocol.prompts in BUILT_IN_FAMILIES:
        return f"Its judge is asked by {BUILT_IN_FAMILIES[protocol.prompts]}."
    try:
        prompts = judge_prompts.find_prompts(store, protocol.prompts)
    except BadPrompt as error:
        return f"Its judge cannot be asked yet: {error}"
    named = judge_prompts.PromptSet("", prompts).families[protocol.prompts.partition("@")[0]]
    return f"Its judge is asked by {named.name}, wording {named.wording}."


def _prompts(store: Store, _: argparse.Namespace) -> int:
    for name, description in BUILT_IN_FAMILIES.items():
        print(f"{name:40} {description}")
    for prompt_set in judge_prompts.all_prompts(store):
        for name, family in prompt_set.families.items():
            texts = many(len(family.prompts), "prompt")
            print(f"{f'{name}@{family.wording}':40} {family.sort}, {texts} of {prompt_set.file}, set {prompt_set.id}")
    return 0


def _texts(store: Store, options: argparse.Namespace) -> int:
    if options.name in BUILT_IN_FAMILIES:
        protocol = Protocol(name="ours", prompts=options.name)
        for card in (judge_card(protocol), pair_card(protocol)):
            for variant, text in card.prompts.items():
                print(f"== {card.name}, {variant.replace('_', ' ') or 'one turn'}\n{text}")
        return 0
    prompt_set = judge_prompts.PromptSet("", judge_prompts.find_prompts(store, options.name))
    for prompt in prompt_set.families[options.name.partition("@")[0]].prompts.values():
        print(f"== {prompt.name}\n-- system\n{prompt.system}\n-- template\n{prompt.template}")
    return 0
