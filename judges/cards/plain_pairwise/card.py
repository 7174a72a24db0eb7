"""plain_pairwise: which of two responses is better, and nothing else; for pairs too short to cut into sections."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from judges.card import Card, prompts_beside
from judges.params import Params
from judges.reading import length_limits
from judges.reading.values import TEXT, fold
from judges.types import Dimension, Pair, Reading, Remark, Scale, Score, Strict

VERDICTS = ("a", "tie", "b")
WORDS = 40
"""Words of the reason."""
DIMENSIONS = (
    Dimension("verdict", "pair", Scale("unordered", categories=VERDICTS, drawn="tie"), "Which response is better."),
)


class Reply(Strict):
    """The judge's verdict, with its reason where it gave one."""

    reason: TEXT = ""
    verdict: Annotated[Literal["a", "b", "tie"], BeforeValidator(fold)]


def read(reply: Reply, item: Pair) -> Reading:
    """The verdict as a score of the pair."""
    remarks = [Remark("pair", "verdict", "note", reply.reason)] if reply.reason.strip() else []
    remarks += length_limits.mark_many_words("pair", "reason", reply.reason, WORDS)
    return Reading((Score("pair", "verdict", float(VERDICTS.index(reply.verdict))),), tuple(remarks))


def fields(item: Pair, _part: str) -> dict[str, Any]:
    """Return the fields that the judge is shown; the systems' names are not among them."""
    return {"input": item.input_shown, "response_a": item.response_a.text, "response_b": item.response_b.text}


CARD = Card(
    "plain_pairwise",
    "Plain pair",
    "pair",
    DIMENSIONS,
    Reply,
    read,
    prompts=prompts_beside(__file__),
    fields=fields,
    audits=("longer_wins", "first_place_wins"),
    defaults=Params(orders="both", combine="vote"),
    rules=(f"The reason has at most {WORDS} words. {length_limits.RULE}",),
)
