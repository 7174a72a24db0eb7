"""Objects in the cells of a table."""

from __future__ import annotations

from typing import Any

import pytest

from judges.importing.nested_cells import (
    nested_columns,
    replace_names,
    split_answer,
    unfold_records,
    unfold_row,
)
from judges.importing.summary_rows import drop_summaries
from judges.jsonl import Record
from tests.judges.importing.table_rows import match_rows

REPLY = 'Fine.\n```json\n{"rating": 4, "explanation": "clear"}\n```'


@pytest.mark.parametrize(
    ("name", "cell", "cells"),
    [
        ("judge", '{"score": 4, "reason": "clear"}', {"judge.score": 4, "judge.reason": "clear"}),
        ("judge", {"score": 4, "cost": 0.1, "id": 7}, {"judge.score": 4}),
        ("gpt-4o", REPLY, {"gpt-4o.rating": 4, "gpt-4o.explanation": "clear"}),
        ("judge", "{'score': 3, 'confidence': 0.5, 'why': None}", {"judge.score": 3, "judge.confidence": 0.5}),
        ("judge_output", "Good.\n\nRating: [[4]]", {
            "judge_output.score": "4", "judge_output.reason": "Good.\n\nRating: [[4]]",
        }),
        ("expert", '{"tone": 4, "facts": 2}', {"expert.tone": 4, "expert.facts": 2}),
        ("rating", '{"value": true, "comment": "yes"}', {"rating.value": True, "rating.comment": "yes"}),
        ("gold", {"score": 4, "reason": "clear"}, {"gold.score": 4, "gold.reason": "clear"}),
        ("labels", {"tone": 4, "facts": 2}, {"labels.tone": 4, "labels.facts": 2}),
        ("inputs", '{"question": "q"}', {"inputs.question": "q"}),
        ("outputs", {"content": "a", "role": "assistant"}, {"outputs.content": "a"}),
        ("Outputs", {"docs": ["d"], "answer": "a"}, {"Outputs.answer": "a", "Outputs.docs": '["d"]'}),
        ("inputs", {"messages": [{"role": "user", "content": "q"}]}, {"inputs.messages": "q"}),
        (
            "inputs", {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}]},
            {"inputs.messages": "system: s\n\nuser: q"},
        ),
    ],
)
def test_fields_of_objects_are_columns(name: str, cell: Any, cells: dict[str, Any]) -> None:
    row = {"id": 1, name: cell}
    nested = nested_columns([row])
    assert unfold_row(row, nested) == row | cells and list(unfold_row(row, nested)) == [*row, *cells]


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("output", "A set is written {1, 2}."),
        ("output", "{'unfinished"),
        ("judge", "no {object} here"),
        ("judge", "[[A]]"),
        ("judge", "First I gave it [[3]], and then, on a second thought, [[4]]."),
        ("scores", '{"tone": 4, "facts": 2}'),  # whose they are is not known
        ("meta", {"score": 4}),
        ("prediction", {"label": "good", "score": 0.93}),  # it may be of what is judged
        ("judge", '{"text": "long words that are no answer on any scale that is known here"}'),
        ("judge_reason", '{"score": 4}'),
        ("gold", {"text": "Paris is the capital.", "page": 4}),
    ],
)
def test_other_cells_stay_as_they_are(name: str, cell: Any) -> None:
    assert nested_columns([{"id": 1, name: cell}]) == {}


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        ("a", ("", "a")),
        (None, ("", "")),
        (["a", "b"], ("", "['a', 'b']")),
        ([{"role": "assistant", "content": "a"}], ("", "a")),
        ([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], ("q", "a")),
        ([{"from": "human", "value": "q"}] * 2 + [{"from": "gpt", "value": "a"}], ("human: q\n\nhuman: q", "a")),
    ],
)
def test_the_answer_of_a_chat_is_its_last_message(cell: Any, parts: tuple[str, str]) -> None:
    assert split_answer(cell) == parts


def test_a_plain_answer_may_stand_beside_objects_with_one() -> None:
    rows = [{"judge": '{"score": 4, "reason": "r"}'}, {"judge": "5"}, {"judge": ""}]
    nested = nested_columns(rows)
    assert [unfold_row(row, nested)["judge.score"] for row in rows] == [4, "5", ""]
    assert replace_names(["judge", "human"], nested) == ["judge.score", "human"]


def test_a_record_with_a_problem_stays_as_it_is() -> None:
    records = [Record(2, {"judge": '{"score": 4}'}), Record(3, {}, "...", "has 1 field")]
    unfolded, nested = unfold_records(iter(records))
    assert [record.value.get("judge.score") for record in unfolded] == [4, None] and set(nested) == {"judge"}


def test_the_first_rows_that_can_be_read_say_which_columns_hold_objects() -> None:
    bad = [Record(line, {}, "...", "has 1 field") for line in range(2, 32)]
    unfolded, nested = unfold_records(iter([*bad, Record(32, {"judge": '{"score": 4}'})]))
    assert set(nested) == {"judge"} and [record.value.get("judge.score") for record in unfolded][-2:] == [None, 4]


@pytest.mark.parametrize("named", [[], ["judge"]])
def test_the_agreement_of_a_table_reads_them(named: list[str]) -> None:
    rows = [{"id": f"q{n}", "judge": f'{{"score": {n % 5 + 1}}}', "human": n % 5 + 1} for n in range(20)]
    match = match_rows(rows, named, ["human"] if named else [])
    assert match.judge == "judge" and [reply.reading.scores[0].value for reply in match.replies[:2]] == [1, 2]


def test_a_row_that_sums_up_the_others_is_known_by_its_first_own_cell() -> None:
    rows: list[dict[str, Any]] = [{"id": f"q{n}", "judge": '{"score": 4}', "human": 4} for n in range(20)]
    records = [Record(line, row) for line, row in enumerate([*rows, {"id": "Total", "judge": 80, "human": 80}], 2)]
    unfolded = (record.value for record in unfold_records(iter(records))[0])
    names: list[str] = []
    assert len(list(drop_summaries(unfolded, lambda row: row, names))) == 20 and names == ["Total"]
