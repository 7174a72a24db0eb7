"""LangSmith: runs as its bulk export (Parquet) and its client (JSON lines) write them, and their feedback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from data.importing.conversations.call_chains import Sort, TraceSpan
from data.importing.conversations.evaluation_cases import plain_fields
from data.importing.conversations.traces import PEOPLE_WORDS, TraceReader, TraceScore, iso_time, nanoseconds
from data.importing.conversations.utterances import (
    as_object,
    as_objects,
    first_text,
    input_utterances,
    output_utterances,
    single_text,
    text_of,
    tool_utterances,
)
from data.importing.format_file import FileStart, objects_under
from judges.importing.entries import ToolEntry
from judges.strict_json import decode_json

TITLE = "LangSmith"
LISTS = (("runs",), ("feedback",))
_THREADS = ("session_id", "thread_id", "conversation_id")
_SORTS: dict[str, Sort] = {"llm": "model", "tool": "tool"}
_PEOPLE = re.compile(PEOPLE_WORDS, re.IGNORECASE)
_KNOWN_FIELDS = {
    *("id", "name", "run_type", "inputs", "outputs", "start_time", "end_time", "trace_id", "parent_run_id", "extra"),
    *("feedback", "feedback_stats", "dotted_order", "session_id", "child_runs", "tags", "reference_outputs", "status"),
    *("is_root", "tenant_id", "metadata", "thread_id", "reference_example_id", "parent_run_ids", "child_run_ids"),
}


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows has runs or feedback of LangSmith."""
    records = (*start.rows, *start.objects_under("runs", "feedback"))
    return any(_is_run(record) or _is_feedback(record) for record in records)


def _is_run(row: dict[str, Any]) -> bool:
    return "run_type" in row and "id" in row


def _is_feedback(row: dict[str, Any]) -> bool:
    return "key" in row and ("run_id" in row or "trace_id" in row) and ("score" in row or "value" in row)


class Reader(TraceReader):
    """Reads the conversations of runs, with their feedback; averages count where the feedback is not in the files."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._averages: list[TraceScore] = []
        self._fed = False

    def rows(self, value: dict[str, Any]) -> list[dict[str, Any]]:
        return [value] if _is_run(value) else objects_under(value, "runs", "feedback")

    def take(self, row: dict[str, Any]) -> None:
        if _is_run(row):
            self._run(row)
        elif _is_feedback(row):
            self._feedback(row)
        else:
            self.add_fault("row", "is neither a run nor a feedback.", row=row)

    def entries(self) -> Iterator[ToolEntry]:
        for score in self._averages if not self._fed else ():
            self.score(score)
        yield from super().entries()

    def _run(self, row: dict[str, Any], parent_trace: str = "") -> None:
        key, parent, name = text_of(row["id"]), text_of(row.get("parent_run_id")), text_of(row.get("name"))
        extra = as_object(row.get("extra"))
        meta = as_object(extra.get("metadata") or row.get("metadata"))
        trace = text_of(row.get("trace_id")) or parent_trace or key
        session = first_text(*(meta.get(k) for k in _THREADS), row.get("thread_id"))
        inputs = input_utterances(row.get("inputs"))
        answer = output_utterances(row.get("outputs")) if row.get("outputs") else []
        sort = _SORTS.get(text_of(row["run_type"]), "")
        if sort == "tool":
            inputs, answer = tool_utterances(name, single_text(row.get("inputs")), row.get("outputs") or None)
        span_meta = {} if parent else plain_fields(meta, (*_THREADS, "revision_id"))
        span_meta = {k: v for k, v in span_meta.items() if not k.startswith(("ls_", "LANGSMITH", "LANGCHAIN", "__"))}
        if reference := row.get("reference_outputs"):
            span_meta["reference"] = single_text(reference)
        model = text_of(meta.get("ls_model_name") or as_object(extra.get("invocation_params")).get("model"))
        start = nanoseconds(row.get("start_time"))
        self.add(TraceSpan(trace, key, parent, session, sort, name, start, model, inputs, answer, span_meta))
        self.note_unused(*(k for k, v in row.items() if k not in _KNOWN_FIELDS and v not in (None, "", [], {})))
        for feedback in as_objects(row.get("feedback")):
            self._feedback({"run_id": key, "trace_id": trace, **feedback})
        for named, stats in as_object(row.get("feedback_stats")).items():
            if isinstance(stats, dict) and stats.get("avg") is not None:
                by, rater = ("person", "") if _PEOPLE.search(named) else ("judge", "langsmith feedback")
                score = TraceScore(named, by, rater, trace=trace, span=key, number=stats["avg"])
                self.set_place(score)
                self._averages.append(score)
        for child in filter(_is_run, as_objects(row.get("child_runs"))):
            self._run({"parent_run_id": key, **child}, trace)

    def _feedback(self, row: dict[str, Any]) -> None:
        source = decode_json(row.get("feedback_source"))
        source = source if isinstance(source, dict) else {"type": source}
        meta = as_object(source.get("metadata"))
        kind, name = text_of(source.get("type") or row.get("source")).lower(), text_of(row.get("key"))
        by = "judge"
        if kind == "app" or (kind == "api" and not meta.get("__run") and _PEOPLE.search(name)):
            by = "person"
        elif kind == "api" and not meta.get("__run"):
            self.add_hint("{n} feedbacks that came by the API were taken for those of a judge.")
        people = (source.get("user_name"), source.get("user_id"), source.get("ls_user_id"), meta.get("user"))
        judges = (meta.get("model"), meta.get("evaluator"), source.get("name"), "langsmith evaluator")
        note = "\n\n".join(text_of(row[k]) for k in ("comment", "correction") if row.get(k))
        score, value = row.get("score"), row.get("value")
        self._fed = True
        self.score(TraceScore(
            name, by, first_text(*(people if by == "person" else judges)), key=text_of(row.get("id")),
            trace=text_of(row.get("trace_id")), span=text_of(row.get("run_id")),
            number=value if score is None and not isinstance(value, str) else score,
            label=value if isinstance(value, str) else None, note=note, made_at=iso_time(row.get("created_at")),
        ))  # fmt: skip
