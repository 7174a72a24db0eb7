"""Audit of verbosity bias in pairs: the longer response wins at equal quality (docs/methods.md, Audits)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import log

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot
from judges.audits._judged import group_judgments
from judges.audits._pairs import response_lengths, section_lead, section_means, sign_of_code, verdict_sign
from judges.audits._verdict import MIN_ITEMS, bounds, flags_of, make_finding, neutral_verdict, percent, too_few
from judges.protocols.orders import verdict_dimension
from judges.stats.association import probability_at_zero
from judges.stats.concordance import spearman
from judges.stats.intervals import Cells
from judges.stats.uncertainty import wilson_interval

_WARNING_DISTANCE = 0.1
_BIN_EDGES = (1.2, 1.5, 2.0)
_BIN_NAMES = ("up to 1.2 times", "1.2 to 1.5", "1.5 to 2", "over 2 times")


@dataclass
class _Row:
    """A pair with a winner: its verdict's sign, tokens of both, and how far A leads in quality (None: not known)."""

    key: str
    verdict: float
    a: int
    b: int
    quality: float | None

    @property
    def longer(self) -> float:
        """1 where A is the longer one, -1 where B is."""
        return 1.0 if self.a > self.b else -1.0

    @property
    def won(self) -> bool:
        """Whether the longer one won."""
        return self.verdict == self.longer


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Win rate of the longer response where quality is equal, over pairs with a winner and unequal lengths.

    A longer response may also be a better one. So quality is held equal: "the longer one won" is regressed (logistic)
    on the quality lead of the longer one, and the rate is read where that lead is 0 (`judges.stats.association`).
    Quality is the mean of the section scores. On cards without sections it is people's verdict, if 30 pairs have one.
    Without either, the finding gives the plain rate and says so. Several samples of a pair count as one, by the sign of
    their mean.
    """
    rows, ratios, signs = _rows(evidence)
    if stop := too_few(len(rows), "pairs of unequal length with a winner"):
        return stop
    plain = wilson_interval(sum(row.won for row in rows), len(rows))
    known = [(row.won, row.longer * row.quality) for row in rows if row.quality is not None]
    controlled = len(known) >= MIN_ITEMS
    rate = probability_at_zero([[lead] for _, lead in known], [won for won, _ in known]) if controlled else plain
    assert rate.point is not None
    verdict = neutral_verdict(rate, 0.5, _WARNING_DISTANCE)
    r = spearman(Cells(range(len(ratios)), ratios, signs))
    link = "no rank correlation defined" if r.point is None else f"rank correlation with length {r.point:z.2f}"
    condition = "at equal quality" if controlled else "with quality not known"
    why = (
        f"The longer response wins {percent(rate.point)} ({bounds(rate)}) {condition}, {percent(plain.point)} of all "
        f"{len(rows)} pairs with a winner, {link}."
    )
    d = verdict_dimension(evidence.card)
    text = "The {} response wins ({} tokens for A, {} for B), and the other is judged no worse."
    flags = [
        Flag(
            row.key, text.format("longer" if row.won else "shorter", row.a, row.b), "pair", d.name if d else "",
            min(0.3 + abs(log(row.a / row.b)) / 4, 0.8),
        )
        for row in rows
        if row.won is (rate.point > 0.5) and (row.quality is None or row.quality * row.verdict <= 0)
    ]  # fmt: skip
    bins: list[list[bool]] = [[] for _ in _BIN_NAMES]
    for row in rows:
        ratio = max(row.a, row.b) / min(row.a, row.b)
        bins[sum(ratio > edge for edge in _BIN_EDGES)].append(row.won)
    heights = [(word, sum(won) / len(won)) for word, won in zip(_BIN_NAMES, bins, strict=True) if won]
    picture = Plot.bars("length ratio", "win rate of the longer", *heights, mark=0.5)
    return make_finding(verdict, why, rate, flags_of(verdict, flags), picture, len(rows))


def _rows(evidence: AuditEvidence) -> tuple[list[_Row], list[float], list[float]]:
    """Pairs of unequal length with a winner; and, for all pairs with a verdict, log length ratios and mean signs."""
    signs: dict[str, list[float]] = defaultdict(list)
    leads: dict[str, list[float]] = defaultdict(list)
    tokens: dict[str, tuple[int, int]] = {}
    for judgment in group_judgments(evidence):
        sign, lengths = verdict_sign(evidence.card, judgment), response_lengths(judgment)
        if sign is None or lengths is None:
            continue
        signs[judgment.key].append(sign)
        tokens[judgment.key] = lengths
        quality = section_lead(section_means(evidence.card, judgment))
        if quality is not None:
            leads[judgment.key].append(quality)
    rows, ratios, means = [], [], []
    for key, given_signs in signs.items():
        (a, b), mean = tokens[key], sum(given_signs) / len(given_signs)
        ratios.append(log(a / b))
        means.append(mean)
        quality = sum(leads[key]) / len(leads[key]) if key in leads else _people(evidence, key)
        if a != b and mean:
            rows.append(_Row(key, 1.0 if mean > 0 else -1.0, a, b, quality))
    return rows, ratios, means


def _people(evidence: AuditEvidence, key: str) -> float | None:
    d = verdict_dimension(evidence.card)
    return None if d is None else sign_of_code(d, evidence.gold.get((key, "pair", d.name)))


AUDIT = Audit(
    "longer_wins",
    "Verbosity bias: pairwise verdict",
    "How often the longer response wins at equal quality (50% without bias): a logistic regression of the verdict on "
    "the difference in section scores (or in people's verdicts), evaluated at no difference. Also: the plain win rate "
    "and the rank correlation of the verdict with the length ratio.",
    "The interval excludes 50%.",
    None,
    find,
)
