"""How to read a figure: two or three sentences without jargon, with an example made of the figures on screen."""

from __future__ import annotations

import streamlit as st

from judges.calibrate import Summary
from pages.parts import text
from pages.parts.calibrated import number

TEXTS = {
    "kappa": "**Kappa** is agreement with luck taken out. 1 is full agreement; 0 is what people and judge would reach "
    "if each used the answers as often as now, but without looking. On a scale in order, two steps off count four "
    "times as much as one (that is QWK).",
    "interval": "**The 95% interval** is where kappa would likely lie if every item had been labelled, not only "
    "these. A wide one says: too few items. Turns of one dialogue resemble each other, so it counts items, not turns.",
    "bound": "**The lower bound** is the cautious reading: the true kappa is lower in one case of twenty only. The "
    "usual policy asks it to reach the threshold too, as a judge that is too weak often looks good on few items.",
    "gate": "**The state** answers one question: may this be published? Only blind labels of items drawn at random "
    "count. *Meets policy*: enough gold, and even the cautious reading is good enough. *Inconclusive*: it looks good "
    "enough, and could still be luck. *Fails*: it does not agree well enough. *Below minimum sample*: too few items "
    "are answered. *Undefined*: everybody gave one and the same answer.",
    "exact": "**Exact** and **within one** count equal answers, and those at most one step apart. They are easy to "
    "understand and easy to reach by luck: where nearly all answers are 5, saying 5 to everything is nearly always "
    "right.",
    "leniency": "**Leniency** is how many steps the judge lies above people on average. Above 0 it is kinder than "
    "they are, below 0 harsher. A judge may rank well and still be too kind throughout.",
    "table": "**The table** shows where they differ. The outlined squares are agreement; far from them, judge and "
    "people mean different things. Click a square to read those very items.",
    "marginals": "**How often each answer is given**, by people and by the judge. Where the bars differ, the judge "
    "uses the scale in another way, whatever it thinks of single items.",
    "threshold": "**As a flag**: the score is cut in two. *Recall* is how many of those that people put at or above "
    "the line the judge puts there too, *precision* how many of those that it puts there belong there, and *kappa* how "
    "far both agree on the side, luck taken out. Nothing here decides whether the score may be published.",
    "AC2": "**AC2** (AC1 without an order) takes luck out in another way, which one very common answer disturbs less. "
    "It stands beside kappa where kappa is fragile. It is no substitute: it is high wherever one answer rules.",
    "n/a": "**n/a** says that there is nothing to score. Kappa rests on what both scored; whether they agree that "
    "there is something to score is counted apart. A reply that failed is neither: it is no low score.",
    "floor": "**The floor** is what two rules reach that do not read the text: one looks only at its length, one "
    "always says the same. A judge that does not lie above them has not shown that it reads.",
    "slices": "**A slice** is a part of the items: one system, one language, the longest third. A judge can be good on "
    "average and poor on one of them. Slices of fewer than 30 items say nothing yet. Intervals that overlap a little "
    "can still differ: the sentence above the chart says what the test finds.",
    "curve": "**How kappa settled**: each point is kappa on the first so many items, in the order in which people "
    "labelled them. The band is its interval. A line that is still moving, or a wide band, says: too few "
    "labels. What lies to the right of today is what to expect if kappa stays where it is.",
    "planner": "**The planner** assumes that further items are like those so far: four times as many items make an "
    "interval about half as wide. It adds a little, as today's width is an estimate too; still it is a plan, not a "
    "promise: where nearly all answers are one, two plans in five fall short.",
    "anchoring": "**Blind** labels were given without seeing the judge, **assisted** ones with its scores on screen; "
    "in samples drawn here chance decides which items get which. If people agree more where they see it, part of that "
    "agreement is the judge's own voice. That is why the approval check counts blind labels only.",
    "confidence": "**Confidence** is how sure the judge says, or shows, that it is. It is of use if answers that it is "
    "sure of are right more often. Then the unsure ones are those for people to look at.",
    "reliability": "**The dashed line** is a judge that is right as often as it is sure. Points below it: it is too "
    "sure of itself. The calibration error is the mean distance to that line.",
    "ranking": "**The ranking** is how often an answer that is right has more confidence than one that is wrong: 50% "
    "is no use at all, 100% is perfect.",
    "selective": "**What needs no person**: the more sure the judge is, the more often it should be right. Here the "
    "lowest confidence is looked for above which it agrees with people as often as asked. An item counts as sure as "
    "the least sure of its verdicts, since people are sent whole items.",
    "sequence": "**How the promise is kept**: thresholds are tried from the surest items down, each by a test on items "
    "drawn at random; the first that fails ends it. So all that passed hold together with the probability asked, "
    "however many were tried. Equal confidences pass or fail together. Source: Jung, Brahman and Choi 2025.",
    "rates": "**Found** is the share of what people call so that the judge calls so too (sensitivity, recall). "
    "**Raised falsely** is the share of what they do not call so (1 - specificity). **Right** is the share of "
    "the judge's own calls that people share (precision); it falls where the answer is rare, however good the others.",
    "prevalence": "**Put right**: a judge that misses some and raises others gives a share that is off. Its two rates "
    "say by how much (Rogan and Gladen). Nothing is put right where the judge is not shown to tell yes from no.",
    "paired": "**Side by side** means on the very same cells, so that no judge has the easier items. What counts is "
    "the difference and its interval, not whether two intervals overlap: both judges met the same hard items.",
    "between": "**Judges among themselves**: two judges may agree with each other and not with people. High figures "
    "here are no evidence that either is right.",
    "ceiling": "**Two people** is kappa between any two people on the same blind cells, every pair counted once. It is "
    "the ceiling: .50 is good where people reach .55, and poor where they reach .90. **Judge and one person** puts the "
    "judge in the second person's place, on the same cells: compare these two. **Judge and gold** may lie above both, "
    "as what several people settled on is steadier than one of them.",
    "alpha": "**Alpha** (Krippendorff) says the same of all people at once, also where not everybody labelled "
    "everything: 1 is full agreement, 0 is luck. Below .67 nothing should rest on one person's label alone.",
    "alternative": "**Each person is left out in turn**, and the others tell who is closer to them on each item, the "
    "judge or that person; ties count for both. The judge wins where the person's lead is surely below ε, and passes "
    "when it wins against half of the people (ω). The p-values are one-sided t-tests over items, adjusted for their "
    "number by Benjamini and Yekutieli. Source: Calderon, Reichart and Dror 2025.",
    "handicap": "**ε** is what a person's labels cost more than a judge's: .2 for experts, .15 for skilled people, .1 "
    "for a crowd. Passing says that the judge does as well as one more person like these, not that they are right.",
    "units": "**Units are never pooled**: a turn, a section and a whole conversation are asked other questions, on "
    "other scales. A mean over them would mean nothing.",
}
EXAMPLES = {
    "kappa": "Here {kappa}: judge and people still disagree {left} as much as luck alone would make them.",
    "interval": "Here it is likely somewhere from {low} to {high}, on {items}.",
    "bound": "Here {bound}: read with caution, kappa is at least that.",
    "exact": "Here {exact} of the answers are equal.",
    "leniency": "Here {leniency} steps of the scale.",
}


def of(summary: Summary) -> dict[str, str]:
    """The figures of a dimension as examples have them; what is undefined is left out."""
    one = summary.interval
    found = {"exact": summary.exact and f"{summary.exact:.0%}", "items": f"{one.items:,} items"}
    if one.point is not None and 0 <= one.point <= 1:
        found |= {"kappa": f"{one.point:.2f}", "left": f"{1 - one.point:.0%}"}
    if one.low is not None and one.high is not None:
        found |= {"low": f"{one.low:.2f}", "high": f"{one.high:.2f}"}
    if one.lower_bound is not None:
        found["bound"] = f"{one.lower_bound:.2f}"
    if summary.mean_difference is not None:
        found["leniency"] = number(summary.mean_difference, "+.2f")
    return {name: value for name, value in found.items() if value}


def how(*names: str, key: str, values: dict[str, str] | None = None) -> None:
    """A quiet button that unfolds how to read these figures, each with its example where its figures are there."""
    given = values or {}
    with st.popover("How to read this", icon=":material/help:", type="tertiary", key=f"how:{key}"):
        for name in names:
            st.markdown(TEXTS[name])
            if name in EXAMPLES and all(f"{{{one}}}" not in EXAMPLES[name] or one in given for one in _FIELDS):
                text.quiet(EXAMPLES[name], **given)


def beside(heading: str, *names: str, key: str) -> None:
    """A small heading of ours, and how to read what stands under it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text.say("**{heading}**", heading=heading)
        how(*names, key=key)


_FIELDS = ("kappa", "left", "low", "high", "items", "bound", "exact", "leniency")
