"""`python -m judges agree` on tables: whose the columns are, on which scale, and what is said where that is unclear."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from judges.cli import main
from tests.judges.importing.table_rows import match_rows


def table(folder: Path, header: str, rows: list[str], encoding: str = "utf-8") -> str:
    file = folder / "t.csv"
    file.write_text("\n".join([header, *rows]) + "\n", encoding=encoding)
    return str(file)


def figures(capsys: pytest.CaptureFixture[str], *args: str) -> list[dict[str, Any]]:
    assert main(["agree", *args, "--json"]) == 0
    agreements: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return agreements


def test_two_columns_give_kappa(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(3)
    pairs = [(rng.randint(1, 5), rng.randint(1, 5)) for _ in range(60)]
    file = table(tmp_path, "judge,human", [f"{a}.0,{b}" for a, b in pairs])
    (agreement,) = figures(capsys, file)
    expected = cohen_kappa_score(*zip(*pairs, strict=True), weights="quadratic")
    assert agreement["kappa"] == pytest.approx(expected) and agreement["items"] == 60
    words = [("pass" if a > 2 else "FAIL", "1" if b > 2 else "0") for a, b in pairs]
    (agreement,) = figures(capsys, table(tmp_path, "llm_verdict;expert", [f"{a};{b}" for a, b in words], "utf-8-sig"))
    expected = cohen_kappa_score([a > 2 for a, _ in pairs], [b > 2 for _, b in pairs])
    assert agreement["kappa"] == pytest.approx(expected) and agreement["weights"] is None


def test_people_and_judges_in_columns_or_in_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(n, 1 + n % 5, 1 + n % 4, 1 + n % 5, 1 + n % 3) for n in range(30)]
    header = "id,gpt-4_score,claude_score,annotator_1,annotator_2"
    wide = table(tmp_path, header, [",".join(map(str, r)) for r in rows])
    first = figures(capsys, wide)
    assert [block["judge"] for block in first] == ["gpt-4", "claude"]
    names = ("gpt-4", "claude", "human 1", "human 2")
    lines = [f"{n},{rater},{value}" for n, *values in rows for rater, value in zip(names, values, strict=True)]
    long = figures(capsys, table(tmp_path, "item,rater,score", lines))
    assert [b["dimensions"][0]["kappa"] for b in first] == [b["dimensions"][0]["kappa"] for b in long]


def test_answers_whose_question_a_column_names_are_compared_question_by_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(5)
    names = {"tone": "tone", "Fact-check": "fact_check", "流暢さ": "流暢さ"}
    rows = [(n, name, chance.randint(1, 5), chance.randint(1, 5)) for name in names for n in range(20)]
    chance.shuffle(rows)
    for header in ("id,metric,judge_score,human_score", "id,観点,gpt-4o,human"):
        blocks = figures(capsys, table(tmp_path, header, [",".join(map(str, row)) for row in rows]))
        assert {block["dimension"] for block in blocks} == set(names.values())
        for name, dimension in names.items():
            (of_name,) = [block for block in blocks if block["dimension"] == dimension]
            pairs = [values for _, named, *values in rows if named == name]
            assert of_name["items"] == len(pairs)
            assert of_name["kappa"] == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True), weights="quadratic"))
    raters = ("gpt-4o", "ann")
    lines = [f"{n},{rater},{name},{v}" for n, name, *values in rows for rater, v in zip(raters, values, strict=True)]
    by_rater = figures(capsys, file := table(tmp_path, "id,rater,criterion,score", lines))
    assert main(["agree", file]) == 0 and "People: ann." in capsys.readouterr().out
    kappas = {block["dimension"]: block["kappa"] for block in by_rater}
    assert kappas == {block["dimension"]: block["kappa"] for block in blocks}
    again = table(tmp_path, "id,metric,judge,human", ["q1,tone,1,2", "q1,style,2,2", "q1,tone,3,3", "q2,tone,1,1"])
    assert main(["agree", again]) == 0
    assert "id repeats, and no column tells its rows apart: they are answers to one item." in capsys.readouterr().out


@pytest.mark.parametrize("header", ["role,text", "turn,role,text", "message_index,role,text", "user,assistant"])
def test_answers_in_the_rows_of_dialogues_are_about_turns_or_the_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], header: str
) -> None:
    chance = random.Random(7)
    turns = [(d, t, chance.randint(1, 5), chance.randint(1, 5)) for d in range(15) for t in range(1, 2 + d % 4)]
    wholes = [(chance.randint(1, 3), chance.randint(1, 3)) for _ in range(15)]
    lines = []
    for d, t, *values in turns:
        cells = {"turn": t, "message_index": 2 * t, "user": f"q{t}", "assistant": f"a{t}"}
        roles = [{}] if "user" in header else [{"role": "user", "text": "So?"}, {"role": "assistant", "text": "So."}]
        for row in roles:
            fields = [{**cells, **row}[name] for name in header.split(",")]
            about_turn = ["", ""] if row.get("role") == "user" else values
            lines.append(",".join(map(str, (f"d{d}", *fields, *about_turn, *wholes[d]))))
    file = table(tmp_path, f"dialog_id,{header},judge_tone,human_tone,judge_overall,human_overall", lines)
    of_turns, of_wholes = figures(capsys, file)
    assert (of_turns["unit"], of_turns["items"], of_turns["ratings"]) == ("turn", 15, len(turns))
    expected = cohen_kappa_score(*zip(*(values for _, _, *values in turns), strict=True), weights="quadratic")
    assert of_turns["kappa"] == pytest.approx(expected)
    assert (of_wholes["unit"], of_wholes["items"], of_wholes["ratings"]) == ("conversation", 15, 15)
    assert of_wholes["kappa"] == pytest.approx(cohen_kappa_score(*zip(*wholes, strict=True), weights="quadratic"))


def test_a_turn_that_each_person_has_a_row_of_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(d, rater, t) for d in range(12) for rater in ("gpt-4o", "ann", "ben") for t in (1, 2, 3)]
    lines = [f"d{d},q{t},a{t},{rater},{1 + (d * t + (rater == 'ben')) % 4}" for d, rater, t in rows]
    (agreement,) = figures(capsys, table(tmp_path, "dialogue_id,user,assistant,rater,score", lines))
    assert (agreement["items"], agreement["ratings"]) == (12, 36)


@pytest.mark.parametrize(
    ("header", "rows", "sentence"),
    [
        ("score_1,score_2", ["1,2", "2,3"], "It has: score_1, score_2."),
        ("judge,human", ["1,2", "2,error", "3,3"], "line 3: value: 'error' is no answer here: allowed are 1 to 3."),
        ("judge,human", ["1,good", "2,bad", "3,good"], "judge, human: judge has 1 to 3; human has bad, good."),
        ("judge,judge", ["1,2"], "names 'judge' twice"),
        ("judge,human", ["1,2", "1,2,3"], "line 3: The row has 3 fields, and the header has 2."),
        ("human,expert", ["1,2", "3,4"], "Found: human, expert as a person's"),
        ("judge,human_ann,human_ben", ["1,2,2", "3,4,4"], "no judge and no person answer the same question"),
        ("judge,human", [], "there is no line in it"),
        ("id,judge,human", ["q1,1,2", ",2,2", ",3,1"], "lines 3 and 4: The row has no id: id is empty.\n--good-rows"),
        ("文,图", ["x,y", "z,w"], "--judge COLUMN --human COLUMN"),
    ],
)
def test_what_cannot_be_told_is_asked_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], header: str, rows: list[str], sentence: str
) -> None:
    assert main(["agree", table(tmp_path, header, rows)]) == 1
    output = capsys.readouterr()
    assert sentence in output.err and output.out == "" and "Traceback" not in output.err


def test_the_scale_of_a_column_can_be_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{1 + n % 5},{99 if n == 3 else 1 + n % 4}" for n in range(40)]
    file = table(tmp_path, "judge,human", rows)
    (agreement,) = figures(capsys, file)
    assert agreement["ratings"] == 39
    (agreement,) = figures(capsys, file, "--scale", "human=1-99")
    assert agreement["ratings"] == 40
    assert main(["agree", file, "--scale", "tone=1-9"]) == 1
    assert f"{file} has no answers called 'tone'. It has: judge, human." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ({"id": {"0": "a", "1": "b"}, "judge": {"0": 1, "1": 2}, "human": {"0": 1, "1": 2}}, ": with pandas, to_json("),
        ({"results": [{"id": "a", "judge": 1, "human": 2}]}, ".\n"),
    ],
)
def test_an_object_that_holds_the_rows_is_no_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], value: dict[str, Any], advice: str
) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(value))
    assert main(["agree", str(file)]) == 1
    keys = ", ".join(sorted(value))
    says = f"{file} is one JSON object (its keys: {keys}). Give its rows as a list in brackets, or as JSON lines"
    assert capsys.readouterr().err.startswith(f"{says}{advice}")


@pytest.mark.parametrize("words", [["--delta", ".2"], ["--near"], ["--source", "stated"]])
def test_what_goes_with_a_target_is_not_passed_over_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    file = table(tmp_path, "judge,human", [f"{n % 5},{n % 4}" for n in range(20)])
    assert main(["agree", file, *words]) == 1
    assert capsys.readouterr().err == "--delta, --near and --source go with --target.\n"


def test_a_pipe_is_told_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert main(["agree", str(tmp_path / "pipe")]) == 1
    assert "pipe is a pipe, and it is read more than once" in capsys.readouterr().err


def test_columns_can_be_named_and_bad_rows_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = table(tmp_path, "score_1,score_2", [*(f"{1 + n % 5},{1 + n % 4}" for n in range(20)), "3,error"])
    named = ("--judge", "score_1", "--human", "score_2")
    (agreement,) = figures(capsys, file, *named, "--good-rows")
    assert agreement["ratings"] == 20
    assert main(["agree", file, *named]) == 1
    assert main(["agree", file, "--judge", "none", "--human", "score_2"]) == 1
    assert "has no column 'none'" in capsys.readouterr().err


def test_rows_without_an_id_are_left_out_of_the_good_rows_and_ids_may_be_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{'' if n < 2 else n},{'xy'[n % 2]},{1 + n % 5},{1 + n % 4}" for n in range(20)]
    (agreement,) = figures(capsys, table(tmp_path, "id,model,judge,human", rows), "--good-rows")
    assert (agreement["items"], agreement["ratings"]) == (18, 18)
    rows = [f"{'x' * 400}{n // 2},{'gpt-4' if n % 2 else 'ann'},{1 + n % 5}" for n in range(20)]
    for names in ("id,rater,score", "answer,rater,score"):
        (agreement,) = figures(capsys, table(tmp_path, names, rows))
        assert (agreement["items"], agreement["ratings"]) == (10, 10)


def test_what_a_judge_says_off_the_scale_is_a_reply_without_a_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four agree; of the fifth the judge says nothing that counts, which is its lowest answer if one says so."""
    rows = ["1,1", "2,2", "3,3", "2,2", "error,3"]
    file = table(tmp_path, "judge,human", rows)
    (agreement,) = figures(capsys, file)
    assert (agreement["ratings"], agreement["kappa"], agreement["unscored"]) == (4, 1, 1)
    (agreement,) = figures(capsys, file, "--missing", "lowest")
    assert (agreement["ratings"], agreement["agreement"]) == (5, 0.8)
    assert main(["agree", file]) == 0
    assert "judge: numbers and words are mixed: 'error'.\n" in capsys.readouterr().out


def test_judges_and_people_in_tables_of_their_own_meet_by_their_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge, human = tmp_path / "judge.csv", tmp_path / "human.csv"
    judge.write_text("\n".join(["id,gpt-4_score", *(f"q{n},{1 + n % 5}" for n in range(20))]))
    human.write_text("\n".join(["id,human_score", *(f"q{n},{1 + n % 4}" for n in reversed(range(30)))]))
    (agreement,) = figures(capsys, str(judge), str(human))
    pairs = zip(*((1 + n % 5, 1 + n % 4) for n in range(20)), strict=True)
    assert agreement["ratings"] == 20
    assert agreement["kappa"] == pytest.approx(cohen_kappa_score(*pairs, weights="quadratic"))


def test_verdicts_in_both_orders_of_a_pair_are_one_judgment_of_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The judge names a place; of every fourth pair it names the first in both orders, which is a tie."""
    sides = [("a", "a") if n % 4 == 0 else ("a", "b") if n % 2 else ("b", "a") for n in range(20)]
    rows = [f"q{n},x{n},y{n},{ab},{ba},{'tie' if ab == ba else ab}" for n, (ab, ba) in enumerate(sides)]
    file = table(tmp_path, "prompt,answer_a,answer_b,judge_winner,judge_winner_swapped,human_winner", rows)
    (agreement,) = figures(capsys, file)
    assert (agreement["ratings"], agreement["kappa"]) == (20, 1)


def test_people_whose_names_stand_in_their_columns_can_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{1 + n % 5},{1 + n % 4},{1 + n % 3}" for n in range(20)]
    file = table(tmp_path, "judge_score,human_ann,human_ben", rows)
    (agreement,) = figures(capsys, file, "--judge", "judge_score", "--human", "human_ann", "--human", "human_ben")
    assert agreement["ratings"] == 20
    assert agreement["bias"] == pytest.approx(sum(n % 5 - (n % 4 + n % 3) / 2 for n in range(20)) / 20)


def test_rows_of_one_id_are_told_apart_and_codes_of_pairs_are_verdicts() -> None:
    rows = [{"id": n, "model": m, "human": n % 5, "judge": (n + (m == "x")) % 5} for n in range(20) for m in "xy"]
    match = match_rows(rows)
    assert len(match.replies) == len(match.people) == 40
    pairs = [{"response_a": f"a {n}", "response_b": f"b {n}", "human": n % 3, "judge": 0} for n in range(9)]
    match = match_rows([{**row, "judge": n % 2 * 2} for n, row in enumerate(pairs)])
    assert match.card.dimensions[0].scale.categories == ("a", "tie", "b")
    plain = [{"id": "q", "human": 1 + n, "judge": 1 + n} for n in range(3)]
    match = match_rows(plain)
    assert "id repeats, and no column tells its rows apart: they are answers to one item." in match.assumptions


def test_a_gold_rule_in_the_files_makes_the_gold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = {n: [1, 3, 5, 5] if n % 2 else [2, 2, 3, 4] for n in range(40)}
    at = {"unit": "response", "dimension": "factuality", "mode": "blind", "made_at": "2026-01-01T00:00:00Z"}
    rows: list[dict[str, Any]] = [
        {"item": f"r{n}", **at, "annotator": f"p{k}", "value": v}
        for n, values in answers.items() for k, v in enumerate(values)
    ]  # fmt: skip
    by = {"card": "rubric_open_ended", "model": "m"}
    cell = {"unit": "response", "dimension": "factuality"}
    rows += [{"item": f"r{n}", **by, "scores": [{**cell, "value": 5 if n % 2 else 2}]} for n in answers]
    # The judge gives the commonest answer, 5 or 2; the lower median is 3 or 2: 2 * .75 / (.25 + 2.25 + 1) = 3 / 7.
    for method, kappa in (("majority", 1.0), ("median", 3 / 7), (None, 3 / 7)):
        file = tmp_path / f"{method}.jsonl"
        rule = [{"gold_rule": {"resolve": method, "apart": None}}] if method else []
        file.write_text("\n".join(json.dumps(row) for row in rows + rule))
        assert main(["agree", str(file), "--json"]) == 0
        (agreement,) = json.loads(capsys.readouterr().out)
        assert agreement["kappa"] == pytest.approx(kappa), method


AT = {"unit": "response", "dimension": "factuality"}


def jsonl(file: Path, rows: list[dict[str, Any]]) -> str:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(file)


def judgment_row(n: int, value: int, **more: Any) -> dict[str, Any]:
    """What a judge gave response n."""
    by = {"card": "rubric_open_ended", "model": "m", "params": {}}
    return {"item": f"r{n}", **by, "scores": [{**AT, "value": value}], **more}


def test_a_score_that_a_line_names_and_lacks_is_missing_and_one_that_it_does_not_name_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = [label_row(n, 1 + n % 5, "2026-01-31T12:00:00Z") for n in range(10)]
    judgments = [judgment_row(n, 1 + n % 5) for n in range(9)]
    for cell, ratings in (({**AT, "value": None}, 10), ({**AT, "dimension": "coherence", "value": 1}, 9)):
        rows = [*labels, *judgments, {**judgment_row(9, 1), "scores": [cell]}]
        (agreement,) = figures(capsys, jsonl(tmp_path / "rows.jsonl", rows), "--missing", "lowest")
        assert agreement["ratings"] == ratings


def label_row(n: int, value: Any, made_at: str, **more: Any) -> dict[str, Any]:
    """What ann gave it, blind, if nothing else is said."""
    person = {"annotator": "ann", "mode": "blind"}
    return {"item": f"r{n}", **AT, "value": value, "made_at": made_at, **(more or person)}


def decision_row(n: int, value: Any, **more: Any) -> dict[str, Any]:
    """What lea decided of it."""
    labels = [{"annotator": "ann", "value": 1, "mode": "blind"}]
    by: dict[str, Any] = {"adjudicator": "lea", "reason": "So it is.", "saw_judge": False, "labels": labels, **more}
    return label_row(n, value, "2026-02-01T12:00:00Z", **by)


def test_the_newest_label_counts_by_its_moment_and_in_whichever_file_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = jsonl(tmp_path / "j.jsonl", [judgment_row(n, 1 + n % 5) for n in range(10)])
    before = [label_row(n, 5 - n % 5, "2026-01-31T09:00:00+09:00") for n in range(10)]  # midnight in UTC
    after = [label_row(n, 1 + n % 5, "2026-01-31 08:00") for n in range(10)]
    for sides in ([*before, *after], [*after, *before]):
        (agreement,) = figures(capsys, judge, jsonl(tmp_path / "l.jsonl", sides))
        assert (agreement["kappa"], agreement["ratings"]) == (1, 10)
    two = jsonl(tmp_path / "before.jsonl", before), jsonl(tmp_path / "after.jsonl", after)
    for files in (two, two[::-1]):
        (agreement,) = figures(capsys, judge, *files)
        assert (agreement["kappa"], agreement["ratings"]) == (1, 10)
    odd = [{**row, "made_at": "some time"} for row in before]
    (agreement,) = figures(capsys, judge, jsonl(tmp_path / "odd.jsonl", [*after, *odd]))
    assert agreement["kappa"] == 1


def test_an_adjudication_without_a_code_is_what_its_value_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [judgment_row(n, 1 + n % 5) for n in range(10)]
    rows += [label_row(n, 5 - n % 5, "2026-01-31T12:00:00Z") for n in range(10)]
    (agreement,) = figures(
        capsys, jsonl(tmp_path / "a.jsonl", [*rows, *(decision_row(n, str(1 + n % 5)) for n in range(10))])
    )
    assert (agreement["kappa"], agreement["ratings"]) == (1, 10)
    assert main(["agree", jsonl(tmp_path / "b.jsonl", [*rows, decision_row(0, "great")])]) == 1
    assert capsys.readouterr().err == (
        "factuality of response of 'r0': 'great' is not on the scale: allowed are 1 to 5.\n"
    )
    assert main(["agree", jsonl(tmp_path / "c.jsonl", [*rows, decision_row(0, 1, code=99)])]) == 1
    assert capsys.readouterr().err == "code of factuality of response of 'r0': 99 is not on the scale.\n"


def test_why_a_line_has_no_score_is_found_again_in_its_text_unless_the_endpoint_said_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in an import: an export may name a reason that an earlier version of Assay found in a text."""
    labels = [label_row(n, 1 + n % 5, "2026-01-31T12:00:00Z") for n in range(10)]
    for reason, unscored in (("unreadable", 0), ("refused", 2)):
        more = {"unscored": reason, "why": "So."}
        judged = [judgment_row(n, 1 + n % 5, **(more if n < 2 else {})) for n in range(10)]
        (agreement,) = figures(capsys, jsonl(tmp_path / "a.jsonl", [*judged, *labels]))
        assert agreement["ratings"] == 10 - unscored


def test_a_line_that_stands_twice_is_no_further_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second text of a sample's number has the next free one; where it comes again, it is there already."""
    rows = [judgment_row(n, value, sample=0) for n in range(10) for value in (1 + n % 5, 5 - n % 5)]
    labels = [label_row(n, 1 + n % 5, "2026-01-31T12:00:00Z") for n in range(10)]
    once = figures(capsys, jsonl(tmp_path / "a.jsonl", [*rows, *labels]))
    assert figures(capsys, jsonl(tmp_path / "b.jsonl", [*rows, *rows, *labels])) == once


ROW = {"card": "rubric_open_ended", "model": "m", "params": "{}", "judge": "j", "sample": "0", "code": "4"}


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("unit", "turn:x", "'turn:x' is no unit: use conversation, turn:3, section:2/a, pair or response."),
        ("unit", "section:q/a", "'section:q/a' is no unit: use conversation, turn:3, section:2/a, pair or response."),
        ("sample", "x", "sample: 'x' is no whole number."),
        ("params", "{x", "params: '{x' is no object."),
        ("params", "[1]", "params: '[1]' is no object."),
        ("confidence", "high", "confidence: 'high' is no number."),
        ("code", "high", "code: 'high' is no number."),
    ],
)
def test_a_row_of_an_export_that_is_misshapen_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str, value: str, sentence: str
) -> None:
    row = {"item": "r0", **AT, **ROW, "confidence": "", column: value}
    file = table(tmp_path, ",".join(row), [",".join(map(str, row.values()))])
    assert main(["agree", file]) == 1 and capsys.readouterr().err == f"{file}, line 2: {sentence}\n"


def test_a_row_of_an_export_without_a_unit_or_a_card_is_no_end_of_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {name: value for name, value in decision_row(0, 4).items() if name != "unit"}
    file = jsonl(tmp_path / "a.jsonl", [judgment_row(0, 4), row])
    assert main(["agree", file]) == 1 and "line 2: 'None' is no unit" in capsys.readouterr().err
    rows = [{"item": f"r{n}", **AT, "how": "one", "basis": "all", "code": n % 5, "value": n % 5} for n in range(9)]
    (agreement,) = figures(capsys, jsonl(tmp_path / "b.jsonl", [{**row, "judge_value": row["value"]} for row in rows]))
    assert agreement["ratings"] == 9


def test_rows_of_a_table_are_counted_by_lines_and_empty_ones_before_the_header_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = table(tmp_path, "\nid,gpt_score,human_score,note", ['1,3,3,"a', "b", 'c"', "2,4,4,x", "3,4"])
    assert main(["agree", file]) == 1
    problem = "The row has 2 fields, and the header has 4."
    assert capsys.readouterr().err == f"{file}, line 7: {problem}\n--good-rows leaves this out.\n"
    (agreement,) = figures(capsys, file, "--good-rows")
    assert agreement["ratings"] == 2
    assert main(["agree", file, "--good-rows"]) == 0
    assert f"{file}: 1 row is left out: {problem}\n" in capsys.readouterr().out


def test_a_person_whose_number_is_0_is_somebody() -> None:
    rows = [
        {"id": n, "annotator_id": annotator, "score": 1 + n % 5}
        for n in range(9)
        for annotator in ("gpt-4", None, 0, 1.0)
    ]
    match = match_rows(rows)
    assert {annotator for _, annotator in match.voices} == {"0", "1"}
    assert match.assumptions[-1].startswith("9 values of score are left out: the mapping does not know")
