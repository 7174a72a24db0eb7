"""MT-Bench is read from folders and files, and one report says what is there and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judges.errors import AssayError
from judges.importing.bench_files import read_bench
from tests.judges.mtbench.bench_rows import QUESTIONS, answer, rating_row
from tests.judges.mtbench.test_swallow import RESULTS, results


def write(folder: Path, files: dict[str, list[Any] | bytes]) -> Path:
    for name, rows in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = rows if isinstance(rows, bytes) else b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        path.write_bytes(lines)
    return folder


def test_files_may_lie_in_several_paths_in_any_order(tmp_path: Path) -> None:
    write(tmp_path, {
        "q/question.jsonl": QUESTIONS,
        "answers/one.jsonl": [answer(81, "m/one"), answer(82, "m/one")],
        "j/gpt-4_single.jsonl": [rating_row(q, t) for q in (81, 82) for t in (1, 2)],
    })  # fmt: skip
    bench, notes = read_bench([tmp_path / "j", tmp_path / "answers" / "one.jsonl", tmp_path / "q", tmp_path / "q"])
    assert (len(bench.questions), len(bench.answers), len(bench.ratings)) == (2, 2, 4)
    assert notes == ["MT-Bench: 2 questions, 2 answers of 1 model, 4 ratings by 1 judge."]


def test_one_report_names_what_is_missing_doubled_and_broken(tmp_path: Path) -> None:
    write(tmp_path, {
        "question.jsonl": QUESTIONS,
        "model_answer/one.jsonl": [answer(81, "m/one", ("<think>Hm", "Well."))],
        "model_answer/two.jsonl": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "j/gpt-4_single.jsonl": [
            rating_row(), rating_row(score=4), rating_row(999),
            rating_row(82, model="absent", judgment="No number.", score=-1),
            rating_row(82, model="absent", turn=2, judgment="$ERROR$", score=-1), rating_row(model="other__One"),
        ],
        "j/half_single.jsonl": (
            json.dumps(rating_row(turn=2, score=7, judgment="[[6]]")).encode() + b'\n{"question_id": 8'
        ),
        "notes.json": b'{"a": 1}\n', "empty.jsonl": b"",
        "wide/question.jsonl": (json.dumps(rating_row()) + "\n").encode("utf-16"),
    })  # fmt: skip
    bench, notes = read_bench([tmp_path])
    report = "\n".join(notes)
    assert len(bench.ratings) == 6 and len(bench.answers) == 1
    for part in (
        "two.jsonl was ignored: it is a git-LFS pointer, not the data: run `git lfs pull`",
        "half_single.jsonl, line 2: The line is not JSON",
        "notes.json was ignored: it is none of MT-Bench's files", "empty.jsonl was ignored: it is empty",
        "wide/question.jsonl was ignored: it is text in UTF-16: save it as UTF-8",
        "gpt-4_single.jsonl, line 3: The question 999 is not in the files",
        "m/one: 1 question of 2 is not answered: 82",
        "absent, other__One: judged, and no answers of them are in the files",
        "gpt-4 single-v1 has judged 1 turn of m/one more than once: turn 1 of 81",
        "gpt-4 single-v1 has not judged 2 turns of absent: turn 1 of 81; turn 2 of 81",
        "'other__One' is judged and 'm/one' has answers: if both are one model, give it one name.",
        "gpt-4 single-v1: 1 rating has no score, as no rating is in the text (questions 82)",
        "gpt-4 single-v1: 1 rating has no score, as the call to the judge failed (questions 82)",
        "gpt-4 single-v1: 1 rating states another number than its text: questions 81 (7, and 6 in the text)",
        "m/one: 1 answer has <think> without its partner",
    ):  # fmt: skip
        assert part in report, part


def test_what_holds_nothing_of_mt_bench_is_refused_in_a_sentence(tmp_path: Path) -> None:
    write(tmp_path, {"x/notes.jsonl": [{"a": 1}]})
    for path, says in (("x", "no data of MT-Bench found"), ("none", "There is no file or folder")):
        with pytest.raises(AssayError, match=says):
            read_bench([tmp_path / path])


def test_a_file_whose_every_line_has_a_mean_that_is_no_number_is_read(tmp_path: Path) -> None:
    row = {"question_id": 82, "model_id": "m/one", "judge_id": "Q", "score_turn1": -1.0, "score_turn2": 7.0}
    files = {"q.jsonl": QUESTIONS, "ref/one.jsonl": [{**row, "judgment_turn2": "[[7]]", "avg_score": float("nan")}]}
    bench, _ = read_bench([write(tmp_path, files)])
    assert [(r.question, r.turn, r.stated) for r in bench.ratings] == [("82", 2, 7.0)]


def test_a_whole_object_with_a_mean_that_is_no_number_is_read(tmp_path: Path) -> None:
    means = {"judge_score_overall_turn_1_avg": 5.0, "judge_score_overall_turn_1_avg_stderr": float("nan")}
    document = {"config_general": {"model_name": "o/m"}, "results": {"swallow|japanese_mt_bench|0": means}}
    name = "results_2025-06-01T10-00-00.1.json"
    _, notes = read_bench([write(tmp_path, {name: json.dumps(document, indent=2).encode()})])
    assert any("has means of o/m" in note for note in notes)


def test_turns_may_be_objects_with_a_content(tmp_path: Path) -> None:
    row = answer(81, "m/one")
    row["choices"][0]["turns"] = [{"content": "One.", "token_len": 2}, {"content": "Two."}]
    bench, _ = read_bench([write(tmp_path, {"q.jsonl": QUESTIONS, "one.jsonl": [row]})])
    assert bench.answers["81", "m/one", 0].turns == ("One.", "Two.")


@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
def test_an_object_over_several_lines_is_read_with_a_byte_order_mark_too(tmp_path: Path, begin: bytes) -> None:
    file = tmp_path / Path(RESULTS).name
    file.write_bytes(begin + json.dumps(results(judge_score_overall_turn_1_avg=7.0), indent=1).encode())
    _, notes = read_bench([file])
    assert not any("ignored" in note for note in notes)
