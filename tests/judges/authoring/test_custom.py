"""Cards of own dimensions: from a recipe to a prompt, a reply model and a reading, and back from what is stored."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from judges.authoring.custom import from_recipe, from_spec
from judges.authoring.recipe import check_recipe, find_clashes
from judges.cards import cards
from judges.errors import BadCard, UnknownCard
from judges.params import Params
from judges.protocols.call_plan import Task, build_request
from judges.reading.reading import read_reply
from judges.reading.schema import strict_schema
from judges.types import ITEM, Kind, Reading, Scale, Score

TURN = {"name": "敬語", "unit": "turn", "definition": "敬語が正しい。", "anchors": {"5": "完璧", "1": "誤り"}}
FLAG = {"name": "copy", "unit": "turn", "definition": "Copies the user.", "answers": {"kind": "flag", "na": True}}
WORDS = {"kind": "ordered", "categories": ["Rude", "neutral", "kind"], "na": True}
TONE = {"name": "Tone of voice", "unit": "conversation", "definition": "How it sounds.", "answers": WORDS}
DIALOGUE = ITEM.validate_python(
    {
        "id": "d",
        "kind": "dialogue",
        "turns": [{"turn": t, "role": role, "text": f"{role} {t}"} for t in (1, 2) for role in ("user", "assistant")],
    }
)
PAIR = ITEM.validate_python(
    {
        "id": "p",
        "kind": "pair",
        "input": "in",
        "response_a": {"text": "aaaa"},
        "response_b": {"text": "bbbb"},
        "sections": [{"label": "Start", "a": [0, 2], "b": [0, 4]}, {"label": "End", "a": [2, 4], "b": None}],
    }
)
RESPONSE = ITEM.validate_python({"id": "r", "kind": "response", "task": "t", "output": "o"})
ITEMS = {"dialogue": DIALOGUE, "pair": PAIR, "response": RESPONSE}


def recipe(kind: Kind, *dimensions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "own_card", "title": "Own card", "kind": kind, "dimensions": list(dimensions), **more}


MANNERS = from_recipe(check_recipe(recipe("dialogue", TURN, FLAG, TONE)))


def make_reply(**change: Any) -> dict[str, Any]:
    turns = [{"turn": t, "scores": {"敬語": t + 2, "copy": "n/a" if t == 1 else False}, "note": ""} for t in (1, 2)]
    return {"per_turn": turns, "conversation": {"tone_of_voice": {"score": " Kind ", "note": "warm"}}} | change


def test_anchors_are_answers_and_no_part_of_a_version() -> None:
    for card in cards().values():
        for d in card.dimensions:
            assert {answer for answer, _ in d.anchors} <= set(d.scale.answers), (card.name, d.name)
        bare = replace(card, dimensions=tuple(replace(d, anchors=()) for d in card.dimensions))
        assert bare.version == card.version
    (own,) = from_recipe(check_recipe(recipe("dialogue", TURN))).dimensions
    assert own.anchors == (("1", "誤り"), ("5", "完璧"))


def test_a_reply_about_turns_and_the_conversation_is_read_cell_by_cell() -> None:
    reading = read_reply(MANNERS, json.dumps(make_reply()), DIALOGUE)
    assert {(s.unit, s.dimension): s.value for s in reading.scores} == {
        ("turn:1", "敬語"): 3.0, ("turn:1", "copy"): None, ("turn:2", "敬語"): 4.0, ("turn:2", "copy"): 0.0,
        ("conversation", "tone_of_voice"): 2.0,
    }  # fmt: skip
    assert [(r.unit, r.dimension, r.sort, r.text) for r in reading.remarks] == [
        ("conversation", "tone_of_voice", "note", "warm")
    ]


def test_a_reply_about_sections_sides_and_the_pair_is_read_where_the_sides_have_them() -> None:
    yes = {"kind": "flag"}
    card = from_recipe(
        check_recipe(
            recipe(
                "pair",
                {"name": "depth", "unit": "section", "definition": "Deep."},
                {"name": "padded", "unit": "side", "definition": "Padded.", "answers": yes},
                {
                    "name": "winner", "unit": "pair", "definition": "Better.",
                    "answers": {"kind": "unordered", "categories": ["a", "b", "tie"]},
                },
            )
        )
    )  # fmt: skip
    side = {"padded": {"score": True, "note": ""}}
    reply: dict[str, Any] = {
        "sections": [
            {"section_label": "start", "response_a": {"depth": 1}, "response_b": {"depth": 2}, "note": ""},
            {"section_label": "End", "response_a": {"depth": 3}, "response_b": None, "note": ""},
        ],
        "responses": {"response_a": side, "response_b": {"padded": {"score": False, "note": "n"}}},
        "pair": {"winner": {"score": "tie", "note": ""}},
    }
    reading = read_reply(card, reply, PAIR)
    assert {(s.unit, s.dimension): s.value for s in reading.scores} == {
        ("section:1/a", "depth"): 1.0, ("section:1/b", "depth"): 2.0, ("section:2/a", "depth"): 3.0,
        ("response/a", "padded"): 1.0, ("response/b", "padded"): 0.0, ("pair", "winner"): 2.0,
    }  # fmt: skip
    del reply["sections"][1]
    assert read_reply(card, reply, PAIR).unscored == "incomplete"


@pytest.mark.parametrize(
    ("change", "reason", "says"),
    [
        ({"per_turn": make_reply()["per_turn"][:1]}, "incomplete", "turn 2"),
        ({"per_turn": [*make_reply()["per_turn"], make_reply()["per_turn"][0]]}, "unreadable", "twice"),
        ({"conversation": {}}, "incomplete", "tone_of_voice"),
        ({"conversation": {"tone_of_voice": {"score": "fine"}}}, "out_of_range", "tone_of_voice"),
        ({"more": 1}, "unreadable", "more"),
    ],
)
def test_what_cannot_be_read_is_unscored_with_the_reason(change: dict[str, Any], reason: str, says: str) -> None:
    reading = read_reply(MANNERS, json.dumps(make_reply(**change)), DIALOGUE)
    assert reading.unscored == reason and says in reading.why


def test_na_and_numbers_off_the_scale_are_no_answers_where_the_scale_has_none() -> None:
    for value in ("n/a", 0, 6, 4.5):
        turns = make_reply()["per_turn"]
        turns[0]["scores"]["敬語"] = value
        assert read_reply(MANNERS, json.dumps(make_reply(per_turn=turns)), DIALOGUE).unscored == "out_of_range", value


def test_the_prompt_and_the_schema_hold_what_was_written() -> None:
    prompt = MANNERS.prompts[""]
    for text in (
        "敬語が正しい。",
        "5: 完璧",
        '`"rude"`, `"neutral"`, `"kind"` (from worst to best), or `"n/a"`',
        "material",
    ):
        assert text in prompt
    assert prompt.index("5: 完璧") < prompt.index("1: 誤り")
    assert '"tone_of_voice"' in json.dumps(strict_schema(MANNERS.reply))
    more = from_recipe(check_recipe(recipe("dialogue", TURN, instructions="Mind the honorifics.")))
    assert "Mind the honorifics." in more.prompts[""]


def test_the_same_recipe_is_the_same_version_and_any_change_another() -> None:
    again = from_recipe(check_recipe(json.loads(json.dumps(MANNERS.recipe))))
    assert again.version == MANNERS.version
    for change in ({"title": "x"}, {"instructions": "x"}, {"dimensions": [TURN, FLAG]}):
        assert from_recipe(check_recipe(recipe("dialogue", TURN, FLAG, TONE) | change)).version != MANNERS.version


@pytest.mark.parametrize("kind", ["dialogue", "pair", "response"])
def test_every_kind_is_asked_about_with_its_material_fenced(kind: Kind) -> None:
    sort = {"dialogue": "turn", "pair": "pair", "response": "response"}[kind]
    card = from_recipe(check_recipe(recipe(kind, {"name": "depth", "unit": sort, "definition": "Deep."})))
    request = build_request(card, Params(orders="ab"), Task("k", ITEMS[kind]), "", {}, "text")
    assert "=== " in request.messages[-1]["content"] and request.schema is not None


@pytest.mark.parametrize(
    ("draft", "says"),
    [
        (recipe("dialogue", TURN | {"name": "turn"}), "reserved"),
        (recipe("dialogue", TURN | {"name": "2 much"}), "cannot name a dimension"),
        (recipe("dialogue", TURN, TURN), "twice"),
        (recipe("dialogue", TURN | {"unit": "side"}), "has: turn, conversation"),
        (recipe("dialogue", TURN | {"definition": ""}), "Dimension 1 (敬語), definition: is empty"),
        (recipe("dialogue", TURN | {"anchors": {"9": "x"}}), "no answer"),
        (recipe("dialogue", TURN | {"answers": {"lo": 5, "hi": 5}}), "no two answers"),
        (recipe("dialogue", TURN | {"answers": WORDS | {"categories": ["n/a", "b"]}, "anchors": {}}), "own mark"),
        (recipe("dialogue", TURN | {"answers": WORDS | {"categories": ["a"]}, "anchors": {}}), "answers; there are 1"),
        (recipe("dialogue", TURN | {"answers": {"kind": "stars"}}), "use ordinal"),
        (recipe("dialogue"), "at least one dimension"),
        (recipe("dialogue", TURN) | {"name": "tone_on_turns"}, "cannot name a card"),
        (recipe("dialogue", TURN) | {"name": "../etc"}, "cannot name a card"),
    ],
)
def test_what_cannot_be_a_card_is_refused_in_a_sentence(draft: dict[str, Any], says: str) -> None:
    with pytest.raises(BadCard) as refused:
        check_recipe(draft)
    assert says in str(refused.value)


@given(
    some.recursive(
        some.none() | some.integers() | some.text(), lambda x: some.lists(x) | some.dictionaries(some.text(), x)
    )
)
def test_whatever_comes_is_a_recipe_or_refused(value: Any) -> None:
    with pytest.raises(BadCard):
        check_recipe(value)
    with pytest.raises(BadCard):
        check_recipe(recipe("dialogue", value) if isinstance(value, dict) else {"dimensions": value})


def test_a_name_means_one_scale() -> None:
    own_recipe = check_recipe(recipe("dialogue", TURN | {"name": "helpfulness", "anchors": {}, "answers": {"hi": 3}}))
    scales = {("dialogue", "turn", "helpfulness"): Scale("ordinal", 1, 5)}
    assert "1 to 5" in find_clashes(own_recipe, scales)[0]
    assert find_clashes(own_recipe, {("dialogue", "conversation", "helpfulness"): Scale("flag")}) == []


def test_a_stored_card_is_had_again_in_its_own_words() -> None:
    folder = cards()["rubric_open_ended"]
    old = json.loads(json.dumps(folder.spec)) | {"prompts": {"": "older words"}}
    assert from_spec(old, cards()).prompts == {"": "older words"}
    other = old | {"dimensions": old["dimensions"][:2]}
    assert from_spec(other, cards()).version == folder.version, "read otherwise than then: the card as it is now"
    assert from_spec(json.loads(json.dumps(MANNERS.spec)), cards()).version == MANNERS.version
    with pytest.raises(UnknownCard):
        from_spec({"name": "gone", "recipe": None}, cards())
    with pytest.raises(BadCard):
        from_spec({"name": "new", "recipe": {"how": "telepathy"}}, cards())


def test_audits_are_those_that_rest_on_what_is_asked() -> None:
    def of(kind: Kind, *dimensions: dict[str, Any]) -> tuple[str, ...]:
        return from_recipe(check_recipe(recipe(kind, *dimensions))).audits

    side = {"kind": "unordered", "categories": ["a", "b", "tie"]}
    depth = {"name": "depth", "unit": "section", "definition": "Deep."}
    winner = {"name": "winner", "unit": "pair", "definition": "Better.", "answers": side}
    assert of("dialogue", TURN) == (
        "same_score", "scenario_ignored", "attention_drop", "own_family", "injected_order",
    )  # fmt: skip
    assert of("dialogue", FLAG) == ()
    assert of("pair", depth) == ("same_score",)
    assert of("pair", winner) == ("longer_wins", "first_place_wins", "injected_order")
    assert "opening_decides" in of("pair", depth, winner)


def test_who_won_is_told_by_whatever_question_has_the_sides_as_answers() -> None:
    from judges.audits import AuditEvidence, AuditReply, all_audits

    side = {"kind": "unordered", "categories": ["a", "tie", "b"]}
    winner = {"name": "winner", "unit": "pair", "definition": "Better.", "answers": side}
    card = from_recipe(check_recipe(recipe("pair", winner)))
    assert card.dimensions[0].scale.drawn == "tie", "as on every card for pairs: its name may be verdict too"
    items = {f"p{n}": PAIR for n in range(30)}
    reading = Reading((Score("pair", "winner", 0.0),), facts={"orders": {"ab": "a", "ba": "b"}})
    finding = all_audits()["first_place_wins"].find(
        AuditEvidence(card, "m", items, [AuditReply(key, reading) for key in items]), 0.0
    )
    assert (finding.verdict, finding.figure) == ("alarm", 1.0)
    assert finding.flags[0].dimension == "winner"
