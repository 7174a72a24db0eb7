"""`lead`: make somebody a lead at the machine itself; how a workspace gets leads who count as two."""

from __future__ import annotations

import argparse
from typing import Any

from data import leads, people
from data.store import open_store


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "lead",
        description=(
            "Makes somebody a lead without asking another one, with an entry on the trail and on the evidence of what "
            "they decide that it was done on the command line. A lead made in the app by one lead alone does not count "
            "beside that one where the policy asks for two."
        ),
    )
    parser.add_argument("name", metavar="NAME", help="who; somebody new is entered")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make the lead, and say whether there are two who count by now."""
    store = open_store()
    try:
        done = people.lead_here(store, options.name)
        print(f"{done.name} is a lead, made so on the command line of this machine.")
        if leads.stuck(leads.history(store)):
            print("There are no two leads yet who count as two.")
        return 0
    finally:
        store.close()
