"""The parts of the import page: the files, what they would become, what is wrong with them, and what was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from data.importing import formats, importing, start
from data.importing.detection import plan_proposal
from data.importing.detection.detection import DetectedFile
from data.importing.file_examples import FILE_EXAMPLES
from data.importing.files.source import Source
from data.importing.plan import SAMPLINGS, ImportPlan
from data.importing.report import ImportPreview, ImportProblem, ImportRecord, ImportResult
from data.records import datasets
from judges.errors import AssayError
from judges.importing.interpretation import Interpretation
from judges.plural import many
from judges.render.findings.findings import COUNT, Column
from judges.render.words import REASONS
from pages.importing import mapping_form, series_form
from pages.server import downloads
from pages.ui import session, tables, text, url_state

NEW_DATASET = "A new dataset"

SAMPLING = {
    "all": "People labelled all items of the dataset",
    "random": "A random sample of them",
    "picked": "Items picked for a reason, such as being hard or flagged",
    "unknown": "Not known",
}
_IMPORTS = {
    **{"When": Column(), "By": Column(), "Dataset": Column(width=220), "From": Column(width=220)},
    **dict.fromkeys(("Items", "Judgments", "Labels"), COUNT),
}
_KINDS_OF_ERRORS = {"What is wrong": Column(width=480), "Lines": COUNT, "Such as": Column(width=220)}
_ERRORS = {
    "No.": Column(",", width=45),
    "Line": Column(",", "Its number in the file; empty: the file as a whole.", width=60),
    "Field": Column(width=100),
    "What is wrong": Column(width=480),
    "The line": Column("", "How it begins.", width=400),
}
MAX_SHOWN_ERRORS = 20
"""Errors of a file that are shown; all of them are in the file of the lines."""


def describe_formats() -> None:
    """Describe the files that can be uploaded, with a small example of each shape to read, to copy and to download."""
    text.say("Nothing is written before you have seen what would be stored, and every line that cannot be.")
    st.header("What a file may look like", anchor=False)
    chosen = url_state.tabs("shape", "Shape", {example.title: example.title for example in FILE_EXAMPLES})
    example = next(example for example in FILE_EXAMPLES if example.title == chosen)
    text.quiet("{says}", says=example.says)
    for name, content in example.files.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(width="content"):
                text.say("**{name}**", name=name)
            st.download_button(
                "Download", content, name, icon=":material/download:", type="tertiary", key=f"specimen:{name}",
                on_click="ignore",
            )  # fmt: skip
        st.code(content, language="json" if name.endswith(".jsonl") else None, wrap_lines=True)
    text.quiet(
        "Files of other tools are recognised as they are: {tools}. One file may have lines of several shapes.",
        tools=", ".join(formats.titles()),
    )
    text.say("Files above 50 MB, and whole folders: `python -m data import PATH --dataset NAME`.")


def draw_imports(records: Sequence[ImportRecord]) -> None:
    """Draw the latest imports."""
    if not records:
        return
    st.header("Latest imports", anchor=False)
    rows = [(text.moment(i.at), i.by, i.dataset, i.source, i.items, i.judgments, i.labels) for i in records]
    tables.table(rows, _IMPORTS, max_rows=10)
    st.caption("Imports cannot be undone: nothing is deleted. The same file imported again adds nothing.")


def list_files(detected: list[DetectedFile]) -> bool:
    """The uploaded files and what each of them is; whether they are to be removed."""
    rows = [(file.file.name, file.says, file.file.size) for file in detected]
    tables.table(rows, {"File": Column(), "Recognised as": Column(), "Size": Column("bytes")})
    return st.button("Remove these files", icon=":material/close:", type="tertiary")


def choose_plan(detected: list[DetectedFile], outline: Interpretation, key: str) -> ImportPlan | None:
    """Return the person's plan: dataset, choice of the labelled items, contents of the files; None until it is decided.

    Raises AssayError if the choices make no valid plan.
    """
    store = session.store()
    known = [dataset.name for dataset in datasets.all_datasets(store)]
    left, right = st.columns(2)
    chosen = left.selectbox("Into dataset", [NEW_DATASET, *known], key="import:into")
    stem = _unused_name(Path(detected[0].file.name).stem, known)
    name = right.text_input("Name of the dataset", stem, key=f"{key}:name").strip() if chosen == NEW_DATASET else chosen
    interpretation = outline
    if outline.tables or outline.series:
        st.header("What the files hold", anchor=False)
        interpretation = series_form.edit_series(outline, key)
    sampling = st.radio(
        "If the files hold people's labels: how were the labelled items chosen?",
        SAMPLINGS,
        format_func=SAMPLING.__getitem__,
        index=SAMPLINGS.index(interpretation.sampling),
        key=f"{key}:sampling",
        help="Only labels on all items, or on random ones, can count for the approval check.",
    )
    population = _population() if sampling == "random" else None
    if not name:
        text.quiet("Give the new dataset a name to see what would be imported.")
        return None
    plan = start.plan_import(store, interpretation, ImportPlan(name, sampling=sampling, population=population))
    by_hand = []
    for table, columns in zip((file for file in detected if file.format == "table"), plan.mappings, strict=True):
        earlier = plan_proposal.previous_mapping(store, table, columns) if interpretation == outline else None
        again = text.escape(f"Read {table.file.name} as such a table was read before")
        if earlier is not None and st.toggle(again, True, key=f"{key}:again:{table.file.name}"):
            columns = earlier
        label = text.escape(f"Map the columns of {table.file.name} by hand")
        if st.toggle(label, key=f"{key}:hand:{table.file.name}"):
            columns, faults = mapping_form.edit_mapping(table, columns)
            for fault in faults:
                st.text(fault)
            if faults:
                return None
            mapping_form.preview_mapping(table, columns)
        by_hand.append(columns)
    return replace(plan, mappings=tuple(by_hand))


def _unused_name(stem: str, known: list[str]) -> str:
    """A name for a new dataset, made of a file's."""
    name = " ".join(stem.split())[:100] or "imported"
    return next(n for n in (name, *(f"{name} {k}" for k in range(2, len(known) + 3))) if n not in known)


def _population() -> int | None:
    """Ask from how many items the labelled ones were drawn."""
    population = st.number_input(
        "Drawn at random from how many items?", 1, 1_000_000_000, None, key="import:population", width=330,
        placeholder="not known",
        help="Each label is then weighted by this number divided by the number of labelled items. Not needed if the "
        "lines state their own probability.",
    )  # fmt: skip
    if population is None:
        text.quiet(
            "Without it, only labels whose lines state the probability of their draw count for the approval check. The "
            "others are stored, and are used in figures on all blind labels."
        )
    return population


class ReadingProgress:
    """A bar while the body of a `with` runs; call it with the bytes that are done, all bytes, and the lines."""

    def __init__(self, task: str) -> None:
        self.task, self.bar = task, st.progress(0.0, text.escape(task))

    def __enter__(self) -> ReadingProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.empty()

    def __call__(self, done: int, total: int, lines: int) -> None:
        message = f"{self.task}: {lines:,} lines" if lines else self.task
        self.bar.progress(min(done / total, 1.0) if total else 1.0, text.escape(message))

    def show_waiting(self, before: int) -> None:
        """Say how many imports are read before this one."""
        self.bar.progress(0.0, text.escape(f"Waiting: {many(before, 'import')} of others will be read first."))


def read_preview(
    source: Source, plan: ImportPlan, actor: str, detected: list[DetectedFile], rejects: Path, seen: ReadingProgress
) -> dict[str, Any]:
    """The preview, and the address of the lines that cannot be imported ("" for none); or why it cannot be made."""
    with rejects.open("wb") as file:
        try:
            shown = importing.preview_import(
                session.store(), source, plan, seen, file, actor, detected, seen.show_waiting
            )
        except AssayError as error:
            return {"refused": error}
    address = downloads.offer(rejects, session.store()) if shown.problem_count else ""
    return {"refused": None, "preview": shown, "rejects": address}


_SORTS = {"rules": "how labels are combined", "prompts": "sets of judges' prompts"}
"""The words for sorts of lines whose own name does not say what they are."""


def show_preview(preview: ImportPreview, rejects: str) -> None:
    """Draw what an import would add, what is there already, and what cannot be imported."""
    st.header("What would be stored", anchor=False)
    counts = [*zip(astuple(preview.new), astuple(preview.known), astuple(preview.repeated), strict=True)]
    columns = {"": Column(), "New": COUNT, "There already": COUNT}
    columns |= {"Repeated in the files": COUNT} if preview.repeated.total else {}
    rows = [
        (_SORTS.get(field.name, field.name), *counts[n])[: len(columns)]
        for n, field in enumerate(fields(preview.new))
        if n < 3 or any(counts[n])
    ]
    tables.table(rows, columns)
    for sentence in preview.summary:
        text.say("{held}", held=sentence)
    for sentence in preview.warnings:
        st.text(sentence)
    for reason, count in preview.unscored.items():
        text.quiet(
            "{n} cannot be used ({why}): stored as unscored, never as a low score.",
            n=many(count, "judgment"), why=REASONS.get(reason, reason),
        )  # fmt: skip
    if preview.judges or preview.people:
        people = ", ".join(preview.people[:12]) + (" ..." if len(preview.people) > 12 else "")
        text.quiet(
            "Judges: {judges}. People: {people}.", judges=", ".join(preview.judges) or "none", people=people or "none"
        )
    if not preview.new.total and preview.ok:
        message = "There is nothing new" if preview.warnings else "Everything in these files is in the dataset already"
        message = (
            message if preview.known.total else "These files hold no item, judgment or label that could be imported"
        )
        st.info(text.escape(f"{message}."), icon=":material/inventory_2:")
    if preview.problem_count:
        _problems(preview, rejects)


def show_examples(preview: ImportPreview) -> None:
    """The first rows of each sort, as they would be stored."""
    with st.expander("The first rows, as they would be stored"):
        for sort, rows in preview.rows.items():
            text.quiet("How labels are combined" if sort == "rules" else "The first {sort}", sort=sort)
            st.dataframe(pd.DataFrame(rows), hide_index=True)


def _problems(preview: ImportPreview, rejects: str) -> None:
    """Draw the errors that keep lines from being imported, by file, each with its line. If many, count them by kind."""
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            text.say("**{n}** cannot be imported.", n=many(preview.rejected, "line"))
        st.link_button("These lines as a file", rejects, icon=":material/download:")
    if preview.stopped:
        text.warn("{why}", why=preview.stopped)
    if preview.problem_count > MAX_SHOWN_ERRORS:
        st.caption("The kinds of errors")
        rows = [(group.sentence, group.lines, group.where) for group in preview.groups]
        tables.table(rows, _KINDS_OF_ERRORS, max_rows=10)
    files: dict[str, list[ImportProblem]] = {}
    for problem in preview.problems:
        files.setdefault(problem.file, []).append(problem)
    for file, count in preview.by_file.items():
        problems = sorted(files.get(file, []), key=lambda problem: problem.line)[:MAX_SHOWN_ERRORS]
        text.say("**{file}**: {n}", file=file, n=many(count, "error"))
        numbered = [(n, p.line or None, p.field, p.sentence, p.begins) for n, p in enumerate(problems, 1)]
        if numbered:
            tables.table(numbered, _ERRORS, max_rows=MAX_SHOWN_ERRORS)
        if count > len(problems):
            note = f"The first {len(problems)} are shown." if problems else "None is shown."
            text.quiet("{few} The file of these lines has all of them.", few=note)


def show_result(result: ImportResult) -> None:
    """Draw what was imported, and links to the next steps."""
    done = result.preview
    already = f"; {done.describe_known()}" if done.known.total or done.repeated.total else ""
    with st.container(border=True):
        text.say("**{dataset}**: added {new}{known}.", dataset=done.dataset, new=str(done.new), known=already)
        if done.rejected:
            text.say("{n} left out.", n=many(done.rejected, "line"))
        with st.container(horizontal=True):
            name = done.dataset
            url_state.link("queue", "Draw items for labelling", dataset=name)
            url_state.link("desk", dataset=name)
            url_state.link("calibration", dataset=name)
