"""Audit of the scenario: the same dialogue under another scenario gets the same scores (docs/methods.md, Audits)."""

from __future__ import annotations

from collections import defaultdict

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot, Verdict
from judges.audits._judged import cell_means, group_by_item, group_judgments, ordered_dimensions
from judges.audits._verdict import bounds, flags_of, make_finding, not_tested, percent, share_of, too_few
from judges.types import sort_of

PROBE = "scenario_swapped"
_FEW_MOVE = 0.2
"""Below this share of dialogues that move, as far as the interval goes, the scenario counts for little."""


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of dialogues in which any ordered score (mean over samples) changes when the scenario is replaced."""
    if not evidence.probes.get(PROBE):
        return not_tested("The probe that swaps scenarios has not been run with this judge.")
    questions = ordered_dimensions(evidence.card)
    replies = evidence.replies, evidence.probes[PROBE]
    before, after = (group_by_item(cell_means(group_judgments(evidence, run))) for run in replies)
    moved: dict[str, bool] = {}
    by_dimension: dict[str, list[bool]] = defaultdict(list)
    for item, cells in before.items():
        now = after.get(item, {})
        shared = [
            (dimension, value != now[unit, dimension])
            for (unit, dimension), value in cells.items()
            if (unit, dimension) in now and (sort_of(unit), dimension) in questions
        ]
        for dimension, changed in shared:
            by_dimension[dimension].append(changed)
        if shared:
            moved[item] = any(changed for _, changed in shared)
    if stop := too_few(len(moved), "dialogues scored with and without the probe"):
        return stop
    rate = share_of(moved.items())
    assert rate.point is not None and rate.low is not None and rate.high is not None
    reaches = rate.low <= threshold or rate.high < _FEW_MOVE
    verdict: Verdict = "alarm" if rate.point <= threshold else "warning" if reaches else "pass"
    why = f"With another scenario a score changes in {percent(rate.point)} of {len(moved)} dialogues ({bounds(rate)})."
    still = [
        Flag(item, "No score changes when the scenario is another one.", "conversation", "", 0.3)
        for item, changed in moved.items()
        if not changed
    ]
    heights = [(name.replace("_", " "), sum(changes) / len(changes)) for name, changes in by_dimension.items()]
    picture = Plot.bars("", "share of scores that change", *heights)
    return make_finding(verdict, why, rate, flags_of(verdict, still), picture)


AUDIT = Audit(
    "scenario_ignored",
    "Insensitivity to the scenario",
    "Share of dialogues in which at least one score changes when the judge is shown the same dialogue under another "
    "scenario.",
    "The share is {threshold} or less.",
    0.0,
    find,
    probe=PROBE,
)
