"""`python -m judges agree` on tables: whose the columns are, on which scale, and what is said where that is unclear."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from judges.cli import main
from judges.importing.matches import match_table


def table(folder: Path, header: str, rows: list[str], encoding: str = "utf-8") -> str:
    file = folder / "t.csv"
    file.write_text("\n".join([header, *rows]) + "\n", encoding=encoding)
    return str(file)


def figures(capsys: pytest.CaptureFixture[str], *args: str) -> list[dict[str, Any]]:
    assert main(["agree", *args, "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_two_columns_give_kappa(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(3)
    pairs = [(rng.randint(1, 5), rng.randint(1, 5)) for _ in range(60)]
    file = table(tmp_path, "judge,human", [f"{a}.0,{b}" for a, b in pairs])
    (found,) = figures(capsys, file)
    wanted = cohen_kappa_score(*zip(*pairs, strict=True), weights="quadratic")
    assert found["kappa"] == pytest.approx(wanted) and found["items"] == 60
    words = [("pass" if a > 2 else "FAIL", "1" if b > 2 else "0") for a, b in pairs]
    (found,) = figures(capsys, table(tmp_path, "llm_verdict;expert", [f"{a};{b}" for a, b in words], "utf-8-sig"))
    wanted = cohen_kappa_score([a > 2 for a, _ in pairs], [b > 2 for _, b in pairs])
    assert found["kappa"] == pytest.approx(wanted) and found["weights"] is None


def test_people_and_judges_in_columns_or_in_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(n, 1 + n % 5, 1 + n % 4, 1 + n % 5, 1 + n % 3) for n in range(30)]
    header = "id,gpt-4_score,claude_score,annotator_1,annotator_2"
    wide = table(tmp_path, header, [",".join(map(str, r)) for r in rows])
    first = figures(capsys, wide)
    assert [block["judge"] for block in first] == ["gpt-4", "claude"]
    names = ("gpt-4", "claude", "human 1", "human 2")
    told = [f"{n},{who},{value}" for n, *values in rows for who, value in zip(names, values, strict=True)]
    long = figures(capsys, table(tmp_path, "item,rater,score", told))
    assert [b["dimensions"][0]["kappa"] for b in first] == [b["dimensions"][0]["kappa"] for b in long]


@pytest.mark.parametrize(
    ("header", "rows", "sentence"),
    [
        ("score_1,score_2", ["1,2", "2,3"], "It has: score_1, score_2."),
        ("judge,human", ["1,2", "error,3", "3,3"], "the column judge has no scale: numbers (2) and words (1)"),
        ("judge,human", ["1,good", "2,bad", "3,good"], "no scale in common: judge has whole numbers"),
        ("judge,judge", ["1,2"], "names 'judge' twice"),
        ("judge,human", ["1,2", "1,2,3"], "line 3: 3 cells, where the first line has 2"),
        ("human,expert", ["1,2", "3,4"], "Found: human, expert as a person's"),
        ("judge,human", [], "there is no line in it"),
        ("文,图", ["x,y", "z,w"], "--judge COLUMN --human COLUMN"),
    ],
)
def test_what_cannot_be_told_is_asked_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], header: str, rows: list[str], sentence: str
) -> None:
    assert main(["agree", table(tmp_path, header, rows)]) == 1
    said = capsys.readouterr()
    assert sentence in said.err and said.out == "" and "Traceback" not in said.err


def test_columns_can_be_named_and_bad_rows_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = table(tmp_path, "score_1,score_2", [*(f"{1 + n % 5},{1 + n % 4}" for n in range(20)), "error,3"])
    named = ("--judge", "score_1", "--human", "score_2")
    (found,) = figures(capsys, file, *named, "--good-rows")
    assert found["ratings"] == 20
    assert main(["agree", file, *named]) == 1
    assert main(["agree", file, "--judge", "none", "--human", "score_2"]) == 1
    assert "has no column 'none'" in capsys.readouterr().err


def test_rows_of_one_id_are_told_apart_and_codes_of_pairs_are_verdicts() -> None:
    rows = [{"id": n, "model": m, "human": n % 5, "judge": (n + (m == "x")) % 5} for n in range(20) for m in "xy"]
    (match,) = match_table(Path("t.csv"), rows, [], [], False)
    assert len(match.replies) == len(match.people) == 40
    pairs = [{"response_a": f"a {n}", "response_b": f"b {n}", "human": n % 3, "judge": 0} for n in range(9)]
    (match,) = match_table(Path("t.csv"), [{**row, "judge": n % 2 * 2} for n, row in enumerate(pairs)], [], [], False)
    assert match.card.dimensions[0].scale.categories == ("a", "tie", "b")
    plain = [{"id": "q", "human": 1 + n, "judge": 1 + n} for n in range(3)]
    (match,) = match_table(Path("t.csv"), plain, [], [], False)
    assert "2 rows with the item of an earlier row: the judge's first answer counts." in match.assumptions


def test_a_gold_rule_in_the_files_makes_the_gold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = {n: [1, 3, 5, 5] if n % 2 else [2, 2, 3, 4] for n in range(40)}
    at = {"unit": "response", "dimension": "factuality", "mode": "blind", "made_at": "2026-01-01T00:00:00Z"}
    rows: list[dict[str, Any]] = [
        {"item": f"r{n}", **at, "annotator": f"p{k}", "value": v}
        for n, held in said.items() for k, v in enumerate(held)
    ]  # fmt: skip
    by = {"card": "rubric_open_ended", "model": "m"}
    cell = {"unit": "response", "dimension": "factuality"}
    rows += [{"item": f"r{n}", **by, "scores": [{**cell, "value": 5 if n % 2 else 2}]} for n in said]
    # The judge gives the commonest answer, 5 or 2; the lower median is 3 or 2: 2 * .75 / (.25 + 2.25 + 1) = 3 / 7.
    for how, kappa in (("majority", 1.0), ("median", 3 / 7), (None, 3 / 7)):
        file = tmp_path / f"{how}.jsonl"
        rule = [{"gold_rule": {"resolve": how, "apart": None}}] if how else []
        file.write_text("\n".join(json.dumps(row) for row in rows + rule))
        assert main(["agree", str(file), "--json"]) == 0
        (found,) = json.loads(capsys.readouterr().out)
        assert found["kappa"] == pytest.approx(kappa), how
