"""A queue as a list: its draws in order, why each is in it, and its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from data.queue.queue import QueueFilters, Stream, matching_draws
from data.queue.review_signals import parse_reasons
from data.records import exposure, settings, tags
from data.records.access import allow
from data.records.items import contains_words, item_preview, neutral_name
from data.records.queue_index import QueuedDraw, QueueIndex, current_index
from data.store import Store
from data.store.ids import now
from judges.strict_json import canonical
from judges.triage import Reason
from judges.triage import describe_unit as unit_place

State = Literal[
    "to label", "reserved by you", "reserved", "answered by you", "answered", "skipped by you", "in audit sample",
    "not for you",
]  # fmt: skip
_UNANSWERED: tuple[State, ...] = ("to label", "reserved by you")


@dataclass(frozen=True)
class ListedDraw:
    """A draw as one person may see it. For a blind draw nothing of the judge is in it.

    Until the person was shown what the judge said, a reason has only its kind and place, because its words may reveal
    it. An item that they may still get to answer blind has no stratum or probability, because these may show a score.
    It has no systems if the dataset hides them.

    `place`: its place in the whole queue, from 1. `about`: the first line of its text. `probability`: of being in this
    part of the sample (None: not at random). `people`: how many have answered it, of `overlap`. `holders`: who has
    reserved it. `audience`: to whom alone it is assigned, in words.
    """

    item: str
    place: int
    name: str
    about: str
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
    audience: tuple[str, ...]


@dataclass(frozen=True)
class QueueListing:
    """A part of a queue.

    How many draws are in it, and of those that pass filters and search how many are in each state (a draw is in one),
    how many have an answer and how many have all that they need. `left`: open to the person.
    """

    total: int
    states: dict[State, int]
    answered: int
    full: int
    rows: list[ListedDraw]

    @property
    def drawn(self) -> int:
        """The draws that pass, in whatever state."""
        return sum(self.states.values())

    @property
    def left(self) -> int:
        """Those that the person may label now."""
        return sum(self.states.get(state, 0) for state in _UNANSWERED)


@allow("annotator")
def list_queue(
    store: Store, person: str, dataset_id: str, stream: Stream, filters: QueueFilters,
    state: State | None = None, skip: int = 0, limit: int = 50, search: str = "",
) -> QueueListing:  # fmt: skip
    """`limit` draws of a queue in its order, after the first `skip`, and the counts of all that pass.

    `search`: only those with these words in the name, the text, a system, or a person who answered or reserved them or
    to whom they are assigned.
    """
    index, moment = current_index(store), now()
    fit = matching_draws(store, index, dataset_id, stream, filters)
    with index.lock:  # items that this person may still get blind, in any queue
        pending = index.pending_items(person, dataset_id)
    hidden = pending if settings.hides_systems(store, dataset_id) else set[str]()
    words = " ".join(search.lower().split())
    hits = _find_draws(store, dataset_id, stream, words, hidden) if words else frozenset[str]()
    with index.lock:
        every = [
            (place, draw, _state(index, draw, person, moment))
            for place, draw in enumerate(index.queues[dataset_id, stream].all, 1)
            if (fit is None or draw.id in fit)
            and (not words or draw.id in hits or _matches_person(index, draw, words, moment))
        ]
        # What a judge said of an item that is to be answered blind is shown neither here nor through a filter.
        every = [e for e in every if fit is None or e[2] != "in audit sample"]
        counts = Counter(s for _, _, s in every)
        answered, full = sum(bool(d.answered_by) for _, d, _ in every), sum(index.is_full(d) for _, d, _ in every)
        chosen = [e for e in every if state is None or e[2] == state]
        part = [
            (e, tuple(index.holders(e[1], moment)), _audience(e[1]), len(e[1].answered_by))
            for e in chosen[skip : skip + limit]
        ]
        overlap = index.overlap[dataset_id]
    rows = _rows(store, person, part, overlap, pending, hidden) if part else []
    return QueueListing(len(chosen), dict(counts), answered, full, rows)


def _matches_person(index: QueueIndex, draw: QueuedDraw, words: str, moment: datetime) -> bool:
    names = (*draw.answered_by, *index.holders(draw, moment), *_audience(draw))
    return any(words in name.lower() for name in names)


def _audience(draw: QueuedDraw) -> tuple[str, ...]:
    """The people and tags to whom alone a draw is assigned, in words."""
    return tuple(sorted(map(tags.describe_assignee, draw.audience or ())))


def _find_draws(store: Store, dataset_id: str, stream: Stream, words: str, hidden: set[str]) -> frozenset[str]:
    """The draws of items with these words in their text or name, or in the name of a system, where that is shown."""
    rows = store.rows(
        "select d.id, i.id, i.name, i.system_a, i.system_b, "
        "case when strpos(lower(i.content), $3) > 0 then i.content else '' end "
        "from draw d join item i on i.id = d.item_id where d.dataset_id = $1 and d.stream = $2",
        [dataset_id, stream, canonical(words)[1:-1]],
    )
    return frozenset(
        str(draw)
        for draw, item, name, first, other, content in rows
        if words in (neutral_name(item, name, (first, other)) if item in hidden else f"{name} {first} {other}").lower()
        or (content and contains_words(content, words))
    )


def _rows(
    store: Store, person: str,
    part: list[tuple[tuple[int, QueuedDraw, State], tuple[str, ...], tuple[str, ...], int]], overlap: int,
    pending: set[str], hidden: set[str],
) -> list[ListedDraw]:  # fmt: skip
    draws = [draw for (_, draw, _), *_ in part]
    # The probability that holds is that of the newest draw from the same part of the same stratum.
    details = {
        r[0]: r[1:]
        for r in store.rows(
            "select d.id, i.name, i.content, i.system_a, i.system_b, d.probability, d.stratum, j.model, d.reasons, "
            "d.judge_id from draw_now d join item i on i.id = d.item_id left join judge j on j.id = d.judge_id "
            "where d.id = any($1)",
            [[draw.id for draw in draws]],
        )
    }
    known = exposure.shown_judges(store, person, [draw.item for draw in draws])
    rows = []
    for (place, draw, state), holders, audience, people in part:
        name, content, first, other, probability, stratum, model, reasons, judge = details[draw.id]
        shown = draw.item not in pending
        rows.append(
            ListedDraw(
                draw.item, place, neutral_name(draw.item, name, (first, other)) if draw.item in hidden else name,
                item_preview(content), () if draw.item in hidden else tuple(s for s in (first, other) if s), draw.mode,
                probability if shown else None, stratum if shown else "",
                "" if draw.mode == "blind" else model or "",
                () if state == "in audit sample"
                else _reasons(parse_reasons(draw.item, reasons), (draw.item, judge) in known),
                state, people, overlap, holders, audience,
            )
        )  # fmt: skip
    return rows


def _reasons(reasons: Sequence[Reason], known: bool) -> tuple[str, ...]:
    """Return why an item is in the queue: in full if the judge was shown, else only the place and kind of the doubt."""
    if known:
        return tuple(r.text for r in reasons)
    doubts = ((f"{unit_place(r.unit)}{r.dimension.replace('_', ' ')}".strip(), r.kind) for r in reasons)
    return tuple(dict.fromkeys(f"{where}: {kind}" if where else kind for where, kind in doubts))


def _state(index: QueueIndex, draw: QueuedDraw, person: str, moment: datetime) -> State:
    """The state of a draw, as one person sees it. An answer that counts elsewhere leaves it open to others only."""
    if person in draw.answered_by:
        return "answered by you"
    if draw.closed:
        return "answered" if index.is_done(draw) else "in audit sample"
    if index.is_closed_to(draw, person):
        skipped = index.workers[person].last.get(draw.item, ("", ""))[0] == "skip"
        return "skipped by you" if skipped else "not for you"
    if not index.is_free(draw, person, moment):
        return "answered" if index.is_full(draw) else "reserved"
    return "reserved by you" if draw.holders.get(person, moment) > moment else "to label"
