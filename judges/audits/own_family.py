"""Audit of self-preference: the judge favours systems of its own model family (docs/methods.md, Audits)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from judges.audits import Audit, AuditEvidence, AuditFinding, Cell, Flag, Plot
from judges.audits._judged import cell_means, graded_cells, group_judgments, item_means, item_numbers
from judges.audits._verdict import MIN_ITEMS, bounds, flags_of, make_finding, neutral_verdict, not_tested, too_few
from judges.families import family
from judges.stats.clustered import mean_by_item
from judges.stats.uncertainty import independent_difference
from judges.types import systems

_WARNING_DISTANCE = 0.25
"""Points of the scale that are a warning where the interval does not settle them."""


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """(judge minus second judge) on systems of the judge's family, minus the same on systems of other families.

    A difference of differences: how good the systems are, and how kind either judge is to all, falls out. The gap of an
    item is the mean over its cells that both scored, over dimensions that give points; several second judges
    are averaged. Items of the second judges' own families are left out where enough others remain, as those judges may
    be kind to theirs. Interval: items are independent, the errors of the two groups are added.
    """
    own = family(evidence.model)
    second = {model: replies for model, replies in evidence.others.items() if family(model) not in ("", own)}
    if not second:
        return not_tested("There is no second judge of another family on the same items: run one on them.")
    second_means: dict[Cell, list[float]] = defaultdict(list)
    for replies in second.values():
        for cell, value in cell_means(group_judgments(evidence, replies)).items():
            second_means[cell].append(value)
    gaps_by_cell = {
        cell: value - sum(second_means[cell]) / len(second_means[cell])
        for cell, value in graded_cells(evidence.card, group_judgments(evidence)).items()
        if cell in second_means
    }
    gaps = item_means(gaps_by_cell)
    of = {item: family(systems(evidence.items[item])[0]) for item in gaps}
    kin = [item for item in gaps if of[item] == own]
    other = [item for item in gaps if of[item] not in ("", own)]
    strangers = [item for item in other if of[item] not in {family(model) for model in second}]
    left_out = len(strangers) >= MIN_ITEMS
    other = strangers if left_out else other
    stop = too_few(len(kin), f"items by a system of the judge's own family ({own}) that both judges scored")
    if stop := stop or too_few(len(other), "items by systems of other families that both judges scored"):
        return stop
    other_mean, kin_mean = (mean_by_item([gaps[item] for item in group], item_numbers(group)) for group in (other, kin))
    gap = independent_difference(other_mean, kin_mean, "difference of means")
    assert gap.point is not None
    verdict = neutral_verdict(gap, 0.0, _WARNING_DISTANCE)
    higher = "higher" if gap.point > 0 else "lower" if gap.point < 0 else "no higher"
    kin_too = ", with the second judge's own family among the others"
    second_name = next(iter(second)) if len(second) == 1 else f"{len(second)} judges of other families"
    why = (
        f"Compared with {second_name}, the judge scores its own family ({own}, {len(kin)} items) "
        f"{abs(gap.point):.2f} points {higher} than others ({len(other)} items), {bounds(gap, False)}"
        f"{'' if left_out else kin_too}."
    )
    flags = [
        Flag(item, f"The judge gives {more:.2f} points more than the second judge.", strength=min(0.2 + more / 8, 0.7))
        for item in kin
        if (more := gaps[item]) >= 1
    ]
    by_family: dict[str, list[float]] = defaultdict(list)
    for item, value in gaps.items():
        by_family[of[item] or "not known"].append(value)
    heights = [(name, sum(values) / len(values)) for name, values in sorted(by_family.items())]
    picture = Plot.bars("family of the system", "judge minus second judge", *heights)
    items = len(kin) + len(other)
    of_all = replace(gap, items=items, cells=items, n_eff=float(items))
    return make_finding(verdict, why, of_all, flags_of(verdict, flags), picture)


AUDIT = Audit(
    "own_family",
    "Self-preference",
    "Bias towards systems of the judge's own model family: its scores minus those of a second judge of another family "
    "on the same items, as the mean on systems of its own family minus the mean on others.",
    "The interval of the difference excludes 0.",
    None,
    find,
    probe="second judge",
)
