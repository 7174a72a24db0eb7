"""As whom a command acts: names are taken on trust on one's own machine."""

from __future__ import annotations

import argparse

from data.records import people
from data.records.names import why_reserved
from data.store import Store
from data.store.errors import BadInput


def as_whom(parser: argparse.ArgumentParser) -> None:
    """Add the option `--as`, which `actor` reads."""
    parser.add_argument("--as", dest="actor", default="", metavar="NAME", help="as whom (default: the first lead)")


def actor(store: Store, name: str) -> str:
    """The person of that name, or the first lead; in a workspace without a lead the name becomes it.

    Raises NotFound where nobody can be found, with the sentence that says what to do, and BadInput for a name that is
    kept for what Assay does by itself.
    """
    if not name:
        return people.first_lead(store)
    if why := why_reserved(name, known=True):
        raise BadInput(why)
    if not any(person.role == "lead" for person in people.all_people(store)):
        return people.join_workspace(store, name).name
    return name
