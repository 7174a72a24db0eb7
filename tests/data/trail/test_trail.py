"""The trail tells every change once for each kind, narrowed as asked, and shows what it wrote."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from json import dumps
from pathlib import Path
from typing import Any

import pytest

from data.approvals import policy
from data.assignments import assignments
from data.assignments.assignments import AssignmentTerms, Selection
from data.desk import desk, labels
from data.gold import excluded_items
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import guidelines, people, settings, tokens
from data.records.datasets import dataset_named
from data.records.judge_prompts import PROMPTS
from data.records.names import KEPT_APPROVAL_PREFIX, MACHINE_ACTOR
from data.records.protocols import PROTOCOLS
from data.records.settings import GoldRule, QueueRules
from data.records.tables import ChargeRow
from data.records.tags import SCOPE as TAGS
from data.runs import runs
from data.store import Store, open_store
from data.store.ids import new_id, now
from data.trail import change_details, trail
from data.trail import trail_kinds as kinds
from data.trail.trail import KINDS, TrailFilter
from data.webhooks import webhooks
from data.workspace import backups
from tests import seeds
from tests.data.assignments.test_assignments import give, take, workspace
from tests.data.imports import source
from tests.data.queue.test_queue import answer
from tests.data.runs.test_runs import config, scripted_source


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
    reason = "too few <b>items</b>"
    decided = [(new_id(), demo, judge, "turn", "helpfulness", "decline", reason, "inconclusive", "{}", "p", "lea")]
    columns = "id, dataset_id, judge_id, sort, dimension, decision, reason, state, policy, print, person"
    opened.tx("lea", "approval", lambda tx: tx.add("approval", columns, decided))
    yield opened
    opened.close()


def test_every_change_is_told_and_the_newest_comes_first(store: Store) -> None:
    entries = trail.trail_entries(store, TrailFilter(KINDS), limit=1_000)
    assert [e.seq for e in entries] == sorted((e.seq for e in entries), reverse=True)
    assert {e.seq for e in entries} == {int(r[0]) for r in store.rows("select seq from change")}
    assert len({(e.seq, e.kind) for e in entries}) == len(entries)
    first = entries[0]
    assert (first.actor, first.kind, first.dataset) == ("lea", "decisions", "demo")
    assert first.description == "declined helpfulness (turn) of judge-one · multi_turn_dialogue: too few <b>items</b>"


def test_a_changed_rule_says_what_it_was(store: Store) -> None:
    descriptions = [e.description for e in trail.trail_entries(store, TrailFilter(("settings",)))]
    assert descriptions == [
        "changed how labels are combined: adjudicated where people differ by more than 1, labels combined by median, "
        "ratings that wait for adjudication counted",
        "changed the rules of the queues: people per item 3 (before: people per item 2)",
        "changed the rules of the queues: assisted share 20%, minutes an item stays reserved 30, people per item 2",
    ]


def test_a_reason_that_was_given_before_is_told_again(tmp_path: Path) -> None:
    store = open_store(f"duckdb:///{tmp_path / 'r.duckdb'}")
    people.join_workspace(store, "lea")
    for kappa in (0.6, 0.7):
        requirements = policy.requirements(store)
        new = replace(requirements, policy=replace(requirements.policy, threshold=kappa))
        policy.set_requirements(store, "lea", new, "Asked for.")
    descriptions = [entry.description for entry in trail.trail_entries(store, TrailFilter(("settings",)))]
    assert descriptions[0] == (
        "changed the policy: kappa required 0.7 (before: kappa required 0.6); confirmed the policy: Asked for."
    )
    assert len(descriptions) == 2 and descriptions[1].endswith(": Asked for.")
    store.close()


def test_it_is_narrowed_by_person_dataset_kind_and_time(store: Store) -> None:
    everything = trail.trail_entries(store, TrailFilter(KINDS), limit=1_000)
    anns = trail.trail_entries(store, TrailFilter(KINDS, person="ann"))
    assert [e.seq for e in anns] == [e.seq for e in everything if e.actor == "ann"] != []
    assert any(e.kind == "claims" and e.description == "reserved 3 items" for e in anns)
    assert not any(e.kind == "claims" for e in trail.trail_entries(store, TrailFilter()))
    demo = dataset_named(store, "demo").id
    about = trail.trail_entries(store, TrailFilter(KINDS, dataset=demo), limit=1_000)
    assert {e.dataset for e in about} == {"demo"} and len(about) > 5
    assert trail.trail_entries(store, TrailFilter(KINDS, since=now() + timedelta(days=1))) == []
    assert trail.trail_entries(store, TrailFilter(KINDS, until=now() - timedelta(days=1))) == []
    assert trail.trail_entries(store, TrailFilter(())) == []
    entries = trail.trail_entries(store, TrailFilter(words="花子 RESEARCHER"))
    assert [e.description for e in entries] == ["added 日本 花子 as researcher"]


def test_pages_go_on_where_the_one_before_ended_and_every_gives_all(store: Store) -> None:
    everything = trail.trail_entries(store, TrailFilter(KINDS), limit=1_000)
    by_page, before = [], None
    while page := trail.trail_entries(store, TrailFilter(KINDS), before, 2):
        by_page += page
        before = page[-1].seq
    assert by_page == everything == list(trail.all_entries(store, TrailFilter(KINDS)))


def test_what_a_run_stores_hides_no_older_change(tmp_path: Path) -> None:
    """A run writes what its calls cost with each change of its own, of which only its replies are told."""
    opened = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    people.join_workspace(opened, "lea")
    for number in range(12):
        cost = ChargeRow(new_id(), "run" if number else "", "call", 1, 10, 2, 0.5, False)
        opened.tx("lea", "judge", lambda tx, row=cost: tx.append([row]))  # type: ignore[misc]
    descriptions = ["tried 1 call outside of a run for $0.50", "joined as lead"]
    for narrow in (TrailFilter(), TrailFilter(words="lea")):
        assert [entry.description for entry in trail.trail_entries(opened, narrow, limit=10)] == descriptions
        assert [entry.description for entry in trail.all_entries(opened, narrow)] == descriptions
    opened.close()


def test_what_a_change_wrote_is_shown_from_its_tables(store: Store) -> None:
    (decision,) = trail.trail_entries(store, TrailFilter(("decisions",)))
    wrote = trail.appended_rows(store, "lea", decision.seq)
    assert list(wrote) == ["approval"] and wrote["approval"][0]["reason"] == "too few <b>items</b>"
    [(title, heads, [cells])] = change_details.describe_rows(store, wrote)
    row = dict(zip(heads, cells, strict=True))
    assert (title, row["Judge"], row["Dataset"]) == ("Decision", "judge-one · multi_turn_dialogue", "demo")
    claim = trail.trail_entries(store, TrailFilter(("claims",)))[0]
    [(_, heads, _)] = change_details.describe_rows(store, trail.appended_rows(store, "lea", claim.seq))
    assert "Item" in heads and not {"Id", "Draw id", "Seq"} & set(heads)


def test_the_evidence_of_a_decision_is_shown_without_its_order(store: Store) -> None:
    facts = [{"id": str(n), "name": name, "figure": 0.5, "told": ""} for n, name in enumerate(("cells", "order"))]
    [(_, heads, table_rows)] = change_details.describe_rows(store, {"approval_evidence": facts})
    assert len(heads) == 2 and table_rows == [["ratings compared", "0.5"]]
    other = [{"id": "1", "name": "order", "scope": "workspace", "value": "1"}]
    [(_, _, table_rows)] = change_details.describe_rows(store, {"setting": other})
    assert len(table_rows) == 1


def test_values_are_in_the_words_of_their_scales_and_what_was_seen_where_the_judge_was(store: Store) -> None:
    [(item,)] = store.rows("select id from item where kind = 'dialogue' order by name limit 1")
    cell = {"item_id": item, "unit": "turn:1", "dimension": "helpfulness", "value": None}
    rows = [{**cell, "saw": saw, "seen": None} for saw in (True, False)]
    [(_, heads, table_rows)] = change_details.describe_rows(store, {"label": rows})
    assert heads[3:] == ["Value", "Judge in view", "Judge value shown"]
    assert [row[3:] for row in table_rows] == [["n/a", "yes", "n/a"], ["n/a", "no", ""]]


def test_a_value_of_a_row_is_in_words_and_bounded() -> None:
    for value, words in (
        (None, ""), ("", ""), (datetime(2026, 1, 31, 12, 5, 9), "2026-01-31 12:05"), (1200, "1,200"), (True, "yes"),
        ('{"overlap": 2}', "people per item 2"), ("[1, 2]", "1, 2"), ('{"cut', '{"cut'), ("{}", "nothing"),
        ("a" * 600, "a" * 600), ("a" * 601, "a" * 600 + "…"),
    ):  # fmt: skip
        assert change_details._format_value(value) == words


def test_whatever_a_change_left_empty_is_empty_in_words(store: Store) -> None:
    seqs = [int(row[0]) for row in store.rows("select seq from change")]
    wrote = {seq: change_details.describe_rows(store, trail.appended_rows(store, "lea", seq)) for seq in seqs}
    cells = {cell for tables in wrote.values() for _, _, rows in tables for row in rows for cell in row}
    assert not cells & {"None", "nan", "NaT", "<NA>"}


def test_what_many_sorts_of_changes_wrote_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_WEBHOOK_PRIVATE", "1")
    path = tmp_path / "s.duckdb"
    seeds.dialogues(path, 6, audit=2)
    opened = open_store(f"duckdb:///{path}")
    demo, before = dataset_named(opened, "demo").id, opened.newest()
    ids = {str(n): str(i) for n, i in opened.rows("select name, id from item")}

    token, text = tokens.new_token(opened, "ann", "ci", ["read", "check"])
    tokens.find_token(opened, text)
    tokens.revoke_token(opened, "lea", token.id)
    hook, _ = webhooks.add_webhook(opened, "lea", "http://127.0.0.1/secret", ["run.ended"])
    for state in ("paused", "active"):
        webhooks.set_state(opened, "lea", hook.id, state)
    assign = assignments.assign
    assign(opened, "lea", demo, "audit", Selection(), AssignmentTerms(("ann",)))
    [assignment] = assignments.current_assignments(opened, demo)
    assignments.change_assignment(opened, "lea", assignment.id, True, 1, None, "")
    assignments.end_assignment(opened, "lea", assignment.id)
    assign(opened, "lea", demo, "review", Selection(number=4), AssignmentTerms(("ann", "lea")))
    items = queue.claim_items(opened, "ann", demo, "review", queue.QueueFilters(), [], 2)
    answer(opened, "ann", items[0], "skip")
    answer(opened, "ann", items[1])
    queue.release_claims(opened, "ann", demo)
    for n in (1, 2):
        excluded_items.exclude_items(opened, "lea", demo, [ids[f"d-000{n}"]], "tuned on it")
    excluded_items.readmit_items(opened, "lea", demo, [ids["d-0001"]], "not after all")
    for written in ("Be fair.", "Be very fair.", ""):
        guidelines.write_guidelines(opened, "lea", demo, written)
    run_config = config(opened)
    runs.wait(opened, runs.start(opened, "lea", run_config, source=scripted_source()))
    runs.close(opened)
    newest = opened.newest()
    backup = backups.make_backup(opened, "lea").name

    by_kind: dict[str, list[str]] = {}
    for entry in reversed(trail.trail_entries(opened, TrailFilter(KINDS), limit=1_000)):
        if entry.seq > before:
            by_kind.setdefault(entry.kind, []).append(f"{entry.actor} {entry.description}")
    one_of, two_of = (name for item in items for name, id_ in ids.items() if id_ == item.item)
    hers = "from the approval check, as used for tuning: tuned on it"
    stored = [
        re.fullmatch(r"lea stored (\d) repl(y|ies) of practice-constant", description)
        for description in by_kind.pop("replies")
    ]
    assert sum(int(match[1]) for match in stored if match) == 6 and all(stored), "in one change, or in several"
    assert by_kind == {
        "people": [
            "ann made the token ci of ann for check, read", "ann used the token ci of ann",
            "lea revoked the token ci of ann",
        ],
        "settings": [
            *(f"lea {done} a webhook to 127.0.0.1" for done in ("added", "paused", "activated")),
            *[f"lea excluded 1 item {hers}"] * 2, "lea let the approval check count 1 item again: not after all",
            "lea wrote the guidelines: version 1, 8 characters", "lea wrote the guidelines: version 2, 13 characters",
            "lea withdrew the guidelines: version 3, 0 characters",
        ],
        "queues": [
            "lea assigned 3 items to ann", "lea changed what is assigned to ann", "lea ended what was assigned to ann",
            "lea assigned 3 items to 2 people",
        ],
        "claims": ["ann reserved 2 items"],
        "labels": [f"ann skipped {one_of}", f"ann answered {two_of}"],
        "runs": [
            "lea started a run of practice-constant · multi_turn_dialogue over 6 items; run started",
            "lea run finished",
        ],
        "exports": [f"lea made the backup {backup}, revision {newest}"],
    }  # fmt: skip
    opened.close()


def test_each_sort_of_change_in_words() -> None:
    for description, words in (
        (kinds._items_or_name(1, "a"), "a"), (kinds._items_or_name(2, "a"), "2 items"),
        (kinds._describe_decision("approve", "tone", "turn", "m", "c", ""), "approved tone (turn) of m · c"),
        (kinds._describe_decision("suspend", "tone", "turn", "m", "c", "Why."), "suspended tone (turn) of m · c: Why."),
        (kinds._describe_adjudication(True, "tone", "turn:1", "d1"), "withdrew the decision on tone of turn:1 in d1"),
        (kinds._describe_adjudication(False, "tone", "turn:1", "d1"), "adjudicated tone of turn:1 in d1"),
        (kinds._describe_budget(None, None, 1.0), "gave a run no spending limit"),
        (kinds._describe_budget(5.0, 0.5, 1.5),
         "gave a run a spending limit of $5.00, at $0.5 in and $1.5 out per million tokens"),
        (kinds._describe_budget(5.0, 0.5, None), "gave a run a spending limit of $5.00"),
        (kinds._describe_test_calls(1, None, True), "tried 1 call outside of a run"),
        (kinds._describe_test_calls(2, 0.5, True), "tried 2 calls outside of a run for about $0.50"),
        (kinds._describe_test_calls(2, 0.5, False), "tried 2 calls outside of a run for $0.50"),
        (kinds._describe_tuning(True, 2, "Few-shot."),
         "excluded 2 items from the approval check, as used for tuning: Few-shot."),
        (kinds._describe_tuning(False, 1, ""), "let the approval check count 1 item again"),
        (kinds._describe_guidelines(2, 1200), "wrote the guidelines: version 2, 1,200 characters"),
        (kinds._describe_guidelines(3, 0), "withdrew the guidelines: version 3, 0 characters"),
        (kinds._set("person", "ann", '{"role": "lead", "active": true}', None),
         "proposed ann as lead, which a second lead has to agree to"),
        (kinds._set("person", "ann", '{"role": "lead", "active": false}', None),
         "proposed to deactivate ann, which a second lead has to agree to"),
        (kinds._set("person", "ann", '{"first": "lea"}', None), "agreed to the proposal of lea about ann"),
        (kinds._set("person", "ann", "{}", '{"by": "lea"}'), "ended the proposal of lea about ann"),
        (kinds._set("person", "ann", "{}", None), "ended the proposal of a lead about ann"),
        (kinds._set("d", f"{KEPT_APPROVAL_PREFIX}x", '{"dimension": "tone", "reason": "Fine."}', None),
         "reviewed tone, and kept it approved: Fine."),
        (kinds._set("workspace", "policy proposed", "{}", None), "ended the proposal of a less strict policy"),
        (kinds._set("workspace", "policy proposed", dumps(
            {"policy": {"threshold": 0.4}, "four_eyes": False, "reason": "So.", "person": "lea"}), None),
         "proposed a less strict policy, which a second lead has to agree to: kappa required 0.4, one lead is enough: "
         "So."),
        (kinds._set("mapping", "x", "{}", None), "saved how the columns of a table are read"),
        (kinds._set(PROMPTS, "x", '{"file": "judges.jsonl"}', None), "kept the judges' prompts of judges.jsonl"),
        (kinds._set("d", PROMPTS, "{}", None), "noted which judges' prompts came with it"),
        (kinds._set(PROTOCOLS, "p", '{"a": 1}', None), "added the protocol p of MT-Bench"),
        (kinds._set(PROTOCOLS, "p", '{"a": 1}', '{"a": 2}'), "changed the protocol p of MT-Bench: a 1 (before: a 2)"),
        (kinds._set("d", "queue", "{}", '{"overlap": 2}'),
         "removed the rules of the queues (before: people per item 2)"),
        (kinds._set("d", "gold", "{}", None), "confirmed how labels are combined"),
        (kinds._set("d", "gold", "[]", "[1, 2]"), "removed how labels are combined (before: 1, 2)"),
        (kinds._set("d", "some_name", "3", "2"), "changed some name: 3 (before: 2)"),
        (kinds._set("d", "queue", *(dumps({"overlap": n, "assisted_share": 0.25, "reason": f"{n}."}) for n in (2, 3))),
         "changed the rules of the queues: people per item 2 (before: people per item 3): 2."),
        (kinds._set("workspace", "policy", *(dumps({"policy": {"lower_bound": yes}}) for yes in (True, False))),
         "changed the policy: lower bound required (before: no lower bound required)"),
        (kinds._set("cards", "c", "3", None), "changed the current version of the card c: 3"),
        (kinds._set("endpoints", "http://x", '{"a": null}', None),
         "changed how the endpoint http://x is called: a none"),
        (kinds._set(TAGS, "ann", '{"tags": ["ja"], "share": 0.5}', None),
         "changed tags and share of ann: tags ja, share 0.5"),
        (kinds._set("d", "sparing:turn.tone", "true", None),
         "changed the rule for verdicts that need no person (turn, tone): yes"),
        (kinds._person("ann", "annotator", True, "ann", "join", None, None), "joined as annotator"),
        (kinds._person("ann", "annotator", False, "lea", "person", True, "lead"), "deactivated ann"),
        (kinds._person("ann", "annotator", False, "lea", "import", None, None),
         "added ann, known from imported labels only"),
        (kinds._person("ann", "lead", True, "lea", "person", True, "annotator"),
         "changed the role of ann from annotator to lead"),
        (kinds._person("ann", "lead", True, MACHINE_ACTOR, "person", True, "annotator"),
         "changed the role of ann from annotator to lead on the command line of this machine"),
        (kinds._person("ann", "lead", True, MACHINE_ACTOR, "person", None, None),
         "added ann as lead on the command line of this machine"),
        (kinds._person("ann", "annotator", True, "lea", "person", False, "annotator"), "reactivated ann as annotator"),
        (kinds._person("ann", "annotator", True, "ann", "person", None, None), "added ann as annotator"),
        (kinds._describe_invitation("a@b.c", "", "lead", "", "open"), "invited a@b.c as lead"),
        (kinds._describe_invitation("", "s1", "lead", "ann", "accepted"), "took in s1 as ann"),
        (kinds._describe_invitation("a@b.c", "s", "lead", "", "withdrawn"), "withdrew the invitation of a@b.c as lead"),
        (kinds._known_as("ann", "a@b.c", "https://i"), "knows ann by a@b.c, an account of https://i"),
        (kinds._known_as("ann", "", "https://i"), "knows ann by an account of https://i"),
        (kinds._signed_out("ann", "x", "lea"), "signed out"),
        (kinds._signed_out("ann", "", "ann"), "signed out everywhere"),
        (kinds._signed_out("ann", "", "lea"), "signed ann out everywhere"),
        (kinds._describe_import("f.jsonl", 1, 2, 0, 3, 1),
         "imported 1 item, 2 judgments, 3 adjudications, how labels are combined from f.jsonl"),
        (kinds._describe_import("f.jsonl", 0, 0, 0, 0, 0), "imported nothing new from f.jsonl"),
        (kinds._describe_export("backup", '{"file": "b"}', 7), "made the backup b, revision 7"),
        (kinds._describe_export("backup failed", '{"file": "b", "why": "Full."}', 0),
         "failed to make the backup b: Full."),
        (kinds._describe_export("preference_pairs", "{}", 1), "exported preference pairs: 1 row"),
        (kinds._describe_draw("audit", 1), "drew 1 item into the audit sample"),
        (kinds._describe_draw("review", 2), "added 2 items to the review queue"),
        (kinds._describe_assignment(1, "ann", 1, 0, 5), "ended what was assigned to ann"),
        (kinds._describe_assignment(2, "ann", 0, 1, 0), "changed what is assigned to 2 people"),
        (kinds._describe_assignment(1, "ann", 0, 0, 5), "assigned 5 items to ann"),
        (kinds._describe_assignment(1200, "ann", 0, 0, 1), "assigned 1 item to 1,200 people"),
        (kinds._describe_answer(1, 1, "d1", True, True), "skipped d1"),
        (kinds._describe_answer(1, 2, "d1", False, True), "changed the answer to 2 items"),
        (kinds._describe_answer(1, 1, "d1", False, False), "answered d1"),
        (kinds._describe_claim(1, True, True, "ann", True), "saw people's labels of 1 item to adjudicate"),
        (kinds._describe_claim(2, True, False, "ann", True), "reserved 2 items"),
        (kinds._describe_claim(2, False, False, "ann", True), "returned 2 items"),
        (kinds._describe_claim(2, False, False, "ann", False), "returned 2 items of ann"),
        (kinds._describe_exposure(1, 1, "d1", "desk", True, 1, "ann", True),
         "was shown judge scores of d1 (review desk)"),
        (kinds._describe_exposure(1, 2, "d1", "api", False, 1, "ann", True),
         "was shown labels of others of 2 items (api)"),
        (kinds._describe_exposure(1, 1, "d1", "desk", True, 1, "ann", False),
         "recorded that ann was shown judge scores of d1 (review desk)"),
        (kinds._describe_exposure(1200, 2, "d1", "a copy of it", False, 1200, "ann", False),
         "recorded that 1,200 people were shown labels of others of 2 items (a copy of it)"),
        (kinds._describe_run("c", "m", 1200), "started a run of m · c over 1,200 items"),
        (kinds._told_from_now_on("active", None, "https://h/x"), "added a webhook to h"),
        (kinds._told_from_now_on("active", "paused", "https://h/x"), "activated a webhook to h"),
        (kinds._told_from_now_on("removed", "active", "https://h/x"), "removed a webhook to h"),
        (kinds.describe_value({}, ""), "nothing"), (kinds.describe_value([], ""), "none"),
        (kinds.describe_value(None, ""), "none"), (kinds.describe_value(True, ""), "yes"),
        (kinds.describe_value(False, ""), "no"), (kinds.describe_value(0.25, "assisted_share"), "25%"),
        (kinds.describe_value(True, "assisted_share"), "yes"), (kinds.describe_value(1200, ""), "1,200"),
        (kinds.describe_value(0.5, ""), "0.5"), (kinds.describe_value("x", ""), "x"),
        (kinds.describe_value({'reason': 'r', 'a_b': [1, 2]}, ""), "reason: r, a b 1, 2"),
        (kinds.describe_value({'a': True, 'b': {'c': 1}, 'policy': {'d': 2}, 'four_eyes': 3}, ""),
         "a yes, b c 1, d 2, four eyes 3"),
    ):  # fmt: skip
        assert description == words


def test_reservations_that_a_reassignment_ends_are_those_of_who_had_them(tmp_path: Path) -> None:
    store, dataset = workspace(tmp_path / "a.duckdb")
    give(store, dataset, people=("ann",))
    take(store, "ann", dataset, 2)
    assignments.reassign(store, "rex", dataset, "ann", ["ben"], 0)
    newest, before = trail.trail_entries(store, TrailFilter(("claims",)))
    assert f"{newest.actor} {newest.description}" == "rex returned 2 items of ann"
    assert f"{before.actor} {before.description}" == "ann reserved 2 items"
    store.close()


def test_work_that_one_person_takes_over_from_two_assignments_is_assigned_to_one(tmp_path: Path) -> None:
    """It was assigned to "2 people", and so was what an undo ended."""
    store, dataset = workspace(tmp_path / "a.duckdb")
    for language in ("ja", "en"):
        give(store, dataset, Selection("language", language), people=("ann",))
    assignments.reassign(store, "rex", dataset, "ann", ["ben"], 0)
    assignments.undo(store, "rex", dataset, store.newest())
    assert [entry.description for entry in trail.trail_entries(store, TrailFilter(("queues",)))[:4]] == [
        "ended what was assigned to ben", "assigned 8 items to ben", *["assigned 4 items to ann"] * 2,
    ]  # fmt: skip
    store.close()


def test_each_answer_of_a_change_is_called_what_it_is_and_who_was_shown_something_is_not_who_imported(
    tmp_path: Path,
) -> None:
    items = [seeds.dialogue(n) for n in range(1, 4)]
    lines = [*items, *(seeds.judgment(item, seeds.reply(item)) for item in items)]
    store = seeds.workspace(tmp_path / "a.duckdb", lines, names=("lea", "ann"))
    ids = [str(item) for (item,) in store.rows("select id from item order by name")]
    for item in ids:
        desk.open_item(store, "ann", item)
    import_source(store, "lea", source(lines, "again.jsonl"), ImportPlan("copies"))

    def desk_answer(item: str, action: str = "save", version: str = "") -> dict[str, Any]:
        values = [{"unit": "turn:1", "dimension": "helpfulness", "v": 3.0 + bool(version)}] * (action == "save")
        return {"key": new_id(), "person": "ann", "action": action, "item": item, "version": version, "values": values}

    first = desk_answer(ids[0])
    others = desk_answer(ids[0], version=first["key"]), desk_answer(ids[1]), desk_answer(ids[2], "skip")
    for answers in ([first], others):
        assert not labels.save_answers(store, "ann", answers)[1]
    entries = trail.trail_entries(store, TrailFilter(("labels", "exposures")))
    assert [f"{entry.actor} {entry.description}" for entry in entries[:3]] == [
        "ann answered d-0002; changed the answer to d-0001; skipped d-0003", "ann answered d-0001",
        "lea recorded that ann was shown judge scores of 3 items (a copy of it)",
    ]  # fmt: skip
    store.close()


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
