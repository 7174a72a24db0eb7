"""Floors: the length rule by hand, and whether judges with a known answer are told that they do not beat it."""

from dataclasses import replace

import numpy as np
import pytest

from judges.cards import cards
from judges.stats.agreement import cross_table, kappa
from judges.stats.baselines import FOLDS, compare_baselines, length_rule_guesses, unit_length
from judges.stats.calibration import PairedRatings
from judges.stats.comparison import SharedCells, compare_judges
from judges.types import Dialogue, Pair, PairSide, Response, Scale, Section, Turn

HELP = next(d for d in cards()["multi_turn_dialogue"].dimensions if d.name == "helpfulness")
VERDICT = next(d for d in cards()["plain_pairwise"].dimensions if d.name == "verdict")
FLAG = next(d for d in cards()["long_form_pairwise"].dimensions if d.scale.kind == "flag")
ITEMS = 250


def meeting(human, judge, cells=1, weight=None):
    item = np.repeat(np.arange(len(human) // cells), cells)
    unit = np.ones(len(item))
    both = (np.asarray(side, dtype=float) for side in (human, judge))
    return PairedRatings(item, *both, unit.astype(bool), unit if weight is None else np.asarray(weight, dtype=float))


def noisy(rng, truth, spread, lo=1, hi=5):
    return np.clip(np.rint(truth + rng.normal(0, spread, len(truth))), lo, hi)


def by_length(lengths, lo=1, hi=5):
    """Five equally large groups, the longest with the highest code."""
    return lo + np.floor(np.argsort(np.argsort(lengths)) * (hi - lo + 1) / len(lengths))


def test_the_length_rule_by_hand():
    """Four items, each answered for by the other three.

    x = 10: below all, code 0. x = 20: F = 1/3 of (10, 30, 40), their gold 0, 1, 1 gives 0 the stretch [0, 1/3), so 1.
    x = 30: F = 2/3 of (10, 20, 40), gold 0, 0, 1: 0 has [0, 2/3), so 1. x = 40: above all, code 1.
    """
    arrays = np.array([10.0, 20.0, 30.0, 40.0]), np.arange(4), np.array([0, 0, 1, 1]), np.ones(4)
    assert length_rule_guesses(*arrays, 2).tolist() == [0, 1, 1, 1]
    x, item, human, weight = arrays
    assert length_rule_guesses(x, item, 1 - human, weight, 2).tolist() == [1, 1, 1, 0], (
        "downward where the short ones are better"
    )


def test_a_cell_never_answers_for_itself(rng):
    """Whatever the gold of an item is, the rule says the same of it: it was fitted on the others."""
    x, item = rng.uniform(1, 500, 60), np.repeat(np.arange(20), 3)
    human = rng.integers(0, 5, 60)
    first = length_rule_guesses(x, item, human, np.ones(60), 5)
    for chosen in range(20):
        other = human.copy()
        other[item == chosen] = 4 - other[item == chosen]
        again = length_rule_guesses(x, item, other, np.ones(60), 5)
        assert again[item == chosen].tolist() == first[item == chosen].tolist()


def test_the_rule_is_monotone_and_uses_the_scale_as_people_do(rng):
    x = rng.permutation(np.arange(1.0, 1001.0))
    human = by_length(x + rng.normal(0, 300, 1000), 0, 4).astype(int)
    guess = length_rule_guesses(x, np.arange(1000), human, np.ones(1000), 5)
    assert np.abs(np.bincount(guess, minlength=5) - 200).max() <= 4 * FOLDS
    means = [x[guess == code].mean() for code in range(5)]
    assert means == sorted(means)


@pytest.mark.parametrize("spread", [0.5, 1.2])
@pytest.mark.parametrize("items", [60, ITEMS, 1500])
def test_a_judge_that_only_looks_at_length_is_told_so(items, spread, rng):
    """However many items there are, and also where the judge uses the scale better than any fit of the gold would."""
    lengths = rng.uniform(5, 600, items)
    human = noisy(rng, by_length(lengths), spread)
    comparison = compare_baselines(meeting(human, by_length(lengths)), lengths, HELP)
    assert comparison.length.standing == comparison.standing in ("not shown to beat", "falls short of")
    assert comparison.length.rule.point > 0.3, "the rule knows what the judge knows"
    assert comparison.above_constant == "beats", "it is above chance all the same"


@pytest.mark.parametrize("cells", [1, 3])
def test_a_good_judge_is_not(cells, rng):
    lengths = rng.uniform(5, 600, ITEMS * cells)
    truth = rng.integers(1, 6, ITEMS * cells)
    comparison = compare_baselines(meeting(noisy(rng, truth, 0.5), noisy(rng, truth, 0.6), cells), lengths, HELP)
    assert comparison.standing == comparison.length.standing == "beats"
    assert abs(comparison.length.rule.point) < 0.2
    assert comparison.length.difference.low > 0.4
    assert comparison.items == ITEMS


def test_figures_are_kappa_of_the_guesses(rng):
    lengths, human = rng.uniform(5, 600, 90), rng.integers(1, 6, 90)
    judge, weight = noisy(rng, human, 1.0), rng.choice([1.0, 2.5], 90)
    comparison = compare_baselines(meeting(human, judge, weight=weight), lengths, HELP)
    guesses = [
        length_rule_guesses(lengths, np.arange(90), human - 1, weight, 5, like)
        for like in (None, judge.astype(int) - 1)
    ]
    rule, guess = max(
        ((kappa(cross_table(human - 1, codes, 5, weight), "quadratic"), codes) for codes in guesses),
        key=lambda pair: pair[0],
    )
    assert comparison.length.rule.point == pytest.approx(rule)
    assert comparison.length.difference.point == pytest.approx(comparison.length.judge.point - rule)
    assert comparison.length.exact == pytest.approx(weight[guess == human - 1].sum() / weight.sum())
    shares = np.bincount(human, weight, minlength=6)
    assert (comparison.constant, comparison.share) == (str(shares.argmax()), pytest.approx(shares.max() / weight.sum()))


def test_the_judges_own_scores_dealt_out_by_length(rng):
    """A monotone judge is met exactly: its codes in the order of length, upward or downward."""
    lengths = rng.permutation(np.arange(1.0, 51.0))
    judge = np.repeat([0, 1, 1, 4], [10, 20, 15, 5])[np.argsort(np.argsort(lengths))]
    human = np.clip(judge + rng.integers(-1, 2, 50), 0, 4)
    assert length_rule_guesses(lengths, np.arange(50), human, np.ones(50), 5, judge).tolist() == judge.tolist()
    assert length_rule_guesses(-lengths, np.arange(50), human, np.ones(50), 5, judge).tolist() == judge.tolist()


def test_pairs_go_by_the_share_of_both_lengths(rng):
    shares = rng.uniform(0.1, 0.9, ITEMS)
    longer = np.where(np.abs(shares - 0.5) < 0.05, 1, np.where(shares > 0.5, 2, 0))
    comparison = compare_baselines(meeting(longer, longer), shares, VERDICT)
    assert comparison.length.rule.point > 0.85
    random = rng.integers(0, 3, ITEMS)
    assert compare_baselines(meeting(random, random), shares, VERDICT).standing == "beats"


@pytest.mark.parametrize("answers", [("a", "b", "tie"), ("tie", "b", "a"), ("a", "unclear", "b", "tie")])
def test_the_verdict_of_a_pair_goes_by_length_however_its_answers_are_listed(rng, answers):
    shares = rng.uniform(0.1, 0.9, ITEMS)
    words = np.where(np.abs(shares - 0.5) < 0.05, "tie", np.where(shares > 0.5, "b", "a"))
    verdict = replace(VERDICT, scale=Scale("unordered", categories=answers))
    longer, usual = ([order.index(word) for word in words] for order in (answers, VERDICT.scale.categories))
    actual, known = (
        compare_baselines(meeting(gold, gold), shares, d).length for gold, d in ((longer, verdict), (usual, VERDICT))
    )
    assert (actual.rule.point, actual.exact) == (known.rule.point, known.exact) and actual.rule.point > 0.85


def test_answers_of_a_pair_that_name_no_side_have_no_length_rule(rng):
    topic = replace(VERDICT, scale=Scale("unordered", categories=("style", "facts", "both")))
    random = rng.integers(0, 3, ITEMS)
    comparison = compare_baselines(meeting(random, random), rng.uniform(0.1, 0.9, ITEMS), topic)
    assert comparison.length is None and comparison.standing == "beats", "the constant rule"


def test_a_judge_that_always_says_the_same_is_as_good_as_a_rule_that_does(rng):
    """Weights that are no whole numbers make its kappa 0 but for rounding: on some samples it seemed to be below."""
    for _ in range(60):
        human = rng.choice([2, 3, 4], 60, p=[0.13, 0.84, 0.03])
        weight = rng.choice([1 / 0.35, 1.333, 0.7], 60)
        baselines = compare_baselines(meeting(human, np.full(60, 3), weight=weight), np.ones(60), HELP)
        assert baselines.above_constant == "not shown to beat"
        judges = {"a": np.full(60, 3), "b": np.full(60, 2)}
        [pair] = compare_judges(SharedCells(np.arange(60), human - 1, judges, weight), "a", 5, "quadratic").pairs
        assert pair.p == 1


def test_what_cannot_be_told(rng):
    assert compare_baselines(meeting([], []), np.array([]), HELP).standing == "cannot tell"
    small = compare_baselines(meeting([1, 2, 3, 4, 5] * 4, [1, 2, 3, 4, 5] * 4), np.arange(20.0), HELP)
    assert small.standing == "cannot tell", "20 items"
    same = compare_baselines(meeting([4] * 60, [4, 5] * 30), np.arange(60.0), HELP)
    assert same.standing == "cannot tell", "kappa is undefined where the gold has one value"
    assert same.share == 1.0
    for items in range(40, 60):
        weight = rng.choice([1 / 0.35, 1.333, 0.7], items)
        same = compare_baselines(meeting([4] * items, [4, 5] * (items // 2) + [4] * (items % 2), weight=weight),
                                 np.arange(items) % 7.0, HELP)  # fmt: skip
        assert same.share == 1.0 and same.standing == "cannot tell", "as with weights that are no whole numbers"
    blind = compare_baselines(meeting([1, 5] * 40, [1, 5] * 40), np.full(80, np.nan), HELP)
    assert blind.length is None, "no text is there"
    assert blind.standing == "beats", "the constant rule"
    flags = compare_baselines(meeting([0, 1] * 40, [0, 1] * 40), rng.uniform(1, 9, 80), FLAG)
    assert flags.standing == "beats"


def test_lengths_are_those_of_the_unit():
    turns = [Turn(turn=1, role="user", text="x" * 300), Turn(turn=1, role="assistant", text="y" * 30)]
    turns.append(Turn(turn=2, role="assistant", text="z" * 60))
    dialogue = Dialogue(id="d", kind="dialogue", turns=turns)
    assert [unit_length(dialogue, unit) for unit in ("turn:1", "turn:2", "conversation")] == [10, 20, 30]
    assert np.isnan(unit_length(dialogue, "turn:9"))
    assert unit_length(Response(id="r", kind="response", task="t" * 90, output="o" * 12), "response") == 4
    sections = [Section(label="One", a=(0, 30), b=None)]
    sides = {"response_a": PairSide(text="a" * 90), "response_b": PairSide(text="b" * 30)}
    pair = Pair(id="p", kind="pair", input="", **sides, sections=sections)
    assert [unit_length(pair, unit) for unit in ("pair", "response/a", "section:1/a")] == [0.25, 30, 10]
    assert np.isnan(unit_length(pair, "section:1/b")) and np.isnan(unit_length(pair, "section:2/a"))
    empty_pair = Pair(id="p", kind="pair", input="", response_a=PairSide(text=None), response_b=PairSide(text="b"))
    assert np.isnan(unit_length(empty_pair, "pair")) and np.isnan(unit_length(empty_pair, "response/a"))
