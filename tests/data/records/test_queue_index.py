"""The lines of a queue: whatever draws go through, each stands once in the line of its place, in order."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from data.records import queue_index
from data.records.queue_index import CLOSED, FREE, LATER, RESERVED, FirstSave, Queue, QueuedDraw, QueueIndex
from data.records.tables import AnswerRow, AssignmentRow, DrawRow
from data.store import open_store

PLACES = (CLOSED, FREE, LATER, RESERVED)


def queued_draws(count: int) -> list[QueuedDraw]:
    """Draws whose order is not that in which they came."""
    return [QueuedDraw(f"d{n:02}", "set", "audit", f"i{n}", "blind", float(n * 7 % 5)) for n in range(count)]


def read(tmp_path: Path, rows: Sequence[NamedTuple]) -> QueueIndex:
    """An index that took these rows in at one look, as those of one change."""
    with contextlib.closing(open_store(f"duckdb:///{tmp_path}/w.duckdb")) as store:
        store.tx("ann", "answers", lambda tx: tx.append(rows))
        return queue_index.current_index(store)


def test_draws_that_come_alone_stand_in_their_order(tmp_path: Path) -> None:
    rows = [
        DrawRow(f"d{n}", "set", f"i{n}", "review", "blind", "", "", None, priority=3.0 - n, reasons="[]")
        for n in range(3)
    ]
    assert [draw.id for draw in read(tmp_path, rows).queues["set", "review"].all] == ["d2", "d1", "d0"]


def test_of_answers_of_one_change_the_earlier_is_the_first_whatever_its_key(tmp_path: Path) -> None:
    begin, later = datetime(2026, 1, 2), timedelta(seconds=1)
    rows = [
        AnswerRow(key, "set", "i1", "", "ann", "", "save", "blind", "", previous, 5_000 + n, begin + n * later)
        for n, (key, previous) in enumerate((("z", ""), ("a", "z")))
    ]
    assert read(tmp_path, rows[::-1]).workers["ann"].first == {"i1": FirstSave(begin, 5_000, "set")}


def test_assignments_of_one_change_come_in_with_and_without_a_day(tmp_path: Path) -> None:
    days = [datetime(2026, 1, 2), None]
    rows = [
        AssignmentRow(f"r{n}", f"a{n}", "set", "review", "ann", "reserved", 1, due, note="", chosen="{}", ended=False)
        for n, due in enumerate(days)
    ]
    assert [assignment.due for assignment in read(tmp_path, rows).assignments_of("set", "review", "ann")] == days


@pytest.mark.parametrize("seed", range(6))
def test_a_queue_is_what_its_draws_say(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(
        queue_index, "_MAX_SINGLE_INSERTS", 3
    )  # both ways into a line are gone, and what is stale is dropped
    rng, queue, draws = random.Random(seed), Queue(), queued_draws(24)
    for _ in range(150):
        for draw in rng.sample(draws, rng.choice((1, 2, 8))):
            before, place = draw.place, rng.choice(PLACES)
            audience = frozenset(rng.sample(("ann", "ben", "|de"), 2)) if place == RESERVED else None
            assert queue.move(draw, place, audience) == (place != before)
            assert (draw.place, draw.audience) == (place, audience)
        queue.settle()
        stands = {place: sorted((d for d in draws if d.place == place), key=lambda d: d.order) for place in PLACES}
        for place in PLACES[1:]:
            line = queue.lines[place]
            assert list(queue.waiting_draws(place)) == stands[place] and not line.coming
            assert line.stale == sum(d.place != place for d in line.draws)
            assert len(line.draws) == len(set(line.draws)) and all(bool(d.listed & place) for d in line.draws)
            assert all((d in line.draws) == bool(d.listed & place) for d in draws)
            assert line.stale <= 3 or line.stale <= len(line.draws) // 4
        assert list(queue.waiting_draws()) == [d for place in PLACES[1:] for d in stands[place]]
        assert list(queue.waiting_draws(LATER, FREE)) == stands[LATER] + stands[FREE]
        assert queue.open == sum(d.place != CLOSED for d in draws)
        assert queue.audiences == Counter(d.audience for d in draws if d.audience)
        assert 0 not in queue.audiences.values(), "what nothing is open to alone is not kept"
