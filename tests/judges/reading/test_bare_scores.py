"""Scores without a reply: which texts hold them, and what of them has no cell."""

from __future__ import annotations

import pytest

from judges.cards import card
from judges.reading.bare_scores import BareScore, NoCell, from_raw, read_scores, to_raw
from judges.types import Response

ITEM = Response(id="r", kind="response", task="Why?", output="Because.")


def test_only_a_text_of_scores_alone_holds_them() -> None:
    scores = [BareScore(unit="response", dimension="factuality", value="4", note="Ja.")]
    raw = to_raw(scores)
    assert raw == '{"scores":[{"dimension":"factuality","note":"Ja.","unit":"response","value":"4"}]}'
    assert from_raw(raw) == scores
    for other in (raw[:-1] + ',"reason":"x"}', raw[:-1], raw.replace("unit", "part"), " " + raw, '{"scores":["x"]}'):
        assert from_raw(other) is None


@pytest.mark.parametrize(
    ("unit", "dimension", "why"),
    [
        ("turn:1", "factuality", "The item has no unit 'turn:1'. It has: response."),
        ("response", "wit", "The card pointwise_quality has no 'wit' of response. It has: instruction_"),
    ],
)
def test_a_score_without_a_cell_is_refused_with_those_that_there_are(unit: str, dimension: str, why: str) -> None:
    with pytest.raises(NoCell) as refusal:
        read_scores(card("pointwise_quality"), [BareScore(unit=unit, dimension=dimension, value=4)], ITEM)
    assert str(refusal.value).startswith(why)
