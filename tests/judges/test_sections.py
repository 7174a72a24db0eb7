"""Sections: the visible structure, the same for judge, annotator and table."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.cards import card
from judges.reading.reading import read_reply
from judges.sections import cut_sections, headed_parts, section_numbers, unasked_sections
from judges.types import Pair, Reading

BOTH = [
    ("# One\nx\n# Two\ny", "# One\nx\n# Two\ny", ["One", "Two"]),
    ("# One\nx\n# Two\ny", "# One\nx\n# Extra\nz\n# Two\ny", ["One", "Extra", "Two"]),
    ("# Title\n\n## One\nx\n## Two\ny", "## one\nx\n## TWO\ny", ["One", "Two"]),
    ("intro\n\n## One\nx", "## One\nx", ["Opening", "One"]),
    ("no heading at all here", "## One\nx\n## Two\ny", ["Whole response", "One", "Two"]),
    ("first part here.\n\nsecond part here.", "short. text here. more.", ["First half", "Second half"]),
    ("## 概要\n本文\n## まとめ\n本文", "## 概要\n本文", ["概要", "まとめ"]),
    ("**Summary**\n\nx\n\n**Details:**\n\ny", "text", ["Whole response", "Summary", "Details"]),
    ("## A\nx\n## A\ny", "## A\nz", ["A", "A (2)"]),
    ("## A\nx\n## A\ny\n## A (2)\nz", "## A\nw", ["A", "A (2)", "A (2) (2)"]),
    ("**One**\r\n\r\nx\r\n\r\n**Two**\r\n\r\ny", "## One\r\n```\r\n# no\r\n```\r\n## Two\r\nw", ["One", "Two"]),
    ("## A\n```\n# not a heading\n```\n## B\nx", "## A\nq\n## B\nw", ["A", "B"]),
]


@pytest.mark.parametrize(("a", "b", "labels"), BOTH)
def test_labels(a: str, b: str, labels: list[str]) -> None:
    section_labels = [s.label for s in cut_sections(a, b)]
    assert sorted(section_labels) == sorted(labels) if "Whole response" in labels else section_labels == labels


@given(st.text(alphabet="ab# \n*`.。", max_size=200), st.text(alphabet="ab# \n*`.。", max_size=200))
def test_sections_cover_each_text_once_without_gaps(a: str, b: str) -> None:
    sections = cut_sections(a, b)
    assert len({s.label for s in sections}) == len(sections)
    for side, text in (("a", a), ("b", b)):
        spans = sorted(getattr(s, side) for s in sections if getattr(s, side) is not None)
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text)
        assert all(first[1] == second[0] for first, second in itertools.pairwise(spans))


LABELS = ["1. Scope", "Costs & benefits", "Phase 1", "Phase 2", "リスク", "II. Outlook", "2024", "Costs", "Costs (2)"]


def test_a_heading_ends_before_the_signs_that_close_it_however_many_there_are() -> None:
    """A pattern with three runs of spaces tried every way to part them: 800 took ten seconds."""

    def label(line: str) -> list[str]:
        return [name for name, _, _ in headed_parts(f"{line}\nx\n")]

    assert [label("# a ## b ## \r"), label("# ##"), label("#  "), label("# ")] == [["a ## b"], ["#"], ["Untitled"], []]
    many = 50_000
    assert label("# a" + " " * many + "b")[0].rstrip() == "a" and label("# a" + " " * many + "##\r") == ["a"]


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("1. Scope", 1), ("scope", 1), ("## Scope:", 1), ("Section 1: SCOPE", 1), ("**1) Scope**", 1),
        ("\u201cScope\u201d", 1),
        ("costs / benefits", 2), ("Costs\u00a0-  benefits!", 2), ("4. Costs & Benefits", 2),
        ("phase 1", 3), ("Phase", None), ("3. Phase 2", 4), ("「リスク」", 5), ("\uff22. リスク", 5),
        ("outlook", 6), ("ii) OUTLOOK", 6), ("2024", 7), ("24", None), ("costs", 8), ("Costs 2", 9),
        ("Costs (3)", None), ("", None), ("***", None), ("Scope and costs", None), ("Scopes", None),
    ],
)  # fmt: skip
def test_a_label_is_found_by_its_words_and_only_where_one_section_has_them(label: str, number: int | None) -> None:
    assert section_numbers(LABELS)(label) == number


def test_two_labels_of_the_same_words_need_their_own_text() -> None:
    section_number = section_numbers(["Costs", "costs", "1. Aims", "2. Aims"])
    assert [section_number(label) for label in ("Costs", "costs", "COSTS", "Aims", "2 aims")] == [1, 2, None, None, 4]


LONG = card("long_form_pairwise")


def short(a: str, b: str, sections: list[dict[str, Any]] | None = None) -> Pair:
    sides = {"response_a": {"text": a}, "response_b": {"text": b}}
    return Pair.model_validate({"id": "p", "kind": "pair", "input": "i", **sides, "sections": sections or []})


def make_reading(item: Pair, *sections: tuple[str, int | None, int | None], **more: Any) -> Reading:
    """The reading of a reply with sections as (label, points of A, points of B)."""
    names = ("groundedness", "relevance", "quality")
    rows = [
        {"section_label": label, **{f"response_{s}": None if n is None else dict.fromkeys(names, n)
                                    for s, n in (("a", a), ("b", b))}}
        for label, a, b in sections
    ]  # fmt: skip
    reply = {
        "section_judgments": rows, "long_form_failures": {"response_a": [], "response_b": []},
        "aggregate_scores": {"response_a": 4.0, "response_b": 2.0}, "verdict": "a", "decision_basis": "x",
    }  # fmt: skip
    return read_reply(LONG, reply | more, item)


def quality(reading: Reading) -> dict[str, float | None]:
    return {s.unit: s.value for s in reading.scores if s.dimension == "quality"}


def rules(reading: Reading) -> list[tuple[str, str]]:
    return [(r.unit, r.text) for r in reading.remarks if r.sort == "rule"]


def test_a_score_of_a_section_that_a_response_lacks_is_marked_and_the_rest_is_kept() -> None:
    cut_ = [{"label": "Costs", "a": [0, 2], "b": [0, 2]}, {"label": "Risks", "a": [2, 4], "b": None}]
    reading = make_reading(short("aaaa", "bbbb", cut_), ("costs:", 4, 3), ("2. Risks", 5, 1))
    assert reading.unscored is None
    assert quality(reading) == {"section:1/a": 4, "section:1/b": 3, "section:2/a": 5}
    # Its aggregate of 2 lies between 1 and 3: what it gave to nothing is part of that.
    assert rules(reading) == [("response/b", "missing section: scores 'Risks', which response B does not have")]


@pytest.mark.parametrize(
    ("a", "b", "sections", "expected"),
    [
        ("Paris.", "Lyon, I think.", [("Answer", 4, 2)], {"section:1/a": 4, "section:1/b": 2}),
        ("Paris.", "Lyon, I think.", [], {}),
        ("Paris. It is.", "Lyon. I think.", [("First half", 4, 3), ("second half", 5, 2)],
         {"section:2/a": 4, "section:2/b": 3, "section:3/a": 5, "section:3/b": 2}),
        ("# Costs\nx\n# Risks\ny", "# Costs\nz", [("Costs", 4, 2), ("1. Risks", 4, None)],
         {"section:2/a": 4, "section:2/b": 2, "section:3/a": 4}),
        ("# Costs\nx\n# Risks\ny", "plain", [("Whole response", 4, 2)], {"section:1/a": 4, "section:1/b": 2}),
        ("Paris.", "", [("Answer", 4, 2)], {}),
    ],
)  # fmt: skip
def test_a_short_pair_keeps_the_scores_of_its_sections(
    a: str, b: str, sections: list[tuple[str, int | None, int | None]], expected: dict[str, float]
) -> None:
    item = short(a, b)
    reading = make_reading(item, *sections)
    assert reading.unscored is None and quality(reading) == expected
    assert {(s.unit, s.dimension) for s in reading.scores} >= {("pair", "verdict"), ("response/a", "aggregate")}
    # Nobody is asked about them, and the item is what it was.
    assert not [unit for unit, _ in LONG.cells(item) if unit.startswith("section")]


@given(st.lists(st.sampled_from(["# A", "# B", "## C", "# c", "x", "", "# A"]), max_size=8),
       st.lists(st.sampled_from(["# B", "# A", "# C", "y", "", "**D**"]), max_size=8))  # fmt: skip
def test_the_sections_of_a_short_pair_have_the_same_numbers_with_the_places_swapped(a: list[str], b: list[str]) -> None:
    one, other = (
        unasked_sections(short("\n".join(a), "\n".join(b))),
        unasked_sections(short("\n".join(b), "\n".join(a))),
    )
    assert [(s.label.casefold(), s.a, s.b) for s in one] == [(s.label.casefold(), s.b, s.a) for s in other]


def test_a_winner_with_a_failure_is_marked() -> None:
    failed = {"response_a": ["false_completeness"], "response_b": ["format_collapse"]}
    reading = make_reading(short("x", "y"), long_form_failures=failed)
    assert rules(reading) == [("pair", "The winner A has a failure: false completeness.")]
    loser = {"response_a": [], "response_b": ["format_collapse"]}
    assert rules(make_reading(short("x", "y"), long_form_failures=loser)) == []
