"""Findings: what a page and a report draw is the same, and shows other people's text as text."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from judges.cards import card
from judges.render import drawing, svg
from judges.render.findings import (
    agreement,
    anchoring,
    as_html,
    auto_accept,
    baselines,
    confidence,
    means,
    sample_size,
    slices,
)
from judges.render.findings.findings import Column, Measures, Table, quiet, say, sentence_text, warn
from judges.stats.approval_check import CheckPolicy, check_dimension
from judges.stats.auto_accept import AutoAcceptance, ThresholdTest
from judges.stats.baselines import compare_baselines
from judges.stats.calibration import DimensionResult, PairedRatings, summarise
from judges.stats.means import JudgeMeans
from judges.stats.slices import DifferenceTest, KappaSlice, SlicedKappa
from judges.stats.uncertainty import Interval
from judges.types import Dimension, Scale


def interval(point: float, items: int = 40) -> Interval:
    return Interval(point, point - 0.1, point + 0.1, point - 0.08, items, 2 * items, float(items), "linearised")


def test_sentences_escape_their_values_in_html_and_stand_alone_as_text() -> None:
    sentence = say("**{name}** has {n}", name="<b>x</b> **y**", n=3)
    assert as_html.html_parts([sentence]) == [
        "<p><strong><bdi>&lt;b&gt;x&lt;/b&gt; **y**</bdi></strong> has <bdi>3</bdi></p>"
    ]
    assert sentence_text(say("**Recall** is {n}.", n="80%")) == "Recall is 80%."
    assert (
        'class="quiet"' in as_html.html_parts([quiet("a")])[0]
        and 'class="note look"' in as_html.html_parts([warn("a")])[0]
    )


def test_numbers_of_a_table_have_the_format_of_their_column() -> None:
    rows = [{"a": "x", "share": 0.256, "n": 1200, "gap": -0.5, "none": None}]
    columns = {"share": Column(".0%"), "n": Column(","), "gap": Column("+.2f", title="difference")}
    html = as_html.html_parts([Table(rows, columns, "What it is.")])[0]
    for fragment in (">26%<", ">1,200<", ">\u22120.50<", ">difference<", ">–<", "What it is."):
        assert fragment in html, fragment
    assert "0.29" in as_html.html_parts([Measures([("Kappa", "0.29", "1 is full agreement.")])])[0]


def test_slices_that_differ_are_named_and_the_others_too() -> None:
    both = (KappaSlice("ja", interval(0.2), -0.5), KappaSlice("en", interval(0.7), 0.1))
    significant = SlicedKappa("language", both, DifferenceTest(0.001, 2, 0.002))
    same = SlicedKappa("length", both, DifferenceTest(0.4, 2, 0.4))
    small = SlicedKappa("topic", both, None)
    texts = [sentence_text(finding) for finding in slices.tests([significant, same, small])]
    assert texts[0].startswith("Agreement differs by language: kappa 0.20 on ja, 0.70 on en (p .002, adjusted for 2")
    assert "No significant difference by length." in texts[1] and texts[2].startswith("Not tested by topic:")
    assert [row.name for row in slices.plot(significant, interval(0.5)).rows] == ["all", "en", "ja"]
    assert slices.table(significant).rows[0]["language"] == "en"


def test_slices_that_are_large_enough_are_not_called_too_small() -> None:
    constant = KappaSlice("ja", Interval.point_only(40, 40, 40.0, "bootstrap"), 0.0)
    small = KappaSlice("en", interval(0.4, 12), 0.0)
    untested = [SlicedKappa("language", (constant, constant), None), SlicedKappa("topic", (constant, small), None)]
    assert [sentence_text(finding) for finding in slices.tests(untested)] == [
        "Not tested by topic: fewer than two slices have 30 items.",
        "Not tested by language: at most one slice of 30 items has a kappa with an error. One in which judge and "
        "people always agree, or one of them always gives the same answer, has none.",
    ]


@pytest.mark.parametrize(("people", "judge", "sentence"), [
    ([4.0] * 110, [4.0] * 110, "Kappa is undefined on 110 items: everyone gave one and the same value, so"),
    ([4.0] * 110, [3.0, 4.0] * 55, "Kappa is undefined on 110 items: people and rule gave one and the same value, so"),
    ([4.0] * 109 + [3.0], [4.0] * 110, "Nearly all values on 110 items are the same, so kappa has no interval: no"),
    ([4.0, 3.0] * 10, [4.0, 3.0] * 10, "), too few items for a conclusion."),
])  # fmt: skip
def test_why_a_judge_is_not_compared_with_the_length_baseline(
    people: list[float], judge: list[float], sentence: str
) -> None:
    dimension = next(d for d in card("multi_turn_dialogue").dimensions if d.name == "helpfulness")
    number = np.arange(len(people))
    ratings = PairedRatings(number, np.array(people), np.array(judge), number >= 0, np.ones(len(people)))
    texts = [sentence_text(part) for part in baselines.findings(compare_baselines(ratings, number % 7.0, dimension))]
    assert sentence in texts[0]
    assert ("(–)" in texts[0]) == ("Nearly" in sentence) and ("too few" in texts[0]) == (len(people) < 30)
    assert ("kappa 0 by definition" in texts[1]) == (len(set(people)) > 1)


def test_without_any_score_of_the_judge_nothing_is_said_of_na_and_of_the_baselines() -> None:
    dimension = next(d for d in card("multi_turn_dialogue").dimensions if d.scale.na)
    number = np.arange(3)
    people, judge = np.array([4.0, 3.0, np.nan]), np.full(3, np.nan)
    ratings = PairedRatings(number, people, judge, number < 0, np.ones(3))
    [sentence] = agreement.omissions(summarise(ratings, dimension), [])
    assert sentence_text(sentence).startswith("Unscored: 3 ratings with gold have no score of this judge.")
    assert baselines.findings(compare_baselines(ratings, number % 7.0, dimension)) == []


def test_a_source_of_confidence_that_nobody_knows_keeps_its_name() -> None:
    assert confidence.sources({"mine": 3, "self-reported": 1}) == {
        "mine": "mine · 3 ratings", "self-reported": "stated confidence · 1 rating",
    }  # fmt: skip


def test_a_mean_that_nobody_has_is_no_column() -> None:
    own = JudgeMeans(interval(3.0), None, None, None, None, None)
    table = means.table([("s1", "tone", "turn", own)], "system")
    assert list(table.rows[0]) == ["system", "dimension", "unit", "items", "ratings", "mean"]
    assert table.rows[0]["mean"] == "3.00 (2.90 to 3.10)"


@pytest.mark.parametrize(("items", "explanation"), [(40, "Cluster bootstrap: whole items are resampled."),
                                                    (3_000, "Linearised over whole items.")])  # fmt: skip
def test_an_interval_is_explained_by_how_it_was_made(items: int, explanation: str) -> None:
    dimension = next(d for d in card("multi_turn_dialogue").dimensions if d.name == "helpfulness")
    number = np.arange(items)
    people, judge = (1.0 + part % 5 for part in (number, number + (number % 7 == 0)))
    ratings = PairedRatings(number, people, judge, np.full(items, True), np.ones(items))
    summary = summarise(ratings, dimension)
    line = DimensionResult(summary, summary, check_dimension(summary.interval))
    measures, *_ = agreement.kappa_findings(line)
    assert isinstance(measures, Measures)
    assert [meaning for name, _, meaning in measures.figures if name == "95% interval"] == [explanation]


@pytest.mark.parametrize(("items", "kappa", "ends", "bound", "sentence"), [
    # Of 3 items that agree it was said that "more labels are unlikely to decide it", of 60 that they "will not help",
    # and of 5 that the bound is there, beside a check that asks for 40 to 97 more.
    (3, 1.0, (None, None), None, "With fewer than 100 items it cannot be estimated when the lower bound reaches "
     "0.50: 97 more blind items are needed first."),
    (60, 0.47, (0.15, 0.71), None, "40 more blind items are needed first."),
    (5, 0.9, (0.0, 1.0), (0, 0), "95 more blind items are needed first."),
    (100, 0.9, (0.8, 0.95), (0, 0), "The lower bound is at the required 0.50 or above."),
    (100, 0.6, (0.45, 0.7), (40, 300), "About 40 to 300 more blind items until the lower bound is at 0.50"),
    (100, 0.4, (0.2, 0.6), None, "Kappa itself is below 0.50"),
    (100, 0.51, (0.3, 0.7), None, "Kappa is at the required 0.50"),
])  # fmt: skip
def test_of_fewer_items_than_the_policy_asks_for_nothing_is_said_of_the_bound(items, kappa, ends, bound, sentence):
    now = Interval(kappa, *ends, ends[0], items, items, float(items), "linearised")
    first, second = sample_size.plan(now, 0.1, (0, 0) if ends[0] else None, bound, CheckPolicy(), "blind item")
    assert sentence in sentence_text(second)
    assert sentence_text(first).startswith("The interval is no wider" if ends[0] else "The number of items for")


def test_anchoring_is_concluded_only_where_enough_ratings_are_not_the_commonest_answer():
    """Of 40 assisted items with one yes in ten, 12% said for nothing that people agree less with what they see."""
    blind, assisted, change = (Interval(p, p - 0.1, p + 0.1, p, 40, 40, 40.0, "linearised") for p in (0.4, 0.1, -0.3))
    warning, *_ = anchoring.findings(blind, assisted, change, (12.0, 4.0))
    assert sentence_text(warning) == (
        "Not tested: nearly all ratings with assisted labels are the same answer. Another one is given in those of "
        "about 4 items, and 10 are needed."
    )
    constant, no_change = (Interval.point_only(items, items, 40.0, "linearised") for items in (40, 35))
    for pair, name in (((blind, constant), "assisted"), ((constant, assisted), "blind")):
        undefined, *_ = anchoring.findings(*pair, no_change, (9.0, 0.0))
        assert sentence_text(undefined).startswith(
            f"Not tested, because of the {name} labels. Kappa is undefined on 40 items: everyone gave one and the"
        )
    small = Interval.point_only(12, 12, 12.0, "linearised", 0.2)
    for pair, counts in (((blind, small), "12 items with assisted labels"),
                         ((small, small), "12 items with blind labels and 12 items with assisted labels")):
        too_few, *_ = anchoring.findings(*pair, small, (9.0, 0.0))
        assert sentence_text(too_few) == f"Not tested: {counts}, and 30 are needed."
    enough, *_ = anchoring.findings(blind, assisted, change, (10.0, 11.0))
    assert sentence_text(enough).startswith("People agree less with the judge where they see its scores")


@pytest.mark.parametrize(("blind", "assisted", "lacking"), [(0, 9, "no blind labels"), (9, 0, "no labels given with")])
def test_anchoring_needs_labels_of_both_sorts(blind, assisted, lacking):
    both = [Interval(0.5, 0.4, 0.6, 0.4, n, n, float(n), "linearised") for n in (blind, assisted)]
    [sentence] = anchoring.findings(*both, both[0], (10.0, 10.0))
    assert f"Not tested: there are {lacking}" in sentence_text(sentence)


@pytest.mark.parametrize(("scale", "noted"), [(Scale("interval", 0, 100), True), (Scale("ordinal", 0, 9), False)])
def test_bins_of_the_table_of_agreement_are_told_where_there_are_any(scale, noted):
    dimension = Dimension("mark", "response", scale, "M.")
    number = np.arange(10)
    ratings = PairedRatings(number, number * 1.0, number * 1.0, number >= 0, np.ones(10))
    caption = agreement.confusion(summarise(ratings, dimension)).caption
    assert ("grouped into ten equal bins" in caption) is noted


def test_a_name_that_is_too_long_keeps_its_beginning_and_its_end():
    """Each sign is 0.56 of 13 wide: in 49.5 there is room for five and for an ellipsis of 13."""
    assert drawing.shorten("abcdefghij", 49.5) == "abc…ij"


def test_a_count_stands_in_the_middle_of_its_square():
    root = ElementTree.fromstring(svg.confusion_matrix([[3, 0], [1, 2]], ["no", "yes"]))
    squares = [node for node in root.iter() if node.get("class", "").startswith("f0")]
    places = {node.text: float(node.get("x", "")) for node in root.iter() if node.text in ("3", "1", "2")}
    middles = [float(square.get("x", "")) + float(square.get("width", "")) / 2 for square in squares]
    assert [places["3"], places["1"], places["2"]] == [middles[0], middles[2], middles[3]]


PLACES = ("x", "y", "x1", "x2", "y1", "y2", "width", "height")


def nodes(plot: str, kind: str) -> list[dict[str, float]]:
    """The places of the shapes of a plot that have a CSS class."""
    shapes = [node for node in ElementTree.fromstring(plot).iter() if kind in node.get("class", "").split()]
    return [{name: float(place) for name in PLACES if (place := shape.get(name))} for shape in shapes]


def test_the_interval_between_two_people_lies_at_the_foot_of_its_mark():
    row = svg.IntervalRow("tone", "", 0.5, 0.4, 0.6, None, ceiling=(0.8, 0.7, 0.9))
    level, mark = nodes(svg.interval_plot([row]), "top")
    assert level["y1"] == level["y2"] == mark["y2"] and level["x1"] < mark["x1"] == mark["x2"] < level["x2"]


def test_the_outline_of_agreement_is_in_the_middle_of_its_square_and_long_answers_take_200_at_most():
    plot = svg.confusion_matrix([[3, 0], [1, 2]], ["a long answer that is twice as wide as its place", "no"])
    for square, outline in zip(nodes(plot, "agreed"), nodes(plot, "s5"), strict=True):
        for at, size in (("x", "width"), ("y", "height")):
            assert outline[at] + outline[size] / 2 == square[at] + square[size] / 2
    assert nodes(plot, "agreed")[0]["x"] == 200 + 1


def test_bars_are_in_the_middle_of_their_places_and_a_name_beside_them_is_too():
    """Upright ones from the axis at 44 to the edge; beside a name, capitals of ten above the line are in the middle."""
    first, *_, last = nodes(svg.bar_plot(["a", "b", "c"], [("", [0.5, 0.5, 0.5])], width=344.0), "f0")
    assert first["x"] - 44 == pytest.approx(344 - last["x"] - last["width"])
    plot = svg.bar_plot(["a name that is wider than the place below a bar"] * 3, [("", [0.5] * 3)], width=344.0)
    names = [float(n.get("y", "")) for n in ElementTree.fromstring(plot).iter() if n.get("x") == "0" and n.get("y")]
    assert [y - 5 for y in names] == [bar["y"] + bar["height"] / 2 for bar in nodes(plot, "f0")]


def test_words_below_a_plot_that_are_wider_than_their_places_are_left_out_evenly():
    words = ["m" * 20] * 6  # at most 90 wide count: one and a half places of 60
    assert len(svg._ticks_below([], words, lambda place: 60.0 * place, 0)) == 3


def test_a_plot_of_what_may_be_accepted_goes_down_to_the_lower_bounds_that_there_are():
    steps = [
        ThresholdTest(0.9, 0.25, Interval(0.75, 0.6, 0.8, 0.625, 8, 8, 8.0, ""), True),
        ThresholdTest(0.5, 0.5, Interval(0.5, None, None, None, 8, 8, 8.0, ""), None),
    ]
    steps.append(replace(steps[1], passed=False))
    accepted = AutoAcceptance(0.9, 0.05, None, None, "", steps[0].agreement, tuple(steps), 8, 8)
    assert [row["test"] for row in auto_accept.table(accepted).rows] == ["✓ passes", "not tested", "✕ fails"]
    plot = auto_accept.plot(replace(accepted, steps=tuple(steps[:2])))
    assert plot is not None
    assert plot.series == [
        ("agreement, down to its lower bound", [25.0, 50.0], [75.0, 50.0], [62.5, None], [75.0, 50.0])
    ]
