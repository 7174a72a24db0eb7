"""What the rows of a table are about: codes of verdicts."""

from __future__ import annotations

from judges.importing.item_keys import verdict_code


def test_a_code_of_verdicts_is_known_where_it_explains_seven_tenths_of_the_cells() -> None:
    coded = ["A", "A", "A", "A", "B", "B", "B"]
    assert verdict_code([*coded, *["unclear"] * 3])["A"] == "a"
    assert verdict_code([*coded[1:], *["unclear"] * 4]) == {}
