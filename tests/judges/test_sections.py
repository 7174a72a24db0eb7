"""Sections: the visible structure, the same for judge, annotator and table."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.sections import cut

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
    ("## A\n```\n# not a heading\n```\n## B\nx", "## A\nq\n## B\nw", ["A", "B"]),
]


@pytest.mark.parametrize(("a", "b", "labels"), BOTH)
def test_labels(a: str, b: str, labels: list[str]) -> None:
    found = [s.label for s in cut(a, b)]
    assert sorted(found) == sorted(labels) if "Whole response" in labels else found == labels


@given(st.text(alphabet="ab# \n*`.。", max_size=200), st.text(alphabet="ab# \n*`.。", max_size=200))
def test_sections_cover_each_text_once_without_gaps(a: str, b: str) -> None:
    sections = cut(a, b)
    assert len({s.label for s in sections}) == len(sections)
    for side, text in (("a", a), ("b", b)):
        spans = sorted(getattr(s, side) for s in sections if getattr(s, side) is not None)
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text)
        assert all(first[1] == second[0] for first, second in itertools.pairwise(spans))
