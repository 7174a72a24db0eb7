"""Self-consistency: how often a judge's samples agree, and what several of them gain."""

from __future__ import annotations

from judges.plural import many
from judges.render.findings.findings import Finding, Intervals, say
from judges.render.svg import IntervalRow
from judges.stats import self_consistency
from judges.stats.self_consistency import SelfConsistency


def findings(consistency: SelfConsistency, named: str) -> list[Finding]:
    """Kappa of all samples as one answer beside that of each alone; `named` is how the judge combines them."""
    parts: list[Finding] = [
        say("**{named}**: the samples of one rating are combined into one answer, here and everywhere.", named=named)
    ]
    parts += [say("{sentence}", sentence=sentence) for sentence in self_consistency.explain(consistency)]
    if consistency.together.cells:
        combined = consistency.together
        ends = combined.point, combined.low, combined.high, combined.lower_bound
        alone = [
            IntervalRow("single", f"sample {n}", kappa, None, None) for n, kappa in enumerate(consistency.singles, 1)
        ]
        rows = [IntervalRow("combined", many(consistency.samples, "sample"), *ends), *alone]
        parts.append(Intervals(rows, title="Kappa of all samples combined, and of each alone"))
    return parts
