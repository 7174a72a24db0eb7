"""How much is done: by a person, by day in their zone, in a stream and in a dataset; and what moved."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from data.desk import labels
from data.queue import progress, queue
from data.queue.progress import DatasetProgress, QueueProgress
from data.queue.queue import QueueFilters
from data.records import people, queue_index, settings
from data.records.datasets import dataset_named
from data.records.tables import IntakeRow, SpendingHoldRow
from data.store import Store
from data.store.ids import new_id
from data.trail import activity
from tests import seeds

TOKYO = ZoneInfo("Asia/Tokyo")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    items = [seeds.dialogue(n) for n in range(1, 11)]
    replies = [seeds.judgment(i, seeds.reply(i, helpfulness=1)) for i in items]
    return seeds.workspace(tmp_path / "a.duckdb", [*items, *replies], names=("lea", "ann", "ben"))


@pytest.fixture
def dataset(store: Store) -> str:
    return dataset_named(store, "demo").id


def save(store: Store, dataset: str, person: str = "ann", n: int = 1, ms: int = 5000, **fields: Any) -> list[str]:
    keys = []
    for claim in queue.claim_items(store, person, dataset, "review", QueueFilters(), [], n):
        answer = {
            "key": new_id(), "person": person, "action": "save", "item": claim.item, "claim": claim.draw, "version": "",
            "values": [{"unit": "turn:1", "dimension": "helpfulness", "v": 3.0}], "ms": ms, **fields,
        }  # fmt: skip
        assert not labels.save_answers(store, person, [answer])[1]
        keys.append(answer["key"])
    return keys


def test_items_count_once_however_often_they_are_corrected(store: Store, dataset: str) -> None:
    key = save(store, dataset)[0]
    item = store.rows("select item_id from answer")[0][0]
    again = {
        "key": new_id(), "person": "ann", "action": "save", "item": item, "version": key, "ms": 99_000,
        "values": [{"unit": "turn:1", "dimension": "helpfulness", "v": 5.0}],
    }  # fmt: skip
    labels.save_answers(store, "ann", [again])
    own_progress = progress.personal_progress(store, "ann", dataset)
    assert (own_progress.today, own_progress.total, own_progress.seconds) == (1, 1, 5.0)


def test_skips_do_not_count_and_what_is_skipped_first_and_saved_later_does(store: Store, dataset: str) -> None:
    key = save(store, dataset, action="skip", values=[])[0]
    assert progress.personal_progress(store, "ann").total == 0
    item = store.rows("select item_id from answer")[0][0]
    value = {"unit": "turn:1", "dimension": "helpfulness", "v": 5.0}
    answer = {
        "key": new_id(),
        "person": "ann",
        "action": "save",
        "item": item,
        "version": key,
        "values": [value],
        "ms": 1,
    }
    labels.save_answers(store, "ann", [answer])
    assert progress.personal_progress(store, "ann").total == 1


def test_the_seconds_are_the_median_of_the_newest_that_were_timed(store: Store, dataset: str) -> None:
    assert progress.personal_progress(store, "ann").seconds is None
    for ms in (1000, 9000, 0, 3000):
        save(store, dataset, ms=ms)
    assert progress.personal_progress(store, "ann").seconds == 3.0


def test_people_and_datasets_are_told_apart(store: Store, dataset: str) -> None:
    save(store, dataset, n=3)
    save(store, dataset, "ben")
    of = [(person, where) for person in ("ann", "ben", "lea") for where in (dataset, "", "other")]
    assert [progress.personal_progress(store, *pair).total for pair in of] == [
        3, 3, 0, 1, 1, 0, 0, 0, 0,
    ]  # fmt: skip


def test_days_begin_at_midnight_of_the_zone(store: Store, dataset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """01:00 UTC is 10:00 in Tokyo, where the day began at 15:00 UTC the day before."""
    moment = datetime(2026, 3, 10, 1, 0)
    monkeypatch.setattr(progress, "now", lambda: moment)
    ages = [timedelta(minutes=5), timedelta(hours=2), timedelta(hours=11), timedelta(days=13), timedelta(days=20)]
    index = queue_index.current_index(store)
    for n, age in enumerate(ages):
        index.workers["ann"].first[f"i{n}"] = queue_index.FirstSave(moment - age, 1000, dataset)
        index.workers["ann"].last[f"i{n}"] = ("save", "")
    assert progress.midnight(TOKYO) == datetime(2026, 3, 9, 15, 0)
    assert progress.personal_progress(store, "ann", zone=TOKYO).today == 2
    assert progress.personal_progress(store, "ann").today == 1
    days = progress.saves_per_day(store, "ann", TOKYO)
    assert list(days)[-1].isoformat() == "2026-03-10"
    assert list(days.values()) == [1] + [0] * 11 + [1, 2]
    assert sum(progress.saves_per_day(store, "ann").values()) == 4


def test_days_are_those_of_the_zone_also_where_clocks_were_changed(
    store: Store, dataset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Berlin the clocks went forward at 01:00 UTC on 29 March 2026: midnight before it was at 23:00 UTC."""
    zone = ZoneInfo("Europe/Berlin")
    monkeypatch.setattr(progress, "now", lambda: datetime(2026, 3, 30, 10, 0))
    person = queue_index.current_index(store).workers["ann"]
    for n, at in enumerate([datetime(2026, 3, 28, 22, 30), datetime(2026, 3, 28, 23, 30), datetime(2026, 3, 29, 22)]):
        person.first[f"i{n}"] = queue_index.FirstSave(at, 1000, dataset)
        person.last[f"i{n}"] = ("save", "")
    assert list(progress.saves_per_day(store, "ann", zone).values())[-3:] == [1, 1, 1]
    assert progress.midnight(zone) == datetime(2026, 3, 29, 22, 0)
    monkeypatch.setattr(progress, "now", lambda: datetime(2026, 3, 29, 10, 0))
    assert progress.midnight(zone) == datetime(2026, 3, 28, 23, 0)


def test_a_stream_and_a_dataset(store: Store, dataset: str) -> None:
    assert progress.queue_progress(store, dataset, "review") == QueueProgress(10, 0)
    save(store, dataset, n=3)
    save(store, dataset, "ben", n=1, action="skip", values=[])
    assert progress.queue_progress(store, dataset, "review") == QueueProgress(10, 3)
    assert progress.queue_progress(store, dataset, "audit") == QueueProgress(0, 0)
    assert progress.dataset_progress(store) == {dataset: DatasetProgress(items=10, labelled=3, labels=3, people=1)}


def test_the_desk_gets_all_of_it_in_one_look(store: Store, dataset: str) -> None:
    save(store, dataset, n=2)
    standing = progress.desk_progress(store, "ann", dataset, "review", QueueFilters())
    assert (standing.waiting, standing.own.today, standing.queue) == (8, 2, QueueProgress(10, 2))
    assert progress.desk_progress(store, "ann", dataset, "review", QueueFilters(system="model-x")).waiting <= 4


def test_an_item_that_is_skipped_in_the_end_is_answered_nowhere(store: Store, dataset: str) -> None:
    first, _ = save(store, dataset, n=2)
    [[item]] = store.rows("select item_id from answer where id = $1", [first])
    again = {"key": new_id(), "person": "ann", "action": "skip", "item": item, "version": first}
    assert not labels.save_answers(store, "ann", [again])[1]
    assert progress.personal_progress(store, "ann").total == 1
    assert [member.items for member in people.members(store) if member.person.name == "ann"] == [1]


# -- what moved -----------------------------------------------------------------------------------------------------


def test_moves_in_the_order_of_the_newest_put_together(
    store: Store, dataset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(store, dataset, n=4)
    save(store, dataset, "ben")
    save(store, dataset, n=2)
    queue.draw_audit(store, "lea", dataset, 5, "", 1)
    settings.set_queue_rules(store, "lea", dataset, settings.QueueRules(overlap=2))
    people.set_person(store, "lea", "ann", "researcher")
    for active in (False, True):
        people.set_person(store, "lea", "ben", "annotator", active=active)
    moves = [(m.sort, m.actor, m.n) for m in activity.recent_activity(store, 20)]
    assert moves == [
        ("reactivated", "lea", 1),
        ("deactivated", "lea", 1),
        ("role", "lea", 1),
        ("rules", "lea", 1),
        ("drew", "lea", 5),
        ("answered", "ann", 6),
        ("answered", "ben", 1),
        ("filled", "lea", 10),
        ("items", "lea", 10),
        ("joined", "ben", 1),
        ("joined", "ann", 1),
        ("joined", "lea", 1),
    ]
    found_moves = {m.sort: m for m in activity.recent_activity(store, 20)}
    assert {found_moves[s].dataset for s in ("rules", "drew", "answered", "filled", "items")} == {"demo"}
    assert (found_moves["role"].name, found_moves["role"].role, found_moves["deactivated"].name) == (
        "ann",
        "researcher",
        "ben",
    )
    assert len(activity.recent_activity(store, 3)) == 3
    counted = [(m.actor, m.n) for m in activity.recent_activity(store, 6)]
    assert counted[5] == ("ann", 6), "what is older counts too, though others did something in between"
    totals = []
    for looked_at in range(1, 30):
        monkeypatch.setattr(activity, "_LOOK", looked_at)
        totals.append(sum(move.n for move in activity.recent_activity(store, 20)))
    growing = totals[: totals.index(sum(n for *_, n in moves)) + 1]
    assert growing == sorted(set(growing)), "the oldest change that is looked at counts too"


def test_corrections_claims_looks_and_imports_of_nothing_new_are_no_moves(store: Store, dataset: str) -> None:
    before = activity.recent_activity(store)
    queue.claim_items(store, "ann", dataset, "review", QueueFilters(), [], 3)
    queue.release_claims(store, "ann", dataset)
    nothing_new = IntakeRow(new_id(), dataset, "in.jsonl", "jsonl", "all", 0, 0, 0)
    store.tx("lea", "import", lambda tx: tx.append([nothing_new]))
    assert activity.recent_activity(store) == before


def test_an_import_brings_items_or_else_judgments_or_else_labels(store: Store, dataset: str) -> None:
    moves = []
    for counts in ((4, 3, 2), (0, 3, 2), (0, 0, 2)):
        row = IntakeRow(new_id(), dataset, "in.jsonl", "jsonl", "all", *counts)
        store.tx("lea", "import", lambda tx, row=row: tx.append([row]))  # type: ignore[misc]
        moves.append((activity.recent_activity(store)[0].sort, activity.recent_activity(store)[0].n))
    assert moves == [("items", 4 + 10), ("judgments", 3), ("labels", 2)], "with the ten of before"


def test_what_a_long_run_stores_hides_no_move(store: Store, dataset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = activity.recent_activity(store)
    monkeypatch.setattr(activity, "_LOOK", 5)
    for _ in range(6):
        store.tx("lea", "judge", lambda tx: tx.append([SpendingHoldRow(new_id(), "run", 0.5)]))
    assert before and activity.recent_activity(store) == before


def test_a_skip_is_no_move_and_an_answer_after_it_is_one(store: Store, dataset: str) -> None:
    before = activity.recent_activity(store)
    [key] = save(store, dataset, action="skip", values=[])
    assert activity.recent_activity(store) == before
    item = store.rows("select item_id from answer")[0][0]
    for correction in range(2):
        answer = {
            "key": new_id(), "person": "ann", "action": "save", "item": item, "version": key,
            "values": [{"unit": "turn:1", "dimension": "helpfulness", "v": 4.0 + correction}],
        }  # fmt: skip
        assert not labels.save_answers(store, "ann", [answer])[1]
        key = answer["key"]
        [newest, *_] = activity.recent_activity(store)
        assert (newest.sort, newest.actor, newest.n) == ("answered", "ann", 1), f"{correction} corrections"


def test_nothing_has_moved_in_a_new_store(tmp_path: Path) -> None:
    from data.store import open_store

    assert activity.recent_activity(open_store(f"duckdb:///{tmp_path / 'new.duckdb'}")) == []
