"""`python -m data run`: a run from the command line, stopped and resumed, in batches, and only tried."""

from __future__ import annotations

import argparse
import signal
import threading
import time
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from data.cli import main
from data.cli import run as command
from data.runs import batches, charges, dry_runs, runs
from data.store import open_store
from judges.authoring import soundness
from judges.cli.options import add_endpoint
from tests import seeds
from tests.practice_server import practice

Run = Callable[..., tuple[int, str, str]]
RUN_OPTIONS = ("--dataset", "demo", "--card", "multi_turn_dialogue", "--model", "practice-constant")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """A factory: run(*arguments) gives (exit code, stdout, stderr); six dialogues and two responses are in `demo`."""
    path = tmp_path / "a.duckdb"
    outputs = [{"id": f"r{n}", "kind": "response", "task": "Say hello.", "output": f"Hello {n}."} for n in (1, 2)]
    seeds.workspace(path, [*(seeds.dialogue(n) for n in range(1, 7)), *outputs]).close()
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{path}")
    monkeypatch.setattr(batches, "POLL_SECONDS", 0.02)
    with practice(batch_seconds=0.02) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)

        def call(*arguments: str) -> tuple[int, str, str]:
            capsys.readouterr()
            code = main(("run", *arguments))
            out = capsys.readouterr()
            assert "Traceback" not in out.out + out.err
            return code, out.out, out.err

        yield call


def rows(sql: str) -> list[tuple[Any, ...]]:
    store = open_store()
    try:
        return store.rows(sql)
    finally:
        store.close()


def test_a_run_says_what_it_did_and_a_second_one_that_nothing_is_left(run: Run) -> None:
    code, out, err = run(*RUN_OPTIONS, "--limit", "4", "--concurrency", "2")
    assert code == 0 and out.startswith("Finished. 4 of 4 judgments: 4 scored. 4 calls, ")
    assert ", $0.0000. " in out, "what a practice model costs"
    assert err == "4 judgments of 4 items, 4 calls, about $0.00.\n"
    code, out, err = run(*RUN_OPTIONS, "--limit", "4")
    assert (code, out) == (1, "") and "Nothing is left to ask" in err
    assert run(*RUN_OPTIONS)[1].startswith("Finished. 2 of 2 judgments")
    # With log-probabilities it is another judge.
    assert run(*RUN_OPTIONS, "--limit", "1", "--logprobs")[1].startswith("Finished. 1 of 1 judgment: 1 scored")
    assert sorted(rows("select logprobs <> '', count(*) from reply group by 1")) == [(False, 6), (True, 1)]


def test_a_dry_run_shows_everything_and_stores_nothing(run: Run) -> None:
    code, out, err = run(*RUN_OPTIONS, "--dry-run")
    assert code == 0 and out.count("-- reply") == 3 and "helpfulness" in out and err == "Nothing of this was stored.\n"
    assert "unscored" not in out and rows("select count(*) from reply") == [(0,)]


def test_a_dry_run_says_why_a_reply_cannot_be_used(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with practice("wrong_schema=1") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, _ = run(*RUN_OPTIONS, "--dry-run")
    assert code == 0 and out.count("\n-- unscored (incomplete): the reply lacks per_turn\n") == 3


def test_ctrl_c_stops_a_run_and_says_how_to_go_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    real = runs.wait

    def interrupt(store: Any, run_id: str, progress: Any = None, every: float = 0.25) -> Any:
        if progress is not None:
            monkeypatch.setattr(runs, "wait", real)
            raise KeyboardInterrupt
        return real(store, run_id)

    monkeypatch.setattr(runs, "wait", interrupt)
    with practice(latency_ms=200) as slow:
        code, out, err = run(*RUN_OPTIONS, "--concurrency", "1", "--base-url", slow.url)
        assert code == 130 and out.startswith("Stopped. ") and "lea stopped it" in err
        run_id = err.split("--resume ")[1].strip()
        done = rows("select count(*) from judgment")[0][0]
        assert done < 6
        assert run("--resume", run_id, "--dry-run")[0] == 1
        code, out, _ = run("--resume", run_id)
        assert code == 0 and out.startswith("Finished. 6 of 6 judgments: 6 scored. 6 calls")
        assert slow.log.asked == 6


def test_ctrl_c_as_a_run_begins_stops_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was on record as begun, and nothing said how it ended: "interrupted", as after a crash."""
    charge = charges.add_charge

    def interrupt(*arguments: Any) -> None:
        charge(*arguments)
        interrupt_main()

    monkeypatch.setattr(charges, "add_charge", interrupt)
    with practice(latency_ms=200) as slow:
        assert run(*RUN_OPTIONS, "--base-url", slow.url)[0] == 130
    store = open_store()
    assert [(known.state, known.why) for known in runs.list_runs(store)] == [("stopped", "Assay was shut down.")]
    store.close()


def test_ctrl_c_as_a_run_ends_begins_nothing_else(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The answers of a protocol were all there: its judging began nevertheless."""
    (tmp_path / "question.jsonl").write_text('{"question_id": 1, "category": "writing", "turns": ["Why?", "And?"]}\n')
    real = runs.wait

    def interrupt(store: Any, run_id: str, progress: Any = None, every: float = 0.25) -> Any:
        end = real(store, run_id)
        if progress is not None:
            raise KeyboardInterrupt
        return end

    monkeypatch.setattr(runs, "wait", interrupt)
    models = ("--model", "practice-heuristic", "--judge", "practice-constant")
    options = ("--questions", str(tmp_path / "question.jsonl"), "--protocol", "fastchat", *models)
    assert main(["mtbench", "run", *options]) == 130
    assert rows("select count(*) from run") == [(1,)]


def test_ctrl_c_ends_a_dry_run_that_waits_for_its_endpoint(run: Run) -> None:
    """It was waited for, as often as it is asked."""
    with practice(latency_ms=3_600_000) as silent:

        def interrupt() -> None:
            while not silent.log.asked:
                time.sleep(0.01)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        threading.Thread(target=interrupt).start()
        assert run(*RUN_OPTIONS, "--dry-run", "--base-url", silent.url)[0] == 130


def test_ctrl_c_as_a_dry_run_has_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool(ThreadPoolExecutor):
        def submit(self, *arguments: Any) -> Any:
            super().submit(*arguments).result()
            return Interrupted()

    class Interrupted:
        def result(self) -> None:
            raise KeyboardInterrupt

    async def answer() -> None:
        pass

    monkeypatch.setattr(dry_runs, "ThreadPoolExecutor", Pool)
    with pytest.raises(KeyboardInterrupt):
        dry_runs._run_in_thread(answer())


def test_a_batch_is_handed_in_now_and_collected_later(run: Run) -> None:
    code, out, _ = run(*RUN_OPTIONS, "--batch")
    assert code == 0 and out.startswith("Waiting for batch. 1 of 6") and "--collect" in out
    for _ in range(200):
        code, out, _ = run("--collect")
        if "finished" in out:
            break
    assert code == 0 and "finished. 6 of 6 judgments: 6 scored." in out
    assert run("--collect")[1] == "No run waits for a batch.\n"


def test_dimensions_of_ones_own_make_a_judge_of_their_own(run: Run) -> None:
    code, out, _ = run(
        *("--dataset", "demo", "--card", "pointwise_quality", "--model", "practice-heuristic"),
        *("--dimension", "zz_warmth: Greets as a friend would.", "--dimension", "zz_brevity: As few words as will do."),
    )
    assert code == 0 and "2 scored" in out
    dimensions = {str(r[0]) for r in rows("select distinct dimension from score")}
    assert {"zz_warmth", "zz_brevity"} <= dimensions


def test_what_a_card_lacks_is_said_and_the_run_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a card is a folder of the project's own (tests/judges/authoring/test_soundness.py)."""
    lack = soundness.CardFault("judges/cards/x/card.py: there is no audit 'same_scor'.", stops=False)
    monkeypatch.setattr(soundness, "find_faults", lambda card: (lack,) if card.name == RUN_OPTIONS[3] else ())
    code, out, err = run(*RUN_OPTIONS, "--limit", "1")
    assert code == 0 and out.startswith("Finished. 1 of 1") and err.splitlines()[0] == lack.text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (RUN_OPTIONS[2:], "Say which dataset"),
        ((*RUN_OPTIONS[:2], "--card", "nope", *RUN_OPTIONS[4:]), "There is no card 'nope'"),
        ((*RUN_OPTIONS, "--temperature", "9"), "--temperature 9.0: input should be less than or equal to 2."),
        ((*RUN_OPTIONS, "--base-url", "ftp://x"), "--base-url ftp://x: an address begins with http"),
        ((*RUN_OPTIONS, "--dimension", "a: b"), "Only pointwise_quality takes other dimensions"),
        (("--dataset", "nowhere", *RUN_OPTIONS[2:]), "There is no dataset called 'nowhere'"),
        ((*RUN_OPTIONS, "--base-url", "http://me:secret@x"), "--base-url: a name or password in the address would be"),
        ((*RUN_OPTIONS, "--rpm", "-1"), "--rpm -1: input should be greater than or equal to 0."),
        ((*RUN_OPTIONS[:4], "--model", "practice-nobody"), "practice-nobody"),
        (("--resume", "no-such-run"), "There is no such run"),
        (("--resume", ""), "There is no such run"),
        (("--resume", "x", "--dry-run"), "--resume goes on with what was ordered before, without --dry-run."),
        (
            ("--resume", "x", *RUN_OPTIONS, "--max-tokens", "9"),
            "before, without --dataset, --card, --model, --max-tokens.",
        ),
        (("--collect", "--dry-run"), "--collect goes on with what was ordered before, without --dry-run."),
        ((*RUN_OPTIONS[:4], "--model", "unheard", "--spend", "1"), "price of unheard is not known"),
    ],
)
def test_what_cannot_be_is_one_sentence(run: Run, arguments: tuple[str, ...], sentence: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (1, "") and sentence in err and len(err.splitlines()) <= 2


def test_what_files_brought_is_the_same_judge_and_is_not_asked_again(run: Run, tmp_path: Path) -> None:
    """`judges run` on files, then an import: the practice judge is synthetic there too, and a run has nothing left."""
    from data.cli import main as data
    from judges.cli import main as judges

    items = seeds.lines(tmp_path / "items.jsonl", [seeds.dialogue(n) for n in range(1, 7)])
    options = ("--card", "multi_turn_dialogue", "--model", "practice-constant", "--out", str(tmp_path / "out.jsonl"))
    assert judges(("run", str(items), *options)) == 0
    assert data(("import", str(tmp_path / "out.jsonl"), "--dataset", "demo")) == 0
    assert rows("select synthetic, count(*) from judge group by synthetic") == [(True, 1)]
    code, out, err = run(*RUN_OPTIONS)
    assert (code, out) == (1, "") and "Nothing is left to ask" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--address", "here:1"), "--address and --workers are for --engine ray."),
        (("--workers", "2"), "--address and --workers are for --engine ray."),
        (("--engine", "ray", "--batch"), "--engine ray is for calls that are made one by one"),
        (("--engine", "ray", "--dry-run"), "--engine ray is for calls that are made one by one"),
        (("--engine", "ray", "--collect"), "--engine ray is for calls that are made one by one"),
    ],
)
def test_what_does_not_go_together_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    assert main(("run", *RUN_OPTIONS, *arguments)) == 1
    assert sentence in capsys.readouterr().err


def test_what_is_said_of_a_second_endpoint_goes_before_that_of_the_first() -> None:
    parser = argparse.ArgumentParser()
    add_endpoint(parser)
    options = parser.parse_args(["--base-url", "http://127.0.0.1:1/v1", "--concurrency", "3"])
    first = command.model_endpoint(options, "m")
    assert (first.base_url, first.concurrency) == ("http://127.0.0.1:1/v1", 3)
    assert command.model_endpoint(options, "m", base_url="", key_variable="") == first
    other = command.model_endpoint(options, "m", base_url="http://127.0.0.1:2/v1", key_variable="KEY")
    assert other == first.model_copy(update={"base_url": "http://127.0.0.1:2/v1", "key_variable": "KEY"})
