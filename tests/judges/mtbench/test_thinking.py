"""Blocks of thinking in an answer: what is taken away, what stays, which tags lack a partner."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.mtbench.thinking import fold_thinking, split_thinking, strip_thinking, unclosed_tags

PIECES = st.lists(
    st.sampled_from(["<think>", "</think>", "<reason>", "</reason>", "<THINK>", "</Reason>", "a", " ", "<", "日"]),
    max_size=14,
).map("".join)


@pytest.mark.parametrize(
    ("text", "answer", "alone"),
    [
        ("plain", "plain", ()),
        (" spaces stay ", " spaces stay ", ()),
        ("<think>a</think>\n\nb\n", "b", ()),
        ("a<reason>x\ny</reason>b<think>z</think>", "ab", ()),
        ("<Think>a</THINK>b", "b", ()),
        ("<think>a <think> is a tag</think>b", "b", ()),
        ("<think>a<reason>b</reason>c</think>d", "d", ()),
        ("<think>never closed", "<think>never closed", ("<think>",)),
        ("begun elsewhere</think>b", "begun elsewhere</think>b", ("</think>",)),
        ("<think>open <reason>a</reason> b", "<think>open  b", ("<think>",)),
        ("<think>a</think>b</think>c", "b</think>c", ("</think>",)),
        ("<thinking>a</thinking>", "<thinking>a</thinking>", ()),
    ],
)
def test_what_is_shown_and_which_tags_are_alone(text: str, answer: str, alone: tuple[str, ...]) -> None:
    assert (strip_thinking(text), unclosed_tags(text)) == (answer, alone)


@given(PIECES)
def test_parts_make_the_text_again_and_stripping_leaves_no_block(text: str) -> None:
    parts = split_thinking(text)
    assert "".join(part for _, part in parts) == text
    assert all(part.startswith("<") and part.endswith(">") for thinks, part in parts if thinks)
    thought = any(thinks for thinks, _ in parts)
    left = "".join(part for thinks, part in parts if not thinks)
    assert strip_thinking(text) == (left.strip() if thought else text)


@given(PIECES)
def test_what_is_folded_is_the_blocks_and_all_from_the_first_tag_that_is_never_closed(text: str) -> None:
    parts = fold_thinking(text)
    assert "".join(part for _, part in parts) == text
    open_ = [tag for tag in unclosed_tags(text) if tag[1] != "/"]
    assert [why for why, _ in parts if why not in ("", "thinking")] == open_[:1]
    if open_:
        assert parts[-1][0] == open_[0] and parts[-1][1].startswith(open_[0])
    else:
        assert [(why == "thinking", part) for why, part in parts] == split_thinking(text)


def test_many_unclosed_tags_take_no_square_of_time() -> None:
    text = "<think>" * 100_000
    assert len(unclosed_tags(text)) == 100_000 and strip_thinking(text) == text
