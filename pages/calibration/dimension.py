"""One dimension of a judge: what may be concluded, and panels that look into it. Only the chosen one computes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

import streamlit as st

from data.approvals import approvals, policy
from data.approvals.approvals import ApprovalNote
from data.approvals.record import ApprovalStatus, case_address
from data.calibration.missingness import measure_missingness
from data.calibration.rates import flag_at
from data.records.names import display_name
from data.reports.statistics import CONFIDENCE, SAMPLE_SIZE, SELF_CONSISTENCY, STATISTICS, THRESHOLD
from judges.plural import many
from judges.render.findings import agreement as agreement_findings
from judges.render.findings import confidence as confidence_findings
from judges.render.findings import other_metrics as other_metrics_findings
from judges.render.findings import sample_size as sample_size_findings
from judges.render.findings import self_consistency as self_consistency_findings
from judges.render.findings import threshold as threshold_findings
from judges.render.findings.findings import quiet
from judges.stats import missingness
from judges.stats.calibration import DimensionResult
from judges.stats.sample_size import extrapolate_interval, more_items_for_threshold, more_items_for_width
from judges.stats.threshold import flag_thresholds
from judges.stats.uncertainty import why_no_interval
from pages.calibration import agreement, anchoring, auto_accept, human_ceiling, slices
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import explanations, findings, gold, session, text, url_state


def _draw_missing_scores(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """The figures where what the judge could not answer is left out, or counts as an answer."""
    store, d = session.store(), line.dimension
    explanations.heading_with_help("Where the judge gave no usable value", "missing", key=f"missing:{key}")
    middle = missingness.usual_choices(d.scale)[3:]
    options = {answer: answer for answer in d.scale.answers or middle}
    answer = url_state.select("missing", "Count missing as", options, middle[0] if middle else "", 230)
    with st.spinner("Computing each treatment of missing scores ..."):
        figures = measure_missingness(
            store, selection.dataset, selection.judge, d, selection.basis, (answer,), selection.dropped
        )
    findings.draw(other_metrics_findings.missing_values(figures), f"counted:{key}")
    st.caption("A choice here changes this table only.")


def _draw_sample_size(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """The planner's sentences, then the curve with the forecast."""
    store, now = session.store(), line.shown.interval
    approval_policy = policy.requirements(store).policy
    steps = load(SAMPLE_SIZE, selection, line)
    if not steps or now.point is None:
        scored = f"No kappa yet: {many(now.items, 'item')} with reference labels (gold) and a score."
        text.quiet("{why} Label more random items.", why=why_no_interval(now) or scored)
        return
    left, right = st.columns([1, 4], vertical_alignment="center", gap="medium")
    with left:
        half = st.number_input(
            "Interval no wider than ±", min_value=0.02, max_value=0.5, value=0.1, step=0.01, format="%.2f",
            key=f"half:{key}", help="Half of the width of the 95% interval.",
        )  # fmt: skip
    needed = line.check.needed if line.gated else None
    needed = needed or approval_policy.schedule.boundary(1 - approval_policy.level, now.items)
    width, bound = more_items_for_width(now, half), more_items_for_threshold(now, approval_policy.threshold, needed)
    with right:
        noun = "blind item" if line.gated else "item"
        findings.draw(sample_size_findings.plan(now, half, width, bound, approval_policy, noun), f"plan:{key}")
    explanations.heading_with_help("Kappa by sample size", "curve", "planner", key=key)
    further = max(width[1] if width else 0, bound[1] if bound else 0)
    forecast = extrapolate_interval(now, now.items + min(further, 4 * now.items))
    findings.draw(sample_size_findings.growth(steps, forecast, approval_policy), f"curve:{key}")


def _draw_threshold(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """A choice of threshold, its figures with intervals, and the figures over all thresholds."""
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    store, dimension = session.store(), line.dimension
    value_by_name = {f"{value:g}": value for value in flag_thresholds(dimension.scale)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = {name: f"{dimension.scale.format(value)} or more" for name, value in value_by_name.items()}
        chosen = url_state.select("from", "Positive from", named, list(named)[len(named) // 2], 220)
        explanations.help_button("threshold", key=key)
    rates = flag_at(store, selection.dataset, selection.judge, dimension, selection.basis, value_by_name[chosen])
    findings.draw(threshold_findings.at_one(rates, dimension), f"flag:{key}")
    findings.draw(threshold_findings.curve(load(THRESHOLD, selection, line)), f"flags:{key}")


def _draw_confidence(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """A sentence, agreement by level of confidence, and how well confidence ranks."""
    by_source, scored = load(CONFIDENCE, selection, line)
    if not by_source:
        text.quiet(
            "No confidence: none of the {cells} of people and judge has one. Run the judge with log-probabilities or "
            "several samples, or use a card whose reply states a confidence; this panel then shows how well it is "
            "calibrated.",
            cells=many(scored, "rating"),
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = confidence_findings.sources({source: n for source, (_, n) in by_source.items()})
        source = url_state.select("source", "Confidence from", names, width=360)
        explanations.help_button("confidence", "reliability", "ranking", key=key)
    figures, cells = by_source[source]
    findings.draw(confidence_findings.sentences(figures, source, cells, scored), key)
    explanations.explain_equality(line.dimension.scale)
    left, right = st.columns([3, 4], gap="large", vertical_alignment="center")
    with left:
        findings.draw_plot(confidence_findings.plot(figures), f"chart:{key}:{source}")
    with right:
        table = confidence_findings.table(figures, line.dimension.scale.has_order)
        findings.draw_table(table, f"levels:{key}:{source}")


def _draw_self_consistency(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """One sample alone beside all of them, how often they differ, and since when they count together."""
    consistency, combined = load(SELF_CONSISTENCY, selection, line)
    if consistency is None:
        text.quiet(
            "This judge has one sample of each rating, so its self-consistency is not tested. Run it with several "
            "samples and a temperature above 0 to measure how often its answers change, and what more samples gain."
        )
        return
    if consistency.flaky:
        st.badge("flaky", icon=":material/shuffle:", color="red", help="Its samples disagree too often; see below.")
    findings.draw(self_consistency_findings.findings(consistency, combined), f"plot:{key}")
    explanations.explain_equality(line.dimension.scale)
    if not consistency.together.cells:
        st.caption(text.NO_RATINGS)


Panel = Callable[[CalibrationSelection, DimensionResult, str], None]
PANELS: dict[str, Panel] = {
    "agreement": agreement.panel,
    "missing": _draw_missing_scores,
    "slices": slices.panel,
    "size": _draw_sample_size,
    "people": human_ceiling.panel,
    "flag": _draw_threshold,
    "confidence": _draw_confidence,
    "selective": auto_accept.panel,
    "samples": _draw_self_consistency,
    "blind": anchoring.panel,
}
"""Panels of statistics of which something can be chosen or clicked; the others are drawn as they are."""


@text.fragment
def draw_dimension(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """The state and what it means, then the chosen panel."""
    key = f"{key}:{line.key}"
    conclusion, why = agreement_findings.check_result(line)
    findings.draw_sentence(conclusion, line.check.state)
    findings.draw([why], key)
    basis = policy.approval_basis(session.store(), selection.dataset)
    gold.draw_unanswered(
        selection.dataset, selection.name, selection.judge, line.dimension, basis, line.check.reason, key
    )
    judged_dimension = selection.dataset, selection.judge, line.dimension.sort, line.dimension.name
    approval_status = approvals.find_status(session.store(), judged_dimension)
    note, case = approvals.approval_note(session.store(), approval_status), case_address(judged_dimension)
    _draw_decision(approval_status, note, text.time_zone(), selection.name, case, line.check.state == "meets policy")
    with st.container(horizontal=True, vertical_alignment="center"):
        panel_titles = {name: statistic.title for name, statistic in STATISTICS.items() if statistic.applies(line)}
        chosen = url_state.tabs("panel", "Look into", panel_titles)
        explanations.help_button("gate", "units", key=f"gate:{key}")
    PANELS.get(chosen, _panel)(selection, line, f"{key}:{chosen}")
    if selection.dropped and not STATISTICS[chosen].can_drop_ties:
        st.caption("Ties are counted in these figures.")


def _panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """A statistic without choices: its explanation and its findings."""
    statistic = STATISTICS[key.rpartition(":")[2]]
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    explanations.heading_with_help(statistic.title, *statistic.explanations, key=key)
    own_findings = statistic.findings(
        load(statistic, selection, line), line, policy.requirements(session.store()).policy
    )
    findings.draw(own_findings or [quiet("Nothing to show here.")], key)


def _draw_decision(
    approval_status: ApprovalStatus, note: ApprovalNote, zone: tzinfo, dataset: str, case: str, eligible: bool
) -> None:
    """Draw in one line what was decided on a dimension so far, and the way to the page where it is decided."""
    approval = approval_status.proposed or approval_status.in_force
    doubt = note.review.why if note.review is not None and note.doubted else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if approval is not None:
            text.quiet(
                "**{who}** {done} it, {at}: {reason}", who=display_name(approval.person), done=approval.done,
                at=text.moment(approval.at, zone), reason=text.shorten(approval.reason, 110),
            )  # fmt: skip
        elif eligible:
            st.caption("It meets the policy, and is not decided: a lead may approve it.")
        label = "Its approval" if approval else "Decide" if eligible else "Approvals"
        url_state.link("approvals", label, dataset=dataset, case=case)
        if approval is not None and approval.decision == "approve":
            url_state.link("dashboard", "On the dashboard", dataset=dataset, judge=approval.judge)
    for icon, remark in (("history", note.older), ("visibility", doubt)):
        if remark:
            text.quiet(":orange[:material/{icon}:] {told}", icon=icon, told=remark)
