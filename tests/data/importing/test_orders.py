"""A judge's two replies of a pair, one line for each order: one judgment of both, whatever way they come in."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from data.calibration.both_orders import load_positional_agreement
from data.exporting import exporting
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import datasets
from data.store import Store
from judges.cards import card
from judges.params import Params
from judges.protocols.call_plan import CallReply, Task, fuse, params_of_stored, reread
from judges.sections import with_sections
from judges.stats import both_orders
from judges.types import ITEM
from tests.data.imports import bring, counts, pair, source, verdict, workspace, wrong

_SCORES = "select judgment_id, unit, dimension, value, confidence, source, sample from score order by 1, 2, 3"


@pytest.fixture
def store(tmp_path: Any) -> Iterator[Store]:
    store = workspace(tmp_path)
    yield store
    store.close()


def half(item: str, order: str, value: str, **more: Any) -> dict[str, Any]:
    """A reply of plain_pairwise to one order; `value` is what the judge saw."""
    return verdict(item, value, **{"order": order, **more})


def judgments(store: Store) -> list[tuple[Any, ...]]:
    """(item, orders of the judge, sample, verdict, confidence, source, unscored) of every judgment."""
    rows = store.rows(
        "select i.name, j.params, m.sample, s.value, s.confidence, s.source, m.unscored from judgment m "
        "join judge j on j.id = m.judge_id join item i on i.id = m.item_id "
        "left join score s on s.judgment_id = m.id and s.unit = 'pair' order by 1, 2, 3"
    )
    return [(name, json.loads(params).get("orders"), *rest) for name, params, *rest in rows]


ROWS = [
    pair("p1"), pair("p2"), pair("p3"),
    half("p1", "ab", "a"), half("p1", "ba", "b"),  # A both times
    half("p2", "ba", "a"), half("p2", "ab", "a"),  # the first place both times
    half("p3", "ab", "tie"), half("p3", "ba", "a"),  # a tie, then what is called A and is B
]  # fmt: skip
BOTH = [
    ("p1", "both", 0, 0.0, 0.9, "orders", ""),
    ("p2", "both", 0, 1.0, 0.3, "orders", ""),
    ("p3", "both", 0, 1.0, 0.3, "orders", ""),
]


@pytest.mark.parametrize("seed", range(4))
def test_two_lines_are_one_judgment_wherever_they_stand(store: Store, seed: int) -> None:
    rows = ROWS.copy()
    random.Random(seed).shuffle(rows)
    result = bring(store, rows)
    assert (result.preview.new.judgments, result.preview.warnings) == (3, []) and judgments(store) == BOTH
    again = bring(store, rows[::-1])
    assert again.preview.new.judgments == 0 and judgments(store) == BOTH


def test_what_is_joined_is_what_a_run_of_ours_would_have_kept(store: Store) -> None:
    bring(store, ROWS)
    raw = store.rows("select raw from judgment m join item i on i.id = m.item_id where i.name = 'p2'")[0][0]
    item = with_sections(ITEM.validate_json(json.dumps(pair("p2")), strict=True))
    task = Task("p2", item)
    answers = {f"order:{o}": CallReply("p2", "", 0, f"order:{o}", '{"verdict":"a"}') for o in ("ab", "ba")}
    own = fuse(card("plain_pairwise"), Params(orders="both"), task, answers)
    assert (raw, own.reading.facts["orders"]) == (own.raw, {"ab": "a", "ba": "b"})
    notes = store.rows("select text from remark where text like '%changed with the order%' order by 1")
    assert [n for (n,) in notes] == [r.text for r in own.reading.remarks] + [
        "Verdict changed with the order: tie when asked as A/B, B when asked as B/A. It counts as a tie."
    ]


def test_one_order_alone_stands_by_itself_and_is_joined_when_the_other_comes(store: Store) -> None:
    first = bring(store, [pair("p1"), pair("p2"), half("p1", "ab", "a"), half("p2", "ba", "a")])
    # As B/A what the judge calls A is the item's B.
    assert judgments(store) == [("p1", "ab", 0, 0.0, None, "", ""), ("p2", "ba", 0, 2.0, None, "", "")]
    assert "2 judgments came in one order only (1 as A/B, 1 as B/A)" in first.preview.warnings[0]
    assert "the other order is not known" in store.rows("select text from remark order by text")[0][0]
    second = bring(store, [half("p1", "ba", "a"), half("p2", "ab", "b")])
    preview = second.preview
    assert preview.new.judgments == 2 and "2 judgments in one order joined the other order" in preview.warnings[0]
    assert [row for row in judgments(store) if row[1] == "both"] == [
        ("p1", "both", 0, 1.0, 0.3, "orders", ""), ("p2", "both", 0, 2.0, 0.9, "orders", ""),
    ]  # fmt: skip
    before = judgments(store)
    for rows in ([half("p1", "ba", "a"), half("p2", "ab", "b")], [half("p1", "ab", "a"), half("p2", "ba", "a")]):
        done = bring(store, rows)
        assert (done.preview.new.judgments, done.preview.known.judgments) == (0, 2)
    assert judgments(store) == before and len(before) == 4


@pytest.mark.parametrize("stored_orders", [["ab"], ["ab", "ba"]])
def test_another_reply_in_an_order_that_is_there_joins_nothing(store: Store, stored_orders: list[str]) -> None:
    bring(store, [pair("p1"), *(half("p1", order, "a") for order in stored_orders)])
    before = judgments(store)
    done = bring(store, [half("p1", "ab", "b")])
    assert done.preview.new.judgments == 1 and "1 judgment came in one order only" in done.preview.warnings[0]
    assert [row for row in judgments(store) if row not in before] == [
        ("p1", "ab", int(stored_orders == ["ab"]), 2.0, None, "", "")
    ]


def test_judges_are_not_mixed_and_samples_keep_to_themselves(store: Store) -> None:
    rows = [pair("p1"), half("p1", "ab", "a"), half("p1", "ba", "b", model="other")]
    rows += [half("p1", "ab", "a", model="s", sample=n) for n in (0, 1)]
    rows += [half("p1", "ba", "ba"[n], model="s", sample=n) for n in (1, 0)]
    bring(store, rows)
    assert sorted(judgments(store), key=str) == [
        ("p1", "ab", 0, 0.0, None, "", ""),
        ("p1", "ba", 0, 0.0, None, "", ""),
        ("p1", "both", 0, 0.0, 0.9, "orders", ""),
        ("p1", "both", 1, 1.0, 0.3, "orders", ""),
    ]


def test_an_order_that_failed_or_cannot_be_read_leaves_no_half_of_a_comparison(store: Store) -> None:
    rows = [pair("p1"), pair("p2"), half("p1", "ab", "a"), half("p2", "ab", "a")]
    rows += [half("p1", "ba", "c"), {**half("p2", "ba", "a"), "reply": None, "raw": "", "unscored": "api_error"}]
    bring(store, rows)
    assert [row[-1] for row in judgments(store)] == ["unreadable", "api_error"] or (
        judgments(store)[0][-1] == "out_of_range"
    )
    whys = [why for (why,) in store.rows("select why from judgment order by why")]
    assert all(why.startswith("order B/A: ") for why in whys)


@pytest.mark.parametrize("foreign", [{}, {"temperature": 0, "prompt": "v2", "context": 50}, {"orders": "both"}])
def test_parameters_of_elsewhere_and_prose_are_read_in_both_orders(store: Store, foreign: dict[str, Any]) -> None:
    long = "word " * 400
    rows = [pair("p1", long, long)]
    for order in ("ab", "ba"):
        rows.append({"item": "p1", "card": "mt_bench_pair", "model": "m", "params": foreign, "order": order,
                     "raw": "Not [[A]] but [[B]]"})  # fmt: skip
    bring(store, rows)
    # Of files the first letter of FastChat's order counts: [[A]] both times, which is the first place.
    assert judgments(store) == [("p1", "both", 0, 1.0, 0.3, "orders", "")]


def test_scores_without_a_reply_have_an_order_too(store: Store) -> None:
    def score_line(item: str, order: str, value: str, *flags: str) -> dict[str, Any]:
        cells = [("pair", "verdict", value)] if value else []
        cells += [(f"response/{flag}", "format_collapse", "yes") for flag in flags]
        scores = [{"unit": u, "dimension": d, "value": v} for u, d, v in cells]
        return {"item": item, "card": "long_form_pairwise", "model": "m", "order": order, "scores": scores}

    done = bring(store, [pair("p1"), score_line("p1", "ba", "a", "a"), score_line("p1", "ab", "b", "a")])
    rows = store.rows("select unit, dimension, value from score order by 1, 2")
    # B wins in both; a flag that only one order has stays.
    assert rows == [
        ("pair", "verdict", 2.0), ("response/a", "format_collapse", 1.0), ("response/b", "format_collapse", 1.0)
    ]  # fmt: skip
    # A verdict in one order alone, and none in either, are no pair that was compared.
    more = [
        score_line("p2", "ab", "a", "a"), score_line("p2", "ba", "", "a"), score_line("p3", "ab", "", "a"),
        score_line("p3", "ba", "", "a"),
    ]  # fmt: skip
    bring(store, [pair("p2"), pair("p3"), *more])
    [(judge,)] = store.rows("select distinct judge_id from judgment")
    compared = load_positional_agreement(store, done.dataset_id, judge)
    assert compared is not None and compared.answers == ("a", "tie", "b")
    assert compared.table.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (half("p1", "AB", "a"), "'ab' or 'ba'"),
        ({"item": "r1", "card": "rubric_open_ended", "model": "m", "order": "ab", "raw": "{}"}, "only a judgment of a"),
        (half("p1", "ab", "a", part="pair"), "part"),
        ({**half("p1", "ba", "a"), "reply": None, "raw": '{"pieces":[]}'}, "leave out order"),
        ({**half("p1", "ba", "a"), "reply": None, "scores": [{"unit": "turn:1", "dimension": "x", "value": 1}]},
         "no unit 'turn:1'"),
        (half("nowhere", "ab", "a"), "'nowhere' is missing"),
    ],
)  # fmt: skip
def test_what_cannot_be_an_order_is_refused_with_its_line(store: Store, line: dict[str, Any], says: str) -> None:
    response = {"id": "r1", "kind": "response", "task": "t", "output": "o"}
    problems = wrong(store, [pair("p1"), response, line, half("p1", "ab", "a")])
    assert [number for number, _, _ in problems] == [3] and says in problems[0][2]


def test_the_export_of_replies_comes_back_as_the_same(store: Store, tmp_path: Any) -> None:
    bring(store, [*ROWS, pair("p4"), half("p4", "ba", "a"), half("p4", "ab", "a", model="other")])
    lines: list[bytes] = []
    for kind in ("items", "judgments"):
        file = tmp_path / f"{kind}.jsonl"
        exporting.write_export(
            store, "lea", datasets.dataset_named(store, "d"), exporting.export_kind(kind), {}, "jsonl", file
        )
        lines += file.read_bytes().splitlines()
    (tmp_path / "two").mkdir()
    other = workspace(tmp_path / "two")
    import_source(other, "lea", source(lines), ImportPlan("d"))
    assert judgments(other) == judgments(store) and len(judgments(other)) == 5
    for same in (_SCORES, "select id, judge_id, raw from judgment order by id"):
        assert other.rows(same) == store.rows(same)
    other.close()


def test_the_figure_of_the_calibration_page_is_that_of_the_facts(store: Store) -> None:
    draw = random.Random(3)
    rows: list[Any] = [pair(f"p{n}") for n in range(60)]
    for n in range(60):
        rows += [half(f"p{n}", order, draw.choice(("a", "b", "tie")), sample=s) for order in ("ab", "ba")
                 for s in range(1 + n % 2)]  # fmt: skip
    # Not counted: one order only, one that cannot be read, one without a verdict. A note may begin like ours.
    rows += [pair(n) for n in ("q1", "q2", "q3", "q4")]
    rows += [half("q1", "ab", "a"), half("q2", "ab", "a"), half("q2", "ba", "neither")]
    judge = {"card": "plain_pairwise", "model": "m", "params": {}}
    rows += [{**judge, "item": "q3", "order": o, "scores": [{"unit": "pair", "dimension": "verdict", "value": v}]}
             for o, v in (("ab", "a"), ("ba", None))]  # fmt: skip
    note = {"reason": "Verdict changed with the order: I think so."}
    rows += [half("q4", order, value, reply={"verdict": value, **note}) for order, value in (("ab", "a"), ("ba", "b"))]
    draw.shuffle(rows)
    bring(store, rows)
    dataset = datasets.dataset_named(store, "d").id
    judge_id = next(j for j, n in store.rows("select judge_id, count(*) from judgment group by 1") if n > 10)
    agreement = load_positional_agreement(store, dataset, judge_id)
    verdicts = []
    replies = store.rows("select item_id, sample, raw from judgment where judge_id = $1", [judge_id])
    for item, sample, raw in replies:
        content = store.rows("select content from item where id = $1", [item])[0][0]
        task = Task(item, ITEM.validate_json(content, strict=True), "", sample)
        reading = reread(card("plain_pairwise"), params_of_stored({"orders": "both"}), task, raw).reading
        verdicts.append((item, reading.facts.get("orders")))
    by_hand = both_orders.positional_agreement(both_orders.verdicts_in_both_orders(verdicts), ("a", "tie", "b"))
    assert agreement is not None and both_orders.as_json(agreement)["table"] == both_orders.as_json(by_hand)["table"]
    for actual, expected in ((agreement.same, by_hand.same), (agreement.first, by_hand.first)):
        assert (actual.point, actual.low) == (pytest.approx(expected.point), pytest.approx(expected.low))
    assert (agreement.same.items, agreement.same.cells) == (61, 91)


def test_a_pairs_input_may_be_a_conversation(store: Store, tmp_path: Any) -> None:
    turns = [{"turn": 1, "role": "user", "text": "Hi, 猫?"}, {"turn": 1, "role": "assistant", "text": "Yes."},
             {"turn": 2, "role": "user", "text": "Go on."}]  # fmt: skip
    before = counts(store)["item"]
    bring(store, [pair("p1", input=turns), pair("p2")])
    bring(store, [pair("p1", input=turns), pair("p2")])
    assert counts(store)["item"] == before + 2
    hashes = dict(store.rows("select name, hash from item"))
    # The hash of a pair with a text is what it was before there were conversations.
    assert hashes["p2"] == "0036bfe9917c94bf82c2"
    content = json.loads(store.rows("select content from item where name = 'p1'")[0][0])
    assert content["input"] == turns
    item = ITEM.validate_json(json.dumps(content), strict=True)
    for name, field in (("plain_pairwise", "input"), ("long_form_pairwise", "long_input"), ("mt_bench_pair", "input")):
        assert card(name).fields(item, "")[field] == turns
    file = tmp_path / "items.jsonl"
    exporting.write_export(
        store, "lea", datasets.dataset_named(store, "d"), exporting.export_kind("items"), {}, "jsonl", file
    )
    (tmp_path / "two").mkdir()
    other = workspace(tmp_path / "two")
    import_source(other, "lea", source(file.read_bytes().splitlines()), ImportPlan("d"))
    assert dict(other.rows("select name, hash from item")) == hashes
    other.close()


@pytest.mark.parametrize(
    ("conversation", "says"),
    [
        (5, "input: must be a valid string"), ([], "input: must have at least 1 item"),
        ([{"turn": 1, "role": "bot", "text": "x"}], "input.0.role: must be 'user'"),
        ([{"turn": n, "role": "user", "text": "x"} for n in (2, 1)], "turns must be in order"),
    ],
)  # fmt: skip
def test_a_conversation_that_is_none_is_refused_in_a_sentence(store: Store, conversation: Any, says: str) -> None:
    ((line, _, sentence),) = wrong(store, [pair("p1", input=conversation)])
    assert line == 1 and says in sentence
