"""How large a draw has to be so that the policy can be met, and the sentence that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.approvals import policy, quota
from data.approvals.quota import Quota
from data.approvals.rules import Requirements
from data.gold import excluded_items
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import settings
from data.records.datasets import dataset_named
from data.records.settings import QueueRules
from tests import seeds
from tests.data.imports import source


@pytest.mark.parametrize(
    ("share", "drawn", "left", "size"),
    [
        (0.2, 0, 500, 140),  # 100 / .9 = 112 blind, and a fifth of 140 assisted
        (0.0, 0, 500, 112),
        (0.2, 60, 500, 65),  # 52 more
        (0.95, 0, 5000, 2230),  # 2,230 - round(2,118.5) = 112
        (0.2, 0, 60, 60),
        (0.2, 111, 500, 1),
        (0.2, 112, 500, quota.EXTRA_DRAW_ITEMS),
        (0.2, 112, 0, 1),
    ],
)
def test_a_draw_begins_with_what_the_policy_requires(share: float, drawn: int, left: int, size: int) -> None:
    quota_ = Quota(100, 0.9, drawn, left, share)
    assert quota_.size == size
    if quota_.next_draw == size and drawn < 112:
        assert drawn + size - round(size * share) >= 112 > drawn + (size - 1) - round((size - 1) * share)


def test_what_a_draw_means_for_the_policy_is_said() -> None:
    quota_ = Quota(100, 0.9, 0, 500, 0.2)
    requirement = "The policy requires 100 items answered blind"
    assert quota_.sentence(112) == f"{requirement}: 112 drawn blind are enough if 90% are answered."
    assert quota_.sentence(104) == f"{requirement}: 104 drawn blind are enough only if 100 are answered."
    assert quota_.sentence(80) == f"{requirement}: 80 drawn blind are 20 too few. Draw 140."
    small = Quota(100, 0.9, 0, 110, 0.2)
    assert small.sentence(88, all_=True).endswith(
        "With no judge shown, all of them are drawn blind, which is enough."
    )
    assert "Import more items" in Quota(100, 0.9, 0, 60, 0.2).sentence(48, all_=True)


def test_what_was_drawn_before_counts_in_what_a_draw_means() -> None:
    requirement = "The policy requires 100 items answered blind"
    no_way = ", and this makes 88, 40 of them before: no dimension of this dataset can meet it."
    for drawn, left, blind, all_, ending in (
        (40, 500, 72, False, ": 112 drawn blind, 40 of them before, are enough if 90% are answered."),
        (40, 500, 71, False, ": 111 drawn blind, 40 of them before, are enough only if 100 are answered."),
        (40, 500, 60, True, ": 100 drawn blind, 40 of them before, are enough only if 100 are answered."),
        (40, 500, 59, False, ": 99 drawn blind, 40 of them before, are 1 too few. Draw 90."),
        (40, 60, 48, True, f"{no_way} With no judge shown, all of them are drawn blind, which is enough."),
        (40, 59, 48, True, f"{no_way} Import more items; figures can be had from these, with wide intervals."),
    ):  # fmt: skip
        assert Quota(100, 0.9, drawn, left, 0.2).sentence(blind, all_) == requirement + ending


def test_it_counts_what_is_drawn_and_left(tmp_path: Path) -> None:
    items = [seeds.dialogue(n) for n in range(1, 31)]
    judgments = [seeds.judgment(i, seeds.reply(i, helpfulness=1)) for i in items]
    store = seeds.workspace(tmp_path / "a.duckdb", [*items, *judgments], review=True)
    assert store.rows("select count(*) from draw where stream = 'review'") == [(30,)], "which are no part of it"
    dataset = dataset_named(store, "demo").id
    judge = store.rows("select id from judge")[0][0]
    queue.draw_audit(store, "lea", dataset, 10, judge, 1)
    assert quota.quota(store, dataset, True) == Quota(100, 0.9, 8, 20, 0.2)
    query = "select id from item where id not in (select item_id from draw where stream = 'audit') limit 1"
    [(item,)] = store.rows(query)
    excluded_items.exclude_items(store, "lea", dataset, [str(item)], "tuned on it")
    for answered, expected in ((0.5, 0.9), (0.95, 0.95)):
        policy.set_requirements(store, "lea", Requirements(answered=answered), "Why not.")
        assert quota.quota(store, dataset, True) == Quota(100, expected, 8, 19, 0.2)
    settings.set_queue_rules(store, "lea", dataset, QueueRules(assisted_share=0.5))
    assert quota.quota(store, dataset, True).share == 0.5 and quota.quota(store, dataset, False).share == 0
    store.close()


def test_imported_labels_that_count_are_told_and_no_dimension_is_said_to_fail_then(tmp_path: Path) -> None:
    items = [seeds.dialogue(n) for n in range(1, 31)]
    entries = [
        {"item": item["id"], "unit": "turn:1", "dimension": "helpfulness", "value": 3, "annotator": "bo",
         "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}
        for item in items[:25]
    ]  # fmt: skip
    store = seeds.workspace(tmp_path / "a.duckdb", items, review=False)
    import_source(store, "lea", source(entries, "labels.jsonl"), ImportPlan("demo", sampling="all"))
    # Neither of these counts: nobody knows by which chance it was drawn, or the judge was in view.
    others = [entry | {"item": item["id"]} for entry, item in zip(entries, items[25:], strict=False)]
    import_source(store, "lea", source(others[:2], "unknown.jsonl"), ImportPlan("demo"))
    assisted = [entry | {"mode": "assisted"} for entry in others[2:]]
    import_source(store, "lea", source(assisted, "assisted.jsonl"), ImportPlan("demo", sampling="all"))
    dataset = dataset_named(store, "demo").id
    assert quota.quota(store, dataset, False) == Quota(100, 0.9, 0, 30, 0.0)
    policy.set_requirements(store, "lea", Requirements(imported=True), "They were drawn at random.")
    counted = quota.quota(store, dataset, False)
    assert counted == Quota(100, 0.9, 0, 30, 0.0, 25)
    assert counted.sentence(30, all_=True) == (
        "The policy requires 100 items answered blind, and this makes 30: too few by themselves. Import more items; "
        "figures can be had from these, with wide intervals. Imported labels of 25 items count here too."
    )
    store.close()
