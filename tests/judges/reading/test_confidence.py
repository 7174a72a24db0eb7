"""How sure a score is by its tokens and its rules, and where in a reply each score stands."""

from __future__ import annotations

import json
from dataclasses import replace
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from judges.card import Card, Item
from judges.cards import card
from judges.params import Params
from judges.protocols.call_plan import CallReply, Task, fuse, reread
from judges.reading.confidence import Logprobs, combine_confidence, lower_broken, with_token_confidence
from judges.reading.reading import read_reply
from judges.reading.spans import json_values, score_spans
from judges.types import Reading, Remark, Response, Score
from tests.judges.replies import dialogue, pair, pair_reply, turns_reply
from tests.judges.run_cases import CARD as MERIT

TURNS, PAIR, OPEN, MT = (
    card(n) for n in ("multi_turn_dialogue", "long_form_pairwise", "rubric_open_ended", "mt_bench")
)
ITEM = Response(id="r", kind="response", task="Say hello.", output="Hello.")
RAW = '{"scores": {"factuality": 4, "instruction_following": 5, "coherence": 3, "completeness": 2}, '
RAW += '"verdict": "good", "decision_basis": "4 of 5.", "issues": []}'


def tokens(raw: str, *spans: tuple[str, int, dict[str, float]]) -> Logprobs:
    """The tokens of a reply: one for each (token, where it begins, probabilities), and what is between them."""
    out: list[tuple[str, tuple[tuple[str, float], ...]]] = []
    at = 0
    for token, start, shares in spans:
        assert raw[start : start + len(token)] == token, (token, raw[start:])
        if start > at:
            out.append((raw[at:start], ()))
        out.append((token, tuple((text, log(p)) for text, p in shares.items())))
        at = start + len(token)
    return (*out, (raw[at:], ()))


def weigh(card: Card, item: Item, raw: str, logprobs: Logprobs, part: str = "") -> Reading:
    return with_token_confidence(card, item, part, raw, logprobs, read_reply(card, raw, item, part, "last"))


def _score(reading: Reading, dimension: str) -> Score:
    return next(s for s in reading.scores if s.dimension == dimension)


# -- tokens -----------------------------------------------------------------------------------------------------------


class _AnyReply(BaseModel):
    """A reply as a card of a folder may have it: keys that it does not ask for are passed over."""

    score: int


def test_a_reply_that_nests_too_deeply_beside_its_scores_is_as_sure_as_it_says() -> None:
    raw = f'{{"score": 4, "more": {"[" * 60}{"]" * 60}}}'
    reading = weigh(replace(MERIT, reply=_AnyReply), ITEM, raw, tokens(raw, ("4", 10, {"4": 0.6, "3": 0.4})))
    assert [(s.value, s.confidence) for s in reading.scores] == [(4.0, None)]


@pytest.mark.parametrize(
    ("token", "shares"),
    [
        ("4", {"4": 0.6, "3": 0.3, "5": 0.1}),
        (" 4", {" 4": 0.6, " 3": 0.3, " 5": 0.1}),
        ("4,", {"4,": 0.6, "3,": 0.3, "5,": 0.1}),
        (" 4", {" 4": 0.5, "4": 0.1, " 3": 0.3, '"5"': 0.1}),  # spellings of one answer add up
        ("4", {"4": 0.6, "3": 0.3}),  # a tenth is not told: it may be an answer, too
        ("4", {"4": 0.48, "3": 0.24, "5": 0.08, "9": 0.1, "good": 0.1}),  # what is no answer is left out
    ],
)
def test_a_score_is_as_sure_as_its_token(token: str, shares: dict[str, float]) -> None:
    reading = weigh(OPEN, ITEM, RAW, tokens(RAW, (token, RAW.index(token, RAW.index('y":')), shares)))
    score = _score(reading, "factuality")
    assert (score.value, score.confidence) == (4, pytest.approx(0.6))
    assert score.source == "log-probabilities: 3 or 4"
    # .6 * 4 + .3 * 3 + .1 * 5 = 3.8; without what is not told 3.3 / .9
    expected = 3.8 if len(shares) > 2 else 3.6667
    assert reading.facts["expected"] == {("response", "factuality"): pytest.approx(expected)}
    assert _score(reading, "coherence").confidence is None


def test_a_sure_token_wavers_between_nothing() -> None:
    at = RAW.index("4")
    reading = weigh(OPEN, ITEM, RAW, tokens(RAW, ("4", at, {"4": 0.9, "5": 0.1})))
    assert _score(reading, "factuality").source == "log-probabilities"


def test_every_score_is_found_at_its_own_place() -> None:
    spans = [
        ("4", RAW.index("4"), {"4": 0.9, "5": 0.1}),
        ("5", RAW.index("5"), {"5": 0.8, "4": 0.2}),
        ("3", RAW.index("3"), {"3": 0.7, "4": 0.3}),
        ("2", RAW.index("2"), {"2": 0.5, "3": 0.5}),
        ("good", RAW.index("good"), {"good": 0.6, "ex": 0.3, "bo": 0.1}),
    ]
    reading = weigh(OPEN, ITEM, RAW, tokens(RAW, *spans))
    assert [s.confidence for s in reading.scores] == [pytest.approx(p) for p in (0.9, 0.8, 0.7, 0.5, 0.6)]
    # verdict: good is 2, excellent 3, borderline 1: .6 * 2 + .3 * 3 + .1 * 1 = 2.2
    assert reading.facts["expected"][("response", "verdict")] == pytest.approx(2.2)
    assert _score(reading, "verdict").source == "log-probabilities: good or excellent"


def test_not_applicable_is_an_answer_without_a_number() -> None:
    raw = turns_reply({1: (4, 4, 5), 2: (4, 4, 5)}, (4, 4, "n/a"), "excellent")
    at = raw.index("n/a")
    reading = weigh(TURNS, dialogue(2), raw, tokens(raw, ("n", at, {"n": 0.6, "5": 0.3, "N": 0.1})))
    assert (_score(reading, "repair_handling").value, _score(reading, "repair_handling").confidence) == (
        None,
        pytest.approx(0.7),
    )
    # The expected value is over the numbers alone
    assert reading.facts["expected"] == {("conversation", "repair_handling"): pytest.approx(5)}
    assert _score(reading, "repair_handling").source == "log-probabilities: 5 or n/a"


def test_turns_and_sides_are_told_apart() -> None:
    raw = turns_reply({1: (4, 4, 5), 2: (3, 4, 5)})
    logprobs = tokens(raw, ("3", raw.index(": 3") + 2, {"3": 0.5, "4": 0.5}))
    reading = weigh(TURNS, dialogue(2), raw, logprobs)
    assert [(s.unit, s.dimension) for s in reading.scores if s.confidence is not None] == [("turn:2", "context_use")]
    both = pair()
    raw = pair_reply(both, (4, 4, 4), (2, 3, 3))
    reading = weigh(PAIR, both, raw, tokens(raw, ("2", raw.index(": 2") + 2, {"2": 0.7, "1": 0.3})))
    assert [(s.unit, s.dimension, s.confidence) for s in reading.scores if s.confidence is not None] == [
        ("section:1/b", "groundedness", pytest.approx(0.7))
    ]


def test_ten_is_not_one() -> None:
    raw = "It is fine. [[10]]"
    two = tokens(raw, ("1", 14, {"1": 0.8, "9": 0.2}), ("0", 15, {"0": 0.75, "]]": 0.25}))
    # 10: .8 * .75 = .6; 1: .8 * .25 = .2; 9: .2
    reading = weigh(MT, dialogue(1), raw, two, "turn:1")
    assert (reading.scores[0].value, reading.scores[0].confidence) == (10, pytest.approx(0.6))
    assert reading.facts["expected"] == {("turn:1", "rating"): pytest.approx(10 * 0.6 + 1 * 0.2 + 9 * 0.2)}
    single = tokens(raw, ("10", 14, {"10": 0.6, "1": 0.2, "9": 0.2}))
    assert weigh(MT, dialogue(1), raw, single, "turn:1").scores[0].confidence == pytest.approx(0.6)


def test_of_several_ratings_in_prose_the_last_counts() -> None:
    raw = "It says [[9]], but no. [[3]]"
    logprobs = tokens(raw, ("9", 10, {"9": 1.0}), ("3", raw.index("3"), {"3": 0.7, "2": 0.3}))
    assert weigh(MT, dialogue(1), raw, logprobs, "turn:1").scores[0].confidence == pytest.approx(0.7)


def test_letters_in_prose_are_sides() -> None:
    raw = "[[A]]"
    reading = weigh(card("mt_bench_pair"), pair(), raw, tokens(raw, ("A", 2, {"A": 0.5, "B": 0.3, "C": 0.2})))
    assert (reading.scores[0].confidence, reading.scores[0].source) == (pytest.approx(0.5), "log-probabilities: a or b")
    assert "expected" not in reading.facts


@pytest.mark.parametrize(
    "logprobs",
    [
        (),
        (("something else", (("4", -0.1),)),),
        ((RAW, (("4", -0.1),)),),  # one token for all: no answer begins there
        ((RAW[:16], ()), (RAW[16:], (("5", -0.1),))),
    ],
)
def test_tokens_that_tell_nothing_leave_the_reading_alone(logprobs: Logprobs) -> None:
    plain = read_reply(OPEN, RAW, ITEM)
    assert with_token_confidence(OPEN, ITEM, "", RAW, logprobs, plain) == plain


_PIECES = st.lists(st.sampled_from(['{"scores": ', "4", " 4", '"n/a"', "\ud800", "}", "é", ""]), max_size=6)


@given(_PIECES, st.lists(st.tuples(st.text(max_size=3), st.floats(-30, 1)), max_size=4))
def test_no_tokens_raise(parts: list[str], among: list[tuple[str, float]]) -> None:
    raw = "".join(parts)
    plain = read_reply(OPEN, RAW, ITEM)
    with_token_confidence(OPEN, ITEM, "", raw, [(p, among) for p in parts], plain)
    with_token_confidence(OPEN, ITEM, "", RAW, [(c, among) for c in RAW], plain)


def test_a_window_or_an_order_has_its_own_tokens() -> None:
    params, task = Params(orders="both"), Task("k", pair())
    plain = card("plain_pairwise")
    raw = '{"verdict": "a"}'
    logprobs = tokens(raw, ("a", 13, {"a": 0.7, "b": 0.3}))
    replies = {
        "order:ab": CallReply("k", "", 0, "order:ab", raw, logprobs=logprobs),
        "order:ba": CallReply("k", "", 0, "order:ba", '{"verdict": "b"}'),
    }
    judgment = fuse(plain, params, task, replies)
    assert judgment.reading.scores == (Score("pair", "verdict", 0.0, 0.7, "log-probabilities: a or b"),)
    assert reread(plain, params, task, judgment.raw).reading.scores[0].confidence == 0.9


# -- where scores stand -----------------------------------------------------------------------------------------------

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda deeper: st.lists(deeper, max_size=4) | st.dictionaries(st.text(max_size=4), deeper, max_size=4),
    max_leaves=20,
)


@given(_JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_every_value_of_a_json_text_is_found_where_it_stands(
    value: object, indent: int | str | None, plain: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=plain)

    def leaves(node: object, path: tuple[str | int, ...]) -> list[tuple[tuple[str | int, ...], object]]:
        if isinstance(node, dict):
            return [leaf for k, v in node.items() for leaf in leaves(v, (*path, k))]
        if isinstance(node, list):
            return [leaf for n, v in enumerate(node) for leaf in leaves(v, (*path, n))]
        return [(path, node)]

    spans = list(json_values(text))
    assert [(path, scalar) for path, _, _, scalar in spans] == leaves(value, ())
    for _, start, end, scalar in spans:
        assert json.loads(f'"{text[start:end]}"' if isinstance(scalar, str) else text[start:end]) == scalar


def test_places_in_a_reply_with_prose_and_fence() -> None:
    raw = f"Here it is:\n```json\n{RAW}\n```\nDone."
    places = {p.dimension: (raw[p.start : p.end], p.value) for p in score_spans(OPEN, ITEM, "", raw)}
    assert places == {
        "factuality": ("4", 4),
        "instruction_following": ("5", 5),
        "coherence": ("3", 3),
        "completeness": ("2", 2),
        "verdict": ("good", 2),
    }


def test_every_score_of_a_reply_has_its_place() -> None:
    item = dialogue(3)
    raw = turns_reply({1: (1, 2, 3), 2: (4, 5, 1), 3: (2, 3, 4)}, (5, "n/a", 1), "poor", 2)
    reading = read_reply(TURNS, raw, item)
    assert {(p.unit, p.dimension, p.value) for p in score_spans(TURNS, item, "", raw)} == {
        (s.unit, s.dimension, s.value) for s in reading.scores
    }
    both = pair()
    raw = pair_reply(both, (1, 2, 3), (4, 5, 1), "b", ((), ()), (2.5, 3.5))
    whole = {(s.unit, s.dimension, s.value) for s in read_reply(PAIR, raw, both).scores if s.value is not None}
    flags = {d.name for d in PAIR.dimensions if d.scale.kind == "flag"} | {"aggregate"}
    assert {(p.unit, p.dimension, p.value) for p in score_spans(PAIR, both, "", raw)} == {
        c for c in whole if c[1] not in flags
    }


# -- what holds -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "holds"),
    [
        ([], (None, "")),
        ([(None, "samples")], (None, "")),
        ([(0.9, "orders"), (0.7, "log-probabilities")], (0.7, "log-probabilities")),
        ([(0.3, "orders"), (0.99, "log-probabilities")], (0.3, "orders")),
        ([(0.3, "self-reported")], (0.3, "self-reported")),
        ([(0.3, "self-reported"), (0.9, "orders")], (0.9, "orders")),
        ([(0.3, "orders"), (0.3, "broken rule")], (0.3, "orders")),
    ],
)
def test_the_lowest_observation_holds_and_the_judges_own_word_last(
    known: list[tuple[float | None, str]], holds: tuple[float | None, str]
) -> None:
    assert combine_confidence(*known) == holds


def test_the_judges_own_word_is_kept_where_the_tokens_hold() -> None:
    plain = Reading((Score("response", "factuality", 4.0, 0.9, "self-reported"),))
    logprobs = tokens(RAW, ("4", RAW.index("4"), {"4": 0.6, "5": 0.4}))
    reading = with_token_confidence(OPEN, ITEM, "", RAW, logprobs, plain)
    assert reading.scores[0].confidence == pytest.approx(0.6)
    assert reading.facts["self-reported"] == {("response", "factuality"): 0.9}


def test_only_the_score_that_breaks_a_rule_is_a_guess() -> None:
    scores = (Score("pair", "verdict", 0.0, 0.9, "orders"), Score("pair", "other", 0.0))
    remarks = (
        Remark("pair", "verdict", "rule", "x"),
        Remark("pair", "", "rule", "y"),
        Remark("pair", "other", "note", "z"),
    )
    assert lower_broken(Reading(scores, remarks)).scores == (
        Score("pair", "verdict", 0.0, 0.3, "broken rule"),
        scores[1],
    )
