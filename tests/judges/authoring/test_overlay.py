"""A card for responses laid over dialogues: its scores are the turn's."""

from __future__ import annotations

import json

import pytest

from judges.authoring.custom import from_spec
from judges.authoring.overlay import apply_per_turn
from judges.cards import cards
from judges.errors import BadCard
from judges.params import Params
from judges.protocols.call_plan import CallReply, build_request, fuse, tasks
from judges.protocols.messages import read_fence
from judges.types import ITEM

BASE = cards()["rubric_open_ended"]
LAID = apply_per_turn(BASE)
ITEM_ = ITEM.validate_python(
    {
        "id": "d",
        "kind": "dialogue",
        "scenario": "A refund.",
        "turns": [
            {"turn": t, "role": role, "text": f"{role} says {t}"} for t in (1, 2) for role in ("user", "assistant")
        ],
    }
)
REPLY = json.dumps(
    {
        "scores": {"factuality": 2, "instruction_following": 4, "coherence": 5, "completeness": 3},
        "verdict": "borderline",
        "decision_basis": "It invents a date.",
        "issues": ["invented date"],
    }
)


def test_each_assistant_turn_is_asked_about_with_what_came_before_and_nothing_after() -> None:
    turn_tasks = list(tasks(LAID, Params(), [("k", ITEM_)]))
    assert [t.part for t in turn_tasks] == ["turn:1", "turn:2"]
    for task in turn_tasks:
        request = build_request(LAID, Params(), task, "", {}, "json_schema")
        fence = read_fence(request.messages[-1]["content"])
        assert fence is not None
        number = int(task.part[5:])
        assert fence[1]["model_output"] == f"assistant says {number}"
        before = fence[1]["task_description"]
        assert before.startswith("[scenario]\nA refund.") and before.endswith(f"user says {number}")
        assert f"assistant says {number}" not in before
        assert ("assistant says 1" in before) == (number == 2)
        assert "`task_description` holds the conversation so far" in request.messages[0]["content"]


def test_the_scores_and_remarks_are_those_of_the_turn() -> None:
    task = list(tasks(LAID, Params(), [("k", ITEM_)]))[1]
    reading = fuse(LAID, Params(), task, {"": CallReply("k", "turn:2", 0, "", REPLY)}).reading
    assert {(s.unit, s.dimension): s.value for s in reading.scores} == {
        ("turn:2", "factuality"): 2.0, ("turn:2", "instruction_following"): 4.0, ("turn:2", "coherence"): 5.0,
        ("turn:2", "completeness"): 3.0, ("turn:2", "verdict"): 1.0,
    }  # fmt: skip
    assert {r.unit for r in reading.remarks} == {"turn:2"}


def test_its_version_covers_the_card_below_and_it_is_had_again_from_what_is_stored() -> None:
    named = cards()["pointwise_quality"]
    for card in (BASE, named):
        laid = apply_per_turn(card)
        assert laid.name == f"{card.name}_on_turns"
        assert from_spec(json.loads(json.dumps(laid.spec)), cards()).version == laid.version
    other = apply_per_turn(from_spec(json.loads(json.dumps(BASE.spec)) | {"prompts": {"": "other words"}}, cards()))
    assert other.version != LAID.version


def test_only_cards_for_responses_are_laid_over_and_only_over_dialogues() -> None:
    with pytest.raises(BadCard, match="cannot be applied"):
        apply_per_turn(cards()["multi_turn_dialogue"])
    with pytest.raises(BadCard, match="not to a pair"):
        apply_per_turn(BASE, "pair")  # type: ignore[arg-type]
