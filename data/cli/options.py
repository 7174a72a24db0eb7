"""The options that several commands have, and what they name in a workspace: dataset, judge, and as whom."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator

from data.records import judge_lookup, people
from data.records.names import why_reserved
from data.store import Store, duckdb_path, open_store, store_address
from data.store.errors import BadInput, NotFound


@contextlib.contextmanager
def workspace_store(accept: bool = False, new: bool = False) -> Iterator[Store]:
    """The store that ASSAY_STORE names, open for as long as a command works on it (`data.store.open_store`).

    Raises NotFound if there is none, unless the command may begin a `new` one. Otherwise a mistyped name would become a
    workspace, with nothing in it to check or to back up.
    """
    path = duckdb_path(store_address())
    if not (new or path is None or path.exists()):
        raise NotFound(f"There is no store at {path}. ASSAY_STORE names another one, as in duckdb:///file.duckdb.")
    with contextlib.closing(open_store(accept=accept)) as store:
        yield store


@contextlib.contextmanager
def file_refusals(failure: str, instead: str) -> Iterator[None]:
    """Turn an error of the system about a file into a sentence: what could not be done, why, and what to do."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"{failure}: {error.strerror}. {instead}") from None


def add_dataset(parser: argparse.ArgumentParser, about: str | None = None, required: bool = True) -> None:
    """Add the option that names a dataset."""
    parser.add_argument("--dataset", metavar="NAME", required=required, help=about)


def add_good_rows(parser: argparse.ArgumentParser) -> None:
    """Add the option that lets an import leave out bad lines."""
    about = "take what is good; without it one bad line stops all"
    parser.add_argument("--good-rows", action="store_true", help=about)


def add_judge(parser: argparse.ArgumentParser, default: str = "the only one") -> None:
    """Add the option that names a judge."""
    says = f"{judge_lookup.SAYS} (default: {default})"
    parser.add_argument("--judge", metavar="JUDGE", default="", help=says)


def add_actor(parser: argparse.ArgumentParser) -> None:
    """Add the option `--as`, which `acting_person` reads."""
    parser.add_argument("--as", dest="actor", default="", metavar="NAME", help="as whom (default: the first lead)")


def acting_person(store: Store, name: str) -> str:
    """The person of that name, or the first lead; in a workspace without a lead the name becomes it.

    Names are taken on trust on one's own machine. Raises NotFound where nobody can be found, with the sentence that
    says what to do, and BadInput for a name that is kept for what Assay does by itself.
    """
    if not name:
        return people.first_lead(store)
    if why := why_reserved(name, known=True):
        raise BadInput(why)
    if not any(person.role == "lead" for person in people.all_people(store)):
        return people.join_workspace(store, name).name
    return name
