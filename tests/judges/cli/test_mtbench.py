"""`python -m judges mtbench`: what it prints and writes, and what it says where there is nothing to show."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from judges.cli import main
from judges.cli.mtbench_output import format_tables
from judges.mtbench.tables import ResultTable

Capture = pytest.CaptureFixture[str]
CATEGORIES = ("writing", "math")


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def rating(question: int, model: str, turn: int, score: float, judge: str = "gpt-4", text: str = "") -> dict[str, Any]:
    return {
        "question_id": question, "model": model, "judge": [judge, "single-v1"], "user_prompt": "q", "turn": turn,
        "judgment": text or f"So [[{score:g}]]", "score": score, "tstamp": 1.0,
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two judges of two models on three questions; one of their judgments failed, one is doubled."""
    root = tmp_path / "bench"
    lines(root / "question.jsonl", [
        {"question_id": n, "category": CATEGORIES[n % 2], "turns": ["a", "b"]} for n in (1, 2, 3)
    ])  # fmt: skip
    for model in ("m", "=n"):
        lines(root / "model_answer" / f"{model.strip('=')}.jsonl", [
            {"question_id": n, "answer_id": f"{model}{n}", "model_id": model, "tstamp": 1.0,
             "choices": [{"index": 0, "turns": ["日本", "x"]}]} for n in (1, 2, 3)
        ])  # fmt: skip
    first = [rating(n, m, t, 4 + n + t) for n in (1, 2, 3) for m in ("m", "=n") for t in (1, 2)]
    first += [rating(1, "m", 1, 9), rating(2, "m", 2, -1, text="nothing to read")]
    other = [rating(n, m, t, 3 + n + (m == "m"), "gpt-5") for n in (1, 2, 3) for m in ("m", "=n") for t in (1, 2)]
    lines(root / "model_judgment" / "gpt-4_single.jsonl", first)
    lines(root / "model_judgment" / "gpt-5_single.jsonl", other)
    return root


def read_tables(capsys: Capture, *args: str) -> dict[str, Any]:
    assert main(["mtbench", *args, "--format", "json"]) == 0
    tables: dict[str, Any] = json.loads(capsys.readouterr().out)
    return tables


def refusal(capsys: Capture, *args: str) -> str:
    assert main(["mtbench", *args]) == 1
    return capsys.readouterr().err


def test_show_prints_every_table_with_intervals_and_says_what_the_files_hold(folder: Path, capsys: Capture) -> None:
    assert main(["mtbench", "show", str(folder)]) == 0
    output = capsys.readouterr()
    for title in ("Judges and their judgments", "Mean ratings", "under every rule", "Ranks", "derived from single",
                  "Share of Japanese", "cells that two judges share"):  # fmt: skip
        assert title in output.out
    # (6 + 7 + 8 + 7 + 8 + 9 + 9) / 7 rows of m, without the failed one.
    assert "7.714 (" in output.out and "14 judgments" not in output.out
    assert "3 questions" in output.err
    assert "Read by fastchat: failed judgments: left out; repeated judgments: each counts" in output.out


def test_figures_of_a_protocol_of_some_judges_and_categories(folder: Path, capsys: Capture) -> None:
    counted = folder.parent / "counted.json"
    counted.write_text(json.dumps({"name": "counted", "failed": "counted", "duplicates": "first"}), encoding="utf-8")
    tables = read_tables(capsys, "show", str(folder), "--protocol", str(counted), "--judge", "gpt-4", "--model", "m")
    [whole, row] = tables["means"]["rows"]
    assert row["both"] == (6 + 7 + 7 + 8 + 8 + 9) / 6 and whole["both"] == row["both"]
    assert [r["failed"] for r in tables["means"]["rows"]] == [1, 1]
    math = read_tables(capsys, "show", str(folder), "--category", "math", "--judge", "gpt-5", "--model", "m")
    assert [r["category"] for r in math["categories"]["rows"]] == ["math", "math"]
    assert math["means"]["rows"][1]["both"] == 6.0


def test_compare_is_in_the_order_of_the_judges_named(folder: Path, capsys: Capture) -> None:
    tables = read_tables(capsys, "compare", str(folder), "--judge", "gpt-5", "--judge", "gpt-4")
    whole = tables["agreement"]["rows"][0]
    assert (whole["judge"], whole["other"], whole["scope"], whole["cells"]) == ("gpt-5", "gpt-4", "all", 12)
    back = read_tables(capsys, "compare", str(folder), "--judge", "gpt-4", "--judge", "gpt-5")["agreement"]["rows"][0]
    assert back["difference"] == -whole["difference"] and back["kappa"] == pytest.approx(whole["kappa"])
    assert tables["disagreements"]["rows"][0]["text"].startswith("So [[")


def test_two_pipelines_from_two_folders(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    other = tmp_path / "other"
    lines(other / "question.jsonl", [{"question_id": 1, "category": "writing", "turns": ["a", "b"]}])
    lines(other / "model_judgment" / "gpt-6_single.jsonl", [rating(1, "m", 1, 3, "gpt-6")])
    args = ["compare", str(folder), "--judge", "gpt-5", "--against", str(other), "--other-protocol", "swallow"]
    tables = read_tables(capsys, *args)
    steps = tables["waterfall"]["rows"]
    assert steps[0]["points"] == 6.0 and steps[-2]["points"] == 3.0
    assert sum(row["points"] for row in steps[:-2]) == pytest.approx(3.0)
    factors = {row["factor"]: row for row in tables["factors"]["rows"]}
    assert list(factors["judge"].values())[1:4] == ["gpt-5", "gpt-6", "yes"]
    assert main(["mtbench", *args]) == 0 and "From one mean to the other" in capsys.readouterr().out
    assert main(["mtbench", *args, "--plan", str(tmp_path / "plan"), "--table", "experiment"]) == 0
    assert "no judge could be asked" in capsys.readouterr().out
    assert "Say which with --judge" in refusal(capsys, "compare", str(folder), "--against", str(other))
    lines(other / "model_judgment" / "gpt-6_single.jsonl", [rating(1, "z", 1, 3, "gpt-6")])
    assert "no model in common" in refusal(capsys, *args)


def test_markdown_csv_and_files(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["mtbench", "show", str(folder), "--format", "md", "--out", str(tmp_path / "a.md")]) == 0
    assert "| judge | model |" in (tmp_path / "a.md").read_text(encoding="utf-8")
    assert main(["mtbench", "show", str(folder), "--format", "csv", "--table", "means"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert rows[1]["model"] == "m" and float(rows[1]["both"]) == pytest.approx(54 / 7)
    assert rows[2]["model"] == "'=n"
    assert "each table is a file of its own" in refusal(capsys, "show", str(folder), "--format", "csv")
    assert "There is no table x. There are: judges, means" in refusal(capsys, "show", str(folder), "--table", "x")
    assert "a file: give a folder" in refusal(
        capsys, "show", str(folder), "--format", "csv", "--out", str(tmp_path / "a.md")
    )


@pytest.mark.parametrize("format", ["csv", "parquet", "json", "md"])
def test_export_writes_every_table(folder: Path, tmp_path: Path, capsys: Capture, format: str) -> None:
    out = tmp_path / "made"
    assert main(["mtbench", "export", str(folder), "--out", str(out), "--format", format]) == 0
    named = capsys.readouterr().out
    if format == "json":
        assert {"means", "categories", "agreement"} <= json.loads((out / "tables.json").read_text("utf-8")).keys()
        return
    files = {path.stem for path in out.glob(f"*.{format}")}
    assert {"means", "categories", "rules", "ranks", "shared", "agreement", "japanese", "wins_from_ratings"} <= files
    assert all(f"{name}.{format}" in named for name in files)
    again, before = (
        sorted(read_tables(capsys, "show", str(path))["means"]["rows"], key=str) for path in (out / "fastchat", folder)
    )
    assert again == before
    assert "not an empty folder" in refusal(capsys, "export", str(folder), "--out", str(out))
    if format == "parquet":
        read = pq.read_table(out / "japanese.parquet").to_pylist()
        assert {row["turn"] for row in read} == {"(all)", "1", "2"} and read[0]["share_low"] is None


def test_what_is_not_there_is_said(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    assert "no votes of people" in refusal(capsys, "agreement", str(folder))
    assert "There is no judge x. There are: gpt-4 single-v1" in refusal(capsys, "show", str(folder), "--judge", "x")
    assert "There is no model x. There are: m, =n" in refusal(capsys, "show", str(folder), "--model", "x")
    assert "There is no category x. There are: math, writing" in refusal(capsys, "show", str(folder), "--category", "x")
    message = refusal(capsys, "compare", str(folder), "--judge", "gpt-4")
    assert "Comparing takes two judges, and the ratings are by gpt-4" in message
    assert "no file or folder" in refusal(capsys, "show", str(tmp_path / "nowhere"))
    empty = tmp_path / "empty"
    lines(empty / "question.jsonl", [{"question_id": 1, "category": "math", "turns": ["a", "b"]}])
    assert "No rating and no verdict" in refusal(capsys, "show", str(empty))
    assert "There is no protocol 'x'" in refusal(capsys, "show", str(folder), "--protocol", "x")


def test_judges_that_share_no_cell_are_compared_without_figures(tmp_path: Path, capsys: Capture) -> None:
    lines(tmp_path / "a_single.jsonl", [rating(1, "m", 1, 4, "a")])
    lines(tmp_path / "b_single.jsonl", [rating(2, "m", 1, 4, "b")])
    tables = read_tables(capsys, "compare", str(tmp_path))
    [row] = tables["agreement"]["rows"]
    assert row["cells"] == 0 and row["equal"] is None
    assert "0 shared cells; 1 rated by the first alone, 1 by the other alone" in " ".join(tables["agreement"]["said"])
    assert main(["mtbench", "compare", str(tmp_path)]) == 0


def test_two_prompts_of_one_model_are_two_judges(tmp_path: Path, capsys: Capture) -> None:
    rows = [rating(1, "m", 1, 4), {**rating(1, "m", 1, 9), "judge": ["gpt-4", "other-v1"]}]
    lines(tmp_path / "gpt-4_single.jsonl", rows)
    means = read_tables(capsys, "show", str(tmp_path))["means"]["rows"]
    assert {(r["judge"].split("@")[0], r["both"]) for r in means} == {("gpt-4 single-v1", 4.0), ("gpt-4 other-v1", 9.0)}


def test_games_give_win_rates(tmp_path: Path, capsys: Capture) -> None:
    games = [
        {"question_id": n, "model_1": "z", "model_2": "m", "g1_winner": won, "g2_winner": "model_1", "turn": 1,
         "judge": ["gpt-4", "pair-v2"], "g1_judgment": "x", "g2_judgment": "x", "tstamp": 1.0}
        for n, won in ((1, "model_1"), (2, "model_2"), (3, "model_1"), (4, "error"))
    ]  # fmt: skip
    lines(tmp_path / "gpt-4_pair.jsonl", games)
    tables = read_tables(capsys, "show", str(tmp_path))
    rates = {r["model"]: (r["games"], r["win"], r["tie"], r["adjusted"]) for r in tables["wins"]["rows"]}
    assert rates["z"] == pytest.approx((3, 2 / 3, 1 / 3, 5 / 6)) and rates["m"] == pytest.approx((3, 0, 1 / 3, 1 / 6))
    sentence = tables["wins"]["said"][0]
    assert "3 pairs decided, 1 of them ties" in sentence and "1 left out" in sentence


def test_a_figure_that_differs_from_0_by_rounding_has_no_sign() -> None:
    table = ResultTable("waterfall", "From one mean to the other", [{"points": -9e-16, "after": -0.25}])
    assert format_tables([table], "md").splitlines()[-1] == "| 0.0000 | -0.2500 |"
