"""Calls that are longer than a model takes: named with counts and the largest, before anything is sent."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from judges.cards import cards
from judges.client import prices
from judges.client.estimate import context_size, find_long_calls, safe_length
from judges.client.usage import tokens_sent
from judges.params import Params
from judges.protocols.call_plan import Task, build_request
from judges.types import Dialogue, Response

CARD = cards()["rubric_open_ended"]
PARAMS = Params(max_tokens=500)


def response(name: str, text: str) -> tuple[str, Response]:
    return name, Response(id=name, kind="response", task="t", output=text)


def test_counts_and_the_largest_are_told_and_nothing_where_all_fit() -> None:
    items = [response("short", "a b"), response("長い", "語" * 11000), response("long", "word " * 6000)]
    exact = {
        name: tokens_sent(build_request(CARD, PARAMS, Task(name, item), "", {}, "json_schema", ""), "json_schema") + 500
        for name, item in items
    }
    long_calls = find_long_calls(CARD, Params(max_tokens=500, samples=3), items, 8192)
    assert (long_calls.calls, long_calls.items) == (2, (("長い", exact["長い"]), ("long", exact["long"])))
    assert str(long_calls).startswith(
        "2 calls about 2 items are longer than the 8,192 tokens that a call and its reply may have here: "
        f"長い (about {exact['長い']:,}), long (about {exact['long']:,}). The endpoint refuses"
    )
    assert str(find_long_calls(CARD, PARAMS, items, max(exact.values()))) == ""
    assert find_long_calls(CARD, PARAMS, items, max(exact.values()) - 1).calls == 1


@settings(max_examples=30)
@given(st.text(max_size=3000), st.integers(3000, 9000))
def test_what_is_not_looked_at_fits(text: str, room: int) -> None:
    name, item = response("r", text)
    if len(item.model_dump_json()) <= safe_length(CARD, PARAMS, room):
        assert not find_long_calls(CARD, PARAMS, [(name, item)], room).calls


def test_the_limit_is_what_was_given_else_what_is_known_of_the_model() -> None:
    assert (
        prices.context_of_model("gpt-4") == 8192
        and prices.context_of_model("gpt-4o-2024-08-06") == prices.context_of_model("gpt-4o") > 0
    )
    known = context_size("gpt-4", Params(), 100), context_size("gpt-4", Params(context=50))
    assert (*known, context_size("nobody", Params())) == (
        100, 50, 0
    )  # fmt: skip
    assert all(model.context >= 8192 for model in prices.prices().models.values())


def test_windows_are_measured_each() -> None:
    turns = [
        {"turn": n, "role": role, "text": "word " * (4000 if n == 2 else 1)}
        for n in range(1, 12)
        for role in ("user", "assistant")
    ]
    item = Dialogue.model_validate({"id": "d", "kind": "dialogue", "turns": turns})
    long_calls = find_long_calls(cards()["multi_turn_dialogue"], PARAMS, [("d", item)], 8192)
    assert long_calls.calls == 1, "only the first of its two windows"
