"""Units, dimensions and scales, of every sort and kind that there is."""

from __future__ import annotations

import pytest

from judges.errors import BadScale
from judges.types import (
    SORTS,
    SORTS_OF,
    Dimension,
    Scale,
    UnitSort,
    is_unit,
    section_place,
    sort_of,
    turn_number,
)


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


FIVE = Scale("ordinal", 1, 5)
NA = Scale("ordinal", 1, 5, na=True)
WORDS = Scale("ordered", categories=("poor", "good"))


@pytest.mark.parametrize(
    ("scale", "value", "code"),
    [
        (FIVE, 4, 4.0),
        (FIVE, 4.0, 4.0),
        (NA, "n/a", None),
        (NA, None, None),
        (WORDS, "good", 1.0),
        (WORDS, " Good ", 1.0),
        (Scale("flag"), True, 1.0),
        (Scale("flag"), 0, 0.0),
        (Scale("turn"), "none", 0.0),
        (Scale("turn"), None, 0.0),
        (Scale("turn"), 2, 2.0),
        (Scale("interval", 1, 5), 3.7, 3.7),
    ],
)
def test_values_on_a_scale_have_codes_that_say_them_again(scale: Scale, value: object, code: float | None) -> None:
    assert scale.code(value, frozenset({2})) == code
    assert scale.code(scale.format(code) if scale.kind not in ("ordinal", "interval", "flag", "turn") else code) == code


@pytest.mark.parametrize(
    ("scale", "value"),
    [
        (FIVE, 0), (FIVE, 6), (FIVE, 4.5), (FIVE, "4"), (FIVE, True), (FIVE, None), (FIVE, float("nan")),
        (FIVE, float("inf")), (FIVE, 10**400), (FIVE, [4]), (WORDS, 1), (WORDS, "fine"), (Scale("turn"), 3),
        (Scale("flag"), 2), (Scale("interval", 1, 5), 5.1),
    ],
)  # fmt: skip
def test_values_off_a_scale_are_refused_with_what_is_allowed(scale: Scale, value: object) -> None:
    with pytest.raises(BadScale, match="allowed are"):
        scale.code(value, frozenset({2}))


@pytest.mark.parametrize(
    ("unit", "sort"),
    [("turn:3", "turn"), ("section:2/a", "section"), ("response/b", "side"), ("conversation", "conversation")],
)
def test_units_have_sorts(unit: str, sort: str) -> None:
    assert is_unit(unit)
    assert sort_of(unit) == sort


def test_the_number_of_a_turn_and_the_place_of_a_section() -> None:
    assert turn_number("turn:12") == 12 and section_place("section:12/b") == (12, "b")
    for read in (turn_number, section_place):
        with pytest.raises(ValueError):
            read("response/a")


@pytest.mark.parametrize("unit", ["turn:0", "turn:", "section:1", "section:1/c", "response/c", "Turn:1", "", "turn:1 "])
def test_what_is_no_unit(unit: str) -> None:
    assert not is_unit(unit)
