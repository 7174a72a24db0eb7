"""One dimension of a judge: what may be concluded, and the panels that look into it. Only the chosen one computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from data.approvals import approvals, policy
from data.approvals.approvals import ApprovalNote
from data.approvals.record import ApprovalStatus, case_address
from data.calibration import anchoring, calibration, slices
from data.calibration.calibration import MAX_LISTED_CELLS, ListedCell
from data.calibration.human_ceiling import alternative_annotator_test, measure_ceiling
from data.calibration.missingness import measure_missingness
from data.calibration.rates import flag_at
from data.calibration.slices import SliceMember
from data.records.exposure import NOTE
from data.records.names import display_name
from data.reports import statistics
from judges.plural import many
from judges.render.findings import agreement as agreement_findings
from judges.render.findings import anchoring as anchoring_findings
from judges.render.findings import baselines as baselines_findings
from judges.render.findings import confidence as confidence_findings
from judges.render.findings import human_ceiling as human_ceiling_findings
from judges.render.findings import other_metrics as other_metrics_findings
from judges.render.findings import sample_size as sample_size_findings
from judges.render.findings import self_consistency as self_consistency_findings
from judges.render.findings import slices as slices_findings
from judges.render.findings import threshold as threshold_findings
from judges.render.findings.findings import COUNT, Column, quiet
from judges.render.words import p_value
from judges.stats import bins, missingness
from judges.stats.calibration import DimensionResult, Summary
from judges.stats.raters import alternative_annotator
from judges.stats.sample_size import extrapolate_interval, more_items_for_threshold, more_items_for_width
from judges.stats.threshold import flag_thresholds
from judges.stats.uncertainty import why_no_interval
from judges.triage import name_unit
from pages.calibration import auto_accept
from pages.calibration.selection import CalibrationSelection, load
from pages.ui import charts, explanations, findings, gold, session, tables, text, url_state


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
    store, now = session.store(), line.shown.interval
    approval_policy = policy.requirements(store).policy
    steps = load(statistics.SAMPLE_SIZE, selection, line)
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
    findings.draw(threshold_findings.curve(load(statistics.THRESHOLD, selection, line)), f"flags:{key}")


def _draw_confidence(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    by_source, scored = load(statistics.CONFIDENCE, selection, line)
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
    consistency, combined = load(statistics.SELF_CONSISTENCY, selection, line)
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


def _draw_agreement(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """A click on the table lists the items, a click on an item opens the desk."""
    store, shown = session.store(), line.shown
    measures, *notes = agreement_findings.kappa_findings(line)
    findings.draw([measures], f"figures:{key}")
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap="small"):
            findings.draw(notes, f"notes:{key}")
        names = ("kappa", "interval", "bound", "exact", "bias", "baseline")
        explanations.help_button(*names, key=f"figures:{key}", values=explanations.example_values(shown))
    floors, replies = load(statistics.AGREEMENT, selection, line)
    findings.draw(baselines_findings.findings(floors), f"baselines:{key}")
    left, right = st.columns([3, 2], gap="large")
    with left:
        explanations.heading_with_help("Confusion matrix", "table", key=f"table:{key}")
        cell = _table(shown, f"table:{key}")
        if cell is not None:
            people, judge = (shown.codes[n] for n in cell)
            cells = calibration.list_cells(
                store, session.me().name, selection.dataset, selection.judge, line.dimension, selection.basis,
                people, judge,
            )  # fmt: skip
            _list_cell_items(cells, shown, cell, f"items:{key}:{cell}", selection.name)
    with right:
        explanations.heading_with_help("Distribution of answers", "marginals", "n/a", "AC2", key=f"margins:{key}")
        findings.draw(agreement_findings.spread(shown), f"margins:{key}")
        findings.draw(agreement_findings.omissions(shown, replies if shown.unscored else ()), key)


def _list_cell_items(
    cells: Sequence[ListedCell], summary: Summary, cell: tuple[int, int], key: str, dataset: str
) -> None:
    people, judge = (summary.answers[n] for n in cell)
    total = int(summary.counts[cell])
    text.say(
        "People: **{people}**, judge: **{judge}**. {n}. Click one to open it on the desk.",
        people=people, judge=judge,
        n=many(total, "rating") + (f", {len(cells):,} listed" if total > len(cells) else ""),
    )  # fmt: skip
    if total > len(cells):
        text.quiet("At most {most} are listed. {note}", most=MAX_LISTED_CELLS, note=NOTE)
    rows = [(f.name, name_unit(f.unit), f.systems, f.came) for f in cells]
    tables.item_table(rows, ("item", "unit", "system", "gold from"), [f.item for f in cells], key, dataset)


def _table(summary: Summary, key: str) -> tuple[int, int] | None:
    if not summary.cells:
        st.caption(text.NO_RATINGS)
        return None
    chosen = charts.confusion_chart(summary.counts, summary.answers, key)
    text.quiet(
        "{how} Click a cell, or move with the arrow keys and press Enter, to list its items.",
        how=agreement_findings.confusion(summary).caption,
    )
    return chosen


def _draw_slices(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """Every way of slicing in a sentence; one of them as a chart, whose rows lead to items."""
    store, dimension = session.store(), line.dimension
    cuts = load(statistics.SLICES, selection, line)
    if not cuts:
        text.quiet(
            "Nothing to slice by: {cells} with reference labels (gold) and a score, all of the same system, language, "
            "length, position and metadata. Label other items, or import items with a language or topic in their meta.",
            cells=many(line.shown.cells, "rating"),
        )  # fmt: skip
        return
    findings.draw(slices_findings.tests(cuts), f"tests:{key}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = url_state.select("by", "Slices by", {cut.by: cut.by for cut in cuts}, width=260)
        explanations.help_button("slices", key=key)
    chosen = next(cut for cut in cuts if cut.by == by)
    plot = slices_findings.plot(chosen, line.shown.interval)
    row = charts.interval_chart(plot.rows, f"chart:{key}:{by}", plot.mark, plot.marked, plot.reach, click=True)
    text.quiet(
        "{how} Click a row, or use the arrow keys and Enter, to list its items, largest disagreement first.",
        how=plot.caption,
    )
    if row:
        name = slices_findings.rank_slices(chosen)[row - 1].name
        parted = slices.slice_cells(
            store, selection.dataset, selection.judge, dimension, selection.basis, selection.dropped
        )
        listed = slices.slice_members(store, session.me().name, selection.dataset, selection.judge, parted, by, name)
        _list_ratings(listed, name, line.shown, f"items:{key}:{by}:{name}", selection.name)


def _list_ratings(members: Sequence[SliceMember], name: str, summary: Summary, key: str, dataset: str) -> None:
    scale = summary.dimension.scale
    text.say("Ratings of **{name}**, largest disagreement first. Click one to open it on the desk.", name=name)
    people = [scale.format(value) for value in bins.from_codes([m.human for m in members], scale)]
    judge = [scale.format(value) for value in bins.from_codes([m.judge for m in members], scale)]
    rows = [(m.name, name_unit(m.unit), *answers) for m, *answers in zip(members, people, judge, strict=True)]
    tables.item_table(rows, ("item", "unit", "people", "judge"), [m.item for m in members], key, dataset)


HANDICAPS: Mapping[float, str] = {eps: f"{kind} · ε {eps:g}" for eps, kind in alternative_annotator.EPSILONS.items()}


def _draw_people(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """The ceiling beside the judge's kappa, and the alternative-annotator test; on blind labels of the same cells."""
    store, key = session.store(), f"people:{key}"
    with st.spinner("Comparing people with each other ..."):
        ceiling = measure_ceiling(store, selection.dataset, selection.judge, line.dimension)
    explanations.heading_with_help("Agreement between people, and of the judge with them", "ceiling", "alpha", key=key)
    # Ties count between people: a kappa without them is another figure.
    interval = None if selection.dropped else line.shown.interval
    findings.draw(human_ceiling_findings.findings(ceiling, interval), f"ceiling:{key}")
    if ceiling is None or ceiling.judge is None:
        return
    explanations.heading_with_help(
        "Alternative-annotator test: may the judge replace one annotator?", "alternative", "handicap", key=f"{key}:test"
    )
    if ceiling.people < alternative_annotator.MIN_PEOPLE:
        st.caption("Not tested: this needs labels of three people or more.")
        return
    epsilon = st.segmented_control(
        "The people here are", list(HANDICAPS), format_func=lambda eps: text.escape(HANDICAPS[eps]), default=0.2,
        required=True, key=f"epsilon:{key}",
    )  # fmt: skip
    epsilon = float(epsilon or 0.2)
    with st.spinner("Leaving out one person at a time ..."):
        test = alternative_annotator_test(store, selection.dataset, selection.judge, line.dimension, epsilon)
    if test is not None:
        _alternatives(test)


def _alternatives(test: alternative_annotator.AlternativeAnnotatorTest) -> None:
    state = "" if not test.enough else "passes" if test.passed else "does not pass"
    findings.draw_sentence(human_ceiling_findings.test(test), state)
    if not test.enough:
        return
    closer = Column(".0%", "At least as close to the other people; ties count for both.", width=104)
    columns = {
        "person": Column(width=150), "items": COUNT, "judge closer": closer, "person closer": closer,
        "p": Column(width=84), "p adjusted": Column(width=84), "judge": Column(width=100),
    }  # fmt: skip
    rows = [
        (annotator.name, annotator.items, annotator.judge, annotator.person, p_value(annotator.p),
         p_value(annotator.adjusted), "✓ wins" if annotator.won else "– not shown")
        for annotator in test.people
    ]  # fmt: skip
    tables.table(rows, columns, width="content")
    if test.left_out:
        most = max(n for _, n in test.left_out)
        text.quiet(
            "Left out: {n} with fewer than {least} items in common with others ({most} at most).",
            n=many(len(test.left_out), "person", "people"), least=alternative_annotator.MIN_ITEMS, most=most,
        )  # fmt: skip


def _draw_anchoring(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """Kappa in both arms and the difference; acceptance and seconds; what was changed after a reveal."""
    store = session.store()
    explanations.heading_with_help(
        "Anchoring: do people agree more with the judge where they see its scores?", "anchoring", key=key
    )
    anchor = load(statistics.ANCHORING, selection, line)
    if anchor is not None:
        findings.draw(anchoring_findings.findings(*anchor), f"anchor:{key}")
    basis = policy.approval_basis(store, selection.dataset)
    arms = anchoring.arms(store, selection.dataset, selection.judge, line.dimension, basis)
    both_arms = (arms.blind, arms.assisted)
    if any(arm.labels for arm in both_arms):
        rows = []
        for name, arm in zip(("blind", "assisted"), both_arms, strict=True):
            same = arm.same / arm.labels if arm.labels else None
            changed = None if same is None else 1 - same
            low, pace, high = arm.seconds or (0.0, None, 0.0)
            middle_half = "–" if pace is None else f"{low:,.0f} to {high:,.0f}"
            rows.append((name, arm.items, arm.labels, same, changed, pace, middle_half))
        columns = {
            "labels": Column(), "items": COUNT, "answers": COUNT, "acceptance": Column(".1%"),
            "override": Column(".1%"), "s/item": Column(".0f", "Median seconds per item."),
            "IQR": Column("", "Interquartile range of the seconds per item."),
        }  # fmt: skip
        tables.table(rows, columns, f"arms:{key}", width="content")
        st.caption(
            "Assisted: acceptance rate and override rate. Blind: how often people give the judge's answer without "
            "seeing it. Seconds per item: median and IQR, over all questions of the item."
        )
    if arms.changed:
        text.say(
            "After the judge's scores were revealed, people changed {changed}: {same} to the judge's answer, {nearer} "
            "towards it. Revealed labels are in none of these figures.",
            changed=many(arms.changed, "label"), same=f"{arms.to_judge:,}", nearer=f"{arms.nearer:,}",
        )  # fmt: skip
    else:
        st.caption("No label was changed after the judge's scores were revealed.")


Panel = Callable[[CalibrationSelection, DimensionResult, str], None]
PANELS: dict[str, Panel] = {
    "agreement": _draw_agreement,
    "missing": _draw_missing_scores,
    "slices": _draw_slices,
    "size": _draw_sample_size,
    "people": _draw_people,
    "flag": _draw_threshold,
    "confidence": _draw_confidence,
    "selective": auto_accept.panel,
    "samples": _draw_self_consistency,
    "blind": _draw_anchoring,
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
    _draw_decision(approval_status, note, selection.name, case, line.check.state == "meets policy")
    with st.container(horizontal=True, vertical_alignment="center"):
        panel_titles = {s.name: s.title for s in statistics.STATISTICS.values() if s.applies(line)}
        chosen = url_state.tabs("panel", "Look into", panel_titles)
        explanations.help_button("gate", "units", key=f"gate:{key}")
    PANELS.get(chosen, _panel)(selection, line, f"{key}:{chosen}")
    if selection.dropped and not statistics.STATISTICS[chosen].can_drop_ties:
        st.caption("Ties are counted in these figures.")


def _panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    statistic = statistics.STATISTICS[key.rpartition(":")[2]]
    if not line.shown.cells:
        st.caption(text.NO_RATINGS)
        return
    explanations.heading_with_help(statistic.title, *statistic.explanations, key=key)
    own_findings = statistic.findings(
        load(statistic, selection, line), line, policy.requirements(session.store()).policy
    )
    findings.draw(own_findings or [quiet("Nothing to show here.")], key)


def _draw_decision(
    approval_status: ApprovalStatus, note: ApprovalNote, dataset: str, case: str, eligible: bool
) -> None:
    """Draw in one line what was decided on a dimension so far, and the way to the page where it is decided."""
    approval = approval_status.proposed or approval_status.in_force
    doubt = note.review.why if note.review is not None and note.doubted else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if approval is not None:
            text.quiet(
                "**{who}** {done} it, {at}: {reason}", who=display_name(approval.person), done=approval.done,
                at=text.moment(approval.at), reason=text.shorten(approval.reason, 110),
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
