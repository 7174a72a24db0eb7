"""Protocols as data: the two that are built in, a user's own, and what makes another judge."""

from __future__ import annotations

import json

import pytest

from judges.errors import AssayError
from judges.mtbench.protocol import Protocol, find_protocol, parse_protocol, protocols


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
    one = Protocol(name="x")
    assert one.mark == one.model_copy(update={"failed": "counted", "scale": "share", "title": "X"}).mark
    changed = [{"samples": 2}, {"cut_at": 10}, {"thinking": "kept"}, {"prompts": "single-v1"}, {"system": "Answer."}]
    assert len({one.mark, *(one.model_copy(update=it).mark for it in changed)}) == 1 + len(changed)
