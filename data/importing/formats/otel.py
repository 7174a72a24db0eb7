"""OpenTelemetry traces of language models: the GenAI conventions and OpenInference, with evaluations and annotations.

It reads OTLP as JSON (a request in each line, as the collector's file exporter writes them, or one object), spans as
Phoenix gives them, and annotations of Phoenix, in files of their own or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from data.importing.conversations.call_chains import TraceSpan
from data.importing.conversations.traces import TraceReader, TraceScore, iso_time, nanoseconds
from data.importing.conversations.utterances import (
    Utterance,
    as_object,
    as_objects,
    first_text,
    input_utterances,
    output_utterances,
    read_messages,
    text_of,
    tool_utterances,
)
from data.importing.format_file import FileStart, objects_under
from judges.importing.entries import ToolEntry
from judges.strict_json import decode_json

TITLE = "OpenTelemetry traces"
LISTS = (("resourceSpans",), ("resourceLogs",), ("data",))
_MODEL, _AGENT = {"chat", "text_completion", "generate_content"}, {"invoke_agent", "create_agent"}
_ROOTS = {"CHAIN", "AGENT", "WORKFLOW", "TASK"}
_SESSIONS = (
    *("gen_ai.conversation.id", "session.id", "langfuse.session.id", "traceloop.association.properties.session_id"),
    *("langsmith.metadata.thread_id", "thread_id", "conversation_id"),
)
_INPUTS = ("input.value", "traceloop.entity.input", "gen_ai.prompt", "langfuse.observation.input", "mlflow.spanInputs")
_OUTPUTS = (
    *("output.value", "traceloop.entity.output", "gen_ai.completion", "langfuse.observation.output"),
    "mlflow.spanOutputs",
)
_MODELS = ("gen_ai.request.model", "llm.model_name", "gen_ai.response.model", "llm.request.model")
_RESULT = ("gen_ai.evaluation.result", "gen_ai.evaluation")
_KNOWN_PREFIXES = (
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.operation.name"),
    *("openinference.span.kind", "traceloop.span.kind", "gen_ai.tool.", "tool.", "llm.input_messages.", "event.name"),
    *("llm.output_messages.", "gen_ai.prompt", "gen_ai.completion", "gen_ai.evaluation.", "gen_ai.response.id"),
    *("input.", "output.", *_SESSIONS, *_INPUTS, *_OUTPUTS, *_MODELS, "gen_ai.response.finish_reasons"),
    "gen_ai.agent.name", "user.id",
)  # fmt: skip


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows holds traces, logs or annotations."""
    requests = any(isinstance(row.get("resourceSpans", row.get("resourceLogs")), list) for row in start.rows)
    return requests or any(_is_span(record) or _is_annotation(record) for record in start.objects_under("data"))


@lru_cache(maxsize=10_000)
def _is_read(name: str) -> bool:
    return name.startswith(_KNOWN_PREFIXES) or _EVALUATION.fullmatch(name) is not None


_EVALUATION = re.compile(r"eval\.(.+)\.(label|score|explanation)")
_SPAN_COLUMNS = frozenset((
    "name", "span_kind", "parent_id", "start_time", "end_time", "status_code", "status_message", "events", "context",
    "attributes", "cumulative_token_count", "id",
))  # fmt: skip
"""The columns of Phoenix's spans, before their first point, that are no answers."""


def _is_span(row: dict[str, Any]) -> bool:
    context = row.get("context")
    return "context.span_id" in row or (isinstance(context, dict) and "span_id" in context and "attributes" in row)


def _is_annotation(row: dict[str, Any]) -> bool:
    return "annotator_kind" in row and any(_target(row).values())


def _target(row: dict[str, Any]) -> dict[str, Any]:
    """Return the ids of the span, the trace and the session that an annotation is about."""
    span = text_of(row.get("span_id") or row.get("context.span_id"))
    return {"span": span, "trace": text_of(row.get("trace_id")), "session": text_of(row.get("session_id"))}


class Reader(TraceReader):
    """Reads the conversations of traces; spans whose messages may come as log records wait for the end."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._logged: dict[tuple[str, str], list[tuple[str, Any]]] = {}
        self._waiting: list[tuple[TraceSpan, str]] = []

    def take(self, row: dict[str, Any]) -> None:
        traces, logs = as_objects(row.get("resourceSpans")), as_objects(row.get("resourceLogs"))
        for resource in traces:
            resource_attributes = _attributes(as_object(resource.get("resource")).get("attributes"))
            scopes = as_objects(resource.get("scopeSpans")) or as_objects(resource.get("instrumentationLibrarySpans"))
            for span in (span for scope in scopes for span in as_objects(scope.get("spans"))):
                with self.catch_faults(span):
                    self._span(span, resource_attributes)
        for scope in (scope for resource in logs for scope in as_objects(resource.get("scopeLogs"))):
            for log in as_objects(scope.get("logRecords")):
                with self.catch_faults(log):
                    self._log(log)
        for record in objects_under(row, "data") if not traces and not logs else ():
            if _is_annotation(record):
                self._annotation(record)
            elif _is_span(record):
                self._row(record)
            else:
                self.note_unused(*(key for key in record if key not in ("resourceSpans", "resourceLogs")))

    def entries(self) -> Iterator[ToolEntry]:
        for call, answer in self._waiting:
            self.file, self.line = call.file, call.line
            for name, body in self._logged.pop((call.trace, call.span), ()):
                with self.catch_faults(body):
                    (call.answer if name == "gen_ai.choice" else call.inputs).extend(_read_event(name, body))
            call.sort = "" if call.sort == "root" and not call.answer else call.sort
            self.add(call, answer)
        left = sum(map(len, self._logged.values()))
        self.add_hint("{n} events name spans that are not in the files, and were left out.", left)
        yield from super().entries()

    def _span(self, span: dict[str, Any], resource_attributes: dict[str, Any]) -> None:
        trace, key, parent = (str(span.get(name) or "") for name in ("traceId", "spanId", "parentSpanId"))
        if not trace or not key:
            self.add_fault("span", "has no traceId or no spanId.", row=span)
            return
        entries = span.get("events") or ()
        events = [(str(e.get("name") or ""), _attributes(e.get("attributes")), e.get("timeUnixNano")) for e in entries]
        meta = {"service": resource_attributes["service.name"]} if resource_attributes.get("service.name") else {}
        call = TraceSpan(trace, key, parent.strip("0") and parent, name=str(span.get("name") or ""), meta=meta)
        call.start = nanoseconds(span.get("startTimeUnixNano"))
        self._read_call(call, _attributes(span.get("attributes")), events)

    def _row(self, row: dict[str, Any]) -> None:
        """A span as Phoenix gives it: an object, or the row of a table with a column for each attribute."""
        context = inner if isinstance(inner := row.get("context"), dict) else {}
        trace, key = (text_of(context.get(n) or row.get(f"context.{n}")) for n in ("trace_id", "span_id"))
        attributes = _flatten_keys(inner) if (inner := as_object(row.get("attributes"))) else {}
        for name, value in row.items():
            if name.startswith("attributes.") and value not in (None, ""):
                attributes.update(_flatten_keys({name.removeprefix("attributes."): value}))
        attributes.setdefault("openinference.span.kind", row.get("span_kind"))
        events = [
            (str(e.get("name") or ""), e.get("attributes") or {}, e.get("timestamp"))
            for e in as_objects(row.get("events"))
        ]
        call = TraceSpan(trace or key, key, text_of(row.get("parent_id")), name=text_of(row.get("name")))
        call.start = nanoseconds(row.get("start_time"))
        attributes |= {name: cell for name, cell in row.items() if _EVALUATION.fullmatch(name)}
        self._read_call(call, attributes, events)
        columns = (name for name, cell in row.items() if cell not in (None, "") and not _EVALUATION.fullmatch(name))
        self.note_unused(*(name for name in columns if name.partition(".")[0] not in _SPAN_COLUMNS))

    def _read_call(
        self, call: TraceSpan, attributes: dict[str, Any], events: list[tuple[str, dict[str, Any], Any]]
    ) -> None:
        """A span, whatever shape it had."""
        self.set_place(call)
        call.session = next((str(attributes[k]) for k in _SESSIONS if attributes.get(k)), "")
        call.model = next((str(attributes[k]) for k in _MODELS if attributes.get(k)), "")
        if attributes.get("user.id"):
            call.meta["user"] = str(attributes["user.id"])
        self.note_unused(*(name for name in attributes if not _is_read(name)))
        self._add_evaluations(call, attributes)
        operation = str(attributes.get("gen_ai.operation.name") or "")
        kind = str(attributes.get("openinference.span.kind") or attributes.get("traceloop.span.kind") or "").upper()
        if call.name in _RESULT or kind == "EVALUATOR":
            self._add_evaluation(call, attributes, kind)
            self.add(call)
            return
        for name, body, at in events:
            if name in _RESULT:
                self._result(call.trace, call.span, body, at)
        if operation == "execute_tool" or kind == "TOOL":
            call.sort = "tool"
            name = str(attributes.get("gen_ai.tool.name") or attributes.get("tool.name") or call.name)
            keys = ("gen_ai.tool.call.arguments", "tool.parameters", *_INPUTS)
            back = _first(attributes, ("gen_ai.tool.call.result", *_OUTPUTS)) or None
            call.inputs, call.answer = tool_utterances(name, _first(attributes, keys), back)
            self.add(call)
            return
        call.inputs, call.answer = _messages(attributes)
        for name, body, _ in events:
            if name.startswith("gen_ai.") and name not in _RESULT:
                answered = name in ("gen_ai.choice", "gen_ai.content.completion")
                (call.answer if answered else call.inputs).extend(_read_event(name, body))
        complete = bool(call.inputs and call.answer and not operation and not kind)
        if operation in _MODEL or kind == "LLM" or complete:
            call.sort = "model"
        elif operation in _AGENT or kind in _ROOTS or not call.parent:
            call.sort = "root"
        inputs, back = _first(attributes, _INPUTS), _first(attributes, _OUTPUTS)
        call.inputs = call.inputs or (input_utterances(inputs) if inputs else [])
        call.answer = call.answer or (output_utterances(back) if back else [])
        answer = str(attributes.get("gen_ai.response.id") or "")
        if call.sort and not (call.inputs and call.answer):
            self._waiting.append((call, answer))
        else:
            self.add(call, answer)

    def _log(self, log: dict[str, Any]) -> None:
        attributes, body = _attributes(log.get("attributes")), _value(log.get("body") or {})
        name = str(log.get("eventName") or attributes.get("event.name") or "")
        trace, span = str(log.get("traceId") or ""), str(log.get("spanId") or "")
        fields = body if isinstance(body, dict) else {}
        spoken = self._logged.setdefault((trace, span), [])
        if name in _RESULT:
            at = log.get("timeUnixNano") or log.get("observedTimeUnixNano")
            self._result(trace, span, {**attributes, **fields}, at)
        elif name == "gen_ai.client.inference.operation.details":
            inputs, answer = _messages({**fields, **attributes})
            spoken += [
                *(("", utterance) for utterance in inputs),
                *(("gen_ai.choice", utterance) for utterance in answer),
            ]
        elif name.startswith("gen_ai."):
            spoken.append((name, body))
        else:
            self.add_hint("{n} log records that are not events of a model were left out.")

    def _result(self, trace: str, span: str, result: dict[str, Any], at: Any) -> None:
        """An evaluation's result, as the conventions have it."""
        short = {name.removeprefix("gen_ai.evaluation."): value for name, value in result.items()}
        kind = str(short.get("annotator_kind") or short.get("source") or "").lower()
        by, default = ("person", "") if kind in ("human", "annotator", "person") else ("judge", "evaluator")
        names = ("evaluator.name", "evaluator", "gen_ai.request.model")
        self.score(TraceScore(
            str(short.get("name") or "evaluation"), by, first_text(*map(short.get, names)) or default,
            trace=trace, span=span, answer=str(result.get("gen_ai.response.id") or ""),
            number=short.get("score.value", short.get("score")), label=short.get("score.label", short.get("label")),
            note=text_of(short.get("explanation")), made_at=iso_time(at),
        ))  # fmt: skip

    def _add_evaluation(self, call: TraceSpan, attributes: dict[str, Any], kind: str) -> None:
        """A span that evaluates the one above it."""
        result = dict(attributes)
        output = decode_json(attributes.get("output.value"))
        if kind == "EVALUATOR" and isinstance(output, dict):
            result = {"name": call.name, **{k: output.get(k) for k in ("score", "label", "explanation")}}
            result["gen_ai.request.model"] = attributes.get("llm.model_name")
        if call.parent or result.get("gen_ai.response.id"):
            self._result(call.trace, call.parent, result, call.start)
        else:
            self.add_hint("{n} spans of evaluators name no parent span, and were left out.")

    def _add_evaluations(self, call: TraceSpan, attributes: dict[str, Any]) -> None:
        """Evaluations that stand with their span, as Phoenix and Arize have them (eval.NAME.label and so on)."""
        results: dict[str, dict[str, Any]] = {}
        for key, value in attributes.items():
            if (parts := _EVALUATION.fullmatch(key)) and value not in (None, ""):
                results.setdefault(parts[1], {})[parts[2]] = _number(value) if parts[2] == "score" else value
        for name, result in results.items():
            if result.keys() & {"label", "score"}:
                self._result(call.trace, call.span, {"name": name, **result}, call.start)

    def _annotation(self, row: dict[str, Any]) -> None:
        result, meta = as_object(row.get("result")), as_object(row.get("metadata"))
        rating = {k: result.get(k, row.get(f"result.{k}", row.get(k))) for k in ("label", "score", "explanation")}
        kind, named = str(row.get("annotator_kind")).upper(), row.get("identifier")
        by, known = "judge", [meta.get("model"), meta.get("evaluator"), named, kind]
        if kind == "HUMAN":
            by, known = "person", [meta.get("annotator"), meta.get("user"), named, row.get("user_id")]
        self.score(TraceScore(
            str(row.get("name") or row.get("annotation_name") or "annotation"), by, first_text(*known),
            key=text_of(row.get("id")), **_target(row),
            number=_number(rating["score"]), label=rating["label"], note=text_of(rating["explanation"]),
            made_at=iso_time(row.get("updated_at") or row.get("created_at")),
        ))  # fmt: skip


def _messages(attributes: dict[str, Any]) -> tuple[list[Utterance], list[Utterance]]:
    """Return the input and the output of a call, in whichever of the conventions the attributes have them."""
    inputs = read_messages(attributes.get("gen_ai.input.messages")) or []
    if system := decode_json(attributes.get("gen_ai.system_instructions")):
        parts = system if isinstance(system, list) else [system]
        texts = (p.get("content", p.get("text")) if isinstance(p, dict) else p for p in parts)
        inputs = [Utterance("system", "\n\n".join(map(text_of, texts))), *inputs]
    answer = read_messages(attributes.get("gen_ai.output.messages")) or []
    for to, prefix in (
        (inputs, "llm.input_messages."), (answer, "llm.output_messages."),
        (inputs, "gen_ai.prompt."), (answer, "gen_ai.completion."),
    ):  # fmt: skip
        if not to:
            to += read_messages(_listed_under(attributes, prefix)) or []
    return inputs, answer


def _read_event(name: str, body: Any) -> list[Utterance]:
    """Return the utterances of an event of the older conventions; an utterance is taken unchanged."""
    if isinstance(body, Utterance):
        return [body]
    if isinstance(body, dict):
        for key, role in (("gen_ai.prompt", "user"), ("gen_ai.completion", "assistant")):
            if key in body:
                return input_utterances(body[key]) if role == "user" else output_utterances(body[key])
    role = name.removeprefix("gen_ai.").removesuffix(".message")
    fields = {name: decode_json(value) for name, value in body.items()} if isinstance(body, dict) else {"content": body}
    inner = as_object(fields.get("message")) or fields
    message = {"role": "assistant" if role == "choice" else role, **inner}
    if role == "choice" and isinstance(fields.get("message"), str):
        message["content"] = fields["message"]
    return read_messages([message]) or []


def _attributes(pairs: Any) -> dict[str, Any]:
    """The attributes of a list of keys and values."""
    if isinstance(pairs, dict):
        return pairs
    attributes = {}
    for pair in pairs or ():
        value = pair.get("value")
        attributes[pair.get("key", "")] = value["stringValue"] if value and "stringValue" in value else _value(value)
    return attributes


def _value(value: Any) -> Any:
    """A value of OTLP as JSON has it."""
    if not isinstance(value, dict):
        return value
    for kind, inner in value.items():
        if kind == "intValue":
            return int(inner)
        if kind == "arrayValue":
            return [_value(element) for element in (inner or {}).get("values", ())]
        if kind == "kvlistValue":
            return _attributes((inner or {}).get("values", ()))
        return inner
    return None


def _listed_under(attributes: dict[str, Any], prefix: str) -> list[Any]:
    """The list that lies under a prefix with its numbers in the keys: PREFIX0.message.role, PREFIX0.message.content."""
    tree: dict[str, Any] = {}
    for key, value in attributes.items():
        if key.startswith(prefix):
            inner = tree
            *path, last = key[len(prefix) :].split(".")
            for step in path:
                inner = child if isinstance(child := inner.get(step), dict) else inner.setdefault(step, {})
            inner[last] = value
    entries = _lists_of_indexes(tree)
    return entries if isinstance(entries, list) else []


def _lists_of_indexes(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        return value
    if all(key.isdecimal() for key in value):
        return [_lists_of_indexes(value[key]) for key in sorted(value, key=int)]
    return {key: _lists_of_indexes(inner) for key, inner in value.items()}


def _flatten_keys(value: Any, prefix: str = "") -> dict[str, Any]:
    """An object's values under keys that are the whole path to them."""
    value = decode_json(value) if "messages" in prefix else value
    if isinstance(value, (dict, list)) and value and not prefix.endswith((".value", ".messages", "arguments")):
        pairs = value.items() if isinstance(value, dict) else ((str(n), inner) for n, inner in enumerate(value))
        return {
            k: v for key, inner in pairs for k, v in _flatten_keys(inner, f"{prefix}.{key}" if prefix else key).items()
        }
    return {prefix: value}


def _first(attributes: dict[str, Any], keys: Iterable[str]) -> Any:
    return next((attributes[key] for key in keys if attributes.get(key) not in (None, "")), None)


def _number(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return value
