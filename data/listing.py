"""A queue as a list: its draws in order, why each is in it, and where it stands."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from data import exposure
from data.board import Board, Draw, board
from data.ids import now
from data.queue import Filters, Stream, matching
from data.store import Store
from judges.triage import place as unit_place

State = Literal[
    "open to you",
    "held by you",
    "held",
    "answered",
    "answered by you",
    "skipped by you",
    "audit first",
    "known to you",
]
STATES: tuple[State, ...] = (
    "open to you", "held by you", "held", "answered", "answered by you", "skipped by you", "audit first",
    "known to you",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A draw as one person may see it. For a blind draw nothing of the judge is in it.

    Of a reason it has kind and place only, while the person was not shown what the judge said: the words may tell it.

    place: its place in the whole queue, from 1; probability: of being in this part of the sample (None: not at random);
    people: how many have answered it, of `overlap`; holders: who holds it now.
    """

    item: str
    place: int
    name: str
    systems: tuple[str, ...]
    mode: str
    probability: float | None
    stratum: str
    judge: str
    reasons: tuple[str, ...]
    state: State
    people: int
    overlap: int
    holders: tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """A part of a queue: how many draws there are in all, and of each state, for these filters."""

    total: int
    states: dict[State, int]
    rows: list[Row]


def listing(
    store: Store, person: str, dataset_id: str, stream: Stream, filters: Filters,
    state: State | None = None, skip: int = 0, most: int = 50,
) -> Listing:  # fmt: skip
    """`most` draws of a queue in its order, after the first `skip`, and the counts of all."""
    there, moment = board(store), now()
    fit = matching(store, there, dataset_id, stream, filters)
    with there.lock:
        every = [
            (place, draw, _state(there, draw, person, moment))
            for place, draw in enumerate(there.queues[dataset_id, stream].all, 1)
            if fit is None or draw.id in fit
        ]
        # What a judge said of an item that is to be answered blind shows neither here nor through a filter.
        every = [e for e in every if fit is None or e[2] != "audit first"]
        counts = Counter(s for _, _, s in every)
        chosen = [e for e in every if state is None or e[2] == state]
        part = [(e, tuple(there.holders(e[1], moment))) for e in chosen[skip : skip + most]]
        overlap = there.overlap.get(dataset_id, 1)
    if not part:
        return Listing(len(chosen), dict(counts), [])
    marks = ", ".join(f"${n}" for n in range(1, len(part) + 1))
    # The probability that holds is that of the newest draw from the same part of the same stratum.
    found = {
        r[0]: r[1:]
        for r in store.rows(
            "select d.id, i.name, i.system_a, i.system_b, d.probability, d.stratum, j.model, d.reasons, d.judge_id "
            "from draw_now d join item i on i.id = d.item_id left join judge j on j.id = d.judge_id "
            f"where d.id in ({marks})",
            [e[1].id for e, _ in part],
        )
    }
    known = exposure.shown(store, person, [e[1].item for e, _ in part])
    rows = []
    for (place, draw, stands), holders in part:
        name, one, other, probability, stratum, model, reasons, judge = found[draw.id]
        rows.append(
            Row(
                draw.item, place, name, tuple(s for s in (one, other) if s), draw.mode, probability, stratum,
                "" if draw.mode == "blind" else model or "",
                () if stands == "audit first" else _reasons(json.loads(reasons), (draw.item, judge) in known),
                stands, len(draw.savers), overlap, holders,
            )
        )  # fmt: skip
    return Listing(len(chosen), dict(counts), rows)


def _reasons(reasons: list[dict[str, Any]], known: bool) -> tuple[str, ...]:
    """Why an item is in the queue: in full to whom the judge was shown, else where the doubt is and its sort."""
    if known:
        return tuple(r["text"] for r in reasons)
    told = ((f"{unit_place(r['unit'])}{r['dimension'].replace('_', ' ')}".strip(), r["kind"]) for r in reasons)
    return tuple(dict.fromkeys(f"{where}: {kind}" if where else kind for where, kind in told))


def _state(there: Board, draw: Draw, person: str, moment: datetime) -> State:
    """Where a draw stands, as one person sees it."""
    mine = there.workers[person].last.get(draw.item)
    if mine:
        return "answered by you" if mine[0] == "save" else "skipped by you"
    if draw.closed:
        return "answered" if there.full(draw) else "audit first"
    if there.past(draw, person):
        return "known to you"
    if not there.free(draw, person, moment):
        return "held"
    return "held by you" if draw.holders.get(person, moment) > moment else "open to you"
