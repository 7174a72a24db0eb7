"""The order in which items need a look, and the words in which it says why."""

from __future__ import annotations

import pytest

from judges import triage
from judges.triage import ItemSize, Reason


def test_the_need_of_a_rating_grows_with_every_reason_and_stays_below_one() -> None:
    single = triage.rank_by_need([Reason("a", "unscored", "x", 0.9)])[0]
    # two reasons of .5: 1 - .5 * .5 = .75; the strongest reason alone would be .5
    two = triage.rank_by_need([Reason("a", "unscored", "x", 0.5), Reason("a", "broken rule", "y", 0.5)])[0]
    assert single.need == pytest.approx(0.9)
    assert two.need == pytest.approx(0.75)
    many = triage.rank_by_need([Reason("a", "unscored", str(n), 1.0) for n in range(50)])[0]
    assert 0.99 < many.need <= 1


def test_need_is_counted_per_rating_so_that_long_items_do_not_lead() -> None:
    doubts = [Reason("long", "low confidence", "x", 0.5, f"turn:{n}", "d") for n in range(20)]
    doubts += [Reason("short", "low confidence", "x", 0.5, f"turn:{n}", "d") for n in range(2)]
    doubts += [Reason(item, "no confidence", "x", 0.05) for item in ("b", "a", "none")]
    sizes = {
        "long": ItemSize(100, 9000),
        "short": ItemSize(4, 300),
        "a": ItemSize(9, 80),
        "b": ItemSize(5, 70),
        "none": ItemSize(0, 9),
    }
    needs = triage.rank_by_need([*doubts, Reason("none", "unscored", "x", 0.9)], sizes)
    # .5 * 2 / 4 and .5 * 20 / 100; equal needs by length; nothing to check comes last
    assert [(n.item, round(n.need, 3)) for n in needs] == [
        ("short", 0.25), ("long", 0.1), ("b", 0.05), ("a", 0.05), ("none", triage.UNRATED_NEED),
    ]  # fmt: skip


def test_most_needed_first_ties_by_item_and_the_strongest_reason_leads() -> None:
    needs = triage.rank_by_need(
        [
            Reason("b", "low confidence", "weak", 0.1),
            Reason("c", "no confidence", "same", 0.3),
            Reason("a", "no confidence", "same", 0.3),
            Reason("b", "broken rule", "strong", 0.8),
        ]
    )
    assert [n.item for n in needs] == ["b", "a", "c"]
    assert [r.text for r in needs[0].reasons] == ["strong", "weak"]


def test_nothing_gives_nothing() -> None:
    assert triage.rank_by_need([]) == []


@pytest.mark.parametrize(
    ("confidence", "level"),
    [
        (None, None),
        (1.0, "high"),
        (0.8, "high"),
        (0.79, "medium"),
        (0.5, "medium"),
        (0.49, "low"),
        (0.0, "low"),
    ],
)
def test_confidence_in_words(confidence: float | None, level: str | None) -> None:
    assert triage.confidence_level(confidence) == level


@pytest.mark.parametrize(
    ("unit", "dimension", "confidence", "source", "text"),
    [
        ("turn:3", "context_use", 0.4, "self-reported", "turn 3 context use: low stated confidence"),
        ("conversation", "coherence", 0.6, "samples", "coherence: medium self-consistency (samples differ)"),
        ("conversation", "coherence", 0.3, "windows", "coherence: low self-consistency (windows differ)"),
        ("pair", "verdict", 0.6, "chapters", "verdict: medium self-consistency (chapters differ)"),
        ("pair", "verdict", 0.3, "orders", "verdict changed with the order"),
        ("section:2/a", "quality", 0.6, "orders", "section 2 of A quality changed with the order"),
        ("response", "factuality", 0.7, "log-probabilities", "factuality: medium token confidence"),
        (
            "turn:1",
            "helpfulness",
            0.6,
            "log-probabilities: 3 or 4",
            "turn 1 helpfulness: medium token confidence (between 3 and 4)",
        ),
        ("response", "factuality", 0.7, "", "factuality: medium confidence"),
        ("response", "factuality", 0.7, "a panel", "factuality: medium confidence (a panel)"),
    ],
)
def test_low_confidence_says_where_what_and_how_it_is_known(
    unit: str, dimension: str, confidence: float, source: str, text: str
) -> None:
    reason = triage.low_confidence("a", unit, dimension, confidence, source)
    assert reason is not None
    assert (reason.text, reason.strength) == (text, pytest.approx((1 - confidence) / 2))


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("turn 3 context use is a guess (the judge says so)", "turn 3 context use: low stated confidence"),
        ("coherence may shift (samples differ)", "coherence: medium self-consistency (samples differ)"),
        ("x may shift (token probabilities waver between 3 and 4)", "x: medium token confidence (between 3 and 4)"),
        ("factuality is a guess (a panel)", "factuality: low confidence (a panel)"),
        ("factuality may shift", "factuality: medium confidence"),
        ("turn 1 safety: judge-b says otherwise", "turn 1 safety: judge-b disagrees"),
        ("verdict changed with the order", "verdict changed with the order"),
    ],
)
def test_a_reason_that_was_kept_in_the_words_of_before_is_read_in_those_of_today(stored: str, text: str) -> None:
    assert triage.update_wording(stored) == triage.update_wording(text) == text


def test_what_is_sure_is_no_reason() -> None:
    assert triage.low_confidence("a", "turn:3", "safety", 0.8, "self-reported") is None


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        ("turn:12", "turn 12 "),
        ("section:2/b", "section 2 of B "),
        ("response/a", "response A "),
        ("conversation", ""),
        ("pair", ""),
        ("response", ""),
    ],
)
def test_places_in_words(unit: str, words: str) -> None:
    assert triage.describe_unit(unit) == words
    assert triage.name_unit(unit) == (words.strip() or unit)


def test_judges_that_disagree_more_need_more() -> None:
    strengths = [
        triage.judges_disagree("a", "turn:1", "helpfulness", gap, 4, "judge-b").strength for gap in (2, 3, 4, 9)
    ]
    # .6 of the scale's width: 2/4, 3/4, 4/4, never more than .6
    assert strengths == [pytest.approx(0.3), pytest.approx(0.45), pytest.approx(0.6), pytest.approx(0.6)]


def test_a_reason_that_only_says_nothing_is_known_stays_last() -> None:
    needs = triage.rank_by_need([triage.no_confidence("a"), triage.broken_rule("b", "turn:1", "x", "t")])
    assert [n.item for n in needs] == ["b", "a"]
