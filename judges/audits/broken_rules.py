"""Audits of a card's rules: a verdict that does not follow from the scores, a section that is not in the list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.audits._judged import Place, group_judgments
from judges.audits._verdict import as_sentence, list_cases, not_tested
from judges.types import Remark


def find(
    evidence: AuditEvidence, threshold: float, *, noun: str, about: Callable[[Place], bool],
    breaks: Callable[[Remark], bool], strength: float, why: str, words: tuple[str, str],
) -> AuditFinding:  # fmt: skip
    """The judgments that the card's reader marked for this rule, and their share of those the rule is `about`."""
    judgments = [j for j in group_judgments(evidence) if any(map(about, j.scores))]
    if not judgments:
        return not_tested(f"No judgment with {noun} is there yet: 1 is needed to list any.")
    cases = [
        (j.key, [
            Flag(j.key, as_sentence(r.text), r.unit, r.dimension, strength)
            for r in j.remarks if r.sort == "rule" and breaks(r)
        ])
        for j in judgments
    ]  # fmt: skip
    return list_cases(cases, threshold, why, "judgments", *words)


AUDITS = (
    Audit(
        "invented_sections",
        "Hallucinated sections",
        "Share of judgments with a section label that is not in the list given to the judge. Each one is listed.",
        # The list is in the prompt: a judge that misses it more often than one time in twenty does not read it.
        "The share is above {threshold}. A single case is a warning.",
        0.05,
        partial(
            find, noun="sections", about=lambda place: place[0].startswith("section:"),
            breaks=lambda r: r.unit == "pair" and not r.dimension and "section" in r.text, strength=0.7,
            why="{hits} of {n} judgments score a section that does not exist, {rate}.",
            words=("sections as given", "sections invented"),
        ),
    ),
    Audit(
        "verdict_contradicts",
        "Verdict inconsistent with scores",
        "Share of judgments whose verdict does not follow from their scores by the rule of the card. Each one is "
        "listed.",
        # No table of verdicts is better than the share of them that follows from the scores: one in twenty is the most.
        "The share is above {threshold}. A single case is a warning.",
        0.05,
        partial(
            find, noun="a verdict", about=lambda place: place[1] == "verdict",
            breaks=lambda r: r.dimension == "verdict", strength=0.8,
            why="{hits} of {n} verdicts are inconsistent with their scores, {rate}.",
            words=("consistent", "inconsistent"),
        ),
    ),
)  # fmt: skip
