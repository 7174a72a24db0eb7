"""Audits of the confidence that a judge states: whether it varies, means something, and is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot, Verdict
from judges.audits._judged import group_judgments
from judges.audits._verdict import (
    bounds,
    case_verdict,
    flags_of,
    limit_verdict,
    make_finding,
    not_tested,
    percent,
    share_of,
    strongest_flags,
    too_few,
)
from judges.stats.clustered import newcombe_difference
from judges.triage import ConfidenceLevel
from judges.types import Dimension

MIN_LEVEL_RATINGS = 10
"""Ratings that a level of confidence needs to be compared."""
_LEVELS: tuple[ConfidenceLevel, ...] = ("high", "medium", "low")


def _stated_scores(evidence: AuditEvidence) -> Iterator[tuple[str, str, Dimension, float, ConfidenceLevel]]:
    """(item, unit, dimension, value, stated confidence) of every asked score that has a value and states one."""
    for judgment in group_judgments(evidence):
        for unit, dimension, value in judgment.asked_scores(evidence.card):
            if (level := judgment.stated_confidence(unit, dimension.name)) is not None:
                yield judgment.key, unit, dimension, value, level


def find_overconfidence(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of "high" among the confidences that the judge stated, clustered by item."""
    levels = [(key, level) for key, _, _, _, level in _stated_scores(evidence)]
    if stop := too_few(len({key for key, _ in levels}), "items with a stated confidence"):
        return stop
    rate, counts = share_of((key, word == "high") for key, word in levels), Counter(word for _, word in levels)
    why = (
        f"{percent(rate.point)} ({bounds(rate)}) of {len(levels)} stated confidences are high, {counts['medium']} are "
        f"medium and {counts['low']} low."
    )
    shares = [(word, counts[word] / len(levels)) for word in _LEVELS]
    picture = Plot.bars("confidence", "share", *shares, mark=threshold)
    return make_finding(limit_verdict(rate, threshold), why, rate, (), picture)


def find_uninformative(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of scores equal to gold at stated confidence high, minus that share at medium or low.

    Difference of shares clustered by item, Newcombe's interval. It must be above the limit: *alarm* where it is not,
    *warning* where its interval reaches down to it or the three levels are not in order, else *pass*.
    """
    rows = [
        (key, unit, dimension, level, value, people)
        for key, unit, dimension, value, level in _stated_scores(evidence)
        if (people := evidence.gold.get((key, unit, dimension.name))) is not None
    ]
    if not rows:
        return not_tested("No score with a stated confidence has gold yet: label some of these items.")
    items = len({row[0] for row in rows})
    if stop := too_few(items, "items with gold and a stated confidence"):
        return stop
    by_level = {word: [row for row in rows if row[3] == word] for word in _LEVELS}
    rest = by_level["medium"] + by_level["low"]
    for group, noun in ((by_level["high"], "scores of high confidence"), (rest, "scores of medium or low confidence")):
        if stop := too_few(len(group), f"{noun} with gold", MIN_LEVEL_RATINGS):
            return stop
    sure, other = (share_of((row[0], row[4] == row[5]) for row in group) for group in (by_level["high"], rest))
    gap = newcombe_difference(other, sure)
    assert gap.point is not None and gap.low is not None
    rates = {w: sum(row[4] == row[5] for row in g) / len(g) for w, g in by_level.items() if len(g) >= MIN_LEVEL_RATINGS}
    ordered = list(rates.values()) == sorted(rates.values(), reverse=True)
    settled = gap.low > threshold and ordered
    verdict: Verdict = "alarm" if gap.point <= threshold else "pass" if settled else "warning"
    rise = "rises" if ordered and len(set(rates.values())) > 1 else "does not rise level by level"
    why = (
        f"Agreement with people is {percent(sure.point)} at high confidence and {percent(other.point)} below, a "
        f"difference of {bounds(gap)} over {len(rows)} scores, and {rise} with confidence."
    )
    flags = [
        Flag(
            key, f"With high confidence the judge gives {dimension.title} {value:g}, and people give {people:g}.",
            unit, dimension.name, min(0.3 + abs(value - people) / 8, 0.8),
        )
        for key, unit, dimension, _, value, people in by_level["high"] if value != people
    ]  # fmt: skip
    picture = Plot.bars("confidence", "agreement with people", *((word, rates.get(word)) for word in _LEVELS))
    return make_finding(verdict, why, gap, flags_of(verdict, flags), picture, items)


def find_inapplicable(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Every score in the upper part of its scale (4 or more of 5) given with low confidence, by dimension.

    The figure is their share in the dimension where it is highest: that dimension should be dropped.
    """
    cells: dict[str, list[tuple[str, str, float, bool]]] = {}
    for key, unit, dimension, value, level in _stated_scores(evidence):
        scale = dimension.scale
        if scale.kind == "ordinal":
            guess = value >= scale.lo + 0.75 * (scale.hi - scale.lo) and level == "low"
            cells.setdefault(dimension.name, []).append((key, unit, value, guess))
    if not cells:
        return not_tested("No score with a stated confidence is there yet: 1 is needed to list any.")
    rates = {name: share_of((key, guess) for key, _, _, guess in rows) for name, rows in cells.items()}
    worst = max(sorted(rates), key=lambda name: rates[name].point or 0.0)
    rate, titles = rates[worst], {name: name.replace("_", " ") for name in cells}
    flags = [
        Flag(key, f"{titles[name].capitalize()} is {value:g} with low confidence.", unit, name, 0.5)
        for name, rows in cells.items() for key, unit, value, guess in rows if guess
    ]  # fmt: skip
    verdict = case_verdict(len(flags), rate, threshold)
    advice = "; drop the dimension" if verdict == "alarm" else ""
    why = (
        f"{len(flags)} high {'score has' if len(flags) == 1 else 'scores have'} low confidence, most of all in "
        f"{titles[worst]} with {percent(rate.point)} ({bounds(rate)}) of its scores{advice}."
    )
    if not flags:
        sentence = f"None of {sum(map(len, cells.values()))} scores is high with low confidence"
        why = f"{sentence}, so every dimension seems to apply."
    heights = [(titles[name], share.point) for name, share in rates.items()]
    picture = Plot.bars("dimension", "share high with low confidence", *heights, mark=threshold)
    return make_finding(verdict, why, rate, flags, picture)


def find_missing(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of replies that refuse, or that leave a score without high, medium or low, clustered by item.

    Replies that could not be used for other reasons (cut off, unreadable, a failed call) do not count.
    """
    refused = [r.item for r in evidence.replies if r.reading.unscored == "refused" and r.item in evidence.items]
    stated = [
        (j, {(unit, dimension.name): j.stated_confidence(unit, dimension.name) for unit, dimension, _ in scores})
        for j in group_judgments(evidence) if (scores := list(j.asked_scores(evidence.card)))
    ]  # fmt: skip
    replies = [*((item, True) for item in refused), *((j.key, None in words.values()) for j, words in stated)]
    if stop := too_few(len({item for item, _ in replies}), "items with a reply"):
        return stop
    rate = share_of(replies)
    verdict = limit_verdict(rate, threshold)
    missing = sum(None in words.values() for _, words in stated)
    low = sum(word == "low" for _, words in stated for word in words.values())
    advice = "; fall back to score and justification only" if verdict == "alarm" else ""
    why = (
        f"{percent(rate.point)} ({bounds(rate)}) of {len(replies)} replies refuse ({len(refused)}) or leave a "
        f"confidence out ({missing}), and {low} scores are said to be of low confidence{advice}."
    )
    flags = [Flag(item, "The judge refused to reply.", strength=0.6) for item in refused]
    flags += [
        Flag(j.key, f"The judge gives no confidence for {name.replace('_', ' ')}.", unit, name, 0.3)
        for j, words in stated for (unit, name), word in words.items() if word is None
    ]  # fmt: skip
    heights = ("confidence stated", len(stated) - missing), ("confidence missing", missing), ("refused", len(refused))
    return make_finding(verdict, why, rate, strongest_flags(flags), Plot.bars("", "replies", *heights))


AUDITS = (
    Audit(
        "always_sure",
        "Overconfidence",
        "Share of scores for which the judge states high confidence. A judge that nearly always does gives no hint "
        "which of its scores to check.",
        "The share is above {threshold}.",
        0.85,
        find_overconfidence,
    ),
    Audit(
        "confidence_meaningless",
        "Uninformative confidence",
        "% agreement with people at high stated confidence minus % agreement at medium and low confidence (Newcombe's "
        "interval), and whether agreement rises from level to level.",
        "The difference is not above {threshold}.",
        0.0,
        find_uninformative,
        probe="gold",
    ),
    Audit(
        "does_not_apply",
        "Inapplicable dimension",
        "Share of scores in the upper part of the scale (4 or 5 of 5) that the judge gives with low confidence, in the "
        "dimension where it is highest: a sign that the question does not apply to these outputs. Each one is listed.",
        # An occasional guess is honest; if one score in ten is high for no known reason, it is not a measurement.
        "The share is above {threshold}. A single case is a warning.",
        0.1,
        find_inapplicable,
    ),
    Audit(
        "refuses_low",
        "Refusals and missing confidence",
        "Share of replies that are refusals, or that state no confidence for one score or more.",
        # Below one reply in ten, the rest still shows the judge's confidence; above it, the gaps are systematic.
        "The share is above {threshold}: fall back to score and justification only.",
        0.1,
        find_missing,
    ),
)
