"""`python -m data mtbench run`: a protocol from the questions to the ratings, and what it says on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from data.cli import main
from data.cli.mtbench import _read, _show_answers
from data.records import datasets
from data.runs.run_config import DryRunJudgment
from data.store import open_store
from judges.mtbench.prompts import wording
from judges.protocols.call_plan import pack_replies
from judges.types import Reading
from tests.data.mtbench.bench_counts import count_bench
from tests.data.records.test_judge_prompts import family

Run = Callable[..., tuple[int, str, str]]
QUESTIONS = [
    {"question_id": 1, "category": "writing", "turns": ["Write of Kyoto.", "Make it short."]},
    {"question_id": 2, "category": "math", "turns": ["1+1?", "2+2?"]},
]
REFERENCE = {"question_id": 2, "model_id": "x", "choices": [{"index": 0, "turns": ["The sum is 2.", "The sum is 4."]}]}


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A factory: command(*arguments) gives (exit code, stdout, stderr) of `mtbench`, beside files of questions."""
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/store.duckdb")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reference_answer").mkdir()
    (tmp_path / "question.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    (tmp_path / "reference_answer" / "judge-x.jsonl").write_text(json.dumps(REFERENCE))

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = main(["mtbench", *arguments])
        except SystemExit as leave:
            code = int(leave.code or 0)
        out = capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return code, out.out, out.err

    return call


@pytest.fixture
def run(command: Run) -> Run:
    """A factory: the same of `mtbench run`, by fastchat with practice."""

    def call(*arguments: str, protocol: str = "fastchat", model: str = "practice-heuristic") -> tuple[int, str, str]:
        return command("run", "--protocol", protocol, "--model", model, "--as", "lea", *arguments)

    return call


FILES = "--questions", "question.jsonl", "reference_answer"


def test_judges_are_crossed_on_the_same_answers(command: Run, run: Run) -> None:
    assert run(*FILES)[0] == 0
    at = "--dataset", "MT-Bench fastchat, practice", "--as", "lea"
    crossed = "experiment", "fastchat", "fastchat", *at, "--judges", "practice-heuristic"
    code, out, _ = command(*crossed, "practice-length")
    assert code == 0 and "2 arms: 4 calls, " in out and "moves the mean" not in out, "without --start only the plan"
    code, out, _ = command(*crossed, "practice-length", "--start")
    assert code == 0 and "Finished. 4 of 4 judgments" in out and "judge: from A to B it moves the mean by " in out
    _, out, _ = command(*crossed, "practice-length", "--price", "1", "2")
    assert out.splitlines()[-2].startswith("2 arms: 0 calls, about ")
    code, _, err = command(*crossed, "gpt-4o")
    assert code == 1 and "so both judges have to be there" in err


def test_a_price_is_of_tokens_in_and_of_tokens_out(run: Run) -> None:
    costs = [run(*FILES, "--plan", "--price", *price)[2] for price in (("9", "0"), ("0", "9"), ("9", "9"))]
    assert len(set(costs)) == 3


@pytest.mark.slow
def test_a_protocol_runs_end_to_end_without_a_key(run: Run) -> None:
    code, out, err = run(*FILES, "--plan")
    assert (code, out) == (0, "")
    assert "Answers by practice-heuristic: 4 calls for 2 questions" in err
    assert "Ratings of turns by practice-heuristic: 4 calls for 4 turns" in err
    assert "Together: 8 calls" in err and "The judge's prompts: assay, wording " in err
    assert "There are no reference answers for practice-heuristic: those for judge-x are used." in err
    code, out, err = run(*FILES, "--dry-run")
    assert code == 0 and err.endswith("Nothing of this was stored.\n")
    assert out.count("-- call turn:1 sample:0") == 2 and out.count("-- call turn:2 sample:0") == 2
    assert out.count("The sum is 2.") == 2 and out.count("The sum is 4.") == 1, "shown to the judge, turn by turn"
    code, out, _ = run(*FILES)
    assert code == 0
    assert "Finished. 2 of 2 questions: 2 answered. 4 calls" in out and "Finished. 4 of 4 judgments: 4 scored." in out
    assert out.endswith('All of it is in the dataset "MT-Bench fastchat, practice".\n')
    code, out, err = run()  # the questions are known
    assert (code, out) == (1, "") and err.endswith("Nothing is left to ask: all of this is answered and judged.\n")
    code, out, _ = run("--pairs", model="practice-second")
    assert code == 0 and out.count("Finished.") == 3
    code, out, err = run("--judge", "practice-length", "--dataset", "other", model="")
    assert code == 1 and err.endswith("There are no answers to judge in other.\n")
    code, out, err = run("--judge", "practice-length", "--dataset", "other", "--plan", model="")
    assert (code, out, err) == (1, "", "There are no answers to judge in other.\n"), "nor is nothing left to ask"
    code, out, _ = run("--judge", "practice-length", model="")
    assert code == 0 and "8 of 8 judgments" in out
    store = open_store()
    [dataset] = datasets.all_datasets(store)
    assert dataset.synthetic and count_bench(store)[dataset.id] == (4, 16, 4, 0)
    store.close()


def test_an_answer_that_is_not_whole_is_shown_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    calls = {f"turn:{n}": [{"role": "user", "content": f"Question {n}?"}] for n in (1, 2)}
    raw = pack_replies([("turn:1", "Half an ans", "cut_off", "Too long.")])
    reading = Reading(unscored="cut_off", why="Turn 1 ran into the limit.")
    _show_answers(DryRunJudgment("q1", calls, raw, reading, ()))
    assert capsys.readouterr().out.splitlines() == [
        "== question q1",
        *("-- call turn:1", "-- user", "Question 1?", "-- reply", "Half an ans"),
        *("-- call turn:2", "-- user", "Question 2?", "-- reply", ""),
        "-- no whole answer (cut_off): Turn 1 ran into the limit.",
    ]


def test_what_is_not_sound_in_files_of_questions_is_said_but_not_that_they_hold_no_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("question.jsonl").write_text(json.dumps(QUESTIONS[0]) + "\nnope\n")
    bench = _read(["question.jsonl"])
    assert bench is not None and list(bench.questions) == ["1"] and _read([]) is None
    assert capsys.readouterr().err.splitlines() == [
        "question.jsonl, line 2: The line is not JSON: expecting value at character 1.", "MT-Bench: 1 question.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--questions", "nowhere.jsonl"], "There is no file or folder nowhere.jsonl."),
        ([], "Say which questions are asked: --questions FILE."),
        (["--questions", "reference_answer"], "Say which questions are asked"),
        (["--questions", "question.jsonl", "--spend", "1", "--model", "x"], "The price of x is not known"),
        (["--questions", "question.jsonl", "--protocol", "ours"], "There is no protocol 'ours'"),
        (["--questions", "question.jsonl", "--protocol", "bad.json"], "bad.json: samples: "),
        (["--questions", "question.jsonl", "--protocol", "theirs.json"], "no prompts of the family 'single-v1'"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_a_sentence(run: Run, arguments: list[str], sentence: str) -> None:
    Path("bad.json").write_text('{"name": "bad", "samples": 0}')
    Path("theirs.json").write_text('{"name": "theirs", "prompts": "single-v1"}')
    code, out, err = run(*arguments)
    assert (code, out) == (1, "") and sentence in err


def test_prompts_beside_the_questions_stay_with_them(run: Run, tmp_path: Path) -> None:
    """The same command without the files asks by the same words: whoever goes on is the same judge."""
    rows = [*family(), {"name": "odd", "prompt_template": "{question} {answer} {secret}"}]
    (tmp_path / "judge_prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = run("--questions", "question.jsonl", "judge_prompts.jsonl")
    line = f"The judge's prompts: single-v1, wording {wording(rows[0]['prompt_template'])}; protocol fastchat@"
    assert code == 0 and line in err
    code, _, again = run("--plan")
    assert code == 0 and line in again and "Ratings of turns by practice-heuristic: nothing is left to ask." in again
