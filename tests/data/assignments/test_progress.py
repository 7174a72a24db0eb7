"""Progress: counts, pace and forecast, each state by hand, and what shows that somebody is stuck."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from data.assignments import progress
from data.assignments.assignments import Selection, WorkCount
from data.assignments.progress import AssignedWork, PersonActivity, RecentAnswer
from data.queue import queue
from data.records import people
from data.store.ids import now
from tests.data.assignments.test_assignments import answer, give, take, workspace
from tests.data.planted_workspace import frozen_clock

NOON = datetime(2026, 11, 25, 12)
"""A Wednesday."""
WORK = AssignedWork(WorkCount(20, 10, 8, 2), ((NOON + timedelta(days=2), 10),), NOON - timedelta(hours=2))
DID = PersonActivity(8, NOON - timedelta(days=1), NOON - timedelta(minutes=5), 8, (RecentAnswer(False, 10.0, 4),) * 8)


def state(work: AssignedWork = WORK, did: PersonActivity = DID, pace: float | None = 8.0, active: bool = True) -> str:
    needed = progress.needed_pace(work.dues, NOON, timedelta())
    return progress.progress_state("ann", active, work, did, pace, needed, NOON, timedelta())[0]


def test_each_state_by_hand() -> None:
    assert state() == "on time"
    assert state(replace(WORK, counts=WorkCount(0, 0, 0, 0))) == "unassigned"
    assert state(replace(WORK, counts=WorkCount(10, 0, 10, 0))) == "done"
    assert state(active=False) == "inactive"
    assert state(pace=3.0) == "behind", "10 items in 16 hours of working time are 5 a day"
    assert state(replace(WORK, dues=((NOON - timedelta(hours=1), 1),))) == "behind"
    outcome = progress.progress_state("ann", True, replace(WORK, dues=((NOON, 3),)), DID, 8.0, None, NOON, timedelta())
    assert outcome == ("behind", "3 items past the due date."), "what is due now is past"
    evening, night = NOON + timedelta(hours=6), replace(WORK, dues=((NOON + timedelta(hours=11), 3),))
    needed = progress.needed_pace(night.dues, evening, timedelta())
    for pace in (8.0, None):
        outcome = progress.progress_state("ann", True, night, DID, pace, needed, evening, timedelta())
        assert outcome == ("behind", "No working time is left before the due date."), "nobody works from 18 to 23"
    assert state(did=PersonActivity(), pace=None) == "not begun"
    tag = progress.progress_state("|japanese", True, WORK, PersonActivity(), None, 5.0, NOON, timedelta())
    words = "Not past its due date, and no pace is known: 5 items per working day are needed."
    assert tag == ("on time", words), "whoever has the tag may be too slow"
    assert state(replace(WORK, since=NOON - timedelta(minutes=1))) == "not begun"
    assert state(replace(WORK, since=None)) == "on time", "nothing that is left was given to them"


def test_each_sign_of_being_stuck_and_the_figure_below_it() -> None:
    quiet = replace(DID, last=NOON - timedelta(days=1, hours=2))
    since = replace(WORK, since=NOON - timedelta(days=9))
    assert state(since, quiet) == "stuck" and state(WORK, quiet) == "not begun", "it was given two hours ago"
    assert state(since, replace(quiet, last=NOON - timedelta(hours=22))) == "on time", "since yesterday, 14 o'clock"
    skip, fast, slow = (RecentAnswer(*values) for values in ((True, 3.0, 0), (False, 10.0, 4), (False, 31.0, 4)))
    assert [state(did=replace(DID, recent=(skip,) * n)) for n in (4, 5)] == ["on time", "stuck"]
    nothing = replace(WORK, counts=WorkCount(10, 0, 0, 10))
    assert state(nothing, replace(DID, recent=(skip,) * 10)) == "stuck", "whoever skips all has nothing left either"
    left_long_ago = replace(quiet, recent=(skip,) * 10), NOON, timedelta()
    signs = progress.find_stuck_signs(replace(nothing, since=None, expired=3), *left_long_ago)
    assert signs == ["10 of the last 10 answers skipped"], "there is nothing that they could answer"
    assert state(did=replace(DID, recent=(skip,) * 9 + (fast,) * 11 + (skip,) * 5)) == "on time"
    assert [state(replace(WORK, expired=n)) for n in (2, 3)] == ["on time", "stuck"]
    assert state(did=replace(DID, recent=(slow,) * 5 + (fast,) * 20)) == "stuck"
    times = (skip, RecentAnswer(False, 0.0, 4)) * 2 + (slow,) * 5 + (fast,) * 20
    assert state(did=replace(DID, recent=times)) == "stuck", "skips, and answers of which no time is known, have none"
    assert state(did=replace(DID, recent=(slow,) * 5 + (fast,) * 19)) == "on time", "too few before to tell"


def test_the_needed_pace_meets_every_due_date() -> None:
    tomorrow, friday = datetime(2026, 11, 26, 12), datetime(2026, 11, 27, 12)
    dues = ((tomorrow, 4), (friday, 4))
    assert progress.needed_pace(dues, NOON, timedelta()) == 4.0
    assert progress.needed_pace(((tomorrow, 1), (friday, 9)), NOON, timedelta()) == 5.0
    assert progress.needed_pace((), NOON, timedelta()) is None
    assert progress.needed_pace(((NOON, 1),), NOON, timedelta()) == float("inf")


def test_working_days_are_those_of_the_zone_of_whoever_looks() -> None:
    """Wednesday 23 o'clock UTC is Thursday 8 o'clock in Tokyo, and 7 o'clock UTC the end of its afternoon."""
    moment, due = datetime(2026, 11, 25, 23), datetime(2026, 11, 26, 7)
    assert progress.needed_pace(((due, 7),), moment, timedelta(hours=9)) == 8.0
    assert progress.needed_pace(((due, 7),), moment, timedelta()) == float("inf")


@pytest.mark.parametrize(("day", "begin"), [(25, 18), (23, 16), (27, 20), (28, 23), (29, 23)])
def test_the_last_five_working_days_leave_out_the_weekend(day: int, begin: int) -> None:
    assert progress._days_back(datetime(2026, 11, day, 15, 30)) == datetime(2026, 11, begin)


def test_a_team_as_a_lead_sees_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, dataset = workspace(tmp_path / "a.duckdb")
    due = now() + timedelta(days=60)
    give(store, dataset, people=("ann", "ben", "cyd"), due=due)
    for item in take(store, "ann", dataset, 3):
        answer(store, "ann", item)
    answer(store, "ben", take(store, "ben", dataset, 2)[0], "skip")
    people.set_person(store, "lea", "cyd", "annotator", active=False)
    rows = {row.assignee: row for row in progress.people_progress(store, dataset, ZoneInfo("Asia/Tokyo"))}
    ann, ben, cyd = rows["ann"], rows["ben"], rows["cyd"]
    assert (ann.counts, ann.answered, ann.seconds, ann.cell_seconds) == (WorkCount(4, 1, 3, 0), 3, 5.0, 5.0)
    assert (ann.due, ann.state, ben.counts) == (due, "on time", WorkCount(4, 3, 0, 1))
    assert ann.pace is not None and ann.finish is not None and ben.pace is None
    assert (cyd.state, cyd.counts.left, rows["lea"].state) == ("inactive", 4, "unassigned")
    assert (rows["lea"].counts, rows["lea"].is_tag) == (WorkCount(0, 0, 0, 0), False)
    monkeypatch.setattr(progress, "now", lambda: now() + timedelta(days=14))
    later = {row.assignee: row for row in progress.people_progress(store, dataset)}
    assert later["ben"].state == "stuck" and "hours of working time" in later["ben"].why
    assert " ".join(progress.progress_record(ann)) == (
        "person tags state why assigned done left skipped answered seconds_per_item seconds_per_rating last_answer due "
        "needed_per_day pace_per_day forecast"
    )


def test_what_is_all_answered_has_no_due_date_and_does_not_say_since_when_work_is_left(tmp_path: Path) -> None:
    store, dataset = workspace(tmp_path / "a.duckdb")
    soon, late = (now() + timedelta(days=days) for days in (20, 60))
    give(store, dataset, Selection("language", "ja"), people=("ann",), due=soon)
    for item in take(store, "ann", dataset, 4):
        answer(store, "ann", item)
    give(store, dataset, Selection("language", "en"), people=("ann",), due=late)
    [ann] = (row for row in progress.people_progress(store, dataset) if row.assignee == "ann")
    assert (ann.counts, ann.due, ann.state) == (WorkCount(8, 4, 4, 0), late, "not begun")


def test_an_item_is_answered_or_skipped_as_its_last_answer_says(tmp_path: Path) -> None:
    """ann skips all that she is given, comes back and answers it, and skips it again."""
    store, dataset = workspace(tmp_path / "a.duckdb")
    give(store, dataset, people=("ann", "ben"))
    items, keys, rows = take(store, "ann", dataset, 6), [""] * 6, []
    for action in ("skip", "save", "save", "skip"):
        keys = [answer(store, "ann", item, action, key) for item, key in zip(items, keys, strict=True)]
        rows.append(next(row for row in progress.people_progress(store, dataset) if row.assignee == "ann"))
        last = store.rows("select max(made_at) from answer")[0][0]
        assert rows[-1].last == last
    skipped, saved, corrected, back = rows
    assert [(row.counts.done, row.answered, row.state) for row in rows] == [
        (0, 0, "stuck"), (6, 6, "done"), (6, 6, "done"), (0, 0, "stuck")
    ]  # fmt: skip
    assert skipped.pace is None and saved.pace is not None and back.pace is None
    assert skipped.why == back.why == "6 of the last 6 answers skipped."
    assert (saved.seconds, saved.cell_seconds) == (corrected.seconds, corrected.cell_seconds) == (5.0, 5.0)


def test_what_runs_out_counts_and_what_is_given_back_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "now", lambda: now() + timedelta(hours=3))
    with frozen_clock() as clock:
        store, dataset = workspace(tmp_path / "a.duckdb")
        give(store, dataset, people=("ann", "ben"))
        for name in ("ann", "ben"):
            answer(store, name, take(store, name, dataset, 1)[0])
        for times in range(3):
            rows = {row.assignee: row for row in progress.people_progress(store, dataset)}
            assert "reserved" not in rows["ann"].why, f"whoever ends their day leaves what came ahead, {times} times"
            for name in ("ann", "ben"):
                assert len(take(store, name, dataset, 5)) == 5
            queue.release_claims(store, "ben", dataset)
            clock.pass_(minutes=31)
        rows = {row.assignee: row for row in progress.people_progress(store, dataset)}
        assert "items reserved 3 times" in rows["ann"].why.lower() and "reserved" not in rows["ben"].why
        store.close()


def test_a_row_of_progress_by_hand() -> None:
    """8 items in the 8 hours of working time since Tuesday noon are 8 a day; 10 are left, 5 of them today."""
    did = replace(DID, recent=(RecentAnswer(True, 99.0, 4), *DID.recent[:3], RecentAnswer(False, 30.0, 2)))
    at = "ann", True, ("ja",), WORK, did, NOON, timedelta(), NOON - timedelta(days=7)
    row = progress._progress(*at)
    assert progress.progress_record(row) == {
        "person": "ann", "tags": "ja", "state": "on time", "why": "Nothing suggests that it will be late.",
        "assigned": 20, "done": 8, "left": 10, "skipped": 2, "answered": 8, "seconds_per_item": 10.0,
        "seconds_per_rating": 2.5, "last_answer": "2026-11-25T11:55:00", "due": "2026-11-27T12:00:00",
        "needed_per_day": 5.0, "pace_per_day": 8.0,
        "forecast": "2026-11-26T14:00:00",
    }  # fmt: skip
    assert row == progress.PersonProgress(
        "ann", True, ("ja",), WORK.counts, 8, 10.0, 2.5, did.last, NOON + timedelta(days=2), 5.0, 8.0,
        datetime(2026, 11, 26, 14), "on time", "Nothing suggests that it will be late.",
    )  # fmt: skip
    long_here = replace(did, first=NOON - timedelta(days=70))
    assert progress._progress(*at[:4], long_here, *at[5:7], NOON - timedelta(days=1)).pace == 8.0, "of the last days"
    assert progress.progress_record(replace(row, needed=float("inf")))["needed_per_day"] is None


def test_an_item_that_stays_reserved_does_not_run_out(tmp_path: Path) -> None:
    """Who kept an item reserved for more than an hour had let it run out three times, and seemed to be stuck."""
    with frozen_clock() as clock:
        store, dataset = workspace(tmp_path / "a.duckdb")
        answer(store, "ann", take(store, "ann", dataset, 1)[0])
        [item] = take(store, "ann", dataset, 1)
        for _ in range(4):
            clock.pass_(minutes=20)
            queue.claim_items(store, "ann", dataset, "review", queue.QueueFilters(), [item.item], 1)
        assert progress._count_expired(store, dataset, now()) == {}
        clock.pass_(minutes=31)
        assert progress._count_expired(store, dataset, now()) == {"ann": 1}
        answer(store, "ann", item)
        assert progress._count_expired(store, dataset, now()) == {}, "since the last answer"
        store.close()
