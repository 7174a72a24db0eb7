"""The record of who was shown what judges or other people said of an item. It alone decides which answers are blind.

Everything that shows a judge's score of an item to a person (desk, list, panel, report, export, command) goes through
here first, so that the row is in the store when the score is on the screen. Nothing is taken from the browser.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from data.records.access import allow
from data.records.datasets import NO_PROBE_SQL
from data.records.names import MACHINE_ACTOR
from data.records.queue_index import current_index
from data.records.tables import ExposureRow
from data.store import Store, Tx, preview_rows
from data.store.errors import NotFound
from data.store.ids import new_id

AnswerMode = Literal["blind", "assisted", "revealed"]
OTHER_PEOPLE = ""
"""Stands for other people's labels, in the place of a judge."""
REQUESTED_ROUTE = "asked for"
"""The route of scores that a person asked for (on the desk after a blind answer, or where they adjudicate)."""
_COPY_ROUTE = "a copy of it"
_CONTENT_AFTER_NAME_SQL = """substr(content, length(replace(replace(name, '\\', '\\\\'), '"', '\\"')) + 9)"""
"""SQL: an item's content after its name, which comes first."""
_CONTENT_WITHOUT_META_SQL = (
    f"case when meta = '{{}}' then {_CONTENT_AFTER_NAME_SQL} "
    f"else replace({_CONTENT_AFTER_NAME_SQL}, '\"meta\":' || meta, '\"meta\":{{}}') end"
)
_TEXTLESS_SQL = (
    """(content like '%"output":""%' and content like '%"task":""%') """
    """or content like '%"text":null%"text":null%'"""
)
"""SQL: whether none of the texts that were judged are in the files."""
NOTE = "Items that you may still be asked to label blind are left out."
"""The note of a list on the items that `expose_list` leaves out."""


def find_exposures(reader: Store | Tx, person: str, item_ids: Collection[str]) -> dict[str, set[str]]:
    """Return item -> the judges whose scores of it or of a copy a person was shown, and OTHER_PEOPLE for labels.

    Items of which nothing was shown are left out.
    """
    all_copies = item_copies(reader)
    copies_by_item = {i: all_copies.get(i, (i,)) for i in item_ids}
    known: dict[str, set[str]] = {}
    for item, judge in shown_judges(reader, person, {copy for group in copies_by_item.values() for copy in group}):
        known.setdefault(item, set()).add(judge)
    shown = {item: {judge for copy in group for judge in known.get(copy, ())} for item, group in copies_by_item.items()}
    return {item: judges for item, judges in shown.items() if judges}


def shown_judges(reader: Store | Tx, person: str, item_ids: Collection[str]) -> set[tuple[str, str]]:
    """(item, judge) of what a person was shown of these items themselves."""
    rows = reader.rows(
        "select distinct item_id, judge_id from exposure where person = $1 and item_id = any($2)",
        [person, list(item_ids)],
    )
    return {(str(item), str(judge)) for item, judge in rows}


class _ItemTexts(NamedTuple):
    """The items up to a change: a number for the text of each, in their order, whose it is, and which are copies."""

    upto: int = -1
    prints: npt.NDArray[np.uint64] = np.empty(0, np.uint64)
    ids: npt.NDArray[np.bytes_] = np.empty(0, "S1")
    copies: Mapping[str, tuple[str, ...]] = MappingProxyType({})


_TEXTS_KEY = (__name__, "items")


def item_copies(reader: Store | Tx) -> Mapping[str, tuple[str, ...]]:
    """Return item -> all items that are the same but for their name and meta, itself included; only where any exist.

    Items whose texts are not in the files are known by name only, so none is a copy of another. Every save needs this,
    so only those items are read that came since the last time, and those of which they may be copies.
    """
    [upto] = reader.follow(["item"])
    came, foreseen = reader.previews.get(_foresee_copies, (-1, None))
    known: _ItemTexts = reader.memory.get(_TEXTS_KEY, ({}, _ItemTexts()))[1]
    last = reader.seq if isinstance(reader, Tx) and upto is None else upto or 0
    if known.upto >= last:
        return known.copies
    if foreseen is None or not known.upto < came <= last:
        came = -1
    else:
        known = foreseen
    which, params = "seq > $1 and seq <= $2 and seq <> $3", [known.upto, last, came]
    latest = _with_items(reader, known, which, params)._replace(upto=last)
    if upto is not None:
        reader.memory[_TEXTS_KEY] = {"item": upto}, latest
        reader.previews.pop(_foresee_copies, None)
    return latest.copies


@preview_rows("item")
def _foresee_copies(store: Store, came: int, table: str) -> _ItemTexts | None:
    """Return what will be known of all items once those of a large change are in, so that no save has to wait."""
    if _TEXTS_KEY not in store.memory and not _any_shown(store):
        return None
    item_copies(store)
    return _with_items(store, store.memory.get(_TEXTS_KEY, ({}, _ItemTexts()))[1], "seq = $1", [came], table)


def _with_items(
    reader: Store | Tx, known: _ItemTexts, which: str, params: Sequence[object], table: str = "item"
) -> _ItemTexts:
    """Return what is known of items, with those added that meet a condition."""
    rows = reader.rows(
        f"select hash({_CONTENT_WITHOUT_META_SQL}), id from {table} where {which} and not ({_TEXTLESS_SQL}) order by 1",
        params,
    )
    came = np.array([row[0] for row in rows], np.uint64)
    prints = np.concatenate([known.prints, came])
    order = np.argsort(prints, kind="stable")
    prints = prints[order]
    ids = np.concatenate([known.ids, np.array([row[1].encode() for row in rows], bytes)])[order]
    copies = known.copies
    many = np.searchsorted(prints, came, "right") - np.searchsorted(prints, came) > 1
    if many.any():
        maybe = ids[np.isin(prints, came[many])]
        new_copies = _group_copies(reader, [id_.decode() for id_ in maybe], table)
        copies = MappingProxyType({**copies, **new_copies})
    return _ItemTexts(known.upto, prints, ids, copies)


def _group_copies(reader: Store | Tx, item_ids: list[str], table: str) -> Mapping[str, tuple[str, ...]]:
    """Copies among these items."""
    query = (
        f"select list(id order by id) from {table} where not ({_TEXTLESS_SQL}) and id = any($1) "
        f"group by md5({_CONTENT_WITHOUT_META_SQL}) having count(*) > 1"
    )
    # One tuple for all of a group: thousands of items may have the same short text.
    groups = [tuple(ids) for (ids,) in reader.rows(query, [item_ids])]
    return {item: group for group in groups for item in group}


def answer_mode(drawn: str, known: Collection[str]) -> AnswerMode:
    """Return the mode of an answer given under a draw of mode `drawn` ("": under none), by what its giver was shown.

    It is blind only if the item was drawn to be answered blind and its giver had seen neither a judge's scores nor what
    others said. If they had, it is `revealed`. Everything else counts as given with the judge in view.
    """
    if drawn != "blind":
        return "assisted"
    return "revealed" if known else "blind"


def add_exposures(tx: Tx, person: str, judges_by_item: Mapping[str, Collection[str]], route: str) -> int:
    """Append, in a transaction, that a person is shown of each item what these judges said; how many rows are new.

    It holds for every copy of an item in another dataset as well.
    """
    return _append(tx, person, sorted(_unrecorded_exposures(tx, person, judges_by_item)), route)


def look_up_copies(store: Store) -> None:
    """Look at all items before a change brings more, so that `inherit_exposures` need not while others wait for it."""
    if _any_shown(store):
        item_copies(store)


def inherit_exposures(tx: Tx) -> int:
    """Append, for the items that this very change has brought in, what people were shown of copies of them."""
    copies = item_copies(tx) if _any_shown(tx) else {}
    if not copies:
        return 0
    came = {str(row[0]) for row in tx.rows("select id from item where seq = $1", [tx.seq])}
    groups = {id(group): group for item, group in copies.items() if item in came}
    exposures_by_item: dict[str, list[tuple[str, str]]] = {}
    for item, judge, viewer in tx.rows(
        "select distinct item_id, judge_id, person from exposure where item_id = any($1)",
        [[item for group in groups.values() for item in group]],
    ):
        exposures_by_item.setdefault(str(item), []).append((str(judge), str(viewer)))
    exposures: set[tuple[str, str, str]] = set()
    for group in groups.values():
        shown = {exposure for item in group for exposure in exposures_by_item.get(item, ())}
        exposures |= {(item, *exposure) for item in came.intersection(group) for exposure in shown}
    return tx.append([ExposureRow(new_id(), *exposure, _COPY_ROUTE) for exposure in sorted(exposures)])


def _any_shown(reader: Store | Tx) -> bool:
    """Whether anybody was shown anything. If not, nobody needs to know of copies."""
    return bool(reader.rows("select 1 from exposure limit 1"))


def _append(tx: Tx, person: str, pairs: Iterable[tuple[str, str]], route: str) -> int:
    return tx.append([ExposureRow(new_id(), item, judge, person, route) for item, judge in pairs])


def record_exposures(store: Store, person: str, judges_by_item: Mapping[str, Collection[str]], route: str) -> None:
    """Like `add_exposures`, in a change of its own. It returns once that is durable, so nothing is shown before."""
    judges_by_item = {item: judges for item, judges in judges_by_item.items() if judges}
    if judges_by_item and _unrecorded_exposures(store, person, judges_by_item):
        store.tx(person, "exposure", lambda tx: add_exposures(tx, person, judges_by_item, route))


def _unrecorded_exposures(
    reader: Store | Tx, person: str, by_item: Mapping[str, Collection[str]]
) -> set[tuple[str, str]]:
    """Return what of this is not on record yet, for the items and their copies."""
    all_copies = item_copies(reader)
    pairs = {
        (copy, judge)
        for item, judges in by_item.items() for copy in all_copies.get(item, (item,)) for judge in judges
    }  # fmt: skip
    return pairs - shown_judges(reader, person, {item for item, _ in pairs})


def carry_exposures(store: Store, rows: Iterable[tuple[str, str, str, str]]) -> None:
    """Append (item, judge, person, route) of a store that this one takes the place of: what was seen stays seen."""

    def work(tx: Tx) -> None:
        item_ids = {str(row[0]) for row in tx.rows("select id from item")}
        known = set(tx.rows("select distinct item_id, judge_id, person, route from exposure"))
        tx.append([ExposureRow(new_id(), *row) for row in sorted(set(rows) - known) if row[0] in item_ids])

    store.tx(MACHINE_ACTOR, "exposure", work)


@allow("lead")
def blind_pending(store: Store, person: str) -> set[str]:
    """Return the items that a person may still get to answer blind, with their copies.

    No list shows this person what a judge said there.
    """
    index = current_index(store)
    with index.lock:
        pending = index.pending_items(person)
    if pending:  # labels that came with a file have no answer here
        pending -= {str(row[0]) for row in store.rows("select item_id from label where annotator = $1", [person])}
    all_copies = item_copies(store)
    return {copy for item in pending for copy in all_copies.get(item, (item,))}


def expose_list(store: Store, person: str, item_ids: Iterable[str], route: str) -> set[str]:
    """The items of a list that a person may be shown with what people said, after recording that they are."""
    blind_items = blind_pending(store, person)
    chosen = {item for item in item_ids if item not in blind_items}
    record_exposures(store, person, dict.fromkeys(chosen, (OTHER_PEOPLE,)), route)
    return chosen


def reveal_scores(tx: Tx, person: str, item_id: str) -> None:
    """Record, in a transaction, that a person asked for the scores of an item. Raises NotFound where there are none."""
    judges = judges_of_items(tx, [item_id]).get(item_id)
    if not judges:
        raise NotFound("No judge has scored this item: there is nothing to show, and nothing was recorded.")
    if item_id not in revealed_items(tx, person, [item_id]):
        _append(tx, person, [(item_id, judge) for judge in judges], REQUESTED_ROUTE)
        add_exposures(tx, person, {item_id: judges}, _COPY_ROUTE)


def revealed_items(reader: Store | Tx, person: str, item_ids: Collection[str]) -> set[str]:
    """Return those of the items whose scores a person has asked for, which are then shown wherever the item is."""
    rows = reader.rows(
        "select distinct item_id from exposure where person = $1 and item_id = any($2) "
        f"and route = '{REQUESTED_ROUTE}'",
        [person, list(item_ids)],
    )
    return {str(row[0]) for row in rows}


def judges_of_items(reader: Store | Tx, item_ids: Collection[str]) -> dict[str, set[str]]:
    """item -> the judges that have judged it; those of a probe, whose scores no page shows beside an item, left out."""
    rows = reader.rows(
        "select m.item_id, list(distinct m.judge_id) from judgment m join judge j on j.id = m.judge_id "
        f"where m.item_id = any($1) and {NO_PROBE_SQL} group by m.item_id",
        [list(item_ids)],
    )
    return {str(item): set(judges) for item, judges in rows}
