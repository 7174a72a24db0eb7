"""The trail tells every change once for each kind, narrowed as asked, and shows what it wrote."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from data.queue import queue
from data.records import people, settings
from data.records.datasets import dataset_named
from data.records.settings import GoldRule, QueueRules
from data.store import Store, open_store
from data.store.ids import new_id, now
from data.trail import change_details, trail
from data.trail.trail import KINDS, TrailFilter
from tests import seeds


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path: Path = tmp_path_factory.mktemp("trail") / "s.duckdb"
    seeds.dialogues(path, 6, audit=2)
    opened = open_store(f"duckdb:///{path}")
    demo = dataset_named(opened, "demo").id
    settings.set_queue_rules(opened, "lea", demo, QueueRules(overlap=2))
    settings.set_queue_rules(opened, "lea", demo, QueueRules(overlap=3))
    settings.set_gold_rule(opened, "lea", demo, GoldRule(apart=1))
    people.set_person(opened, "lea", "日本 花子", "researcher")
    queue.claim_items(opened, "ann", demo, "review", queue.QueueFilters(), [], 3)
    judge = opened.rows("select id from judge limit 1")[0][0]
    told = "too few <b>items</b>"
    decided = [(new_id(), demo, judge, "turn", "helpfulness", "decline", told, "inconclusive", "{}", "p", "lea")]
    columns = "id, dataset_id, judge_id, sort, dimension, decision, reason, state, policy, print, person"
    opened.tx("lea", "approval", lambda tx: tx.add("approval", columns, decided))
    yield opened
    opened.close()


def test_every_change_is_told_and_the_newest_comes_first(store: Store) -> None:
    found = trail.trail_entries(store, TrailFilter(KINDS), most=1_000)
    assert [e.seq for e in found] == sorted((e.seq for e in found), reverse=True)
    assert {e.seq for e in found} == {int(r[0]) for r in store.rows("select seq from change")}
    assert len({(e.seq, e.kind) for e in found}) == len(found)
    first = found[0]
    assert (first.actor, first.kind, first.dataset) == ("lea", "decisions", "demo")
    assert first.what == "declined helpfulness (turn) of judge-one · multi_turn_dialogue: too few <b>items</b>"


def test_a_changed_rule_says_what_it_was(store: Store) -> None:
    told = [e.what for e in trail.trail_entries(store, TrailFilter(("settings",)))]
    assert told == [
        "changed how labels are combined: adjudicated where people differ by more than 1, labels combined by median, "
        "ratings that wait for adjudication counted",
        "changed the rules of the queues: people per item 3 (before: people per item 2)",
        "changed the rules of the queues: assisted share 20%, minutes an item stays reserved 30, people per item 2",
    ]


def test_it_is_narrowed_by_person_dataset_kind_and_time(store: Store) -> None:
    everything = trail.trail_entries(store, TrailFilter(KINDS), most=1_000)
    anns = trail.trail_entries(store, TrailFilter(KINDS, person="ann"))
    assert [e.seq for e in anns] == [e.seq for e in everything if e.actor == "ann"] != []
    assert any(e.kind == "claims" and e.what == "reserved 3 items" for e in anns)
    assert not any(e.kind == "claims" for e in trail.trail_entries(store, TrailFilter()))
    demo = dataset_named(store, "demo").id
    about = trail.trail_entries(store, TrailFilter(KINDS, dataset=demo), most=1_000)
    assert {e.dataset for e in about} == {"demo"} and len(about) > 5
    assert trail.trail_entries(store, TrailFilter(KINDS, since=now() + timedelta(days=1))) == []
    assert trail.trail_entries(store, TrailFilter(KINDS, until=now() - timedelta(days=1))) == []
    assert trail.trail_entries(store, TrailFilter(())) == []
    found = trail.trail_entries(store, TrailFilter(words="花子 RESEARCHER"))
    assert [e.what for e in found] == ["added 日本 花子 as researcher"]


def test_pages_go_on_where_the_one_before_ended_and_every_gives_all(store: Store) -> None:
    everything = trail.trail_entries(store, TrailFilter(KINDS), most=1_000)
    by_page, before = [], None
    while found := trail.trail_entries(store, TrailFilter(KINDS), before, 2):
        by_page += found
        before = found[-1].seq
    assert by_page == everything == list(trail.all_entries(store, TrailFilter(KINDS)))


def test_what_a_change_wrote_is_shown_from_its_tables(store: Store) -> None:
    (decision,) = trail.trail_entries(store, TrailFilter(("decisions",)))
    wrote = trail.appended_rows(store, "lea", decision.seq)
    assert list(wrote) == ["approval"] and wrote["approval"][0]["reason"] == "too few <b>items</b>"
    [(title, heads, [told])] = change_details.describe_rows(store, wrote)
    row = dict(zip(heads, told, strict=True))
    assert (title, row["Judge"], row["Dataset"]) == ("Decision", "judge-one · multi_turn_dialogue", "demo")
    claim = trail.trail_entries(store, TrailFilter(("claims",)))[0]
    [(_, heads, _)] = change_details.describe_rows(store, trail.appended_rows(store, "lea", claim.seq))
    assert "Item" in heads and not {"Id", "Draw id", "Seq"} & set(heads)


def test_the_evidence_of_a_decision_is_shown_without_its_order(store: Store) -> None:
    facts = [{"id": str(n), "name": name, "figure": 0.5, "told": ""} for n, name in enumerate(("kappa", "order"))]
    [(_, heads, told)] = change_details.describe_rows(store, {"approval_evidence": facts})
    assert len(heads) == 2 and told == [["kappa", "0.5"]]
    other = [{"id": "1", "name": "order", "scope": "workspace", "value": "1"}]
    [(_, _, told)] = change_details.describe_rows(store, {"setting": other})
    assert len(told) == 1


def test_whatever_a_change_left_empty_is_empty_in_words(store: Store) -> None:
    seen = [int(row[0]) for row in store.rows("select seq from change")]
    wrote = {seq: change_details.describe_rows(store, trail.appended_rows(store, "lea", seq)) for seq in seen}
    cells = {cell for tables in wrote.values() for _, _, rows in tables for row in rows for cell in row}
    assert not cells & {"None", "nan", "NaT", "<NA>"}


def test_every_table_that_names_its_change_is_told_of_or_part_of_one_that_is(store: Store) -> None:
    tables = {
        str(r[0]) for r in store.rows(
            "select c.table_name from information_schema.columns c join information_schema.tables t "
            "on t.table_name = c.table_name where c.column_name = 'seq' and t.table_type = 'BASE TABLE'"
        )
    }  # fmt: skip
    parts = {
        "change", "dataset", "item", "judge", "judgment", "score", "remark",  # an import's, or a run's
        "label", "comment", "repair",  # an answer's
        "approval_evidence", "batch_event", "spending_hold", "run_lease",
        "api_request",  # what it did is told of where it was done
        "webhook", "webhook_secret", "webhook_event", "webhook_try",  # shown to leads
        "reveal",  # what it held is in exposure, too
        "design", "stratum",  # of a draw
        "assignment_item",  # of an assignment
        "combine_rule", "combination",  # of a judge, and of its scores
    }  # fmt: skip
    assert tables - parts == {trace.table for trace in trail.TRACES}
