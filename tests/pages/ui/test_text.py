"""How lengths of time are said."""

from __future__ import annotations

from datetime import timedelta

from pages.ui import text


def test_a_length_of_time_is_said_roughly_and_in_good_english() -> None:
    lengths = {0.2: "1 second", 1: "1 second", 40: "40 seconds", 90: "2 minutes", 5_400: "1.5 hours", 7_200: "2 hours"}
    assert {seconds: text.duration(timedelta(seconds=seconds)) for seconds in lengths} == lengths
