"""What other tools' files say under names of their own, made into scores and labels of the questions that are meant."""

from __future__ import annotations

from typing import Any

from data.importing.plan import Question
from data.importing.source_reader import UNKNOWN, match_questions
from judges.authoring.recipe import RecipeScale
from judges.importing.entries import Hint, Line, NamedValue, RejectedRow


def opinion(
    item: str, value: Any, by: str = "judge", rater: str = "j", line: int = 1, unit: str = "response",
    name: str = "Tone", **more: Any,
) -> NamedValue:  # fmt: skip
    return NamedValue("f", line, item, "response", unit, name, value, by, rater, **more)


ANSWERS = RecipeScale(lo=1, hi=5)
QUESTIONS = [
    Question("judge", "response", "response", "Tone", "mine", "tone", ANSWERS),
    Question("person", "response", "response", "Tone", "mine", "tone", ANSWERS),
    Question("judge", "response", "response", "Fit", "mine", "fit", None, "other"),
    Question("person", "response", "response", "Fit", "mine", "fit", None, "kim"),
]


def test_values_of_a_judge_become_judgments_and_a_persons_labels() -> None:
    others = [Line("f", 1, "item", {"id": "i"}), RejectedRow("f", 2, []), Hint("So.")]
    entries = [
        *others, opinion("i", "4 / 5", note="Why.", confidence=0.5, row={"n": 1}),
        opinion("i", "odd", name="Fit", line=2), opinion("i", 2.0, line=3), opinion("k", "9", rater="", line=4),
        opinion("i", "3", "person", "ann", made_at="2026-01-01", line=5, row={"n": 5}),
        opinion("i", "x", "person", "", made_at="2026-01-01", line=6),
        opinion("i", "Yes", "person", "ann", name="Fit", made_at="2026-01-01", line=7),
    ]  # fmt: skip
    lines = list(match_questions(entries, QUESTIONS))
    assert lines[:3] == others
    label = {"item": "i", "unit": "response", "mode": "blind", "made_at": "2026-01-01"}
    assert lines[3:6] == [
        Line("f", 5, "label", {**label, "dimension": "tone", "value": 3, "annotator": "ann"}, {"n": 5}),
        Line("f", 6, "label", {**label, "dimension": "tone", "value": "x", "annotator": UNKNOWN}),
        Line("f", 7, "label", {**label, "dimension": "fit", "value": "yes", "annotator": "kim"}),
    ]
    judged, tone = {"item": "i", "card": "mine", "params": {}}, {"unit": "response", "dimension": "tone"}
    assert lines[6:] == [
        Line("f", 1, "judgment", {**judged, "model": "j", "scores": [{**tone, "value": 4, "note": "Why.",
                                                                      "confidence": 0.5}]}, {"n": 1}),
        Line("f", 1, "judgment", {**judged, "model": "j", "scores": [{**tone, "value": 2}]}, {"n": 1}),
        Line("f", 2, "judgment", {**judged, "model": "other", "scores": [
            {"unit": "response", "dimension": "fit", "value": "odd"}]}),
        Line("f", 4, "judgment", {**judged, "item": "k", "model": "judge", "scores": [
            {**tone, "value": "9"}]}),
    ]  # fmt: skip


def test_none_is_an_answer_where_the_scale_has_that_word() -> None:
    harm = [Question("person", "response", "response", "Tone", "mine", "harm",
                     RecipeScale(kind="ordered", categories=["none", "minor"]))]  # fmt: skip
    cells = ("none", "None", "n/a", "minor")
    lines = list(match_questions([opinion("i", cell, "person", "ann") for cell in cells], harm))
    assert [line.data["value"] for line in lines if isinstance(line, Line)] == ["none", "none", "minor"]
    assert lines[-1] == Hint("Left out: 1 empty value.")


def test_votes_without_a_time_are_told_apart_by_how_often_they_occur() -> None:
    votes = [opinion("i", n, "person", "ann", line=n) for n in (3, 3, 4)]
    lines = list(
        match_questions([*votes, opinion("i", 3, "person", "ben"), opinion("i", 3, "person", "ann")], QUESTIONS)
    )
    assert [line.nth for line in lines] == [0, 1, 0, 0, 2]  # type: ignore[union-attr]
    assert len({line.data["made_at"] for line in lines}) == 1  # type: ignore[union-attr]


def test_what_no_question_was_chosen_for_is_counted_and_told() -> None:
    entries = [
        opinion("i", 1, name="None"), opinion("i", 1, name="None"), opinion("i", 1, name="Of", unit="turn:3"),
        opinion("i", 1, name="Odd", unit="nowhere"), opinion("i", "n/a"), opinion("i", ""),
    ]  # fmt: skip
    assert list(match_questions(entries, QUESTIONS)) == [
        Hint("Left out: 2 empty values."),
        Hint("Left out: 2 values of None of response: no question was chosen for them."),
        Hint("Left out: 1 value of Of of turn: no question was chosen for them."),
        Hint("Left out: 1 value of Odd of nowhere: no question was chosen for them."),
    ]
    many = [opinion("i", 1, name=f"n{n}") for n in range(30)]
    assert len(list(match_questions(many, QUESTIONS))) == 20
