"""Both orders of a pair: swapped, turned back, and made one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.cards import card
from judges.params import Params
from judges.protocols import orders
from judges.protocols.call_plan import Task, build_request, pieces, reread
from judges.protocols.messages import read_fence
from judges.reading.reading import read_reply
from judges.types import Pair, Score
from tests.judges.replies import any_pair_reply, confidences, fuse_replies, pair, pair_reply, values

CARD, PLAIN, PROSE = card("long_form_pairwise"), card("plain_pairwise"), card("mt_bench_pair")
BOTH = Params(orders="both")
ITEM = pair()
SWAPPED = orders.swap(ITEM)
TASK = Task("k", ITEM)


def test_the_judge_sees_the_pair_with_its_places_swapped() -> None:
    assert pieces(CARD, BOTH, TASK) == ["order:ab", "order:ba"]
    assert pieces(CARD, Params(), TASK) == [""]
    ab, ba = (
        read_fence(build_request(CARD, BOTH, TASK, piece, {}, "text").messages[-1]["content"])
        for piece in ("order:ab", "order:ba")
    )
    assert ab is not None and ba is not None
    assert (ab[1]["response_a"], ab[1]["response_b"]) == (ba[1]["response_b"], ba[1]["response_a"])
    assert [s.label for s in SWAPPED.sections or []] == ["Costs", "Future", "Risks"]
    assert (SWAPPED.sections or [])[1].a is not None and (SWAPPED.sections or [])[1].b is None


@given(st.text(max_size=80), st.text(max_size=80), st.data())
def test_swapping_back_twice_is_the_identity(a: str, b: str, data: st.DataObject) -> None:
    item = pair(a, b)
    assert orders.swap(orders.swap(item)) == item
    reading = read_reply(CARD, data.draw(any_pair_reply(item)), item)
    assert orders.swap_back(CARD, orders.swap_back(CARD, reading)) == reading


def test_a_reply_to_the_swapped_pair_is_turned_back() -> None:
    reply = pair_reply(SWAPPED, (5, 5, 5), (2, 2, 2), "a", (["format_collapse"], []), (5.0, 2.0))
    turned = values(orders.swap_back(CARD, read_reply(CARD, reply, SWAPPED)))
    # What the judge called A is B here: it is better, and its format has collapsed.
    assert turned["pair", "verdict"] == 2
    assert turned["section:1/b", "quality"] == 5 and turned["section:1/a", "quality"] == 2
    assert turned["section:2/b", "quality"] == 5 and turned["section:3/a", "quality"] == 2
    assert turned["response/b", "format_collapse"] == 1 and turned["response/a", "format_collapse"] == 0
    assert turned["response/b", "aggregate"] == 5


def test_two_orders_fused_by_hand() -> None:
    ab = pair_reply(ITEM, (5, 4, 2), (3, 3, 3), "a", ((), ("lost_in_middle",)), (4.0, 3.0))
    # In the other order A stands second; the judge says tie there.
    ba = pair_reply(SWAPPED, (3, 3, 3), (4, 2, 1), "tie", ((), ()), (3.0, 3.0))
    judgment = fuse_replies(CARD, BOTH, TASK, [ab, ba])
    scores, sure = values(judgment.reading), confidences(judgment.reading)
    assert scores["pair", "verdict"] == 1  # a and tie are as inconsistent as a and b
    assert sure["pair", "verdict"] == (0.3, "orders")
    assert judgment.reading.facts["orders"] == {"ab": "a", "ba": "tie"}
    # 5 and 4: 4.5 goes toward the middle, 4; one step of four: .9 - 1.2/4
    assert scores["section:1/a", "groundedness"] == 4 and sure["section:1/a", "groundedness"] == (0.6, "orders")
    assert scores["section:1/a", "relevance"] == 3 and sure["section:1/a", "relevance"] == (0.3, "orders")
    # 2 and 1: 1.5 goes toward the middle, 2
    assert scores["section:1/a", "quality"] == 2
    assert scores["section:1/b", "quality"] == 3 and sure["section:1/b", "quality"] == (0.9, "orders")
    # A failure that one order saw is there, and unsure
    assert scores["response/b", "lost_in_middle"] == 1 and sure["response/b", "lost_in_middle"] == (0.45, "orders")
    assert scores["response/a", "aggregate"] == 3.5
    assert judgment.reading.unscored is None
    notes = [r.text for r in judgment.reading.remarks if r.dimension == "verdict" and r.sort == "note"]
    assert notes[1] == "Verdict changed with the order: A when asked as A/B, tie when asked as B/A. It counts as a tie."


def test_an_agreed_verdict_stands() -> None:
    judgment = fuse_replies(PLAIN, BOTH, TASK, ['{"verdict": "b", "reason": "x"}', '{"verdict": "a", "reason": "y"}'])
    assert judgment.reading.scores == (Score("pair", "verdict", 2.0, 0.9, "orders"),)
    assert [r.text for r in judgment.reading.remarks] == [
        "x",
        "With the places swapped (what is called A here is B): y",
    ]


def test_prose_is_turned_by_what_was_read() -> None:
    judgment = fuse_replies(PROSE, BOTH, TASK, ["B wins. [[B]]", "B wins. [[B]]"])
    assert judgment.reading.scores == (Score("pair", "verdict", 1.0, 0.3, "orders"),)
    assert judgment.reading.facts["orders"] == {"ab": "b", "ba": "a"}


@pytest.mark.parametrize("bad", [0, 1])
def test_half_of_a_comparison_is_none(bad: int) -> None:
    raws = ['{"verdict": "a"}', '{"verdict": "b"}']
    raws[bad] = "no idea"
    judgment = fuse_replies(PLAIN, BOTH, TASK, raws)
    assert judgment.reading.unscored == "unreadable" and not judgment.reading.scores
    assert judgment.reading.why.startswith(f"order {('A/B', 'B/A')[bad]}: ")


@settings(max_examples=25)
@given(st.data())
def test_what_was_fused_is_read_again_the_same(data: st.DataObject) -> None:
    raws = [data.draw(any_pair_reply(ITEM)), data.draw(any_pair_reply(SWAPPED))]
    judgment = fuse_replies(CARD, BOTH, TASK, raws)
    assert judgment.reading.unscored is None
    assert reread(CARD, BOTH, TASK, judgment.raw) == judgment
    assert {(s.unit, s.dimension) for s in judgment.reading.scores} == set(values(read_reply(CARD, raws[0], ITEM)))


@settings(max_examples=25)
@given(st.data())
def test_the_order_of_asking_does_not_matter(data: st.DataObject) -> None:
    # The item with A and B exchanged, asked in both orders, gets the same two replies the other way round: the fused
    # values are those of the item, exchanged.
    first, second = data.draw(any_pair_reply(ITEM)), data.draw(any_pair_reply(SWAPPED))
    expected = values(fuse_replies(CARD, BOTH, TASK, [first, second]).reading)
    mirrored: Pair = orders.swap(ITEM)
    other = fuse_replies(CARD, BOTH, Task("k", mirrored), [second, first]).reading
    assert values(orders.swap_back(CARD, other)) == expected
