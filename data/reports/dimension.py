"""One dimension in a report: plain sentences first, then the plots and the figures."""

from __future__ import annotations

from typing import Any

from data.gold.gold import BASES
from data.reports import further_figures, plots
from data.reports.evidence import Evidence, One
from judges.plural import many
from judges.render.html import bullets, figure, fold, heading, note, para, say, table
from judges.render.words import cell, number, span
from judges.stats import bins, rates, selective, self_consistency
from judges.stats.baselines import Standing
from judges.stats.calibration import Summary
from judges.stats.check_states import STATES, Role
from judges.stats.raters import alternative_annotator, human_ceiling

_KINDS: dict[Role, str] = {"good": "fine", "open": "look", "bad": "alarm", "quiet": "quiet"}
_AGAINST: dict[Standing, str] = {
    "beats": "and beats it",
    "not shown to beat": "and is not shown to beat it",
    "falls short of": "and agrees with people less than it",
    "cannot tell": "which is not enough to compare them",
}


def section(found: Evidence, one: One) -> list[str]:
    """Everything about a dimension."""
    shown, decision = one.line.shown, one.line.decision
    parts = [
        heading(f"{one.dimension.title} · of each {one.dimension.sort}", anchor=one.line.key),
        note(
            "**{state}.** {reason}" + (" Still needed: {missing}" if decision.missing else ""),
            _KINDS[STATES[decision.state].role], state=decision.state.capitalize(),
            reason=decision.reason, missing=decision.missing[:1].lower() + decision.missing[1:],
        ),
    ]  # fmt: skip
    if one.dimension.definition:
        parts.append(para("Definition: {definition}", "quiet", definition=one.dimension.definition))
    if shown.cells:
        parts += [*_plainly(shown), *_warnings(shown)]
        parts.append(figure(plots.table(one), _TABLE + (f" {BINNED}" if shown.binned else "")))
        parts += [figure(plot) for plot in (plots.margins(one),) if plot]
    else:
        parts.append(para("No rating has both a reference label (gold) and a score of this judge."))
    parts += [*further_figures.others(one), *_left_out(shown), *further_figures.lacking(one)]
    parts += [*_waiting(found, one), *_rates(one), *_baselines(one), *_people(one), *_bases(one)]
    return [*parts, *_anchored(one), *_repeated(one), *_selective(one), *_deeper(found, one)]


_TABLE = (
    "Each count with its share of the row: of the ratings where people gave that answer, how often the judge gave "
    "this one. Outlined: agreement."
)


BINNED = "Values are put into ten equal bins in tables and marginals, and only there."


def _plainly(shown: Summary) -> list[str]:
    interval, ordered = shown.interval, bool(shown.dimension.scale.weights)
    first = "Judge and people give the same answer in {exact} of the {cells} that both scored"
    first += ", and are at most {step} apart in {within}." if ordered else "."
    second = (
        "Corrected for what chance alone would give, that is a kappa of **{kappa}**. With other items of "
        "this kind it would plausibly lie anywhere from {span} (95% interval)."
        if interval.low is not None and not interval.verdictless
        else "Corrected for what chance alone would give, that is a kappa of **{kappa}**."
    )
    if shown.rounded:
        first += (
            " Where several samples of the judge came to a value between two answers ({rounded}) that is said of the "
            "answer nearest to it; kappa takes it as it is."
        )
    parts = [
        para(
            first, rounded=many(shown.rounded, "rating"), exact=number(shown.exact, ".1%"),
            cells=many(shown.cells, "rating"),
            within=number(shown.within_one, ".1%"), step=bins.step(shown.dimension.scale),
        ),
        para(
            second, kappa=number(interval.point), span=span(interval), bound=number(interval.lower_bound, ".2f"),
        ),
    ]  # fmt: skip
    if interval.point is None:
        parts[1] = para(
            "Kappa is **undefined**: everyone gave one and the same answer, so no disagreement was to be expected."
        )
    lean, interval_scale = shown.mean_difference, shown.dimension.scale.kind == "interval"
    if ordered and lean is not None:
        higher = "higher" if lean > 0 else "lower"
        parts.append(
            para(
                "On average the judge scores {by} {higher} than people (bias {span}).",
                by=number(abs(lean), ".2f") + ("" if interval_scale else " steps"), higher=higher, span=_bias(shown),
            )
            if abs(lean) >= 0.005
            else para("On average the judge scores neither higher nor lower than people.")
        )
    return parts


def _bias(shown: Summary) -> str:
    if shown.bias.low is None:
        return "no interval: nothing varies"
    return f"{number(shown.mean_difference, '+.2f')}, 95% interval {span(shown.bias)}"


def _waiting(found: Evidence, one: One) -> list[str]:
    if one.waiting is None:
        return []
    counted, out = one.waiting
    told = (
        "**Waiting for adjudication**: {n} of {cells} with gold, in which people differ by more than "
        "the rule of the dataset allows. Counted with what it gives, kappa is {kappa} ({span}) and the bias (judge "
        "- people) {lean}; left out, {kappa_out} ({span_out}) and {lean_out}. The approval check {used}."
    )
    used = "counts them" if found.rule.waiting == "counted" else "leaves them out"
    return [
        para(
            told, n=f"{counted.people.waiting:,}", cells=many(counted.gold_cells, "rating"), used=used,
            kappa=number(counted.interval.point), span=span(counted.interval), kappa_out=number(out.interval.point),
            span_out=span(out.interval), lean=number(counted.mean_difference, "+.2f"),
            lean_out=number(out.mean_difference, "+.2f"),
        )
    ]  # fmt: skip


def _warnings(shown: Summary) -> list[str]:
    parts = []
    if shown.interval.verdictless:
        parts.append(note("Fewer than 30 items: nothing may be concluded from these figures."))
    if shown.fragile:
        parts.append(
            note(
                "{share} of all answers are the same: kappa then changes much with a few ratings. Gwet's {name}, which "
                "one common answer disturbs less, is {ac}; it stands beside kappa and is no substitute for it.",
                share=number(shown.commonest, ".0%"), name="AC2" if shown.dimension.scale.weights else "AC1",
                ac=number(shown.ac, ".2f"),
            )
        )  # fmt: skip
    r, point = shown.correlation, shown.interval.point
    if r is not None and point is not None and r - point > 0.15:
        parts.append(
            note(
                "Judge and people move together (r {r}) but do not say the same: correlation is not agreement.",
                r=number(r, ".2f"),
            )
        )
    return parts


def _left_out(shown: Summary) -> list[str]:
    parts, na = [], shown.na
    if shown.dimension.scale.na and na.cells:
        parts.append(
            para(
                "**n/a**: people {people}, judge {judge} of {cells}. They agree on whether there is something to "
                "score in {agreed} (kappa {kappa}).",
                people=f"{shown.na_human:,}", judge=f"{shown.na_judge:,}", cells=many(na.cells, "rating"),
                agreed=number(na.agreement, ".1%"), kappa=number(na.kappa, ".2f"),
            )
        )  # fmt: skip
    if shown.unscored:
        told = (
            "**Unscored**: {cells} with gold got no usable score. A failed reply is no low score: it is in no figure."
        )
        parts.append(para(told, cells=many(shown.unscored, "rating")))
    return parts


def _rates(one: One) -> list[str]:
    """What is found and what is raised falsely, of a flag or of every category."""
    if not one.depth.rates or not one.line.shown.cells:
        return []
    told = [say("{told}", told=" ".join(rates.told(answer, one.dimension))) for answer in one.depth.rates]
    rows = [
        {
            "answer": r.answer, "people": cell(r.people.point, ".1%"), "judge": cell(r.judge.point, ".1%"),
            "recall": span(r.found, ".0%", "–"), "false positive rate": span(r.raised, ".0%", "–"),
            "precision": span(r.right, ".0%", "–"), "corrected": span(a.prevalence.interval, ".1%", "–"),
        }
        | ({"PPI++": span(m.interval, ".1%", "–")} if (m := one.depth.means.get(r.place)) else {})
        for a in one.depth.rates
        for r in (a.rates,)
    ]  # fmt: skip
    return [bullets(told), table(rows, list(rows[0]), f"{rates.READ} {rates.PPI}" if one.depth.means else rates.READ)]


def _selective(one: One) -> list[str]:
    """Which ratings can be accepted without review."""
    held = one.depth.selective
    if held is None or not one.line.shown.cells:
        return []
    near = held.wanted.near and bool(one.dimension.scale.weights)
    parts = [para("**Auto-accept**: {told}", told=selective.told(held.result, near))]
    if plot := plots.spared(held.result, one.dimension.title):
        parts.append(figure(plot, selective.READ))
    return parts


def _baselines(one: One) -> list[str]:
    floors, rule = one.floors, one.floors.length
    if floors.judge is None:
        return []
    told = (
        "**Baselines that do not read the text**: always answering “{answer}” agrees with people in {share} of the "
        "ratings, and has a kappa of 0 by definition."
    )
    values: dict[str, Any] = {"answer": floors.constant or "", "share": number(floors.share, ".0%")}
    if rule is not None:
        told += (
            " The length baseline, which knows only the length of the text, has a kappa of {rule} ({span}); the "
            "judge differs from it by {ahead} ({ahead_span}), {standing}."
        )
        values |= {
            "rule": number(rule.rule.point, ".2f"), "span": span(rule.rule), "ahead": number(rule.ahead.point, "+.2f"),
            "ahead_span": span(rule.ahead), "standing": _AGAINST[rule.standing],
        }  # fmt: skip
    return [para(told, "", **values)]


def _repeated(one: One) -> list[str]:
    found = one.depth.repeats
    if found is None:
        return []
    return [para("**Self-consistency**: {told}", told=" ".join(self_consistency.told(found)))]


def _people(one: One) -> list[str]:
    held, test = one.depth.ceiling, one.depth.test
    parts = [para("**People among themselves**: {told}", told=human_ceiling.told(held))] if one.line.shown.cells else []
    if test is not None and test.enough:
        told = alternative_annotator.told(test)
        parts.append(para("**Could the judge stand in for one of them?** {told}", told=told))
    return parts


def _deeper(found: Evidence, one: One) -> list[str]:
    """Slices, growth and confidence, each folded: they answer further questions."""
    parts = []
    for cut in one.depth.slices:
        rows = [
            {
                "slice": s.name, "items": f"{s.interval.items:,}", "ratings": f"{s.interval.cells:,}",
                "kappa": cell(s.interval.point), "low": cell(s.interval.low), "high": cell(s.interval.high),
                "bias": cell(s.lenient, "+.2f"),
            }
            for s in cut.slices
        ]  # fmt: skip
        if cut.apart is None:
            told = "Too few ratings to test whether these differ."
        elif cut.apart.adjusted <= 0.05:
            told = f"They differ significantly (p {cut.apart.adjusted:.3f}, Holm-adjusted over all ways of slicing)."
        else:
            told = f"No significant difference (p {cut.apart.adjusted:.2f}, Holm-adjusted over all ways of slicing)."
        heads = {name: name for name in rows[0]} | {"slice": cut.by}
        parts.append(fold(f"By {cut.by}", [table(rows, heads, told)]))
    if grown := plots.grown(found, one):
        parts.append(fold("By the number of items", [figure(grown, _GROWN)]))
    for source, held in one.depth.sure.items():
        rows = [
            {
                "confidence": cell(n.stated, ".0%"), "ratings": f"{n.cells:,}", "accuracy": cell(n.right.point, ".1%"),
                "low": cell(n.right.low, ".1%"), "high": cell(n.right.high, ".1%"),
            }
            for n in held.levels
        ]  # fmt: skip
        error = f"Expected calibration error (ECE) {held.error:.1%}"
        told = f"{error}; about {held.chance:.1%} is expected by chance with so few ratings."
        parts.append(fold(f"By the judge's confidence ({source})", [table(rows, list(rows[0]), told)]))
    return parts


_GROWN = "Kappa on the first items that were labelled, with its interval; dashed: what the policy requires."


def _bases(one: One) -> list[str]:
    rows = []
    for (basis, dropped), held in one.bases.items():
        interval = held.interval
        rows.append(
            {
                "labels used": BASES[basis] + (", ties dropped" if dropped else ""), "items": f"{interval.items:,}",
                "ratings": f"{held.cells:,}", "n_eff": cell(interval.n_eff, ".1f"),
                "kappa": cell(interval.point, ".4f"), "low": cell(interval.low, ".4f"),
                "high": cell(interval.high, ".4f"),
                "bound, one look": cell(interval.lower_bound, ".4f"), "% agreement": cell(held.exact, ".1%"),
                "r": cell(held.correlation, ".3f"),
                "AC2" if held.dimension.scale.weights else "AC1": cell(held.ac, ".3f"),
            }
        )  # fmt: skip
    return [table(rows, list(rows[0]), "The same figures from each set of labels")] if rows else []


def _anchored(one: One) -> list[str]:
    plot, change = plots.anchored(one), one.anchoring
    if not plot or change is None or change.point is None:
        return []
    if change.items < 30:
        told = "Fewer than 30 items in the smaller group: nothing may be concluded."
    elif change.low is not None and change.low > 0:
        told = "People agree more with a judge whose scores they see: the assisted labels are partly the judge's own."
    else:
        told = "An interval of the difference above 0 would mean that seeing the judge pulls people towards it."
    return [figure(plot, told)]
