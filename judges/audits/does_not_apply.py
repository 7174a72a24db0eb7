"""Audit of a dimension that does not apply: high scores of low confidence (docs/methods.md, Audits)."""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.audits._confidence import asked_scores, stated_confidence
from judges.audits._judged import group_judgments, item_numbers
from judges.audits._verdict import bar_picture, case_verdict, not_tested, percent, span
from judges.stats.clustered import share_by_item


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Every score in the upper part of its scale (4 or more of 5) given with low confidence, by dimension.

    The figure is their share in the dimension where it is highest: that dimension should be dropped.
    """
    cells: dict[str, list[tuple[str, str, float, bool]]] = {}
    for judgment in group_judgments(evidence):
        for unit, name, value in asked_scores(evidence.card, judgment):
            dimension = evidence.card.dimension(name, unit)
            word = stated_confidence(judgment, unit, name)
            if word is not None and dimension is not None and dimension.scale.kind == "ordinal":
                high = value >= dimension.scale.lo + 0.75 * (dimension.scale.hi - dimension.scale.lo)
                cells.setdefault(name, []).append((judgment.key, unit, value, high and word == "low"))
    if not cells:
        return not_tested("No score with a stated confidence is there yet: 1 is needed to list any.")
    rates = {n: share_by_item([c[3] for c in given], item_numbers(c[0] for c in given)) for n, given in cells.items()}
    worst = max(sorted(rates), key=lambda name: rates[name].point or 0.0)
    flags = tuple(
        Flag(key, f"{name.replace('_', ' ').capitalize()} is {value:g} with low confidence.", unit, name, 0.5)
        for name, given in cells.items()
        for key, unit, value, guess in given
        if guess
    )
    verdict = case_verdict(len(flags), rates[worst], threshold)
    if not flags:
        said = f"None of {sum(map(len, cells.values()))} scores is high with low confidence"
        why = f"{said}, so every dimension seems to apply."
    else:
        advice = "; drop the dimension" if verdict == "alarm" else ""
        why = (
            f"{len(flags)} high {'score has' if len(flags) == 1 else 'scores have'} low confidence, most of all in "
            f"{worst.replace('_', ' ')} with "
            f"{percent(rates[worst].point)} ({span(rates[worst])}) of its scores{advice}."
        )
    picture = bar_picture(
        "dimension",
        "share high with low confidence",
        *((name.replace("_", " "), rate.point) for name, rate in rates.items()),
        mark=threshold,
    )
    return AuditFinding(verdict, why, rates[worst].point, rates[worst], rates[worst].items, flags, picture)


AUDIT = Audit(
    "does_not_apply",
    "Inapplicable dimension",
    "Share of scores in the upper part of the scale (4 or 5 of 5) that the judge gives with low confidence, in the "
    "dimension where it is highest: a sign that the question does not apply to these outputs. Each one is listed.",
    # A guess now and then is honest; one score in ten that is high for no known reason is no measurement.
    "The share is above {threshold}. A single case is a warning.",
    0.1,
    find,
)
