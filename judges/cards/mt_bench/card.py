"""mt_bench and mt_bench_pair: answers rated 1-10 turn by turn, or two compared, by judges that reply in prose.

The wordings here are our own. `variant` names the families of prompts that MT-Bench has (single or multi-turn, with or
without a reference): the texts of a user's own judge_prompts.jsonl would take their place as `Card.prompts`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from judges.card import Card, prompts_beside
from judges.mtbench.parsing import ERROR, Counts, rating, winner
from judges.params import Params
from judges.tool_calls import entry_fields as told
from judges.types import Dialogue, Dimension, Pair, Reading, Remark, Scale, Score

WITH_REFERENCE = ("math", "reasoning", "coding")
"""The categories whose judges are shown a reference, where there is one: as FastChat does with single-math-v1."""
VERDICTS = ("a", "tie", "b")
DIMENSIONS = (
    Dimension(
        "rating",
        "turn",
        Scale("ordinal", 1, 10),
        "Quality of the answer in this turn, 1 to 10.",
        anchors=(("1", "worst"), ("10", "best")),
    ),
)
PAIR_DIMENSIONS = (
    Dimension("verdict", "pair", Scale("unordered", categories=VERDICTS, drawn="tie"), "Which response is better."),
)

_REPLY = "## Your reply"


class Prose(BaseModel):
    """A judgment as it came. `counts` says which of several ratings or verdicts in it is the one that counts."""

    model_config = ConfigDict(extra="forbid", strict=True)

    judgment: str = ""
    counts: Counts = "fastchat"

    @property
    def failed(self) -> bool:
        """Whether the text marks a call that failed. Our own judges may quote the mark from what they judge."""
        return self.judgment.strip() == ERROR if self.counts == "last" else ERROR in self.judgment


class Reply(Prose):
    """A rating of one turn, and the score that a file states for it, where it does."""

    turn: int
    score: float | None = None


class PairReply(Prose):
    """A comparison of two responses."""


def text(raw: str, part: str) -> dict[str, Any]:
    """The reply that a judgment in prose about `turn:n` amounts to."""
    return {"turn": int(part.partition(":")[2] or 0), "judgment": raw}


def pair_text(raw: str, _part: str) -> dict[str, Any]:
    """The reply that a comparison in prose amounts to."""
    return {"judgment": raw}


def read(reply: Reply, item: Dialogue) -> Reading:
    """One score for the judged turn. The text decides; where a file's own number differs, a remark says so."""
    unit = f"turn:{reply.turn}"
    if unit not in parts(item):
        return Reading(unscored="incomplete", why=f"turn {reply.turn} is not an assistant turn of this dialogue")
    if reply.failed:
        return Reading(unscored="api_error", why="the judgment is $ERROR$: the call to the judge failed")
    stated = rating(reply.judgment, reply.counts) if reply.judgment.strip() else reply.score
    if stated is None or stated == -1:
        return Reading(unscored="unreadable", why="no [[rating]] in the judgment")
    if not 1 <= stated <= 10 or stated != int(stated):
        return Reading(unscored="out_of_range", why=f"the rating is {stated:g}: allowed are 1 to 10")
    remarks = [Remark(unit, "rating", "note", reply.judgment.strip())] if reply.judgment.strip() else []
    if reply.score is not None and reply.score != stated:
        remarks.append(
            Remark(unit, "rating", "rule", f"The file says {reply.score:g}, the judgment's text says {stated:g}.")
        )
    return Reading((Score(unit, "rating", float(stated)),), tuple(remarks))


def read_pair(reply: PairReply, _item: Pair) -> Reading:
    """The verdict as a score of the pair, the text beside it as a note."""
    if reply.failed:
        return Reading(unscored="api_error", why="the judgment is $ERROR$: the call to the judge failed")
    stated = winner(reply.judgment, reply.counts)
    if stated is None:
        return Reading(unscored="unreadable", why="no [[A]], [[B]] or [[C]] in the judgment")
    note = Remark("pair", "verdict", "note", reply.judgment.strip())
    return Reading((Score("pair", "verdict", float(VERDICTS.index(stated))),), (note,))


def parts(item: Dialogue) -> list[str]:
    """Every assistant turn is judged in a call of its own."""
    return [f"turn:{entry.turn}" for entry in item.turns if entry.role == "assistant"]


def references(item: Dialogue | Pair, turn: int) -> list[str]:
    """The reference answers to the turns up to this one that a judge is shown; [] outside math, reasoning and coding.

    A question's own `reference` is for people where FastChat's files of reference answers (reference_answer/) go with
    it: what a judge may see is then under `reference_answer`, and is the only one that counts, even if it is empty.
    """
    if item.meta.get("category") not in WITH_REFERENCE:
        return []
    held = item.meta.get("reference_answer", item.meta.get("reference"))
    given = [held] if isinstance(held, str) else held
    if not isinstance(given, list) or not all(isinstance(said, str) for said in given):
        return []
    return given[:turn] if len(given) >= turn and given[turn - 1].strip() else []


def variant(item: Dialogue, part: str) -> str:
    """The name of the prompt that a turn gets.

    It is "" for an answer to a single question and multi_turn for one with more before it, either with reference where
    there is one.
    """
    names = ["" if len(_until(item, part)) == 2 else "multi_turn"]
    return _joined([*names, "reference" if references(item, _turn(part)) else ""])


def pair_variant(item: Pair, _part: str) -> str:
    """Which prompt a pair gets: by its turn, which FastChat's files name, and by its reference."""
    turn = _pair_turn(item)
    return _joined(["multi_turn" if turn > 1 else "", "reference" if references(item, turn) else ""])


def fields(item: Dialogue, part: str) -> dict[str, Any]:
    """What the judge of a turn is shown: question and answer, or the dialogue up to the turn that it rates."""
    until = _until(item, part)
    if len(until) == 2:
        shown: dict[str, Any] = {"question": until[0].text, "answer": until[1].text}
    else:
        dialogue = [told(entry) for entry in until]
        shown = {"dialogue": dialogue, "judged_turn": _turn(part)}
    return shown | _with_reference(item, _turn(part))


def pair_fields(item: Pair, _part: str) -> dict[str, Any]:
    """What the judge of a pair is shown; the systems' names are never among it."""
    shown = {"input": item.input_shown, "response_a": item.response_a.text, "response_b": item.response_b.text}
    return shown | _with_reference(item, _pair_turn(item))


def _with_reference(item: Dialogue | Pair, turn: int) -> dict[str, Any]:
    given = references(item, turn)
    return {"reference_answer": [{"turn": n, "text": said} for n, said in enumerate(given, 1)]} if given else {}


def _turn(part: str) -> int:
    return int(part.partition(":")[2])


def _until(item: Dialogue, part: str) -> list[Any]:
    """The entries of a dialogue up to and including the judged one."""
    turn = _turn(part)
    return [entry for entry in item.turns if entry.turn <= turn]


def _pair_turn(item: Pair) -> int:
    turn = item.meta.get("turn", 1)
    return turn if isinstance(turn, int) and turn > 0 else 1


def _joined(names: list[str]) -> str:
    return "_".join(name for name in names if name)


def _prompts(pair: bool) -> dict[str, str]:
    """The prompts of one of the cards by variant; those with a reference say what it is for, before the reply."""
    found = prompts_beside(__file__)
    own = {
        name.removeprefix("pair").removeprefix("_"): t for name, t in found.items() if name.startswith("pair") == pair
    }
    said = Path(__file__).with_name("reference.md").read_text(encoding="utf-8").strip()
    full = {_joined([name, "reference"]): t.replace(_REPLY, f"{said}\n\n{_REPLY}") for name, t in own.items()}
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
    variant=variant,
    parts=parts,
    fields=fields,
    audits=("same_score", "length_rating", "own_family", "injected_order"),
    defaults=Params(combine="mean"),
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
    variant=pair_variant,
    fields=pair_fields,
    audits=("longer_wins", "first_place_wins"),
    defaults=Params(orders="both", combine="vote"),
)
CARDS = (CARD, PAIR)
