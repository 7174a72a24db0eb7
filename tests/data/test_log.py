"""The log: one line an event, in both formats, with no text of an item, a label, a reply or a key in any of them."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data import log, metrics
from data.approvals import approvals
from data.audits import audits
from data.cli import main
from data.desk import labels
from data.exporting import exporting
from data.importing import subprocess_reader
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.queue import queue
from data.queue.queue import QueueFilters
from data.records import datasets, people
from data.runs import runs, worker
from data.runs.run_config import RunConfig
from data.store import Store, open_store
from data.store.errors import BadInput, NotApprovable, StoreFailed
from data.store.ids import new_id
from data.workspace import backups
from data.workspace.copies import copy_workspace
from judges.cards import card
from judges.client.endpoint import Endpoint
from judges.errors import AssayError
from tests import seeds
from tests.practice_server import practice

CANARY = "canary-4711"
KEY = f"sk-{CANARY}"
TEXT = f"{CANARY}\n2026-01-01T00:00:00.000Z ERROR forged x=1"


class LogOutput:
    """What was logged so far."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured, self._told = captured, ""

    def getvalue(self) -> str:
        """All of it."""
        self._told += self._captured.readouterr().err
        return self._told


@pytest.fixture
def log_output(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[LogOutput]:
    """What is logged, in every detail, as text; the process's own handlers are as before afterwards."""
    handlers, level = list(logging.root.handlers), logging.getLogger("assay").level
    monkeypatch.setenv("ASSAY_LOG_LEVEL", "debug")
    monkeypatch.delenv("ASSAY_LOG_FORMAT", raising=False)
    log.begin("INFO")
    yield LogOutput(capsys)
    logging.root.handlers[:] = handlers
    logging.getLogger("assay").setLevel(level)


def events(log_output: LogOutput) -> list[str]:
    """The names of the events, in their order, without the changes that stand behind them."""
    lines = [line for line in log_output.getvalue().splitlines() if not line.startswith("    ")]
    return [name for name in (line.split()[2] for line in lines) if name != "change"]


def as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_LOG_FORMAT", "JSON")
    log.begin("INFO")


def test_a_process_without_standard_error_works_without_a_log(
    log_output: LogOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stderr", None)
        log.error("store_failed", what="Nothing was saved")
    log.info("export_made", lines=1)
    assert events(log_output) == ["export_made"]


# -- a line -----------------------------------------------------------------------------------------------------------


def test_an_event_is_a_line_with_its_facts(log_output: LogOutput) -> None:
    log.info("run_started", run="a1", dataset="two words", judgments=3, seconds=1.23456, done=True, nothing=None, no="")
    at, level, event, rest = log_output.getvalue().split(" ", 3)
    assert at.endswith("Z") and len(at) == 24 and (level, event) == ("INFO", "run_started")
    assert rest == 'run=a1 dataset="two words" judgments=3 seconds=1.235 done=yes\n'


def test_as_json_it_is_an_object_a_line(log_output: LogOutput, monkeypatch: pytest.MonkeyPatch) -> None:
    as_json(monkeypatch)
    log.warning("run_failed", run="a1", model="m\n2", judgments=3)
    try:
        raise KeyError(TEXT)
    except KeyError as error:
        log.error("run_broke_off", error, run="a1")
    first, second = (json.loads(line) for line in log_output.getvalue().splitlines())
    assert first.pop("time") and first == {"level": "WARNING", "event": "run_failed", "run": "a1", "model": "m\n2",
                                           "judgments": 3}  # fmt: skip
    assert second["error"] == "KeyError" and "test_log.py" in " ".join(second["traceback"])


@pytest.mark.parametrize("as_json", [False, True])
def test_long_values_are_cut_and_say_so(as_json: bool) -> None:
    for size in (log.MAX_VALUE_LENGTH, log.MAX_VALUE_LENGTH + 1, 10 * log.MAX_VALUE_LENGTH):
        facts = {"a": "x" * size, "z": 1}
        record = logging.makeLogRecord({"name": "assay", "msg": "event", "levelname": "INFO", "facts": facts})
        expected = "x" * size if size <= log.MAX_VALUE_LENGTH else "x" * (log.MAX_VALUE_LENGTH - 1) + "…"
        line = log.format_record(record, as_json=as_json)
        assert (
            json.loads(line)["a"] if as_json else line.partition(" a=")[2].partition(" z=")[0].strip('"')
        ) == expected


@given(value=st.text(max_size=300) | st.sampled_from(["\n", "\r", "\u2028", "\x85", "\x1b[2K", "a b=c", '"', "\ud800"]))
def test_no_value_ends_its_line_or_begins_another_key(value: str) -> None:
    attributes = {"name": "assay", "msg": "event", "levelname": "INFO", "facts": {"a": value, "z": 1}}
    record = logging.makeLogRecord(attributes)
    text = log.format_record(record, as_json=False)
    assert text.endswith("z=1\n") and len(text.splitlines()) == 1 and text[:-1].isprintable()
    middle = text.partition(" event ")[2].removesuffix("z=1\n").strip()
    if value:
        field = middle.removeprefix("a=")
        assert (json.loads(field) if field.startswith('"') else field) == (
            value if len(value) <= log.MAX_VALUE_LENGTH else value[: log.MAX_VALUE_LENGTH - 1] + "…"
        )
        assert field.startswith('"') or not set(field) & set(' ="\\')
    assert len(log.format_record(record, as_json=True).splitlines()) == 1


@pytest.mark.parametrize(
    ("level", "logged"),
    [("", "iwe"), ("debug", "diwe"), ("INFO", "iwe"), ("Warning", "we"), ("ERROR", "e")],
)
def test_the_level_is_what_the_environment_asks_for(
    log_output: LogOutput, monkeypatch: pytest.MonkeyPatch, level: str, logged: str
) -> None:
    monkeypatch.setenv("ASSAY_LOG_LEVEL", level)
    log.begin("INFO")
    for tell, event in ((log.debug, "d"), (log.info, "i"), (log.warning, "w"), (log.error, "e")):
        tell(event)
    assert "".join(line.split()[2] for line in log_output.getvalue().splitlines()) == logged


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("ASSAY_LOG_LEVEL", "loud", "ASSAY_LOG_LEVEL is 'loud'. It has to be DEBUG, INFO, WARNING or ERROR."),
        ("ASSAY_LOG_FORMAT", "xml", "ASSAY_LOG_FORMAT is 'xml'. It has to be text or json."),
    ],
)
def test_a_setting_that_there_is_not_is_refused_in_a_sentence(
    log_output: LogOutput, monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(AssayError) as refused:
        log.begin("INFO")
    assert str(refused.value) == sentence
    log.info("start_refused")
    assert "start_refused" in log_output.getvalue(), "The refusal itself is logged, as if nothing had been asked for."


# -- what is not in it ------------------------------------------------------------------------------------------------


def test_an_error_has_the_lines_of_code_and_not_its_message(log_output: LogOutput) -> None:
    def inner() -> None:
        raise ValueError(TEXT)

    try:
        try:
            inner()
        except ValueError as error:
            raise ExceptionGroup(TEXT, [KeyError(TEXT), OSError(28, "No space left on device")]) from error
    except ExceptionGroup as error:
        log.error("run_broke_off", error)
    text = log_output.getvalue()
    assert CANARY not in text and "forged" not in text
    assert text.count("Traceback (most recent call last):") == 4 and "in inner" in text
    assert {"    ValueError", "    KeyError", "    OSError: No space left on device"} <= set(text.splitlines())
    assert all(line.startswith("    ") for line in text.splitlines()[1:])


def test_a_chain_of_errors_that_leads_back_to_itself_ends(log_output: LogOutput) -> None:
    first, second = ValueError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    log.error("x", first)
    assert log_output.getvalue().count("Traceback") == 2


def test_libraries_say_their_own_words_and_nobody_elses(log_output: LogOutput) -> None:
    library = logging.getLogger("some.library")
    library.info("quiet %s", TEXT)
    library.warning("refused %s after %d tries", TEXT, 3)
    library.error("broken\nwith %s", TEXT, exc_info=(ValueError, ValueError(TEXT), None))
    lines = log_output.getvalue().splitlines()
    assert 'WARNING library logger=some.library message="refused <str> after 3 tries"' in lines[0]
    assert "message=broken error=ValueError" in lines[1]
    odd = logging.makeLogRecord({"name": "other", "msg": "odd %d", "args": (TEXT,), "levelname": "WARNING"})
    assert log.format_record(odd, as_json=False).endswith('logger=other message="odd %d"\n')
    assert CANARY not in log_output.getvalue() and "quiet" not in log_output.getvalue()
    assert 'assay_events_total{event="library",level="error"}' in metrics.metrics_text(), "they are counted together"


def test_a_thread_that_ends_by_an_error_is_logged_without_its_message(
    log_output: LogOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("excepthook", "unraisablehook"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    log.catch()
    thread = threading.Thread(target=lambda: [][int(CANARY[-1])], name="reader of x")
    thread.start()
    thread.join()
    assert 'ERROR thread_failed thread="reader of x" error=IndexError' in log_output.getvalue()
    for error in (ValueError(TEXT), None):  # of an object that goes
        sys.unraisablehook(cast(Any, SimpleNamespace(exc_value=error)))
    assert log_output.getvalue().count("ERROR cleanup_failed error=ValueError") == 1
    assert log_output.getvalue().count("ERROR") == 2 and CANARY not in log_output.getvalue()


def test_a_reader_that_ends_by_an_error_tells_where_and_not_what(
    log_output: LogOutput, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / subprocess_reader.TRACE).write_text("\n".join(log.trace(ValueError(TEXT))), encoding="utf-8")
    file = tmp_path / "a.jsonl"
    file.write_text(TEXT, encoding="utf-8")
    error = subprocess_reader._end_reason(from_path(file), "", 1, 30, tmp_path)
    assert isinstance(error, BadInput) and "The log says why." in str(error)
    assert "reader_failed source=a.jsonl exit_code=1" in log_output.getvalue() and "ValueError" in log_output.getvalue()
    assert CANARY not in log_output.getvalue()


# -- a workspace's life -----------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path, log_output: LogOutput) -> Iterator[Store]:
    """Three dialogues of which every text, note and comment is a canary; lea leads, ann labels."""
    items = [seeds.dialogue(n, text=TEXT) for n in range(1, 4)]
    for item in items:
        item["scenario"] += TEXT
    replies = [seeds.reply(item) for item in items]
    for reply in replies:
        reply["decision_basis"] = TEXT
        reply["conversation_level"]["coherence"]["note"] = TEXT
    rows = [*items, *(seeds.judgment(item, reply) for item, reply in zip(items, replies, strict=True))]
    opened = seeds.workspace(tmp_path / "a.duckdb", rows)
    yield opened
    runs.close(opened)
    opened.close()


def silent(log_output: LogOutput) -> str:
    """All that was logged, which says nothing of what people and judges wrote, and has no line of theirs."""
    text = log_output.getvalue()
    assert CANARY not in text and "forged" not in text
    assert all(line.startswith(("20", "    ", "{")) for line in text.splitlines())
    return text


@pytest.mark.parametrize("as_text", [True, False], ids=["text", "json"])
def test_an_import_tells_how_much_and_of_nothing_what(
    store: Store, log_output: LogOutput, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_text: bool
) -> None:
    if not as_text:
        as_json(monkeypatch)
    line = seeds.judgment(seeds.dialogue(1), {"verdict": TEXT, TEXT: TEXT})
    label = {"item": "d-0001", "unit": "turn:1", "dimension": TEXT, "value": TEXT, "annotator": "ben", "mode": "blind"}
    bad = seeds.lines(tmp_path / "bad.jsonl", [seeds.dialogue(9, text=TEXT), line, label, {TEXT: TEXT}])
    with pytest.raises(ImportRefused):
        import_source(store, "lea", from_path(bad), ImportPlan(dataset="demo"))
    import_source(store, "lea", from_path(bad), ImportPlan(dataset="demo"), on_error="good rows")
    open_store(f"duckdb:///{tmp_path / 'new.duckdb'}").close()
    text = silent(log_output)
    opening_event = "store_opened" if store.shared else "store_made"  # the tests' databases have their tables already
    for event in (opening_event, "import_finished", "import_refused"):
        assert event in text, text


def test_saves_and_what_is_refused_of_them_are_counted(store: Store, log_output: LogOutput) -> None:
    dataset = datasets.dataset_named(store, "demo").id
    claims = queue.claim_items(store, "ann", dataset, "review", QueueFilters(), [], 2)
    judge = datasets.dataset_judges(store, dataset)[0][0]

    def answer(**fields: Any) -> dict[str, Any]:
        value = {"unit": "turn:1", "dimension": "helpfulness", "v": 4.0, "saw": True, "seen": 4.0}
        return {
            "key": new_id(), "person": "ann", "action": "save", "item": claims[0].item, "claim": claims[0].draw,
            "judge": judge, "version": "", "values": [value], "ms": 5_000,
            "notes": [{"unit": "turn:1", "sort": "comment", "text": TEXT}], **fields,
        }  # fmt: skip

    off_scale = {"unit": "turn:1", "dimension": TEXT, "v": 99.0}
    answers = [
        answer(), answer(item=claims[1].item, values=[off_scale]), {"key": TEXT, "item": TEXT, TEXT: TEXT}, TEXT,
        answer(person=TEXT), answer(item=TEXT), answer(item=claims[1].item, action="skip", reason=TEXT, values=[]),
    ]  # fmt: skip
    saved, refused = labels.save_answers(store, "ann", answers)
    assert (len(saved), len(refused)) == (2, 5) and any(CANARY in refusal.why for refusal in refused)
    assert "WARNING save_refused person=ann refused=5 unreadable=2 saved=2" in silent(log_output)
    with pytest.raises(AssayError):
        labels.save_answers(store, "nobody", answers)
    assert "INFO change_refused action=answers person=nobody" in silent(log_output)


def test_a_run_tells_how_it_ended_and_neither_key_nor_reply(
    store: Store, log_output: LogOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    judge_card = card("multi_turn_dialogue")

    def config(url: str, model: str = "practice-constant") -> RunConfig:
        dataset = datasets.dataset_named(store, "demo").id
        return RunConfig(dataset, judge_card, model, judge_card.defaults, Endpoint(base_url=url, tries=1))

    with practice("401=0.3,refused=0.3,empty=0.2", echo_key=True) as noisy:
        try:
            runs.wait(store, runs.start(store, "lea", config(noisy.url)))
        except AssayError:
            assert noisy.log.asked
    with practice() as server:
        done = runs.wait(store, runs.start(store, "lea", config(server.url, "practice-length"))).done
    monkeypatch.setattr(worker.LiveRun, "_run", broken)
    with practice() as server:
        end = runs.wait(store, runs.start(store, "lea", config(server.url, "practice-heuristic")))
    assert end.state == "failed" and "ValueError" in end.why
    text = silent(log_output)
    assert "INFO run_started run=" in text and "model=practice-constant" in text
    assert done and re.search(rf"INFO run_finished run=\S+ .*model=practice-length .*judgments={done} ", text)
    assert "ERROR run_broke_off run=" in text and "error=ValueError" in text and "in broken" in text
    assert "WARNING run_failed run=" in text


async def broken(*_: object) -> tuple[str, str]:
    raise ValueError(TEXT)


def test_decisions_audits_exports_and_backups_are_events(store: Store, log_output: LogOutput, tmp_path: Path) -> None:
    dataset = datasets.dataset_named(store, "demo")
    judge = datasets.dataset_judges(store, dataset.id)[0][0]
    key = (dataset.id, judge, "turn", "helpfulness")
    with pytest.raises(NotApprovable):
        approvals.record_decision(store, "lea", *key, "approve", TEXT)
    approvals.record_decision(store, "lea", *key, "decline", TEXT)
    audits.run_audits(store, dataset.id, judge)
    audits.run_audits(store, dataset.id, judge)
    kind = exporting.export_kinds()["dataset"]
    exporting.write_export(store, "lea", dataset, kind, {}, "jsonl", tmp_path / "out.jsonl")
    backup = backups.make_backup(store, "lea")
    backups.take_backup(store, "lea", backup.name)
    copy_workspace(f"duckdb:///{backup}", f"duckdb:///{tmp_path / 'copy.duckdb'}")
    backups.remove_backup(store, "lea", backup.name, "removed")
    people.set_person(store, "lea", "rae", "researcher")
    event_names = events(log_output)
    expected = "approval_decided audits_run export_made backup_made backup_taken store_copied backup_removed".split()
    assert [event_names.count(name) for name in expected] == [1] * len(expected)
    text = silent(log_output)
    assert f"backup_made person=lea file={backup}" in text and f"backup_removed person=lea file={backup}" in text
    assert "decision=decline person=lea" in text and "change_refused action=approve person=lea error=NotApprov" in text
    assert "DEBUG change action=person person=lea target=rae" in text


def test_a_store_that_cannot_save_says_so_without_what_was_to_be_saved(store: Store, log_output: LogOutput) -> None:
    with pytest.raises(StoreFailed):
        store.tx("ann", "test", lambda tx: tx.rows("select cast($1 as bigint)", [TEXT]))
    assert 'ERROR store_failed what="Nothing was saved"' in silent(log_output)
    assert "error=ConversionException" in silent(log_output)


def test_a_command_says_what_it_said_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    handlers = list(logging.root.handlers)
    monkeypatch.delenv("ASSAY_LOG_LEVEL", raising=False)
    with contextlib.closing(open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")) as store:
        monkeypatch.setenv("ASSAY_STORE", store.url)
    file = seeds.lines(tmp_path / "a.jsonl", [seeds.dialogue(1)])
    capsys.readouterr()  # where a test before this one left a log, making the store was said in it
    try:
        assert main(["import", str(file), "--dataset", "demo", "--as", "lea"]) == 0
        quiet = capsys.readouterr().err
        monkeypatch.setenv("ASSAY_LOG_LEVEL", "info")
        assert main(["verify"]) == 0
        assert "store_opened" in capsys.readouterr().err and "store_" not in quiet and "import_finished" not in quiet
        monkeypatch.setenv("ASSAY_LOG_LEVEL", "loud")
        assert main(["verify"]) == 1
        assert capsys.readouterr().err == "ASSAY_LOG_LEVEL is 'loud'. It has to be DEBUG, INFO, WARNING or ERROR.\n"
    finally:
        logging.root.handlers[:] = handlers
