"""The view of an item for adjudication: its text, the cells that wait, and the judge only if the person asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from data.cards import cards
from data.desk import desk
from data.desk.desk import DeskView
from data.gold.disputes import LabelledCell, PersonLabel, cells_of_item, decision_time, labels_from_json
from data.queue.queue import OfferedItem
from data.records import exposure
from data.records.access import allow, require
from data.records.datasets import NO_PROBE_SQL
from data.store import Store
from data.store.ids import content_id
from judges.types import Dimension, sort_of


class AdjudicationScore(NamedTuple):
    """The score of one judge in a cell, with its note."""

    unit: str
    dimension: str
    judge: str
    value: float | None
    note: str


class AdjudicationComment(NamedTuple):
    """A person's comment on an item, written while labelling it; unit "" is the whole item, sort issue or comment."""

    person: str
    unit: str
    sort: str
    text: str


@dataclass(frozen=True)
class AdjudicationItem:
    """An item to adjudicate: its cells that wait, and those that were decided, with all labels but revealed ones.

    `view` shows nothing of the judge. `judge_scores` is None until the person asks for them, which is recorded.
    """

    view: DeskView
    cells: list[LabelledCell]
    decided: list[LabelledCell]
    comments: list[AdjudicationComment]
    judge_scores: list[AdjudicationScore] | None
    dimensions: dict[tuple[str, str], Dimension]


@dataclass(frozen=True)
class AdjudicatedCell:
    """A decision in force, as a row of a list."""

    id: str
    name: str
    unit: str
    dimension: str
    value: str
    person: str
    reason: str
    labels: str
    saw_judge: bool
    at: datetime


_NEWEST = 500
"""The most decisions in a list."""
_WROTE = "select person, unit, sort, text from comment_now where item_id = $1 order by id"


@allow("researcher")
def load_adjudication_items(
    store: Store, actor: str, cells: Sequence[LabelledCell], limit: int
) -> list[AdjudicationItem]:
    """Load the first items of a person's work, at most `limit`."""
    by_item: dict[str, list[LabelledCell]] = {}
    for cell in cells:
        by_item.setdefault(cell.item, []).append(cell)
    ids = list(by_item)[:limit]
    dimensions, revealed = cards.answerable_dimensions(store), exposure.revealed_items(store, actor, ids)
    # Shown as if drawn blind, whatever the draw: the judge's scores never reach a browser that has not asked for them.
    views = desk.desk_views(store, "", [OfferedItem("adjudication", i, "audit", "blind", "") for i in ids])
    adjudication_items = []
    for view in views:
        item, kind = view.item.id, view.item.content.kind
        waits = {(c.unit, c.dimension) for c in by_item[item]}
        labelled = cells_of_item(store, view.item.dataset_id, item, whole=True)
        decided = [c for c in labelled if c.decision and (c.unit, c.dimension) not in waits]
        places = waits | {(c.unit, c.dimension) for c in decided}
        known = {place: dimensions.get((kind, sort_of(place[0]), place[1])) for place in places}
        adjudication_items.append(
            AdjudicationItem(
                replace(view, unnamed=view.unnamed and item not in revealed),
                by_item[item],
                decided,
                [AdjudicationComment(*row) for row in store.rows(_WROTE, [item])],
                _scores_of_item(store, item) if item in revealed else None,
                {place: dimension for place, dimension in known.items() if dimension is not None},
            )
        )
    return adjudication_items


def shuffle_labels(item: str, unit: str, dimension: str, labels: Iterable[PersonLabel]) -> list[PersonLabel]:
    """Sort the labels of a cell by a hash: the order is always the same, and reveals nothing of who the people are."""
    return sorted(labels, key=lambda s: content_id(item, unit, dimension, s.person, s.id))


@allow("researcher")
def adjudicated_cells(store: Store, actor: str, dataset_id: str) -> list[AdjudicatedCell]:
    """Return the newest decisions in force in a dataset, the newest first.

    Items that the actor may still get to answer blind are left out, because the list shows what people said.
    """
    require(store, actor, "researcher")
    scales = cards.scales(store)
    rows = store.rows(
        "select a.id, a.item_id, i.name, i.kind, a.unit, a.dimension, a.value, a.person, a.reason, a.saw_judge, "
        "a.labels, c.made_at from adjudication_now a join item i on i.id = a.item_id join change c on c.seq = a.seq "
        f"where a.dataset_id = $1 and not a.item_id = any($2) order by a.seq desc, a.id desc limit {_NEWEST}",
        [dataset_id, list(exposure.blind_pending(store, actor))],
    )
    exposure.record_exposures(store, actor, {row[1]: (exposure.OTHER_PEOPLE,) for row in rows}, "decisions")
    cells = []
    for id_, _, name, kind, unit, dimension, value, person, reason, saw, labels, at in rows:
        scale = scales.get((kind, sort_of(unit), dimension))
        if scale is not None:
            label_text = ", ".join(f"{s.person} {scale.format(s.value)}" for s in labels_from_json(labels))
            details = (str(reason), label_text, bool(saw), decision_time(labels, at))
            cells.append(AdjudicatedCell(id_, name, unit, dimension, scale.format(value), str(person), *details))
    return sorted(cells, key=lambda cell: cell.at, reverse=True)


def _scores_of_item(store: Store, item_id: str) -> list[AdjudicationScore]:
    """Every score of an item but those of probes, with the judge's note."""
    rows = store.rows(
        "select s.unit, s.dimension, j.model, s.value, coalesce(max(r.text), '') from score_now s "
        "join judge j on j.id = s.judge_id left join remark r on r.item_id = s.item_id and r.judge_id = s.judge_id "
        "and r.unit = s.unit and r.dimension = s.dimension and r.sort = 'note' and r.sample = 0 "
        f"where s.item_id = $1 and {NO_PROBE_SQL} "
        "group by s.unit, s.dimension, j.model, s.judge_id, s.value order by j.model, s.judge_id",
        [item_id],
    )
    return [AdjudicationScore(*row) for row in rows]
