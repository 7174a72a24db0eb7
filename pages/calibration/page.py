"""Calibration: a judge's agreement with people in each dimension, and what is still needed to publish it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from data.approvals import check_results, policy
from data.audits import audits
from data.calibration import baselines, calibration, human_ceiling, means, score_sums, votes, weakest_turns
from data.calibration.both_orders import load_positional_agreement
from data.calibration.calibration import BasisSize
from data.calibration.item_fields import SYSTEM
from data.calibration.score_sums import Mean
from data.gold import fewshot
from data.gold.gold import BASES, Basis
from data.records import combinations
from data.records.datasets import Dataset
from data.records.settings import Waiting, gold_rule
from data.reports.bundle import bundle
from data.reports.report import make_report
from data.store.errors import BadInput
from judges.audits import AuditFinding, all_audits
from judges.plural import many
from judges.render.findings import both_orders as both_orders_findings
from judges.render.findings import disputes as disputes_findings
from judges.render.findings import means as means_findings
from judges.render.findings import weakest_turns as weakest_turns_findings
from judges.render.findings.findings import COUNT, Column
from judges.render.words import cell, span
from judges.stats.calibration import DimensionResult, Summary
from judges.stats.uncertainty import Interval
from judges.stats.votes import JUDGE
from judges.types import Dimension
from pages.calibration import dimension, overview
from pages.calibration.selection import CalibrationSelection
from pages.ui import choose, findings, picture, session, tables, text, url_state


def page() -> None:
    """A judge's dimensions with their intervals and states; one of them in detail below."""
    session.me()
    store = session.store()
    head = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom")
    head.title("Calibration", anchor=False)
    place = choose.judged_dataset(store, ". Run one, or import its judgments, to compare it with people.")
    if place is None:
        return
    bar, dataset, judges, names = place
    with bar:
        judge = choose.judge(names)
    model = next(j.model for j in judges if j.id == judge)
    with st.container(horizontal=True, vertical_alignment="center"):
        choose.draw_data_notes(dataset, model)
        _alarms(audits.known_alarms(store, dataset.id, judge), dataset=dataset.name, judge=judge)
    with head:
        _downloads(dataset, judge, model)
    approval_policy = policy.requirements(store).policy
    counted = policy.approval_basis(store, dataset.id)
    dimensions = calibration.compared_dimensions(store, judge)
    sizes = calibration.basis_sizes(store, dataset.id, dimensions)
    with st.spinner("Comparing the judge with gold ..."):
        gate = check_results.dimension_results(store, dataset.id, judge)
    with bar:
        basis, dropped = _basis(gate, counted, sizes)
    selection = CalibrationSelection(dataset.id, judge, dataset.name, basis or counted, dropped)
    if basis is None:
        _explain_no_gold(dataset.name)
        _draw_both_orders(selection)
        _draw_means(selection, names, opened=True)
        return
    pairs = check_results.with_and_without_waiting(store, dataset.id, judge, basis, dropped)
    rule = gold_rule(store, dataset.id).waiting
    with bar:
        waits = url_state.select("waiting", "Not adjudicated", _WAITING_NAMES, rule, 230) if pairs else rule
    lines = gate
    if (basis, dropped, waits) != (counted, False, rule):
        with st.spinner("Comparing the judge with gold ..."):
            shown = check_results.summaries(store, dataset.id, judge, basis, dropped, waits)
            lines = check_results.dimension_results(store, dataset.id, judge, shown)
    key = f"{dataset.id}:{judge}:{basis}:{dropped}:{waits}"
    overview.draw_labels_used(lines, basis, dropped, counted, sizes)
    overview.draw_samples_note(combinations.combination_start(store, judge))
    text.example_items(fewshot.items_in_prompt(store, judge))
    _draw_disputes(pairs, rule, dataset.name)
    with st.spinner("Comparing people with each other ..."):
        tops = human_ceiling.kappas_between_people(store, dataset.id, judge, dimensions)
    overview.draw_intervals(lines, tops, approval_policy, key)
    with st.spinner("Computing baselines ..."):
        floors = baselines.measure_baselines(store, dataset.id, judge, dimensions, basis, dropped)
    overview.draw_dimensions(lines, tops, floors, key, lambda row: url_state.set_choice("dimension", lines[row].key))
    chosen = url_state.select("dimension", "One dimension", {line.key: line.title for line in lines}, width=360)
    line = next(line for line in lines if line.key == chosen)
    dimension.draw_dimension(selection, line, key)
    if line.dimension.sort == "pair":
        _draw_votes(selection, line.dimension)
    _draw_both_orders(selection)
    if turns := weakest_turns.compare_weakest_turns(store, dataset.id, judge, basis):
        with st.container(border=True):
            findings.draw(weakest_turns_findings.findings(turns), "weakest")
    _draw_means(selection, names)


def _downloads(dataset: Dataset, judge: str, model: str) -> None:
    store, me, name = session.store(), session.me(), picture.file_name("assay", dataset.name, model)
    cells = "all ratings (anyone who opens them can no longer label their items blind), "
    cells = cells if me.may("researcher") else ""
    picture.download_popover(
        [
            picture.Download(
                "Report (HTML)", f"{name}.html", "text/html",
                lambda: make_report(store, me.name, dataset.id, judge).encode(),
                "One self-contained page, for people without an account: every dimension with its table, the "
                "policy, the decisions, and the fingerprint of the data.",
            ),
            picture.Download(
                "Tables and plots (ZIP)", f"{name}.zip", "application/zip",
                lambda: bundle(store, me.name, dataset.id, judge),
                f"Every table as CSV with all digits, {cells}every plot as SVG, and the report. On very many labels "
                "this takes minutes.",
            ),
        ],
        f"report:{dataset.id}:{judge}",
    )  # fmt: skip


def _basis(
    gate: list[DimensionResult], counted: Basis, sizes: Mapping[Basis, BasisSize]
) -> tuple[Basis | None, bool]:
    """The labels used, and whether ties are dropped; None where nobody has labelled anything."""
    rests = {} if any(line.gate.gold_cells for line in gate) else sizes
    full = [basis for basis, rest in rests.items() if rest.labels] if rests else [counted, *BASES]
    if not full:
        return None, False
    drawn = any(line.dimension.scale.drawn for line in gate)
    basis = url_state.select("basis", "Labels used", overview.basis_names(rests), full[0], 460 if rests else 390)
    ways = {"counted": "counted", "dropped": "dropped"}
    return basis, drawn and url_state.select("ties", "Ties", ways, width=150) == "dropped"


def _explain_no_gold(dataset: str) -> None:
    st.info(
        "No reference labels (gold) for this judge's dimensions yet. Draw an audit sample and label it without seeing "
        "the judge's scores; its agreement with people is then shown here.",
        icon=":material/inbox:",
    )
    with st.container(horizontal=True):
        url_state.link("queue", "Draw a sample", dataset=dataset, stream="audit")
        url_state.link("desk", "Label", dataset=dataset, stream="audit")
        url_state.link("import", "Import labels")


def _alarms(alarms: Mapping[str, AuditFinding] | None, **query: str) -> None:
    """A quiet link to the audits with those that are in alarm; None: not looked at yet."""
    if alarms is None:
        url_state.link("audits", "Audits of this judge", **query)
    elif alarms:
        named = ", ".join(all_audits()[name].title for name in list(alarms)[:3])
        named += ", ..." if len(alarms) > 3 else ""
        label = f"{many(len(alarms), 'audit')} in alarm: {named}"
        url_state.link("audits", label, icon=":material/error:", **query)
    else:
        url_state.link("audits", "No audit in alarm", icon=":material/check_circle:", **query)


@text.fragment
def _draw_both_orders(selection: CalibrationSelection) -> None:
    """Sentences, the two shares with their intervals, and verdicts by order; nothing without pairs in both orders."""
    key = f"position:{selection.dataset}:{selection.judge}"
    agreement = load_positional_agreement(session.store(), selection.dataset, selection.judge)
    if agreement is None:
        return
    st.header("Position bias", anchor=False)
    findings.draw([*both_orders_findings.sentences(agreement), both_orders_findings.plot(agreement)], key)
    with st.expander("Verdicts by order"):
        findings.draw_table(both_orders_findings.table(agreement), f"{key}:verdicts")
    findings.draw([both_orders_findings.counting_note()], key)


_WAITING_NAMES: dict[Waiting, str] = {"counted": "counted, as combined", "out": "left out"}


def _draw_disputes(pairs: Sequence[tuple[Summary, Summary]], rule: Waiting, dataset: str) -> None:
    """Kappa and bias with and without the ratings that wait, of every dimension that has some; nothing without any."""
    if not pairs:
        return
    n = sum(counted.people.waiting for counted, _ in pairs)
    with st.expander(text.escape(f"{many(n, 'rating')} to adjudicate"), icon=":material/balance:"):
        findings.draw(disputes_findings.findings(pairs, rule == "counted"), "disputes")
        url_state.link("adjudication", "Adjudicate them", dataset=dataset)


_TIES = ("ties counted", "ties dropped")
"""The two ways in which MT-Bench counts ties; its paper calls them S1 and S2."""
_SHARE = Column(".1%", "% agreement: share of pairs of votes that are equal.", width=96)
_COLUMNS = {
    "between": Column(width=130),
    "part": Column(width=64),
    **dict.fromkeys(_TIES, _SHARE),
    **{f"{name} n": Column(",", "Pairs of votes.", "votes", 58) for name in _TIES},
    **{f"{name} interval": Column("", "", "95% interval", 118) for name in _TIES},
}


@text.fragment
def _draw_votes(selection: CalibrationSelection, dimension: Dimension) -> None:
    """Agreement of single votes, where people of named teams have voted; then the judge against the majority."""
    store = session.store()
    agreements = votes.team_agreement(store, selection.dataset, selection.judge, dimension)
    if not agreements:
        return
    st.header("Votes", anchor=False)
    rows = [
        {
            "between": f"{'judge' if a.one == JUDGE else a.one} and {a.other}",
            "part": a.part or "all",
            **_shares(_TIES[0], a.s1),
            **_shares(_TIES[1], a.s2),
        }
        for a in agreements
    ]
    tables.table(rows, _COLUMNS, max_rows=len(rows), width="content")
    st.caption(
        "% agreement of two votes on one item. Ties counted: a tie is an answer (setup 1 of the MT-Bench paper); ties "
        "dropped: pairs of votes with a tie are left out (setup 2). All current votes are used, blind and assisted. "
        "Intervals are by items. Agreement between people is the ceiling to compare with; a consistent judge may agree "
        "with single people more than they do with each other."
    )
    for name, dropped in zip(_TIES, (False, True), strict=True):
        summaries = check_results.summaries(store, selection.dataset, selection.judge, "all", dropped)
        summary = next(s for s in summaries if s.dimension == dimension)
        text.say(
            "Judge and majority vote, {name}: agreement **{exact}**, Cohen's kappa **{kappa}** ({ends}), {n}.",
            name=name, exact=cell(summary.exact, ".1%"), kappa=cell(summary.interval.point),
            ends=span(summary.interval), n=many(summary.cells, "item"),
        )  # fmt: skip


def _shares(name: str, interval: Interval) -> dict[str, float | int | str | None]:
    return {name: interval.point, f"{name} n": interval.cells, f"{name} interval": span(interval, ".1%")}


@text.fragment
def _draw_means(selection: CalibrationSelection, judges: Mapping[str, str], opened: bool = False) -> None:
    """Means by any field of the items, and beside another judge on the same cells."""
    store = session.store()
    if not means.has_means(store, selection.judge):
        return
    fields = means.group_fields(store, selection.dataset)
    with st.expander("Mean scores", expanded=opened, icon=":material/functions:"):
        st.caption("The judge's own scores, not corrected. How far they agree with people is shown above.")
        chosen = _choose_means(fields, judges, selection.judge)
        try:
            _draw_means_table(means.means_table(store, selection.dataset, selection.judge, chosen), chosen.by)
        except BadInput as error:
            text.quiet("{why} Means by system:", why=str(error))
            _by_system(score_sums.score_means(store, selection.dataset, selection.judge))


_ALL = "all items"


def _choose_means(fields: Mapping[str, Sequence[str]], judges: Mapping[str, str], judge: str) -> means.MeansChoice:
    """By which field, of which items only, and beside which judge; all of it is kept in the address."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = url_state.select("by-field", "Means by", {"": _ALL} | {name: name for name in fields}, SYSTEM, 200)
        pairs = {f"{name}={value}": (name, value) for name, values in fields.items() for value in values}
        only = url_state.select("only", "Only items of", {"": _ALL} | {key: key for key in pairs}, width=240)
        others = {"": "no other judge"} | {id_: name for id_, name in judges.items() if id_ != judge}
        other = url_state.select("beside", "On the same ratings as", others, width=330)
    return means.MeansChoice(by, (pairs[only],) if only else (), other)


def _by_system(scores: list[Mean]) -> None:
    """Draw the judge's mean score for each system; "all" is over all its rows."""
    rows = [
        (m.system or "unnamed", m.dimension.replace("_", " "), m.unit.replace(":", " ") or "all", m.cells, m.mean)
        for m in scores
    ]
    texts = dict.fromkeys(("system", "dimension", "unit"), Column())
    tables.table(rows, texts | {"scores": COUNT, "mean": Column(".4f")}, max_rows=10)


def _draw_means_table(table: means.MeansTable, by: str) -> None:
    """A row for every group and dimension, with the columns that are not empty."""
    if table.unshared is not None:
        own, other = table.unshared
        text.quiet(
            "On the ratings of both judges: {own} of this judge alone and {other} of the other are left out.",
            own=f"{own:,}", other=f"{other:,}",
        )  # fmt: skip
    if table.rows:
        findings.draw_table(means_findings.table([row.display for row in table.rows], by), "means")
    else:
        st.caption("This judge gives no numeric scores or flags here.")
    if sentence := means.explain_few_scores(table):
        text.quiet("{few}", few=sentence)
