"""What was said, read from each shape in which other tools have messages, inputs and outputs."""

from __future__ import annotations

from typing import Any

import pytest

from data.importing.conversations.utterances import (
    Utterance,
    as_object,
    as_objects,
    first_text,
    input_utterances,
    list_of,
    output_utterances,
    read_messages,
    single_text,
    text_of,
    to_turns,
)
from judges.strict_json import decode_json

Json = dict[str, Any]
CALL = {"id": "1", "function": {"name": "f", "arguments": {"a": 1}}}


def user(text: str, **more: Any) -> Json:
    return {"role": "user", "content": text, **more}


def bot(content: Any, **more: Any) -> Json:
    return {"role": "assistant", "content": content, **more}


def back(ref: str, text: str) -> Json:
    return {"role": "tool", "tool_call_id": ref, "content": text}


def within(depth: int, value: Json) -> Json:
    return {"input": within(depth - 1, value)} if depth else value


def utterances(*rows: tuple[str, ...]) -> list[Utterance]:
    return [Utterance(*row) for row in rows]


Q, A = ("user", "Q"), ("assistant", "A")


def test_a_result_that_is_no_text_and_a_refusal_are_not_lost() -> None:
    refusal = {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}
    messages = [
        {"role": "tool", "content": {"temperature": 3}}, refusal,
        {"role": "assistant", "content": None, "refusal": "N"},
        {"role": "tool", "content": [{"temperature": 3}]}, {"role": "tool", "content": {"text": "warm"}},
    ]  # fmt: skip
    texts = ['{"temperature": 3}', "No.", "N", '[{"temperature": 3}]', "warm"]
    assert [utterance.text for utterance in read_messages(messages) or ()] == texts


@pytest.mark.parametrize(("keep_empty", "texts"), [(False, ["Q", "f()"]), (True, ["Q", "", "f()"])])
def test_what_says_nothing_is_kept_where_it_counts(keep_empty: bool, texts: list[str]) -> None:
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f"}}]}
    messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": ""}, call]
    assert [utterance.text for utterance in read_messages(messages, keep_empty) or ()] == texts


def test_values_and_their_texts_are_alike() -> None:
    for value in ({"a": 1}, ' {"a": 1}'):
        assert as_object(value) == {"a": 1} and list_of(value) == as_objects(value) == []
    for value in ([1, {"a": 2}, None], '[1, {"a": 2}, null]'):  # type: ignore[assignment]
        assert as_object(value) == {} and list_of(value) == [1, {"a": 2}, None] and as_objects(value) == [{"a": 2}]
    for value in ("", "x", None, 7, "{cut", "[" * 100_000):  # type: ignore[assignment]
        assert as_object(value) == {} and list_of(value) == [] and decode_json(value) == value
    twice, nan = '{"a": 1, "a": 2}', '{"a": NaN, "b": "NaN"}'
    assert decode_json(twice) == twice, "what it holds twice is not lost"
    assert decode_json(nan) == {"a": None, "b": "NaN"}, "as in files"
    assert [text_of(value) for value in (None, "x", 1, {"a": "é"})] == ["", "x", "1", '{"a": "é"}']
    assert (first_text("", None, 0, "b", "c"), first_text(), first_text(0, [2])) == ("b", "", "[2]")


@pytest.mark.parametrize(("payload", "expected"), [
    ("Q", [Q]), (" ", []), (None, []), (7, [("user", "7")]), ({"question": "Q", "k": 1}, [Q]),
    ({"input": {"question": "Q"}}, [Q]), ({"x": "Q"}, [Q]), ({"x": "a", "y": "b"}, [("user", '{"x": "a", "y": "b"}')]),
    ('{"messages": [{"role": "user", "content": "Q"}]}', [Q]), ([[user("Q")]], [Q]), (user("Q"), [Q]),
    ({"messages": [user("Q")], "system": "S"}, [("system", "S"), Q]), ({"input": [user("Q")], "system": 7}, [Q]),
    ({"chat_history": [user("1")], "question": "2", "input": "3"}, [("user", "1"), ("user", "3")]),
    ({"history": [user("1")], "question": " ", "prompt": "2"}, [("user", "1"), ("user", "2")]),
    ({"messages": [user("1")], "question": "2"}, [("user", "1")]),
    ([user("Q"), "x"], [("user", '[{"role": "user", "content": "Q"}, "x"]')]),
    ([{"role": "nobody"}], [("user", '[{"role": "nobody"}]')]),
    (within(5, {"messages": [user("Q")]}), [Q]),
    (within(6, {"messages": [user("Q")]}), [("user", '{"messages": [{"role": "user", "content": "Q"}]}')]),
])  # fmt: skip
def test_what_was_asked(payload: Any, expected: list[tuple[str, ...]]) -> None:
    assert input_utterances(payload) == utterances(*expected)


@pytest.mark.parametrize(("payload", "expected"), [
    ("A", [A]), (" ", []), ({"answer": "A"}, [A]), ({"output": {"text": "A"}}, [A]),
    ({"choices": [{"message": bot("A")}, {"message": bot("B")}]}, [A]),
    ({"generations": [[{"message": bot("A")}]]}, [A]),
    ({"candidates": [{"content": {"role": "model", "parts": [{"text": "A"}]}}]}, [A]),
    ({"response": {"output": {"role": "model", "parts": [{"text": "A"}]}}}, [A]), ({"content": bot("A")}, [A]),
    ({"messages": [user("Q"), bot("1"), user("R"), back("x", "T"), bot("A")]}, [("tool", "T"), A]),
    ({"messages": [{"role": "system", "content": "S"}, bot("A")]}, [A]), (bot({"content": "A"}), [A]),
])  # fmt: skip
def test_what_was_answered(payload: Any, expected: list[tuple[str, ...]]) -> None:
    assert output_utterances(payload) == utterances(*expected)


@pytest.mark.parametrize(("payload", "expected"), [
    ([user("Q")], "Q"), ({"output": "A", "question": "Q"}, "Q"), ({"a": 1, "b": 2}, '{"a": 1, "b": 2}'),
    ({"input": [user("1"), user("2")]}, "2"), ({"output": {"answer": "A"}}, "A"), ({"a": 5}, '{"a": 5}'),
    ([user("Q"), user("R")], '[{"role": "user", "content": "Q"}, {"role": "user", "content": "R"}]'),
])  # fmt: skip
def test_one_text(payload: Any, expected: str) -> None:
    assert single_text(payload) == expected


@pytest.mark.parametrize(("payload", "expected"), [
    ([bot("A", tool_calls=[CALL]), back("1", "R")], [A, ("tool", 'f({"a": 1})', "f"), ("tool", "R", "f")]),
    ([bot("", additional_kwargs={"tool_calls": [CALL]})], [("tool", 'f({"a": 1})', "f")]),
    ([bot("A", tool_calls="no list")], [A]),
    ([bot(None, function_call={"name": "g", "arguments": "1"})], [("tool", "g(1)", "g")]),
    ([{"type": "function_call", "name": "g", "call_id": "9", "arguments": "1"},
      {"type": "function_call_output", "call_id": "9", "output": "R"}], [("tool", "g(1)", "g"), ("tool", "R", "g")]),
    ([{"role": "tool", "name": "n", "content": ""}], [("tool", "", "n")]),
    ([{"role": "tool", "content": None, "output": {"a": 1}}], [("tool", '{"a": 1}')]),
    ([user([{"type": "tool_result", "tool_use_id": "z", "content": "R"}, {"type": "text", "text": "Q"}])],
     [("tool", "R"), Q]),
    ([bot([{"type": "thinking", "text": "hm"}, {"type": "text", "text": "A"}, {"type": "image_url"}, {}, "B", 7])],
     [("assistant", "A\n\n[image url]\n\nB\n\n7")]),
    ([user([{"message_content": {"type": "text", "text": "Q"}}])], [Q]), ([user({"type": "text", "text": "Q"})], [Q]),
    ([{"message": user("Q")}], [Q]), ([{"type": "human", "data": {"content": "Q"}}], [Q]),
    ([{"from": "GPT", "value": "A"}], [A]), ([bot("")], []), ([bot(" "), back("", " ")], [("tool", " ")]),
    ([{"id": ["x", "AIMessage"], "kwargs": {"content": "A"}}], [A]), ([user("Q", id=[], kwargs={})], [Q]),
    ([bot(None, tool_calls=[
        {"tool_call": {"id": "3", "function": {"name": "h", "arguments": None, "args": 5}}}, {"name": "i"},
        {"function": "j", "parameters": {}}, {"tool": "k"}, {}, 4,
    ])], [("tool", f"{n}({args})", n) for n, args in (("h", 5), ("i", ""), ("j", {}), ("k", ""), ("tool", ""))]),
    ([{"role": "user", "parts": [
        {"type": "tool_call_response", "id": "q", "name": "n", "result": [{"text": "a"}, {"text": "b"}]},
        {"functionResponse": {"name": "m", "output": {"x": 1}}},
    ]}], [("tool", "a\n\nb", "n"), ("tool", '{"x": 1}', "m")]),
    ([{"role": "assistant", "parts": [{"type": "reasoning", "content": "hm"}]}], []),
    ([user([{"x": 1}]), user([{"type": "a_b"}]), user([{}])], [("user", "[a part without text]"), ("user", "[a b]")]),
    ([user("Q", extra=1)], [Q]), ([{"role": "user", "parts": [{"type": "text", "content": "Q"}]}], [Q]),
    ([{"role": "user", "parts": [{"type": "text", "content": letter} for letter in "QR"]}], [("user", "Q\n\nR")]),
    ([{"role": "user", "parts": []}], []), ('[{"role": "user", "content": "Q"}]', [Q]), ("[broken", None), ([], None),
    ("text", None), ([{"role": 7}], None), ([{"content": "x"}], None), ([user("Q"), 7], None),
    *(([{"role": "tool", "parts": parts}, back("z", "Z")], [("tool", text), ("tool", "Z")])
      for parts, text in (([], ""), ({"content": "x"}, "x"), (["x"], "x"), ("x", "x"))),
    ([bot(None, tool_calls=[{"id": n, "function": {"name": n}} for n in "ab"]), back("b", "B"), back("a", "A"),
      user("Q"), back("b", "B2"), back("?", "X")],
     [("tool", "a()", "a"), ("tool", "b()", "b"), ("tool", "A", "a"), ("tool", "B", "b"), Q, ("tool", "B2", "b"),
      ("tool", "X")]),
])  # fmt: skip
def test_messages(payload: Any, expected: list[tuple[str, ...]] | None) -> None:
    assert read_messages(payload) == (None if expected is None else utterances(*expected))


@pytest.mark.parametrize(("rows", "scenario", "turns", "numbers"), [
    ([("system", "S"), Q, ("system", "late"), A, ("assistant", "B"), ("user", "R"), ("tool", "t", "n" * 201),
      ("user", "U")],
     "S", [(1, "user", "Q"), (1, "assistant", "A\n\nB"), (2, "user", "R"), (2, "tool", "t"), (3, "user", "U")],
     [0, 1, 0, 1, 1, 2, 2, 3]),
    ([("system", "S"), ("system", "S"), ("system", "T"), A, Q, ("user", "R")],
     "S\n\nT", [(1, "assistant", "A"), (2, "user", "Q\n\nR")], [0, 0, 0, 1, 2, 2]),
    ([("tool", "t"), A, ("tool", "u")], "", [(1, "tool", "t"), (1, "tool", "u"), (1, "assistant", "A")], [1, 1, 1]),
])  # fmt: skip
def test_turns(rows: Any, scenario: str, turns: list[tuple[int, str, str]], numbers: list[int]) -> None:
    actual_scenario, entries, of = to_turns(utterances(*rows))
    assert (actual_scenario, [(entry["turn"], entry["role"], entry["text"]) for entry in entries], of) == (
        scenario, turns, numbers
    )  # fmt: skip
    assert all(len(entry["name"]) <= 200 for entry in entries if entry["role"] == "tool")


# -- names: one that is no longer known is a conversation that is no longer read ---------------------------------------

ROLES = {
    "user": "user human HumanMessage humanmessagechunk customer",
    "assistant": "assistant ai AIMessage aimessagechunk gpt bot model chatbot agent",
    "system": "system developer SystemMessage",
    "tool": "tool function toolmessage functionmessage",
}


@pytest.mark.parametrize("role", ROLES)
def test_every_name_of_a_role(role: str) -> None:
    for name in ROLES[role].split():
        for key in ("role", "from", "type"):
            assert read_messages([{key: name, "content": "T"}]) == utterances((role, "T")), (key, name)


def test_every_name_under_which_a_text_lies() -> None:
    for key in "content parts contents text value output_text".split():
        assert read_messages([{"role": "user", key: "Q", "other": "x"}]) == utterances(Q), key
    input_names = (
        "input question query prompt user_input user_message message instruction text human_input chat_input request"
        " content"
    )
    output_names = (
        "output answer response result completion text content reply output_text generation assistant message"
        " final_answer"
    )
    for read, names, utterance in ((input_utterances, input_names, Q), (output_utterances, output_names, A)):
        for key in names.split():
            assert read({"other": "x", key: utterance[1]}) == utterances(utterance), key
            assert single_text({"other": "x", key: utterance[1]}) == utterance[1], key


def test_every_name_under_which_messages_lie() -> None:
    for key in "messages chat_history contents input history conversation".split():
        assert input_utterances({"other": "x", key: [user("1"), bot("A"), user("Q")]}) == utterances(
            ("user", "1"), A, Q
        ), key
    for key in "choices generations messages output candidates message kwargs response".split():
        assert output_utterances({"other": "x", key: [bot("A")]}) == utterances(A), key


def test_every_name_of_calls_results_and_what_is_not_said() -> None:
    for key in "tool_call_id tool_use_id call_id id".split():
        results = [{"role": "tool", key: ref, "content": ref.upper()} for ref in "ba"]
        message = bot(None, tool_calls=[{"id": n, "function": {"name": f"of_{n}"}} for n in "ab"])
        assert [utterance.text for utterance in read_messages([message, *results]) or ()][2:] == ["A", "B"], key
    for kind in ("tool_call_response", "tool_result"):
        for key in "response result content output".split():
            part = {"type": kind, "name": "n", key: "R"}
            assert read_messages([user([part])]) == utterances(("tool", "R", "n")), (kind, key)
    for kind in ("tool_call", "tool_use", "toolCall"):
        for key in "arguments args input parameters".split():
            part = {"type": kind, "name": "n", key: "1"}
            assert read_messages([bot([part])]) == utterances(("tool", "n(1)", "n")), (kind, key)
    for key in ("functionCall", "function_call"):
        assert read_messages([bot([{key: {"name": "n", "args": "1"}}])]) == utterances(("tool", "n(1)", "n")), key
    for kind in "reasoning thinking redacted_thinking reasoning_content".split():
        assert read_messages([bot([{"type": kind, "text": "hm"}, {"type": "text", "text": "A"}])]) == utterances(
            A
        ), kind
    for kind in "blob uri file".split():
        assert read_messages([user([{"type": kind, "text": "x"}])]) == utterances(("user", "[file]")), kind
        assert read_messages([user([{"type": kind, "modality": "image"}])]) == utterances(("user", "[image]")), kind
