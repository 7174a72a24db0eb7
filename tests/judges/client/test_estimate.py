"""Prices, and what a run is estimated to take, by hand on a card of one score."""

import json
from dataclasses import replace

import pytest

from judges.cards import cards
from judges.client.estimate import estimate
from judges.client.prices import PRICES, price, prices
from judges.errors import AssayError
from judges.mtbench.generation import answer_card, open_dialogue
from judges.mtbench.protocol import protocols
from judges.mtbench.records import BenchQuestion
from judges.params import Params
from judges.protocols import call_plan
from judges.tokens import tokens
from judges.types import Dialogue, Turn
from tests.judges.run_cases import CARD, items


def test_price_of_a_dated_name_is_that_of_the_undated_one_unless_it_has_its_own():
    assert price("gpt-4o-2024-08-06") == price("gpt-4o") == (2.5, 10.0)
    assert price("gpt-4o-2024-05-13") == (5.0, 15.0)
    assert price("gpt-4o", batch=True) == (1.25, 5.0)


def test_unknown_is_unknown_and_practice_is_free():
    assert price("gpt-4o-nonsense") is None
    assert price("practice-heuristic") == (0.0, 0.0)


def test_our_list_says_when_it_was_made_and_that_prices_change():
    assert prices().as_of and "check" in prices().note


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not a price list"),
        ('{"as_of": "x", "models": {"m": {"in": -1, "out": 1}}}', "models.m.in"),
        ('{"as_of": "x", "models": {"m": {"input": 1, "out": 1}}}', "models.m"),
    ],
)
def test_a_damaged_list_is_a_sentence(tmp_path, text, says):
    file = tmp_path / "prices.json"
    file.write_text(text)
    with pytest.raises(AssayError, match=says):
        price("m", file=file)
    with pytest.raises(AssayError, match="can be read"):
        price("m", file=tmp_path / "none.json")
    assert PRICES.exists()


def test_counts_by_hand():
    params = Params(samples=2)
    ((key, item),) = items(1)
    task = next(call_plan.tasks(CARD, params, [(key, item)]))
    ask = call_plan.build_request(CARD, params, task, "", {}, "json_schema")
    call_tokens = sum(tokens(m["content"]) + 4 for m in ask.messages) + tokens(json.dumps(ask.schema))
    totals = estimate(CARD, "gpt-4o", params, [(key, item)], price=(2.0, 8.0))
    assert (totals.items, totals.judgments, totals.calls, totals.counted) == (1, 2, 2, 1)
    assert totals.tokens_in == pytest.approx(2 * call_tokens, abs=2)  # the nonce of a fence differs from call to call
    assert totals.tokens_out == 2 * (2 + (tokens("score") + 3 + 2))  # an object of one key with one number of a list
    assert totals.cost == pytest.approx((totals.tokens_in * 2 + totals.tokens_out * 8) / 1e6)
    assert totals.max_cost == pytest.approx((totals.tokens_in * 2 + 2 * 2048 * 8) / 1e6)


def test_many_items_are_sampled_and_the_sample_is_stated():
    whole = estimate(CARD, "m", Params(), items(1000), counted=1000)
    drawn = estimate(CARD, "m", Params(), items(1000), counted=50)
    assert (drawn.items, drawn.judgments, drawn.counted) == (1000, 1000, 50)
    assert drawn.tokens_in == pytest.approx(whole.tokens_in, rel=0.02)
    assert any("50 of 1,000 items, drawn at random" in note for note in drawn.notes)
    assert drawn.cost is None and any("not known" in note for note in drawn.notes)


def test_judgments_left_and_a_sample_that_stands_for_more():
    assert estimate(CARD, "m", Params(), items(10), judgments=3).calls == 3
    totals = estimate(CARD, "m", Params(), items(10), of=500)
    assert (totals.items, totals.calls) == (500, 500)


def test_nothing_to_ask_takes_nothing():
    totals = estimate(CARD, "m", Params(), [], price=(1.0, 1.0))
    assert (totals.judgments, totals.calls, totals.tokens_in, totals.cost) == (0, 0, 0, 0.0)


def test_an_answer_is_400_tokens_and_so_is_what_the_next_turn_has_before_it():
    card, key = answer_card(protocols()["fastchat"]), "81"
    item = open_dialogue(BenchQuestion(key, "writing", ("Write it.", "Shorten it.")))
    totals = estimate(card, "m", Params(max_tokens=1_000), [(key, item)])
    assert (totals.judgments, totals.calls, totals.tokens_out) == (1, 2, 800)
    # A message costs 4 tokens more than its text, of which three characters are a token: 3, 400 and 3.
    assert totals.tokens_in == (3 + 4) + (3 + 4) + (400 + 4) + (3 + 4)


def test_windows_are_calls_of_their_own():
    card = cards()["multi_turn_dialogue"]
    turns = [Turn(turn=n, role=role, text="words") for n in range(1, 12) for role in ("user", "assistant")]
    item = Dialogue(id="d", kind="dialogue", turns=turns)
    totals = estimate(replace(card, prompts=card.prompts or {"": "Judge."}), "m", Params(), [("d", item)])
    assert (totals.judgments, totals.calls) == (1, 2)  # 11 turns by 5 are 6 and 5
