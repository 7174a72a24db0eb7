"""Langfuse: traces, observations, sessions and scores, as its interface, its API and its blob exports write them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from data.importing.conversations.call_chains import Sort, TraceSpan
from data.importing.conversations.evaluation_cases import plain_fields
from data.importing.conversations.traces import PEOPLE_WORDS, TraceReader, TraceScore, iso_time, nanoseconds
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

TITLE = "Langfuse"
LISTS = (("data",), ("traces",), ("observations",), ("scores",))
_HOLDERS = ("data", "traces", "observations", "scores")
_SOURCES = ("API", "EVAL", "ANNOTATION")
_PEOPLE = re.compile(rf"{PEOPLE_WORDS}|feedback", re.IGNORECASE)
_KNOWN_FIELDS = {
    *("id", "traceId", "type", "name", "startTime", "endTime", "timestamp", "input", "output", "model", "metadata"),
    *("parentObservationId", "sessionId", "userId", "tags", "observations", "scores", "traces", "trace", "projectId"),
    *("providedModelName", "environment", "createdAt", "updatedAt", "traceName", "bookmarked", "public", "level"),
}
_PLURAL = ("tags", "observations", "scores", "traces", "comments", "modelParameters", "traceTags", "toolCalls")


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows comes from Langfuse."""
    if any(_sort(_to_api_keys(row)) not in ("", "session") for row in start.rows):
        return True
    return any(_sort(_to_api_keys(record)) for record in start.objects_under(*_HOLDERS))


@lru_cache(maxsize=4_000)
def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _to_api_keys(row: dict[str, Any]) -> dict[str, Any]:
    """A row with the names of keys as the API has them."""
    return {_camel(name): value for name, value in row.items()}


def _sort(row: dict[str, Any]) -> str:
    """Return the sort of a row: score, observation, trace ("whole" if wrapped), session, or "" if it is unknown."""
    keys = row.keys()
    if "runType" in keys or "spanId" in keys or "resourceSpans" in keys:
        return ""
    about = keys & {"traceId", "sessionId", "observationId", "datasetRunId"}
    if "name" in keys and about and ("value" in keys or "stringValue" in keys) and (
        "dataType" in keys or row.get("source") in _SOURCES
    ):  # fmt: skip
        return "score"
    if "traceId" in keys and "id" in keys and keys & {"startTime", "parentObservationId"}:
        return "observation"
    if isinstance(row.get("trace"), dict) and {"id", "timestamp"} <= row["trace"].keys():
        return "whole"
    if "id" in keys and isinstance(row.get("traces"), list):
        return "session"
    trace_keys = keys & {"sessionId", "userId", "bookmarked", "observations", "release", "htmlPath", "traceId"}
    texts = keys & {"input", "output", "observations"} or ("tags" in keys and len(trace_keys) > 1)
    return "trace" if {"id", "timestamp"} <= keys and trace_keys and texts else ""


class Reader(TraceReader):
    """Reads the conversations of traces and sessions, with their scores."""

    def begin(self) -> None:
        self._session = ""

    def rows(self, value: dict[str, Any]) -> list[dict[str, Any]]:
        """The record, with the names of the API."""
        return [_to_api_keys(value)]

    def take(self, row: dict[str, Any]) -> None:
        sort = _sort(row)
        if sort == "score":
            self._score(row)
        elif sort == "observation":
            self._observation(row)
        elif sort == "whole":
            self.take({**_to_api_keys(row["trace"]), **{k: v for k, v in row.items() if k != "trace"}})
        elif sort == "session":
            self._session = text_of(row["id"])
            self.take({"traces": row["traces"]})
        elif sort == "trace":
            self._trace(row)
        elif any(isinstance(row.get(key), list) for key in _HOLDERS):
            session_fields = {"sessionId": self._session} if self._session and "traces" in row else {}
            for record in objects_under(row, *_HOLDERS):
                self.take({**session_fields, **_to_api_keys(record)})
        else:
            # What surrounds the lists of one object: of a session, its id.
            self._session = text_of(row.get("id"))
            self.note_unused(*(key for key in row if key not in _KNOWN_FIELDS))

    def _trace(self, row: dict[str, Any]) -> None:
        key, session, name = text_of(row["id"]), text_of(row.get("sessionId")), text_of(row.get("name"))
        inputs, answer = input_utterances(row.get("input")), output_utterances(row.get("output"))
        meta = {**plain_fields(row.get("metadata")), **({"user": row["userId"]} if row.get("userId") else {})}
        meta |= {"tags": tags} if (tags := list_of(row.get("tags"))) else {}
        start = nanoseconds(row.get("timestamp"))
        self.add(TraceSpan(key, f"trace {key}", "", session, "", name, start, "", inputs, answer, meta))
        self.session(key, session)
        self._add_column_scores(row, key, "")
        for observation in as_objects(row.get("observations")):
            self._observation({"traceId": key, **_to_api_keys(observation)})
        for score in as_objects(row.get("scores")):
            self._score({"traceId": key, **_to_api_keys(score)})

    def _observation(self, row: dict[str, Any]) -> None:
        trace, key, parent = text_of(row["traceId"]), text_of(row["id"]), text_of(row.get("parentObservationId"))
        kind, name = text_of(row.get("type")).upper(), text_of(row.get("name"))
        inputs, answer = input_utterances(row.get("input")), output_utterances(row.get("output"))
        model = text_of(row.get("model") or row.get("providedModelName"))
        sort: Sort = "tool" if kind == "TOOL" else "model" if kind == "GENERATION" or (not kind and model) else ""
        if sort == "tool":
            inputs, answer = tool_utterances(name, single_text(row.get("input")), row.get("output") or None)
        session, meta = text_of(row.get("sessionId")), plain_fields(row.get("traceMetadata"))
        start = nanoseconds(row.get("startTime"))
        self.add(TraceSpan(trace, key, parent, session, sort, name, start, model, inputs, answer, meta))
        self._add_column_scores(row, trace, key)

    def _add_column_scores(self, row: dict[str, Any], trace: str, span: str) -> None:
        """The scores in columns of their own, as the exports of tables have them; all other columns are left."""
        for name, value in row.items():
            if name in _KNOWN_FIELDS or value is None:
                continue
            values = list_of(value) if name not in _PLURAL else []
            if not values or not all(
                isinstance(score, (int, float, str)) and len(str(score)) <= 100 for score in values
            ):
                self.note_unused(name)
                continue
            by, rater = ("person", "") if _PEOPLE.search(name) else ("judge", "langfuse")
            for score in values:
                self.score(TraceScore(name, by, rater, trace=trace, span=span, **_value_field(score)))

    def _score(self, row: dict[str, Any]) -> None:
        source, kind = text_of(row.get("source")).upper(), text_of(row.get("dataType")).upper()
        meta, value, label = as_object(row.get("metadata")), row.get("value"), row.get("stringValue")
        by = "judge"
        if source == "ANNOTATION" or (source != "EVAL" and _PEOPLE.search(text_of(row.get("name")))):
            by = "person"
        elif source == "API":
            self.add_hint("{n} scores that came by the API were taken for those of a judge.")
        people = (row.get("authorUserId"), meta.get("annotator"), meta.get("user_id"))
        tool = f"langfuse {source.lower() or 'score'}"
        judges = (meta.get("model"), meta.get("judge"), meta.get("evaluator"), tool)
        if kind == "TEXT":
            self.add_hint("{n} scores in free text were left out.")
            return
        fields = _value_field(value if label in (None, "") or kind == "NUMERIC" else label)
        if kind == "BOOLEAN":
            text = text_of(value if value not in (None, "") else label).lower()
            fields = {"number": text in ("1", "1.0", "true", "yes")}
        self.score(TraceScore(
            text_of(row["name"]), by, first_text(*(people if by == "person" else judges)), key=text_of(row.get("id")),
            trace=text_of(row.get("traceId")), span=text_of(row.get("observationId")),
            session=text_of(row.get("sessionId")), note=text_of(row.get("comment")),
            made_at=iso_time(row.get("timestamp") or row.get("createdAt")), **fields,
        ))  # fmt: skip


def _value_field(value: Any) -> dict[str, Any]:
    """A value as a number where it is one, as a label otherwise."""
    if isinstance(value, str):
        try:
            return {"number": float(value)}
        except ValueError:
            return {"label": value}
    return {"number": value}
