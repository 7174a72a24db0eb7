"""Small files as other tools write them, made by us: the same two conversations, and what was said of them."""

from __future__ import annotations

import json
from typing import Any

TURNS = (("Wie wird 東京 geschrieben?", "Tokio."), ("Und Kyoto?", "京都."))
"""What a user asks and an assistant answers."""


def told(upto: int, system: str = "") -> list[dict[str, Any]]:
    """The messages that a model is sent in that turn: all of the history."""
    head = [{"role": "system", "content": system}] if system else []
    before = [m for q, a in TURNS[: upto - 1] for m in (said("user", q), said("assistant", a))]
    return [*head, *before, said("user", TURNS[upto - 1][0])]


def said(role: str, text: str) -> dict[str, Any]:
    """A message."""
    return {"role": role, "content": text}


def text(*rows: Any) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def whole(value: Any, indent: int | None = 2) -> bytes:
    """One JSON text."""
    return json.dumps(value, ensure_ascii=False, indent=indent).encode()


def attributes(**given: Any) -> list[dict[str, Any]]:
    """Attributes as OTLP has them; two underscores stand for a dot."""
    kinds = {str: "stringValue", float: "doubleValue", int: "intValue", bool: "boolValue"}
    return [{"key": k.replace("__", "."), "value": {kinds[type(v)]: v}} for k, v in given.items()]


def span(
    trace: str, key: str, parent: str = "", name: str = "chat m", at: int = 0, events: Any = (), **given: Any
) -> Any:
    """A span of OTLP."""
    return {
        "traceId": trace,
        "spanId": key,
        "parentSpanId": parent,
        "name": name,
        "events": list(events),
        "startTimeUnixNano": str(1_700_000_000_000_000_000 + at),
        "attributes": attributes(**given),
    }


def request(*spans: Any) -> dict[str, Any]:
    """A line of the collector's file exporter."""
    beside = {"attributes": attributes(service__name="helpdesk")}
    return {"resourceSpans": [{"resource": beside, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def genai(turn: int, conversation: str = "c-1", **given: Any) -> Any:
    """The span of a turn in the GenAI conventions, with the whole history as its input."""
    history = [{"role": m["role"], "parts": [{"type": "text", "content": m["content"]}]} for m in told(turn)]
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
        **given,
    )


def evaluation(name: str, value: float, why: str = "") -> Any:
    """The event of an evaluation."""
    given = {"gen_ai__evaluation__name": name, "gen_ai__evaluation__score__value": value}
    given |= {"gen_ai__evaluation__explanation": why} if why else {}
    return {
        "name": "gen_ai.evaluation.result",
        "timeUnixNano": "1700000000000000000",
        "attributes": attributes(**given),
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
            "input": told(n),
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
            "input": json.dumps(told(n, "Be brief.")),
            "output": json.dumps(said("assistant", TURNS[n - 1][1])),
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
        kwargs = [{"content": m["content"], "type": "human" if m["role"] == "user" else "ai"} for m in told(n)]
        names = {"human": "HumanMessage", "ai": "AIMessage"}
        lc = [{"lc": 1, "id": ["langchain", "schema", "messages", names[k["type"]]], "kwargs": k} for k in kwargs]
        made = {"id": ["langchain", "AIMessage"], "kwargs": {"content": TURNS[n - 1][1], "type": "ai"}}
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
                "outputs": {"generations": [[{"message": made}]]},
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
    made = []
    for n in (1, 2):
        call = {"messages": told(n), "model": "m-1"}
        source = [{"source_type": "LLM_JUDGE", "source_id": "j-1"}, {"source_type": "HUMAN", "source_id": "kim"}]
        made.append(
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
                                    {"choices": [{"message": said("assistant", TURNS[n - 1][1])}]}
                                ),
                            },
                        },
                    ]
                },
            }
        )
    return made


def inspect() -> dict[str, Any]:
    """A log: the second sample was answered in two epochs."""
    answer = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "4"}]
    asked = [said("user", "2+2?")]
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
                "messages": [*asked, {"role": "assistant", "content": answer}],
            },
            {
                "id": 1,
                "epoch": 2,
                "input": "2+2?",
                "target": ["4", "four"],
                "scores": {"graded": {"value": "I"}},
                "messages": [*asked, said("assistant", "5")],
            },
        ],
    }


def promptfoo() -> dict[str, Any]:
    """Results: one that a person rated, one of a chat, one whose provider failed."""
    rubric = {"pass": True, "score": 0.9, "reason": "Good.", "assertion": {"type": "llm-rubric", "provider": "j-1"}}
    human = {"pass": False, "score": 0, "reason": "Bad.", "assertion": {"type": "human"}}
    beside = {"promptIdx": 0, "provider": {"id": "m-1"}}
    return {
        "evalId": "e-1",
        "results": {
            "version": 3,
            "prompts": [],
            "stats": {},
            "results": [
                {
                    **beside,
                    "testIdx": 0,
                    "vars": {"topic": "x", "expected": "E"},
                    "prompt": {"raw": "Tell x"},
                    "success": False,
                    "response": {"output": "X is."},
                    "namedScores": {"tone": 0.5},
                    "gradingResult": {"pass": False, "score": 0, "componentResults": [rubric, human]},
                },
                {
                    **beside,
                    "testIdx": 1,
                    "vars": {},
                    "prompt": {"raw": json.dumps(told(1, "Be brief."))},
                    "success": True,
                    "response": {"output": TURNS[0][1]},
                    "gradingResult": {"pass": True, "score": 1, "componentResults": [rubric]},
                },
                {**beside, "testIdx": 2, "vars": {}, "prompt": {"raw": "p"}, "success": False, "error": "boom"},
            ],
        },
        "config": {},
    }


def deepeval() -> dict[str, Any]:
    """A test run with a conversation and one whose metric failed."""
    turns = [{**m, "order": n} for n, m in enumerate([*told(2), said("assistant", TURNS[1][1])])]
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
    spoken = [{"author": who, "text": t} for pair in TURNS for who, t in zip(("Kunde", "Bot"), pair, strict=True)]
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
