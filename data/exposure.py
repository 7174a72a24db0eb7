"""Who was shown what a judge, or other people, said of an item: the one record that decides which answers are blind.

Whatever shows a judge's score of an item to a person (desk, list, panel, report, export, command) goes through here
before it does, so that the row is in the store when the score is on the screen. Nothing is taken from the browser.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from data.board import board
from data.errors import NotFound
from data.ids import new_id
from data.store import Store, Tx

Mode = Literal["blind", "assisted", "revealed"]
PEOPLE = ""
"""In the place of a judge: other people's labels."""
ASKED = "asked for"
"""The route of scores that a person asked for (on the desk after a blind answer, or where they adjudicate)."""
_COLUMNS = "id, item_id, judge_id, person, route"
NOTE = "Items that you may still be asked to label blind are left out."
"""What a list says of the items that `listed` keeps from it."""


@dataclass(frozen=True)
class Seen:
    """What a person was shown of an item: a judge's scores, other people's labels."""

    judge: bool = False
    people: bool = False


def seen(reader: Store | Tx, person: str, item_ids: Collection[str]) -> dict[str, Seen]:
    """What a person was shown of each of these items; nothing: not in it."""
    found: dict[str, Seen] = {}
    for item, judge, people in reader.rows(
        "select item_id, max(case when judge_id <> '' then 1 else 0 end), "
        "max(case when judge_id = '' then 1 else 0 end) from exposure "
        "where person = $1 and item_id = any($2) group by item_id",
        [person, list(item_ids)],
    ):
        found[str(item)] = Seen(bool(judge), bool(people))
    return found


def mode(drawn: str, known: Seen | None) -> Mode:
    """How an answer counts that is given under a draw of mode `drawn` ("": under none), by what its giver was shown.

    Blind only where the item was drawn to be answered blind and nothing was shown of it, neither a judge's scores nor
    what others said; once something was, `revealed`. Everything else counts as given with the judge in view.
    """
    if drawn != "blind":
        return "assisted"
    return "revealed" if known else "blind"


def add(tx: Tx, person: str, shown: Mapping[str, Collection[str]], route: str) -> int:
    """Append, in a transaction, that a person is shown of each item what these judges said; how many rows are new.

    It holds for every copy of an item in another dataset as well.
    """
    copies = tx.rows(
        "select o.id, t.id from item o join item t on t.hash = o.hash where o.id = any($1)", [list(shown)]
    )
    pairs = {(str(copy), judge) for item, copy in copies for judge in shown[str(item)]}
    known = tx.rows(
        "select item_id, judge_id from exposure where person = $1 and item_id = any($2)",
        [person, sorted({copy for copy, _ in pairs})],
    )
    return _append(tx, person, sorted(pairs - {(str(item), str(judge)) for item, judge in known}), route)


def inherit(tx: Tx) -> int:
    """Append, for the items that this very change has brought in, what people were shown of copies of them."""
    rows = tx.rows(
        "select distinct e.person, t.id, e.judge_id from item t join item o on o.hash = t.hash and o.id <> t.id "
        "join exposure e on e.item_id = o.id where t.seq = $1",
        [tx.seq],
    )
    return tx.add("exposure", _COLUMNS, [(new_id(), i, judge, who, "a copy of it") for who, i, judge in rows])


def _append(tx: Tx, person: str, pairs: Iterable[tuple[str, str]], route: str) -> int:
    rows = [(new_id(), item, judge, person, route) for item, judge in pairs]
    return tx.add("exposure", _COLUMNS, rows)


def record(store: Store, person: str, shown: Mapping[str, Collection[str]], route: str) -> None:
    """The same in a change of its own; returns once it is durable, so that what is shown is shown after it."""
    shown = {item: judges for item, judges in shown.items() if judges}
    if shown and _lacking(store, person, shown):
        store.tx(person, "exposure", lambda tx: add(tx, person, shown, route))


def _lacking(store: Store, person: str, shown: Mapping[str, Collection[str]]) -> bool:
    rows = store.rows(
        "select item_id, judge_id from exposure where person = $1 and item_id = any($2)", [person, list(shown)]
    )
    known = {(str(item), str(judge)) for item, judge in rows}
    return any((item, judge) not in known for item, judges in shown.items() for judge in judges)


def pending(store: Store, person: str) -> set[str]:
    """The items that may still come to a person for a blind answer: no list shows them what a judge said there."""
    there = board(store)
    with there.lock:
        found = there.pending(person)
    if found:  # labels that came with a file have no answer here
        found -= {str(row[0]) for row in store.rows("select item_id from label where annotator = $1", [person])}
    return found


def listed(store: Store, person: str, item_ids: Iterable[str], judges: Sequence[str], route: str) -> set[str]:
    """The items of a list that a person may be shown with what these judges said, after recording that they are."""
    kept = pending(store, person)
    chosen = {item for item in item_ids if item not in kept}
    record(store, person, dict.fromkeys(chosen, judges), route)
    return chosen


def reveal(tx: Tx, person: str, item_id: str) -> None:
    """Record, in a transaction, that a person asked for the scores of an item. Raises NotFound where there are none."""
    judges = judges_of(tx, [item_id]).get(item_id)
    if not judges:
        raise NotFound("No judge has scored this item: there is nothing to show, and nothing was recorded.")
    if item_id not in asked_for(tx, person, [item_id]):
        _append(tx, person, [(item_id, judge) for judge in judges], ASKED)


def asked_for(reader: Store | Tx, person: str, item_ids: Collection[str]) -> set[str]:
    """Those of the items whose scores a person has asked for, and so is shown wherever they stand beside the item."""
    rows = reader.rows(
        f"select distinct item_id from exposure where person = $1 and item_id = any($2) and route = '{ASKED}'",
        [person, list(item_ids)],
    )
    return {str(row[0]) for row in rows}


def judges_of(reader: Store | Tx, item_ids: Collection[str]) -> dict[str, set[str]]:
    """item -> the judges that have judged it; those of a probe, whose scores no page shows beside an item, left out."""
    found: dict[str, set[str]] = {}
    for item, judge in reader.rows(
        "select distinct m.item_id, m.judge_id from judgment m join judge j on j.id = m.judge_id "
        "where m.item_id = any($1) and j.params not like '%\"probe\":%'",
        [list(item_ids)],
    ):
        found.setdefault(str(item), set()).add(str(judge))
    return found
