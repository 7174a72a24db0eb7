"""What the rows of a table are about: turns of dialogues, and codes of verdicts."""

from __future__ import annotations

from judges.importing.item_keys import turn_units, verdict_code


def test_rows_of_a_dialogue_are_its_turns_from_one_on_and_those_of_users_none() -> None:
    rows = [{"role": role, "text": text} for role, text in (("user", "Hi"), ("assistant", "Yes?"), ("user", "Bye"))]
    rows += [{"role": "assistant", "text": "Hello"}]
    speech = {"role": "role", "text": "text"}
    assert turn_units(["d", "d", "d", "e"], rows, speech, []) == ["", "turn:2", "", "turn:1"]


def test_a_code_of_verdicts_is_known_where_it_explains_seven_tenths_of_the_cells() -> None:
    coded = ["A", "A", "A", "A", "B", "B", "B"]
    assert verdict_code([*coded, *["unclear"] * 3])["A"] == "a"
    assert verdict_code([*coded[1:], *["unclear"] * 4]) == {}
