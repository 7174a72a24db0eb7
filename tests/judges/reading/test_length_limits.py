"""Words, sentences and quotes of what judges write: what is over is marked, and no score is less sure for it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.cards import card
from judges.cards.pointwise_quality.card import card_with_dimensions
from judges.reading import length_limits
from judges.reading.confidence import lower_broken
from judges.reading.reading import read_reply
from judges.types import ITEM, Reading
from tests.judges.replies import pair, pair_reply, turns_reply


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0), ("one", 1), ("One, two - three!", 3), ("state-of-the-art", 1), ("don't stop", 2), ("a – b — c", 3),
        ("and/or", 2), ("... !? —", 0), ("3.5 of 10", 3), ("日本語", 1.5), ("これは良い。", 2.5), ("GPT は良い", 2.5),
        ("안녕하세요 세계", 2), ("中文 and English", 3), ("naïve café", 2),
    ],
)  # fmt: skip
def test_words(text: str, count: float) -> None:
    assert length_limits.count_words(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0), ("One.", 1), ("One. Two.", 2), ("One two", 1), ("It is 3.5 of 5.", 1), ("See e.g. The Hague.", 1),
        ("A wins! B loses? Yes.", 3), ("良い。だが短い。", 2), ("He (J. Smith) is right.", 1), ('"Good." He left.', 2),
        ("A is better... Still, B is short.", 2),
    ],
)  # fmt: skip
def test_sentences(text: str, count: int) -> None:
    assert length_limits.count_sentences(text) == count


@given(st.text(max_size=300), st.text(max_size=100))
def test_any_text_is_counted(text: str, source: str) -> None:
    assert 0 <= length_limits.count_words(text) <= len(text)
    assert 0 <= length_limits.count_sentences(text) <= len(text)
    for mark in (
        *length_limits.mark_many_words("response", "x", text, 1),
        *length_limits.mark_quotes("response", "x", text, source),
    ):
        assert mark.text.endswith(length_limits.MARK) and (mark.sort, mark.dimension) == ("rule", "")
    assert bool(length_limits.mark_many_words("response", "x", text, 20)) == (length_limits.count_words(text) > 20), (
        "the short way round is right"
    )


OPEN: Any = ITEM.validate_python({"id": "r", "kind": "response", "task": "", "output": "The bridge is Blue, they say."})
TALK: Any = ITEM.validate_python(
    {"id": "d", "kind": "dialogue", "turns": [{"turn": 1, "role": r, "text": "x"} for r in ("user", "assistant")]}
)


def rubric(basis: str) -> Reading:
    four = dict.fromkeys(("factuality", "instruction_following", "coherence", "completeness"), 4)
    reply = {"scores": four, "verdict": "good", "decision_basis": basis, "issues": []}
    return read_reply(card("rubric_open_ended"), json.dumps(reply), OPEN)


def dialogue(basis: str) -> Reading:
    reply = json.loads(turns_reply({1: (4, 4, 5)}, verdict="excellent")) | {"decision_basis": basis}
    return read_reply(card("multi_turn_dialogue"), reply, TALK)


def long_pair(basis: str) -> Reading:
    item = pair()
    return read_reply(card("long_form_pairwise"), json.loads(pair_reply(item)) | {"decision_basis": basis}, item)


def plain_pair(basis: str) -> Reading:
    return read_reply(card("plain_pairwise"), {"reason": basis, "verdict": "a"}, pair())


def pointwise(basis: str, why: str = "Short.") -> Reading:
    part = {"name": "zz", "score": 4, "justification": why, "confidence": "high"}
    sums = {"overall_score": 4.0, "trustworthy_aggregate": True}
    return read_reply(card_with_dimensions([("zz", "")]), {"dimensions": [part], **sums, "decision_basis": basis}, OPEN)


def marks(reading: Reading) -> list[str]:
    assert reading.unscored is None
    assert lower_broken(reading).scores == reading.scores, "no score is less sure for it"
    return [r.text for r in reading.remarks if r.sort == "rule"]


W = "word "


@pytest.mark.parametrize(
    ("reading", "fine", "over", "text"),
    [
        (rubric, W * 40, W * 41, "The decision basis has 41 words, and 40"),
        (dialogue, W * 40, W * 41, "The decision basis has 41 words, and 40"),
        (dialogue, "文" * 80, "文" * 81, "has 40.5 words"),
        (plain_pair, W * 40, W * 41, "The reason has 41 words"),
        (pointwise, W * 30, W * 31, "The decision basis has 31 words, and 30"),
        (lambda why: pointwise("b", why), W * 20, W * 21, "The justification of zz has 21 words, and 20"),
        (long_pair, "One. Two.", "One. Two. Three.", "has 3 sentences, and 2"),
        (rubric, 'It says "red".', 'It says "blue".', "quotes the output"),
        (rubric, "Blue is right.", "「The  BRIDGE」 is right.", "quotes the output"),
        (rubric, "It doesn't say who they're.", "It says `they say`.", "quotes the output"),
    ],
)
def test_the_limits_of_each_card(reading: Any, fine: str, over: str, text: str) -> None:
    assert marks(reading(fine)) == []
    [mark] = marks(reading(over))
    assert text in mark and mark.endswith(length_limits.MARK)
    assert reading(fine).scores == reading(over).scores


def test_a_card_says_its_limits() -> None:
    limits = {
        name: " ".join(card(name).rules) for name in ("rubric_open_ended", "multi_turn_dialogue", "plain_pairwise")
    }
    assert all("at most 40 words" in text and "half a word" in text for text in limits.values())
    assert "20 words, the decision basis 30" in " ".join(card("pointwise_quality").rules)
