"""Explanations of figures: two or three sentences, with an example made of the figures on screen."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from judges.plural import many
from judges.render.findings.findings import Column
from judges.render.words import cell, number
from judges.stats import bins
from judges.stats.calibration import Summary
from judges.stats.raters.rater_flags import RaterWork
from judges.types import Scale
from pages.ui import text

TEXTS = {
    "kappa": "**Kappa** is agreement corrected for chance: 1 is full agreement, 0 is what chance would give if people "
    "and judge used each answer as often as now, but at random. On an ordered scale a difference of two steps weighs "
    "four times as much as one of one step (quadratic weights, QWK).",
    "interval": "**The 95% interval** is where kappa would likely be if every item had been labelled. A wide interval "
    "means too few items. Turns of one dialogue are correlated, so items are resampled, not turns.",
    "bound": "**The lower bound** is one-sided: the true kappa is below it with a probability of 5%, or another one if "
    "the policy says so. The usual policy requires it to be at the threshold too, as a poor judge often looks good on "
    "few items.",
    "gate": "**The result** answers one question: may this score be published? Only blind labels of items drawn at "
    "random count. *Meets policy*: enough items, and even the lower bound is high enough. *Inconclusive*: kappa is "
    "high enough, but that may be chance. *Fails*: kappa is too low. *Below minimum sample*: too few items are "
    "labelled. *Undefined*: everybody gave one and the same answer.",
    "exact": "**% agreement** and **within one** are the shares of ratings where judge and people give the same "
    "answer, and where they are at most one step apart. They are not corrected for chance: where nearly all answers "
    "are 5, always answering 5 gives a high % agreement.",
    "bias": "**Bias (judge - people)** is the mean difference in steps of the scale. Above 0 the judge scores higher "
    "than people, below 0 lower. A judge may rank outputs well and still be biased.",
    "table": "**The confusion matrix** shows where judge and people differ. On the outlined diagonal they agree; far "
    "from it they disagree strongly. Click a cell to list its items.",
    "marginals": "**The distribution of answers** of people and of the judge. Where the bars differ, the judge uses "
    "the scale differently.",
    "threshold": "**Binary threshold**: the score is split in two. *Recall* is the share of people's positives that "
    "the judge finds, *precision* the share of the judge's positives that people confirm, *kappa* the agreement on "
    "the split corrected for chance. The approval check does not use this.",
    "AC2": "**Gwet's AC2** (AC1 without an order) corrects for chance in another way, which is less affected by one "
    "very common answer. It is shown where kappa is unstable. It does not replace kappa: it is high wherever one "
    "answer dominates.",
    "others": "**Other metrics** allow comparison with other papers. % agreement is not corrected for chance. "
    "Correlations ignore a constant bias. Kendall's tau-b counts concordant pairs, Spearman compares ranks, and "
    "ICC(A,1) is close to quadratic-weighted kappa.",
    "systems": "**Order of systems**: which system is best by people's mean rating, and by the judge's, on the ratings "
    "that both gave. A judge can differ from people on single ratings and rank systems as they do, or the other way "
    "round. With few systems a tau of 1 is easily reached by chance: see the intervals of the ranks.",
    "missing": "**Missing scores** are replies that could not be read, were cut off, refused or out of range. Assay "
    "leaves them out, as a failed reply is not an opinion. Other papers count them as the lowest answer, as a tie or "
    "as a number: the table shows each treatment.",
    "n/a": "**n/a** means that the question does not apply. Kappa uses the ratings that both scored; agreement on "
    "whether the question applies is shown separately. A failed reply is neither n/a nor a low score.",
    "baseline": "**The baselines** do not read the text: one predicts the answer from the length alone, one always "
    "gives the most frequent answer. A judge that does not beat the length baseline is not shown to read the text.",
    "slices": "**A slice** is a part of the items: one system, one language, the longest third. A judge can agree "
    "well on average and poorly on a slice. Slices of fewer than 30 items allow no conclusion. Overlapping intervals "
    "can still differ significantly: see the test above the chart.",
    "curve": "**Kappa by sample size**: each point is kappa on the first so many items, in the order in which people "
    "labelled them. The band is its interval. A line that still moves, or a wide band, means too few labels. The "
    "dotted part is the forecast if kappa stays as it is.",
    "planner": "**The planner** assumes that further items are like those so far: four times as many items make an "
    "interval about half as wide. A margin is added, as today's width is an estimate too. Where nearly all answers are "
    "the same, two plans in five are too small.",
    "anchoring": "**Blind** labels are given without seeing the judge's scores, **assisted** ones with the scores on "
    "screen; which items get which is random. If agreement is higher for assisted labels, people are anchored on the "
    "judge. That is why the approval check uses blind labels only.",
    "confidence": "**Confidence** is stated by the judge, or computed from its tokens or samples. It is of use if "
    "agreement with people is higher where confidence is high: people can then review the rest.",
    "reliability": "**The dashed line** is perfect calibration: accuracy equals confidence. Points below it: the judge "
    "is overconfident. The expected calibration error (ECE) is the mean distance to that line.",
    "ranking": "**AUROC** is how often a correct rating has higher confidence than an incorrect one: 50% is chance, "
    "100% is perfect.",
    "selective": "**Auto-accept** (selective evaluation): the lowest confidence is found above which the judge agrees "
    "with people as often as required. The confidence of an item is the lowest of its ratings, as people review whole "
    "items.",
    "sequence": "**How the requirement is guaranteed**: thresholds are tested in a fixed sequence from the highest "
    "confidence down, on items drawn at random; the first test that fails ends it. So the result holds with the "
    "required probability, however many thresholds are tested. Source: Jung, Brahman and Choi 2025.",
    "rates": "**Recall** is the share of people's positives that the judge finds (sensitivity). **FPR** is the share "
    "of people's negatives that it calls positive (1 - specificity). **Precision** is the share of its positives that "
    "people confirm; it is lower where the answer is rare.",
    "prevalence": "**Corrected prevalence**: a judge with false positives and negatives gives a biased share. Its "
    "recall and false positive rate correct it (Rogan and Gladen). Nothing is corrected where the judge is not shown "
    "to be better than chance.",
    "paired": "**Paired comparison**: all judges are compared on the same ratings, so that none has easier items. What "
    "counts is the difference and its interval, not whether two intervals overlap.",
    "between": "**Agreement between judges** does not show that either is right: two judges may share the same errors.",
    "ceiling": "**Two people** is kappa between any two people on the same blind ratings, every pair counted once. It "
    "is the human ceiling: .50 is good where people have .55, and poor where they have .90. **Judge and one person** "
    "puts the judge in the second person's place, on the same ratings: compare these two. **Judge and gold** may be "
    "higher than both, as gold that several people give is less noisy than one person.",
    "alpha": "**Krippendorff's alpha** is agreement of all people at once, also where not everybody labelled "
    "everything: 1 is full agreement, 0 is chance. Below .67, do not rely on one person's label alone.",
    "alternative": "**The alternative-annotator test** leaves out each person in turn and asks who is closer to the "
    "others on each item, the judge or that person; ties count for both. The judge wins where the person's lead is "
    "significantly below ε, and passes when it wins against half of the people (ω). One-sided t-tests over items, "
    "adjusted by Benjamini and Yekutieli. Source: Calderon, Reichart and Dror 2025.",
    "handicap": "**ε** is the cost advantage of a judge over a person: .2 for experts, .15 for skilled people, .1 for "
    "a crowd. Passing means that the judge does as well as one more person like these, not that they are right.",
    "units": "**Units are never pooled**: turns, sections and whole conversations are asked different questions, on "
    "different scales.",
}
WORK = {
    "items": Column(",", "Items with a label by this person.", width=48),
    "labels": Column(",", "Labels by this person.", width=52),
    "blind": Column(",", "Labels given without the judge's scores, over all dimensions.", width=48),
    "assisted": Column(",", "Labels given beside the judge's scores, over all dimensions.", width=62),
    "acceptance": Column(
        ".0%", "Share of the judge's scores on screen that were accepted; the rest were overridden.",
        "acceptance rate", 108,
    ),
    "not on screen": Column(
        ".0%", "Of the judge's scores that they accepted, those that were never on their screen.", width=92
    ),
    "s/item": Column(".1f", "Median seconds per item; imported labels have none.", width=54),
}  # fmt: skip
"""Columns of what a person has done, on the page of that person and among all annotators."""


def work_columns(done: RaterWork) -> dict[str, Any]:
    """Return a person's work under the columns of WORK, without the items and the labels."""
    return {
        "blind": done.blind, "assisted": done.assisted, "acceptance": done.accepted,
        "not on screen": done.overlooked, "s/item": done.pace,
    }  # fmt: skip


EXAMPLES = {
    "kappa": "Here {kappa}: disagreement is {left} of what chance would give.",
    "interval": "Here {low} to {high}, from {items}.",
    "bound": "Here {bound}.",
    "exact": "Here {exact} of the answers are equal.",
    "bias": "Here {bias} steps of the scale.",
}


def example_values(summary: Summary) -> dict[str, str]:
    """The figures of a dimension as examples have them; what is undefined is left out."""
    interval = summary.interval
    values = {"exact": summary.exact and f"{summary.exact:.0%}", "items": many(interval.items, "item")}
    if interval.point is not None and 0 <= interval.point <= 1:
        values |= {"kappa": f"{interval.point:.2f}", "left": f"{1 - interval.point:.0%}"}
    if interval.low is not None and interval.high is not None:
        values |= {"low": number(interval.low, ".2f"), "high": number(interval.high, ".2f")}
    if interval.lower_bound is not None:
        values["bound"] = number(interval.lower_bound, ".2f")
    if summary.mean_difference is not None:
        values["bias"] = cell(summary.mean_difference, "+.2f")
    return {name: value for name, value in values.items() if value}


def help_button(*names: str, key: str, values: dict[str, str] | None = None) -> None:
    """A quiet button that unfolds how to read these figures, each with its example where its figures are there."""
    figures = values or {}
    with st.popover("How to read this", icon=":material/help:", type="tertiary", key=f"how:{key}"):
        for name in names:
            st.markdown(TEXTS[name])
            if name in EXAMPLES and figures.keys() >= set(re.findall(r"{(\w+)}", EXAMPLES[name])):
                text.quiet(EXAMPLES[name], **figures)


def explain_equality(scale: Scale) -> None:
    """Explain which answers count as the same, if that is not obvious."""
    if sentence := bins.describe_equality(scale):
        text.quiet("{sentence}", sentence=sentence)


def heading_with_help(heading: str, *names: str, key: str) -> None:
    """A small heading of ours, and how to read what is under it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text.say("**{heading}**", heading=heading)
        help_button(*names, key=key)
