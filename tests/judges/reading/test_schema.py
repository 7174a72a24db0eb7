"""The schema that endpoints are held to: only what all of them know, and every reply that can be read fits it."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import Enum
from functools import cache
from typing import Any, Literal

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from judges.card import Card
from judges.cards import card
from judges.cards.pointwise_quality.card import card_with_dimensions
from judges.errors import BadCard
from judges.reading.reading import read_reply
from judges.reading.schema import schema_in_words, strict_schema
from judges.types import Strict
from tests import seeds
from tests.judges.reading.test_replies import GOOD, ITEMS
from tests.judges.replies import SHIPPED, practice_reply
from tools import sample

JSON = [shipped for shipped in SHIPPED.values() if shipped.text is None]
KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"}


def nodes(schema: dict[str, Any]) -> list[dict[str, Any]]:
    inside = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *filter(None, [schema.get("items")])]
    return [schema, *(node for child in inside for node in nodes(child))]


@pytest.mark.parametrize("card", [*SHIPPED.values(), card_with_dimensions([("zz冗長さ", "")])], ids=lambda c: c.name)
def test_only_what_every_endpoint_takes(card: Card) -> None:
    schema = strict_schema(card.reply)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    for node in nodes(schema):
        assert node.keys() <= KEYWORDS, node
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
        assert ("type" in node) != ("anyOf" in node)


def test_scores_are_lists_of_numbers_and_na_is_a_word() -> None:
    properties = strict_schema(card("multi_turn_dialogue").reply)["properties"]
    turn = properties["per_turn"]["items"]["properties"]
    assert turn["scores"]["properties"]["safety"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert turn["role"] == {"type": "string", "enum": ["assistant"]}
    repair = properties["conversation_level"]["properties"]["repair_handling"]["properties"]["score"]
    assert repair == {"anyOf": [{"type": "integer", "enum": [1, 2, 3, 4, 5]}, {"type": "string", "enum": ["n/a"]}]}
    assert properties["weakest_turn"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}


def test_the_named_dimensions_are_the_only_names() -> None:
    item = strict_schema(card_with_dimensions([("zz_tone", ""), ("zz_reach", "")]).reply)["properties"]["dimensions"][
        "items"
    ]["properties"]
    assert item["name"] == {"type": "string", "enum": ["zz_tone", "zz_reach"]}
    assert item["confidence"] == {"type": "string", "enum": ["high", "medium", "low"]}


class Colour(Enum):
    red = "red"


class Inner(Strict):
    flag: bool | None = None
    mixed: Literal[1, 2, "n/a", None] = None


class Model(Strict):
    inner: Inner
    colour: Colour = Colour.red
    wide: int = Field(ge=0, le=100)
    three: int = Field(ge=1, le=3, description="a number", examples=[2])
    many: list[Inner] = Field(default_factory=list, max_length=3)


def test_other_models_are_brought_to_the_same_subset() -> None:
    inner = {
        "type": "object",
        "properties": {
            "flag": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
            "mixed": {"anyOf": [
                {"type": "integer", "enum": [1, 2]}, {"type": "string", "enum": ["n/a"]}, {"type": "null"},
            ]},
        },
        "required": ["flag", "mixed"],
        "additionalProperties": False,
    }  # fmt: skip
    assert strict_schema(Model)["properties"] == {
        "inner": inner,
        "colour": {"type": "string", "enum": ["red"]},
        "wide": {"type": "integer"},
        "three": {"type": "integer", "enum": [1, 2, 3]},
        "many": {"type": "array", "items": inner},
    }


class Free(BaseModel):
    free: dict[str, int]


class Anything(BaseModel):
    anything: Any


class Itself(BaseModel):
    more: list[Itself] = []


class Places(BaseModel):
    places: tuple[int, str]


@pytest.mark.parametrize("model", [Free, Anything, Places, Itself])
def test_a_model_that_no_endpoint_can_be_held_to_is_refused(model: type[BaseModel]) -> None:
    with pytest.raises(BadCard, match=r"Free\.free|Anything\.anything|Places\.places|within itself"):
        strict_schema(model)


def test_each_caller_has_a_copy() -> None:
    model = card("plain_pairwise").reply
    strict_schema(model)["properties"].clear()
    assert strict_schema(model)["properties"]


@cache
def replies() -> list[tuple[str, dict[str, Any]]]:
    """(card, reply) of every reply that the samples, the seeds and the table of replies hold as JSON.

    Of a card that is in none of them it is the practice endpoint's.
    """
    rows = [(row["card"], row["reply"]) for d in sample.generate(3).datasets for row in d.judgments if "reply" in row]
    seeded = [("multi_turn_dialogue", seeds.reply(seeds.dialogue(n, turns=n))) for n in (1, 3, 12)]
    ours = [*rows, *seeded, *GOOD.items()]
    others = {shipped.name for shipped in JSON} - {name for name, _ in ours}
    return ours + [(name, json.loads(practice_reply(card(name), ITEMS[card(name).kind]))) for name in sorted(others)]


def test_every_reply_that_there_is_fits_its_schema() -> None:
    pairs = replies()
    known = {shipped.name for shipped in JSON}
    assert {name for name, _ in pairs} & known == known
    for name in known:
        validator = jsonschema.Draft202012Validator(strict_schema(card(name).reply))
        stored = [reply for other, reply in pairs if other == name]
        assert [next(validator.iter_errors(reply), None) for reply in stored[:400]] == [None] * len(stored[:400])


def schema_values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Anything that a strict schema allows."""
    if "anyOf" in schema:
        return st.one_of([schema_values(option) for option in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "object":
        return st.fixed_dictionaries({key: schema_values(value) for key, value in schema["properties"].items()})
    if schema["type"] == "array":
        return st.lists(schema_values(schema["items"]), max_size=4)
    return {
        "string": st.text(max_size=5),
        "integer": st.integers(0, 4),
        "number": st.floats(1, 5),
        "boolean": st.booleans(),
        "null": st.none(),
    }[schema["type"]]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_a_schema_lets_through_is_read_or_lacks_something_and_never_refused_for_its_form(
    data: st.DataObject,
) -> None:
    card = data.draw(st.sampled_from(JSON))
    reply = data.draw(schema_values(strict_schema(card.reply)))
    reading = read_reply(card, json.dumps(reply), ITEMS[card.kind])
    # The schema cannot say that a turn comes once, that it is there at all, or where a number ends.
    twice = reading.unscored == "unreadable" and "twice" in reading.why
    turn_zero = reading.unscored == "out_of_range" and ".turn:" in reading.why
    assert twice or turn_zero or reading.unscored in (None, "incomplete"), reading.why


@pytest.mark.parametrize("card", JSON, ids=lambda c: c.name)
def test_the_words_hold_every_key_and_value(card: Card) -> None:
    words = schema_in_words(card)
    assert words.startswith("Reply with one JSON object and nothing else")
    for node in nodes(strict_schema(card.reply)):
        for key in [*node.get("properties", {}), *(v for v in node.get("enum", ()) if isinstance(v, str))]:
            assert f'"{key}"' in words


def test_the_words_by_hand() -> None:
    assert (
        schema_in_words(card("plain_pairwise")).splitlines()[-1] == '{"reason": <text>, "verdict": "a" | "b" | "tie"}'
    )
    assert schema_in_words(card("mt_bench")) == ""
    reply = create_model("Numbers", two=(Literal[0, 1], ...), three=(Literal[1, 2, 3], ...))
    words = schema_in_words(replace(card("plain_pairwise"), reply=reply))
    assert words.splitlines()[-1] == '{"two": 0 | 1, "three": <1 to 3>}'
    rubric = schema_in_words(card("rubric_open_ended")).splitlines()[-1]
    assert rubric.startswith('{"scores": {"factuality": <1 to 5>, ')
    assert rubric.endswith('"decision_basis": <text>, "issues": [<text>, ...]}')
