"""The guidelines of a dataset: how to rate in it, written by leads; every version is kept, and the newest holds.

Which version a label was given under needs no column: it is the newest whose change is older than the label's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from data.records.access import allow, allow_change
from data.records.tables import GuidelineRow
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput
from data.store.ids import new_id
from judges.strict_json import storable_text

MAX_GUIDELINES_LENGTH = 20_000
"""The longest text that is taken: it goes to every browser that labels."""


@dataclass(frozen=True)
class GuidelinesVersion:
    """One version, counted from 1; an empty text says that there are none any more. `at` is in UTC."""

    number: int
    text: str
    person: str
    at: datetime


@allow("annotator")
@cache_result
def guidelines_history(store: Store | Tx, dataset_id: str) -> list[GuidelinesVersion]:
    """Every version of a dataset's guidelines, newest first."""
    rows = store.rows(
        "select g.text, c.actor, c.made_at from guideline g join change c on c.seq = g.seq "
        "where g.dataset_id = $1 order by g.seq, g.id",
        [dataset_id],
    )
    return [GuidelinesVersion(n, *row) for n, row in enumerate(rows, 1)][::-1]


@allow("annotator")
def current_guidelines(store: Store | Tx, dataset_id: str) -> GuidelinesVersion | None:
    """The version that holds; None where there are no guidelines."""
    newest = next(iter(guidelines_history(store, dataset_id)), None)
    return newest if newest is not None and newest.text else None


@allow_change("lead", "guidelines", "dataset_id")
def write_guidelines(tx: Tx, actor: str, dataset_id: str, text: str) -> int:
    """Write the guidelines of a dataset (leads); gives the number of the version that holds.

    That is the old one where nothing changed. Raises BadInput for a text that is too long.
    """
    text = "\n".join(line.rstrip() for line in storable_text(text).splitlines()).strip()
    if len(text) > MAX_GUIDELINES_LENGTH:
        raise BadInput(f"The guidelines have {len(text):,} characters: shorten them to {MAX_GUIDELINES_LENGTH:,}.")
    return append_guidelines(tx, dataset_id, text)


def append_guidelines(tx: Tx, dataset_id: str, text: str) -> int:
    """The same inside a transaction, for callers that have checked the right to."""
    history = guidelines_history(tx, dataset_id)
    if text == (history[0].text if history else ""):
        return len(history)
    tx.append([GuidelineRow(new_id(), dataset_id, text)])
    return len(history) + 1
