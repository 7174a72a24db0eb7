"""Small files as other tools write them, made by us: the same two conversations, and what was said of them."""

from __future__ import annotations

import json
from typing import Any

TURNS = (("Wie wird 東京 geschrieben?", "Tokio."), ("Und Kyoto?", "京都."))
"""What a user asks and an assistant answers."""


def sent_messages(upto: int, system: str = "") -> list[dict[str, Any]]:
    """The messages that a model is sent in that turn: all of the history."""
    head = [{"role": "system", "content": system}] if system else []
    before = [m for q, a in TURNS[: upto - 1] for m in (message("user", q), message("assistant", a))]
    return [*head, *before, message("user", TURNS[upto - 1][0])]


def message(role: str, text: str) -> dict[str, Any]:
    """A message."""
    return {"role": role, "content": text}


def text(*rows: Any) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def json_bytes(value: Any, indent: int | None = 2) -> bytes:
    """One JSON text."""
    return json.dumps(value, ensure_ascii=False, indent=indent).encode()


def attributes(**values: Any) -> list[dict[str, Any]]:
    """Attributes as OTLP has them; two underscores stand for a dot."""
    kinds = {str: "stringValue", float: "doubleValue", int: "intValue", bool: "boolValue"}
    return [{"key": k.replace("__", "."), "value": {kinds[type(v)]: v}} for k, v in values.items()]


def span(
    trace: str, key: str, parent: str = "", name: str = "chat m", at: int = 0, events: Any = (), **values: Any
) -> Any:
    """A span of OTLP."""
    return {
        "traceId": trace,
        "spanId": key,
        "parentSpanId": parent,
        "name": name,
        "events": list(events),
        "startTimeUnixNano": str(1_700_000_000_000_000_000 + at),
        "attributes": attributes(**values),
    }


def request(*spans: Any) -> dict[str, Any]:
    """A line of the collector's file exporter."""
    resource = {"attributes": attributes(service__name="helpdesk")}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def genai(turn: int, conversation: str = "c-1", **values: Any) -> Any:
    """The span of a turn in the GenAI conventions, with the whole history as its input."""
    history = [{"role": m["role"], "parts": [{"type": "text", "content": m["content"]}]} for m in sent_messages(turn)]
    answer = [
        {"role": "assistant", "parts": [{"type": "text", "content": TURNS[turn - 1][1]}], "finish_reason": "stop"}
    ]
    return span(
        f"t{turn}-{conversation}",
        f"s{turn}-{conversation}",
        at=turn,
        gen_ai__operation__name="chat",
        gen_ai__request__model="m-1",
        gen_ai__conversation__id=conversation,
        gen_ai__system_instructions=json.dumps([{"type": "text", "content": "Be brief."}]),
        gen_ai__input__messages=json.dumps(history),
        gen_ai__output__messages=json.dumps(answer),
        **values,
    )


def evaluation(name: str, value: float, why: str = "") -> Any:
    """The event of an evaluation."""
    fields = {"gen_ai__evaluation__name": name, "gen_ai__evaluation__score__value": value}
    fields |= {"gen_ai__evaluation__explanation": why} if why else {}
    return {
        "name": "gen_ai.evaluation.result",
        "timeUnixNano": "1700000000000000000",
        "attributes": attributes(**fields),
    }


def inference(prefix: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Messages in the flat keys of OpenInference."""
    return {f"llm__{prefix}__{n}__message__{k}": v for n, m in enumerate(messages) for k, v in m.items()}


def langfuse() -> dict[str, list[dict[str, Any]]]:
    """Traces, observations (of a blob export) and scores."""
    traces = [
        {
            "id": f"t{n}",
            "timestamp": f"2026-01-01T00:0{n}:00.000Z",
            "sessionId": "c-1",
            "userId": "u",
            "input": sent_messages(n),
            "output": TURNS[n - 1][1],
            "tags": ["x"],
            "metadata": {"lang": "de"},
        }
        for n in (1, 2)
    ]
    observations = [
        {
            "id": f"o{n}",
            "trace_id": f"t{n}",
            "type": "GENERATION",
            "start_time": f"2026-01-01 00:0{n}:00.100000",
            "provided_model_name": "m-1",
            "input": json.dumps(sent_messages(n, "Be brief.")),
            "output": json.dumps(message("assistant", TURNS[n - 1][1])),
        }
        for n in (1, 2)
    ]
    scores = [
        {
            "id": "a",
            "traceId": "t1",
            "name": "helpful",
            "value": 0.5,
            "source": "EVAL",
            "dataType": "NUMERIC",
            "comment": "so so",
        },
        {
            "id": "b",
            "traceId": "t1",
            "name": "helpful",
            "value": 1,
            "source": "ANNOTATION",
            "dataType": "NUMERIC",
            "authorUserId": "kim",
            "timestamp": "2026-02-01T00:00:00Z",
        },
        {
            "id": "c",
            "sessionId": "c-1",
            "name": "solved",
            "value": 1,
            "stringValue": "True",
            "source": "EVAL",
            "dataType": "BOOLEAN",
        },
        {
            "id": "d",
            "traceId": "t2",
            "observationId": "o2",
            "name": "tone",
            "value": None,
            "stringValue": "warm",
            "source": "EVAL",
            "dataType": "CATEGORICAL",
        },
        {
            "id": "d",
            "traceId": "t2",
            "observationId": "o2",
            "name": "tone",
            "value": None,
            "stringValue": "warm",
            "source": "EVAL",
            "dataType": "CATEGORICAL",
        },
    ]
    return {"traces": traces, "observations": observations, "scores": scores}


def langsmith() -> dict[str, list[dict[str, Any]]]:
    """Runs (a chain around each call of a model) and feedback."""
    runs: list[dict[str, Any]] = []
    for n in (1, 2):
        kwargs = [{"content": m["content"], "type": "human" if m["role"] == "user" else "ai"} for m in sent_messages(n)]
        names = {"human": "HumanMessage", "ai": "AIMessage"}
        lc = [{"lc": 1, "id": ["langchain", "schema", "messages", names[k["type"]]], "kwargs": k} for k in kwargs]
        lc_message = {"id": ["langchain", "AIMessage"], "kwargs": {"content": TURNS[n - 1][1], "type": "ai"}}
        at = f"2026-01-01T00:0{n}:0"
        runs += [
            {
                "id": f"r{n}",
                "trace_id": f"r{n}",
                "parent_run_id": None,
                "run_type": "chain",
                "name": "bot",
                "start_time": f"{at}0",
                "inputs": {"question": TURNS[n - 1][0]},
                "outputs": {"answer": TURNS[n - 1][1]},
                "extra": {"metadata": {"thread_id": "c-1"}},
                "feedback_stats": {"ok": {"n": 1, "avg": 1.0}},
            },
            {
                "id": f"l{n}",
                "trace_id": f"r{n}",
                "parent_run_id": f"r{n}",
                "run_type": "llm",
                "name": "Chat",
                "start_time": f"{at}1",
                "inputs": {"messages": [lc]},
                "outputs": {"generations": [[{"message": lc_message}]]},
                "extra": {"metadata": {"thread_id": "c-1", "ls_model_name": "m-1"}},
            },
        ]
    feedback = [
        {
            "id": "f1",
            "run_id": "r1",
            "key": "ok",
            "score": 1,
            "comment": "fine",
            "feedback_source": {"type": "model", "metadata": {"model": "j-1"}},
            "created_at": "2026-01-02T00:00:00",
        },
        {"id": "f2", "run_id": "l1", "key": "ok", "score": 0, "feedback_source": {"type": "app", "user_name": "kim"}},
    ]
    return {"runs": runs, "feedback": feedback}


def mlflow(session: str = "") -> list[dict[str, Any]]:
    """Traces with assessments of a judge and a person, and what the person expected."""
    traces = []
    for n in (1, 2):
        call = {"messages": sent_messages(n), "model": "m-1"}
        source = [{"source_type": "LLM_JUDGE", "source_id": "j-1"}, {"source_type": "HUMAN", "source_id": "kim"}]
        traces.append(
            {
                "info": {
                    "trace_id": f"tr-{n}",
                    "request_time": f"2026-01-01T00:0{n}:00Z",
                    "trace_metadata": {"mlflow.trace.session": session} if session else {},
                    "assessments": [
                        {
                            "assessment_name": "right",
                            "source": source[0],
                            "feedback": {"value": "yes"},
                            "rationale": "It is.",
                        },
                        {"assessment_name": "right", "source": source[1], "feedback": {"value": "no"}},
                        {
                            "assessment_name": "expected_response",
                            "source": source[1],
                            "expectation": {"value": f"E{n}"},
                        },
                    ],
                },
                "data": {
                    "spans": [
                        {
                            "span_id": "AAAAAAAAAAE=",
                            "parent_span_id": None,
                            "name": "bot",
                            "start_time_unix_nano": n,
                            "attributes": {
                                "mlflow.spanType": '"AGENT"',
                                "mlflow.spanInputs": json.dumps({"question": TURNS[n - 1][0]}),
                                "mlflow.spanOutputs": json.dumps(TURNS[n - 1][1]),
                            },
                        },
                        {
                            "span_id": "AAAAAAAAAAI=",
                            "parent_span_id": "AAAAAAAAAAE=",
                            "name": "chat",
                            "start_time_unix_nano": n + 1,
                            "attributes": {
                                "mlflow.spanType": '"CHAT_MODEL"',
                                "mlflow.spanInputs": json.dumps(call),
                                "mlflow.spanOutputs": json.dumps(
                                    {"choices": [{"message": message("assistant", TURNS[n - 1][1])}]}
                                ),
                            },
                        },
                    ]
                },
            }
        )
    return traces


def inspect() -> dict[str, Any]:
    """A log: the second sample was answered in two epochs."""
    answer = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "4"}]
    messages = [message("user", "2+2?")]
    scores = {
        "graded": {
            "value": "C",
            "answer": "4",
            "explanation": "Right.",
            "history": [{"value": "C"}, {"value": "I", "provenance": {"author": "kim", "reason": "No."}}],
        }
    }
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "sums", "model": "o/m-1", "scorers": [{"name": "graded", "options": {"model": "o/j-1"}}]},
        "results": {"scores": []},
        "samples": [
            {
                "id": 1,
                "epoch": 1,
                "input": "2+2?",
                "target": "4",
                "scores": scores,
                "choices": ["3", "4"],
                "metadata": {"lang": "日本"},
                "messages": [*messages, {"role": "assistant", "content": answer}],
            },
            {
                "id": 1,
                "epoch": 2,
                "input": "2+2?",
                "target": ["4", "four"],
                "scores": {"graded": {"value": "I"}},
                "messages": [*messages, message("assistant", "5")],
            },
        ],
    }


def promptfoo() -> dict[str, Any]:
    """Results: one that a person rated, one of a chat, one whose provider failed."""
    rubric = {"pass": True, "score": 0.9, "reason": "Good.", "assertion": {"type": "llm-rubric", "provider": "j-1"}}
    human = {"pass": False, "score": 0, "reason": "Bad.", "assertion": {"type": "human"}}
    shared_fields = {"promptIdx": 0, "provider": {"id": "m-1"}}
    return {
        "evalId": "e-1",
        "results": {
            "version": 3,
            "prompts": [],
            "stats": {},
            "results": [
                {
                    **shared_fields,
                    "testIdx": 0,
                    "vars": {"topic": "x", "expected": "E"},
                    "prompt": {"raw": "Tell x"},
                    "success": False,
                    "response": {"output": "X is."},
                    "namedScores": {"tone": 0.5},
                    "gradingResult": {"pass": False, "score": 0, "componentResults": [rubric, human]},
                },
                {
                    **shared_fields,
                    "testIdx": 1,
                    "vars": {},
                    "prompt": {"raw": json.dumps(sent_messages(1, "Be brief."))},
                    "success": True,
                    "response": {"output": TURNS[0][1]},
                    "gradingResult": {"pass": True, "score": 1, "componentResults": [rubric]},
                },
                {**shared_fields, "testIdx": 2, "vars": {}, "prompt": {"raw": "p"}, "success": False, "error": "boom"},
            ],
        },
        "config": {},
    }


def openai_evals() -> list[dict[str, Any]]:
    """Items of a run: as the API lists them, as they are downloaded, and one whose answer is in the item."""
    messages = {"input": [message("user", "Q1")], "output": [message("assistant", "A1")], "model": "m-1"}
    grades = [
        {"name": "fit-0d5a7a3e-1b2c-4d5e-8f90-123456789abc", "score": 4.0, "passed": True, "sample": {"model": "j-1"}},
        {"name": "exact", "passed": False, "score": None},
    ]
    item = {"question": "Q1", "expected": "E", "human_1_fit": 5, "human_2_fit": 3, "lang": "de"}
    return [
        {
            "object": "eval.run.output_item", "id": "o1", "datasource_item_id": 1, "datasource_item": item,
            "sample": messages, "results": grades,
        },
        {"item": {"id": "i2", "question": "Q2"}, "sample": {"output_text": "A2"}, "grades": {"fit": 2.0}},
        {"item": {"id": "i3", "question": "Q3", "answer": "A3"}, "sample": {}, "grades": {"fit": 1.0}},
        {"item": {"id": "i4", "question": "Q4"}, "sample": {}, "grades": {"fit": 1.0}},
    ]  # fmt: skip


def prodigy() -> list[dict[str, Any]]:
    """Tasks of two people: options, a label that they accept or reject, one ignored, one that is a pair."""
    options = [{"id": "good", "text": "Good"}, {"id": "bad", "text": "Bad"}]
    task = {"text": "A1", "prompt": "Q1", "meta": {"lang": "de"}, "_input_hash": 11, "_task_hash": 12}
    answered = {"answer": "accept", "_annotator_id": "set-kim", "_timestamp": 1714550000}
    return [
        {**task, **answered, "options": options, "accept": ["good"]},
        {**task, **answered, "options": options, "accept": ["bad", "good"], "_annotator_id": "", "_session_id": "bo"},
        {**task, **answered, "options": options, "accept": []},
        {**task, **answered, "_input_hash": 21, "label": "POLITE", "answer": "reject", "spans": [{"start": 1}]},
        {**task, **answered, "_input_hash": 21, "label": "POLITE"},
        {**task, **answered, "_input_hash": 31, "answer": "ignore"},
    ]


def deepeval() -> dict[str, Any]:
    """A test run with a conversation and one whose metric failed."""
    turns = [{**m, "order": n} for n, m in enumerate([*sent_messages(2), message("assistant", TURNS[1][1])])]
    good = {"name": "Completeness", "score": 0.8, "success": True, "reason": "All.", "evaluationModel": "j-1"}
    return {
        "testCases": [],
        "conversationalTestCases": [
            {"name": "c-1", "turns": turns, "scenario": "Cities", "metricsData": [good], "success": True},
            {"name": "c-2", "turns": turns, "metricsData": [{"name": "Completeness", "score": None, "error": "e"}]},
        ],
    }


def label_studio() -> list[dict[str, Any]]:
    """Tasks: a rating with a prediction, a pair, and a label on an utterance of a dialogue."""
    rating = {"from_name": "quality", "type": "rating", "value": {"rating": 4}}
    why = {"from_name": "why", "type": "textarea", "value": {"text": ["Short."]}}
    guess = {"model_version": "j-1", "score": 0.7, "result": [{**rating, "value": {"rating": 5}}]}
    pick = {"from_name": "pick", "type": "pairwise", "value": {"selected": "right"}}
    mark = {
        "from_name": "tone",
        "type": "paragraphlabels",
        "value": {"start": "3", "end": "3", "paragraphlabels": ["kind"]},
    }
    spoken = [{"author": author, "text": t} for pair in TURNS for author, t in zip(("Kunde", "Bot"), pair, strict=True)]
    kim = {"completed_by": {"email": "kim@x"}, "updated_at": "2026-01-01T00:00:00Z"}
    return [
        {
            "id": 7,
            "data": {"dialogue": spoken, "lang": "de"},
            "predictions": [guess],
            "annotations": [
                {**kim, "result": [rating, why, mark]},
                {"completed_by": 3, "was_cancelled": True, "result": []},
            ],
        },
        {
            "id": 8,
            "data": {"question": "Q", "answer1": "A", "answer2": "B"},
            "predictions": [],
            "annotations": [{"completed_by": 3, "result": [pick]}],
        },
    ]


def argilla() -> list[dict[str, Any]]:
    """Records: one answered and suggested, one with the responses as the server gives them."""
    return [
        {
            "id": "1",
            "fields": {"question": "Q", "answer": "A"},
            "metadata": {"lang": "x"},
            "suggestions": {"rating": {"value": 3, "score": 0.9, "agent": "j-1"}},
            "responses": {"rating": [{"value": 4, "user_id": "kim"}, {"value": 1, "user_id": "bo", "status": "draft"}]},
        },
        {
            "id": "2",
            "fields": {"question": "Q2", "answer": "A2"},
            "suggestions": [{"question_name": "rating", "value": 2, "agent": "j-1"}],
            "responses": [{"user_id": "kim", "status": "submitted", "values": {"rating": {"value": 5}}}],
        },
    ]


def _more_spans(call: dict[str, Any], at: str) -> list[Any]:
    """Spans that are no calls, spans without ids, messages that come after their span, and rows of Phoenix."""
    loud = {"name": "exception", "attributes": attributes(exception__message="boom")}
    evaluated = {"gen_ai__evaluation__name": "plain", "gen_ai__evaluation__score__label": "good"}
    ignored = {"input__value": "no", "output__value": "no"}
    logs = [
        {"eventName": name, "traceId": "t9", "spanId": "a", "body": {"kvlistValue": {"values": attributes(**body)}}}
        for name, body in (("gen_ai.user.message", {"content": "Q9"}), ("gen_ai.choice", {"message": "A9"}))
    ]
    result = {"gen_ai.evaluation.name": "ok", "gen_ai.evaluation.score.value": 1}
    by_answer = {"gen_ai__evaluation__name": "later", "gen_ai__evaluation__score": 2.0, "gen_ai__response__id": "x"}
    logs.append({"eventName": "gen_ai.evaluation.result", "attributes": attributes(**by_answer)})
    exchange = {"input__value": "Q12", "output__value": "A12"}
    return [
        request(
            span("t8", "root", "0" * 16, "bot", **call | {"openinference__span__kind": "CHAIN"}),
            span("t8", "call", "root", "chat", 1, [loud], **call),
            span("t8", "emb", "root", "embed", 2, gen_ai__operation__name="embeddings", **ignored),
            span("t8", "ret", "root", "find", 3, openinference__span__kind="RETRIEVER", **ignored),
            span("t8", "half", "root", "half", 4, input__value="half"),
            span("t8", "ev", "call", "judge", 5, **evaluated, openinference__span__kind="EVALUATOR",
                 output__value="good"),
            span("t8", "evcall", "ev", "step", 6),
        ),
        request(span("t9", "a", gen_ai__operation__name="chat"), {"traceId": "t9"}, {"spanId": "b"}),
        {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]},
        request(
            span("t12", "a", "lost", gen_ai__operation__name="invoke_agent", **exchange), span("t13", "a", **exchange),
            span("t14", "a", "lost", openinference__span__kind="CHAIN", **exchange),
            span("t15", "a", "lost", **exchange),
            span("t16", "a", "lost", openinference__span__kind="GUARDRAIL", **exchange),
            span("t17", "a", openinference__span__kind="AGENT", output__value="A17"),
            span("t18", "a", openinference__span__kind="AGENT", input__value="Q18"),
        ),
        {"data": [
            {"context": {"trace_id": "t10", "span_id": "p"}, "name": "n", "span_kind": "LLM", "start_time": at,
             "attributes": {"input": {"value": "Q10"}, "output": {"value": "A10"}}},
            {"context": {"trace_id": "t10", "span_id": "q"}, "parent_id": "p", "name": "map", "span_kind": "TOOL",
             "attributes": {"input": {"value": "{}"}, "output": {"value": "Kansai"}}},
            {"context": {"trace_id": "t10"}, "attributes": {}}, {"context": "span_id", "attributes": {}},
        ]},
        {"context.span_id": "solo", "name": "n", "span_kind": "LLM", "attributes.input.value": "Q11",
         "attributes.output.value": "A11", "attributes.llm.model_name": "", "attributes.user.id": None,
         "events": [{"name": "gen_ai.evaluation.result", "attributes": result, "timestamp": at}, {"attributes": {}}]},
    ]  # fmt: skip


def varied_rows() -> dict[str, list[Any]]:
    """Rows of each tool that have things under other names, or in other shapes, than those above."""
    exchange, answer = {"input": "Q", "output": "A"}, message("assistant", "A")
    at, later = "2026-03-01T10:00:00Z", "2026-03-02T11:00:00Z"
    call: dict[str, Any] = {"openinference__span__kind": "LLM", "input__value": "Q", "output__value": "A"}
    rated = {"annotator_kind": "HUMAN", "name": "tone", "updated_at": later}
    result = {"id": "f", "trace_id": "r", "feedback_source": {"type": "model"}}
    run = {"id": "r", "run_type": "llm", "inputs": {"question": "Q"}, "outputs": {"answer": "A"}, "start_time": at}
    score = {"id": "s", "traceId": "t", "name": "tone", "source": "EVAL", "dataType": "NUMERIC"}
    trace = {"id": "t", "timestamp": at, "sessionId": "c", **exchange}
    mark = {"from_name": "tone", "type": "choices", "value": {"choices": ["warm", "short"]}}
    grade = {"pass": True, "score": 0.5, "reason": "So.", "comment": "Hm."}
    return {
        "otel": [
            request(span("t1", "a", user__id="u", session__id="c", llm__model_name="m", **call)),
            request(span("t2", "a", **call), span("t2", "b", "a", "find", 1, gen_ai__operation__name="execute_tool",
                    gen_ai__tool__name="map", gen_ai__tool__call__arguments="{}", gen_ai__tool__call__result="Kansai")),
            request(span("t3", "a", gen_ai__response__id="x", gen_ai__system_instructions="Be brief.", **call),
                    span("t3", "e", "a", "gen_ai.evaluation", gen_ai__response__id="x", gen_ai__evaluation__name="ok",
                         gen_ai__evaluation__score="3", gen_ai__evaluation__explanation="Why.", other="left")),
            {"data": [
                {"context": {"trace_id": "t4", "span_id": "p"}, "name": "n", "span_kind": "LLM", "start_time": at,
                 "attributes": {"input": {"value": "Q"}, "output": {"value": "A"}, "llm": {"model_name": "m"}}},
                {**rated, "id": "1", "span_id": "p", "result": {"score": 1, "label": "warm", "explanation": "W."}},
                {**rated, "id": "2", "span_id": "p", "score": "2", "metadata": {"user": "kim"}, "created_at": at},
                {**rated, "id": "3", "span_id": "p", "label": "cold", "identifier": "bo", "annotator_kind": "LLM"},
                {**rated, "id": "4", "trace_id": "t4", "name": None, "annotation_name": "fit", "score": 4,
                 "user_id": "eva"},
                {**rated, "id": "5", "span_id": "p", "score": 5, "annotator_kind": "CODE", "metadata": {"model": "j"}},
                {**rated, "id": "6", "span_id": "p", "score": 6, "metadata": {"annotator": "ann"}, "created_at": at},
                {**rated, "id": "7", "span_id": "p", "score": 7, "metadata": {"evaluator": "e"},
                 "annotator_kind": "LLM"},
                {**rated, "id": "8", "span_id": "p", "score": "none"},
                {"strange": 1},
            ]},
            request(
                span("t5", "a", events=[
                    {"name": "gen_ai.evaluation.result", "timeUnixNano": "1700000000000000000",
                     "attributes": attributes(**{f"gen_ai__evaluation__{k}": v for k, v in fields.items()}, **by)}
                    for fields, by in (
                        ({"name": "tone", "score__value": 1.5}, {"evaluator__name": "e1"}),
                        ({"name": "tone", "score__label": "warm", "source": "human"}, {}),
                        ({"score": 2.0}, {"evaluator": "e2", "annotator_kind": "LLM"}),
                        ({"name": "tone", "score__value": 3.0, "annotator_kind": "annotator"}, {}),
                        ({"name": "tone", "score__value": 4.0, "source": "person"}, {}),
                        ({"name": "tone", "score__value": 5.0}, {"gen_ai__request__model": "j"}),
                    )
                ], **call),
                span("t5", "w", "a", "workflow", 1, traceloop__span__kind="workflow", strange="x"),
                span("t6", "e", "", "tone", 2, openinference__span__kind="EVALUATOR", output__value='{"score": 1}'),
            ),
            {"resourceLogs": [{"scopeLogs": [{"logRecords": [
                {"eventName": name, "traceId": "t7", "spanId": "a", "timeUnixNano": "1700000000000000000",
                 "body": {"kvlistValue": {"values": attributes(**body)}}, "attributes": attributes(**more)}
                for name, body, more in (
                    ("gen_ai.user.message", {"content": "Q7"}, {}),
                    ("", {"message": "A7"}, {"event__name": "gen_ai.choice"}),
                    ("gen_ai.evaluation.result", {}, {"gen_ai__evaluation__name": "fit",
                                                      "gen_ai__evaluation__score": 1.0}),
                    ("other", {}, {}),
                )
            ] + [{"eventName": "gen_ai.user.message", "traceId": "lost", "spanId": "lost",
                  "body": {"stringValue": "?"}}]}]}]},
            request(span("t7", "a", gen_ai__operation__name="chat", gen_ai__request__model="m")),
            *_more_spans(call, at),
        ],
        "langfuse": [
            {**trace, "metadata": {"lang": "de"}, "userId": "u", "tags": ["x"], "helpfulness": 3, "thumbs": "up",
             "comments": [1], "strange": {"a": 1}},
            {"id": "o", "traceId": "t", "type": "TOOL", "name": "map", "input": {"text": "?"}, "output": "Kansai",
             "startTime": at, "parentObservationId": "g"},
            {"id": "g", "traceId": "t", "model": "m", "startTime": at, **exchange},
            {**score, "value": 1, "metadata": {"judge": "j"}, "comment": "Why.", "timestamp": later},
            {**score, "id": "s2", "value": "2.5", "source": "API", "metadata": {"evaluator": "e"}, "createdAt": at},
            {**score, "id": "s3", "value": 3, "source": "ANNOTATION", "metadata": {"annotator": "kim"}},
            {**score, "id": "s4", "value": 4, "source": "ANNOTATION", "metadata": {"user_id": "bo"}},
            {**score, "id": "s5", "value": 5, "source": "API", "name": "user thumb"},
            {**trace, "id": "t9", "sessionId": "", "input": {"x": 1}, "output": None, "scores": [{**score, "value": 6}],
             "observations": [{"id": "o9", "type": "GENERATION", "model": "m", **exchange}]},
            *({**score, "id": f"b{n}", "name": "ok", "dataType": "BOOLEAN", "value": value, "metadata": {"model": "j"}}
              for n, value in enumerate((1, "true", "YES", 0, "no"))),
            {**score, "id": "s7", "traceId": "t8", "value": None},
            {"trace": {**trace, "id": "t8", "public": True},
             "scores": [{**score, "id": "s8", "traceId": "t8", "value": 7}]},
            {"id": "of a session", "traces": [{"id": "t10", "timestamp": at, **exchange}]},
        ],
        "langsmith": [
            {**run, "reference_outputs": {"answer": "E"}, "metadata": {"conversation_id": "c", "lang": "de"},
             "error": "e",
             "child_runs": [{"id": "k", "run_type": "tool", "name": "map", "inputs": {"text": "?"},
                             "outputs": {"output": "Kansai"}, "start_time": at}],
             "feedback": [{"key": "in", "score": 1, "feedback_source": "app"}]},
            {**result, "key": "tone", "value": "warm", "comment": "Why.", "created_at": at},
            {**result, "id": "f2", "key": "size", "value": 3, "correction": {"size": 4}},
            {**result, "id": "f3", "key": "thumb", "score": 1, "feedback_source": {"type": "api"}},
            {**result, "id": "f4", "key": "fit", "score": 1, "feedback_source": {"type": "api"}},
            *({**result, "id": f"p{n}", "key": "by", "score": n, "feedback_source": {"type": "app", **author}}
              for n, author in enumerate(({"user_id": "u"}, {"ls_user_id": "l"}, {"metadata": {"user": "m"}}))),
            *({**result, "id": f"j{n}", "key": "of", "score": n, "feedback_source": {"type": "model", **author}}
              for n, author in enumerate(({"name": "n"}, {"metadata": {"evaluator": "e"}}))),
            {**result, "key": "twice", "score": 1, "end_time": later}, {**result, "key": "twice", "score": 2},
            {**result, "id": "f9", "key": "none", "score": None},
            {**run, "id": "r2", "end_time": later, "extra": {"invocation_params": {"model": "m"}}, "strange": 1,
             "empty": "", "none": None, "nothing_in": [], "of_nothing": {}},
            {"neither": 1},
        ],
        "mlflow": [
            {"info": {"request_id": "r1", "timestamp_ms": 1_700_000_000_000, "strange": 1,
                      "tags": {"mlflow.trace.user": "u", "team": "x", "mlflow.other": "o"}, "assessments": [
                {"name": "fit", "source": {"source_type": "HUMAN"}, "value": 3, "rationale": "W.", "create_time": at},
                {"name": "fit", "source": {"source_type": "CODE"}, "feedback": {"value": 0.5},
                 "last_update_time": later},
                {"name": "fit", "feedback": {"value": "warm"}, "span_id": "0x02"},
                {"name": "fit", "feedback": {"value": [1]}},
                {"name": "fit", "valid": False, "feedback": {"value": 4}}, {"name": "fit", "feedback": {}},
                {"name": "reference", "expectation": {"serialized_value": "E"}},
                {"name": "facts", "expectation": {"value": ["F"]}},
            ]}, "data": {"spans": [
                {"context": {"span_id": "0x01"}, "name": "bot", "start_time": 1, "attributes": {
                    "mlflow.spanType": "CHAIN", "mlflow.spanInputs": {"question": "Q"}, "mlflow.spanOutputs": "A"}},
                {"span_id": "02", "parent_id": "01", "name": "chat", "start_time": 2, "attributes": {
                    "mlflow.spanType": "llm", "mlflow.llm.model": "m", "mlflow.spanInputs": "[1",
                    "mlflow.spanOutputs": "A"}},
                {"span_id": "03", "parent_id": "01", "name": "map", "start_time": 3, "attributes": {
                    "mlflow.spanType": "TOOL", "mlflow.spanInputs": {"of": "x"},
                    "mlflow.spanOutputs": {"is": "Kansai"}}},
                {"span_id": "04", "parent_id": "01", "name": "now", "start_time": 4, "attributes": {
                    "mlflow.spanType": "TOOL"}},
                {"span_id": "05", "parent_id": "01", "name": "find", "attributes": {
                    "mlflow.spanType": "RETRIEVER", "mlflow.spanInputs": "q", "mlflow.spanOutputs": "d"}},
            ]}},
            {"trace_id": "r2", "request": '{"question": "Q"}', "response": '"A"', "request_time": at, "assessments": [
                {"assessment_id": "a1", "assessment_name": "fit", "feedback": {"value": n}} for n in (1, 2)]},
            {"info": {"trace_id": "r3", "request_preview": "Q", "response_preview": "A", "execution_time": 1}},
            {"request_id": "row", "inputs": "Q", "outputs": "A", "k": "v", "fit/v1/score": 3,
             "fit/v1/justification": "W.", "tone/value": "warm", "tone/rationale": "R.", "size/score": None,
             "other/path": 1},
            {"neither": 1},
        ],
        "inspect_ai": [{
            "version": 2, "eval": {"task": "sums", "scorers": [{"name": "inspect_ai/own", "options": {"model": "j"}}]},
            "samples": [
                {"id": "a", "epoch": 1, "input": "Q", "target": "T", "output": {"model": "m"}, "error": "e",
                 "messages": [message("user", "attachment://k"), answer], "attachments": {"k": "Q, at length"},
                 "score": {"value": {"tone": 1, "size": 2}, "metadata": {"model": "own"}}},
                {"id": "b", "epoch": 1, "input": "Q", "messages": [message("user", "Q"), answer], "scores": {
                    "plain": 3, "own": {"value": 4, "answer": "A", "explanation": "E", "history": [
                        {"explanation": "none"},
                        {"value": 5, "explanation": "X", "provenance": {"author": "kim", "timestamp": at}},
                    ]},
                    "first": {"value": "I", "history": [{"value": "C"}, {"value": "I"}]},
                }},
            ],
        }],
        "promptfoo": [
            {"vars": {"ground_truth": "G", "k": 1}, "prompt": "Q", "provider": "m", "response": "A", "testIdx": 1,
             "gradingResult": {**grade, "namedScores": {"fit": 2, "tone": 3}, "componentResults": [
                 {**grade, "assertion": {"type": "g-eval", "metric": "tone", "provider": {"label": "j", "id": "i"}}},
                 {**grade, "score": None, "assertion": {"type": "g-eval", "metric": "tone"}}, {"pass": False},
             ]}},
            {"vars": {}, "prompt": "Q", "provider": {"label": "l", "id": "i"}, "response": {"output": "A"},
             "promptIdx": 2, "gradingResult": {**grade, "assertion": {"type": "equals"}}},
            {"vars": {}, "prompt": "Q", "provider": "m", "response": "A", "testIdx": 3,
             "gradingResult": {**grade, "componentResults": [{**grade, "assertion": {"type": "human"}}]}},
            {"vars": {}, "prompt": "Q", "success": True, "metadata": {"redteamHistory": [
                {"prompt": "1", "output": "2"}, {"prompt": "3", "output": "4"}]}},
            {"neither": 1},
        ],
        "label_studio": [
            {"id": 1, "data": {"question": "Q", "answer": "A"}, "completions": [
                {"completed_by": {"first_name": "Kim", "last_name": "Bo"}, "created_at": at, "result": [
                    mark, {"from_name": "n", "type": "number", "value": {"number": 3}},
                    {"from_name": "x", "type": "taxonomy", "value": {"taxonomy": [["a", "b"]]}},
                    {"from_name": "y", "type": "brush", "value": {}}, {"type": "rating", "value": {"rating": 2}},
                    {"value": {}},
                ]},
                {"completed_by": {"username": "un"}, "result": [mark]}, {"completed_by": {"id": 9}, "result": [mark]},
                {"skipped": True, "result": [mark]},
            ]},
            {"id": 2, "data": {"question": "Q", "answer1": "A", "answer2": "B"}, "predictions": [
                {"score": 0.5, "result": [
                    {"from_name": field_name, "type": "pairwise", "value": {"selected": side}}
                    for field_name, side in (("p", "left"), ("q", "right"), ("r", "none"))
                ]},
            ]},
            {"id": 3, "question": "Q", "answer": "A", "annotator": 1, "annotation_id": 2, "created_at": at,
             "lead_time": 1.5, "tone": {"choices": ["warm"]}, "fit": [{"rating": 4}], "size": 3, "why": "x" * 101,
             "many": ["a", "b"], "short": "z" * 100, "side": "left"},
            {"id": 4, "question": "Q", "answer1": "A", "answer2": "B", "annotator": "kim", "annotation_id": 2,
             "updated_at": at, "lead_time": 1.5, "best": "left", "worst": {"choices": ["right"]}, "sure": True},
            {"neither": 1},
        ],
        "argilla": [
            {"external_id": "e", "fields": {"question": "Q", "answer": "A", "k": "v"}, "responses": [
                {"values": {"fit": {"value": 1}, "tone": "warm"}, "user": "kim", "inserted_at": at},
                {"values": {"fit": {"value": ["a", "b"]}}, "user_id": "bo", "updated_at": later, "status": "submitted"},
                {"values": {"fit": {"value": 2}}, "status": "discarded"}, {"values": {"fit": 3}, "status": "pending"},
            ], "suggestions": [{"question_name": "fit", "value": 3, "score": [0.5], "agent": "j"},
                               {"question_name": "tone", "value": "cold"}]},
            {"id": "p", "fields": {"question": "Q", "answer1": "A", "answer2": "B"}, "metadata": {"lang": "de"},
             "responses": {"fit_1": [{"value": 1}], "fit_b": [{"value": 2}], "best": [
                 {"value": [{"value": "answer2", "rank": 1}, {"value": "answer1", "rank": 2}]}]}},
            {"id": "f", "question": "Q", "answer": "A", "status": "x", "fit.responses": [4, 5],
             "fit.responses.users": ["kim", "bo"], "fit.responses.status": ["submitted", "draft"],
             "fit.suggestion": 3, "fit.suggestion.agent": "j", "fit.suggestion.score": 0.25},
            {"id": "h", "question": "Q", "answer": "A", "fit": [{"value": 4, "user_id": "kim"}], "fit-suggestion": 3,
             "fit-suggestion-metadata": {"agent": "k", "score": 0.75}},
            {"fields": {"question": "Q", "answer": "of no id"}, "responses": {"fit": [{"value": 1}]}},
            {"id": "l", "fields": {"question": "Q", "answer1": "A", "answer2": "B"}, "responses": {
                "why": [{"value": "x" * 201}, {"value": "y" * 200}], "spans": [{"value": [{"start": 1}]}],
                "best": [{"value": [{"value": "answer1", "rank": 1}, {"value": "answer2", "rank": rank}]}
                         for rank in (1, 2)],
                "three": [{"value": [{"value": "a", "rank": 1}] * 3}], "odd": [{"value": {"k": 1}}],
            }},
            {"neither": 1},
        ],
    }  # fmt: skip
