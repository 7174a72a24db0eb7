"""Chats: roles become turns, what is no text is refused, and the same chat gets the same name."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import hypothesis.strategies as some
import pytest
from hypothesis import given

from data.importing.formats.messages import to_dialogue
from data.importing.importing import import_source, preview_import
from data.importing.plan import ImportPlan
from judges.importing.entries import LineError
from judges.types import ITEM, Dialogue
from tests.archives import compare_marks
from tests.data.imports import source, workspace, wrecks


def make_chat(*pairs: tuple[str, Any]) -> dict[str, Any]:
    """A chat."""
    return {"messages": [{"role": role, "content": content} for role, content in pairs]}


def turns(value: dict[str, Any]) -> list[tuple[int, str, str]]:
    """(turn, role, text) of what a chat becomes."""
    return [(t["turn"], t["role"], t["text"]) for t in to_dialogue(value)[0]["turns"]]


CHATS: list[tuple[dict[str, Any], list[tuple[int, str, str]]]] = [
    (make_chat(("user", "a"), ("assistant", "b")), [(1, "user", "a"), (1, "assistant", "b")]),
    (
        make_chat(("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")),
        [(1, "user", "a"), (1, "assistant", "b"), (2, "user", "c"), (2, "assistant", "d")],
    ),
    (
        make_chat(("assistant", "hello"), ("user", "a"), ("assistant", "b")),
        [(1, "assistant", "hello"), (2, "user", "a"), (2, "assistant", "b")],
    ),
    (
        make_chat(("user", "a"), ("user", "b"), ("assistant", "c"), ("assistant", "d")),
        [(1, "user", "a\n\nb"), (1, "assistant", "c\n\nd")],
    ),
    (
        make_chat(("user", "a"), ("assistant", "b"), ("tool", "42"), ("assistant", "c")),
        [(1, "user", "a"), (1, "tool", "42"), (1, "assistant", "b\n\nc")],
    ),
    (
        make_chat(("user", "a"), ("assistant", "b"), ("system", "now in French"), ("user", "c")),
        [(1, "user", "a"), (1, "assistant", "b"), (2, "system", "now in French"), (2, "user", "c")],
    ),
    (
        make_chat(("user", [{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}]), ("assistant", "c")),
        [(1, "user", "a\n\nb"), (1, "assistant", "c")],
    ),
    (
        {
            "messages": [
                {"role": "user", "content": "a"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}],
                },
                {"role": "tool", "name": "f", "content": "1"},
            ]
        },
        [(1, "user", "a"), (1, "tool", "f({})"), (1, "tool", "1"), (1, "assistant", "")],
    ),
    (
        {
            "messages": [
                {"role": "user", "content": "a"},
                {
                    "role": "assistant",
                    "content": [{"type": "text", "text": "let me look"}],
                    "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}],
                    "refusal": None,
                },
            ]
        },
        [(1, "user", "a"), (1, "tool", "f({})"), (1, "assistant", "let me look")],
    ),
    (
        {"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]},
        [(1, "user", "a"), (1, "assistant", "b")],
    ),
    (
        {"task": "CM", "id": 3, "history": [{"user": "a", "bot": "b"}, {"user": "c", "bot": "d"}]},
        [(1, "user", "a"), (1, "assistant", "b"), (2, "user", "c"), (2, "assistant", "d")],
    ),
]


@pytest.mark.parametrize(("chat", "becomes"), CHATS)
def test_what_was_said_becomes_turns(chat: dict[str, Any], becomes: list[tuple[int, str, str]]) -> None:
    assert turns(chat) == becomes


CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"東京"}'}}
SECOND_CALL = {"id": "c2", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Ulm"}'}}
OPENAI = {
    "messages": [
        {"role": "user", "content": "Where is it warmer?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL, SECOND_CALL]},
        {"role": "tool", "tool_call_id": "c2", "content": "3"},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "9"}]},
        {"role": "assistant", "content": "In Tokyo."},
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "You are welcome."},
    ]
}
USE = [{"type": "tool_use", "id": f"t{n}", "name": "weather", "input": {"city": c}} for n, c in enumerate("東U")]
GAVE = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": [{"type": "text", "text": t}]} for n, t in
        ((1, "3"), (0, "9"))]  # fmt: skip
ANTHROPIC = make_chat(
    ("user", "Where is it warmer?"), ("assistant", [{"type": "text", "text": "I look."}, *USE]), ("user", GAVE),
    ("assistant", "In Tokyo."), ("user", [{"type": "text", "text": "Thanks."}]), ("assistant", "You are welcome."),
)  # fmt: skip
RESPONSES = {
    "messages": [
        {"role": "user", "content": "Where is it warmer?"},
        {"type": "function_call", "call_id": "x", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "x", "output": {"tokyo": 9}},
        {"role": "assistant", "content": [{"type": "output_text", "text": "In Tokyo."}]},
    ]
}
LEGACY = {
    "messages": [
        {"role": "user", "content": "Where is it warmer?"},
        {"role": "assistant", "content": "", "function_call": {"name": "weather", "arguments": "{}"}},
        {"role": "function", "name": "weather", "content": "9"},
    ]
}


def test_calls_and_results_of_every_shape_are_entries_of_their_own_in_the_order_of_the_calls() -> None:
    for sort in ("function_call", "function_call_output"):
        spoken = [{"role": "user", "content": "Q"}, {"role": "assistant", "type": sort, "content": "A"}]
        assert turns({"messages": spoken}) == [(1, "user", "Q"), (1, "assistant", "A")], "who has a role speaks"
    tail = [(2, "user", "Thanks."), (2, "assistant", "You are welcome.")]
    asks = (1, "user", "Where is it warmer?")
    entries = to_dialogue(OPENAI)[0]["turns"]
    assert [t.get("name", "") for t in entries[:6]] == ["", "weather", "weather", "weather", "weather", ""]
    assert turns(OPENAI) == [
        asks, (1, "tool", 'weather({"city":"東京"})'), (1, "tool", 'weather({"city":"Ulm"})'), (1, "tool", "9"),
        (1, "tool", "3"), (1, "assistant", "In Tokyo."), *tail,
    ]  # fmt: skip
    assert turns(ANTHROPIC) == [
        asks, (1, "tool", 'weather({"city": "東"})'), (1, "tool", 'weather({"city": "U"})'), (1, "tool", "9"),
        (1, "tool", "3"), (1, "assistant", "I look.\n\nIn Tokyo."), *tail,
    ]  # fmt: skip
    assert turns(RESPONSES) == [
        asks, (1, "tool", "weather({})"), (1, "tool", '{"tokyo": 9}'), (1, "assistant", "In Tokyo.")
    ]  # fmt: skip
    assert turns(LEGACY) == [asks, (1, "tool", "weather({})"), (1, "tool", "9"), (1, "assistant", "")]
    for chat in (OPENAI, ANTHROPIC, RESPONSES, LEGACY):
        ITEM.validate_python(to_dialogue(chat)[0])


def test_what_is_read_of_broken_chats(tmp_path: Path) -> None:
    """Of each a mark in broken/turns.txt."""
    records = list[tuple[str, str]]()
    shapes = {"openai": OPENAI, "anthropic": ANTHROPIC, "responses": RESPONSES, "legacy": LEGACY}
    for name, chat in {**{f"chat {number}": chat for number, (chat, _) in enumerate(CHATS)}, **shapes}.items():
        for number, wreck in enumerate(wrecks(chat, random.Random(name))):
            try:
                read = json.dumps(to_dialogue(wreck), ensure_ascii=False)
            except LineError as error:
                read = ": ".join(error.problem)
            records.append((f"{name} {number}", read))
    compare_marks(records, Path(__file__).with_name("broken") / "turns.txt", tmp_path)


def test_what_a_model_thought_is_not_what_it_said() -> None:
    thought = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "b"}]
    assert turns(make_chat(("user", "a"), ("assistant", thought))) == [(1, "user", "a"), (1, "assistant", "b")]


def test_a_chat_is_one_whatever_stands_beside_it(tmp_path: Path) -> None:
    """Chats as Assay gives them out name their item and the question that decided, and are no labels."""
    store = workspace(tmp_path)
    chat = make_chat(("user", "a"), ("assistant", "b")) | {"item": "d1", "dimension": "verdict", "value": "good"}
    preview = preview_import(store, source([chat]), ImportPlan("d"))
    assert (preview.ok, preview.new.items) == (True, 1)
    store.close()


def test_the_first_system_message_is_the_scenario_unless_one_is_given() -> None:
    chat = make_chat(("developer", "Be brief."), ("user", "a"), ("assistant", "b"))
    assert to_dialogue(chat)[0]["scenario"] == "Be brief."
    dialogue = to_dialogue({**chat, "scenario": "A shop", "system": "model-x"})[0]
    assert (dialogue["scenario"], dialogue["system"], dialogue["turns"][0]["text"]) == (
        "A shop", "model-x", "Be brief.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("chat", "field", "says"),
    [
        ({"messages": []}, "messages", "at least one message"),
        ({"messages": "hi"}, "messages", "must be a list"),
        ({"messages": ["hi"]}, "messages.0", "must be an object with role and content, not a text."),
        (
            make_chat(("narrator", "a")),
            "messages.0.role",
            "must be user, assistant, system or tool (it is 'narrator').",
        ),
        (make_chat(("user", None)), "messages.0.content", "must be text or a list of text parts, not null."),
        (
            make_chat(("user", [{"type": "image_url", "image_url": "http://x"}])),
            "messages.0.content",
            "holds a part of type 'image_url': only text can be judged.",
        ),
        ({**make_chat(("user", "a"), ("assistant", "b")), "meta": [1]}, "meta", "meta must be an object, not a list."),
        (make_chat(("user", "a")), "", "No assistant turn: there is nothing to judge."),
        ({**make_chat(("user", "a"), ("assistant", "b")), "id": True}, "id", "must be a valid string"),
        ({**make_chat(("user", "a"), ("assistant", "b")), "system": 7}, "system", "must be a valid string"),
    ],
)
def test_what_is_no_chat_is_refused(tmp_path: Path, chat: dict[str, Any], field: str, says: str) -> None:
    store = workspace(tmp_path)
    good = make_chat(("user", "a"), ("assistant", "b"))
    preview = preview_import(store, source([good, chat]), ImportPlan("d"))
    assert [(p.line, p.field) for p in preview.problems] == [(2, field)] and says in preview.problems[0].sentence
    store.close()


def test_a_line_that_cannot_be_read_is_refused_once_among_chats(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    good = make_chat(("user", "a"), ("assistant", "b"))
    rows = [good, b"{", good, {"messages": []}, make_chat(("user", "c"), ("assistant", "d"))]
    preview = preview_import(store, source(rows), ImportPlan("d"))
    assert [(p.line, p.field) for p in preview.problems] == [(2, ""), (4, "messages")]
    assert (preview.new.items, preview.repeated.items) == (2, 1)
    store.close()


def test_other_keys_are_kept_in_meta_and_the_same_chat_is_known_again(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    assert to_dialogue({**make_chat(("user", "a"), ("assistant", "b")), "id": 7})[0]["id"] == "7"
    chat = {**make_chat(("user", "a"), ("assistant", "b")), "source": "web", "tools": [], "meta": {"n": 1}}
    first = import_source(store, "lea", source([chat]), ImportPlan("d"))
    assert first.preview.formats == ["chats"] and "kept in meta: source." in first.preview.warnings[0]
    name, content = store.rows("select name, content from item")[0]
    assert name.startswith("chat-") and ITEM.validate_json(content).meta == {"n": 1, "source": "web"}
    again = import_source(store, "lea", source([make_chat(("user", "x"), ("assistant", "y")), chat]), ImportPlan("d"))
    assert (again.preview.new.items, again.preview.known.total) == (1, 1)
    store.close()


def test_answers_beside_a_chat_are_told_with_the_format_that_reads_them(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    chat = {**make_chat(("user", "a"), ("assistant", "b")), "judge_score": 4, "human_score": 5, "label": "web"}
    warnings = preview_import(store, source([chat, chat]), ImportPlan("d")).warnings
    says = "judge_score, human_score: read as answers if the file is imported as a table (--format table). (2 times)"
    assert [warning.endswith(says) for warning in warnings] == [False, True]
    store.close()


@given(
    some.lists(
        some.tuples(some.sampled_from(["user", "assistant", "system", "tool"]), some.text(max_size=5)), min_size=1
    )
)
def test_whatever_is_said_in_whatever_order_is_a_dialogue_and_nothing_is_lost(pairs: list[tuple[str, str]]) -> None:
    data, _ = to_dialogue({**make_chat(*pairs), "scenario": "given"})
    if not any(role in ("assistant", "tool") for role, _ in pairs):
        return
    item = ITEM.validate_python(data)
    assert isinstance(item, Dialogue)
    heard = "".join(turn.text for turn in item.turns).replace("\n\n", "")
    assert sorted(heard) == sorted("".join(text for _, text in pairs).replace("\n\n", ""))
