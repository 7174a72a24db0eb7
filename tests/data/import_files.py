"""Files of every format that an import knows, sound and damaged, for the archive of `data/importing`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from data.importing.file_examples import FILE_EXAMPLES
from data.importing.files.source import Source, from_bytes
from tests.data.importing import tool_files as tools
from tests.data.imports import adjudication_line, label, pair, text, verdict

Json = dict[str, Any]


def sources() -> Iterator[tuple[str, Source]]:
    """Titles, with the files as an upload."""
    for title, content in files().items():
        yield title, from_bytes(list(content.items()))


def files() -> dict[str, dict[str, bytes]]:
    """Title -> name -> content."""
    examples = {
        example.title: {name: content.encode() for name, content in example.files.items()} for example in FILE_EXAMPLES
    }
    first, second = tools.genai(1), tools.genai(2)
    first["events"] = [tools.evaluation("tone", 4.0, "Kind.")]
    second["events"] = [tools.evaluation("tone", 2.0), tools.evaluation("safe", 1.0)]
    return examples | {
        "otel": {"spans.jsonl": tools.text(tools.request(second, first, *_spans()))},
        "langfuse": {f"{name}.jsonl": tools.text(*rows) for name, rows in tools.langfuse().items()},
        "langsmith": {f"{name}.jsonl": tools.text(*rows) for name, rows in tools.langsmith().items()},
        "mlflow": {"traces.json": tools.json_bytes(tools.mlflow("s-1"))},
        "inspect": {"log.json": tools.json_bytes(tools.inspect())},
        "promptfoo": {"output.json": tools.json_bytes(tools.promptfoo())},
        "deepeval": {"test_run.json": tools.json_bytes(tools.deepeval())},
        "label_studio": {"export.json": tools.json_bytes(tools.label_studio())},
        "argilla": {"records.jsonl": tools.text(*tools.argilla())},
        "messages": {"chats.jsonl": tools.text(*_chats())},
        "sessions": {"sessions.json": tools.json_bytes(_sessions())},
        "mt_bench_101": {"mtbench101.jsonl": tools.text(*_histories())},
        "votes": _votes(),
        "damaged lines": {"rows.jsonl": text(_damaged_rows())},
        "again": {"support.jsonl": text(_repeated_rows())},
        "wide table": {"wide.csv": _WIDE.encode()},
        "long table": {"long.tsv": _LONG.encode()},
        "nothing": {"empty.csv": b"id,output\n"},
        "an object": {"one.json": b'{"seed": 1, "models": ["m"]}'},
        "a pointer": {"big.jsonl": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"},
    }


def _spans() -> list[Json]:
    ask, back = tools.message("user", "Wo?"), {"role": "tool", "tool_call_id": "c", "content": "Kansai"}
    answer = tools.inference("output_messages", [tools.message("assistant", "Dort.")])
    return [
        tools.span("lone", "one", name="agent", openinference__span__kind="AGENT", session__id="S", input__value="Wo?"),
        tools.span("lone", "two", "one", at=1, openinference__span__kind="LLM", llm__model_name="m-2",
                  **tools.inference("input_messages", [ask, back]), **answer),
        tools.span("cut", "five", "lost", at=5, openinference__span__kind="LLM", input__value="Hm?"),
    ]  # fmt: skip


def _chats() -> list[Any]:
    call = {"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"a": 1}'}}
    prompt = [tools.message("system", "Kurz."), tools.message("user", "Wo ist 京都?")]
    return [
        {"id": "c1", "messages": [*prompt, tools.message("assistant", "In Japan.")], "model": "m", "lang": "de"},
        {"messages": [*prompt, {"role": "assistant", "content": None, "tool_calls": [call]},
                      {"role": "tool", "tool_call_id": "1", "content": "Kansai"}, tools.message("assistant", "Dort.")]},
        {"prompt": prompt, "chosen": [tools.message("assistant", "A.")],
         "rejected": [tools.message("assistant", "B.")]},
        {"conversations": [{"from": "human", "value": "Hi."}, {"from": "gpt", "value": "Hello."}]},
        {"id": "r1", "messages": [tools.message("user", "Wo?"),
                                  {"type": "function_call", "call_id": "7", "name": "find"},
                                  {"type": "function_call_output", "call_id": "7", "output": "Kansai"},
                                  tools.message("bot", "Dort."), tools.message("assistant", "Wirklich.")]},
        {"id": "r2", "messages": [tools.message("human", "Q"), tools.message("model", "A"), tools.message("human", "R"),
                                  tools.message("ai", "B")], "source": "web"},
        {"id": "c5", "messages": []},
        {"id": "c6", "messages": [tools.message("user", "Only asked.")]},
        {"id": "c7", "messages": "none"},
        {"id": "c1", "messages": [tools.message("user", "Twice."), tools.message("assistant", "Yes.")]},
        {"id": "c8", "messages": [tools.message("user", "a"), tools.message("user", "b"),
                                  tools.message("nobody", "c")]},
    ]  # fmt: skip


def _sessions() -> list[Json]:
    """Langfuse's sessions with their traces, as its API gives them."""
    export = tools.langfuse()
    traces = [{key: value for key, value in trace.items() if key != "sessionId"} for trace in export["traces"]]
    return [{"id": "c-9", "createdAt": "2026-01-01T00:00:00Z", "projectId": "p", "traces": traces}]


def _histories() -> list[Json]:
    return [
        {"task": "CM", "id": 1, "history": [{"user": f"u{n}", "bot": f"b{n}"} for n in range(1, 4)]},
        {"task": "GR", "id": 2, "history": [{"user": "u1", "bot": "b1"}, {"user": "u2"}]},
        {"task": "GR", "id": 3, "history": [{"user": "u1"}, {"user": "u2", "bot": "b2"}]},
    ]


def _votes() -> dict[str, bytes]:
    questions = [
        {"question_id": 81, "category": "writing", "turns": ["Write.", "Again."]},
        {"question_id": "82", "category": "math", "turns": ["1+1?", "And 2+2?"], "reference": ["2", "4"]},
    ]

    def answer(model: str, *turns: str, at: float = 1.0) -> Json:
        return {"question_id": 81, "answer_id": "x", "model_id": model, "tstamp": at,
                "choices": [{"index": 0, "turns": list(turns)}]}  # fmt: skip

    def rating(**more: Any) -> Json:
        row = {"question_id": 81, "model": "a", "judge": ["gpt-4", "single-v1"], "user_prompt": "...", "turn": 1}
        return {**row, "judgment": "Good. Rating: [[8]]", "score": 8, "tstamp": 1.0, **more}

    def vote(judge: Any, winner: str, **more: Any) -> Json:
        row = {"question_id": 81, "turn": 1, "model_a": "a", "model_b": "b", "winner": winner, "judge": judge}
        return {**row, "tstamp": 1_700_000_000.0, **more}

    two = {"model_1": "a", "model_2": "b", "g1_winner": "model_1", "g2_winner": "tie", "question_id": 81, "turn": 1,
           "judge": ["gpt-4", "pair-v2"], "g1_judgment": "[[A]]", "g2_judgment": "[[C]]"}  # fmt: skip
    return {
        "question.jsonl": text(questions),
        "a.jsonl": text([answer("a", "A1", "A2"), answer("a", "A1 again", "A2", at=2.0)]),
        "b.jsonl": text([answer("b", "B1", "B2")]),
        "gpt-4_single.jsonl": text(
            [rating(), rating(turn=2, score=-1, judgment="?"), rating(question_id=999), rating(model="c")]
        ),
        "gpt-4_pair.jsonl": text([two, {**two, "turn": 2, "g2_winner": "error"}]),
        "human.jsonl": text([vote("author_0", "model_a"), vote("expert_1", "tie", turn=2), vote("expert_2", "x"),
                             vote("author_0", "model_b")]),
    }  # fmt: skip


def bench() -> dict[str, bytes]:
    """Two answers to a question of MT-Bench that two judges rated, one of them in several samples, some unusable."""
    question = {"question_id": 81, "category": "writing", "turns": ["Write.", "Again."]}
    answers = [
        {"question_id": 81, "answer_id": m, "model_id": m, "tstamp": 1.0,
         "choices": [{"index": 0, "turns": ["1", "2"]}]}
        for m in ("a", "b")
    ]  # fmt: skip
    judgments = [
        {"question_id": 81, "model": model, "judge": [judge, "single-v1"], "user_prompt": "...", "turn": turn,
         "judgment": f"Said {score}. Rating: [[{score}]]", "score": score, "tstamp": 1.0 + again}
        for judge, model, turn, score, again in (
            ("gpt-4", "a", 1, 8, 0), ("gpt-4", "a", 2, 5, 0), ("gpt-4", "b", 1, 3, 0), ("gpt-4", "b", 2, -1, 0),
            ("claude", "a", 1, 8, 0), ("claude", "a", 1, 6, 1), ("claude", "a", 2, 9, 0), ("claude", "b", 1, -1, 0),
        )
    ]  # fmt: skip
    files = {f"{m}.jsonl": text([answer]) for m, answer in zip("ab", answers, strict=True)}
    for judge in ("gpt-4", "claude"):
        files[f"{judge}_single.jsonl"] = text([judgment for judgment in judgments if judgment["judge"][0] == judge])
    return {"question.jsonl": text([question]), **files}


def _damaged_rows() -> list[Any]:
    item = {"id": "n1", "kind": "response", "task": "T", "output": "O", "reference": "", "system": "s", "meta": {}}
    about = {"item": "n1", "unit": "response", "dimension": "factuality", "annotator": "ann", "mode": "blind",
             "made_at": "2026-01-31T12:00:00Z"}  # fmt: skip
    judgment = {"item": "n1", "card": "rubric_open_ended", "model": "m", "params": {}}
    bare = {"unit": "response", "dimension": "factuality", "value": 3}
    return [
        item, {**item, "id": ""}, {**item, "output": 7}, {**item, "kind": "poem"}, {**item, "output": "other"},
        {**item, "id": "n2", "colour": 1}, pair("n3", a=""), b'{"id": "cut', b"[1, 2]", b'{"id": 1, "id": 2}',
        {**about, "value": 9}, {**about, "value": None}, {**about, "value": "4"}, {**about, "value": 4},
        {**about, "value": 5}, {**about, "value": 3, "mode": "seen"}, {**about, "value": 3, "unit": "turn:1"},
        {**about, "value": 3, "unit": "whole"}, {**about, "value": 3, "dimension": "beauty"},
        {**about, "value": 3, "item": "lost"}, {**about, "value": 3, "made_at": "yesterday"},
        {**about, "value": 3, "made_at": "2199-01-01T00:00:00Z"}, {**about, "value": 3, "annotator": " "},
        {**about, "value": 3, "annotator": "lea\u202e", "made_at": "2026-01-30T12:00:00+09:00"},
        {**about, "value": 3, "annotator": "judge:x", "probability": 0}, {**about, "value": 3, "annotator": "cy"},
        {**judgment, "reply": {}}, {**judgment, "raw": "no"}, {**judgment, "raw": "no", "reply": {}}, judgment,
        {**judgment, "card": "no_card", "raw": "x"}, {**judgment, "scores": [bare], "sample": 1},
        {**judgment, "scores": [{**bare, "value": 11}], "sample": 2}, {**judgment, "scores": [bare, bare], "sample": 3},
        {**judgment, "scores": [{**bare, "confidence": 2}], "sample": 4}, {**judgment, "scores": [bare], "order": "ba"},
        {**judgment, "item": "lost", "raw": "x"}, {**judgment, "raw": "x", "part": "7"},
        verdict("n3", "b"), label("n3", "c"), adjudication_line("n1", "a"),
        {**adjudication_line("d-01", 4, unit="turn:1", dimension="safety"),
         "labels": [{"annotator": "ann", "value": 3, "mode": "assisted"}]},
        {"gold_rule": {"resolve": "best", "apart": 1}}, {"gold_rule": {"resolve": "mean", "apart": 2}},
        {"guidelines": ""}, {"guidelines": "Look twice."}, {"card": {"name": "x"}}, {"assay": {"format": 99}},
        {"how": "agreed", "people": 2, "value": "4", "item": "n1"}, {"a": 1, "b": 2}, {},
    ]  # fmt: skip


def _repeated_rows() -> list[Json]:
    """Lines that `support` has already, one that is newer, and a few that contradict it."""
    from tests.data.planted_workspace import support

    lines = list(support())
    labels = [line for line in lines if line.get("dimension") == "helpfulness" and "annotator" in line][:3]
    changed = zip(labels, (2026, 2025), strict=False)
    more = [row | {"value": 1, "made_at": f"{year}-02-28T12:00:00Z"} for row, year in changed]
    return [*lines[:5], *labels, *more, {**lines[0], "scenario": "Another."}, {**labels[2], "annotator": "dee"}]


_WIDE = (
    "Task ID;Question;Antwort;Model;GPT-4 Score (1-10);gpt reason;Rater Anna;Rater Ben;human_turn_2;lang;Date\n"
    "1;Was ist 京都?;Eine Stadt.;m-1;7;ok;4;5;;de;2026-01-02\n"
    "2;Why?;=SUM(A1);m-2;9,5;;3;n/a;2;en;2026-01-03\n"
    "3;How?;\"So,\nor so\";m-1;;none;5;x;1;en;2026-01-04\n"
)
_LONG = (
    "conversation_id\tturn\trole\ttext\tannotator\tdimension\trating\n"
    "c1\t1\tuser\tHi\t\t\t\nc1\t1\tassistant\tHello\tann\thelpfulness\t4\n"
    "c1\t2\tuser\tBye\t\t\t\nc1\t2\tassistant\tBye\tben\thelpfulness\t2\n"
)


def tables() -> list[tuple[list[str], list[Json]]]:
    """Columns of tables as people have them, with a row or two."""
    named: list[list[Json]] = [
        [{"prompt": "Q", "response_a": "A", "response_b": "B", "winner": "a", "judge_winner": "tie"},
         {"prompt": "R", "response_a": "C", "response_b": "D", "winner": "b", "judge_winner": "b"}],
        [{"id": 1, "input": "Q", "output": "A", "llm_judge": "good", "label": "bad"},
         {"id": 2, "input": "Q", "output": "B", "llm_judge": "bad", "label": "good"}],
        [{"question": "Q", "answer": "A", "score": 0.7, "human": 0.5, "model": "m", "category": "x"}],
        [{"instruction": "Q", "completion": "A", "gpt4_helpfulness": 4, "gpt4_safety": 5, "human_helpfulness": 3}],
        [{"dialogue": "User: Q\nBot: A", "rater_1": 1, "rater_2": 0, "judge": 1}],
        [{"問い": "Q", "回答": "A", "評価": 4}],
        [{"a": 1, "b": 2}],
        [{"messages": json.dumps([tools.message("user", "Q"), tools.message("assistant", "A")]), "rating": 4,
          "user": "ann"}],
        [{"text": "only text", "toxicity": 0.1, "is_toxic": True}],
        [{"task": "T", "response": "R", "reference": "S", "confidence": 0.8, "score": 3, "reason": "r", "order": "AB"}],
    ]  # fmt: skip
    return [(list(rows[0]), rows) for rows in named]
