"""Dialogues in a cell, in the shapes that strangers' files have them in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judges.importing.speakers import read_messages, speaker_roles

SPOKEN = [{"role": "patient", "content": "Q"}, {"role": "doctor", "content": "A"}]
PLAIN = [{"role": "user", "content": "Q"}, {"role": "bot", "content": "A"}]


@pytest.mark.parametrize(
    ("cell", "messages"),
    [
        ([{"spk": "patient", "said_text": "Q"}, {"spk": "doctor", "said_text": "A"}], SPOKEN),
        ({"utterances": [{"spk": "patient", "said_text": "Q"}, {"spk": "doctor", "said_text": "A"}]}, SPOKEN),
        ({"n": 2, "tags": ["x"], "log": [{"id": "1", "speaker": "patient", "utterance": "Q"},
                                         {"id": "2", "speaker": "doctor", "utterance": "A"}]}, SPOKEN),
        ([{"sender": "patient", "message": "Q", "time": "9:00"}, {"sender": "doctor", "message": "A"}], SPOKEN),
        ([["patient", "Q"], ["doctor", "A"]], SPOKEN),
        ([{"type": "user", "content": "Q"}, {"type": "bot", "content": "A"}], PLAIN),
        ([{"user": "Q", "bot": "A"}], PLAIN),
        ({"messages": PLAIN}, PLAIN),
        ([{"from": "human", "value": "Q"}], [{"from": "human", "value": "Q"}]),
        ([{"turn": 1, "role": "user", "text": "Q"}], [{"turn": 1, "role": "user", "text": "Q"}]),
        ([{"role": "Patient", "utterance": "Q"}], [{"role": "patient", "content": "Q"}]),
        ([{"criterion": "is kind", "points": 5}], None),
        ([{"annotator": "ann", "score": 4}], None),
        (["Q", "A"], None),
        ([], None),
        ({}, None),
        ({"a": {"b": PLAIN}}, None),
        ([{"speaker": "x", "text": "Q"}, "A"], None),
        ("User: Q", None),
        ("[broken", None),
        (None, None),
        (3, None),
    ],
)  # fmt: skip
def test_the_messages_of_a_cell(cell: Any, messages: list[dict[str, Any]] | None) -> None:
    assert read_messages(cell) == messages
    if isinstance(cell, (list, dict)):
        assert read_messages(json.dumps(cell)) == messages, "the same as the text of JSON in a table"


@pytest.mark.parametrize(
    ("dialogues", "roles"),
    [
        (["pdpd", "dp", "pd"], {"p": "user", "d": "assistant"}),
        (["user x"], {"x": "assistant"}),
        (["x bot"], {"x": "user"}),
        (["user system user system", "user system"], {"system": "assistant"}),
        (["system user", "system user system"], {}),
        (["system user bot"], {}),
        (["user bot"], {}),
        (["pdn"], {}),
        (["user bot x"], {}),
        ([], {}),
    ],
)
def test_who_is_the_user_where_names_do_not_say(dialogues: list[str], roles: dict[str, str]) -> None:
    speakers = [names.split() if " " in names else list(names) for names in dialogues]
    assert speaker_roles([[{"role": name} for name in names] for names in speakers]) == roles
