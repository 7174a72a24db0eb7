"""The cards that Assay ships, their rules and fields; what any card must have is in test_soundness.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from judges.card import Card, Example
from judges.cards import card, scales
from judges.cards.long_form_pairwise.card import allowed_verdicts as pair_verdicts
from judges.cards.multi_turn_dialogue.card import allowed_verdicts
from judges.cards.pointwise_quality.card import card_with_dimensions
from judges.errors import BadCard, UnknownCard
from judges.mtbench.parsing import rating, winner
from judges.reading.reading import read_reply
from judges.triage import confidence_level
from judges.types import ITEM, Dialogue, Reading
from tests.judges.replies import SHIPPED, practice_reply

ALL = list(SHIPPED.values())


@pytest.mark.parametrize("judge_card", ALL, ids=lambda c: c.name)
def test_every_dimension_has_a_definition_a_scale_and_one_meaning(judge_card: Card) -> None:
    assert judge_card.dimensions
    names = [(d.sort, d.name) for d in judge_card.dimensions]
    assert len(names) == len(set(names))
    for dimension in judge_card.dimensions:
        message = f"{judge_card.name}: the definition of {dimension.name} has to be a sentence, with . or ? at its end"
        assert dimension.definition.strip().endswith((".", "?", "。", "？")), message
        assert scales()[(judge_card.kind, dimension.sort, dimension.name)] == dimension.scale, "a name means one scale"
        if dimension.scale.size:
            assert len(dimension.scale.answers) == dimension.scale.size


def test_what_may_not_apply() -> None:
    assert {d.name for judge_card in ALL for d in judge_card.dimensions if d.scale.na} == {
        "task_completion", "repair_handling", "groundedness", "relevance", "quality",
    }  # fmt: skip


@pytest.mark.parametrize("judge_card", ALL, ids=lambda c: c.name)
def test_version_is_the_content(judge_card: Card) -> None:
    assert replace(judge_card).version == judge_card.version
    spoken = {name: f"{text} Be kind." for name, text in judge_card.prompts.items()}
    example = Example("a 1", {}, {})
    others = [
        replace(judge_card, title=judge_card.title + "!"),
        replace(judge_card, prompts=spoken),
        replace(judge_card, examples=(example,)),
    ]
    assert len({judge_card.version, *(other.version for other in others)}) == 4


@pytest.mark.parametrize("judge_card", ALL, ids=lambda c: c.name)
def test_unknown_keys_in_a_reply_are_refused(judge_card: Card) -> None:
    assert judge_card.reply.model_config.get("extra") == "forbid"


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
    [
        (4.0, 3.0, ("a",)), (3.0, 4.0, ("b",)), (3.5, 3.5, ("tie",)), (3.6, 3.5, ("a", "tie")),
        (3.0, 3.25, ("b", "tie")), (2.2, 1.95, ("a", "tie")), (2.2, 1.94, ("a",)),
    ],
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Rating: [[9]]", 9.0, 9.0),
        ("It says [[10]] itself. Rating: [[3]]", 10.0, 3.0),
        ("[1] first, then Rating: [[7]] and [[3]]", 7.0, 3.0),
        ("Rating: [4]", 4.0, None),
        ("Rating: [[ 9 ]]", None, 9.0),
        ("評価：[[９]]", 9.0, 9.0),
    ],
)
def test_of_our_own_judges_the_last_rating_counts(text: str, first: float, last: float | None) -> None:
    assert (rating(text, "fastchat"), rating(text, "last")) == (first, last)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("[[A]]", "a", "a"),
        ("[[C]]", "tie", "tie"),
        ("A says [[A]]. My verdict: [[B]]", "a", "b"),
        ("first [[C]], no: [[B]]", "b", "b"),
        ("[[B]], or rather [[C]]", "b", "tie"),
        ("[[D]] A", None, None),
    ],
)
def test_a_verdict_in_prose_is_read_as_fastchat_does_or_the_last(
    text: str, first: str | None, last: str | None
) -> None:
    assert (winner(text, "fastchat"), winner(text, "last")) == (first, last)


# -- what the judge is shown ------------------------------------------------------------------------------------------

MATH: dict[str, Any] = {"category": "math", "reference": ["four", "six"]}
TURNS = [{"turn": t, "role": r, "text": f"{r} {t}"} for t in (1, 2) for r in ("user", "assistant")]


def dialogue(meta: dict[str, Any] | None = None, turns: list[dict[str, Any]] | None = None) -> Any:
    fields = {"id": "d", "kind": "dialogue", "scenario": "At a desk.", "system": "secret-model", "meta": meta or {}}
    return ITEM.validate_python({**fields, "turns": turns or TURNS})


def pair(meta: dict[str, Any] | None = None, text: str | None = "bb") -> Any:
    sections = [{"label": "One", "a": [0, 2], "b": [0, 2]}, {"label": "Two", "a": None, "b": [1, 2]}]
    sides = {"response_a": {"system": "secret-x", "text": "aa"}, "response_b": {"system": "secret-y", "text": text}}
    return ITEM.validate_python(
        {"id": "p", "kind": "pair", "input": "q", **sides, "sections": sections, "meta": meta or {}}
    )


RESPONSE: Any = ITEM.validate_python(
    {"id": "r", "kind": "response", "task": "t", "output": "o", "reference": "ref", "system": "secret-z"}
)


def test_the_judge_sees_the_fields_that_the_contract_names() -> None:
    fields = card("multi_turn_dialogue").fields(dialogue(), "")
    assert fields == {"scenario_description": "At a desk.", "dialogue": TURNS}
    long = card("long_form_pairwise").fields(pair(), "")
    absent = {"response_a": ["Two"], "response_b": []}
    assert long == {
        "long_input": "q", "response_a": "aa", "response_b": "bb", "sections": ["One", "Two"],
        "sections_absent": absent,
    }  # fmt: skip
    assert card("plain_pairwise").fields(pair(), "") == {"input": "q", "response_a": "aa", "response_b": "bb"}
    assert card("rubric_open_ended").fields(RESPONSE, "") == {
        "task_description": "t", "model_output": "o", "reference_answer": "ref",
    }  # fmt: skip
    own_card = card_with_dimensions([("zz冗長さ", "Wordy?"), ("clarity", "")])
    assert own_card.fields(RESPONSE, "")["scoring_dimensions"] == [
        {"name": "zz冗長さ", "definition": "Wordy?"}, {"name": "clarity", "definition": ""},
    ]  # fmt: skip


@pytest.mark.parametrize("judge_card", ALL, ids=lambda c: c.name)
def test_no_judge_is_told_which_system_it_judges(judge_card: Card) -> None:
    item = {"dialogue": dialogue(MATH), "pair": pair(), "response": RESPONSE}[judge_card.kind]
    for part in judge_card.parts(item):
        assert "secret" not in str(judge_card.fields(item, part))
        if judge_card.prompts:
            assert judge_card.prompts[judge_card.variant(item, part)]


@pytest.mark.parametrize("name", ["long_form_pairwise", "plain_pairwise", "mt_bench_pair"])
def test_a_pair_without_its_texts_is_not_judged(name: str) -> None:
    assert card(name).parts(pair(text=None)) == []
    assert card(name).parts(pair()) == [""]


def test_mt_bench_judges_each_turn_with_what_led_to_it() -> None:
    judge_card, item = card("mt_bench"), dialogue()
    assert judge_card.parts(item) == ["turn:1", "turn:2"]
    assert [judge_card.variant(item, part) for part in judge_card.parts(item)] == ["", "multi_turn"]
    assert judge_card.fields(item, "turn:1") == {"question": "user 1", "answer": "assistant 1"}
    assert judge_card.fields(item, "turn:2") == {"dialogue": TURNS, "judged_turn": 2}
    turns = [(1, "assistant", "Hello."), (1, "user", "Two and two?"), (2, "assistant", "Four.")]
    greeted = [{"turn": turn, "role": role, "text": text} for turn, role, text in turns]
    item = Dialogue.model_validate({"id": "g", "kind": "dialogue", "turns": greeted})
    assert judge_card.fields(item, "turn:1") == {
        "dialogue": greeted[:1],
        "judged_turn": 1,
    }, "no user's text is its answer"
    assert judge_card.fields(item, "turn:2") == {"dialogue": greeted, "judged_turn": 2}


@pytest.mark.parametrize(
    ("meta", "variants"),
    [
        (MATH, ["reference", "multi_turn_reference"]),
        ({**MATH, "category": "reasoning"}, ["reference", "multi_turn_reference"]),
        ({**MATH, "category": "writing"}, ["", "multi_turn"]),
        ({"category": "math"}, ["", "multi_turn"]),
        ({**MATH, "reference": ["four"]}, ["reference", "multi_turn"]),
        ({**MATH, "reference": [4, 6]}, ["", "multi_turn"]),
        ({**MATH, "reference_answer": []}, ["", "multi_turn"]),
        (
            {**MATH, "reference": ["shown to people"], "reference_answer": ["a", "b"]},
            ["reference", "multi_turn_reference"],
        ),
    ],
)  # fmt: skip
def test_a_reference_goes_to_the_judge_in_three_categories_and_only_one_that_is_meant_for_it(
    meta: dict[str, Any], variants: list[str]
) -> None:
    judge_card, item = card("mt_bench"), dialogue(meta)
    assert [judge_card.variant(item, part) for part in judge_card.parts(item)] == variants
    for part, variant in zip(judge_card.parts(item), variants, strict=True):
        assert ("reference_answer" in judge_card.fields(item, part)) == ("reference" in variant)
        assert "shown to people" not in str(judge_card.fields(item, part))


def test_the_reference_of_a_turn_comes_with_those_before_it() -> None:
    references = card("mt_bench").fields(dialogue(MATH), "turn:2")["reference_answer"]
    assert references == [{"turn": 1, "text": "four"}, {"turn": 2, "text": "six"}]
    two = pair({**MATH, "turn": 2})
    assert card("mt_bench_pair").variant(two, "") == "multi_turn_reference"
    assert card("mt_bench_pair").fields(two, "")["reference_answer"] == references
    assert card("mt_bench_pair").variant(pair({"turn": 1}), "") == ""


# -- pointwise_quality ------------------------------------------------------------------------------------------------


def pointwise(*answers: tuple[int, str | None], **sums: Any) -> Reading:
    """The reading of scores and confidences on dimensions d1, d2, ...; sums as they should be unless given."""
    judge_card = card_with_dimensions([(f"zz_{n}", "") for n in range(1, len(answers) + 1)])
    dimensions: list[dict[str, Any]] = [
        {"name": f"zz_{n}", "score": score, "justification": f"why {n}", "confidence": sure}
        for n, (score, sure) in enumerate(answers, 1)
    ]
    return read_reply(judge_card, {"dimensions": dimensions, "decision_basis": "b", **sums}, RESPONSE)


def rules(reading: Reading) -> list[str]:
    return [remark.text for remark in reading.remarks if remark.sort == "rule"]


def value(reading: Reading, name: str) -> float | None:
    return next(score.value for score in reading.scores if score.dimension == name)


FOUR = [(5, "high"), (4, "medium"), (4, "medium"), (5, "high")]


@pytest.mark.parametrize(
    ("answers", "mean", "trust"),
    [
        (FOUR, 14 / 3, True),  # (5 + 2 + 2 + 5) / (1 + .5 + .5 + 1)
        ([(4, "high"), (2, "medium"), (3, "low")], 23 / 7, True),  # (4 + 1 + .75) / 1.75, as the prompt says
        ([(1, "low"), (5, "low"), (3, "high")], 3.0, False),  # (.25 + 1.25 + 3) / 1.5; one of three
        ([(1, "low"), (5, "high")], 4.2, False),  # (.25 + 5) / 1.25; half is no majority
        ([(2, "low")], 2.0, False),
    ],
)
def test_the_sums_by_hand(answers: list[tuple[int, str]], mean: float, trust: bool) -> None:
    reading = pointwise(*answers, overall_score=round(mean, 2), trustworthy_aggregate=trust)
    assert value(reading, "overall_score") == pytest.approx(mean, abs=1e-12)
    assert value(reading, "trustworthy_aggregate") == trust
    assert rules(reading) == []
    assert reading.facts["reported"] == {"overall_score": round(mean, 2), "trustworthy_aggregate": trust}


def test_sums_that_are_off_are_marked_and_both_values_kept() -> None:
    reading = pointwise(*FOUR, overall_score=4.5, trustworthy_aggregate=False)
    assert rules(reading) == [
        "The judge said 4.5. Its scores, weighted by confidence, give 4.67.",
        "The judge said no. By its confidences it is yes.",
    ]
    assert value(reading, "overall_score") == pytest.approx(14 / 3)
    assert reading.facts["reported"] == {"overall_score": 4.5, "trustworthy_aggregate": False}


@pytest.mark.parametrize(("stated", "marked"), [(4.67, 0), (4.66, 1), (4.6717, 1), (4.6716, 0), (4.7, 1)])
def test_two_decimals_are_near_enough(stated: float, marked: int) -> None:
    assert len(rules(pointwise(*FOUR, overall_score=stated, trustworthy_aggregate=True))) == marked


def test_sums_that_are_left_out_are_recomputed_and_marked() -> None:
    reading = pointwise(*FOUR)
    assert value(reading, "overall_score") == pytest.approx(14 / 3)
    assert [text.partition(".")[0] for text in rules(reading)] == [
        "The judge gave no overall score", "The judge did not say",
    ]  # fmt: skip


def test_confidence_in_words_fits_the_words_of_the_desk() -> None:
    reading = pointwise((5, "High"), (4, "medium"), (3, "low"), overall_score=3.95, trustworthy_aggregate=True)
    sure = [(confidence_level(s.confidence), s.source) for s in reading.scores if s.dimension.startswith("zz")]
    assert sure == [("high", "self-reported"), ("medium", "self-reported"), ("low", "self-reported")]


@pytest.mark.parametrize(("word", "named_so"), [(None, "zz_2"), ("", "zz_2"), ("quite", "zz_2 ('quite')")])
def test_without_confidence_the_score_stands_alone_and_no_sum_is_made(word: str | None, named_so: str) -> None:
    reading = pointwise((5, "high"), (2, word), overall_score=3.5, trustworthy_aggregate=True)
    assert [(s.dimension, s.value, s.confidence) for s in reading.scores] == [("zz_1", 5, 0.9), ("zz_2", 2, None)]
    assert rules(reading) == [
        f"High, medium or low confidence was asked for, and not given: {named_so}. The scores stand."
    ]
    assert reading.facts["reported"]["overall_score"] == 3.5


def test_a_card_of_named_dimensions_holds_its_recipe_and_is_another_version() -> None:
    dimensions = [("zz_brief", "Says it briefly."), ("zz_tone", "")]
    judge_card = card_with_dimensions(dimensions)
    recipe = {"from": "pointwise_quality", "dimensions": [["zz_brief", "Says it briefly."], ["zz_tone", ""]]}
    assert (judge_card.name, judge_card.recipe) == ("pointwise_quality", recipe)
    assert [d.name for d in judge_card.dimensions if d.asked] == ["zz_brief", "zz_tone"]
    assert judge_card.version == card_with_dimensions(dimensions).version
    others = (card_with_dimensions(dimensions[::-1]), card_with_dimensions([("zz_brief", "")]), card(judge_card.name))
    assert len({judge_card.version, *(other.version for other in others)}) == 4
    assert judge_card.prompts == card(judge_card.name).prompts


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "Give 1 to 20"),
        (["d"] * 21, "Give 1 to 20"),
        ([" "], "cannot name"),
        (["_"], "cannot name"),
        (["a\nb"], "cannot name"),
        (["x" * 61], "cannot name"),
        (["zz_Tone", "zz_tone"], "taken"),
        (["to_ne", "to ne"], "taken"),
        (["Overall score"], "taken"),
        (["verdict"], "another scale"),
    ],
)
def test_names_that_cannot_be_used_are_refused_with_a_sentence(names: list[str], message: str) -> None:
    with pytest.raises(BadCard, match=message):
        card_with_dimensions([(name, "") for name in names])


def test_every_audit_of_a_card_is_named_once() -> None:
    for judge_card in ALL:
        assert len(set(judge_card.audits)) == len(judge_card.audits)
        assert judge_card.audits


@pytest.mark.parametrize("judge_card", ALL, ids=lambda c: c.name)
def test_every_cell_that_a_card_asks_is_scored(judge_card: Card) -> None:
    item = {"dialogue": dialogue(MATH), "pair": pair(), "response": RESPONSE}[judge_card.kind]
    scored = set()
    for part in judge_card.parts(item):
        reading = read_reply(judge_card, practice_reply(judge_card, item, part), item, part, "last")
        assert reading.unscored is None, (
            f"{judge_card.name}: a reply of the practice endpoint is not read: {reading.why}"
        )
        scored |= {(score.unit, score.dimension) for score in reading.scores}
    left = {(unit, d.name) for unit, d in judge_card.cells(item)} - scored
    assert not left, f"{judge_card.name}: read() scores no {sorted(left)}"


def test_pairs_begin_with_both_orders() -> None:
    assert {judge_card.name: judge_card.defaults.orders for judge_card in ALL if judge_card.kind == "pair"} == {
        "long_form_pairwise": "both", "mt_bench_pair": "both", "plain_pairwise": "both",
    }  # fmt: skip
