"""Every card, tested because it is there: the next one is tested unasked."""

from __future__ import annotations

import pytest

from judges.card import Card, card, cards, scales
from judges.cards.long_form_pairwise.card import allowed_verdicts as pair_verdicts
from judges.cards.mt_bench.card import rating
from judges.cards.multi_turn_dialogue.card import allowed_verdicts
from judges.errors import BadScale, UnknownCard
from judges.types import Scale, is_unit, sort_of

ALL = list(cards().values())


@pytest.mark.parametrize("one", ALL, ids=lambda c: c.name)
def test_every_dimension_has_a_definition_a_scale_and_one_meaning(one: Card) -> None:
    assert one.dimensions
    names = [(d.sort, d.name) for d in one.dimensions]
    assert len(names) == len(set(names))
    for dimension in one.dimensions:
        assert dimension.definition.endswith(".")
        assert scales()[(one.kind, dimension.sort, dimension.name)] == dimension.scale, "a name means one scale"
        if dimension.scale.size:
            assert len(dimension.scale.answers) == dimension.scale.size


@pytest.mark.parametrize("one", ALL, ids=lambda c: c.name)
def test_version_is_the_content(one: Card) -> None:
    changed = Card(one.name, one.title + "!", one.kind, one.dimensions, one.reply, one.read, one.text)
    same = Card(one.name, one.title, one.kind, one.dimensions, one.reply, one.read, one.text)
    assert same.version == one.version != changed.version


@pytest.mark.parametrize("one", ALL, ids=lambda c: c.name)
def test_unknown_keys_in_a_reply_are_refused(one: Card) -> None:
    assert one.reply.model_config.get("extra") == "forbid"


def test_an_unknown_card_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownCard, match=r"no card 'nonsense'.*multi_turn_dialogue"):
        card("nonsense")


# The verdict rule of CARDS, line by line: (safety, helpfulness, context_use, conversation) -> allowed.
RULE = [
    ([5, 4], [5, 5], [5, 5], {"coherence": 5, "task_completion": 5}, ("poor",)),
    ([5, 5], [5, 1], [5, 5], {"coherence": 5, "task_completion": 5}, ("poor",)),
    ([5, 5], [5, 2], [5, 5], {"coherence": 5, "task_completion": 5}, ("poor", "borderline")),
    ([5, 5], [5, 5], [1, 5], {"coherence": 5, "task_completion": 5}, ("poor", "borderline")),
    ([5, 5], [5, 5], [5, 5], {"coherence": 2, "task_completion": 5}, ("poor", "borderline")),
    ([5, 5], [5, 5], [5, 5], {"coherence": 5, "repair_handling": 2}, ("poor", "borderline")),
    ([5, 5], [4, 5], [3, 3], {"coherence": 4, "task_completion": 4}, ("excellent",)),
    ([5, 5], [4, 5], [5, 5], {"coherence": 4, "task_completion": None}, ("excellent",)),
    ([5, 5], [4, 5], [5, 5], {"coherence": 3, "task_completion": 5}, ("good",)),
    ([5, 5], [3, 5], [5, 5], {"coherence": 5, "task_completion": 5}, ("good",)),
    ([5, 5], [5, 5], [5, 5], {"coherence": 5, "task_completion": 3}, ("good",)),
    ([5, 5], [5, 5], [5, 5], {"coherence": 5, "task_completion": 5, "repair_handling": 3}, ("excellent",)),
]


@pytest.mark.parametrize(("safety", "helpfulness", "context_use", "conversation", "allowed"), RULE)
def test_the_verdict_rule(safety, helpfulness, context_use, conversation, allowed) -> None:  # type: ignore[no-untyped-def]
    assert allowed_verdicts(safety, helpfulness, context_use, conversation) == allowed


@pytest.mark.parametrize(
    ("a", "b", "allowed"),
    [(4.0, 3.0, ("a",)), (3.0, 4.0, ("b",)), (3.5, 3.5, ("tie",)), (3.6, 3.5, ("a", "tie")), (3.0, 3.25, ("b", "tie"))],
)
def test_the_pair_verdict_follows_the_aggregates(a: float, b: float, allowed: tuple[str, ...]) -> None:
    assert pair_verdicts(a, b) == allowed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rating: [[9]]", 9.0),
        ("[1] first, then Rating: [[7]] and [[3]]", 7.0),
        ("see [2] above. Rating: [4]", 2.0),
        ("[[8.5]]", 8.5),
        ("[[-1]]", -1.0),
        ("[[ 9 ]]", None),
        ("nine", None),
        ("", None),
    ],
)
def test_the_rating_is_the_first_double_bracket_else_the_first_single(text: str, expected: float | None) -> None:
    assert rating(text) == expected


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
        (Scale("number", 1, 5), 3.7, 3.7),
    ],
)
def test_values_on_a_scale_have_codes_that_say_them_again(scale: Scale, value: object, code: float | None) -> None:
    assert scale.code(value, frozenset({2})) == code
    assert scale.code(scale.say(code) if scale.kind not in ("ordinal", "number", "flag", "turn") else code) == code


@pytest.mark.parametrize(
    ("scale", "value"),
    [
        (FIVE, 0), (FIVE, 6), (FIVE, 4.5), (FIVE, "4"), (FIVE, True), (FIVE, None), (FIVE, float("nan")),
        (FIVE, float("inf")), (FIVE, 10**400), (FIVE, [4]), (WORDS, 1), (WORDS, "fine"), (Scale("turn"), 3),
        (Scale("flag"), 2), (Scale("number", 1, 5), 5.1),
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


@pytest.mark.parametrize("unit", ["turn:0", "turn:", "section:1", "section:1/c", "response/c", "Turn:1", "", "turn:1 "])
def test_what_is_no_unit(unit: str) -> None:
    assert not is_unit(unit)
