"""plain_pairwise: which of two responses is better, and nothing else; for pairs too short to cut into sections."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from judges.card import Card
from judges.types import Dimension, Pair, Reading, Remark, Scale, Score

VERDICTS = ("a", "tie", "b")
DIMENSIONS = (
    Dimension("verdict", "pair", Scale("unordered", categories=VERDICTS, drawn="tie"), "Which response is better."),
)


class Reply(BaseModel):
    """The judge's verdict, with its reason where it gave one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    verdict: Literal["a", "tie", "b"]
    reason: str = ""


def read(reply: Reply, item: Pair) -> Reading:
    """The verdict as a score of the pair."""
    remarks = (Remark("pair", "verdict", "note", reply.reason),) if reply.reason.strip() else ()
    return Reading((Score("pair", "verdict", float(VERDICTS.index(reply.verdict))),), remarks)


CARD = Card("plain_pairwise", "Plain pair", "pair", DIMENSIONS, Reply, read)
