"""Other tools' files: known by what is in them, conversations rebuilt, scores at their units, the rest told once."""

from __future__ import annotations

import contextlib
import io
import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.importing import formats, start
from data.importing.conversations import evaluation_cases, traces
from data.importing.conversations.call_chains import (
    CallChain,
    TraceSpan,
    _likeness,
    _unwrap_prompt,
    main_conversation,
)
from data.importing.conversations.utterances import (
    Utterance,
    input_utterances,
    output_utterances,
    read_messages,
    to_turns,
)
from data.importing.files.container import detect_container, read_records
from data.importing.files.source import from_bytes, from_uploads
from data.importing.format_file import FileStart, FormatFile
from data.importing.formats import deepeval, mlflow, otel
from data.importing.importing import detect_formats, import_source, preview_import
from data.importing.plan import ImportPlan
from data.records import datasets
from data.store.errors import BadInput
from judges.importing.entries import Hint, Line, NamedValue, RejectedRow, ToolEntry
from judges.types import ITEM
from tests.archives import compare_archive, compare_marks
from tests.data.importing import tool_files as tools
from tests.data.imports import workspace, wrecks

Files = list[tuple[str, bytes]]


def read_files(files: Files) -> tuple[set[str], list[ToolEntry]]:
    """The formats of files, and what their tools read of them."""
    known = detect_formats(from_bytes(files))
    names = {detected.format for detected in known}
    entries: list[ToolEntry] = []
    with contextlib.ExitStack() as stack:
        for name in sorted(names & set(formats.TOOLS)):
            parts = []
            for detected in (k for k in known if k.format == name):
                stream = stack.enter_context(detected.file.open())
                parts.append(FormatFile(detected.file.name, detected.records(stream)))
            entries += formats.read_files(name, parts)
    return names, entries


def items(entries: list[ToolEntry]) -> dict[str, dict[str, Any]]:
    """The items by name; each is one that the store would take."""
    rows = [entry.data for entry in entries if isinstance(entry, Line)]
    assert all(ITEM.validate_python(row) for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: row for row in rows}


def opinions(entries: list[ToolEntry]) -> list[tuple[str, str, str, Any, str, str]]:
    """(item, unit, name, value, by, who) of all that was said."""
    return [(o.item, o.unit, o.name, o.value, o.by, o.rater) for o in entries if isinstance(o, NamedValue)]


def faults(entries: list[ToolEntry]) -> list[str]:
    """The sentences of all that cannot be imported."""
    return [sentence for entry in entries if isinstance(entry, RejectedRow) for _, sentence in entry.problems]


def hints(entries: list[ToolEntry]) -> list[str]:
    """The sentences of what was left out or taken for granted."""
    return [entry.sentence for entry in entries if isinstance(entry, Hint)]


def turns(item: dict[str, Any]) -> list[tuple[int, str, str]]:
    """The entries of a dialogue."""
    return [(entry["turn"], entry["role"], entry["text"]) for entry in item["turns"]]


ALL_TURNS = [
    (n, role, text)
    for n, pair in enumerate(tools.TURNS, 1)
    for role, text in zip(("user", "assistant"), pair, strict=True)
]


def test_otel_genai() -> None:
    """The history that later calls repeat is not doubled; an evaluation stands at the turn of its span."""
    first, second = tools.genai(1), tools.genai(2)
    first["events"], second["events"] = [tools.evaluation("tone", 4.0, "Kind.")], [tools.evaluation("tone", 2.0)]
    _, entries = read_files(
        [("b.jsonl", tools.text(tools.request(second))), ("a.txt", tools.text(tools.request(first)))]
    )
    item = items(entries)["c-1"]
    assert turns(item) == ALL_TURNS
    assert (item["scenario"], item["system"], item["meta"]) == ("Be brief.", "m-1", {"service": "helpdesk"})
    values = [o for o in entries if isinstance(o, NamedValue)]
    assert sorted((o.unit, o.value, o.note) for o in values) == [("turn:1", 4.0, "Kind."), ("turn:2", 2.0, "")]
    assert {(o.by, o.rater, o.made_at[:10]) for o in values} == {("judge", "evaluator", "2023-11-14")}


def test_otel_span_of_another_operation_is_no_call_of_a_model() -> None:
    chat, embedding = tools.genai(1), tools.genai(1)
    [operation] = [attribute for attribute in embedding["attributes"] if attribute["key"] == "gen_ai.operation.name"]
    operation["value"] = {"stringValue": "embeddings"}
    for call, known in ((chat, ["c-1"]), (embedding, [])):
        call["parentSpanId"] = "elsewhere"
        assert list(items(read_files([("a.jsonl", tools.text(tools.request(call)))])[1])) == known


@pytest.mark.parametrize("history", ["all", "none", "last"])
def test_otel_history(history: str) -> None:
    """However much of the history a call repeats, the conversation is the same."""
    spans = []
    for n in (1, 2):
        all_of_it = tools.sent_messages(n)
        messages = {"all": all_of_it, "none": all_of_it[-1:], "last": all_of_it[-2:]}[history]
        spans.append(
            tools.span(
                f"t{n}",
                f"s{n}",
                at=n,
                openinference__span__kind="LLM",
                session__id="c-1",
                **tools.inference("input_messages", messages),
                **tools.inference("output_messages", [tools.message("assistant", tools.TURNS[n - 1][1])]),
            )
        )
    _, entries = read_files([("t.jsonl", tools.text(tools.request(*reversed(spans))))])
    assert turns(items(entries)["c-1"]) == ALL_TURNS


def test_otel_tools_and_annotations() -> None:
    """Calls of tools are entries of their own; annotations of another file find spans, traces and sessions."""
    call = {
        "role": "assistant",
        "tool_calls__0__tool_call__function__name": "map",
        "tool_calls__0__tool_call__id": "c",
        "tool_calls__0__tool_call__function__arguments": '{"of": "京"}',
    }
    ask, back = tools.message("user", "Wo?"), {"role": "tool", "tool_call_id": "c", "content": "Kansai"}
    kind = {"openinference__span__kind": "LLM", "session__id": "S"}
    spans = [
        tools.span(
            "t", "root", name="bot", openinference__span__kind="AGENT", input__value="Wo?", output__value="Dort."
        ),
        tools.span(
            "t",
            "one",
            "root",
            at=1,
            **kind,
            **tools.inference("input_messages", [ask]),
            **tools.inference("output_messages", [call]),
        ),
        tools.span(
            "t", "two", "root", "map", 2, openinference__span__kind="TOOL", tool__name="map", output__value="Kansai"
        ),
        tools.span(
            "t",
            "three",
            "root",
            at=3,
            **kind,
            **tools.inference("input_messages", [ask, call, back]),
            **tools.inference("output_messages", [tools.message("assistant", "Dort.")]),
        ),
        tools.span(
            "t",
            "four",
            "root",
            "guard",
            4,
            **kind,
            **tools.inference(
                "input_messages", [tools.message("system", "Is it safe?"), tools.message("user", "Dort.")]
            ),
            **tools.inference("output_messages", [tools.message("assistant", "safe")]),
        ),
        tools.span("cut", "five", "lost", at=5, openinference__span__kind="LLM", input__value="Hm?"),
    ]
    notes = [
        {
            "id": "1",
            "span_id": "three",
            "name": "right",
            "annotator_kind": "LLM",
            "metadata": {"model": "j-1"},
            "result": {"label": "yes", "score": 1, "explanation": "So."},
        },
        {
            "id": "2",
            "span_id": "root",
            "name": "right",
            "annotator_kind": "HUMAN",
            "identifier": "kim",
            "result": {"score": 0},
        },
        {"id": "3", "session_id": "S", "name": "solved", "annotator_kind": "HUMAN", "result": {"label": "no"}},
        {"id": "4", "span_id": "four", "name": "right", "annotator_kind": "LLM", "result": {"score": 1}},
        {"id": "5", "span_id": "nowhere", "name": "right", "annotator_kind": "LLM", "result": {"score": 1}},
        {"id": "6", "span_id": "nowhere2", "name": "right", "annotator_kind": "LLM", "result": {"score": 1}},
    ]
    names, entries = read_files(
        [
            ("notes.json", tools.json_bytes({"data": notes, "next_cursor": None})),
            ("traces.jsonl", tools.text(tools.request(*spans))),
        ]
    )
    assert names == {"otel"}
    dialogue = items(entries)["S"]["turns"]
    assert [(e["role"], e["text"], e.get("name", "")) for e in dialogue] == [
        ("user", "Wo?", ""),
        ("tool", 'map({"of": "京"})', "map"),
        ("tool", "Kansai", "map"),
        ("assistant", "Dort.", ""),
    ]
    assert opinions(entries) == [
        ("S", "turn:1", "right", 1, "judge", "j-1"),
        ("S", "turn:1", "right", 0, "person", "kim"),
        ("S", "conversation", "solved", "no", "person", ""),
    ]
    assert [f.split(":")[0] for f in faults(entries) if "score" in f] == ["2 times"]
    assert any("nowhere, nowhere2" in f for f in faults(entries))
    [scores] = [entry.row for entry in entries if isinstance(entry, RejectedRow) if "score" in entry.problems[0][1]]
    assert scores == [{"name": "right", "of": of, "value": 1} for of in ("nowhere", "nowhere2")]
    text = " ".join(hints(entries))
    assert "no part of a conversation were left out (1)" in text and "may be cut (1)" in text


def test_an_annotation_of_nothing_is_left_out() -> None:
    note = {"id": "9", "name": "right", "annotator_kind": "LLM", "result": {"score": 1}}
    spans = [tools.span("t", "a", name="bot", openinference__span__kind="LLM", input__value="Q", output__value="A")]
    files = [("notes.json", tools.json_bytes({"data": [note, {**note, "span_id": "a"}]}))]
    names, entries = read_files([*files, ("traces.jsonl", tools.text(tools.request(*spans)))])
    assert names == {"otel"} and not faults(entries) and len(opinions(entries)) == 1
    [left] = [hint for hint in hints(entries) if "not imported: " in hint]
    assert left.endswith("id (1), name (1), annotator_kind (1), result (1).")


def test_tools_of_one_answer_keep_their_order() -> None:
    """Several calls before one answer; in the second turn the call of the model began before those of its tools."""
    spans = [tools.span("t", "root", name="bot")]
    for at, name in enumerate("first second third model:0 model:1 fourth fifth".split(), 1):
        if name.startswith("model"):
            question, answer = tools.TURNS[int(name[-1])]
            inputs = tools.inference("input_messages", [tools.message("user", question)])
            outputs = tools.inference("output_messages", [tools.message("assistant", answer)])
            kind = {"openinference__span__kind": "LLM", "session__id": "S"}
            spans.append(tools.span("t", name, "root", at=at, **kind, **inputs, **outputs))
        else:
            kind = {"openinference__span__kind": "TOOL", "input__value": "{}"}
            spans.append(tools.span("t", name, "root", name, at, **kind))
    _, entries = read_files([("t.jsonl", tools.text(tools.request(*spans)))])
    used = [(turn, text.partition("(")[0]) for turn, role, text in turns(items(entries)["S"]) if role == "tool"]
    assert used == [(1, "first"), (1, "second"), (1, "third"), (2, "fourth"), (2, "fifth")]


def test_tools_after_a_call_without_an_answer_keep_their_order() -> None:
    """A trace that was cut: they stand behind the question, as no answer follows."""
    calls = [TraceSpan("t", "m", sort="model", start=1, inputs=[Utterance("user", "Q")])]
    for at, name in enumerate(("first", "second", "third"), 2):
        call, output = Utterance("tool", f"{name}()", name), Utterance("tool", name.upper(), name)
        calls.append(TraceSpan("t", name, sort="tool", name=name, start=at, inputs=[call], answer=[output]))
    chain, _ = main_conversation(calls)
    assert chain is not None
    assert [u.text for u in chain.utterances] == ["Q", "first()", "FIRST", "second()", "SECOND", "third()", "THIRD"]


def test_otel_answer_that_the_history_spells_otherwise() -> None:
    """An answer that a later call repeats without its spaces is not told twice, nor the question before it."""
    ask, back = tools.message("user", "Wo?"), {"role": "tool", "name": "map", "content": "Kansai"}
    calls = [([ask], "Moment. "), ([ask, tools.message("assistant", "Moment."), back], "Dort.")]
    spans = [
        tools.span(
            "t", f"s{n}", at=n, openinference__span__kind="LLM", session__id="S",
            **tools.inference("input_messages", heard),
            **tools.inference("output_messages", [tools.message("assistant", a)]),
        )
        for n, (heard, a) in enumerate(calls)
    ]  # fmt: skip
    _, entries = read_files([("t.jsonl", tools.text(tools.request(*spans)))])
    assert turns(items(entries)["S"]) == [
        (1, "user", "Wo?"), (1, "tool", "Kansai"), (1, "assistant", "Moment. \n\nDort."),
    ]  # fmt: skip


@pytest.mark.parametrize("shape", ["csv", "lines"])
def test_phoenix_spans(shape: str) -> None:
    """Spans as Phoenix gives them, in columns with messages as text or as objects; a note finds its own span."""
    rows: list[dict[str, Any]] = []
    for n, (question, answer) in enumerate(tools.TURNS, 1):
        inputs, outputs = ([{"message": tools.message(*m)}] for m in (("user", question), ("assistant", answer)))
        if shape == "csv":
            row = {"context.trace_id": f"t{n}", "context.span_id": f"s{n}", "attributes.empty": ""} | {
                f"attributes.llm.{k}_messages": json.dumps(v) for k, v in (("input", inputs), ("output", outputs))
            }
        else:
            ids = {"trace_id": f"t{n}", "span_id": f"s{n}"}
            row = {
                "context": ids,
                "attributes": {"llm": {"input_messages": inputs, "output_messages": json.dumps(outputs)}},
            }
        rows.append({"name": "chat", "span_kind": "LLM", "start_time": f"2026-01-01T00:0{n}:00Z", **row})
    note = {"span_id": "s2", "name": "right", "annotator_kind": "HUMAN", "identifier": "kim", "result": {"score": 1}}
    spans = in_csv(rows) if shape == "csv" else tools.text(*rows)
    names, entries = read_files([("spans", spans), ("notes.jsonl", tools.text(note))])
    assert names == {"otel"}
    texts = {key: (item["task"], item["output"]) for key, item in items(entries).items()}
    assert texts == {"t1": tools.TURNS[0], "t2": tools.TURNS[1]}
    assert opinions(entries) == [("t2", "response", "right", 1, "person", "kim")]
    assert not [hint for hint in hints(entries) if "empty" in hint], "a column without a value is no attribute"


@pytest.mark.parametrize("shape", ["csv", "attributes"])
def test_evaluations_that_stand_with_their_span_are_a_judges(shape: str) -> None:
    """As Phoenix and Arize write them; what a column holds that is no part of a span is told."""
    results: dict[str, Any] = {"eval.Tone.label": "fine", "eval.Tone.score": 0.5, "eval.Tone.explanation": "Warm."}
    results["eval.Empty.label"] = ""
    texts = {"input.value": "Q", "output.value": "A", "openinference.span.kind": "LLM"}
    if shape == "csv":
        row = {"context.span_id": "s", "name": "chat", **{f"attributes.{k}": v for k, v in texts.items()}, **results}
        files: Files = [("spans.csv", in_csv([{**row, "annotation.Tone.label": "cold"}]))]
    else:
        attributes = {name.replace(".", "__"): value for name, value in {**texts, **results}.items()}
        files = [("spans.jsonl", tools.text(tools.request(tools.span("t", "s", **attributes))))]
    entries = read_files(files)[1]
    [value] = [entry for entry in entries if isinstance(entry, NamedValue)]
    assert (value.name, value.by, value.rater, value.note) == ("Tone", "judge", "evaluator", "fine\n\nWarm.")
    left = ["OpenTelemetry traces: not imported: annotation.Tone.label (1)."] if shape == "csv" else []
    assert [hint for hint in hints(entries) if "not imported" in hint] == left


def test_otel_with_one_value_of_what_came_in_and_one_of_what_went_out() -> None:
    """The generic keys, which stand for a model's messages where there are no others."""
    attributes = {"input__value": "Wo?", "output__value": "Dort."}
    call = tools.span("t", "s", openinference__span__kind="LLM", session__id="S", **attributes)
    _, entries = read_files([("t.jsonl", tools.text(tools.request(call)))])
    [item] = items(entries).values()
    assert [(t["role"], t["text"]) for t in item["turns"]] == [("user", "Wo?"), ("assistant", "Dort.")]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (("gen_ai.user.message", "content"), ("gen_ai.choice", "content")),
        (("gen_ai.content.prompt", "gen_ai.prompt"), ("gen_ai.content.completion", "gen_ai.completion")),
    ],
)
def test_otel_messages_as_events_of_their_span(question: tuple[str, str], answer: tuple[str, str]) -> None:
    events = [
        {"name": name, "attributes": [{"key": key, "value": {"stringValue": text}}]}
        for (name, key), text in ((question, "Wo?"), (answer, "Dort."))
    ]
    _, entries = read_files([("t.jsonl", tools.text(tools.request(tools.span("t", "s", events=events))))])
    assert [(item["task"], item["output"]) for item in items(entries).values()] == [("Wo?", "Dort.")]


def test_what_is_said_of_spans_around_calls_is_of_the_last_call_and_of_the_outermost_of_the_whole() -> None:
    def evaluations(value: float) -> list[Any]:
        return [tools.evaluation("tone", value)]

    spans = [tools.span("t", "root", name="bot", events=evaluations(3.0))]
    spans += [tools.span("t", "chain", "root", name="step", events=evaluations(4.0))]
    for n in (1, 2):
        inputs = tools.inference("input_messages", tools.sent_messages(n))
        outputs = tools.inference("output_messages", [tools.message("assistant", tools.TURNS[n - 1][1])])
        attributes = {"openinference__span__kind": "LLM", **inputs, **outputs}
        spans.append(tools.span("t", f"s{n}", "chain", at=n, events=evaluations(float(n)), **attributes))
    _, entries = read_files([("t.jsonl", tools.text(tools.request(*spans)))])
    units = {value: unit for _, unit, _, value, *_ in opinions(entries)}
    assert units == {1.0: "turn:1", 2.0: "turn:2", 3.0: "conversation", 4.0: "turn:2"}


def test_otel_spans_of_evaluators_and_faulty_ones() -> None:
    """An evaluator's span says its name and output of the one above; a fault once has its row, one more often rows."""
    attributes = {"output__value": json.dumps({"score": 0.5, "label": "half", "explanation": "So."})}
    evaluator = tools.span(
        "t", "e", "s", "right", 2, openinference__span__kind="EVALUATOR", **attributes, llm__model_name="j-1"
    )
    call = tools.span("t", "s", openinference__span__kind="LLM", input__value="Wo?", output__value="Dort.")
    bad = [{"name": "no ids"}, {"name": "no ids either"}]
    for faulty_spans in (bad[:1], bad):
        _, entries = read_files([("t.jsonl", tools.text(tools.request(call, evaluator, *faulty_spans)))])
        assert opinions(entries) == [("t", "response", "right", 0.5, "judge", "j-1")]
        assert [o.note for o in entries if isinstance(o, NamedValue)] == ["half\n\nSo."]
        rows = [r.row for r in entries if isinstance(r, RejectedRow)]
        assert rows == [faulty_spans if len(faulty_spans) > 1 else faulty_spans[0]]


@pytest.mark.parametrize("value", [
    1_700_000_000, 1_700_000_000.0, "1700000000000", 1_700_000_000_000_000, "1700000000000000000",
    "2023-11-14T22:13:20Z", "2023-11-14T23:13:20+01:00", "2023-11-14T22:13:20",
])  # fmt: skip
def test_a_time_is_read_in_every_unit(value: Any) -> None:
    assert traces.nanoseconds(value) == 1_700_000_000 * 10**9
    assert traces.iso_time(value) == "2023-11-14T22:13:20+00:00"


def test_what_is_no_time_is_none() -> None:
    for value in (None, "", "soon", [], float("nan"), 10**40):
        assert traces.iso_time(value) == ""


def test_tools_that_the_history_tells_of_are_not_put_in_again() -> None:
    """Only what follows the newest question counts: tools of an earlier one that stand there are of that one."""
    ask, old = Utterance("user", "Wo?"), Utterance("tool", "Kansai", "map")
    tool = TraceSpan("t", "two", sort="tool", inputs=[Utterance("tool", "map()")], answer=[old])
    for heard, put in (([ask, old, ask], 2), ([ask, old, Utterance("assistant", "Hm.")], 0)):
        call = TraceSpan("t", "one", sort="model", start=1, inputs=heard, answer=[Utterance("assistant", "Dort.")])
        chain, ignored_spans = main_conversation([tool, call])
        assert chain is not None and ignored_spans == []
        assert chain.utterances == [*heard, *[*tool.inputs, old][:put], *call.answer]


def test_a_conversation_is_like_a_trace_by_what_it_ends_with_and_what_was_asked_last() -> None:
    ask, say = (lambda text, role=role: Utterance(role, text) for role in ("user", "assistant"))
    chain = CallChain("", ("", ""), [ask("Old?"), say("Yes."), ask("Context: x. Why?"), say(" So. ")], 3, [])
    for inputs, answer, likeness in (
        ([ask("Old?"), say("No."), ask("Why?")], [say("So.")], (True, True)),
        ([ask("Why?"), ask("Old?")], [ask("So.")], (False, False)),
        ([say("Why?")], [say("Else."), say("So.")], (True, False)),
    ):
        assert _likeness(chain, TraceSpan("t", "one", inputs=inputs, answer=answer)) == likeness
    assert _likeness(chain, None) == (False, False)
    reply = replace(chain, utterances=[say("So.")])
    assert _likeness(reply, TraceSpan("t", "", inputs=[ask("Why?")])) == (False, False)


def test_the_users_own_words_take_the_place_of_what_wraps_them_alone() -> None:
    ask, say = (lambda text, role=role: Utterance(role, text) for role in ("user", "assistant"))
    root = TraceSpan("t", "one", inputs=[ask("Old?"), ask("Why?")])
    for utterances, left in (
        ([ask("Context: x. Why?"), say("So.")], [ask("Why?"), say("So.")]),
        ([ask("How?"), say("So.")], [ask("How?"), say("So.")]),
        ([say("Why? So.")], [say("Why? So.")]),  # nothing that a user said
    ):
        chain = CallChain("", ("", ""), utterances, 1, [])
        _unwrap_prompt(chain, root)
        assert chain.utterances == left


def test_otel_every_name_of_an_attribute() -> None:
    """Each name of a session, a model, what came in and what went out, and each kind of span that is a call."""
    question, answer = {"input__value": "Wo?"}, {"output__value": "Dort."}
    kinds = [
        *({"gen_ai__operation__name": name} for name in ("chat", "text_completion", "generate_content")),
        *({"gen_ai__operation__name": name} for name in ("invoke_agent", "create_agent")),
        *({"openinference__span__kind": name} for name in ("LLM", "CHAIN", "AGENT", "WORKFLOW", "TASK")),
        {"traceloop__span__kind": "llm"},
    ]
    cases: list[tuple[str, dict[str, str], Any]] = [
        *(("session", {**question, **answer, name: "S"}, "S") for name in (
            "gen_ai.conversation.id", "session.id", "langfuse.session.id",
            "traceloop.association.properties.session_id", "langsmith.metadata.thread_id", "thread_id",
            "conversation_id",
        )),
        *(("system", {**question, **answer, name: "M"}, "M") for name in (
            "gen_ai.request.model", "llm.model_name", "gen_ai.response.model", "llm.request.model",
        )),
        *(("task", {**answer, name: "Wo?"}, "Wo?") for name in (
            "input.value", "traceloop.entity.input", "gen_ai.prompt", "langfuse.observation.input",
            "mlflow.spanInputs",
        )),
        *(("output", {**question, name: "Dort."}, "Dort.") for name in (
            "output.value", "traceloop.entity.output", "gen_ai.completion", "langfuse.observation.output",
            "mlflow.spanOutputs",
        )),
        *(("output", {**question, **answer, **kind}, "Dort.") for kind in kinds),
    ]  # fmt: skip
    for field, attributes, value in cases:
        kind = {} if attributes.keys() & {
            "gen_ai__operation__name", "openinference__span__kind", "traceloop__span__kind",
        } else {"openinference__span__kind": "LLM"}  # fmt: skip
        _, entries = read_files([("t.jsonl", tools.text(tools.request(tools.span("t", "s", **kind, **attributes))))])
        [item] = items(entries).values()
        assert (item["id"] if field == "session" else item[field]) == value, attributes
        assert not faults(entries) and not hints(entries), attributes


@pytest.mark.parametrize(("kind", "by"), [
    ("human", ("person", "")), ("ANNOTATOR", ("person", "")), ("person", ("person", "")),
    ("llm", ("judge", "evaluator")),
])  # fmt: skip
@pytest.mark.parametrize("key", ["annotator_kind", "source"])
def test_otel_who_evaluated(key: str, kind: str, by: tuple[str, str]) -> None:
    event = tools.evaluation("tone", 3.0)
    event["attributes"] += tools.attributes(**{f"gen_ai__evaluation__{key}": kind})
    attributes = {"openinference__span__kind": "LLM", "input__value": "Wo?", "output__value": "Dort."}
    _, entries = read_files(
        [("t.jsonl", tools.text(tools.request(tools.span("t", "s", events=[event], **attributes))))]
    )
    assert [opinion[4:] for opinion in opinions(entries)] == [by]


def test_what_is_said_of_a_span_below_a_call_is_of_its_turn_and_of_one_below_none_of_the_whole() -> None:
    spans = []
    for n in (1, 2):
        inputs = tools.inference("input_messages", tools.sent_messages(n))
        outputs = tools.inference("output_messages", [tools.message("assistant", tools.TURNS[n - 1][1])])
        spans.append(tools.span("t", f"s{n}", "root", at=n, openinference__span__kind="LLM", **inputs, **outputs))
    for n, (key, above) in enumerate((("a", "s1"), ("b", "a"), ("c", "b"), ("d", "lost"), ("e", "d")), 3):
        events = [tools.evaluation("tone", float(n))]
        spans.append(tools.span("t", key, above, "search", n, events, openinference__span__kind="RETRIEVER"))
    _, entries = read_files([("t.jsonl", tools.text(tools.request(*spans)))])
    units = {value: unit for _, unit, _, value, *_ in opinions(entries)}
    assert units == {3.0: "turn:1", 4.0: "turn:1", 5.0: "turn:1", 6.0: "conversation", 7.0: "conversation"}


def test_of_a_prompt_that_wraps_what_was_asked_the_question_is_kept() -> None:
    root = tools.span("t", "r", openinference__span__kind="CHAIN", input__value="Wo?", output__value="Dort.")
    inputs = tools.inference("input_messages", [tools.message("user", "Context: Tokio. Question: Wo?")])
    outputs = tools.inference("output_messages", [tools.message("assistant", "Dort.")])
    call = tools.span("t", "s", "r", at=1, openinference__span__kind="LLM", **inputs, **outputs)
    _, entries = read_files([("t.jsonl", tools.text(tools.request(root, call)))])
    assert [(item["task"], item["output"]) for item in items(entries).values()] == [("Wo?", "Dort.")]


def test_otel_values_within_values() -> None:
    """Lists and objects of OTLP's own spelling are read as JSON has them, an empty value as none."""
    texts = {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": "7"}, {"boolValue": True}]}}
    nested = {"kvlistValue": {"values": [{"key": "k", "value": texts}, {"key": "e", "value": {"arrayValue": None}}]}}
    assert otel._value(nested) == {"k": ["a", 7, True], "e": []}
    assert [otel._value(value) for value in ({"doubleValue": 0.5}, {}, None, "x")] == [0.5, None, None, "x"]


def test_otel_logs() -> None:
    """Messages and evaluations may come as log records, before their spans or after."""

    def event(name: str, body: Any, **attributes: Any) -> dict[str, Any]:
        fields = [{"key": k, "value": {"stringValue": v}} for k, v in body.items()]
        return {
            "traceId": "t",
            "spanId": "s",
            "eventName": name,
            "body": {"kvlistValue": {"values": fields}},
            "attributes": tools.attributes(**attributes),
        }

    logs = [
        event("gen_ai.user.message", {"content": "Q"}),
        event("gen_ai.choice", {"message": "A"}),
        event("gen_ai.evaluation.result", {}, gen_ai__evaluation__name="ok", gen_ai__evaluation__score__label="pass"),
    ]
    lines = tools.text(
        {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]},
        tools.request(tools.span("t", "s", gen_ai__operation__name="chat")),
    )
    _, entries = read_files([("x.jsonl", lines)])
    assert (items(entries)["t"]["task"], items(entries)["t"]["output"]) == ("Q", "A")
    assert opinions(entries) == [("t", "response", "ok", "pass", "judge", "evaluator")]
    evaluation = {"gen_ai.evaluation.name": "fit", "gen_ai.evaluation.score.label": "fail"}
    logs[-1] = event("gen_ai.evaluation.result", evaluation)
    lines = tools.text(
        {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]},
        tools.request(tools.span("t", "s", gen_ai__operation__name="chat")),
    )
    assert opinions(read_files([("x.jsonl", lines)])[1]) == [("t", "response", "fit", "fail", "judge", "evaluator")]
    whole = {f"gen_ai__{side}__messages": json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])
             for side, role, text in (("input", "user", "Q"), ("output", "assistant", "A"))}  # fmt: skip
    logs = [event("gen_ai.client.inference.operation.details", {}, **whole)]
    _, entries = read_files([("x.jsonl", tools.text(
        {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]},
        tools.request(tools.span("t", "s", gen_ai__operation__name="chat")),
    ))])  # fmt: skip
    assert (items(entries)["t"]["task"], items(entries)["t"]["output"]) == ("Q", "A")


def in_csv(rows: list[dict[str, Any]]) -> bytes:
    """A table as text."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    quoted = [['"' + str("" if row.get(n) is None else row[n]).replace('"', '""') + '"' for n in names] for row in rows]
    return "\n".join([",".join(names), *map(",".join, quoted)]).encode()


@pytest.mark.parametrize("shape", ["lines", "list", "csv", "object"])
def test_langfuse(shape: str) -> None:
    """Traces, observations and scores in files of their own, in any order and container, are joined."""
    export = tools.langfuse()
    write = {
        "lines": lambda rows: tools.text(*rows),
        "list": tools.json_bytes,
        "csv": in_csv,
        "object": lambda rows: tools.json_bytes({"data": rows, "meta": {"page": 1}}),
    }[shape]
    scores = [
        {"traceId": None, "observationId": None, "sessionId": None, "stringValue": None, **row}
        for row in export["scores"]
    ]
    names, entries = read_files(
        [("1", write(scores)), ("2", write(export["observations"])), ("3", write(export["traces"][::-1]))]
    )
    if shape == "csv":
        export["traces"][0]["input"] = str(export["traces"][0]["input"])  # not JSON: the observations have the messages
    assert names == {"langfuse"}
    item = items(entries)["c-1"]
    assert (turns(item), item["scenario"], item["system"]) == (ALL_TURNS, "Be brief.", "m-1")
    assert sorted(opinions(entries), key=str) == sorted(
        [
            ("c-1", "turn:1", "helpful", 0.5, "judge", "langfuse eval"),
            ("c-1", "turn:1", "helpful", 1.0, "person", "kim"),
            ("c-1", "conversation", "solved", True, "judge", "langfuse eval"),
            ("c-1", "turn:2", "tone", "warm", "judge", "langfuse eval"),
        ],
        key=str,
    )
    assert not faults(entries)


def test_langfuse_traces_within_what_is_told_of_them() -> None:
    export = tools.langfuse()
    whole = [{"trace": trace, "observations": [observation]} for trace, observation in zip(
        export["traces"], export["observations"], strict=True
    )]  # fmt: skip
    names, entries = read_files([("t.json", tools.json_bytes(whole))])
    assert names == {"langfuse"} and turns(items(entries)["c-1"]) == ALL_TURNS


def test_langfuse_observations_alone() -> None:
    """Rows without their traces have what these say of session and metadata in columns of their own."""
    observations = [
        {**row, "sessionId": "c-9", "traceMetadata": json.dumps({"lang": "de"})}
        for row in tools.langfuse()["observations"]
    ]
    names, entries = read_files([("o.json", tools.json_bytes(observations))])
    assert names == {"langfuse"} and list(items(entries)) == ["c-9"]
    assert turns(items(entries)["c-9"]) == ALL_TURNS and items(entries)["c-9"]["meta"]["lang"] == "de"


def test_langfuse_sessions_in_one_file() -> None:
    """The session is told where its traces lie in it, be it one object, a line or one of a list."""
    export = tools.langfuse()
    traces = [{name: value for name, value in row.items() if name != "sessionId"} for row in export["traces"]]
    session = {"id": "c-7", "traces": traces}
    for file in (tools.json_bytes(session), tools.json_bytes([session]), tools.text(session)):
        names, entries = read_files([("s.json", file), ("o.json", tools.json_bytes(export["observations"]))])
        assert names == {"langfuse"} and list(items(entries)) == ["c-7"]
        assert turns(items(entries)["c-7"]) == ALL_TURNS
    _, entries = read_files(
        [("s.json", tools.json_bytes({**session, "odd": 1})), ("o.json", tools.json_bytes(export["observations"]))]
    )
    assert any("odd (1)" in hint for hint in hints(entries)), "what stands beside the traces and is not used is named"
    other = {"id": "t9", "timestamp": "2026-05-01T10:00:00Z", "userId": "u", "input": "Q", "output": "A"}
    _, entries = read_files([("s.jsonl", tools.text(session, {"data": [other]}))])
    assert set(items(entries)) == {"c-7", "t9"}, "a page of traces after a session is not of this session"


def test_langfuse_traces_that_stand_there_twice_and_observations_below_others() -> None:
    """The second time a trace tells of its session; what lies below something else is no conversation of its own."""
    trace = {"id": "t", "timestamp": "2026-05-01T10:00:00Z", "userId": "u", "tags": [], "input": "Q", "output": "A"}
    _, entries = read_files([("x.json", tools.json_bytes([trace, {**trace, "sessionId": "c"}]))])
    assert list(items(entries)) == ["c"]
    assert hints(entries) == ["Langfuse: spans that stand in the files twice were read once (1)."]
    observation = {
        "id": "o", "traceId": "t", "type": "SPAN", "startTime": "2026-05-01T10:00:00Z", "input": "Q", "output": "A",
    }  # fmt: skip
    for more, known in (({}, ["t"]), ({"parentObservationId": "p"}, []), ({"output": None}, []), ({"input": None}, [])):
        _, entries = read_files([("o.json", tools.json_bytes([{**observation, **more}]))])
        assert list(items(entries)) == known, more


def test_rows_are_of_a_tool_by_what_only_it_has() -> None:
    trace = {"id": "1", "timestamp": "2026-01-01T00:00:00Z", "sessionId": "s", "userId": "u"}
    named = {"name": "tone", "value": 1, "dataType": "NUMERIC"}
    score, feedback = {"name": "tone", "traceId": "t", "value": 1}, {"key": "tone", "score": 1}
    whole, answers = {"trace": {"id": "1", "name": "n"}, "input": "Q"}, {"question": "Q", "fit.responses": [4]}
    for row, more, name in (
        (trace, {"input": "Q"}, "langfuse"), (score, {"source": "API"}, "langfuse"),
        (whole, {"trace": trace}, "langfuse"), (answers, {"fit.responses.users": ["kim"]}, "argilla"),
        (named, {"traceId": "t"}, "langfuse"), (feedback, {"run_id": "r"}, "langsmith"),
        ({"traceId": "t", "startTime": "2026-01-01T00:00:00Z", "input": "Q"}, {"id": "o"}, "langfuse"),
    ):  # fmt: skip
        files = [from_bytes([("t.jsonl", tools.text(fields))]) for fields in (row, row | more)]
        assert [detect_formats(file)[0].format for file in files] == ["table", name]


def test_langfuse_scores_alone() -> None:
    """Scores without traces stand for items without texts: two columns are enough for a figure."""
    _, entries = read_files([("s.csv", in_csv([{"source": "EVAL", **r} for r in tools.langfuse()["scores"][:2]]))])
    assert [entry.weak for entry in entries if isinstance(entry, Line)] == [True]
    assert {o[4] for o in opinions(entries)} == {"judge", "person"}


def test_langfuse_scores_in_columns_of_a_table_of_traces() -> None:
    """Its table has a list for each score; a list of texts is none, and is told as not read."""
    trace = {"id": "t", "timestamp": "2026-05-01T10:00:00Z", "userId": "u", "tags": ["x"], "input": "Q", "output": "A"}
    row = {**trace, "Helpful": [0.5, 1], "human rating": ["good"], "note": ["n" * 101], "odd": [{"a": 1}], "none": None}
    _, entries = read_files([("x.json", tools.json_bytes([row]))])
    assert opinions(entries) == [
        ("t", "response", "Helpful", 0.5, "judge", "langfuse"), ("t", "response", "Helpful", 1, "judge", "langfuse"),
        ("t", "response", "human rating", "good", "person", ""),
    ]  # fmt: skip
    assert [hint for hint in hints(entries) if "note" in hint and "odd" in hint and "Helpful" not in hint]


def test_langfuse_scores_in_free_text() -> None:
    """What somebody wrote is no score; that it was left out is told."""
    export = tools.langfuse()
    wrote = {**export["scores"][1], "id": "w", "name": "why", "dataType": "TEXT", "value": None, "stringValue": "Bad."}
    _, entries = read_files([("x.json", tools.json_bytes([*export["traces"], export["scores"][1], wrote]))])
    assert [o[2] for o in opinions(entries)] == ["helpful"]
    assert "Langfuse: scores in free text were left out (1)." in hints(entries)
    score = {**export["scores"][1], "value": 0.5, "stringValue": "half"}
    for sort, value in (("NUMERIC", 0.5), ("CATEGORICAL", "half"), ("", "half")):
        _, entries = read_files([("x.json", tools.json_bytes([*export["traces"], {**score, "dataType": sort}]))])
        assert [o[3] for o in opinions(entries)] == [value], sort


@pytest.mark.parametrize("shape", ["parquet", "lines"])
def test_langsmith(shape: str) -> None:
    """Runs as the bulk export has them (texts in columns) or as the client has them, with feedback or its averages."""
    export = tools.langsmith()
    if shape == "parquet":
        flat = [{k: json.dumps(v) if isinstance(v, dict) else v for k, v in run.items()} for run in export["runs"]]
        sheet = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(flat), sheet)
        runs = sheet.getvalue()
    else:
        runs = tools.text(*export["runs"])
    names, entries = read_files([("f.json", tools.json_bytes(export["feedback"])), ("runs", runs)])
    item = items(entries)["c-1"]
    assert names == {"langsmith"} and turns(item) == ALL_TURNS and item["system"] == "m-1"
    assert opinions(entries) == [
        ("c-1", "turn:1", "ok", 1, "judge", "j-1"),
        ("c-1", "turn:1", "ok", 0, "person", "kim"),
    ]
    _, alone = read_files([("runs", runs)])
    assert [o[1:4] for o in opinions(alone)] == [("turn:1", "ok", 1.0), ("turn:2", "ok", 1.0)]
    # A model may be named by how it was called, and feedback may name the trace alone.
    own = {"__run": "x", "ls_provider": "x", "LANGSMITH_PROJECT": "x", "LANGCHAIN_PROJECT": "x", "lang": "de"}
    extra = {"metadata": {"thread_id": "c-1", **own}, "invocation_params": {"model": "m-2"}}
    _, called = read_files([("runs", tools.text(*({**run, "extra": extra} for run in export["runs"])))])
    assert items(called)["c-1"]["system"] == "m-2" and items(called)["c-1"]["meta"] == {"lang": "de"}
    whole = [{**{k: v for k, v in row.items() if k != "run_id"}, "trace_id": "r2"} for row in export["feedback"]]
    _, traced = read_files([("f.json", tools.json_bytes(whole)), ("runs", runs)])
    assert [o[1:4] for o in opinions(traced)] == [("turn:2", "ok", 1), ("turn:2", "ok", 0)]


def test_a_run_without_an_id_is_none() -> None:
    runs = tools.langsmith()["runs"]
    _, entries = read_files([("runs.jsonl", tools.text(*runs, {"run_type": "llm", "name": "lost"}))])
    assert [fault.split(":")[-1].strip() for fault in faults(entries)] == ["A row is neither a run nor a feedback."]


@pytest.mark.parametrize(
    ("span", "known"),
    [("AAAAAAAAAAI=", True), ("0000000000000002", True), ("0x0000000000000002", True), ("0000000000000009", False)],
)
def test_mlflow_names_a_span_in_base64_or_in_hexadecimal(span: str, known: bool) -> None:
    trace = tools.mlflow()[0]
    assessment = {**trace["info"]["assessments"][0], "span_id": span}
    _, entries = read_files(
        [("t.json", tools.json_bytes({**trace, "info": {**trace["info"], "assessments": [assessment]}}))]
    )
    assert [opinion[:4] for opinion in opinions(entries)] == [("tr-1", "response", "right", "yes")] * known


def test_mlflow() -> None:
    """Traces with assessments, in a session or not; what was expected is the reference; tables of evaluations."""
    _, entries = read_files([("t.jsonl", tools.text(*tools.mlflow("c-1")))])
    assert turns(items(entries)["c-1"]) == ALL_TURNS
    assert opinions(entries)[:2] == [
        ("c-1", "turn:1", "right", "yes", "judge", "j-1"),
        ("c-1", "turn:1", "right", "no", "person", "kim"),
    ]
    # Whichever of its times a trace has, those of a session stand in their order.
    known = {"trace_metadata": {"mlflow.trace.session": "c"}}
    for name in ("request_time", "timestamp_ms", "execution_time"):
        rows = [
            {"info": {**known, "trace_id": f"t{n}", "request_preview": f"Q{n}", "response_preview": f"A{n}", name: at}}
            for n, at in ((2, 1_700_000_009_000), (1, 1_700_000_001_000))
        ]
        _, entries = read_files([("t.jsonl", tools.text(*rows))])
        assert [text for _, _, text in turns(items(entries)["c"])] == ["Q1", "A1", "Q2", "A2"], name
    _, entries = read_files([("t.json", tools.json_bytes(tools.mlflow()[0]))])
    item = items(entries)["tr-1"]
    assert (item["kind"], item["output"], item["reference"]) == ("response", tools.TURNS[0][1], "E1")
    # Another form of an expectation, one that is no reference, and an assessment that a later one replaced.
    trace = tools.mlflow()[0]
    assessment, *_, expected = trace["info"]["assessments"]
    stored = {**expected, "expectation": {"serialized_value": "E2"}}
    limit, source = {**expected, "assessment_name": "limit"}, {"source_type": "LLM_JUDGE"}
    _, entries = read_files([("t.json", tools.json_bytes({"info": {**trace["info"], "assessments": [
        {**assessment, "valid": False}, stored, limit,
        {**assessment, "valid": True, "feedback": {"value": 3}, "source": source},
    ]}, "data": trace["data"]}))])  # fmt: skip
    assert items(entries)["tr-1"]["reference"] == "E2" and [o[3:] for o in opinions(entries)] == [
        (3, "judge", "llm judge")
    ]
    assert any("the expectation limit" in hint for hint in hints(entries))
    assert "MLflow: assessments that were replaced by later ones were left out (1)." in hints(entries)
    table = {
        "columns": ["inputs", "outputs", "ground_truth", "fit/v1/score", "fit/v1/justification"],
        "data": [["Q", "A", "G", 4, "close"], ["Q2", "A2", "G2", None, None], ["short"]],
    }
    for file in (tools.json_bytes(table), tools.json_bytes(table, None)):
        _, entries = read_files([("eval.json", file)])
        assert [(i["task"], i["output"], i["reference"]) for i in items(entries).values()] == [
            ("Q", "A", "G"),
            ("Q2", "A2", "G2"),
        ]
        assert [(o.name, o.value, o.note) for o in entries if isinstance(o, NamedValue)] == [("fit", 4, "close")]
        assert len(faults(entries)) == 1
    # Cells without the names of their columns are no rows, and are not said to be too short for them.
    _, entries = read_files([("t.jsonl", tools.text(*tools.mlflow("c-1"), {"data": [["x"]]}))])
    assert not faults(entries) and "MLflow: not imported: data (1)." in hints(entries)


def test_a_text_of_mlflow_that_is_nested_too_deep_for_json_stays_a_text() -> None:
    deep = "[" * 200_000
    info = {"trace_id": "t1", "request_preview": "Q", "response_preview": deep}
    _, entries = read_files([("t.jsonl", tools.text({"info": info, "spans": []}))])
    assert not faults(entries) and items(entries)["t1"]["output"] == deep


def test_inspect() -> None:
    """Samples of a log, an item for each epoch; a person's correction stands beside the grader's score."""
    log = tools.inspect()
    log["samples"][1]["choices"] = []
    for file in (tools.json_bytes(log), tools.json_bytes(log, None)):
        names, entries = read_files([("log", file)])
        samples = items(entries)
        assert names == {"inspect_ai"} and list(samples) == ["sums/1/o/m-1", "sums/1/o/m-1/epoch 2"]
        assert [(i["output"], i["reference"]) for i in samples.values()] == [("4", "4"), ("5", "4\nfour")]
        assert [i["meta"] for i in samples.values()] == [{"lang": "日本", "choices": ["3", "4"]}, {}]
        assert [o[2:] for o in opinions(entries)] == [
            ("graded", "C", "judge", "o/j-1"),
            ("graded", "I", "person", "kim"),
            ("graded", "I", "judge", "o/j-1"),
        ]


def test_a_log_of_a_newer_inspect_is_read_as_one_that_is_known() -> None:
    for version, expected in ((2, []), (3, ["Inspect: a log has version 3, and was read as version 2 is."])):
        _, entries = read_files([("log", tools.json_bytes(tools.inspect() | {"version": version}))])
        assert len(items(entries)) == 2 and [hint for hint in hints(entries) if "version" in hint] == expected


@pytest.mark.parametrize(
    ("key", "becomes"),
    [("0xab", "ab"), ("ab", "ab"), ("q80=", "abcd"), ("q-!80===", "q-!80==="), ("q=", "q=")],
)
def test_the_ids_of_mlflow_are_hexadecimal_or_as_they_are(key: str, becomes: str) -> None:
    assert mlflow._hex(key) == becomes


def test_rows_of_a_table_of_mlflow_that_do_not_fit_its_columns_are_told() -> None:
    table = {"columns": ["inputs", "outputs"], "data": [["Q", "A"], ["Q"], "QA", {"Q": 1, "A": 2}]}
    entries = _read_as("mlflow", tools.json_bytes(table, None))
    assert len(items(entries)) == 1
    assert faults(entries) == ["3 times: a row has another number of cells than there are columns."]


def test_samples_of_inspect_that_are_none_are_told() -> None:
    log = tools.inspect()
    _, entries = read_files([("log", tools.json_bytes({**log, "samples": [*log["samples"], {"epoch": 1}, "x", None]}))])
    assert len(items(entries)) == 2
    assert faults(entries) == ["3 times: a sample has no id, or nothing was asked in it."]
    with pytest.raises(BadInput, match="that none of the tools known here writes"):
        read_files([("list", tools.json_bytes({"samples": ["x", 1, None]}))])


def test_inspect_samples_in_rows_of_their_own() -> None:
    """As a log that was written as lines: what it says of the evaluation, then its samples."""
    log = tools.inspect()
    samples = log.pop("samples")
    files = tools.json_bytes({**log, "samples": samples}), tools.text(log, *samples)
    whole, rows = (read_files([("log", file)]) for file in files)
    assert rows[0] == {"inspect_ai"} and items(rows[1]) == items(whole[1]) and len(items(rows[1])) == 2
    assert opinions(rows[1]) == opinions(whole[1])
    names, alone = read_files([("log", tools.text(*samples))])
    assert names == {"inspect_ai"} and len(items(alone)) == 2 and items(alone).keys() != items(whole[1]).keys()


def test_promptfoo() -> None:
    """A person's rating is of the pass, beside the tool's own; a result without an output is told."""
    for file in (tools.json_bytes(tools.promptfoo()), tools.text(*tools.promptfoo()["results"]["results"])):
        names, entries = read_files([("out", file)])
        assert names == {"promptfoo"} and [i["task"] for i in items(entries).values()] == [
            "Tell x",
            f"Be brief.\n\n{tools.TURNS[0][0]}",
        ]
        assert [o[2:] for o in opinions(entries)] == [
            ("llm-rubric", 0.9, "judge", "j-1"),
            ("pass", False, "person", ""),
            ("tone", 0.5, "judge", "promptfoo"),
            ("pass", True, "judge", "promptfoo"),
            ("llm-rubric", 0.9, "judge", "j-1"),
            ("pass", True, "judge", "promptfoo"),
        ]
        assert faults(entries) == [
            "A result (test 2, prompt 0, m-1) has no output: its provider gave an error, or nothing."
        ]
        assert [entry.row for entry in entries if isinstance(entry, RejectedRow)] == [{"error": "boom", "vars": {}}]
    first, _, _ = tools.promptfoo()["results"]["results"]
    assert faults(read_files([("out", tools.text(first, {"results": [{"score": 1}]}))])[1]) == [
        "A result has neither a prompt nor variables."
    ]
    with pytest.raises(BadInput, match=r"none of the tools known here writes \(its keys: results\)"):
        read_files([("r.json", tools.json_bytes({"results": {"mean": 1}}))])
    # A table that happens to have a prompt and its variables is one of somebody's own.
    assert read_files([("t.jsonl", tools.text({"vars": "x", "prompt": "P", "human": 1, "judge": 2}))])[0] == {"table"}


@pytest.mark.parametrize(
    ("row", "fits"),
    [
        ({"metricsData": [], "input": "q"}, True), ({"metrics_data": [], "turns": []}, True),
        ({"testRunData": {}}, True), ({"metricsData": []}, False), ({"input": "q"}, False),
        ({"metricsData": 1, "input": "q"}, False),
        ({"testCases": [{"metricsData": []}]}, False), ({"testCases": [{"metricsData": [], "input": "q"}]}, True),
    ],
)  # fmt: skip
def test_what_a_test_case_of_deepeval_has(row: dict[str, Any], fits: bool) -> None:
    assert deepeval.fits(FileStart("f", "lines", [row])) is fits


def test_deepeval() -> None:
    """Conversations of a test run; a metric that failed is told, and is no score."""
    for file in (tools.json_bytes(tools.deepeval()), tools.json_bytes({"testRunData": tools.deepeval()}, None)):
        names, entries = read_files([("run", file)])
        assert names == {"deepeval"} and turns(items(entries)["c-1"]) == ALL_TURNS
        assert items(entries)["c-1"]["scenario"] == "Cities"
        assert opinions(entries) == [("c-1", "conversation", "Completeness", 0.8, "judge", "j-1")]
        failed = "DeepEval: metrics ended with an error and have no score (1)."
        assert [hint for hint in hints(entries) if "metric" in hint] == [failed]
    called = [{"name": "map", "inputParameters": {"of": "京"}, "output": "Kansai"}, {"output": "of no tool"}]
    metrics = [{"name": "Right", "score": 1}, {"name": "Parts", "score": [1, 0]}]
    case = {"name": "t", "input": "Wo?", "actualOutput": "Dort.", "toolsCalled": called, "metricsData": metrics}
    _, entries = read_files([("run", tools.json_bytes({"testCases": [case]}))])
    assert turns(items(entries)["t"]) == [
        (1, "user", "Wo?"), (1, "tool", 'map({"of": "京"})'), (1, "tool", "Kansai"), (1, "assistant", "Dort."),
    ]  # fmt: skip
    assert [o[2:4] for o in opinions(entries)] == [("Right", 1)]
    plain = {"name": "p", "input": "Wo?", "actualOutput": "Dort.", "metricsData": metrics}
    for cases, kind in (([plain], "response"), ([plain, case], "dialogue")):  # one with a tool makes all dialogues
        _, run_entries = read_files([("run", tools.json_bytes({"testCases": cases}))])
        assert {i["kind"] for i in items(run_entries).values()} == {kind}
    # All that a case may have, with names as in Python, too, and turns without roles.
    def in_python(value: Any) -> Any:
        if isinstance(value, list):
            return [in_python(entry) for entry in value]
        if not isinstance(value, dict):
            return value
        return {re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", k): in_python(v) for k, v in value.items()}

    judged = [{"name": "Right", "score": None, "success": False, "evaluationModel": "j-2"}]
    more = {"metricsData": judged, "retrievalContext": ["C"], "context": ["D"], "additionalMetadata": {"lang": "de"}}
    whole = {**case, **more, "expectedOutput": "E"}
    turn = {"input": "Wo?", "actualOutput": "Dort.", "toolsCalled": called}
    talk = {"name": "c", "turns": [turn], "expectedOutcome": "F", **more, "retrievalContext": None}
    for record, expected, context in ((whole, "E", ["C"]), (talk, "F", ["D"])):
        for shape in (record, in_python(record)):
            _, run_entries = read_files([("run", tools.json_bytes([shape]))])
            [item] = items(run_entries).values()
            assert item["meta"] == {"lang": "de", "context": context, "reference": expected}
            assert [o[2:] for o in opinions(run_entries)] == [("Right", False, "judge", "j-2")]
            assert turns(item) == turns(items(entries)["t"])
    silent = {**case, "name": "s", "input": " ", "toolsCalled": [{"name": "map", "output": ""}]}
    _, without = read_files([("run", tools.json_bytes({"testCases": [silent]}))])
    assert turns(items(without)["s"]) == [
        (1, "tool", "map()"), (1, "tool", ""), (1, "assistant", "Dort."),
    ]  # fmt: skip
    assert hints(entries) == ["DeepEval: scores without a single value were left out (1)."]


def test_label_studio() -> None:
    """Annotations by who completed them, predictions as a judge with its confidence, a label at its turn, a verdict."""
    names, entries = read_files([("x.json", tools.json_bytes(tools.label_studio()))])
    tasks = items(entries)
    assert names == {"label_studio"} and turns(tasks["7"]) == ALL_TURNS and tasks["8"]["kind"] == "pair"
    assert opinions(entries) == [
        ("7", "conversation", "quality", 4, "person", "kim@x"),
        ("7", "turn:2", "tone", "kind", "person", "kim@x"),
        ("7", "conversation", "quality", 5, "judge", "j-1"),
        ("8", "pair", "verdict", "b", "person", "user 3"),
    ]
    assert [(o.note, o.confidence) for o in entries if isinstance(o, NamedValue)][::2] == [("Short.", None), ("", 0.7)]
    short = [{"id": 1, "prompt": "P", "response": "R", "q": 4, "annotator": 2, "annotation_id": 5, "lead_time": 1.5}]
    assert opinions(read_files([("min.json", tools.json_bytes(short))])[1]) == [
        ("1", "response", "q", 4, "person", "user 2")
    ]
    rows = b'id,prompt,response,q,annotator,annotation_id,lead_time\n1,P,R,"[{""rating"": 4}]",kim@x,5,1.5\n'
    assert opinions(read_files([("x.csv", rows)])[1]) == [("1", "response", "q", 4, "person", "kim@x")]


def test_argilla() -> None:
    """Responses are people's, suggestions a judge's; drafts are left out; a table with a column for each answer."""
    names, entries = read_files([("x.json", tools.json_bytes(tools.argilla()))])
    assert names == {"argilla"} and [i["output"] for i in items(entries).values()] == ["A", "A2"]
    assert [(o[0], *o[3:]) for o in opinions(entries)] == [
        ("1", 4, "person", "kim"),
        ("1", 3, "judge", "j-1"),
        ("2", 5, "person", "kim"),
        ("2", 2, "judge", "j-1"),
    ]
    flat = {
        "id": "1",
        "question": "Q",
        "answer": "A",
        "rating.responses": [4],
        "rating.responses.users": ["kim"],
        "rating.suggestion": 3,
        "rating.suggestion.agent": "j-1",
        "status": "completed",
    }
    assert [o[3:] for o in opinions(read_files([("x.jsonl", tools.text(flat))])[1])] == [
        (4, "person", "kim"),
        (3, "judge", "j-1"),
    ]
    printed = {
        **flat, "rating.responses": "['4', '5']", "rating.responses.users": "['kim', 'bo']",
        "rating.responses.status": "['submitted', 'discarded']",
    }  # fmt: skip
    assert ("4", "person", "kim") in [o[3:] for o in opinions(read_files([("x.jsonl", tools.text(printed))])[1])]
    sure = {**flat, "rating.suggestion.score": 0.9}
    older = {**{k: v for k, v in flat.items() if "suggestion" not in k}, "rating-suggestion": 3}
    older["rating-suggestion-metadata"] = {"agent": "j-1", "score": 0.9}
    outer = {k: v for k, v in flat.items() if k != "id"} | {"external_id": "e-1"}
    assert list(items(read_files([("x.jsonl", tools.text(outer))])[1])) == ["e-1"]
    for row in (sure, older, tools.argilla()[0]):
        values = [
            o for o in read_files([("x.jsonl", tools.text(row))])[1] if isinstance(o, NamedValue) and o.by == "judge"
        ]
        assert [(o.value, o.rater, o.confidence) for o in values] == [(3, "j-1", 0.9)]
    record = {**tools.argilla()[0], "responses": {"topics": [{"value": ["tone", "facts"], "user_id": "kim"}]}}
    assert opinions(read_files([("x.jsonl", tools.text(record))])[1])[0][2:] == (
        "topics", "tone / facts", "person", "kim",
    )  # fmt: skip


def test_openai_evals() -> None:
    """A grader's model is the judge, and fields named for people are theirs."""
    for file in (tools.text(*tools.openai_evals()), tools.json_bytes({"data": tools.openai_evals()})):
        names, entries = read_files([("x.jsonl", file)])
        read = items(entries)
        assert names == {"openai_evals"} and list(read) == ["1", "i2", "i3"]
        assert [(i["task"], i["output"]) for i in read.values()] == [("Q1", "A1"), ("Q2", "A2"), ("Q3", "A3")]
        assert (read["1"]["reference"], read["1"]["system"], read["1"]["meta"]) == ("E", "m-1", {"lang": "de"})
        assert [(o[0], *o[2:]) for o in opinions(entries)] == [
            ("1", "fit", 4.0, "judge", "j-1"), ("1", "exact", False, "judge", "openai evals"),
            ("1", "fit", 5, "person", "human_1"), ("1", "fit", 3, "person", "human_2"),
            ("i2", "fit", 2.0, "judge", "openai evals"), ("i3", "fit", 1.0, "judge", "openai evals"),
        ]  # fmt: skip
        assert [sentence for sentence in faults(entries) if "i4" in sentence]


def test_prodigy() -> None:
    """The options that a person chose are one answer; ignored tasks have none."""
    names, entries = read_files([("x.jsonl", tools.text(*tools.prodigy()))])
    read = items(entries)
    assert names == {"prodigy"} and list(read) == ["11", "21", "31"]
    assert (read["11"]["task"], read["11"]["output"], read["11"]["meta"]) == ("Q1", "A1", {"lang": "de"})
    assert [(o[0], *o[2:]) for o in opinions(entries)] == [
        ("11", "choice", "good", "person", "set-kim"), ("11", "choice", "good / bad", "person", "bo"),
        ("21", "POLITE", False, "person", "set-kim"), ("21", "POLITE", True, "person", "set-kim"),
    ]  # fmt: skip
    assert any("have no answer (2)" in sentence for sentence in hints(entries))


ALL: dict[str, bytes] = {
    "openai_evals": tools.text(*tools.openai_evals()),
    "prodigy": tools.text(*tools.prodigy()),
    "otel": tools.text(tools.request(tools.genai(1), tools.genai(2))),
    "langfuse": tools.json_bytes(tools.langfuse()["traces"] + tools.langfuse()["scores"]),
    "langsmith": tools.text(*tools.langsmith()["runs"]),
    "mlflow": tools.text(*tools.mlflow()),
    "inspect_ai": tools.json_bytes(tools.inspect()),
    "promptfoo": tools.json_bytes(tools.promptfoo()),
    "deepeval": tools.json_bytes(tools.deepeval()),
    "label_studio": tools.json_bytes(tools.label_studio()),
    "argilla": tools.json_bytes(tools.argilla()),
}


def test_every_tool_is_tried() -> None:
    """A tool that is added is tried with broken files, too."""
    assert set(ALL) == set(formats.TOOLS)


SAME_IN_OTEL = {
    "session__id": "gen_ai__conversation__id langfuse__session__id langsmith__metadata__thread_id thread_id "
    "conversation_id traceloop__association__properties__session_id",
    "input__value": "traceloop__entity__input gen_ai__prompt langfuse__observation__input mlflow__spanInputs",
    "output__value": "traceloop__entity__output gen_ai__completion langfuse__observation__output mlflow__spanOutputs",
    "llm__model_name": "gen_ai__request__model gen_ai__response__model llm__request__model",
    "openinference__span__kind": "traceloop__span__kind",
}


def test_otel_names_of_one_thing_read_alike() -> None:
    """Sessions, inputs, outputs, models and kinds, under each name that a convention has for them; nothing is left."""
    usual = {
        "session__id": "c", "input__value": "Q", "output__value": "A", "llm__model_name": "m",
        "openinference__span__kind": "LLM",
    }  # fmt: skip

    def read(**attributes: str) -> tuple[list[dict[str, Any]], list[str], list[str]]:
        entries = read_files([("t.jsonl", tools.text(tools.request(tools.span("t", "s", "above", **attributes))))])[1]
        return list(items(entries).values()), faults(entries), hints(entries)

    [item], _, sentences = known = read(**usual)
    assert (item["id"], item["system"], turns(item)) == ("c", "m", [(1, "user", "Q"), (1, "assistant", "A")])
    assert not any("not imported: " in sentence for sentence in sentences)
    for name, others in SAME_IN_OTEL.items():
        for other in others.split():
            attributes = {other if key == name else key: value for key, value in usual.items()}
            assert read(**attributes) == known, other


def test_otel_names_of_tools_read_alike() -> None:
    inputs = ("gen_ai__tool__call__arguments", "tool__parameters", "input__value")
    outputs = ("gen_ai__tool__call__result", "output__value")
    call = tools.span("t", "a", openinference__span__kind="LLM", input__value="Q", output__value="A", session__id="c")
    for kind in ({"openinference__span__kind": "TOOL"}, {"gen_ai__operation__name": "execute_tool"}):
        for named in ("gen_ai__tool__name", "tool__name", ""):
            for put, back in [(put, outputs[0]) for put in inputs] + [(inputs[0], back) for back in outputs]:
                attributes = {**kind, put: "{}", back: "Kansai", **({named: "map"} if named else {})}
                used = tools.span("t", "b", "a", "find" if named else "map", 1, **attributes)
                [item] = items(read_files([("t.jsonl", tools.text(tools.request(call, used)))])[1]).values()
                assert (1, "tool", "map({})") in turns(item) and (1, "tool", "Kansai") in turns(item), attributes


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("asked", "task instruction instructions prompt question query input inputs context source document user "
         "user_input request article"),
        ("answered", "output outputs response answer completion generation model_output prediction reply "
         "generated_text actual_output assistant summary text content"),
        ("expected", "reference reference_answer expected_output expected ground_truth target gold ideal"),
    ],
)  # fmt: skip
def test_each_name_of_a_text_says_what_it_is(role: str, names: str) -> None:
    """However a field is spelled; a longer text beside them is none of these."""
    usual = {"asked": "question", "answered": "answer", "expected": "expected"}
    texts = {"asked": "Q", "answered": "A", "expected": "E"}
    for name in names.split():
        for spelled in (name, name.upper(), name.replace("_", " ").title()):
            fields = {"remark": "Longer than all of these.", **{
                spelled if key == role else usual[key]: text for key, text in texts.items()
            }}  # fmt: skip
            utterances, sides, reference, used = evaluation_cases.text_fields(fields)
            assert [(u.role, u.text) for u in utterances] == [("user", "Q"), ("assistant", "A")], spelled
            assert (sides, reference, set(used)) == (None, "E", set(fields) - {"remark"}), spelled


@pytest.mark.parametrize(("left", "right"), [
    ("left", "right"), ("a", "b"), ("1", "2"), ("chosen", "rejected"),
])  # fmt: skip
def test_each_name_of_the_sides_of_a_pair(left: str, right: str) -> None:
    for pattern in ("response_{}", "response-{}", "Response {}", "response{}"):
        first, second = pattern.format(left), pattern.format(right)
        utterances, sides, reference, used = evaluation_cases.text_fields({"prompt": "Q", second: "Two", first: "One"})
        assert [(u.role, u.text) for u in utterances] == [("user", "Q")]
        assert (sides, reference, used) == (("One", "Two"), "", ["prompt", first, second]), pattern


@pytest.mark.parametrize("speaker", ["author", "speaker", "role", "from", "name"])
@pytest.mark.parametrize("words", ["text", "content", "dialogue", "utterance", "value"])
def test_each_name_of_a_speaker_and_of_what_is_said(speaker: str, words: str) -> None:
    """Speakers with names of their own: who begins is the one that asks."""
    talk = [{speaker: "Kim", words: "Hi"}, {speaker: "Bo", words: "Yes?"}, {speaker: "Kim", words: "Bye"}]
    utterances, sides, _, used = evaluation_cases.text_fields({"talk": talk})
    assert [(u.role, u.text) for u in utterances] == [("user", "Hi"), ("assistant", "Yes?"), ("user", "Bye")]
    assert (sides, used) == (None, ["talk"])


OTHER_NAMES = [
    ("langfuse", "provided_model_name", "providedModelName model"),
    ("langfuse", "traceId", "trace_id"),
    ("langfuse", "sessionId", "session_id"),
    ("langfuse", "stringValue", "string_value"),
    ("langfuse", "dataType", "data_type"),
    ("langsmith", "thread_id", "session_id conversation_id"),
    ("langsmith", "user_name", "user_id ls_user_id"),
    ("mlflow", "trace_id", "request_id"),
    ("mlflow", "trace_metadata", "request_metadata tags"),
    ("mlflow", "request_time", "timestamp_ms execution_time"),
    ("mlflow", "assessment_name", "name"),
    ("mlflow", "expected_response", "expected_output ground_truth expected_answer reference"),
    ("mlflow", "parent_span_id", "parent_id"),
    ("mlflow", "start_time_unix_nano", "start_time"),
    ("promptfoo", "expected", "reference ideal ground_truth expected_output"),
    ("deepeval", "conversationalTestCases", "conversational_test_cases test_cases testResults test_results"),
    ("deepeval", "metricsData", "metrics_data"),
    ("deepeval", "evaluationModel", "evaluation_model"),
    ("label_studio", "annotations", "completions"),
    ("label_studio", "was_cancelled", "skipped"),
    ("label_studio", "updated_at", "created_at"),
    ("label_studio", "email", "username"),
    ("label_studio", "author", "speaker role from name"),
    ("argilla", "user_id", "user"),
    ("argilla", "id", "external_id"),
]


@pytest.mark.parametrize(("tool", "name", "others"), OTHER_NAMES)
def test_a_name_that_a_tool_also_uses_reads_alike(tool: str, name: str, others: str) -> None:
    """Files of other versions of a tool, which name one thing otherwise: every entry is the same."""
    rows = {
        "langfuse": [*tools.langfuse()["traces"], *tools.langfuse()["observations"], *tools.langfuse()["scores"]],
        "langsmith": [*tools.langsmith()["runs"], *tools.langsmith()["feedback"]],
        "mlflow": tools.mlflow("c-1"),
    }
    file = tools.text(*rows[tool]) if tool in rows else ALL[tool]

    def read(other: str) -> list[ToolEntry]:
        spelled = file.replace(f'"{name}"'.encode(), f'"{other}"'.encode())
        assert other == name or spelled != file
        names, entries = read_files([("f", spelled)])
        assert names == {tool}
        return [entry if isinstance(entry, Hint) else replace(entry, row={}) for entry in entries]

    known = read(name)
    assert any(isinstance(entry, Line) for entry in known) and any(isinstance(entry, NamedValue) for entry in known)
    for other in others.split():
        assert read(other) == known, other


def test_all_that_each_tool_says_is_kept(tmp_path: Path) -> None:
    """Every field of every entry, also of rows with the other names that a tool has for things: tools.txt."""
    lines, varied = [], tools.varied_rows()
    for name, known in ALL.items():
        for file in (known, *([tools.text(*varied[name])] if name in varied else [])):
            names, entries = read_files([("f", file)])
            assert names == {name}
            lines += [f"== {name}", *(line[:700] for line in in_words(entries))]
    compare_archive("\n".join(lines) + "\n", Path(__file__).with_name("tools.txt"), tmp_path)


def in_words(entries: list[ToolEntry]) -> Iterator[str]:
    """A line for each entry, with all that it holds."""
    for entry in entries:
        fields = {key: value for key, value in asdict(entry).items() if (key, value) != ("weak", False)}
        fields = {key: value for key, value in fields.items() if value is not None and value != ""}
        yield f"{type(entry).__name__} {json.dumps(fields, ensure_ascii=False, default=str)}"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ALL))
def test_broken_files(name: str, tmp_path: Path) -> None:
    """Whatever is cut off or put out of shape, there is no traceback, and what is sound can be stored.

    What is read of each broken file stands in broken/NAME.txt: its format, how many entries, and a mark of all in them.
    """
    whole, records = ALL[name], list[tuple[str, str]]()
    chance = random.Random(name)

    def note(read: Callable[[], tuple[str, list[ToolEntry]]]) -> None:
        try:
            names, entries = read()
            lines, counts = list(in_words(entries)), Counter(type(entry).__name__ for entry in entries)
        except BadInput as refusal:
            names, entries, lines, counts = "refused", [], [str(refusal)], Counter[str]()
        for entry in entries:
            if isinstance(entry, Line):
                ITEM.validate_python(entry.data)
        summary = ", ".join(f"{count} {sort}" for sort, count in sorted(counts.items()))
        records.append((f"{len(records)} {names}: {summary}", "\n".join(lines)))

    for cut in sorted(chance.sample(range(2, len(whole)), 40)):
        note(lambda cut=cut: _read_bytes(whole[:cut]))  # type: ignore[misc]
    for value in [*_values(whole), *tools.varied_rows().get(name, [])]:
        for wreck in wrecks(value, chance):
            source = tools.json_bytes(wreck, None)
            note(lambda source=source: (_formats(source), _read_as(name, source)))  # type: ignore[misc]
    compare_marks(records, Path(__file__).with_name("broken") / f"{name}.txt", tmp_path)


def _values(whole: bytes) -> list[Any]:
    """The JSON of a file: one value, or one in each line."""
    try:
        return [json.loads(whole)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in whole.splitlines()]


def _read_bytes(data: bytes) -> tuple[str, list[ToolEntry]]:
    names, entries = read_files([("cut.json", data)])
    return " ".join(sorted(names)), entries


def _formats(data: bytes) -> str:
    return " ".join(sorted({detected.format for detected in detect_formats(from_bytes([("x.json", data)]))}))


def _read_as(name: str, data: bytes) -> list[ToolEntry]:
    """What a tool reads of a file that may not look like its own any more."""
    file = from_bytes([("x.json", data)]).files[0]
    with file.open() as stream:
        return list(
            formats.read_files(
                name, [FormatFile("x.json", read_records(file, detect_container(file), stream, formats.lists()))]
            )
        )


def test_object_in_parts() -> None:
    """A JSON object comes in parts of its own shape, with lines; what is broken in it ends it with a sentence."""
    text = b'{\n "evalId": "e",\n "results": {"version": 3,\n  "results": [\n'
    text += b'  {"vars": {}, "prompt": "p", "success": true},\n'
    text += b'  7],\n "stats": {}},\n "config": [1]\n}'
    file = from_bytes([("o.json", text)]).files[0]
    assert detect_container(file) == "object"
    with file.open() as stream:
        records = [(r.line, r.value) for r in read_records(file, "object", stream, formats.lists())]
    assert records == [
        (1, {"evalId": "e", "results": {"version": 3}}),
        (5, {"results": {"results": [{"vars": {}, "prompt": "p", "success": True}]}}),
        (6, {"results": {"results": [7]}}),
        (6, {"results": {"stats": {}}, "config": [1]}),
    ]
    for broken in (
        b'{\n"a" 1}',
        b'{\n"a": 1,\n}',
        b'{\n"a": 1} x',
        b'{\n"results": [1,\n',
        b'{\n"a": NaN}',
        b"{\n1: 2}",
        b'{\n"a',
    ):
        file = from_bytes([("o.json", broken)]).files[0]
        with file.open() as stream:
            assert [r.problem for r in read_records(file, "object", stream, formats.lists()) if r.problem], broken
    with pytest.raises(BadInput, match=r"is one JSON object that none of the tools known here writes \(its keys: a, b"):
        detect_formats(from_bytes([("o.json", b'{\n"a": 1,\n"b": 2\n}')]))


def test_lines_stay_lines() -> None:
    """A first line that is broken does not make one object of JSON lines; a pretty-printed item is one object."""
    for text, container in (
        (b'{"id": "a", "kind":\n{"id": "b"}\n', "lines"),
        (b'{"a": 1,,}\nx\n', "lines"),
        (b'{"a"', "lines"),
        (b'{"a": 1}\n', "lines"),
        (b'{\n  "a": 1\n}\n', "object"),
        (b'{"a": [\n{"b": 1}]}', "lines"),
    ):
        assert detect_container(from_bytes([("f", text)]).files[0]) == container, text


def test_messages_of_all_makers() -> None:
    """The same exchange in the shapes of several makers."""
    call = [
        Utterance("user", "Q"),
        Utterance("tool", 'f({"a": 1})', "f"),
        Utterance("tool", "R", "f"),
        Utterance("assistant", "A"),
    ]
    openai = [
        tools.message("user", "Q"),
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "R"},
        tools.message("assistant", "A"),
    ]
    anthropic = [
        tools.message("user", "Q"),
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "R"}]}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "A"}]},
    ]
    gemini = [
        {"role": "user", "parts": [{"text": "Q"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": "R"}}]},
        {"role": "model", "parts": [{"text": "A"}]},
    ]
    otel = [
        {"role": "user", "parts": [{"type": "text", "content": "Q"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "f", "arguments": {"a": 1}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "R"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "A"}]},
    ]
    langchain = [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}
        for name, kwargs in (
            ("HumanMessage", {"content": "Q"}),
            ("AIMessage", {"content": "", "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "1"}]}),
            ("ToolMessage", {"content": "R", "tool_call_id": "1"}),
            ("AIMessage", {"content": "A"}),
        )
    ]
    for shape in (openai, anthropic, gemini, otel, langchain, json.dumps(openai)):
        assert read_messages(shape) == call
    assert to_turns(call)[2] == [1, 1, 1, 1]
    history = [tools.message("user", "1"), tools.message("assistant", "2")]
    assert input_utterances({"chat_history": history, "question": "3"})[-1].text == "3"
    assert output_utterances({"choices": [{"message": tools.message("assistant", "A")}]}) == [
        Utterance("assistant", "A")
    ]


def test_results_stand_in_the_order_of_their_calls() -> None:
    """Results that came back in another order than they were called for are told apart by their calls alone."""
    gave = [tools.message("tool", text) | {"tool_call_id": ref} for ref, text in (("2", "B"), ("1", "A"))]
    calls = [{"id": n, "function": {"name": "f", "arguments": n}} for n in ("1", "2")]
    openai = [tools.message("user", "Q"), {"role": "assistant", "content": None, "tool_calls": calls}, *gave]
    part = {"type": "tool_call_response"}
    genai = [
        {"role": "user", "parts": [{"type": "text", "content": "Q"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": n, "name": "f", "arguments": n} for n in "12"]},
        {"role": "tool", "parts": [part | {"id": "2", "response": "B"}, part | {"id": "1", "response": "A"}]},
    ]
    separate_results = [*genai[:2], *({"role": "tool", "parts": [response]} for response in genai[2]["parts"])]
    for shape in (openai, [{"message": message} for message in openai], genai, separate_results):
        assert [u.text for u in read_messages(shape) or ()] == ["Q", "f(1)", "f(2)", "A", "B"]


def test_files_within_a_message_are_named_and_not_shown() -> None:
    """The bytes of a picture are no text that anybody should read."""
    blob = {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "aGVsbG8="}
    text = {"type": "text", "content": "Look"}
    assert read_messages([{"role": "user", "parts": [text, blob, {"type": "uri", "uri": "x"}]}]) == [
        Utterance("user", "Look\n\n[image]\n\n[file]")
    ]


def test_what_no_store_takes_is_refused_within_the_texts_of_a_tool_too(tmp_path: Path) -> None:
    """JSON within JSON is read leniently, so that what is in it is looked at once more."""
    messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "a\0b"}]}])
    call = tools.span("t", "s", gen_ai__operation__name="chat", gen_ai__input__messages=messages, output__value="A")
    with contextlib.closing(workspace(tmp_path)) as store:
        source = from_bytes([("t.jsonl", tools.text(tools.request(call)))])
        preview = preview_import(store, source, ImportPlan("d"))
        assert [problem.sentence for problem in preview.problems] == ["The line holds the character NUL (\\u0000)."]


@pytest.mark.parametrize("indent", [None, 1])
def test_exports_without_rows_are_named(tmp_path: Path, indent: int | None) -> None:
    """An export that holds nothing is not taken for a table, and a dataset of nothing is not begun."""
    for key in ("data", "testCases", "items", "runs"):
        data = json.dumps({key: [], "meta": {"total": 0}, "total": 0}, indent=indent).encode()
        with pytest.raises(BadInput, match=f"holds nothing to import: its list {key} is empty"):
            detect_formats(from_bytes([("e.json", data)]))
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": []}
    bare = [json.dumps(log, indent=indent), json.dumps({"resourceSpans": []}, indent=indent), "[]"]
    with contextlib.closing(workspace(tmp_path)) as store:
        for text in bare:
            source = from_bytes([("e.json", text.encode())])
            result = import_source(store, "lea", source, ImportPlan("d"))
            with pytest.raises(BadInput, match="nothing was imported"):
                start.next_step(store, "lea", result.dataset_id)


def test_langfuse_traces_without_their_texts() -> None:
    """Traces as the API lists them without inputs and outputs still tell of what session they are."""
    trace = {"id": "t", "name": "n", "timestamp": "2026-05-01T10:00:00Z", "userId": "u", "sessionId": "s", "tags": []}
    observation = tools.langfuse()["observations"][0] | {"trace_id": "t"}
    names, entries = read_files(
        [("traces.json", tools.json_bytes({"data": [trace]})), ("observations.json", tools.json_bytes([observation]))]
    )
    assert names == {"langfuse"} and list(items(entries)) == ["s"]


def test_from_file_to_figures(tmp_path: Path) -> None:
    """Traces and the annotations of a judge and a person come in as anybody's file does, and give kappa."""
    spans = [tools.genai(n, f"c-{c}") for c in range(4) for n in (1, 2)]
    notes = [
        {
            "id": f"{kind}{c}{n}",
            "span_id": f"s{n}-c-{c}",
            "name": "correct",
            "annotator_kind": kind,
            "identifier": kind.lower(),
            "result": {"score": (c + n * (kind == "LLM")) % 2},
        }
        for c in range(4)
        for n in (1, 2)
        for kind in ("LLM", "HUMAN")
    ]
    paths = []
    for name, data in (
        ("notes.json", tools.json_bytes({"data": notes})),
        ("traces.jsonl", tools.text(tools.request(*spans))),
    ):
        (tmp_path / name).write_bytes(data)
        paths.append((name, tmp_path / name))
    known = detect_formats(from_uploads(paths))
    assert [(detected.container, detected.format) for detected in known] == [("object", "otel"), ("lines", "otel")]
    source = from_bytes([(name, path.read_bytes()) for name, path in paths])
    with contextlib.closing(workspace(tmp_path)) as store:
        known = detect_formats(source)
        outline = start.interpret_source(store, source, known)
        plan = start.plan_import(store, outline, ImportPlan("d"))
        result = import_source(store, "lea", source, plan, detected=known)
        assert (result.preview.new.items, result.preview.new.judgments, result.preview.new.labels) == (4, 4, 8)
        assert datasets.dataset_named(store, "d").id == result.dataset_id
        again = import_source(store, "lea", source, plan, detected=known)
        preview = again.preview
        assert (preview.new.items, preview.new.judgments, preview.new.labels, preview.known.total) == (0, 0, 0, 17)


def test_numbers_beyond_all_bounds_end_no_import(tmp_path: Path) -> None:
    """A label that is called infinity, and a whole number of four hundred digits."""
    call = {
        "id": "o", "traceId": "t", "type": "GENERATION", "name": "g", "startTime": "2026-01-01T00:00:00Z", "model": "m",
        "input": "Q", "output": "A",
    }  # fmt: skip
    by = {"traceId": "t", "name": "mood", "source": "EVAL", "dataType": "CATEGORICAL"}
    endless = tools.text(call, *({**by, "id": word, "stringValue": word} for word in ("inf", "1", "2")))
    result = tools.attributes(**{"gen_ai.evaluation.name": "tone"})
    result.append({"key": "gen_ai.evaluation.score.value", "value": {"intValue": "9" * 400}})
    long = tools.genai(1)
    long["events"] = [*long.get("events", ()), {"name": "gen_ai.evaluation.result", "attributes": result}]
    for file in (endless, tools.text(tools.request(long))):
        source = from_bytes([("a.jsonl", file)])
        known = detect_formats(source)
        store = workspace(tmp_path / known[0].format)
        seems = start.interpret_source(store, source, known)
        assert len(seems.series) == 1
        with contextlib.suppress(BadInput):
            plan = start.plan_import(store, seems, ImportPlan("d"))
            assert preview_import(store, source, plan, detected=known).unscored == {"out_of_range": 1}
        store.close()


def test_an_event_of_an_unforeseen_shape_is_told_and_the_rest_is_read() -> None:
    part = {"kvlistValue": {"values": [{"key": "functionResponse", "value": {"stringValue": "x"}}]}}
    body = {"kvlistValue": {"values": [{"key": "content", "value": {"arrayValue": {"values": [part]}}}]}}
    log = {"traceId": "a1", "spanId": "b1", "eventName": "gen_ai.choice", "body": body}
    chat = tools.attributes(**{"gen_ai.operation.name": "chat"})
    call = {"traceId": "a1", "spanId": "b1", "name": "c", "attributes": chat}
    files = [("a.jsonl", tools.text(tools.request(call), {"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]}))]
    _, entries = read_files([*files, ("b.jsonl", tools.text(tools.request(tools.genai(1))))])
    assert any(isinstance(entry, Line) for entry in entries)
    faults = [entry.problems[0][1] for entry in entries if isinstance(entry, RejectedRow)]
    assert "A row has another shape than OpenTelemetry traces writes." in faults


LISTS_OF_ONE_OBJECT = {
    "langfuse": {
        "traces": [{"id": "t1", "timestamp": "2026-01-01T00:00:00Z", "userId": "u", "input": "Q", "output": "A"}],
        "scores": [{"id": "s", "traceId": "t1", "name": "tone", "value": 3, "dataType": "NUMERIC", "source": "EVAL"}],
    },
    "langsmith": {
        "runs": [{"id": "r1", "run_type": "chain", "inputs": {"input": "Q"}, "outputs": {"output": "A"}}],
        "feedback": [{"id": "f", "run_id": "r1", "trace_id": "r1", "key": "tone", "score": 3}],
    },
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", LISTS_OF_ONE_OBJECT)
def test_all_lists_of_one_object_are_read_however_it_is_written(name: str, indent: int | None) -> None:
    names, entries = read_files([("whole.json", json.dumps(LISTS_OF_ONE_OBJECT[name], indent=indent).encode())])
    assert (names, len(items(entries)), [o[2:4] for o in opinions(entries)]) == ({name}, 1, [("tone", 3)])


@pytest.mark.parametrize("nested_ids", [[], ["an id"]])
def test_rows_that_hold_lists_of_their_own_are_known_by_themselves(nested_ids: list[str]) -> None:
    """Traces as the API lists them, and runs with what was fed back on them, a line each."""
    trace = {**LISTS_OF_ONE_OBJECT["langfuse"]["traces"][0], "observations": nested_ids, "scores": nested_ids}
    run = {**LISTS_OF_ONE_OBJECT["langsmith"]["runs"][0], "feedback": nested_ids}
    for name, row in (("langfuse", trace), ("langsmith", run)):
        names, entries = read_files([("rows.jsonl", tools.text(row, {**row, "id": "other"}))])
        assert (names, len(items(entries))) == ({name}, 2)


def test_inspect_what_a_correction_left_as_it_was_is_nobodys_word() -> None:
    """UNCHANGED is no value and no reason; what a person wrote over the scorer's explanation is not the scorer's."""
    log = tools.inspect()
    log["samples"][0]["scores"]["graded"] = {
        "value": "I", "answer": "4", "explanation": "Mended.", "metadata": {}, "history": [
            {"value": "C", "answer": "4", "explanation": "Right.", "metadata": {"model": "o/j-2"}},
            {"value": "UNCHANGED", "answer": "UNCHANGED", "explanation": "Mended.", "metadata": {},
             "provenance": {"author": "lee"}},
            {"value": "I", "answer": "UNCHANGED", "explanation": "UNCHANGED", "metadata": "UNCHANGED",
             "provenance": {"author": "kim"}},
        ],
    }  # fmt: skip
    _, entries = read_files([("log.json", json.dumps(log, indent=1).encode())])
    values = [(o.value, o.by, o.rater, o.note) for o in entries if isinstance(o, NamedValue)][:-1]
    assert values == [("C", "judge", "o/j-2", "Answer: 4\n\nRight."), ("I", "person", "kim", "")]


@pytest.mark.parametrize("indent", [None, 1])
def test_inspect_a_log_that_holds_nan_is_read(indent: int | None) -> None:
    """It has NaN for a score that could not be given, and so for what is made of the scores."""
    log = tools.inspect()
    log["samples"][1]["scores"]["graded"]["value"] = math.nan
    log["results"] = {"scores": [{"metrics": {"accuracy": {"value": math.nan}}}]}
    names, entries = read_files([("log.json", json.dumps(log, indent=indent).encode())])
    assert (names, len(items(entries)), faults(entries)) == ({"inspect_ai"}, 2, [])
    assert [o[3] for o in opinions(entries)] == ["C", "I"]
