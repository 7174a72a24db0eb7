"""mt_bench and mt_bench_pair: answers rated 1-10 turn by turn, or two compared, by judges that reply in prose.

The wordings here are our own. `variant` names the families of prompts that MT-Bench has (single or multi-turn, with or
without a reference); protocol_cards.py has the same cards as a protocol of MT-Bench has them shown.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judges.card import Card, prompts_beside
from judges.cards.mt_bench import presentation
from judges.mtbench.parsing import Counts, is_failed_call, rating, winner
from judges.params import Params
from judges.types import Dialogue, Dimension, Pair, Reading, Remark, Scale, Score, Strict, assistant_units

VERDICTS = ("a", "tie", "b")
DIMENSIONS = (
    Dimension(
        "rating", "turn", Scale("ordinal", 1, 10), "Quality of the answer in this turn, 1 to 10.",
        anchors=(("1", "worst"), ("10", "best")), between=True,
    ),
)  # fmt: skip
PAIR_DIMENSIONS = (
    Dimension("verdict", "pair", Scale("unordered", categories=VERDICTS, drawn="tie"), "Which response is better."),
)


class Prose(Strict):
    """A judgment as it came. `counts` says which of several ratings or verdicts in it is the one that counts."""

    judgment: str = ""
    counts: Counts = "fastchat"


class Reply(Prose):
    """A rating of one turn, and the score that a file states for it, where it does."""

    turn: int
    score: float | None = None


class PairReply(Prose):
    """A comparison of two responses."""


def text(raw: str, part: str) -> dict[str, Any]:
    """The reply that a judgment in prose about `turn:n` means."""
    return {"turn": int(part.partition(":")[2] or 0), "judgment": raw}


def pair_text(raw: str, _part: str) -> dict[str, Any]:
    """The reply that a comparison in prose means."""
    return {"judgment": raw}


def read(reply: Reply, item: Dialogue) -> Reading:
    """One score for the judged turn. The text decides; where a file's own number differs, a remark says so."""
    unit = f"turn:{reply.turn}"
    if unit not in assistant_units(item):
        return Reading(unscored="incomplete", why=f"turn {reply.turn} is not an assistant turn of this dialogue")
    has_text = bool(reply.judgment.strip())
    stated = rating(reply.judgment, reply.counts) if has_text else reply.score
    rules: tuple[Remark, ...] = ()
    if has_text and reply.score is not None and reply.score != (-1 if stated is None else stated):
        says = "has no rating" if stated is None else f"says {stated:g}"
        rules = (Remark(unit, "rating", "rule", f"The file says {reply.score:g}, the judgment's text {says}."),)
    if is_failed_call(reply.judgment):
        return Reading((), rules, "api_error", "the judgment is $ERROR$: the call to the judge failed")
    if stated is None or (stated == -1 and not has_text):
        return Reading((), rules, "unreadable", "no [[rating]] in the judgment")
    if not 1 <= stated <= 10:
        return Reading((), rules, "out_of_range", f"the rating is {stated:g}: allowed are 1 to 10")
    notes = [Remark(unit, "rating", "note", reply.judgment.strip())] if has_text else []
    return Reading((Score(unit, "rating", float(stated)),), (*notes, *rules))


def read_pair(reply: PairReply, _item: Pair) -> Reading:
    """The verdict as a score of the pair, with the text as a note."""
    if is_failed_call(reply.judgment):
        return Reading(unscored="api_error", why="the judgment is $ERROR$: the call to the judge failed")
    stated = winner(reply.judgment, reply.counts)
    if stated is None:
        return Reading(unscored="unreadable", why="no [[A]], [[B]] or [[C]] in the judgment")
    note = Remark("pair", "verdict", "note", reply.judgment.strip())
    return Reading((Score("pair", "verdict", float(VERDICTS.index(stated))),), (note,))


def _prompts(pair: bool) -> dict[str, str]:
    """The prompts of a card by variant; prompts with a reference explain it before the part on the reply."""
    texts = prompts_beside(__file__)
    own = {
        name.removeprefix("pair").removeprefix("_"): t for name, t in texts.items() if name.startswith("pair") == pair
    }
    note = Path(__file__).with_name("reference.md").read_text(encoding="utf-8").strip()
    with_note = f"{note}\n\n{presentation.REPLY}"
    full = {f"{name}_reference".lstrip("_"): t.replace(presentation.REPLY, with_note) for name, t in own.items()}
    return own | full


CARD = Card(
    "mt_bench",
    "MT-Bench rating",
    "dialogue",
    DIMENSIONS,
    Reply,
    read,
    text,
    prompts=_prompts(pair=False),
    variant=presentation.turn_variant,
    parts=assistant_units,
    fields=presentation.turn_fields,
    audits=("same_score", "length_rating", "own_family", "injected_order"),
    defaults=Params(combine="mean"),
    again=presentation.restore_card,
    needs=("Reference answers for questions of mathematics, coding and reasoning, as MT-Bench has them.",),
)
PAIR = Card(
    "mt_bench_pair",
    "MT-Bench pair",
    "pair",
    PAIR_DIMENSIONS,
    PairReply,
    read_pair,
    pair_text,
    prompts=_prompts(pair=True),
    variant=presentation.pair_variant,
    fields=presentation.pair_fields,
    audits=("longer_wins", "first_place_wins"),
    defaults=Params(orders="both", combine="vote"),
    again=presentation.restore_card,
)
CARDS = (CARD, PAIR)
