"""The gate: every state at its boundary, in its order, with a reason that a lead can act on."""

from math import log
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.stats.approval_check import CheckPolicy, check_dimension, check_dimensions, format_kappa
from judges.stats.intervals import Cells, interval_from_moments, kappa_interval
from judges.stats.multiple_testing import holm
from judges.stats.sample_size import more_items_for_threshold
from judges.stats.sequential import LookPlan, anytime_boundary, anytime_p, z_from_threshold
from judges.stats.uncertainty import Interval
from tests.judges.moments import moments, with_sizes

quick = settings(deadline=None, max_examples=50)
LOOSE = CheckPolicy(lower_bound=False)
ONCE = CheckPolicy(horizon=0)
"""A single look, where the bound lies 1.645 errors below."""


def interval_above(z, items=150, point=0.7, threshold=0.5, high=None):
    """An interval whose kappa lies `z` errors above the threshold, on the logarithm's scale."""
    error = log((1 - threshold) / (1 - point)) * (1 - point) / z
    return interval(point, point - 1.645 * error, items, error, high)


def interval(point=0.7, bound=0.62, items=150, error=None, high=None):
    """An interval whose upper end lies as far above the point as the bound below, unless told."""
    if point is None or bound is None:
        return Interval(point, None, None, None, items, items, float(items), "cluster bootstrap")
    high = 2 * point - bound if high is None else high
    error = (point - bound) / 1.6448536 if error is None else error
    return Interval(point, bound, high, bound, items, items * 3, float(items), "cluster bootstrap", error)


@pytest.mark.parametrize(
    ("estimate", "policy", "state"),
    [
        (interval(), CheckPolicy(), "meets policy"),
        (interval(items=99), CheckPolicy(), "below minimum sample"),
        (interval(items=100), CheckPolicy(), "meets policy"),
        (interval(items=29), CheckPolicy(min_items=10), "below minimum sample"),
        (interval(items=30), CheckPolicy(min_items=10), "meets policy"),
        (interval(point=None), CheckPolicy(), "undefined"),
        (interval(point=None, items=30), CheckPolicy(), "undefined"),
        (interval(point=None, items=29), CheckPolicy(), "below minimum sample"),
        (interval(point=None, items=0), CheckPolicy(), "below minimum sample"),
        (interval(point=0.49, bound=0.4), CheckPolicy(), "fails"),
        (interval(point=0.49, bound=0.4, items=99), CheckPolicy(), "below minimum sample"),
        (interval(point=0.5, bound=0.4), CheckPolicy(), "inconclusive"),
        (interval(point=0.5, bound=0.4), LOOSE, "meets policy"),
        (interval(point=0.49, bound=0.4), LOOSE, "fails"),
        (interval_above(2.55), CheckPolicy(), "inconclusive"),
        (interval_above(2.60), CheckPolicy(), "meets policy"),
        (interval_above(2.60, items=1001), CheckPolicy(), "inconclusive"),
        (interval_above(3.81, items=1001), CheckPolicy(), "meets policy"),
        (interval_above(1.64), ONCE, "inconclusive"),
        (interval_above(1.65), ONCE, "meets policy"),
        (interval(point=0.7, bound=None), CheckPolicy(), "inconclusive"),
        (interval(point=0.7, bound=None), LOOSE, "meets policy"),
        (interval(point=0.7, bound=0.6), CheckPolicy(threshold=0.6), "inconclusive"),
        (interval_above(2.60), CheckPolicy(level=0.99), "inconclusive"),
        (interval_above(2.40), CheckPolicy(level=0.9), "meets policy"),
    ],
)
def test_the_states_at_their_boundaries(estimate, policy, state):
    decision = check_dimension(estimate, policy)
    assert decision.state == state
    assert decision.reason.endswith(".")
    assert bool(decision.missing) == (state != "meets policy")


def test_the_default_policy_is_the_bound_on_a_hundred_items_however_often_one_looks():
    assert CheckPolicy() == CheckPolicy(100, 0.5, True, 0.95, 30, 1000)
    assert check_dimension(interval_above(2.55)) == check_dimension(interval_above(2.55), CheckPolicy())


def test_rounding_does_not_cost_the_threshold():
    # .1 + .2 is not .3: a point that is the threshold but for rounding reaches it
    policy = CheckPolicy(threshold=0.1 + 0.2, lower_bound=False)
    assert check_dimension(interval(point=0.3, bound=0.2), policy).state == "meets policy"


@pytest.mark.parametrize(
    ("items", "policy", "more"),
    # of the last, ten are asked and thirty are needed
    [(60, CheckPolicy(), 40), (0, CheckPolicy(), 100), (20, CheckPolicy(min_items=10), 10)],
)
def test_not_enough_gold_says_how_many_more(items, policy, more):
    decision = check_dimension(interval(items=items), policy)
    assert (decision.state, decision.more) == ("below minimum sample", (more, more))
    assert f"{more} more random item" in decision.missing


def test_promising_says_how_many_more_as_a_range():
    decision = check_dimension(interval_above(2.0))
    low, high = decision.more
    assert (
        decision.more == more_items_for_threshold(interval_above(2.0), 0.5, decision.needed)
        and 0 < low < 150 * ((2.59 / 2) ** 2 - 1) < high
    )
    assert f"{low:,} to {high:,} more random items" in decision.missing
    assert decision.more_told == f"{low:,} to {high:,} more items"
    # where the range is cut, every page says that more than its end may be needed
    decision = check_dimension(interval_above(1.2))
    assert decision.more[1] == 9 * 150 and "to over 1,350 more random items" in decision.missing
    assert decision.more_told.endswith("to over 1,350 more items")


@pytest.mark.parametrize("estimate", [interval(point=0.5, bound=0.4), interval_above(0.7)])
def test_at_the_threshold_no_number_is_promised(estimate):
    decision = check_dimension(estimate)
    assert decision.state == "inconclusive" and decision.more is None and "unlikely to decide it" in decision.missing


def test_the_bound_that_is_told_is_the_threshold_that_would_just_be_met():
    decision = check_dimension(interval_above(3.0))
    assert z_from_threshold(interval_above(3.0), decision.bound) == pytest.approx(decision.needed)
    assert f"{decision.bound:.2f} (95%, valid at any number of looks up to 1,000 items)" in decision.reason
    assert "a single look" in check_dimension(interval_above(3.0), ONCE).reason


def test_full_agreement_has_the_bound_of_the_rule_of_three():
    rng = np.random.default_rng(3)
    human = rng.integers(0, 5, 120)
    estimate = kappa_interval(Cells(np.arange(120), human, human), 5)
    decision = check_dimension(estimate)
    assert decision.state == "meets policy" and 0.9 < decision.bound < estimate.lower_bound < 1
    # one in 120 cells one step apart, -log(a) times, a being the chance that so far a normal figure lies out
    tail = NormalDist().cdf(-decision.needed)
    assert 1 - decision.bound == pytest.approx((1 - estimate.lower_bound) * log(tail) / log(0.05))


def test_one_rare_answer_that_was_met_once_proves_no_agreement_however_many_items_there_are():
    human = np.zeros(4_000, dtype=np.int64)
    human[0] = 1
    decision = check_dimension(kappa_interval(Cells(np.arange(4_000), human, human), 2, None))
    assert decision.state == "inconclusive" and decision.bound == -1
    assert decision.missing == "More random items, because these are too few or too similar to estimate the error."


def test_below_asks_for_a_better_judge_and_says_whether_gold_could_still_help():
    hopeless, open_ = check_dimension(interval(point=0.3, bound=0.2)), check_dimension(interval(point=0.45, bound=0.35))
    assert hopeless.more is None and "unlikely" in hopeless.missing
    assert "is not ruled out" in open_.missing and "0.55" in open_.missing


@pytest.mark.parametrize(
    ("point", "figure"), [(0.4999, "0.4999"), (0.499, "0.499"), (0.42, "0.42"), (0.49999999, "0.5")]
)
def test_a_figure_never_looks_like_the_threshold_that_it_misses(point, figure):
    assert f"Kappa {figure}" in check_dimension(interval(point=point, bound=0.3)).reason


@pytest.mark.parametrize(("threshold", "figure"), [(0.5, "0.50"), (0.1 + 0.2, "0.30"), (0.525, "0.525")])
def test_the_threshold_is_shown_as_it_was_set(threshold, figure):
    assert (
        f"the required {figure}"
        in check_dimension(interval(point=0.2, bound=0.1), CheckPolicy(threshold=threshold)).reason
    )


def test_undefined_says_why():
    decision = check_dimension(interval(point=None, items=140))
    assert (
        "More random items" in decision.missing
        and "undefined on 140 items" in decision.reason
        and decision.more is None
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": 2},
        {"threshold": -1},
        {"level": 95},
        {"level": 0.3},
        {"min_items": 0},
        {"min_clusters": 1},
        {"horizon": -1},
    ],
)
def test_a_policy_without_sense_is_refused(wrong):
    with pytest.raises(ValueError):
        CheckPolicy(**wrong)


def test_cells_that_agree_by_chance_are_below_and_constant_ones_undefined():
    rng = np.random.default_rng(1)
    human, judge = rng.integers(0, 5, (2, 400))
    assert check_dimension(kappa_interval(Cells(np.arange(400), human, judge), 5)).state == "fails"
    constant = Cells(np.arange(400), np.full(400, 4), np.full(400, 4))
    assert check_dimension(kappa_interval(constant, 5)).state == "undefined"
    assert check_dimension(kappa_interval(Cells(np.arange(400), human, human), 5)).state == "meets policy"


def test_the_bound_refuses_a_judge_that_the_point_rule_lets_through():
    # One cell an item, 100 items, a judge whose true kappa is just under .45
    def draw(items, seed):
        rng = np.random.default_rng(seed)
        good, human, judge = rng.normal(size=(3, items))
        answers = np.clip(np.rint(2 + good + 1.025 * np.array([human, judge])), 0, 4).astype(int)
        return np.arange(items), *answers

    truth = interval_from_moments(*with_sizes(*moments(*draw(1_000_000, 1)))).point
    assert truth == pytest.approx(0.45, abs=0.015)
    estimates = [interval_from_moments(*with_sizes(*moments(*draw(100, 10 + seed)))) for seed in range(1000)]
    by_point, by_bound = (
        np.mean([check_dimension(estimate, policy).state == "meets policy" for estimate in estimates])
        for policy in (LOOSE, ONCE)
    )
    assert by_point > 0.18
    assert by_bound < 0.03


# --- several at once -------------------------------------------------------------------------------------------------


def test_holm_by_hand():
    # sorted .01 .02 .04: 3*.01 = .03, max(.03, 2*.02) = .04, max(.04, .04) = .04
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([]) == []


def test_holm_refuses_what_is_no_p_value():
    for wrong in ([1.1], [-0.1], [float("nan")]):
        with pytest.raises(ValueError):
            holm(wrong)


INTERVALS = st.builds(interval_above, st.floats(0.05, 8), st.sampled_from([50, 100, 400, 1500]), st.floats(0.51, 0.99))


@quick
@given(INTERVALS, st.sampled_from([CheckPolicy(), LOOSE, CheckPolicy(level=0.9)]))
def test_one_dimension_together_is_that_dimension_alone(estimate, policy):
    assert check_dimensions({"safety": estimate}, policy) == {"safety": check_dimension(estimate, policy)}


@quick
@given(st.lists(INTERVALS, min_size=1, max_size=8))
def test_together_is_never_more_generous_than_alone_and_passes_what_holm_passes(estimates):
    named = dict(enumerate(estimates))
    together = check_dimensions(named)
    p_values = [1.0 if estimate.items < 100 else _p(estimate) for estimate in estimates]
    passed = [p <= 0.05 for p in holm(p_values)]
    for name, decision in together.items():
        assert (decision.state == "meets policy") == passed[name]
        alone = check_dimension(named[name])
        assert decision.shared == len(estimates) or alone.state == "below minimum sample"
        if decision.state != alone.state:
            assert (alone.state, decision.state) == ("meets policy", "inconclusive")
            assert f"shared by {len(estimates)} decisions" in decision.reason and decision.missing
        elif decision.state == "inconclusive":
            assert decision.needed >= alone.needed and decision.bound <= alone.bound


def _p(estimate):
    if estimate.items <= 1000:
        return min(1.0, anytime_p(z_from_threshold(estimate, 0.5), 100, 1000) / 0.95)
    return min(1.0, anytime_p(z_from_threshold(estimate, 0.5), 1000, 100_000) / 0.05)


def test_a_narrow_pass_alone_is_promising_among_four():
    strong, narrow, weak = interval_above(6.0), interval_above(2.65), interval(0.45, 0.35)
    # p of the narrow one is about .04; its company is two below, which count: 3 * .04 > .05
    assert check_dimensions({"a": narrow, "b": strong})["a"].state == "meets policy"  # Holm steps down: 1 * .04
    together = check_dimensions({"a": narrow, "b": weak, "c": weak, "d": strong})
    assert [d.state for d in together.values()] == ["inconclusive", "fails", "fails", "meets policy"]
    # one of the four has passed, so the next is asked for .05 / 3
    assert together["a"].needed == pytest.approx(anytime_boundary(0.95 * 0.05 / 3, 100, 1000))
    assert together["d"].needed == pytest.approx(anytime_boundary(0.95 * 0.05 / 4, 100, 1000))


def test_what_has_no_gold_or_is_undefined_does_not_count_and_what_is_short_does():
    narrow, short, constant, none = interval_above(2.65), interval(items=20), interval(point=None), interval(items=0)
    together = check_dimensions({"a": narrow, "c": constant, "d": none})
    assert [d.state for d in together.values()] == ["meets policy", "undefined", "below minimum sample"]
    assert check_dimensions({"a": narrow, "b": short})["a"].state == "inconclusive"  # it will be looked at later


def test_without_a_bound_in_the_policy_nothing_is_adjusted():
    narrow, weak = interval_above(1.0), interval(0.45, 0.35)
    together = check_dimensions({"a": narrow, "b": weak, "c": weak}, LOOSE)
    assert [d.state for d in together.values()] == ["meets policy", "fails", "fails"]


# --- plans -----------------------------------------------------------------------------------------------------------


def test_a_plan_asks_less_than_looking_at_any_time():
    plan = LookPlan((100, 200, 300))
    needed = plan.boundary(0.05, plan.first)
    assert 1.645 < needed < check_dimension(interval_above(2.0, items=100)).needed
    assert check_dimension(interval_above(needed + 0.01, items=200), plan=plan).state == "meets policy"
    short = check_dimension(interval_above(needed - 0.01, items=200), plan=plan)
    assert short.state == "inconclusive" and short.missing == "The plan's next look, at 300 items."
    assert "last look" in check_dimension(interval_above(1.0, items=300), plan=plan).missing
    assert "3 planned looks" in short.reason


def test_before_its_first_look_a_plan_decides_nothing():
    decision = check_dimension(interval_above(5.0, items=150), plan=LookPlan((200,)))
    assert decision.state == "below minimum sample" and "the plan's first look is at 200" in decision.reason
    assert decision.more == (50, 50)


@pytest.mark.parametrize(("items", "look"), [(0, 0), (99, 0), (100, 100), (250, 100), (300, 300), (900, 300)])
def test_the_newest_look_that_was_taken(items, look):
    assert LookPlan((100, 300)).newest_look(items) == look


def test_a_plan_that_contradicts_the_policy_is_told():
    assert "first look is at 60 items; the policy requires 100" in CheckPolicy().refuses(LookPlan((60, 200)))
    assert "no lower bound" in LOOSE.refuses(LookPlan((100,))) and CheckPolicy().refuses(LookPlan((100,))) == ""
    with pytest.raises(ValueError, match="200, 100"):
        LookPlan((200, 100))


def test_many_useless_dimensions_rarely_pass_together():
    # Eight judges whose true kappa is exactly .5: at one look some pass alone in .34 of cases, together in < .05
    rng = np.random.default_rng(2)
    alone = together = 0
    for off in 1 - np.exp(-0.12 * rng.normal(size=(500, 8))) / 2:
        estimates = {n: interval(p, p - 0.1, error=0.12 * (1 - p)) for n, p in enumerate(off.tolist())}
        alone += any(check_dimension(estimate, ONCE).state == "meets policy" for estimate in estimates.values())
        together += any(d.state == "meets policy" for d in check_dimensions(estimates, ONCE).values())
    assert alone / 500 > 0.25 and together / 500 < 0.07


def test_a_policy_that_asks_for_more_items_than_a_look_of_a_plan_is_not_met_by_it() -> None:
    plan, more = LookPlan((120, 300)), CheckPolicy(min_items=200)
    early = check_dimension(interval_above(9, 120), more, plan)
    assert early.state == "below minimum sample" and early.more == (180, 180)
    assert "the plan's first look with the 200 that the policy requires is at 300." in early.reason
    assert check_dimensions({"a": interval_above(9, 120)}, more, plan)["a"] == early
    assert check_dimension(interval_above(9, 300), more, plan).state == "meets policy"
    assert check_dimension(interval_above(9, 250), more, plan).state == "below minimum sample", (
        "between two looks nothing is decided"
    )
    never = check_dimension(interval_above(9, 380), CheckPolicy(min_items=350), plan)
    assert (never.state, never.more) == ("below minimum sample", None)
    assert "The plan's last look is at 300 items; the policy now requires 350." in never.reason
    assert (plan.newest_look(299), plan.newest_look(299, 200), plan.newest_look(300, 200)) == (120, 0, 300)


def test_a_kappa_that_is_naught_but_for_rounding_bears_no_sign() -> None:
    assert check_dimension(interval(-2e-16, -0.1), CheckPolicy()).reason.startswith("Kappa 0.00 on ")
    assert format_kappa(-0.004, 0.5) == "0.00" and format_kappa(-0.006, 0.5) == "-0.01"
