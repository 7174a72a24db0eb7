"""What follows from the gold since an approval: hand arithmetic, and the border between looking and suspending."""

from __future__ import annotations

from dataclasses import replace
from math import exp, hypot

import pytest

from judges.stats import drift
from judges.stats.approval_check import CheckPolicy
from judges.stats.drift import FrozenEvidence, GoldAgreement
from judges.stats.sequential import OpenSchedule
from judges.stats.uncertainty import Interval

POLICY = CheckPolicy()
THEN = FrozenEvidence(0.7, 0.05, 200, 200)
Z = OpenSchedule(drift.MIN_ITEMS, 1_000).boundary(0.05, 100)


def figure(kappa: float | None, se: float, items: int, n_eff: float = 0.0, commonest: float = 0.3) -> GoldAgreement:
    low = None if kappa is None else kappa - 1.645 * se
    high = None if kappa is None else kappa + 1.96 * se
    return GoldAgreement(Interval(kappa, low, high, low, items, items, n_eff or items, "hand", se), commonest)


def test_the_upper_end_of_new_gold_is_the_boundary_on_the_scale_of_intervals():
    interval = drift.anytime_interval(figure(0.3, 0.07, 100), figure(0.6, 0.04, 400))
    # the error of all gold on a fourth of its items is .04 * 2 = .08, the larger one
    assert interval.se == pytest.approx(0.08)
    assert interval.high == pytest.approx(1 - 0.7 * exp(-Z * 0.08 / 0.7))
    assert drift.anytime_interval(figure(1.0, 0.0, 60), figure(1.0, 0.0, 160)).high == 1.0


def test_new_gold_suspends_when_it_is_below_for_sure():
    pooled = figure(0.6, 0.04, 300)
    assessment = drift.assess_drift(THEN, pooled, figure(0.2, 0.08, 100), None, POLICY)
    assert (assessment.state, assessment.reasons) == ("suspended", ("since",))
    assert "Kappa of labels since the approval is 0.20 on 100 items" in assessment.why and "0.50" in assessment.why
    # the same where it is but the newest part of what came
    newest = drift.assess_drift(THEN, pooled, figure(0.55, 0.05, 300), figure(0.2, 0.08, 120), POLICY)
    assert (newest.state, newest.reasons) == ("suspended", ("latest",))
    assert newest.since is not None and newest.since.point == 0.55


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (figure(0.2, 0.08, 49), "too few items"),
        (figure(0.2, 0.08, 200, n_eff=30), "worth too few"),
        (figure(0.2, 0.08, 100, commonest=0.9), "ten other answers"),
        (figure(None, 0.0, 100), "undefined"),
    ],
)
def test_too_little_new_gold_says_nothing(new, why):
    assessment = drift.assess_drift(THEN, figure(0.65, 0.04, 300), new, None, POLICY)
    assert (assessment.state, assessment.since, assessment.change) == ("holds", None, None), why


def test_what_is_neither_sound_nor_sure_is_to_be_looked_at():
    assessment = drift.assess_drift(THEN, figure(0.65, 0.04, 300), figure(0.45, 0.08, 100), None, POLICY)
    assert (assessment.state, assessment.reasons) == ("to be looked at", ("lower",))
    assert "0.45 on 100 items" in assessment.why and "may be chance" in assessment.why
    assessment = drift.assess_drift(THEN, figure(0.52, 0.04, 300), figure(0.55, 0.08, 100), None, POLICY)
    assert assessment.reasons == ("bound",) and "would not be approved now" in assessment.why


def test_all_gold_below_the_threshold_suspends_unless_a_draw_is_open():
    low = figure(0.45, 0.05, 250)
    assert drift.assess_drift(THEN, low, None, None, POLICY).reasons == ("pooled",)
    # more items than at the approval, worth less: the first answers of a new stratum stand for all of it
    heavy = figure(0.45, 0.05, 203, n_eff=12)
    assessment = drift.assess_drift(THEN, heavy, None, None, POLICY)
    assert (assessment.state, assessment.reasons) == ("to be looked at", ("weights",))
    # of fewer items than then something was lost, and nothing will settle by itself
    assert drift.assess_drift(THEN, figure(0.45, 0.05, 150, n_eff=12), None, None, POLICY).state == "suspended"
    assert drift.assess_drift(THEN._replace(n_eff=None), heavy, None, None, POLICY).state == "suspended"


def test_without_gold_nothing_holds():
    assert drift.assess_drift(THEN, figure(None, 0.0, 150), None, None, POLICY).reasons == ("no gold",)
    assert drift.assess_drift(THEN, figure(0.9, 0.05, 20), None, None, POLICY).state == "suspended"


def test_a_change_is_told_both_ways():
    two = OpenSchedule(drift.MIN_ITEMS, 1_000).boundary(0.025, 100)
    wide = two * hypot(0.06, 0.05)
    assert wide < 0.3
    for kappa, kind, word in ((0.7 + wide + 0.01, "up", "rose"), (0.7 - wide - 0.01, "down", "fell")):
        assessment = drift.assess_drift(
            THEN, figure(0.7, 0.03, 400), figure(kappa, 0.06, 100), None, replace(POLICY, threshold=0.1)
        )
        assert (assessment.state, assessment.reasons) == ("to be looked at", (kind,)) and word in assessment.why
        assert assessment.change is not None and assessment.change.point == pytest.approx(kappa - 0.7)
    same = drift.assess_drift(THEN, figure(0.7, 0.03, 400), figure(0.7 + wide - 0.01, 0.06, 100), None, POLICY)
    assert same.state == "holds"
    nothing = FrozenEvidence(None, None, None, None)
    assert drift.assess_drift(nothing, figure(0.7, 0.03, 400), figure(0.9, 0.06, 100), None, POLICY).change is None


def test_a_policy_without_a_bound_asks_none_of_what_holds():
    loose = replace(POLICY, lower_bound=False)
    assert drift.assess_drift(THEN, figure(0.52, 0.04, 300), None, None, loose).state == "holds"
