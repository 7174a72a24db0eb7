"""Items and the replies of judges to them, for the tests of what one judgment is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from judges.card import Card
from judges.cards import card
from judges.params import Params
from judges.practice.answer import answer_message
from judges.practice.completion import reply_text
from judges.practice.family import FAMILIES, PracticeJudge
from judges.protocols.call_plan import CallReply, Task, fuse, pieces
from judges.protocols.messages import fence
from judges.reading.schema import strict_schema
from judges.sections import cut_sections
from judges.types import Dialogue, Pair

A = "# Costs\nThe bridge costs forty million.\n\n# Risks\nFloods may come.\n"
B = "# Costs\nIt is dear.\n\n# Future\nNobody knows.\n"


def dialogue(turns: int, key: str = "d", scenario: str = "A shop.") -> Dialogue:
    """A dialogue of so many user and assistant turns."""
    messages = [
        {"turn": n, "role": role, "text": f"{role} says {n}"}
        for n in range(1, turns + 1)
        for role in ("user", "assistant")
    ]
    return Dialogue.model_validate({"id": key, "kind": "dialogue", "scenario": scenario, "turns": messages})


def pair(text_a: str = A, text_b: str = B, text: str = "Should we build the bridge?") -> Pair:
    """A pair with its sections: of the usual texts Costs (both), Future (B only) and Risks (A only), in that order."""
    sides = {"response_a": {"system": "x", "text": text_a}, "response_b": {"system": "y", "text": text_b}}
    sections = [s.model_dump() for s in cut_sections(text_a, text_b)]
    return Pair.model_validate({"id": "p", "kind": "pair", "input": text, **sides, "sections": sections})


def turns_reply(
    scores: Mapping[int, tuple[int, int, int]],
    whole: tuple[int, int | str, int | str] = (4, 4, "n/a"),
    verdict: str = "good",
    weakest: int | None = None,
    summary: str | None = None,
) -> str:
    """A reply of multi_turn_dialogue: (context_use, helpfulness, safety) by turn, and the conversation."""
    names = ("context_use", "helpfulness", "safety")
    levels = ("coherence", "task_completion", "repair_handling")
    reply: dict[str, Any] = {
        "per_turn": [
            {"turn": turn, "role": "assistant", "scores": dict(zip(names, of, strict=True)), "issues": []}
            for turn, of in scores.items()
        ],
        "conversation_level": {n: {"score": s, "note": ""} for n, s in zip(levels, whole, strict=True)},
        "verdict": verdict,
        "decision_basis": "Because.",
        "weakest_turn": weakest,
    }
    return json.dumps(reply if summary is None else {**reply, "summary": summary}, ensure_ascii=False)


def pair_reply(
    item: Pair,
    a: Sequence[int] = (4, 4, 4),
    b: Sequence[int] = (3, 3, 3),
    verdict: str = "a",
    failures: tuple[Sequence[str], Sequence[str]] = ((), ()),
    aggregates: tuple[float, float] = (4.0, 3.0),
) -> str:
    """A reply of long_form_pairwise, with the same scores for every section of a side."""
    names = ("groundedness", "relevance", "quality")
    side = {"a": dict(zip(names, a, strict=True)), "b": dict(zip(names, b, strict=True))}
    return json.dumps(
        {
            "section_judgments": [
                {
                    "section_label": s.label,
                    "response_a": None if s.a is None else side["a"],
                    "response_b": None if s.b is None else side["b"],
                }
                for s in item.sections or []
            ],
            "long_form_failures": {"response_a": list(failures[0]), "response_b": list(failures[1])},
            "aggregate_scores": {"response_a": aggregates[0], "response_b": aggregates[1]},
            "verdict": verdict,
            "decision_basis": "Because.",
        }
    )


def answers(task: Task, raws: Mapping[str, str]) -> dict[str, CallReply]:
    """Answers with these raw texts, by piece."""
    return {piece: CallReply(task.key, task.part, task.sample, piece, raw) for piece, raw in raws.items()}


def fuse_replies(card: Card, params: Params, task: Task, raws: Sequence[str]) -> Any:
    """The judgment of these replies, one for each piece in order."""
    names = pieces(card, params, task)
    assert len(names) == len(raws), names
    return fuse(card, params, task, answers(task, dict(zip(names, raws, strict=True))))


def values(reading: Any) -> dict[tuple[str, str], float | None]:
    """The values of a reading by cell."""
    return {(s.unit, s.dimension): s.value for s in reading.scores}


def confidences(reading: Any) -> dict[tuple[str, str], tuple[float | None, str]]:
    """(confidence, source) by cell."""
    return {(s.unit, s.dimension): (s.confidence, s.source) for s in reading.scores}


_RATING = st.integers(1, 5)
_FLAGS = st.lists(st.sampled_from(["mid_content_drift", "lost_in_middle", "format_collapse"]), unique=True, max_size=2)


@st.composite
def any_turns_reply(draw: Any, turns: Sequence[int], summary: bool) -> str:
    """Any valid reply about these turns."""
    return turns_reply(
        {turn: draw(st.tuples(_RATING, _RATING, _RATING)) for turn in turns},
        (draw(_RATING), draw(_RATING | st.just("n/a")), draw(_RATING | st.just("n/a"))),
        draw(st.sampled_from(["poor", "borderline", "good", "excellent"])),
        draw(st.sampled_from([None, *turns])),
        draw(st.text(max_size=30)) if summary else None,
    )


@st.composite
def any_pair_reply(draw: Any, item: Pair) -> str:
    """Any valid reply about this pair."""
    return pair_reply(
        item,
        draw(st.tuples(_RATING, _RATING, _RATING)),
        draw(st.tuples(_RATING, _RATING, _RATING)),
        draw(st.sampled_from(["a", "tie", "b"])),
        (draw(_FLAGS), draw(_FLAGS)),
        (draw(st.floats(1, 5)), draw(st.floats(1, 5))),
    )


OURS = (
    *("long_form_pairwise", "mt_bench", "mt_bench_pair", "multi_turn_dialogue", "plain_pairwise", "pointwise_quality"),
    "rubric_open_ended",
)
"""The cards that Assay ships: of another one the tests ask what any card must have (test_soundness.py), and no more.

Names that tests invent begin with zz: whoever adds a card may take any other.
"""
SHIPPED = {name: card(name) for name in OURS}


def practice_reply(card: Card, item: Any, part: str = "") -> str:
    """The reply of the practice endpoint to a card's question about an item; of a card in prose, in prose."""
    judge = PracticeJudge(FAMILIES["practice-heuristic"], frozenset(), 0.0, 0, "")
    schema = None if card.text else strict_schema(card.reply)
    message = fence(card.name, card.fields(item, part), "k")
    reply = answer_message(judge, message, schema, schema is not None)
    return reply_text(reply)
