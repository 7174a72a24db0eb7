"""mt_bench: a rating of 1-10 for each judged turn of a dialogue, as MT-Bench judges give it in prose."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict

from judges.card import Card
from judges.types import Dialogue, Dimension, Reading, Remark, Scale, Score

DIMENSIONS = (Dimension("rating", "turn", Scale("ordinal", 1, 10), "Quality of the answer in this turn, 1 to 10."),)

_DOUBLE = re.compile(r"\[\[(-?\d+\.?\d*)\]\]")
_SINGLE = re.compile(r"\[(-?\d+\.?\d*)\]")


def rating(text: str) -> float | None:
    """The rating that a judgment states: the first `[[n]]`, else the first `[n]`, else None (MTBENCH, rule 1)."""
    found = _DOUBLE.search(text) or _SINGLE.search(text)
    return float(found.group(1)) if found else None


class Reply(BaseModel):
    """A rating of one turn: the judgment as it came, and the score that a file states for it, where it does."""

    model_config = ConfigDict(extra="forbid", strict=True)

    turn: int
    judgment: str = ""
    score: float | None = None


def text(raw: str, part: str) -> dict[str, Any]:
    """The reply that a judgment in prose about `turn:n` amounts to."""
    return {"turn": int(part.partition(":")[2] or 0), "judgment": raw}


def read(reply: Reply, item: Dialogue) -> Reading:
    """One score for the judged turn. The text decides; where a file's own number differs, a remark says so."""
    unit = f"turn:{reply.turn}"
    if unit not in {f"turn:{t.turn}" for t in item.turns if t.role == "assistant"}:
        return Reading(unscored="incomplete", why=f"turn {reply.turn} is not an assistant turn of this dialogue")
    if "$ERROR$" in reply.judgment:
        return Reading(unscored="api_error", why="the judgment is $ERROR$: the call to the judge failed")
    stated = rating(reply.judgment) if reply.judgment.strip() else reply.score
    if stated is None or stated == -1:
        return Reading(unscored="unreadable", why="no [[rating]] in the judgment")
    if stated != int(stated) or not 1 <= stated <= 10:
        return Reading(unscored="out_of_range", why=f"the rating is {stated:g}: allowed are 1 to 10")
    remarks = [Remark(unit, "rating", "note", reply.judgment.strip())] if reply.judgment.strip() else []
    if reply.score is not None and reply.score != stated:
        remarks.append(
            Remark(unit, "rating", "rule", f"The file says {reply.score:g}, the judgment's text says {stated:g}.")
        )
    return Reading((Score(unit, "rating", float(stated)),), tuple(remarks))


CARD = Card("mt_bench", "MT-Bench rating", "dialogue", DIMENSIONS, Reply, read, text)
