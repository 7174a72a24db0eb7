"""MLflow: traces with the assessments of judges and people, and the tables that its evaluations write."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from data.importing.conversations.call_chains import Sort, TraceSpan
from data.importing.conversations.evaluation_cases import (
    CaseRating,
    CaseReader,
    EvaluationCase,
    plain_fields,
    text_fields,
)
from data.importing.conversations.traces import TraceReader, TraceScore, iso_time, nanoseconds
from data.importing.conversations.utterances import (
    as_object,
    as_objects,
    first_text,
    input_utterances,
    list_of,
    output_utterances,
    single_text,
    text_of,
    tool_utterances,
)
from data.importing.format_file import FileStart, objects_under
from judges.importing.entries import ToolEntry
from judges.strict_json import decode_json

TITLE = "MLflow"
LISTS = (("traces",), ("data",))
_VALUE = re.compile(r"(?P<name>.+?)(/v\d+)?/(score|value)")
_SORTS: dict[str, Sort] = {"CHAT_MODEL": "model", "LLM": "model", "TOOL": "tool"}
_WHY = ("justification", "rationale")
_EXPECTED = ("expected_response", "expected_output", "ground_truth", "expected_answer", "reference")


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows has traces or an evaluation's table of MLflow."""
    return any(_info(record) is not None for record in start.objects_under("traces")) or any(
        _is_table(row["columns"]) if isinstance(row.get("columns"), list) else _is_table(row) for row in start.rows
    )


def _is_table(columns: Iterable[Any]) -> bool:
    """Whether columns are those of an evaluation: a score of a version of its metric, or one with its reason beside."""
    names = set(map(str, columns))
    values = [match for name in names if (match := _VALUE.fullmatch(name))]
    return any(match[2] or {f"{match['name']}/{why}" for why in _WHY} & names for match in values)


def _info(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return a trace's own information, from an object or from the columns of a table; None for anything else."""
    info = decode_json(row.get("info"))
    if isinstance(info, dict) and ("trace_id" in info or "request_id" in info):
        return info
    trace_columns = row.keys() & {"trace_id", "request_id"} and row.keys() & {"spans", "assessments"}
    return row if trace_columns and "run_type" not in row else None


class Reader(TraceReader):
    """Reads the conversations of traces and the rows of tables; `columns` are those of the table that is being read."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.cases = CaseReader(title)

    def begin(self) -> None:
        self.columns: list[str] = []

    def entries(self) -> Iterator[ToolEntry]:
        """The cases of tables, then the conversations of traces."""
        yield from self.cases.entries()
        yield from super().entries()

    def close(self) -> None:
        super().close()
        self.cases.close()

    def take(self, row: dict[str, Any]) -> None:
        if isinstance(row.get("columns"), list):
            self.columns = [text_of(name) for name in row["columns"]]
        if self.columns and isinstance(row.get("data"), list):
            for number, cells in enumerate(row["data"]):
                if isinstance(cells, list) and len(cells) == len(self.columns):
                    self._row(self.line + number, dict(zip(self.columns, cells, strict=True)))
                else:
                    self.add_fault("row", "has another number of cells than there are columns.", row=cells)
            return
        if "columns" in row or not row:
            return
        for record in objects_under(row, "traces"):
            if (info := _info(record)) is not None:
                self._trace(record, info)
            elif any(_VALUE.fullmatch(name) for name in record):
                self._row(self.line, record)
            else:
                self.note_unused(*record)

    def _trace(self, row: dict[str, Any], info: dict[str, Any]) -> None:
        key = first_text(info.get("trace_id"), info.get("request_id"))
        parts = (as_object(info.get(k)) for k in ("trace_metadata", "request_metadata", "tags"))
        known = {k: v for part in parts for k, v in part.items()}
        session = text_of(known.get("mlflow.trace.session"))
        data = decode_json(row.get("data"))
        data = data if isinstance(data, dict) else row
        start = nanoseconds(info.get("request_time") or info.get("timestamp_ms") or info.get("execution_time"))
        meta = {k: v for k, v in plain_fields(known).items() if not k.startswith("mlflow.")}
        meta |= {"user": known["mlflow.trace.user"]} if known.get("mlflow.trace.user") else {}
        for assessment in as_objects(info.get("assessments") or row.get("assessments")):
            self._assessment(key, assessment, meta)
        into, out = (data.get(k) or row.get(k) or info.get(f"{k}_preview") for k in ("request", "response"))
        inputs = input_utterances(_loads(into)) if into else []
        answer = output_utterances(_loads(out)) if out else []
        self.add(TraceSpan(key, f"trace {key}", "", session, "", "", start, "", inputs, answer, meta))
        for span in map(decode_json, list_of(data.get("spans"))):
            if isinstance(span, dict):
                self._span(key, session, span)

    def _span(self, trace: str, session: str, span: dict[str, Any]) -> None:
        context = span["context"] if isinstance(span.get("context"), dict) else span
        attributes = {k: _loads(v) for k, v in as_object(span.get("attributes")).items()}
        kind, name = text_of(attributes.get("mlflow.spanType")).upper(), text_of(span.get("name"))
        parent = _hex(text_of(span.get("parent_span_id") or span.get("parent_id")))
        into, out = attributes.get("mlflow.spanInputs"), attributes.get("mlflow.spanOutputs")
        inputs, answer = input_utterances(into) if into else [], output_utterances(out) if out else []
        sort = _SORTS.get(kind, "")
        if sort == "tool":
            inputs, answer = tool_utterances(name, into, out)
        model = text_of(attributes.get("mlflow.llm.model") or (into.get("model") if isinstance(into, dict) else ""))
        start = nanoseconds(span.get("start_time_unix_nano") or span.get("start_time"))
        key = _hex(text_of(context.get("span_id")))
        self.add(TraceSpan(trace, key, parent, session, sort, name, start, model, inputs, answer))

    def _assessment(self, trace: str, row: dict[str, Any], meta: dict[str, Any]) -> None:
        name, source = text_of(row.get("assessment_name") or row.get("name")), as_object(row.get("source"))
        if row.get("valid") is False:
            self.add_hint("{n} assessments that were replaced by later ones were left out.")
            return
        if isinstance(expected := row.get("expectation"), dict):
            if name in _EXPECTED:
                meta["reference"] = single_text(expected.get("value", expected.get("serialized_value")))
            else:
                self.note_unused(f"the expectation {name}")
            return
        feedback = row.get("feedback")
        value = feedback.get("value") if isinstance(feedback, dict) else row.get("value")
        words = isinstance(value, str)
        kind = text_of(source.get("source_type")).upper()
        by, default = ("person", "") if kind == "HUMAN" else ("judge", kind.lower().replace("_", " ") or "mlflow")
        self.score(TraceScore(
            name, by, text_of(source.get("source_id")) or default, key=text_of(row.get("assessment_id")), trace=trace,
            span=_hex(text_of(row.get("span_id"))),
            number=None if words or isinstance(value, (dict, list)) else value, label=value if words else None,
            note=text_of(row.get("rationale")), made_at=iso_time(row.get("last_update_time") or row.get("create_time")),
        ))  # fmt: skip

    def _row(self, line: int, row: dict[str, Any]) -> None:
        """A row of an evaluation's table: columns NAME/score and NAME/value, each with its justification beside it."""
        opinions, score_columns = [], set()
        for column, value in row.items():
            if match := _VALUE.fullmatch(column):
                stem = column.rpartition("/")[0]
                whys = [f"{stem}/{why}" for why in _WHY]
                note = first_text(*(row.get(why) for why in whys))
                score_columns |= {column, *whys}
                if value is not None and value == value:
                    opinions.append(CaseRating(match["name"], "judge", "mlflow", value, note))
        fields = {k: v for k, v in row.items() if "/" not in k and v is not None}
        utterances, sides, reference, used = text_fields(fields)
        key = first_text(row.get("request_id"), row.get("trace_id"), row.get("id"))
        self.cases.file, self.cases.line = self.file, line
        self.cases.add(EvaluationCase(key, utterances, opinions, sides, reference, meta=plain_fields(fields, used)))
        self.cases.note_unused(*(name for name in row if "/" in name and name not in score_columns))


def _loads(value: Any) -> Any:
    """The value of a text that is JSON: a list, an object or a text in quotes; anything else as it is."""
    if isinstance(value, str) and value[:1] == '"':
        try:
            return json.loads(value)
        except ValueError:
            return value
    return decode_json(value)


def _hex(key: str) -> str:
    """The id of a span in hexadecimal: some files have it in base64."""
    if len(key) % 4 == 0 and key.endswith("="):
        try:
            return base64.b64decode(key, validate=True).hex()
        except binascii.Error:
            return key
    return key.removeprefix("0x")
