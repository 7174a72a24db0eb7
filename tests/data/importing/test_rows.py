"""What imports leave in the tables: every row of every file that can be read, in an archive beside this file."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.importing import start
from data.importing.files.source import Source, from_bytes, from_path
from data.importing.importing import detect_formats, import_source
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused, list_imports
from data.records import people
from data.store import Store
from judges.errors import AssayError
from judges.importing.mapping import ColumnMapping
from tests.archives import compare_archive
from tests.data import import_files
from tests.data.importing import tool_files
from tests.data.imports import TABLES, adjudication_line, label, pair, source, text, verdict, workspace
from tests.facts import collect_refusals, facts, refusal

Json = dict[str, Any]
UNNAMED = {"id", "seq", "made_at", "dataset_id", "judgment_id", "answer_id", "hash", "spec"}
"""Columns that are new each time, or say again what another one says."""
MOST = 9
REPORT_FIELDS = ("new", "known", "warnings", "groups", "unscored", "people", "judges", "formats", "by_file", "summary")


@pytest.mark.slow
def test_every_import_leaves_these_rows_and_this_report(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "assay")
    store = workspace(tmp_path)
    people.join_workspace(store, "rex")
    people.set_person(store, "lea", "rex", "researcher")
    people.join_workspace(store, "cy")
    lines = [*_of_files(store), *_of_lines(store), *_of_folders(store, tmp_path / "in"), *_of_plans(store)]
    lines += ["== imports", *(f"  {str(row)[:200]}" for row in list_imports(store))]
    logged = [record for record in caplog.get_records("call") if record.getMessage().startswith("import")]
    lines += [f"log {record.getMessage()} {_steady(getattr(record, 'facts', {}))}" for record in logged]
    store.close()
    archive = "\n".join(lines).replace(str(tmp_path), "(folder)") + "\n"
    archive = re.sub(r"datetime\.datetime\([^)]*\)", "(time)", archive)
    compare_archive(archive, Path(__file__).with_name("rows.txt"), tmp_path)


def _steady(values: Json) -> Json:
    return {name: value for name, value in values.items() if not isinstance(value, float)}


def _of_files(store: Store) -> Iterator[str]:
    """Files of each format by the plan that is proposed for them, and the same files once more."""
    for number, (title, upload) in enumerate(import_files.sources()):
        draft = ImportPlan(title, sampling=("random", "all", "picked", "unknown")[number % 4])
        try:
            detected = detect_formats(upload)
            outline = start.interpret_source(store, upload, detected)
            plan = start.plan_import(store, outline, replace(draft, population=500 if number % 4 == 0 else None))
        except AssayError as error:
            yield f"== {title}: no plan, {error}"
            plan = draft
        yield from _import(store, f"== {title}", upload, plan, 2)


def _import(
    store: Store, title: str, source: Source, plan: ImportPlan, times: int = 1, person: str = "lea"
) -> Iterator[str]:
    """What an import says, the rows that it adds, and what it says when it is done again."""
    for n in range(times):
        before, rejects = store.newest(), io.BytesIO()
        yield f"{title}{', again' if n else ''}"
        with collect_refusals() as refusals:
            try:
                done = import_source(store, person, source, plan, "good rows", rejects=rejects)
            except ImportRefused as error:
                yield from facts("refused", error.preview, 1, MOST)
                raise
            preview, new = done.preview, done.preview.new
            yield f"  {new.items} items, {new.judgments} judgments, {new.labels} labels, {preview.known.total} known"
            yield f"  {done.preview.rejected} rejected of {done.lines} lines"
            for name in REPORT_FIELDS:
                if value := getattr(done.preview, name):
                    yield from facts(name, value, 1, MOST)
            yield from (f"  rejected {line[:240]}" for line in rejects.getvalue().decode().splitlines()[:MOST])
            yield from _rows(store, before)
            if n == 0:
                step = start.next_step(store, person, done.dataset_id, draw=False)
                yield f"  leads to {step and (step.page, sorted(step.query))}"
        if refusals:
            yield f"  {refusals[0][:600]}"


def _rows(store: Store, before: int) -> Iterator[str]:
    """The rows of every table since a change, in an order that no id decides."""
    names = {str(key): str(name) for key, name in store.rows("select id, name from item")}
    names |= {str(key): f"judge {model}" for key, model in store.rows("select id, model from judge")}
    for table in TABLES:
        columns = [
            str(name) for (name,) in store.rows(
                "select column_name from information_schema.columns where table_name = $1 order by ordinal_position",
                [table],
            ) if name not in UNNAMED
        ]  # fmt: skip
        rows = store.rows(f"select {', '.join(columns)} from {table} where seq > $1", [before])
        lines = sorted("; ".join(_cell(names, value) for value in row) for row in rows)
        if lines:
            yield f"  {table}: {len(lines)} rows of {', '.join(columns)}"
            yield from (f"    {line[:330]}" for line in lines[:: 1 + len(lines) // MOST])


def _cell(names: dict[str, str], value: Any) -> str:
    string = names.get(value, value) if isinstance(value, str) else value
    string = f"{string:.5g}" if isinstance(string, float) else str(string).replace("\n", "\\n")
    return re.sub(r"\b[0-9a-f]{12,}\b", "(mark)", string[:90])


def _of_lines(store: Store) -> Iterator[str]:
    """Lines of ours: rules and guidelines by who may bring them, both orders of pairs, and what contradicts itself."""
    item = {"id": "r1", "kind": "response", "task": "Frage?", "output": "ja", "system": "m", "meta": {"lang": "de"}}
    about = {"item": "r1", "unit": "response", "dimension": "factuality", "annotator": "ann", "mode": "blind"}
    rule, other = {"gold_rule": {"resolve": "majority", "apart": 1}}, {"gold_rule": {"resolve": "mean", "apart": None}}
    out = {"gold_rule": {"resolve": "median", "apart": 2, "waiting": "out"}}
    both = [pair("p1"), pair("p2", "AA", "BB"), pair("p3", "C", "DD")]
    orders = [verdict("p1", "A", order="ab"), verdict("p1", "A", order="ba"), verdict("p2", "B", order="ab"),
              verdict("p2", "tie", order="ba", sample=1), verdict("p3", "A", order="ba")]  # fmt: skip
    late = [verdict("p2", "A", order="ba"), verdict("p3", "B", order="ab"), verdict("p3", "B", order="ab", part="x")]
    votes = [label("p1", "a"), label("p1", "b", annotator="ben"), adjudication_line("p1", "a")]
    sides = [label("p2", "a", mode="assisted"), label("p2", "n/a"), label("p2", "b", probability=0.25)]
    again = [
        label("p1", "b", made_at="2026-03-01T00:00:00Z"),
        adjudication_line("p1", "b", made_at="2026-03-02T00:00:00Z"),
        adjudication_line("p2", "a"),
        adjudication_line("p1", "a", labels=[]),
        adjudication_line("p1", "a", adjudicator="ann"),
    ]
    cases: list[tuple[str, str, list[Any], Json]] = [
        ("rules", "rex", [item, rule], {}), ("rules", "lea", [rule, rule, {"guidelines": "Look twice.\n"}], {}),
        ("rules", "lea", [other, {"guidelines": "Otherwise."}], {}), ("rules", "lea", [rule, other], {}),
        ("of rex", "rex", [item, {"guidelines": "Look."}, out], {}), ("two rules", "lea", [item, out, rule], {}),
        ("two texts", "lea", [item, {"guidelines": "One."}, {"guidelines": "Two."}], {}),
        ("orders", "lea", [*both, *orders], {}), ("orders", "lea", late, {}), ("orders", "lea", [*orders, *late], {}),
        ("orders", "lea", [verdict("p1", "A", order="xy"), verdict("p1", "A", order="ab", reply=None, raw="[[A]]"),
                           verdict("p9", "A", order="ab")], {}),
        ("votes", "lea", [*both, *votes], {"sampling": "random", "population": 30}), ("votes", "rex", again, {}),
        ("votes", "rex", sides, {"sampling": "all"}), ("votes", "lea", [*both, *votes, *sides, *again], {}),
        ("only items", "lea", [*both, *votes, *orders], {"sorts": ("item",)}),
        ("made up", "lea", [item, {**about, "value": 3, "made_at": "2026-01-31"}],
         {"synthetic": True, "description": "x"}),
        ("renamed", "lea", [*both, *orders[:2]], {}),
        ("cy's", "cy", [item], {}), ("nobody's", "nobody", [item], {}),
    ]  # fmt: skip
    for name, person, rows, options in cases:
        yield from _import(
            store, f"== lines of {name} by {person}", source(rows), ImportPlan(name, **options), 1, person
        )
    whole = refusal(lambda: import_source(store, "lea", source([item, {"id": ""}]), ImportPlan("whole")))
    yield f"refused as a whole: {whole}"


def _of_folders(store: Store, folder: Path) -> Iterator[str]:
    """Folders as they lie: what is read of them, and what is left aside."""
    names = {"a.jsonl": text([pair("f1")]), "b.csv": b"task,output,ann\nQ,A,4\nR,B,2\n", "notes.md": b"# No data",
             ".hidden.jsonl": b"{}", "sub/c.jsonl": text([label("f1", "a")]), "../empty/empty.jsonl": b""}  # fmt: skip
    for name, content in names.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for name in ("", "sub", "a.jsonl", "none", "notes.md", "../empty"):
        where = folder / name
        try:
            source = from_path(where)
        except AssayError as error:
            yield f"== {where.name}: {error}"
            continue
        yield f"== {where.name}: {source.name}, left aside {source.left_aside}"
        yield from _import(store, "  by itself", source, ImportPlan(f"folder {where.name}", sampling="all"))


def _of_plans(store: Store) -> Iterator[str]:
    """Plans that cannot be, and tables whose columns somebody named."""
    base = ImportPlan("plan")
    for change in (
        {"dataset": ""}, {"dataset": " x"}, {"dataset": "x" * 120}, {"dataset": "x" * 121}, {"dataset": "a\nb"},
        {"format": "xml"}, {"sampling": "some"}, {"population": 5}, {"sampling": "random", "population": 0},
        {"sampling": "random", "population": 1}, {"sampling": "random", "population": 1_000_000_000},
        {"sampling": "random", "population": 1_000_000_001},
    ):  # fmt: skip
        yield f"plan with {str(change)[:60]}: {refusal(lambda c=change: replace(base, **c).check()) or 'fine'}"
    rows = [{"q": "Wo?", "a": "Hier.", "s": "m-1", "j": 4, "p": "5", "who": "ann", "x": "lang"},
            {"q": "Was?", "a": "", "s": "m-2", "j": "n/a", "p": "", "who": "ben", "x": ""},
            {"q": "Wie?", "a": "So.", "s": "", "j": 9, "p": "2", "who": "", "x": "fr"}]  # fmt: skip
    columns = {
        "kind": "response",
        "fields": {"task": {"columns": ["q"]}, "output": {"columns": ["a"]}, "system": {"columns": ["s"]}},
        "meta": ["x"],
    }  # fmt: skip
    judged = [{"model": {"constant": "gpt"},
               "card": "rubric_open_ended", "unit": {"constant": "response"},
               "dimension": {"constant": "factuality"}, "value": {"columns": ["j"]}}]  # fmt: skip
    labels = [{"dimension": {"constant": "factuality"}, "unit": {"constant": "response"}, "value": {"columns": ["p"]},
               "annotator": {"columns": ["who"]}}]  # fmt: skip
    for title, more in {
        "items": {}, "one name": {"id": {"columns": ["q"]}}, "two columns": {"id": {"columns": ["q", "s"]}},
        "judged": {"judgments": judged}, "labelled": {"labels": labels},
        "both": {"judgments": judged, "labels": labels},
        "only some": {"labels": [{**labels[0], "only": {"who": ["ann"]}}]},
        "no column": {"fields": {"output": {"columns": ["none"]}}}, "no text": {"fields": {}},
    }.items():  # fmt: skip
        with collect_refusals() as lines:
            mapping = ColumnMapping.model_validate({**columns, **more})
            plan = ImportPlan(f"named {title}", mappings=(mapping,), sampling="all")
            table = from_bytes([("rows.jsonl", text(rows))])
            lines += list(_import(store, f"== columns, {title}", table, replace(plan, format="table")))
        yield from lines
    records = tool_files.argilla()[:1]
    yield from _import(store, "== read as another format", source(records), replace(base, format="messages"))
