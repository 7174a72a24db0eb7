"""A pair's turns as one text, and taken apart again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judges.mtbench.pair_turns import ANSWER, USER, join_turns, split_turns


@given(st.lists(st.text(alphabet="ab\n [Answer, tur1]", max_size=12), min_size=1, max_size=4))
def test_what_was_joined_is_taken_apart_again(texts: list[str]) -> None:
    assert split_turns(join_turns(texts, ANSWER), len(texts), ANSWER) == texts


def test_a_text_that_does_not_say_where_turns_begin_is_one() -> None:
    assert join_turns(["x", "y"], USER) == "[User, turn 1]\nx\n\n[User, turn 2]\ny"
    assert split_turns("no marks", 2, ANSWER) == ["no marks"]
    assert split_turns(join_turns(["x", "y"], USER), 2, ANSWER) == [join_turns(["x", "y"], USER)]
    late = "before\n\n[Answer, turn 1]\nx\n\n[Answer, turn 2]\ny"
    assert split_turns(late, 2, ANSWER) == [late]
