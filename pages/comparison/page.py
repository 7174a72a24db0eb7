"""Comparison: several judges, and baselines that do not read the text, on the same ratings of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from data.approvals import policy
from data.calibration import calibration, comparison
from data.calibration.comparison import CONSTANT, LENGTH, ComparedCells
from data.gold.gold import BASES, BASIS_PHRASES, Basis
from judges.plural import many, verb
from judges.render.findings.findings import Column
from judges.render.svg import IntervalRow
from judges.render.words import cell, p_value, span
from judges.stats import bins
from judges.stats.comparison import ALPHA, JudgeComparison, JudgePair, adjust_pairs, concordance_by_judge
from judges.stats.concordance import FIGURES
from judges.stats.uncertainty import Interval
from judges.types import Dimension
from pages.ui import charts, choose, explanations, session, tables, text, url_state

Row = tuple[Dimension, ComparedCells, JudgeComparison]
BASELINE_NAMES = {LENGTH: "length baseline", CONSTANT: "majority-class baseline"}
_RESULTS = {
    "better": "better", "worse": "worse", "cannot tell": "no significant difference",
    "too few items": "too few items",
}  # fmt: skip
_RESULT_STATES = {
    "better": "meets policy", "worse": "fails", "cannot tell": "inconclusive", "too few items": "below minimum sample",
}  # fmt: skip
COLUMNS = {
    "dimension": Column(width=150),
    "judge": Column(width=168),
    "result": Column(width=106),
    "items": Column(",", width=48),
    "kappa": Column(".3f", "Quadratic-weighted where answers are ordered.", width=56),
    "95% interval": Column("", "Cluster bootstrap: whole items are resampled.", width=96),
    "difference": Column("+.3f", "Kappa of this judge minus that of the reference.", width=74),
    "95% interval of it": Column("", "Of the difference, paired by item.", "its 95% interval", 112),
    "p (Holm)": Column("", "Two-sided, adjusted for all the differences of this table (Holm).", width=66),
}
ESSENTIAL = ("dimension", "judge", "result", "kappa", "difference", "95% interval of it")
"""Columns that fit a narrow window; the others stand behind a switch."""


def page() -> None:
    """A table of all dimensions and judges; one dimension in detail below."""
    session.me()
    store = session.store()
    st.title("Comparison", anchor=False)
    place = choose.judged_dataset(store, ". Run one, or import its judgments, to compare it here.")
    if place is None:
        return
    bar, dataset, _, names = place
    counted = policy.approval_basis(store, dataset.id)
    with bar:
        reference = choose.judge(names, "Reference")
        rests = calibration.basis_sizes(store, dataset.id, calibration.compared_dimensions(store, reference))
        full = [basis for basis in (counted, *BASES) if rests[basis].labels]
        basis: Basis = url_state.select("basis", "Labels used", BASES, next(iter(full), counted), 390)
    text.synthetic(dataset)
    others = choose_judges(names, reference) if len(names) > 1 else []
    if len(names) == 1:
        st.info(
            "This dataset has one judge so far, so it is compared with two baselines that do not read the text. Run "
            "another judge (another model, prompt or protocol) on the same items to compare both.",
            icon=":material/compare:",
        )
        url_state.link("runs", "Run another judge", icon=":material/play_arrow:", dataset=dataset.name)
    with st.spinner("Comparing the judges ..."):
        comparisons = comparison.compare_on_shared_cells(store, dataset.id, (reference, *others), basis)
    if not comparisons:
        text.quiet(
            "Nothing to compare with {basis}: no item has reference labels (gold) of that kind and a score of all of "
            "these judges. Choose fewer judges or other labels, or label items that all of them have scored.",
            basis=BASIS_PHRASES[basis],
        )
        url_state.link("queue", "Draw a sample", dataset=dataset.name, stream="audit")
        return
    key = f"{dataset.id}:{reference}:{','.join(others)}:{basis}"
    _draw_comparison(comparisons, {**names, **BASELINE_NAMES}, reference, key)


def _draw_comparison(comparisons: dict[str, Row], names: dict[str, str], reference: str, key: str) -> None:
    every = iter(adjust_pairs([pair for _, _, c in comparisons.values() for pair in c.pairs]))
    pairs: dict[str, dict[str, JudgePair]] = {
        name: {pair.other: next(every) for pair in c.pairs} for name, (_, _, c) in comparisons.items()
    }
    _draw_verdict_counts(pairs, names, reference)
    explanations.help_button("paired", "kappa", "interval", "units", key="compared")
    keys = list(comparisons)
    rows = [(*comparisons[name], pairs[name]) for name in keys]
    _draw_table(rows, names, reference, key, lambda row: url_state.set_choice("dimension", keys[row]))
    titles = {name: row[0].title_with_sort for name, row in comparisons.items()}
    chosen = url_state.select("dimension", "One dimension", titles, width=360)
    dimension, same, judge_comparison = comparisons[chosen]
    _draw_verdicts(dimension, same, pairs[chosen], names)
    _draw_kappas(judge_comparison, pairs[chosen], names, f"{key}:{chosen}")
    _draw_other_metrics(same, dimension, names)
    _draw_judge_agreement(judge_comparison, names)
    if len(same.scored) > 1:
        explanations.help_button("between", key="between")


def _short_names(names: Mapping[str, str]) -> dict[str, str]:
    """Judges by their model alone, where no two of them have the same."""
    heads = {judge: name.partition(" · ")[0] for judge, name in names.items()}
    return {judge: head if list(heads.values()).count(head) == 1 else names[judge] for judge, head in heads.items()}


def choose_judges(names: Mapping[str, str], reference: str) -> list[str]:
    """The judges to compare with the reference, from the address or the chooser; the first others at first."""
    others = [judge for judge in names if judge != reference]
    query = st.query_params.get("with")
    query_judges = [judge for judge in (query or "").split(",") if judge in others]
    start = query_judges if query_judges or query == "" else others[:4]
    key = f"with:{reference}:{','.join(others)}"

    def address() -> None:
        st.query_params["with"] = ",".join(session.component_state(key))

    picked: list[str] = st.pills(
        "Compared with", others, selection_mode="multi", default=start, wrap=True, key=key,
        format_func=lambda judge: text.escape(names[judge]), on_change=address,
    )  # fmt: skip
    return picked


def _draw_verdict_counts(
    pairs: Mapping[str, Mapping[str, JudgePair]], names: Mapping[str, str], reference: str
) -> None:
    """In how many dimensions the reference agrees better with people than each of the others, a sentence each."""
    lines = []
    for other in dict.fromkeys(judge for by_judge in pairs.values() for judge in by_judge):
        verdicts = [by_judge[other].verdict for by_judge in pairs.values() if other in by_judge]
        parts = [
            f"{outcome} in {n}" for outcome, n in (
                ("better", verdicts.count("worse")), ("worse", verdicts.count("better")),
                ("no significant difference", verdicts.count("cannot tell")),
                ("too few items", verdicts.count("too few items")),
            ) if n
        ]  # fmt: skip
        lines.append(f"Compared with {names[other]}: {', '.join(parts)} of {many(len(verdicts), 'dimension')}.")
    if lines:
        text.say("How well **{reference}** agrees with people:", reference=names[reference])
        text.bullets(lines)


def _draw_table(
    rows: Sequence[tuple[Dimension, ComparedCells, JudgeComparison, Mapping[str, JudgePair]]], names: Mapping[str, str],
    reference: str, key: str, chosen: Callable[[int], None],
) -> None:  # fmt: skip
    """Every dimension and judge with its kappa and its difference to the reference; `chosen` gets the dimension."""
    shown: list[dict[str, object]] = []
    places, short = [], _short_names(names)
    for place, (dimension, _, compared, pairs) in enumerate(rows):
        for judge, interval in compared.kappas.items():
            pair = pairs.get(judge)
            places.append(place)
            shown.append(
                {
                    "dimension": dimension.title_with_sort,
                    "judge": short[judge],
                    "result": "reference" if judge == reference else _RESULTS[pair.verdict] if pair else "–",
                    "items": interval.items,
                    "kappa": _round_figure(interval.point),
                    "95% interval": span(interval),
                    "difference": None if pair is None else _round_figure(pair.difference.point),
                    "95% interval of it": "" if pair is None else span(pair.difference),
                    "p (Holm)": "" if pair is None or pair.adjusted is None else p_value(pair.adjusted),
                }
            )
    tables.clickable_table(shown, COLUMNS, lambda n: chosen(places[n]), f"compared:{key}", essential=ESSENTIAL)
    alone = sum(_is_significant_alone(pair) for *_, pairs in rows for pair in pairs.values())
    if alone:
        text.quiet(
            "{differences} significant by {itself}, with an interval that does not include 0, but not after Holm's "
            "adjustment for all the differences of this table.",
            differences=f"{many(alone, 'difference')} {verb(alone, 'is', 'are')}",
            itself=verb(alone, "itself", "themselves"),
        )  # fmt: skip


def _is_significant_alone(pair: JudgePair) -> bool:
    """Whether a difference would be significant if it were the only one."""
    return pair.verdict == "cannot tell" and pair.p is not None and pair.p <= ALPHA


def _round_figure(value: float | None) -> float | None:
    """A figure with three digits, of which 0 has no sign."""
    return None if value is None else round(value, 3) + 0.0


def _draw_verdicts(
    dimension: Dimension, compared: ComparedCells, pairs: Mapping[str, JudgePair], names: Mapping[str, str]
) -> None:
    items = min((pair.difference.items for pair in pairs.values()), default=0)
    text.quiet(
        "From {cells} of {items} that people and all of these judges gave a value. Of {gold} with gold they scored: "
        "{scored}.",
        cells=many(len(compared.cells.item), "rating"), items=many(items, "item"), gold=many(compared.gold, "rating"),
        scored=", ".join(f"{names[judge]} {n:,}" for judge, n in compared.scored.items()),
    )  # fmt: skip
    if compared.too_many:
        st.caption("The length baseline is left out: it would have to read the text of too many items.")
    for other, pair in pairs.items():
        _draw_pair(dimension, pair, names[other], names[pair.reference])


def _draw_pair(dimension: Dimension, pair: JudgePair, other: str, reference: str) -> None:
    gap = pair.difference
    ends = span(gap)
    if pair.verdict == "worse" and gap.low is not None and gap.high is not None:
        ends = f"{-gap.high:.2f} to {-gap.low:.2f}"
    figures = f"{abs(gap.point or 0):.2f} ({ends})"
    if pair.verdict in ("better", "worse"):
        first, second = (other, reference) if pair.verdict == "better" else (reference, other)
        text.say(
            "**{first}** agrees better with people than {second} on {name}: difference in kappa {figures}.",
            first=first, second=second, name=dimension.title, figures=figures,
        )  # fmt: skip
    elif pair.verdict == "too few items":
        text.say(
            "**{other}** and {reference}: too few items for a conclusion ({items}; 30 are needed).",
            other=other, reference=reference, items=many(gap.items, "item"),
        )  # fmt: skip
    elif gap.point is None or pair.p is None:
        text.say(
            "**{other}** and {reference} cannot be compared on {name}: a kappa is undefined.",
            other=other, reference=reference, name=dimension.title,
        )  # fmt: skip
    else:
        alone = "Significant by itself, but not after Holm's adjustment." if _is_significant_alone(pair) else ""
        more = "The difference is so small that more labels are unlikely to show it."
        if pair.more_items is not None:
            low, high = pair.more_items
            more = f"About {low:,} to {high:,} more items would show it, if the true difference is as estimated."
        text.say(
            "**{other}** and {reference} do not differ significantly on {name}: difference in kappa {figures}. "
            "{alone} {more}",
            other=other, reference=reference, name=dimension.title, figures=f"{cell(gap.point, '+.2f')} ({ends})",
            alone=alone, more=more,
        )  # fmt: skip


def _draw_kappas(
    comparison: JudgeComparison, pairs: Mapping[str, JudgePair], names: Mapping[str, str], key: str
) -> None:
    spans, names = [], _short_names(names)
    for judge, interval in comparison.kappas.items():
        state = "meets policy" if judge not in pairs else "beside" if judge in BASELINE_NAMES else "other"
        remark = f"{cell(interval.point, '.2f')} ({span(interval)})"
        spans.append(IntervalRow(names[judge], "", interval.point, interval.low, interval.high, None, state, remark))
    st.markdown("**Agreement with people** (kappa)")
    charts.interval_chart(spans, f"kappas:{key}", mark=0.0)
    gaps = [
        IntervalRow(
            names[judge], "", p.difference.point, p.difference.low, p.difference.high, None, _RESULT_STATES[p.verdict],
            f"{cell(p.difference.point, '+.2f')} ({span(p.difference)})",
        )
        for judge, p in pairs.items()
    ]  # fmt: skip
    st.markdown("**Difference from the reference** (kappa)")
    charts.interval_chart(gaps, f"gaps:{key}", mark=0.0, marked="no difference", reach=(-0.4, 0.4))
    st.caption("● better than the reference, ✕ worse, ○ no significant difference, □ too few items.")


def _draw_other_metrics(compared: ComparedCells, dimension: Dimension, names: Mapping[str, str]) -> None:
    """Mean absolute error and correlations of each judge, on the same ratings; nothing where answers have no order."""
    if not dimension.scale.has_order:
        return
    figures = concordance_by_judge(compared.cells, bins.code_step(dimension.scale))
    names = _short_names(names)
    rows: list[dict[str, object]] = [{"judge": names[judge]} for judge in figures]
    columns = {"judge": Column(width=168)}
    for key in ("mae", "pearson", "spearman", "kendall"):
        name, meaning = FIGURES[key]
        ends = f"95% interval of {name}"
        columns[name] = Column(".2f" if key == "mae" else ".3f", meaning, width=130 if key == "mae" else 100)
        columns[ends] = Column(title="95% interval", width=96)
        for row, concordance in zip(rows, figures.values(), strict=True):
            figure: Interval = getattr(concordance, key)
            row |= {name: figure.point, ends: span(figure)}
    st.markdown("**Other figures of the same ratings**")
    tables.table(rows, columns)


def _draw_judge_agreement(comparison: JudgeComparison, names: Mapping[str, str]) -> None:
    names = _short_names(names)
    rows = [(pair, i) for pair, i in comparison.between.items() if not any(judge in BASELINE_NAMES for judge in pair)]
    if not rows:
        return
    st.markdown("**Agreement between judges**")
    shown = [(names[judge], names[other], i.point, span(i)) for (judge, other), i in rows]
    columns = {"judge": Column(), "and": Column(), "kappa": Column(".3f"), "95% interval": Column()}
    tables.table(shown, columns, width="content")
