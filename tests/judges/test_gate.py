"""The gate: every state at its boundary, in its order, with a reason that a lead can act on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.agreement import kish
from judges.gate import Policy, decide, decide_together, holm, p_value
from judges.intervals import from_cells, linearised, moments
from judges.planner import more_for_bound
from judges.uncertainty import Interval

quick = settings(deadline=None, max_examples=50)
LOOSE = Policy(lower_bound=False)


def interval(point=0.7, bound=0.55, items=150, n_eff=None, high=None):
    """An interval whose upper end lies as far above the point as the bound below, unless told."""
    n_eff = float(items) if n_eff is None else n_eff
    if point is None or bound is None:
        return Interval(point, None, None, None, items, items, n_eff, "cluster bootstrap")
    high = 2 * point - bound if high is None else high
    return Interval(point, bound, high, bound, items, items * 3, n_eff, "cluster bootstrap")


@pytest.mark.parametrize(
    ("found", "policy", "state"),
    [
        (interval(), Policy(), "eligible"),
        (interval(items=99), Policy(), "not enough gold"),
        (interval(items=100), Policy(), "eligible"),
        (interval(items=300, n_eff=99.0), Policy(), "not enough gold"),
        (interval(items=300, n_eff=100.0), Policy(), "eligible"),
        (interval(items=29), Policy(min_items=10), "not enough gold"),
        (interval(items=30), Policy(min_items=10), "eligible"),
        (interval(point=None), Policy(), "undefined"),
        (interval(point=None, items=30), Policy(), "undefined"),
        (interval(point=None, items=29), Policy(), "not enough gold"),
        (interval(point=None, items=0), Policy(), "not enough gold"),
        (interval(point=0.49, bound=0.4), Policy(), "below"),
        (interval(point=0.49, bound=0.4, items=99), Policy(), "not enough gold"),
        (interval(point=0.5, bound=0.4), Policy(), "promising"),
        (interval(point=0.5, bound=0.4), LOOSE, "eligible"),
        (interval(point=0.49, bound=0.4), LOOSE, "below"),
        (interval(point=0.7, bound=0.49), Policy(), "promising"),
        (interval(point=0.7, bound=0.5), Policy(), "eligible"),
        (interval(point=0.7, bound=None), Policy(), "promising"),
        (interval(point=0.7, bound=None), LOOSE, "eligible"),
        (interval(point=0.7, bound=0.55), Policy(threshold=0.6), "promising"),
        (interval(point=0.7, bound=0.51), Policy(level=0.99), "promising"),
        (interval(point=0.7, bound=0.49), Policy(level=0.9), "eligible"),
    ],
)
def test_the_states_at_their_boundaries(found, policy, state):
    decision = decide(found, policy)
    assert decision.state == state
    assert decision.reason.endswith(".")
    assert bool(decision.missing) == (state != "eligible")


def test_the_default_policy_is_the_bound_on_a_hundred_items():
    assert Policy() == Policy(100, 0.5, True, 0.95, 30)
    assert decide(interval(bound=0.49)) == decide(interval(bound=0.49), Policy())


@quick
@given(weight=st.floats(1e-3, 1e3))
def test_a_hundred_equally_weighted_items_are_a_hundred(weight):
    found = interval(items=100, n_eff=kish(np.full(100, weight)))  # may be 99.99999999999999
    assert decide(found).state == "eligible"


def test_rounding_does_not_cost_the_threshold():
    # .1 + .2 is not .3: a point that is the threshold but for rounding reaches it
    assert decide(interval(point=0.3, bound=0.3), Policy(threshold=0.1 + 0.2)).state == "eligible"


@pytest.mark.parametrize(
    ("items", "n_eff", "policy", "more"),
    [
        (60, 60.0, Policy(), 40),
        (0, 0.0, Policy(), 100),
        (99, 98.5, Policy(), 2),  # an item is worth .995: 1.5 / .995 = 1.508 -> 2
        (200, 50.0, Policy(), 200),  # an item is worth .25: 50 / .25
        (20, 20.0, Policy(min_items=10), 10),  # ten effective items are enough, thirty clusters are not there
    ],
)
def test_not_enough_gold_says_how_many_more(items, n_eff, policy, more):
    decision = decide(interval(items=items, n_eff=n_eff), policy)
    assert (decision.state, decision.more_items) == ("not enough gold", more)
    assert f"{more} more item" in decision.missing


def test_promising_says_how_many_more():
    found = interval(point=0.6, bound=0.45, items=150)
    decision = decide(found)
    assert decision.more_items == more_for_bound(found, 0.5) > 0
    assert f"{decision.more_items:,} more items" in decision.missing


def test_at_the_threshold_itself_no_number_is_promised():
    decision = decide(interval(point=0.5, bound=0.4))
    assert decision.more_items is None and "no number of items" in decision.missing


def test_below_asks_for_a_better_judge_and_says_whether_gold_could_still_help():
    hopeless, open_ = decide(interval(point=0.3, bound=0.2)), decide(interval(point=0.45, bound=0.35))
    assert hopeless.more_items is None and "unlikely" in hopeless.missing
    assert "could still" in open_.missing and "0.55" in open_.missing


@pytest.mark.parametrize(
    ("point", "shown"), [(0.4999, "0.4999"), (0.499, "0.499"), (0.42, "0.42"), (0.49999999, "0.5")]
)
def test_a_figure_never_looks_like_the_threshold_that_it_misses(point, shown):
    assert f"Kappa {shown}" in decide(interval(point=point, bound=0.3)).reason


@pytest.mark.parametrize(("threshold", "shown"), [(0.5, "0.50"), (0.1 + 0.2, "0.30"), (0.525, "0.525")])
def test_the_threshold_is_shown_as_it_was_set(threshold, shown):
    assert (
        f"the {shown} that the policy asks"
        in decide(interval(point=0.2, bound=0.1), Policy(threshold=threshold)).reason
    )


def test_undefined_says_why():
    decision = decide(interval(point=None, items=140))
    assert "undefined on 140 items" in decision.reason and decision.more_items is None


@pytest.mark.parametrize(
    "wrong", [{"threshold": 2}, {"threshold": -1}, {"level": 95}, {"level": 0.3}, {"min_items": 0}, {"min_clusters": 1}]
)
def test_a_policy_without_sense_is_refused(wrong):
    with pytest.raises(ValueError):
        Policy(**wrong)


def test_cells_that_agree_by_chance_are_below_and_constant_ones_undefined():
    rng = np.random.default_rng(1)
    human, judge = rng.integers(0, 5, (2, 400))
    assert decide(from_cells(np.arange(400), human, judge, 5)).state == "below"
    assert decide(from_cells(np.arange(400), np.full(400, 4), np.full(400, 4), 5)).state == "undefined"
    assert decide(from_cells(np.arange(400), human, human, 5)).state == "eligible"


def test_the_bound_refuses_a_judge_that_the_point_rule_lets_through():
    # One cell an item, 100 items, a judge whose true kappa is just under .45
    def draw(items, seed):
        rng = np.random.default_rng(seed)
        good, human, judge = rng.normal(size=(3, items))
        answers = np.clip(np.rint(2 + good + 1.025 * np.array([human, judge])), 0, 4).astype(int)
        return np.arange(items), *answers

    truth = linearised(*moments(*draw(1_000_000, 1))).point
    assert truth == pytest.approx(0.45, abs=0.015)
    found = [linearised(*moments(*draw(100, 10 + seed))) for seed in range(1000)]
    by_point, by_bound = (
        np.mean([decide(one, policy).state == "eligible" for one in found]) for policy in (LOOSE, Policy())
    )
    assert by_point > 0.18
    assert by_bound < 0.03


# --- several at once -------------------------------------------------------------------------------------------------

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_holm_by_hand():
    # sorted .01 .02 .04: 3*.01 = .03, max(.03, 2*.02) = .04, max(.04, .04) = .04
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([]) == []


def test_holm_refuses_what_is_no_p_value():
    for wrong in ([1.1], [-0.1], [float("nan")]):
        with pytest.raises(ValueError):
            holm(wrong)


@quick
@given(point=st.floats(-0.5, 1), gap=st.floats(0.001, 0.5), threshold=st.floats(0, 0.9))
def test_p_is_at_most_five_percent_just_where_the_bound_reaches_the_threshold(point, gap, threshold):
    found = interval(point, point - gap)
    if abs(found.lower_bound - threshold) > 1e-9:
        assert (p_value(found, threshold) <= 0.05) == (found.lower_bound >= threshold)


def test_p_by_hand_and_at_the_edges():
    assert p_value(interval(0.5, 0.4), 0.5) == 0.5
    # se = .1 / 1.645; the point lies two bound distances above: Phi(-3.29) = .0005
    assert p_value(interval(0.7, 0.6), 0.5) == pytest.approx(0.0005, abs=5e-6)
    assert p_value(interval(1.0, 1.0), 0.5) == 0.0 and p_value(interval(0.4, 0.4), 0.5) == 1.0
    assert p_value(interval(0.7, None), 0.5) is None


INTERVALS = st.builds(
    lambda point, gap, items: interval(point, point - gap, items),
    st.floats(0.2, 1),
    st.floats(0, 0.4),
    st.sampled_from([50, 100, 400]),
)


@quick
@given(INTERVALS, st.sampled_from([Policy(), LOOSE, Policy(level=0.9)]))
def test_one_dimension_together_is_that_dimension_alone(found, policy):
    assert decide_together({"safety": found}, policy) == {"safety": decide(found, policy)}


@quick
@given(st.lists(INTERVALS, min_size=1, max_size=8))
def test_together_is_never_more_generous_than_alone_and_changes_nothing_else(found):
    named = {str(i): one for i, one in enumerate(found)}
    together = decide_together(named)
    assert list(together) == list(named)
    for name, decision in together.items():
        alone = decide(named[name])
        if decision.state != alone.state:
            assert (alone.state, decision.state) == ("eligible", "promising")
            assert "Holm" in decision.reason and decision.missing
            assert decision.more_items is None or decision.more_items > 0  # none will do at the threshold itself
        elif decision.state == "promising" and decision.more_items is not None:
            assert decision.more_items >= alone.more_items
        else:
            assert decision == alone


def test_a_narrow_pass_alone_is_promising_among_four():
    strong, narrow = interval(0.8, 0.7), interval(0.7, 0.505)
    # p of the narrow one .046; its company is three below, which count: 4 * .046 > .05
    weak = interval(0.45, 0.35)
    assert decide_together({"a": narrow, "b": strong})["a"].state == "eligible"  # Holm steps down: 1 * .046
    together = decide_together({"a": narrow, "b": weak, "c": weak, "d": strong})
    assert [d.state for d in together.values()] == ["promising", "below", "below", "eligible"]
    assert together["a"].reason.startswith("Alone it would pass, but 4 dimensions")
    # one of the four has passed, so the next is asked for 1 - .05 / 3
    assert together["a"].more_items == more_for_bound(narrow, 0.5, 1 - 0.05 / 3) > 0


def test_what_was_not_tested_does_not_count():
    narrow, short, constant = interval(0.7, 0.505), interval(items=20), interval(point=None)
    together = decide_together({"a": narrow, "b": short, "c": constant})
    assert [d.state for d in together.values()] == ["eligible", "not enough gold", "undefined"]


def test_without_a_bound_in_the_policy_nothing_is_adjusted():
    narrow, weak = interval(0.7, 0.505), interval(0.45, 0.35)
    together = decide_together({"a": narrow, "b": weak, "c": weak}, LOOSE)
    assert [d.state for d in together.values()] == ["eligible", "below", "below"]


def test_many_useless_dimensions_rarely_pass_together():
    # Eight judges whose true kappa is exactly .5, 2,000 times: some pass alone in 1 - .95^8 = .34, together in < .05
    rng = np.random.default_rng(2)
    alone = together = 0
    for points in 0.5 + 0.06 * rng.normal(size=(500, 8)):
        named = {str(i): interval(p, p - 1.6448536 * 0.06) for i, p in enumerate(points)}
        alone += any(decide(one).state == "eligible" for one in named.values())
        together += any(decision.state == "eligible" for decision in decide_together(named).values())
    assert 0.27 < alone / 500 < 0.41
    assert together / 500 < 0.08
