"""What the desk says when nothing waits."""

from __future__ import annotations

import pytest

from pages.desk.page import empty_text


@pytest.mark.parametrize(
    ("stream", "filtered", "drawn", "title"),
    [
        ("audit", False, 0, "No audit sample is drawn yet"),
        ("audit", False, 5, "The audit sample is done"),
        ("audit", True, 5, "Nothing waits with these filters"),
        ("review", False, 0, "The review queue is empty"),
        ("review", False, 5, "The review queue is empty"),
    ],
)
def test_a_sample_that_was_never_drawn_is_not_done(stream: str, filtered: bool, drawn: int, title: str) -> None:
    message = empty_text(stream, filtered, drawn, may_fill=True)
    assert message["title"] == title and "researcher" not in message["text"]
    assert ("A researcher can" in empty_text(stream, filtered, drawn, may_fill=False)["text"]) == (not filtered)
