"""The command line: what it says, where it says it, and with which exit code."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from data.cli import check, main, report, start
from data.cli.options import acting_person
from data.records import invitations, people
from data.records.names import MACHINE_ACTOR
from data.store import open_store
from data.store.duckdb_driver import DuckTables
from data.store.errors import BadInput
from data.store.high_water_mark import Mark
from judges.cli.progress_bar import Bar
from tests import seeds
from tests.data.imports import label, pair, text, verdict
from tests.fork_server import Forked, run_forked

ROOT = Path(__file__).resolve().parents[3]
ROWS = [pair(), verdict("p1", "a"), label("p1", "tie")]
Run = Callable[..., tuple[int, str, str]]
OF_FILES = pytest.mark.duckdb_only("a file that is not there, has an owner and a mark, or is put in another's place")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A factory: run(*arguments) gives (exit code, stdout, stderr) of a command in a folder of its own."""
    monkeypatch.setenv("ASSAY_STORE", seeds.address(tmp_path / "store.duckdb"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_bytes(text(ROWS))

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as leave:
            code = int(leave.code or 0)
        out = capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return code, out.out, out.err

    return call


def test_whoever_cannot_be_invited_is_made_no_lead(run: Run) -> None:
    for words in (
        ["--email", "nonsense"], ["--email", "max@example.org", "--days", "0"], ["--subject", "7", "--days", "0"],
        ["--days", "-4"], ["--person", "mia"],
    ):  # fmt: skip
        code, out, err = run("lead", "max", *words)
        assert (code, out) == (1, "") and err
    store = open_store()
    assert people.all_people(store) == []
    store.close()


def test_a_card_of_which_nothing_is_stored_yet_is_shown_as_it_is_shipped(run: Run) -> None:
    run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")
    code, out, _ = run("card", "show", "rubric_open_ended")
    assert code == 0 and out.startswith("Open-ended rubric (rubric_open_ended), version ")


def test_an_import_takes_a_card_of_the_workspace_by_its_name(run: Run, tmp_path: Path) -> None:
    """It said that there is no such card, and listed those with a folder."""
    assert run("card", "add", "kind", "--dimension", "tone (1-3): How kind it is.", "--as", "lea")[0] == 0
    score = {"unit": "response", "dimension": "tone", "value": 3}
    rows = [{"id": "r1", "kind": "response", "task": "t", "output": "o"},
            {"item": "r1", "card": "kind", "model": "m", "scores": [score]}]  # fmt: skip
    (tmp_path / "kind.jsonl").write_text("\n".join(map(json.dumps, rows)))
    code, out, err = run("import", "kind.jsonl", "--dataset", "d", "--card", "kind")
    assert (code, err) == (0, "") and out.startswith("Added 1 item, 1 judgment and 0 labels to d; ")


def test_import_says_what_was_added_and_the_second_time_that_nothing_was(run: Run) -> None:
    code, out, err = run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")
    assert (code, err) == (0, "")
    assert out.startswith("Added 1 item, 1 judgment and 1 label to d; 0 were there already. 3 lines in ")
    code, out, _ = run("import", "rows.jsonl", "--dataset", "d")
    assert code == 0 and out.startswith("Added 0 items, 0 judgments and 0 labels to d; 3 were there already.")


def test_who_may_sign_in_is_said_on_the_command_line(run: Run) -> None:
    code, out, _ = run("lead", "--email", "Lea@Example.org")
    assert code == 0 and out.startswith("lea@example.org may sign in as a new lead until ")
    code, out, _ = run("lead", "max", "--subject", "248289761001")
    assert code == 0 and "max is a lead" in out and "248289761001 may sign in as max until " in out
    code, out, _ = run("invite", "--email", "ann@example.org", "--role", "researcher", "--days", "3")
    assert code == 0 and out.startswith("ann@example.org may come in as a new researcher until ")
    refused = (["invite"], ["invite", "--email", "ann"], ["invite", "--subject", "1", "--person", "eve"], ["lead"])
    for wrong in refused:
        code, out, err = run(*wrong)
        assert (code, out) == (1, "") and err.endswith(".\n") and err.count("\n") == 1, wrong
    store = open_store()
    pending = invitations.open_invitations(store)
    store.close()
    assert [(invitation.whom, invitation.role, invitation.person) for invitation in pending] == [
        ("ann@example.org", "researcher", ""), ("248289761001", "lead", "max"), ("lea@example.org", "lead", ""),
    ]  # fmt: skip


def test_the_first_name_becomes_lead_and_without_one_nothing_is_done(run: Run) -> None:
    code, out, err = run("import", "rows.jsonl", "--dataset", "d")
    assert (code, out) == (1, "") and err.startswith("This workspace has no lead yet.")
    assert run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")[0] == 0
    code, _, err = run("import", "rows.jsonl", "--dataset", "d", "--as", "bob")
    assert (code, err) == (1, "Nobody called 'bob' is known here. A lead can add people on the People page.\n")
    store = open_store()
    assert [(p.name, p.role) for p in people.all_people(store)] == [("lea", "lead")]
    store.close()


def test_bad_lines_are_told_and_the_good_ones_are_taken_when_asked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(text([*ROWS, b"{", label("p1", "c")]))
    code, out, err = run("import", "bad.jsonl", "--dataset", "d", "--as", "lea")
    assert (code, out) == (1, "")
    assert (
        "bad.jsonl, line 4: The line is not JSON" in err and "bad.jsonl, line 5: value: 'c' is not on the scale" in err
    )
    assert "Nothing was written: 2 lines cannot be imported." in err
    code, out, err = run("import", "bad.jsonl", "--dataset", "d", "--good-rows", "--rejects", "left.jsonl")
    assert code == 0 and "Not taken: 2 lines." in out and "line 5" in err
    assert [json.loads(line)["line"] for line in (tmp_path / "left.jsonl").read_text().splitlines()] == [4, 5]


def test_the_file_for_rejects_takes_the_place_of_no_file_that_is_imported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (tmp_path / "rows.jsonl").read_bytes()
    again = f"../{tmp_path.name}/rows.jsonl"
    code, out, err = run("import", "rows.jsonl", "--dataset", "d", "--as", "lea", "--rejects", again)
    assert (code, out) == (1, "") and "rows.jsonl is one of the files to import" in err
    assert (tmp_path / "rows.jsonl").read_bytes() == before
    (tmp_path / "kept.txt").write_text("kept")
    monkeypatch.setenv("ASSAY_STORE", "nonsense")
    assert run("import", "rows.jsonl", "--dataset", "d", "--rejects", "kept.txt")[0] == 1
    assert (tmp_path / "kept.txt").read_text() == "kept"


@pytest.mark.parametrize(
    "command",
    ["check --dataset d", "backup b.duckdb", "export --dataset d --kind gold --out g.jsonl", "token list", "verify"],
)
def test_what_is_asked_of_a_store_that_is_not_there_makes_none(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/elsewhere/none.duckdb")
    before = sorted(tmp_path.iterdir())
    code, out, err = run(*command.split())
    assert (code, out) == (2 if "check" in command else 1, "") and "There is no store at" in err
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_of_parts_says_how_it_is_read_and_none_has_no_rows(run: Run, tmp_path: Path) -> None:
    run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")
    errors = {}
    for kind in ("gold", "labels"):
        code, _, errors[kind] = run("export", "--dataset", "d", "--kind", kind, "--out", kind, "--rows-per-file", "1")
        assert code == 0
    assert 'load_dataset("parquet", data_files="gold/*.parquet"' in errors["gold"], "gold is not imported again"
    assert errors["labels"] == "python -m data import labels --dataset NAME\n"
    for none in ("0", "-1"):
        code, out, err = run("export", "--dataset", "d", "--kind", "gold", "--out", "x", "--rows-per-file", none)
        assert (code, out) == (1, "") and "--rows-per-file is a number of rows, 1 or more" in err
    assert not (tmp_path / "x").exists()


def test_a_dry_run_writes_nothing(run: Run) -> None:
    code, out, _ = run("import", "rows.jsonl", "--dataset", "d", "--dry-run")
    assert (code, out) == (0, "Would add 1 item, 1 judgment and 1 label to d; 0 are there already.\n")
    assert run("start", "rows.jsonl", "--dry-run")[0] == 0
    store = open_store()
    assert store.newest() == 0
    store.close()


def test_a_table_needs_a_mapping_and_one_is_suggested(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,instruction,output\n1,Say hi,hi\n")
    code, _, err = run("import", "t.csv", "--dataset", "d", "--as", "lea")
    assert code == 1 and "t.csv is a table with the columns id, instruction, output." in err
    code, out, _ = run("import", "t.csv", "--suggest")
    assert code == 0
    (tmp_path / "m.json").write_text(out)
    assert run("import", "t.csv", "--dataset", "d", "--mapping", "m.json")[1].startswith("Added 1 item,")


def test_a_mapping_is_suggested_by_all_rows_of_a_table(run: Run, tmp_path: Path) -> None:
    rows = [f"x{n},{rater},{score},3" for rater, score in (("ann", 2), ("ben", 4), ("eve", 9)) for n in range(25)]
    (tmp_path / "t.csv").write_text("id,rater,human_score,llm_score\n" + "\n".join(rows))
    mapping = json.loads(run("import", "t.csv", "--suggest")[1])
    assert [entry["only"]["rater"] for entry in mapping["labels"]] == [["ann"], ["ben"], ["eve"]]
    assert mapping["recipes"][0]["dimensions"][0]["answers"]["hi"] == 10


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "required: COMMAND"),
        (("import",), 2, "required: PATH"),
        (("import", "rows.jsonl"), 1, "Say into which dataset: --dataset NAME."),
        (("import", "none.jsonl", "--dataset", "d"), 1, "There is no file none.jsonl."),
        (("import", "*.jsonl", "--dataset", "d"), 1, "is a pattern that matches no file. Give files, or a folder."),
        (("import", "https://example.org/x.jsonl", "--dataset", "d"), 1, "is an address. Download the file first"),
        (("import", "/dev/null", "--dataset", "d"), 1, "/dev/null is neither a plain file nor a folder."),
        (("import", "empty", "--dataset", "d"), 1, "empty holds no data file"),
        (("import", "rows.jsonl", "--dataset", " d"), 1, "cannot name a dataset"),
        (("import", "rows.jsonl", "--dataset", "d", "--sampling", "some"), 2, "invalid choice: 'some'"),
        (
            ("import", "rows.jsonl", "--dataset", "d", "--format", "fastchat", "--as", "lea"),
            1,
            "rows.jsonl is no file of FastChat",
        ),
        (("import", "rows.jsonl", "--dataset", "d", "--mapping", "none.json"), 1, "none.json: No such file"),
        (("import", "rows.jsonl", "--dataset", "d", "--mapping", "rows.jsonl"), 1, "The mapping cannot be read."),
        (("import", "rows.jsonl", "--suggest"), 1, "rows.jsonl holds no table: it needs no mapping."),
        pytest.param(("verify",), 1, "There is no store at ", marks=OF_FILES),
        pytest.param(("restore", "none.duckdb"), 1, "There is no backup none.duckdb.", marks=OF_FILES),
        pytest.param(("restore", "rows.jsonl"), 1, "rows.jsonl cannot be opened as a backup, so", marks=OF_FILES),
        (("backup", "rows.jsonl"), 1, "rows.jsonl exists already. Give the backup another name."),
        (("backup", "nowhere/b.duckdb"), 1, "There is no folder nowhere."),
    ],
)
def test_what_cannot_be_done_is_a_sentence(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    (tmp_path / "empty").mkdir()
    status, out, err = run(*arguments)
    assert (status, out) == (code, "") and says in err


def test_a_backup_is_of_its_own_revision_whatever_is_saved_meanwhile(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")
    backup = DuckTables.backup

    def backup_and_join(store: DuckTables, file: Path) -> None:
        backup(store, file)
        people.join_workspace(store, "ben")

    monkeypatch.setattr(DuckTables, "backup", backup_and_join)
    assert run("backup", "b.duckdb")[1].startswith("b.duckdb is revision 2, ")


@OF_FILES
def test_a_backup_takes_the_stores_place_and_the_present_file_is_kept(run: Run, tmp_path: Path) -> None:
    run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")
    assert run("backup", "b.duckdb")[1].startswith("b.duckdb is revision 2")
    (tmp_path / "more.jsonl").write_bytes(text([pair("p2")]))
    run("import", "more.jsonl", "--dataset", "d")
    code, out, err = run("restore", "b.duckdb")
    assert (code, err) == (0, "") and "at revision 2. The file that was there is kept as " in out
    assert out.startswith(f"{tmp_path / 'store.duckdb'} is the workspace of b.duckdb now, ")
    assert run("verify") == (0, "Read to revision 2: no problem was found.\n", "")
    replaced_file = next(tmp_path.glob("store.replaced-*.duckdb"))
    store = open_store(f"duckdb:///{replaced_file}")
    assert store.rows("select count(*) from item") == [(2,)]
    store.close()
    assert not list(tmp_path.glob("*.restoring*"))


@OF_FILES
def test_a_store_in_use_is_neither_restored_nor_imported_into(run: Run, tmp_path: Path) -> None:
    run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")
    run("backup", "b.duckdb")
    code = "from data.store import open_store; s = open_store(); print('open', flush=True); input()"
    with Forked(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "open\n"
        for command in (["restore", "b.duckdb"], ["import", "rows.jsonl", "--dataset", "d"], ["verify"]):
            status, out, err = run(*command)
            assert (status, out) == (1, "") and "in use" in err
        other.communicate("\n")
    assert run("verify")[0] == 0


@OF_FILES
def test_missing_changes_are_told_and_accepted_only_when_asked(run: Run, tmp_path: Path) -> None:
    run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")
    mark = Mark(tmp_path / "store.duckdb.mark")
    mark.write(7, "")
    mark.close()
    code, _, err = run("verify")
    assert code == 1 and "ends at revision 2, but revision 7 was confirmed: 5 changes are missing" in err
    assert run("import", "rows.jsonl", "--dataset", "d")[0] == 1
    assert run("verify", "--accept") == (0, "Read to revision 2: no problem was found.\n", "")
    assert run("verify")[0] == 0


FAULTS = [
    ("judgment", "id, judge_id, item_id, part, sample, raw, unscored, why", ("x", "j", "i", "", 0, "", "", ""),
     "1 row of judgment names the judge 'j', which is not there."),
    ("item", "id, dataset_id, name, kind, system_a, system_b, content, meta, hash, cells",
     ("x", "d", "n", "pair", "", "", "{}", "{}", "h", 0),
     "The content of the item 'n' is not what it was when it came in."),
    ("remark", "judgment_id, judge_id, item_id, unit, dimension, sort, text, sample",
     ("x", "", "", "pair", "", "note", "", 0), "1 row of remark names the judgment 'x', which is not there."),
]  # fmt: skip


@pytest.mark.parametrize(("table", "columns", "row", "says"), FAULTS)
def test_verify_says_what_does_not_fit_together(
    run: Run, table: str, columns: str, row: tuple[object, ...], says: str
) -> None:
    run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")
    store = open_store()
    store.tx("lea", "damage", lambda tx: tx.add(table, columns, [row]))
    store.close()
    code, out, err = run("verify")
    assert code == 1 and says in err and "Problems: " in out


def test_several_paths_are_one_import_and_what_is_alike_is_told_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "more" / "deep").mkdir(parents=True)
    (tmp_path / "more" / "rows.jsonl").write_bytes(text([pair("p2"), label("p2", "a")]))
    (tmp_path / "more" / "deep" / "odd.jsonl").write_bytes(text([label(f"none{n}", "a") for n in range(40)]))
    paths = ("rows.jsonl", "more", "more/rows.jsonl")  # the last one is in the folder, and is read once
    code, out, err = run("import", *paths, "--dataset", "d", "--as", "lea")
    assert code == 1 and err.splitlines()[0] == (
        "40 lines, such as more/deep/odd.jsonl, lines 1, 2 and 3: The item 'none0' is missing: it is neither in the "
        "dataset nor in this import."
    )
    assert len(err.splitlines()) == 2 and "40 lines cannot be imported" in err
    code, out, _ = run("import", *paths, "--dataset", "d", "--good-rows")
    assert code == 0 and out.startswith("Added 2 items, 1 judgment and 2 labels to d; 0 were there already.")


def test_the_list_of_commands_loads_none_of_them() -> None:
    """What it lists comes quickly: neither a library nor a command is loaded for it."""
    for tool in ("data", "judges"):
        listed = f"import sys\nfrom {tool}.cli import main\ntry:\n main(['--help'])\nexcept SystemExit: pass\n"
        code = listed + "print([m for m in sys.modules if m.split('.')[0] in ('pydantic', 'numpy', 'duckdb') or "
        code += f"m.startswith('{tool}.cli.')])"
        process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        assert "usage: python -m " in process.stdout and process.stdout.endswith("\n[]\n"), process.stdout


def test_the_progress_bar_draws_on_a_terminal_only(capsys: pytest.CaptureFixture[str]) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    visible, endless, silent = Terminal(), Terminal(), io.StringIO()
    with Bar(visible) as bar:
        while "%" not in visible.getvalue():  # it comes after a tenth of a second
            bar(50, 100, 1_000, ", 3 failed")
    with Bar(endless, "rows") as bar:
        while "%" not in endless.getvalue():
            bar(0, 0, 12)
    with Bar(silent) as bar:
        bar(50, 100, 1_000)
        bar.clear()
    assert silent.getvalue() == ""
    [line] = re.findall(r"\r(\[#+\.+\].*?) *(?=\r)", visible.getvalue())
    assert re.fullmatch(r"\[#{12}\.{12}\]  50%  1,000 lines  [\d,]+ a second, 3 failed", line)
    assert visible.getvalue().endswith("\r" + " " * len(line) + "\r")
    assert f"[{'#' * 24}] 100%  12 rows  " in endless.getvalue()


def test_what_answers_without_an_object_in_json_is_no_assay() -> None:
    assert check._read(b'{"a": 1}') == {"a": 1} and check._read(b"{}") == {}
    for body in (b"<html>", b"[]", b"3", b"\xff"):
        with pytest.raises(BadInput, match=r"^The server there is not Assay's API: its answer is not JSON\.$"):
            check._read(body)


def test_a_report_says_what_it_is_at_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal, expected in ((True, "Intervals ...\n"), (False, "")):
        monkeypatch.setattr(sys, "stderr", stderr := io.StringIO())
        monkeypatch.setattr(stderr, "isatty", lambda terminal=terminal: terminal)
        report._say("Intervals")
        assert stderr.getvalue() == expected


def test_whoever_ends_start_ends_the_server_that_it_has_started(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`kill` reaches the command alone: the server stayed, and with it the lock on the store."""
    processes = []

    def serve(*_: Any, **__: Any) -> subprocess.Popen[bytes]:
        processes.append(Popen([sys.executable, "-c", "import time; time.sleep(600)"]))
        threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
        return processes[0]

    Popen = subprocess.Popen
    monkeypatch.setattr(start.subprocess, "Popen", serve)
    monkeypatch.setattr(start, "_show", lambda *_: None)
    assert run("start", "rows.jsonl", "--as", "lea")[0] == 130
    assert processes[0].returncode == -signal.SIGTERM


@pytest.mark.slow
def test_stopping_an_import_leaves_nothing_half_done(run: Run, tmp_path: Path) -> None:
    run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")
    with (tmp_path / "many.jsonl").open("wb") as file:
        for number in range(30_000):
            file.write(text([pair(f"many{number}")]))
    command = [sys.executable, "-m", "data", "import", str(tmp_path / "many.jsonl"), "--dataset", "d"]
    spools = tmp_path / "spools"
    spools.mkdir()
    options = {"cwd": ROOT, "env": {**os.environ, "TMPDIR": str(spools)}}
    for after, number in ((0.0, signal.SIGINT), (0.5, signal.SIGTERM), (0.5, signal.SIGHUP), (2.0, signal.SIGINT)):
        with Forked(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options) as process:
            while process.poll() is None and not list(spools.glob("assay-intake-*")):
                time.sleep(0.01)
            time.sleep(after)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        # Python that is ending already has taken its handler off: the signal then ends it, which shells call 130.
        assert b"Traceback" not in err and process.returncode in (0, 130, -number), err
        assert not list(spools.iterdir())
        store = open_store()
        assert store.rows("select count(*) from item")[0][0] in (1, 30_001)
        store.close()
    assert run("verify")[0] == 0


@pytest.mark.duckdb_only("a command in a process of its own")
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_the_output_cannot_write_is_written_as_json_writes_it(tmp_path: Path, encoding: str) -> None:
    name = "日本 é 🙂"
    (tmp_path / "rows.csv").write_text("id,judge,human\n" + "".join(f"{n},{n % 5},{n % 4}\n" for n in range(20)))
    env = {**os.environ, "ASSAY_STORE": f"duckdb:///{tmp_path}/a.duckdb", "PYTHONIOENCODING": encoding}

    def call(code: int, *words: str) -> str:
        done = run_forked([sys.executable, "-m", "data", *words], cwd=ROOT, env=env, capture_output=True)
        assert done.returncode == code, done.stderr
        return done.stdout.decode(encoding)

    printed = "".join(c if c.encode(encoding, "ignore") else json.dumps(c)[1:-1] for c in name)
    assert f"to {printed} in" in call(0, "start", str(tmp_path / "rows.csv"), "--dataset", name, "--no-serve")
    assert json.loads(call(2, "check", "--dataset", name, "--json"))["dataset"] == name


def test_a_closed_output_ends_no_command() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import os; os.close(1); os.execv(os.sys.executable, ['p', '-m', 'judges', 'list'])"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_who_acts_may_have_a_name_that_only_newcomers_may_not(run: Run) -> None:
    assert run("import", "rows.jsonl", "--dataset", "d", "--as", "lea")[0] == 0
    with closing(open_store()) as store:
        for known in ("Assay", "kim (file)"):
            assert acting_person(store, known) == known
        with pytest.raises(BadInput, match="reserved for what Assay does by itself"):
            acting_person(store, MACHINE_ACTOR)
