"""Audit of averaging: conversation scores that are only the mean of the turn scores (docs/methods.md, Audits)."""

from __future__ import annotations

from itertools import pairwise
from math import floor

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot
from judges.audits._judged import ItemJudgment, group_judgments, item_numbers
from judges.audits._verdict import bounds, flags_of, limit_verdict, make_finding, not_tested, percent, share_of, too_few
from judges.stats.association import r_squared
from judges.stats.concordance import pearson
from judges.stats.intervals import Cells

_TURN = ("context_use", "helpfulness", "safety")


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of dialogues whose coherence is the rounded mean of their turn scores, and R squared of one on the other.

    The share counts only dialogues whose turn scores differ, because a mean and a judgment look alike if all are equal.
    Halves round up. The finding gives the larger of the two figures. Context use drops alone if it falls from one turn
    to the next and neither helpfulness nor safety does.
    """
    judgments, rows = group_judgments(evidence), []
    for judgment in judgments:
        turns, coherence = _turns(judgment), judgment.value("conversation", "coherence")
        if coherence is not None and turns:
            every = [score for turn in turns for score in turn.values()]
            rows.append((judgment.key, coherence, sum(every) / len(every), min(every), max(every)))
    items = len({row[0] for row in rows})
    if stop := too_few(items, "dialogues with coherence and turn scores"):
        return stop
    differ = [row for row in rows if row[3] < row[4]]
    if len({row[1] for row in rows}) < 2 or len({row[0] for row in differ}) < 2:
        same = "coherence is" if len({row[1] for row in rows}) < 2 else "the scores of a dialogue's turns are"
        return not_tested(f"A mean and a judgment look alike here, because {same} always the same.", n=items)
    equal = share_of((key, c == floor(m + 0.5)) for key, c, m, _, _ in differ)
    line = r_squared(pearson(Cells(item_numbers(r[0] for r in rows), [r[2] for r in rows], [r[1] for r in rows])))
    drops, alone = _drops(judgments)
    figure = max((equal, line), key=lambda i: i.point or 0.0)
    verdict = limit_verdict(figure, threshold)
    means = "Coherence {:g} is the rounded mean of turn scores between {:g} and {:g}."
    flags = [
        Flag(key, means.format(c, low, high), "conversation", "coherence", min((high - low) / 5, 0.8))
        for key, c, m, low, high in differ if c == floor(m + 0.5) and high - low >= 2
    ]  # fmt: skip
    fell = f"context use decreases alone in {alone} of {drops} decreases" if drops else "context use never decreases"
    why = (
        f"Coherence equals the rounded mean of differing turn scores in {percent(equal.point)} of the dialogues "
        f"({bounds(equal)}), its R\u00b2 on their mean is {line.point or 0:.2f}, and {fell}."
    )
    picture = Plot.bars(
        "", "share", ("coherence = rounded mean", equal.point), ("R\u00b2 on the mean", line.point),
        ("context use decreases alone", alone / drops if drops else None), mark=threshold,
    )  # fmt: skip
    return make_finding(verdict, why, figure, flags_of(verdict, flags), picture, items)


def _turns(judgment: ItemJudgment) -> list[dict[str, float]]:
    """The scores of every assistant turn that has all three, in order."""
    return [turn for turn in judgment.turn_scores(_TURN) if len(turn) == len(_TURN)]


def _drops(judgments: list[ItemJudgment]) -> tuple[int, int]:
    """Return the number of falls of context use from turn to turn, and of those in which no other score falls."""
    drops = alone = 0
    for judgment in judgments:
        for before, after in pairwise(_turns(judgment)):
            if after["context_use"] < before["context_use"]:
                drops += 1
                alone += all(after[d] >= before[d] for d in ("helpfulness", "safety"))
    return drops, alone


AUDIT = Audit(
    "averaging",
    "Conversation score is a mean of turn scores",
    "Share of dialogues with differing turn scores whose coherence equals the rounded mean of all of them, and R\u00b2 "
    "of coherence on that mean: a judge that averages has not judged the conversation as a whole. Also: how often "
    "context use falls while helpfulness and safety do not.",
    "The share or R\u00b2 is above {threshold}.",
    0.9,
    find,
)
