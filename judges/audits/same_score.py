"""Audit of score clustering: scores that hardly differ carry no information (docs/methods.md, Audits)."""

from __future__ import annotations

from collections import Counter
from math import log2

from judges.audits import Audit, AuditEvidence, AuditFinding, Plot, Verdict
from judges.audits._judged import group_judgments, ordered_dimensions
from judges.audits._verdict import MIN_ITEMS, bounds, limit_verdict, make_finding, percent, share_of, too_few
from judges.types import Dimension

MIN_ENTROPY_BITS = 1.0
"""Entropy below which a dimension tells less than one fair coin."""
_RANK: dict[Verdict, int] = {"pass": 0, "warning": 1, "alarm": 2}


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Share of the commonest score, and entropy in bits, of every dimension with three or more ordered answers.

        H = - sum_k p_k log2 p_k,   p_k = share of answer k among scored cells (n/a left out)

    The figure is the share in the worst dimension, by verdict and then by share, clustered by item.
    """
    dimensions = [d for d in ordered_dimensions(evidence.card).values() if d.scale.size > 2]
    by_dimension: dict[Dimension, list[tuple[str, float]]] = {d: [] for d in dimensions}
    for judgment in group_judgments(evidence):
        for _, d, value in judgment.asked_scores(evidence.card):
            if d in by_dimension:
                by_dimension[d].append((judgment.key, value))
    most = max((len({key for key, _ in cells}) for cells in by_dimension.values()), default=0)
    if stop := too_few(most, "items with scores"):
        return stop
    judged = []
    for d, cells in by_dimension.items():
        if len({key for key, _ in cells}) < MIN_ITEMS:
            continue
        counts = Counter(value for _, value in cells)
        usual = max(counts, key=lambda value: (counts[value], value))
        rate = share_of((key, value == usual) for key, value in cells)
        bits = entropy(counts)
        verdict: Verdict = "alarm" if bits < MIN_ENTROPY_BITS else limit_verdict(rate, threshold)
        judged.append((_RANK[verdict], rate.point or 0.0, d, usual, rate, bits, verdict))
    judged.sort(key=lambda row: (-row[0], -row[1], row[2].name))
    _, _, dimension, usual, rate, bits, verdict = judged[0]
    bad = [row[2].title for row in judged if row[6] == "alarm"]
    split = f"; split {', '.join(bad)} into narrower questions, or use 1 to 3" if bad else ""
    why = (
        f"In {dimension.title} {percent(rate.point)} ({bounds(rate)}) of the scores are "
        f"{dimension.scale.format(usual)}, with an entropy of {bits:.2f} bits{split}."
    )
    series = tuple(_bars(row[2], by_dimension[row[2]]) for row in judged)
    return make_finding(verdict, why, rate, (), Plot("bars", "score", "share", series, threshold))


def entropy(counts: Counter[float]) -> float:
    """Entropy of counts in bits: four equally common values have 2, a single one has 0."""
    n = sum(counts.values())
    return max(0.0, -sum(c / n * log2(c / n) for c in counts.values() if c))


def _bars(dimension: Dimension, cells: list[tuple[str, float]]) -> tuple[str, tuple[str, ...], tuple[float, ...]]:
    """A series: share of each answer of the full scale."""
    scale, counts = dimension.scale, Counter(value for _, value in cells)
    codes = [float(scale.base + n) for n in range(scale.size)]
    return dimension.title, tuple(map(scale.format, codes)), tuple(counts[code] / len(cells) for code in codes)


AUDIT = Audit(
    "same_score",
    "Score clustering",
    "Share of the most frequent score and entropy of the scores (bits), in the dimension where they are worst. A "
    "dimension in which nearly all scores are the same separates no output from another.",
    f"The share is above {{threshold}}, or the entropy is below {MIN_ENTROPY_BITS:g} bit.",
    0.8,
    find,
)
