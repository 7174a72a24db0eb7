"""What a dimension says of its units and systems, and a scale of its mean, of every sort and kind that there is."""

from __future__ import annotations

from judges.types import SORTS, SORTS_OF, Dimension, Scale, UnitSort


def of(sort: UnitSort) -> Dimension:
    return Dimension("d", sort, Scale("flag"), "?")


def test_which_sorts_of_units_are_of_a_side_of_a_pair_or_of_one_system() -> None:
    pairs = SORTS_OF["pair"]
    assert {sort for sort in SORTS if of(sort).is_of_side} == {"section", "side"} == {*pairs} - {"pair"}
    assert {sort for sort in SORTS if of(sort).is_of_one_system} == {*SORTS} - {*pairs}


def test_which_sorts_an_item_or_a_side_of_it_has_several_of() -> None:
    assert {sort for sort in SORTS if of(sort).has_several_units} == {"turn", "section"}
    assert {sort for sort in SORTS if of(sort).has_several_cells} == {"turn", "section", "side"}


def test_which_scales_have_a_mean() -> None:
    kinds = ("ordinal", "ordered", "unordered", "flag", "turn", "interval")
    assert [kind for kind in kinds if Scale(kind).has_mean] == ["ordinal", "flag", "interval"]  # type: ignore[arg-type]
