"""Uploads are read by a process of their own: the same comes of it, and no file can hurt the server."""

from __future__ import annotations

import gc
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from data.cards import cards
from data.importing import subprocess_reader
from data.importing.files.source import Source, from_bytes, from_uploads
from data.importing.importing import detect_formats, import_source, preview_import
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.importing.snapshot import take_snapshot, unpack_snapshot
from data.store import Store
from data.store.errors import BadInput
from data.workspace.verify import verify
from judges.importing.csv_rows import SPREAD
from judges.importing.line_files import MAX_BAD_LINES
from judges.importing.mapping import ColumnMapping, ValueSource
from tests.data.cards.test_cards import recipe
from tests.data.importing.test_container import BROKEN
from tests.data.importing.test_fastchat import PAIRS, vote
from tests.data.importing.test_importing import MIXED
from tests.data.imports import adjudication_line, bring, counts, label, pair, source, text, verdict, workspace
from tests.fork_server import Forked
from tests.pages.desk_driver import patiently
from tests.server import ROOT

pytestmark = pytest.mark.usefixtures("fork_programs")
RESPONSES = ColumnMapping(
    kind="response", id=ValueSource(columns=["id"]), fields={"output": ValueSource(columns=["output"])}
)


@pytest.fixture
def real_process(fork_programs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the process start as it does for users, which takes a second."""
    monkeypatch.setattr(subprocess, "Popen", Forked.__base__)


@pytest.fixture(autouse=True)
def spools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of temporary files, in which nothing may be left behind."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not list(folder.iterdir())


def upload(folder: Path, **files: bytes) -> Source:
    """Files as they were uploaded, under names of the server's."""
    uploads = []
    for number, (name, content) in enumerate(files.items()):
        (folder / f"{number}").write_bytes(content)
        uploads.append((name.replace("__", "."), folder / f"{number}"))
    return from_uploads(uploads)


def record_processes(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every process that is started from now on."""
    processes: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def start(*args: Any, **kwargs: Any) -> Any:
        processes.append(real(*args, **kwargs))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    return processes


# -- the same comes of it ---------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A workspace that holds a pair with what was said of it."""
    store = workspace(tmp_path)
    bring(
        store,
        [pair(), label("p1", "a"), label("p1", "b", annotator="ben"), adjudication_line("p1", "b"), verdict("p1", "a")],
    )
    yield store
    store.close()


@pytest.mark.slow
@pytest.mark.usefixtures("real_process")
def test_an_upload_becomes_what_the_same_bytes_become_here(store: Store, tmp_path: Path) -> None:
    rows = [
        *MIXED,
        verdict("p1", "a"),
        verdict("p1", "b", model="other"),
        label("p1", "a"),
        adjudication_line("p1", "a"),
        b"{",
    ]
    rows += [label("p1", "c"), {"gold_rule": {"resolve": "majority", "apart": 1}}]
    rejects, other_rejects = io.BytesIO(), io.BytesIO()
    preview = preview_import(store, source(rows), ImportPlan("d"), rejects=rejects)
    other = preview_import(store, upload(tmp_path, rows__jsonl=text(rows)), ImportPlan("d"), rejects=other_rejects)
    assert asdict(preview) == asdict(other) and preview.rejected > 3 and preview.known.total and preview.new.rules
    assert rejects.getvalue() == other_rejects.getvalue() != b""


def test_how_far_the_process_is_goes_on_while_it_reads(store: Store, tmp_path: Path) -> None:
    source, reports = (
        upload(tmp_path, rows__jsonl=text([pair(f"n{n}") for n in range(6_000)])),
        list[tuple[int, int, int]](),
    )
    preview_import(store, source, ImportPlan("d"), progress=lambda *report: reports.append(report))
    done = {bytes_read for bytes_read, whole, _ in reports if whole == source.size}
    assert min(done) == 0 and max(done) <= source.size and len(done) > 2


def test_an_upload_is_taken_once_and_what_was_added_meanwhile_is_not_added_twice(store: Store, tmp_path: Path) -> None:
    source = upload(tmp_path, rows__jsonl=text([pair("new"), label("new", "tie"), verdict("p1", "b")]))
    raced: list[Any] = []

    def meanwhile(done: int, size: int, lines: int) -> None:
        if lines and not raced:
            raced.append(bring(store, [pair("new")]))

    with pytest.raises(BadInput, match="somebody else added the same things"):
        import_source(store, "lea", source, ImportPlan("d"), progress=meanwhile)
    assert import_source(store, "lea", source, ImportPlan("d")).preview.new.total == 2
    before = counts(store)
    assert import_source(store, "lea", source, ImportPlan("d")).preview.known.total == 3
    assert counts(store) == before and verify(store) == []


def test_tables_chats_and_fastchat_go_the_same_way(store: Store, tmp_path: Path) -> None:
    chat = [{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}]
    files = {"t__csv": b"id,output\n1,x\n2,y\n", "c__jsonl": text(chat)}
    files |= {name.replace(".", "__"): text(rows) for name, rows in PAIRS.items()}
    files["votes__jsonl"] = text([vote("expert_1", "tie")])
    source = upload(tmp_path, **files)
    known = detect_formats(source)
    assert [(file.format, file.columns) for file in known][:2] == [
        ("table", ["id", "output"]), ("messages", ["messages"]),
    ]  # fmt: skip
    assert known[0].rows == [{"id": "1", "output": "x"}, {"id": "2", "output": "y"}]
    plan = ImportPlan("e", mappings=(RESPONSES,))
    direct = from_bytes([(name.replace("__", "."), content) for name, content in files.items()])
    preview, other = preview_import(store, direct, plan), preview_import(store, source, plan, detected=known)
    assert (other.formats, other.new, other.people, other.problems) == (
        preview.formats, preview.new, preview.people, preview.problems,
    )  # fmt: skip
    assert preview.new.items > 3 and preview.new.labels == 1


def test_every_card_goes_to_the_process_as_it_is(store: Store) -> None:
    cards.save_card(store, "lea", recipe())
    known = take_snapshot(store, ImportPlan("d"), [])
    snapshot = unpack_snapshot(known.pack())
    assert {n: c.version for n, c in snapshot.cards.items()} == {
        n: c.version for n, c in cards.current_cards(store).items()
    }
    assert snapshot.questions == known.questions and snapshot.rule == known.rule


# -- limits -----------------------------------------------------------------------------------------------------------


def refusal(store: Store, source: Source, monkeypatch: pytest.MonkeyPatch) -> str:
    """Why an upload cannot be read; the server lives, nobody reads any more, and nothing was written."""
    before, processes = counts(store), record_processes(monkeypatch)
    with pytest.raises(BadInput) as no:
        preview_import(store, source, ImportPlan("d", mappings=(RESPONSES,)))
    assert processes and all(process.poll() is not None for process in processes)
    assert counts(store) == before
    return str(no.value)


@pytest.mark.usefixtures("real_process")
def test_what_needs_too_much_memory_is_a_sentence(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess_reader, "MAX_MEMORY_BYTES", 2**24)
    row = {"id": "1", "kind": "response", "task": "", "output": "x" * (15 * 2**20)}
    source = upload(tmp_path, big__jsonl=text([row]))
    says = refusal(store, source, monkeypatch)
    assert says.startswith("big.jsonl needs more memory to read than is allowed: ") and "Split the file" in says


def test_a_process_comes_last_and_takes_as_much_memory_as_it_is_given_and_no_more() -> None:
    program = (
        "import os\nfrom data.importing import reader\n"
        "reader.limit_resources(2**28, 60, 2**20)\nheld = bytearray(2**27)\n"
        "try:\n    bytearray(2**28)\nexcept MemoryError:\n    print('refused', os.nice(0))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True)
    assert (done.stdout, done.stderr) == (b"refused 19\n", b"")


@pytest.mark.parametrize(("message", "code"), [("odd", 1), ("Cannot ALLOCATE 1 GB", subprocess_reader.OUT_OF_MEMORY)])
def test_a_process_that_fails_says_where_unless_memory_is_what_it_lacked(
    tmp_path: Path, message: str, code: int
) -> None:
    program = (
        f"from data.importing import reader\ndef fail(*_):\n    raise ValueError({message!r})\n"
        "reader._run_task = fail\nreader.main()"
    )
    limits = {"memory": 2**31, "seconds": 60, "file": 2**20, "last": False}
    task = pickle.dumps({"folder": str(tmp_path), "limits": limits})
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(len(task).to_bytes(8, "big") + task)
        process.stdin.flush()
        assert process.wait() == code  # with its input still open: at its end it would take the folder with it
    traces = [path.read_text(encoding="utf-8") for path in tmp_path.glob(subprocess_reader.TRACE)]
    assert len(traces) == (code == 1) and all("ValueError" in trace and message not in trace for trace in traces)


def test_what_takes_too_long_is_a_sentence(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess_reader, "BASE_CPU_SECONDS", 0.3)
    monkeypatch.setattr(subprocess_reader, "CPU_SECONDS_PER_MB", 1)
    source = upload(tmp_path, slow__csv=b"id,output\n" + b"1,x\n" * 200_000)
    says = refusal(store, source, monkeypatch)
    assert says.startswith("slow.csv takes longer to read than its size allows: 1 seconds") and "Split the file" in says


def test_a_process_that_stands_still_is_ended(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess_reader, "BASE_CPU_SECONDS", 0)
    monkeypatch.setattr(subprocess_reader, "CPU_SECONDS_PER_MB", 0)
    assert "takes longer" in refusal(store, upload(tmp_path, a__jsonl=text([pair()])), monkeypatch)


@pytest.mark.parametrize(
    ("does", "seconds"),
    [("import time; time.sleep(20)", 0), ("import os; [os.write(1, b'x' * 65_536) for _ in range(2_000)]", 600)],
)
def test_a_process_that_says_nothing_or_never_ends_a_line_is_ended(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str, seconds: int
) -> None:
    monkeypatch.setattr(subprocess_reader, "BASE_CPU_SECONDS", seconds)
    monkeypatch.setattr(subprocess_reader, "CPU_SECONDS_PER_MB", 0)
    monkeypatch.setattr(subprocess_reader, "_MAX_MESSAGE_BYTES", 2**20)
    source, real = upload(tmp_path, a__jsonl=text([pair()])), subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda _, **options: real([sys.executable, "-c", does], **options))
    with pytest.raises(BadInput, match=rf"takes longer to read than its size allows: {seconds} seconds"):
        detect_formats(source)


def test_a_spool_that_grows_too_large_is_a_sentence(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess_reader, "MAX_FILE_BYTES", 2**16)
    source = upload(tmp_path, rows__jsonl=text([pair(f"p{n}", a="x" * 1_000) for n in range(500)]))
    assert "could not be made ready" in refusal(store, source, monkeypatch)


def test_an_upload_that_is_gone_is_a_sentence(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = upload(tmp_path, rows__jsonl=text([pair("new")]))
    assert source.files[0].path is not None
    source.files[0].path.unlink()
    says = refusal(store, source, monkeypatch)
    assert says.startswith("The import could not be made ready in ") and ": No such file or directory. Nothing " in says


def test_the_memory_of_the_server_does_not_grow_with_a_file(tmp_path: Path) -> None:
    row = {"id": "1", "kind": "response", "task": "", "output": "x" * (10 * 2**20)}
    source = upload(tmp_path, rows__jsonl=text([row, {**row, "id": "2"}]))
    program = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from data.importing.files.source import from_uploads\nfrom data.importing.importing import preview_import\n"
        "from data.importing.plan import ImportPlan\n"
        "from tests.data import imports\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "store, plan = imports.workspace(Path(sys.argv[1])), ImportPlan('d')\n"
        "given = from_uploads([('rows.jsonl', Path(sys.argv[2]))])\n"
        "preview_import(store, imports.source([imports.pair()]), plan)\nbefore = peak()\n"
        "assert preview_import(store, given, plan).new.items == 2\nprint(peak() - before)\nstore.close()"
    )
    command = [sys.executable, "-c", program, str(tmp_path), str(source.files[0].path)]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "TMPDIR": tempfile.gettempdir()}, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 10 * 2**10  # kB


def test_the_process_knows_no_secrets_and_no_store(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("ASSAY_STORE", "duckdb:///canary")
    environments: list[str] = []
    real = subprocess.Popen

    def start(*args: Any, **kwargs: Any) -> Any:
        environments.append(str(kwargs["env"]))
        return real(*args, **kwargs)

    monkeypatch.setattr(subprocess, "Popen", start)
    assert preview_import(store, upload(tmp_path, a__jsonl=text([pair("new")])), ImportPlan("d")).new.items == 1
    assert environments and "canary" not in "".join(environments)


def test_a_process_that_tells_what_no_file_is_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = upload(tmp_path, a__jsonl=text([pair("new")]))
    [file] = detect_formats(source)
    fields = ("lines", "canonical", None)
    assert (file.container, file.format, file.role) == fields
    for place, wrong in ((0, "program"), (1, "mine"), (1, "auto"), (2, "judge")):
        answer = (*fields[:place], wrong, *fields[place + 1 :], [], [])
        monkeypatch.setattr(subprocess_reader, "_run_task", lambda *_, answer=answer: [answer])
        with pytest.raises(BadInput, match=r"a\.jsonl could not be read: the process that read it ended"):
            detect_formats(source)


def test_a_gold_rule_that_a_process_tells_is_one_that_can_be(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = subprocess_reader._run_task

    def tell(source: Any, task: dict[str, Any], *more: Any) -> Any:
        reply = really(source, task, *more)
        return {**reply, "rule": {"apart": threshold}} if task["task"] == "gather" else reply

    monkeypatch.setattr(subprocess_reader, "_run_task", tell)
    for threshold in (1, 101):
        source = upload(tmp_path, a__jsonl=text([pair("new")]))
        with nullcontext() if threshold == 1 else pytest.raises(BadInput, match="by 101 points"):
            assert preview_import(store, source, ImportPlan("d")).new.items == 1


# -- who reads when, and until when -----------------------------------------------------------------------------------


def test_one_is_read_at_a_time_and_who_waits_is_told(store: Store, tmp_path: Path) -> None:
    source = upload(tmp_path, a__jsonl=text([pair("new")]))
    known = detect_formats(source)
    waited: list[int] = []
    others: list[threading.Thread] = []

    def second() -> None:
        preview_import(store, source, ImportPlan("d"), detected=known, waits=waited.append)

    def first(*_: int) -> None:
        if not others:
            others.append(threading.Thread(target=second))
            others[0].start()
            assert patiently(lambda: bool(waited))

    preview_import(store, source, ImportPlan("d"), progress=first, detected=known)
    others[0].join()
    assert set(waited) == {1} and not subprocess_reader._waiting_line


def test_who_leaves_ends_the_reading(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class ChildExit(BaseException):
        pass

    def leave(*_: int) -> None:
        raise ChildExit

    source = upload(tmp_path, a__csv=b"id,output\n" + b"1,x\n" * 200_000)
    known, processes = detect_formats(source), record_processes(monkeypatch)
    with pytest.raises(ChildExit):
        preview_import(store, source, ImportPlan("d", mappings=(RESPONSES,)), progress=leave, detected=known)
    assert [process.poll() for process in processes] == [-signal.SIGKILL] and not subprocess_reader._waiting_line


def test_a_server_that_is_killed_takes_the_reader_and_its_files_with_it(tmp_path: Path, spools: Path) -> None:
    source = upload(tmp_path, a__csv=b"id,output\n" + b"1,x\n" * 300_000)
    program = (
        "import sys\nfrom pathlib import Path\nfrom data.importing.files.source import from_uploads\n"
        "from data.importing.importing import preview_import\nfrom data.importing.plan import ImportPlan\n"
        "from judges.importing.mapping import ColumnMapping\nfrom tests.data import imports\n"
        "from data.importing import subprocess_reader as apart\n"
        "real = apart._Session.send\n"
        "def send(self, value): print(self._process.pid, flush=True); real(self, value)\n"
        "apart._Session.send = send\nstore = imports.workspace(Path(sys.argv[1]))\n"
        "given = from_uploads([('a.csv', Path(sys.argv[2]))])\n"
        "plan = ImportPlan('d', mappings=(ColumnMapping.model_validate_json(sys.argv[3]),))\n"
        "seen = lambda done, size, lines: lines and print('reads', flush=True)\n"
        "preview_import(store, given, plan, progress=seen)"
    )
    command = [sys.executable, "-c", program, str(tmp_path), str(source.files[0].path), RESPONSES.model_dump_json()]
    env = {**os.environ, "TMPDIR": str(spools)}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pids = {int(line) for line in iter(server.stdout.readline, "reads\n")}
        assert list(spools.iterdir())
        server.kill()
    assert patiently(lambda: not list(spools.iterdir()))
    assert patiently(lambda: not any(_reads(pid) for pid in pids))


def _reads(pid: int) -> bool:
    try:
        return b"data.importing.reader" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


# -- so many bad lines ------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("uploaded", [True, False])
def test_reading_stops_after_10000_bad_lines_and_none_of_the_file_is_taken(
    store: Store, tmp_path: Path, uploaded: bool
) -> None:
    content = text([pair("good")]) + b'{"id":1}\n' * (MAX_BAD_LINES + 500)
    source = upload(tmp_path, ids__jsonl=content) if uploaded else from_bytes([("ids.jsonl", content)])
    gc.collect()
    rejects = io.BytesIO()
    preview = preview_import(store, source, ImportPlan("d"), rejects=rejects)
    assert preview.stopped.startswith("10,000 lines are bad, and reading stopped at line 10,001 of ids.jsonl.")
    assert (preview.rejected, len(preview.problems), preview.ok) == (MAX_BAD_LINES, 1_000, False)
    back = [json.loads(line)["line"] for line in rejects.getvalue().splitlines()]
    assert back == list(range(2, MAX_BAD_LINES + 2))
    before = counts(store)
    says = r"Nothing was written\. 10,000 lines are bad, and reading stopped at line 10,001"
    with pytest.raises(ImportRefused, match=says):
        import_source(store, "lea", source, ImportPlan("d"), "good rows")
    assert counts(store) == before


def test_lines_that_wait_for_an_item_count_when_it_never_comes(store: Store) -> None:
    preview = preview_import(store, source([label("nobody", "a")] * (MAX_BAD_LINES + 1)), ImportPlan("d"))
    assert preview.stopped and preview.rejected == MAX_BAD_LINES


@pytest.mark.parametrize(("column", "kind"), [("annotator", "people"), ("model", "judges")])
def test_a_column_of_texts_is_no_column_of_names(
    store: Store, monkeypatch: pytest.MonkeyPatch, column: str, kind: str
) -> None:
    monkeypatch.setattr("data.importing.checks.line_checks._PEOPLE", 100)
    monkeypatch.setattr("data.importing.checks.line_checks._JUDGES", 100)
    make = label if column == "annotator" else verdict
    rows = [make("p1", "a", **{column: f"n{n}"}) for n in range(200)]
    assert len(getattr(preview_import(store, source(rows[:100]), ImportPlan("d")), kind)) == 100
    with pytest.raises(BadInput, match=f"names more than 100 {kind}"):
        preview_import(store, source(rows), ImportPlan("d"))


# -- sentences --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("begins", [3, 30])
def test_a_quote_that_stays_open_is_named_by_its_line(store: Store, begins: int, large: bool) -> None:
    rows = [b"%d,x" % n for n in range(2, 40)]
    rows[begins - 2] = b'"a name\non two lines","never'
    content = b"id,output\n" + b"\n".join(rows) + b"\n" + (b"y" * 1_000 + b"\n") * (SPREAD // 1_000 * large)
    preview = preview_import(store, from_bytes([("t.csv", content)]), ImportPlan("e", mappings=(RESPONSES,)))
    ending = "is not closed within 4 MB; the rest of the file was not read" if large else "is never closed"
    says = f"The row opens a quote in line {begins + 1} that {ending}."
    assert [(p.line, p.sentence) for p in preview.problems] == [(begins, says)] and preview.new.items == begins - 2


SLIP = re.compile(r"\b(\w+) \1\b|\bis (has|holds|is|opens|begins)\b|\b(line|row) (not|the|nested)\b|[,:;]{2}| [.,:;]")


def test_no_sentence_about_a_bad_line_stumbles(store: Store) -> None:
    lines = [line for line, _ in BROKEN if len(line) < 10_000]
    lines += [b'{"a":"\t"}', b'{"a":"x', b'{"a":"\\q"}', b'{"a":"\\u12"}', b"{,}", b'{"a" 1}', b'{"a":1,}', b'{"a":}']
    changed = {"id": 7, "input": None, "more": 1, "kind": 0, "response_a": 1, "response_b": {"text": 1}}
    fields: list[Any] = [{**pair("x"), key: value} for key, value in changed.items()]
    fields += [{"id": "x", "kind": "dialogue", "turns": turns} for turns in ([], 7, [7], [{"turn": 0, "role": "user"}])]
    fields += [label("p1", value) for value in (None, "c", [1], 1e300)]
    fields += [verdict("p1", "a", sample=value) for value in (-1, "x")]
    canonical = text([pair("first"), *lines, *fields])
    csv = b'id,output\n1,x\n2\n3,a,b\n4,\xff\n5,a\x00\n6,"a"b\n7,"two\nlines"z\n8,"open\n'
    broken = [b'[{"id":1} {"id":2}]', b'[{"id":1},]', b'[{"id":"\n"}]', b'[{"id":1}', b"[[[", b"[1]", b"[{}] x"]
    broken += [b'[{"a":"\xff"}]', b'[{"a":NaN}]', b'[{"id":1},\n{"id":"\t"}]']
    files = [("rows.jsonl", canonical), ("t.csv", csv), ("chat.jsonl", b'{"messages":[]}\n' + b"\n".join(lines))]
    files += [(f"list{n}.json", listing) for n, listing in enumerate(broken)]
    sentences = []
    for name, content in files:
        try:
            preview = preview_import(store, from_bytes([(name, content)]), ImportPlan("s", mappings=(RESPONSES,)))
        except BadInput as no:
            sentences.append(str(no))
            continue
        sentences += [problem.sentence for problem in preview.problems]
    assert len(sentences) > 60
    slips = [sentence for sentence in sentences if SLIP.search(sentence) or not sentence.endswith(".")]
    assert not slips, "\n".join(slips)


def test_a_process_that_asks_for_what_it_must_not_know_is_ended(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "print('{\"ask\": [\"people\", []]}', flush=True)\nimport time\ntime.sleep(600)\n"
    folder = tmp_path / "other" / "data" / "importing"
    folder.mkdir(parents=True)
    (folder / "reader.py").write_text(program)
    source = upload(tmp_path, a__jsonl=text([pair()]))
    monkeypatch.setattr(subprocess_reader, "_ROOT", tmp_path / "other")
    processes = record_processes(monkeypatch)
    with pytest.raises(BadInput, match="could not be read: the process that read it ended"):
        detect_formats(source)
    assert [process.poll() for process in processes] == [-signal.SIGKILL] and not subprocess_reader._waiting_line
