"""`token`: tokens by which programs ask the HTTP API as a person: new, list, revoke."""

from __future__ import annotations

import argparse
import sys

from data.cli.options import acting_person, add_actor, workspace_store
from data.records import tokens
from data.records.access import find_person
from data.store.errors import BadInput, NotFound
from data.store.ids import now


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = "Makes, lists and revokes tokens. While Assay runs, the page Your labels does the same."
    parts = parser.add_subparsers(dest="part", required=True, metavar="new|list|revoke")
    new = parts.add_parser("new", help="make one; its text is printed once and not stored")
    new.add_argument("name", metavar="NAME", help="what it is for")
    scopes = "; ".join(f"{name}: {meaning}" for name, meaning in tokens.SCOPES.items())
    new.add_argument("--scope", action="append", default=[], choices=list(tokens.SCOPES), help=f"repeat it. {scopes}")
    new.add_argument(
        "--days", type=int, default=tokens.DEFAULT_DAYS, help=f"days that it is valid (default: {tokens.DEFAULT_DAYS})"
    )
    listed = parts.add_parser("list", help="those of a person; a lead sees everybody's")
    revoked = parts.add_parser("revoke", help="end one")
    revoked.add_argument("prefix", metavar="PREFIX", help="how it begins, as list says it")
    for part in (new, listed, revoked):
        add_actor(part)


def run(options: argparse.Namespace) -> int:
    """Do what was asked."""
    with workspace_store() as store:
        actor = acting_person(store, options.actor)
        if options.part == "new":
            new, text = tokens.new_token(store, actor, options.name, options.scope or ["check"], options.days)
            sentence = f"A token of {actor} for {', '.join(new.scopes)}, until {new.expires:%Y-%m-%d}."
            print(f"{sentence} It is not shown again:", file=sys.stderr)
            print(text)
            return 0
        leads = find_person(store, actor).may("lead")
        listed = tokens.all_tokens(store, actor) if leads else tokens.list_tokens(store, actor)
        if options.part == "list":
            for token in listed:
                used = f"used {token.used:%Y-%m-%d}" if token.used else "never used"
                status = f"{token.state(now())}, until {token.expires:%Y-%m-%d}, {used}"
                print(f"{token.prefix}  {token.person}  {token.name}  {' '.join(token.scopes)}  {status}")
        else:
            if not options.prefix:  # a variable that is empty, where there is but one
                raise BadInput("Say how the token begins. `token list` has all.")
            fitting = [token for token in listed if token.prefix.startswith(options.prefix) and not token.revoked]
            if len(fitting) != 1:
                raise NotFound(f"{len(fitting)} tokens begin with {options.prefix[:60]!r}. `token list` has all.")
            tokens.revoke_token(store, actor, fitting[0].id)
            print(f"Revoked {fitting[0].prefix} ({fitting[0].name}) of {fitting[0].person}.")
        return 0
