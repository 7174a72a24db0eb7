"""The signals of a dataset that call for a person's eyes, from every source of doubt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.queue import review_signals
from data.queue.queue import QueueFilters, claim_items, fill_review
from data.queue.review_signals import find_needs
from data.records import people
from data.records.rows import judgment_rows
from data.store import Store, open_store
from judges.cards import card
from judges.params import Params
from judges.protocols.call_plan import Task
from judges.reading.confidence import with_token_confidence
from judges.reading.reading import read_reply
from judges.types import Dialogue, Dimension, Pair, Reading, Scale
from tests.data.cells import Cell, fill
from tests.judges.replies import dialogue, fuse_replies, pair, turns_reply


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"duckdb:///{tmp_path / 'assay.duckdb'}")
    yield opened
    opened.close()


def _put(store: Store, judge: str, item: str, reading: Reading, key: str = "j", sample: int = 0) -> None:
    """A judgment with its scores and remarks, as a run stores it."""
    row, scores, remarks = judgment_rows(key, judge, item, "", sample, "{}", reading)

    def work(tx: Any) -> None:
        tx.append([row])
        tx.append(scores)
        tx.append(remarks)

    store.tx("test", "put", work)


def _judge(store: Store, name: str, model: str, params: dict[str, Any]) -> str:
    def work(tx: Any) -> None:
        row = (name, "multi_turn_dialogue", "1", model, json.dumps(params), False)
        tx.add("judge", "id, card, card_version, model, params, synthetic", [row])

    store.tx("test", "judge", work)
    return name


def _empty(store: Store, kind: str = "dialogue") -> tuple[str, str, str]:
    """A dataset with one item that nothing is known of: (dataset, judge, item)."""
    name = "multi_turn_dialogue" if kind == "dialogue" else "long_form_pairwise"
    dataset, judge = fill(store, [Cell(0, "pair" if kind == "pair" else "turn:1", (), "unscored", dimension="x")],
                          kind=kind, card=name)  # fmt: skip
    ((item,),) = store.rows("select id from item where dataset_id = $1", [dataset])
    return dataset, judge, item


def _texts(store: Store, dataset: str, judge: str) -> list[tuple[str, str]]:
    return [(r.kind, r.text) for need in find_needs(store, dataset, judge) for r in need.reasons]


def test_a_verdict_that_changes_with_the_order(store: Store) -> None:
    dataset, judge, item = _empty(store, "pair")
    task = Task("k", pair())
    assert isinstance(task.item, Pair)
    judgment = fuse_replies(
        card("plain_pairwise"), Params(orders="both"), task, ['{"verdict": "a"}', '{"verdict": "a"}']
    )
    _put(store, judge, item, judgment.reading)
    assert _texts(store, dataset, judge) == [("low confidence", "verdict changed with the order")]


def test_windows_that_differ_and_rules_that_are_broken(store: Store) -> None:
    dataset, judge, item = _empty(store)
    raws = [
        turns_reply(dict.fromkeys(turns, (4, 4, 5)), (coherence, "n/a", "n/a"), verdict, None, summary)
        for turns, coherence, verdict, summary in (
            ((1, 2, 3, 4), 4, "excellent", "S"),
            ((5, 6, 7, 8), 5, "poor", "S"),
            ((9, 10, 11), 5, "excellent", None),
        )
    ]
    judgment = fuse_replies(card("multi_turn_dialogue"), Params(window=4), Task("k", dialogue(11)), raws)
    _put(store, judge, item, judgment.reading)
    # The verdict has low confidence by the windows (.1) and breaks a rule; the rule is not said twice.
    assert _texts(store, dataset, judge) == [
        ("broken rule", "verdict breaks its rule"),
        ("low confidence", "verdict: low self-consistency (windows differ)"),
        ("low confidence", "coherence: medium self-consistency (windows differ)"),
    ]


def test_a_broken_rule_is_said_once(store: Store) -> None:
    dataset, judge, item = _empty(store)
    raw = turns_reply({1: (4, 4, 5), 2: (4, 4, 2)}, verdict="excellent")
    _put(store, judge, item, fuse_replies(card("multi_turn_dialogue"), Params(), Task("k", dialogue(2)), [raw]).reading)
    ((confidence, source),) = store.rows("select confidence, source from score where dimension = 'verdict'")
    assert (confidence, source) == (0.3, "broken rule")
    assert _texts(store, dataset, judge) == [("broken rule", "verdict breaks its rule")]


def test_tokens_that_waver(store: Store) -> None:
    dataset, judge, item = _empty(store)
    item_, raw = dialogue(1), turns_reply({1: (3, 4, 5)}, verdict="excellent")
    assert isinstance(item_, Dialogue)
    at = raw.index(": 3") + 2
    tokens = [(raw[:at], ()), ("3", (("3", -0.5), ("4", -1.0))), (raw[at + 1 :], ())]
    dialogue_card = card("multi_turn_dialogue")
    _put(
        store, judge, item,
        with_token_confidence(dialogue_card, item_, "", raw, tokens, read_reply(dialogue_card, raw, item_)),
    )  # fmt: skip
    # e^-.5 = .607 against e^-1 = .368
    assert _texts(store, dataset, judge)[-1] == (
        "low confidence",
        "turn 1 context use: medium token confidence (between 3 and 4)",
    )


def test_samples_differ(store: Store) -> None:
    dataset, judge, item = _empty(store)
    dialogue_card, task = card("multi_turn_dialogue"), Task("k", dialogue(1))
    for sample, value in enumerate((4, 5)):
        raw = turns_reply({1: (4, value, 5)}, verdict="excellent")
        _put(store, judge, item, fuse_replies(dialogue_card, Params(), task, [raw]).reading, f"j{sample}", sample)
    sentence = "turn 1 helpfulness: medium self-consistency (samples differ)"
    assert _texts(store, dataset, judge) == [("low confidence", sentence)]


def test_another_judge_says_otherwise_but_a_probe_is_no_witness(store: Store) -> None:
    dataset, judge = fill(store, [Cell(0, "turn:1", (), 5.0)])
    ((item,),) = store.rows("select id from item where dataset_id = $1", [dataset])
    raw = turns_reply({1: (4, 1, 5)}, verdict="poor")
    reading = fuse_replies(card("multi_turn_dialogue"), Params(), Task("k", dialogue(1)), [raw]).reading
    _put(store, _judge(store, "probe", "m", Params(probe="injected_order").identity("dialogue")), item, reading, "p")
    assert [kind for kind, _ in _texts(store, dataset, judge)] == ["no confidence"]
    _put(store, _judge(store, "second", "judge-b", Params().identity("dialogue")), item, reading, "s")
    assert ("judges disagree", "turn 1 helpfulness: judge-b disagrees") in _texts(store, dataset, judge)


def test_an_aggregate_says_nothing_more_than_what_it_is_made_of(store: Store) -> None:
    drifts, aggregates = ("mid_content_drift", "format_collapse"), ("aggregate", 5.0)
    scores = [("no_such", 1.0), (drifts[0], 1.0), aggregates, (drifts[1], 1.0), ("none_either", 1.0)]
    cells = [Cell(0, "response/a", (), value, dimension=dimension) for dimension, value in scores]
    dataset, judge = fill(store, cells, kind="pair", card="long_form_pairwise")
    ((item,),) = store.rows("select id from item where dataset_id = $1", [dataset])
    other = _judge(store, "second", "judge-b", {})
    rows = [("", other, item, "response/a", dimension, float(value > 1), None, "", 0) for dimension, value in scores]
    names = "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample"
    store.tx("test", "scores", lambda tx: tx.add("score", names, rows))
    assert sorted(_texts(store, dataset, judge)) == [
        ("judges disagree", "response A format collapse: judge-b disagrees"),
        ("judges disagree", "response A mid content drift: judge-b disagrees"),
        ("no confidence", "the judge's confidence is not known"),
    ]


def test_judges_disagree_from_two_steps_on_and_a_third_of_a_long_scale(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, tenths = Scale("ordered", categories=("poor", "fair", "good")), Scale("interval", 0, 1, step=0.1)
    for n, (scale, value, other, strength) in enumerate([
        (Scale("ordinal", 1, 5), 3.0, 4.0, None),
        (Scale("ordinal", 1, 5), 5.0, 3.0, 0.6 * 2 / 4),
        (Scale("ordinal", 1, 10), 2.0, 4.0, None),  # of nine steps a third
        (Scale("ordinal", 1, 10), 2.0, 5.0, 0.6 * 3 / 9),
        (tenths, 0.75, 0.25, 0.6 * 5 / 10),
        (tenths, 0.75, 0.5, None),
        (words, 0.0, 2.0, 0.6),
        (words, 0.0, 1.0, None),
        (Scale("unordered", categories=("x", "y", "z")), 0.0, 1.0, 0.6),
        (Scale("flag"), 0.0, 1.0, 0.6),
        (Scale("turn"), 1.0, 3.0, None),
    ]):  # fmt: skip
        dataset, judge = fill(store, [Cell(0, "turn:1", (), value, dimension="wit")], f"d{n}")
        ((item,),) = store.rows("select id from item where dataset_id = $1", [dataset])
        row = ("", _judge(store, f"second{n}", "judge-b", {}), item, "turn:1", "wit", other, None, "", 0)
        names = "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample"
        store.tx("test", "scores", lambda tx, row=row, names=names: tx.add("score", names, [row]))  # type: ignore[misc]
        known = {("dialogue", "turn", "wit"): Dimension("wit", "turn", scale, "How witty is it?")}
        monkeypatch.setattr(review_signals, "answerable_dimensions", lambda _, known=known: known)
        reasons = [r for need in find_needs(store, dataset, judge) for r in need.reasons if r.kind == "judges disagree"]
        assert [(reason.text, reason.unit, reason.dimension, reason.strength) for reason in reasons] == [
            ("turn 1 wit: judge-b disagrees", "turn:1", "wit", pytest.approx(strength))
        ] * (strength is not None), (scale, value, other)  # fmt: skip


def test_what_was_asked_again_with_better_luck_is_no_longer_missing(store: Store) -> None:
    dataset, judge, item = _empty(store)
    _put(store, judge, item, Reading(unscored="unreadable", why="the reply is empty"), "j1")
    assert _texts(store, dataset, judge)[0][0] == "unscored"
    raw = turns_reply({1: (4, 5, 5)}, verdict="excellent")
    reading = fuse_replies(card("multi_turn_dialogue"), Params(), Task("k", dialogue(1)), [raw]).reading
    _put(store, judge, item, reading, "j2")
    assert [kind for kind, _ in _texts(store, dataset, judge)] == ["no confidence"]


def test_words_beyond_a_limit_send_nobody_to_review_and_a_broken_rule_does(store: Store) -> None:
    dataset, judge, item = _empty(store)
    reply = json.loads(turns_reply({1: (4, 4, 5)}, verdict="excellent")) | {"decision_basis": "word " * 41}
    reading = read_reply(card("multi_turn_dialogue"), reply, dialogue(1))
    assert [r.sort for r in reading.remarks] == ["note", "rule"]
    _put(store, judge, item, reading)
    before = find_needs(store, dataset, judge)
    assert not [r for need in before for r in need.reasons if r.kind == "broken rule"]
    _put(store, judge, item, read_reply(card("multi_turn_dialogue"), reply | {"verdict": "poor"}, dialogue(1)), key="k")
    [need] = find_needs(store, dataset, judge)
    assert "broken rule" in {r.kind for r in need.reasons}


def test_the_rating_that_a_reason_is_about_is_kept_with_the_draw(store: Store) -> None:
    dataset, judge, _ = _empty(store)
    raw = turns_reply({1: (4, 4, 5), 2: (4, 4, 2)}, verdict="excellent")
    ((item,),) = store.rows("select id from item where dataset_id = $1", [dataset])
    _put(store, judge, item, fuse_replies(card("multi_turn_dialogue"), Params(), Task("k", dialogue(2)), [raw]).reading)
    people.join_workspace(store, "lea")
    fill_review(store, "lea", dataset, judge)
    [claim] = claim_items(store, "lea", dataset, "review", QueueFilters(), [], 1)
    (reason,) = claim.reasons
    assert (reason.kind, reason.unit, reason.dimension) == ("broken rule", "conversation", "verdict")
