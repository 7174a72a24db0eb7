"""Audit of reference bias: the judge punishes what differs from the reference (docs/methods.md, Audits)."""

from __future__ import annotations

import re
import unicodedata

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot, Verdict
from judges.audits._judged import graded_cells, group_judgments, item_means
from judges.audits._verdict import bounds, flags_of, make_finding, not_tested, too_few
from judges.stats.clustered import mean_by_item
from judges.stats.concordance import spearman
from judges.stats.intervals import Cells
from judges.stats.uncertainty import Interval
from judges.types import Response

PROBE = "reference_removed"
_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Score with the reference minus score without it, and its rank correlation with the overlap of the two texts.

    Per item the mean over the dimensions that give points. A reference may lower a score for good reason, as it shows
    an error, so a shift alone is a warning; it is an alarm where its interval excludes 0 and it is at least the
    limit, in points of the scale. A correlation above 0 (outputs that share fewer words with the reference lose more)
    is a warning, and an alarm where the shift is downward too. Overlap is the share of the reference's words that
    the output has.
    """
    with_it = item_means(graded_cells(evidence.card, group_judgments(evidence)))
    texts = {key: item for key in with_it if isinstance(item := evidence.items[key], Response)}
    like = {k: o for k, item in texts.items() if (o := word_overlap(item.output, item.reference)) is not None}
    replies = evidence.probes.get(PROBE)
    if not replies:
        r = spearman(Cells(range(len(like)), list(like.values()), [with_it[k] for k in like]))
        note = "" if r.point is None else f" (with it, scores correlate {r.point:z.2f} with the overlap of the texts)"
        return not_tested(f"The probe that removes the reference has not been run with this judge{note}.")
    without = item_means(graded_cells(evidence.card, group_judgments(evidence, replies)))
    shift = {key: with_it[key] - without[key] for key in like if key in without}
    if stop := too_few(len(shift), "items with a reference that are scored with and without it"):
        return stop
    gap = mean_by_item(list(shift.values()), range(len(shift)))
    r = spearman(Cells(range(len(shift)), [like[k] for k in shift], list(shift.values())))
    verdict = _verdict(gap, r, threshold)
    link = (
        "the same for all" if r.point is None else f"rank correlation with overlap {r.point:z.2f} ({bounds(r, False)})"
    )
    moved_by = f"{gap.point or 0:+z.2f} points ({bounds(gap, False)})"
    why = f"Showing the reference changes scores by {moved_by} on {len(shift)} items, {link}."
    flags = [
        Flag(
            key, f"The score is {-moved:.2f} points lower with the reference; word overlap {like[key]:.0%}.",
            "response", strength=min(0.2 + -moved / 5, 0.8),
        )
        for key, moved in shift.items() if moved <= -0.5
    ]  # fmt: skip
    picture = Plot.points("word overlap with the reference", "score change", [(like[k], shift[k]) for k in shift])
    return make_finding(verdict, why, gap, flags_of(verdict, flags), picture, len(shift))


def _verdict(gap: Interval, r: Interval, limit: float) -> Verdict:
    assert gap.point is not None and gap.low is not None and gap.high is not None
    shown = gap.low > 0 or gap.high < 0
    # Without ends, though the texts and shifts of several items differ, all items are on one line.
    low = r.point if r.low is None and not r.undefined else r.low
    less_alike_loses = low is not None and low > 0
    if shown and (abs(gap.point) >= limit or (less_alike_loses and gap.point < 0)):
        return "alarm"
    return "warning" if shown or less_alike_loses else "pass"


def distinct_words(text: str) -> set[str]:
    """The distinct words of a text; where words are not parted (Chinese, Japanese), pairs of neighbouring signs."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    pairs = {run[n : n + 2] for run in _WIDE.findall(plain) for n in range(max(len(run) - 1, 1))}
    return pairs | set(_WORD.findall(_WIDE.sub(" ", plain)))


def word_overlap(output: str, reference: str) -> float | None:
    """Share of the reference's words that the output has, 0 to 1; None for a reference without words."""
    reference_words = distinct_words(reference)
    return len(reference_words & distinct_words(output)) / len(reference_words) if reference_words else None


AUDIT = Audit(
    "reference_penalty",
    "Reference bias",
    "Mean score with the reference minus mean score without it, in points of the scale, and its correlation with the "
    "word overlap of output and reference: a judge with this bias lowers correct outputs that are worded otherwise.",
    # A quarter of a point is one item in four that loses a whole one.
    "The interval of the shift excludes 0, and it is at least {threshold} points or hits what is least alike.",
    0.25,
    find,
    probe=PROBE,
)
