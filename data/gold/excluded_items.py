"""Items that a judge's prompt was tuned on, or that became examples: the approval check leaves them out, for all.

The newest row of an item in `item_use` is in force. An item that people have answered blind in a random draw is
evidence: choosing which of them to put aside, or to take back, would be choosing what the approval check sees. So both
are refused from then on. An item of the audit sample that nobody has answered may still be put aside; it stays drawn,
and counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.gold.gold import LABEL_CONDITIONS
from data.records.access import allow, allow_change
from data.records.tables import ItemUseRow
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput
from data.store.ids import new_id

REASON = 500
"""The most characters of a reason."""


@dataclass(frozen=True)
class ExcludedItem:
    """An item that is put aside.

    It has its name, why, by whom, and whether it is in the audit sample, where it then does not count.
    """

    item: str
    name: str
    why: str
    person: str
    drawn: bool


@allow("researcher")
def list_excluded(store: Store, dataset_id: str) -> list[ExcludedItem]:
    """The items of a dataset that are put aside, by name."""
    rows = store.rows(
        "select t.item_id, i.name, t.why, t.person, d.item_id is not null from tuning_now t "
        "join item i on i.id = t.item_id left join (select distinct item_id from draw where stream = 'audit') d "
        "on d.item_id = t.item_id where t.dataset_id = $1 order by i.name, t.item_id",
        [dataset_id],
    )
    return [ExcludedItem(*row) for row in rows]


def not_excluded_sql(store: Store | Tx, column: str) -> str:
    """A further condition in SQL: the item in `column` is not put aside; "" where none is."""
    return f" and {column} not in (select item_id from tuning_now)" if _some_excluded(store) else ""


@cache_result
def _some_excluded(store: Store | Tx) -> bool:
    return bool(store.rows("select 1 from tuning_now limit 1"))


def blind_sample_items(store: Store | Tx, dataset_id: str) -> set[str]:
    """Return the items of a dataset with blind answers of a random draw, which are the approval check's evidence."""
    rows = store.rows(
        "select distinct l.item_id from label l join item i on i.id = l.item_id "
        "left join draw d on d.id = l.draw_id and d.stream = 'audit' "
        f"where i.dataset_id = $1 and {LABEL_CONDITIONS['imported']}",
        [dataset_id],
    )
    return {str(r[0]) for r in rows}


def audit_sample_items(store: Store | Tx, dataset_id: str) -> set[str]:
    """The items of a dataset that are in its audit sample."""
    rows = store.rows("select distinct item_id from draw where dataset_id = $1 and stream = 'audit'", [dataset_id])
    return {str(r[0]) for r in rows}


@allow_change("researcher", "tuning items", "dataset_id")
def exclude_items(tx: Tx, actor: str, dataset_id: str, items: Sequence[str], why: str) -> int:
    """Put items aside, with the reason (researchers and leads); return how many were not put aside before.

    Raises BadInput without a reason, for items of another dataset, and for those that the approval check counts
    already.
    """
    return set_excluded(tx, actor, dataset_id, items, why)


@allow_change("researcher", "tuning items", "dataset_id")
def readmit_items(tx: Tx, actor: str, dataset_id: str, items: Sequence[str], why: str) -> int:
    """Let items count again, with the reason; how many were put aside. Raises as `exclude_items` does."""
    return set_excluded(tx, actor, dataset_id, items, why, tuning=False)


def set_excluded(tx: Tx, actor: str, dataset_id: str, items: Sequence[str], why: str, tuning: bool = True) -> int:
    """The same inside a transaction, for callers that have checked the right to; how many items changed."""
    why = why.strip()
    if not 3 <= len(why) <= REASON:
        raise BadInput(f"Say why, in 3 to {REASON} characters: the reason stays beside the items.")
    item_ids = list(dict.fromkeys(items))
    names = {
        str(i): str(n)
        for i, n in tx.rows("select id, name from item where dataset_id = $1 and id = any($2)", [dataset_id, item_ids])
    }
    if len(names) < len(item_ids):
        raise BadInput("One of these items is not in this dataset. Load the page again.")
    now = {str(r[0]) for r in tx.rows("select item_id from tuning_now where dataset_id = $1", [dataset_id])}
    new = [i for i in item_ids if (i in now) != tuning]
    evidence = blind_sample_items(tx, dataset_id)
    if conflicts := [names[i] for i in new if i in evidence]:
        verb = "put aside" if tuning else "counted again"
        more = f" and {len(conflicts) - 5} more" if len(conflicts) > 5 else ""
        raise BadInput(
            f"{', '.join(conflicts[:5])}{more} cannot be {verb}: people have labelled them blind in a random draw, and "
            "nobody may choose which of those labels the approval check counts. If a prompt was tuned on such items, "
            "import the others as a dataset of their own and draw a new sample there."
        )
    return tx.append([ItemUseRow(new_id(), dataset_id, i, tuning, why, actor) for i in new])
