"""The imports of the API: lines of every sort, checked as any import is, and draws into the queues."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from data.importing.files.source import Source, from_path, from_uploads
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.importing.report import ImportResult
from data.queue import queue
from data.records.judge_lookup import lookup_judge
from data.store.errors import BadInput, NotFound
from judges.importing.entries import Sort
from pages.api.call import Call, StoredAnswer
from pages.api.models import DrawnOut, LinesOut
from pages.api.problems import MAX_SHOWN_LINES, lines_of

LINE_SORTS: dict[str, tuple[Sort, ...]] = {
    "lines": (), "items": ("item",), "judgments": ("judgment",), "labels": ("label",), "cards": ("card",),
}  # fmt: skip
"""The sorts of lines that an address takes."""
_MAX_IN_PROCESS_BYTES = 2**20
"""Bytes that are read in this process; what is longer is read by another one, as uploads are."""


def import_lines(call: Call, kind: str) -> StoredAnswer:
    """Import the lines of a body into the dataset of the path, which is made if it is missing."""
    assert call.file is not None
    query = call.query
    plan = ImportPlan(
        _dataset_name(call), query.description, query.synthetic, "canonical", query.sampling,
        population=query.population, sorts=LINE_SORTS[kind],
    )  # fmt: skip
    source = _source(call.file, f"API ({call.token.name})")

    def work() -> ImportResult:
        return import_source(
            call.store, call.actor, source, plan, "refuse" if query.on_error == "refuse" else "good rows"
        )

    return call.answer_once(work, lambda result: _import_answer(plan.dataset, result), one_change=False)


def _dataset_name(call: Call) -> str:
    """The name of the dataset that the path names, by name or id; for a missing dataset, the text of the path."""
    try:
        return call.dataset.name
    except NotFound:
        return call.path["dataset"]


def _source(file: Path, name: str) -> Source:
    with file.open("rb") as opened:
        if opened.read(4) == b"PAR1":
            raise BadInput("The body is Parquet. Send JSON lines.")
    small = file.stat().st_size <= _MAX_IN_PROCESS_BYTES
    source = from_path(file) if small else from_uploads([(file.name, file)])
    source.name = name
    return source


def _import_answer(dataset: str, result: ImportResult) -> dict[str, Any]:
    new, seen = result.preview.new, result.preview
    return LinesOut.model_validate({
        "dataset": dataset, **asdict(new), "known": seen.known.total, "repeated": seen.repeated.total,
        "rejected": seen.rejected, "problems": lines_of(seen), "problem_count": seen.problem_count,
        "unscored": seen.unscored, "warnings": seen.warnings[:MAX_SHOWN_LINES], "people": seen.people[:1_000],
        "judges": seen.judges[:1_000],
    }).model_dump(mode="json")  # fmt: skip


def draw_audit(call: Call) -> StoredAnswer:
    """Draw further items into the audit sample."""
    at, body = call.dataset, call.body
    judge = lookup_judge(call.store, at, body.judge).id if body.judge else ""
    return _draw_once(call, lambda: queue.draw_audit(call.store, call.actor, at.id, body.size, judge, body.seed))


def fill_review(call: Call) -> StoredAnswer:
    """Take the items with the highest need of review into the review queue."""
    at, body = call.dataset, call.body
    judge = lookup_judge(call.store, at, body.judge).id
    return _draw_once(call, lambda: queue.fill_review(call.store, call.actor, at.id, judge, body.most))


def _draw_once(call: Call, work: Callable[[], int]) -> StoredAnswer:
    return call.answer_once(work, lambda n: DrawnOut(dataset=call.dataset.name, drawn=n).model_dump(mode="json"))
