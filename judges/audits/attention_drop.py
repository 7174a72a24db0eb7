"""Audit of attention in long dialogues: all turns of a long dialogue get the same scores (docs/methods.md, Audits)."""

from __future__ import annotations

from collections import defaultdict
from statistics import pvariance

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot, Verdict
from judges.audits._judged import group_judgments, ordered_dimensions
from judges.audits._verdict import bounds, flags_of, make_finding, percent, share_of, too_few
from judges.stats.clustered import newcombe_difference

LONG_DIALOGUE_TURNS = 10
"""Assistant turns above which a dialogue is long."""
_WARNING_DISTANCE = 0.1
_MIN_DIALOGUES_PER_TURN = 5  # dialogues that a turn position needs to have a variance drawn


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of dialogues in which every assistant turn gets the same scores, long (over 10 turns) minus others.

    Difference with Newcombe's interval; dialogues of one turn are left out. In a short dialogue all scores are more
    often equal by chance, so the difference errs towards *pass*. The variance of scores at each turn position, over
    dialogues and averaged over dimensions, is drawn.
    """
    names = sorted(name for sort, name in ordered_dimensions(evidence.card) if sort == "turn")
    rows = [(j, turns) for j in group_judgments(evidence) if len(turns := j.turn_scores(names)) > 1]
    groups = [[(j, t) for j, t in rows if (len(t) > LONG_DIALOGUE_TURNS) is long] for long in (False, True)]
    for group, noun in zip(
        groups,
        (f"dialogues of 2 to {LONG_DIALOGUE_TURNS} turns", f"dialogues of over {LONG_DIALOGUE_TURNS} turns"),
        strict=True,
    ):
        if stop := too_few(len({j.key for j, _ in group}), noun):
            return stop
    same = [[(j, turns, all(turn == turns[0] for turn in turns)) for j, turns in group] for group in groups]
    short, long = (share_of((j.key, flat) for j, _, flat in group) for group in same)
    gap = newcombe_difference(short, long)
    assert gap.point is not None and gap.low is not None
    verdict: Verdict = (
        "alarm" if gap.low > threshold else "warning" if gap.point > max(threshold, _WARNING_DISTANCE) else "pass"
    )
    why = (
        f"All turns get the same scores in {percent(long.point)} of {long.items} long dialogues and in "
        f"{percent(short.point)} of {short.items} others, a difference of {bounds(gap)}."
    )
    flags = [
        Flag(j.key, f"All {len(t)} turns get the same scores.", "conversation", "", min(0.3 + len(t) / 100, 0.7))
        for j, t, flat in same[1] if flat
    ]  # fmt: skip
    names_of = f"up to {LONG_DIALOGUE_TURNS} turns", f"over {LONG_DIALOGUE_TURNS} turns"
    series = [(name, *_by_position([t for _, t in group])) for name, group in zip(names_of, groups, strict=True)]
    picture = Plot("lines", "turn", "variance of scores", tuple(series))
    return make_finding(verdict, why, gap, flags_of(verdict, flags), picture, len({j.key for j, _ in rows}))


def _by_position(dialogues: list[list[dict[str, float]]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Turn positions, from 1, and the variance of scores there over dialogues, averaged over dimensions."""
    values: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for turns in dialogues:
        for position, turn in enumerate(turns, 1):
            for name, value in turn.items():
                values[position][name].append(value)
    xs, ys = [], []
    for position, by_name in sorted(values.items()):
        spread = [pvariance(scores) for scores in by_name.values() if len(scores) >= _MIN_DIALOGUES_PER_TURN]
        if spread:
            xs.append(float(position))
            ys.append(sum(spread) / len(spread))
    return tuple(xs), tuple(ys)


AUDIT = Audit(
    "attention_drop",
    "Uniform scores in long dialogues",
    f"Share of dialogues of over {LONG_DIALOGUE_TURNS} turns in which all turns get the same scores, minus the "
    "same share of shorter dialogues: a sign that attention degrades over a long context. The plot shows the "
    "variance of scores by turn.",
    "The interval of the difference (Newcombe) is above {threshold}.",
    0.0,
    find,
)
