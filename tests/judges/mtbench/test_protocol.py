"""Protocols as data: the two that are built in, a user's own, and what makes another judge."""

from __future__ import annotations

import json

import pytest

from judges.errors import AssayError
from judges.mtbench.protocol import Protocol, describe_protocol, find_protocol, parse_protocol, protocols


def test_the_two_that_are_built_in_differ_where_their_pipelines_do():
    fastchat, swallow = protocols()["fastchat"], protocols()["swallow"]
    assert (fastchat.samples, swallow.samples) == (1, 5)
    assert (fastchat.continues, swallow.continues) == ("own", "first")
    assert (fastchat.failed, swallow.failed) == ("left out", "all failed")
    assert (fastchat.temperature("unheard-of"), swallow.temperature("unheard-of")) == (0.7, 0.0)
    assert fastchat.temperature("stem") == swallow.temperature("stem") == 0.1
    assert fastchat.temperature("math", required=0.3) == 0.3


def test_a_protocol_of_a_file_is_found_by_its_path(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"name": "mine", "samples": 3}), encoding="utf-8")
    assert find_protocol(str(file)).samples == 3
    with pytest.raises(AssayError, match="There are: fastchat, swallow"):
        find_protocol("none")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("[]", "the whole"),
        ('{"name": "x", "samples": 0}', "samples"),
        ('{"name": "x", "unheard": 1}', "unheard"),
        ('{"name": "Two words"}', "name"),
        ('{"name": "x", "temperatures": {"math": 9}}', "temperatures.math"),
    ],
)
def test_what_is_no_protocol_is_said_by_its_field(text, says):
    with pytest.raises(AssayError, match=says):
        parse_protocol(text)


def test_its_mark_follows_what_judgments_rest_on_and_not_how_they_are_read():
    protocol = Protocol(name="x")
    assert protocol.mark == protocol.model_copy(update={"failed": "counted", "scale": "share", "title": "X"}).mark
    changed = [{"samples": 2}, {"cut_at": 10}, {"thinking": "kept"}, {"prompts": "single-v1"}, {"system": "Answer."}]
    assert len({protocol.mark, *(protocol.model_copy(update=it).mark for it in changed)}) == 1 + len(changed)


def test_the_two_in_words_are_the_table_of_their_pipelines():
    """What each does, row by row; where they do the same, it says the same."""
    fastchat, swallow = (dict(describe_protocol(protocols()[name])) for name in ("fastchat", "swallow"))
    assert list(fastchat) == list(swallow)
    assert {name: (fastchat[name], swallow[name]) for name in fastchat if fastchat[name] != swallow[name]} == {
        "system prompt for answers": ("the model's own", protocols()["swallow"].system),
        "temperature of answers": (
            "coding, extraction, math, reasoning 0; humanities, stem 0.1; roleplay, writing 0.7; others 0.7",
            "coding, extraction, math, reasoning 0; humanities, stem 0.1; roleplay, writing 0.7; others 0",
        ),
        "answers to a question": ("1", "5"),
        "turn 2 follows": ("its own turn 1", "turn 1 of the first sample"),
        "longest answer": ("1,024 tokens", "2,048 tokens"),
        "answers cut at": ("never", "8,192 characters"),
        "thinking in answers": ("taken out", "shown"),
        "references": ("those named after the judge", "the questions' own"),
        "judge's prompts": ("our own wording", "our own wording, which expects answers in Japanese"),
        "judge": (
            "gpt-4.1-2025-04-14, temperature 0, 2,048 tokens", "gpt-4o-2024-08-06, temperature 0, 4,096 tokens",
        ),
        "failed judgments": ("left out", "counted as -1, left out where all samples of a turn failed"),
        "repeated judgments": ("each counts", "their mean counts"),
        "scale": ("1 to 10", "divided by ten"),
        "share of Japanese": ("not reported", "reported"),
    }  # fmt: skip


def test_no_field_of_a_protocol_is_left_out_of_its_words():
    protocol = Protocol(name="x")
    changes = {
        "questions": "q", "system": "s", "temperatures": {"math": 0.2}, "other_temperature": 1.0, "samples": 2,
        "continues": "first", "cut_at": 9, "max_tokens": 99, "prompts": "single-v1", "judge": "m",
        "judge_temperature": 1.0, "judge_max_tokens": 99, "references": "gpt-4", "thinking": "kept", "parse": "last",
        "failed": "counted", "duplicates": "first", "scale": "share", "japanese_share": True,
    }  # fmt: skip
    assert changes.keys() == Protocol.model_fields.keys() - {"name", "title"}
    for field, value in changes.items():
        assert describe_protocol(protocol.model_copy(update={field: value})) != describe_protocol(protocol), field


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"name": "x", "name": "y"}', "stands twice|twice"),
        ('{"name": "x", "system": "\\u0000"}', "holds the character NUL"),
        ('{"name": "x", "system": "\\ud800"}', "half of a surrogate pair"),
        ('{"name": "x", "other_temperature": NaN}', "holds NaN"),
        ('{"name": "x", "system": "' + "a" * 20_001 + '"}', "system: .*20000 characters"),
        ("[" * 200 + "]" * 200, "levels deep"),
    ],
)
def test_a_hostile_protocol_is_refused_in_a_sentence(text, says):
    with pytest.raises(AssayError, match=says):
        parse_protocol(text)
