"""Rules that accept a judge's verdicts without review: a lead sets a confidence threshold on the gold of the day.

What a rule does not accept goes to people: its items come into the review queue with that reason. A rule is a setting
of the dataset, so the audit log shows who set it, when, and on which figures. A lead sets it again or ends it; it never
changes by itself when gold comes in.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from data.approvals import policy
from data.calibration import auto_accept as figures
from data.calibration import calibration
from data.calibration.auto_accept import ItemConfidence
from data.gold.gold import Basis
from data.records.access import act, allow, require
from data.records.values import change_setting, settings_in
from data.store import Store, cache_result
from data.store.errors import BadInput
from judges import triage
from judges.stats import auto_accept
from judges.stats.auto_accept import AutoAcceptance, ThresholdTest
from judges.triage import Reason
from judges.types import Dimension, UnitSort

_NAME = "sparing:"


@dataclass(frozen=True)
class AutoAcceptTarget:
    """A request: agreement of at least `target` on verdicts accepted without review, except with probability `delta`.

    `source`: whose confidence is used. `near`: on ordered answers, one step apart counts as agreement.
    """

    source: str
    target: float = auto_accept.TARGET
    delta: float = auto_accept.DELTA
    near: bool = False


@dataclass(frozen=True)
class AutoAcceptRule:
    """A rule in force.

    It has its judge and dimension, the request, the resulting threshold, and the figures on the day it was set: the
    share of labelled items above it, agreement there with its lower bound, and on how many items.
    """

    judge: str
    sort: UnitSort
    dimension: str
    source: str
    target: float
    delta: float
    near: bool
    threshold: float
    share: float
    agreement: float
    bound: float
    items: int

    @property
    def request(self) -> AutoAcceptTarget:
        """The request that the rule was made from."""
        return AutoAcceptTarget(self.source, self.target, self.delta, self.near)


@dataclass(frozen=True)
class AutoAcceptThreshold:
    """The result of `request` on the gold of a basis, and the confidence of every item that the judge scored."""

    request: AutoAcceptTarget
    result: AutoAcceptance
    confidence: ItemConfidence

    @property
    def spared(self) -> int:
        """The number of items of the dataset that the threshold accepts without review."""
        return self.confidence.count_above(self.result.chosen.threshold) if self.result.chosen else 0


@allow("annotator")
@cache_result
def find_threshold(
    store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis, target: AutoAcceptTarget
) -> AutoAcceptThreshold:
    """The threshold on the gold of a basis. Raises BadTarget for a target that cannot be."""
    sure = figures.item_confidence(store, dataset_id, judge_id, dimension, target.source)
    cells = figures.verdict_cells(store, dataset_id, judge_id, dimension, basis, sure, target.near)
    return AutoAcceptThreshold(target, auto_accept.find_threshold(cells, target.target, target.delta), sure)


@allow("annotator")
def evaluate_rule(
    store: Store, dataset_id: str, dimension: Dimension, rule: AutoAcceptRule
) -> tuple[ThresholdTest, ItemConfidence]:
    """Return the rule's agreement on the gold that counts today, and the confidence of every item."""
    sure = figures.item_confidence(store, dataset_id, rule.judge, dimension, rule.source)
    basis = policy.approval_basis(store, dataset_id)
    cells = figures.verdict_cells(store, dataset_id, rule.judge, dimension, basis, sure, rule.near)
    return auto_accept.agreement_at(cells, rule.threshold, rule.delta), sure


@allow("lead")
def set_rule(
    store: Store, actor: str, dataset_id: str, judge_id: str, dimension: Dimension, target: AutoAcceptTarget
) -> AutoAcceptRule:
    """Set the rule that `target` leads to on the labels that the approval check counts (leads).

    Raises NotAllowed, or BadInput with the reason if no threshold is shown to reach the target.
    """
    require(store, actor, "lead")
    threshold = find_threshold(store, dataset_id, judge_id, dimension, policy.approval_basis(store, dataset_id), target)
    if threshold.result.chosen is None:
        raise BadInput(f"No verdict of {dimension.title} can be kept unseen. {threshold.result.why}")
    chosen = threshold.result.chosen
    rule = AutoAcceptRule(
        judge_id, dimension.sort, dimension.name, target.source, target.target, target.delta, target.near,
        chosen.threshold, chosen.share, chosen.agreement.point or 0.0, chosen.agreement.lower_bound or 0.0,
        threshold.result.items,
    )  # fmt: skip
    _append(store, actor, dataset_id, rule, asdict(rule))
    return rule


@allow("lead")
def end_rule(store: Store, actor: str, dataset_id: str, rule: AutoAcceptRule) -> None:
    """End a rule (leads): from now on it accepts no verdict without review. Raises NotAllowed."""
    _append(store, actor, dataset_id, rule, None)


def _append(store: Store, actor: str, dataset_id: str, rule: AutoAcceptRule, value: object) -> None:
    name, action = f"{_NAME}{rule.judge}:{rule.sort}.{rule.dimension}", "which verdicts are kept unseen"
    act(store, actor, "lead", action, lambda tx: change_setting(tx, dataset_id, name, value), dataset_id)


@allow("annotator")
def rules_in_force(store: Store, dataset_id: str, judge_id: str = "") -> list[AutoAcceptRule]:
    """The rules in force on a dataset, of one judge or all."""
    rules = [AutoAcceptRule(**value) for value in settings_in(store, dataset_id, _NAME).values() if value is not None]
    return [rule for rule in rules if judge_id in ("", rule.judge)]


@allow("annotator")
def rule_in_force(store: Store, dataset_id: str, judge_id: str, dimension: Dimension) -> AutoAcceptRule | None:
    """The rule in force for a dimension of a judge."""
    rules = rules_in_force(store, dataset_id, judge_id)
    return next((rule for rule in rules if (rule.sort, rule.dimension) == (dimension.sort, dimension.name)), None)


def rule_confidence(store: Store, dataset_id: str, rule: AutoAcceptRule) -> ItemConfidence | None:
    """The confidence of every item by a rule; None where the judge's card no longer has the dimension."""
    dimensions = calibration.compared_dimensions(store, rule.judge)
    dimension = next((d for d in dimensions if (d.sort, d.name) == (rule.sort, rule.dimension)), None)
    return None if dimension is None else figures.item_confidence(store, dataset_id, rule.judge, dimension, rule.source)


def reasons_for_people(store: Store, dataset_id: str, judge_id: str) -> list[Reason]:
    """Return why items go to people: one reason for each item and each rule that does not accept it."""
    reasons = []
    for rule in rules_in_force(store, dataset_id, judge_id):
        sure = rule_confidence(store, dataset_id, rule)
        if sure is None:
            continue
        for item, confidence, unit in zip(sure.item, sure.confidence, sure.unit, strict=True):
            if not confidence >= rule.threshold:
                known = None if np.isnan(confidence) else float(confidence)
                reasons.append(triage.below_threshold(str(item), str(unit), rule.dimension, known, rule.threshold))
    return reasons
