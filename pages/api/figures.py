"""Figures, states and rows for programs: the same as on the pages and in exports, from the same functions."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from data.approvals import check_results, policy, record, suspension
from data.approvals.ci_check import check_judge
from data.assignments.progress import people_progress, progress_record
from data.cards import cards
from data.dashboard import dashboard
from data.exporting import delivery
from data.queue import progress
from data.records import datasets
from data.records.datasets import Dataset
from data.records.judge_lookup import lookup_judge
from data.reports import dashboard as dashboard_file
from data.reports import figures
from data.reports.evidence import gather_report_evidence
from data.runs import runs
from data.store.errors import NotFound
from pages.api import models
from pages.api.call import Call, Lines, named_dataset


def show_me(call: Call) -> models.Me:
    """Return the person whose token this is, and what the token may do."""
    token = call.token
    return models.Me(
        person=call.actor, role=call.person.role, token=token.name, scopes=list(token.scopes), expires=token.expires
    )


def list_datasets(call: Call) -> models.Datasets:
    """Every dataset, in the order of their making."""
    done = progress.dataset_progress(call.store)
    return models.Datasets(datasets=[
        models.DatasetOut(**_about(dataset, done.get(dataset.id))) for dataset in datasets.all_datasets(call.store)
    ])  # fmt: skip


def _about(dataset: Dataset, done: progress.DatasetProgress | None) -> dict[str, Any]:
    return {**asdict(dataset), **asdict(done or progress.DatasetProgress(0, 0, 0, 0))}


def show_dataset(call: Call) -> models.DatasetDetail:
    """A dataset with its judges."""
    at = call.dataset
    return models.DatasetDetail(
        **_about(at, progress.dataset_progress(call.store).get(at.id)),
        kinds=datasets.item_kinds(call.store, at.id),
        judges=[models.JudgeOut(**judge._asdict()) for judge in datasets.dataset_judges(call.store, at.id)],
    )


def show_progress(call: Call) -> models.ProgressOut:
    """Return the labelling progress of a dataset and of its queues."""
    at = call.dataset
    done = progress.dataset_progress(call.store).get(at.id, progress.DatasetProgress(0, 0, 0, 0))
    audit, review = (
        models.QueueOut(**asdict(progress.queue_progress(call.store, at.id, stream))) for stream in ("audit", "review")
    )
    return models.ProgressOut(dataset=at.name, **asdict(done), audit=audit, review=review)


def show_people_progress(call: Call) -> models.PeopleProgressOut:
    """Return the progress of people in the work that is assigned to them."""
    records = map(progress_record, people_progress(call.store, call.dataset.id))
    return models.PeopleProgressOut.model_validate({"dataset": call.dataset.name, "people": list(records)})


def calibrate(call: Call) -> models.CalibrationOut:
    """A judge's agreement with people in each dimension."""
    store, at, query = call.store, call.dataset, call.query
    judge, dropped = lookup_judge(store, at, query.judge), query.ties == "dropped"
    basis = query.basis or policy.approval_basis(store, at.id)
    shown = check_results.summaries(store, at.id, judge.id, basis, dropped)
    items = {j.id: j for j in datasets.dataset_judges(store, at.id)}[judge.id]
    return models.CalibrationOut(
        dataset=at.name, judge=models.JudgeOut(**items._asdict()), basis=basis, ties=query.ties,
        dimensions=[
            models.DimensionOut(
                unit=line.dimension.sort, dimension=line.dimension.name, title=line.dimension.title,
                state=line.check.state, reason=line.check.reason, missing=line.check.missing,
                more_items=list(line.check.more or ()) or None, checked_bound=line.check.bound,
                figures=figures.to_json_types(figures.dimension_figures(line.shown, basis, dropped)),
            )
            for line in check_results.dimension_results(store, at.id, judge.id, shown)
        ],
    )  # fmt: skip


def show_report(call: Call) -> models.ReportOut:
    """All figures of a judge's report."""
    at = call.dataset
    judge = lookup_judge(call.store, at, call.query.judge)
    report = figures.report_figures(gather_report_evidence(call.store, at.id, judge.id))
    return models.ReportOut(dataset=at.name, judge=judge.id, figures=report)


def list_approvals(call: Call) -> models.ApprovalsOut:
    """The decisions in force, after a check of everything that came since."""
    at = call.dataset
    judge = lookup_judge(call.store, at, call.query.judge).id if call.query.judge else ""
    suspension.suspend_unsupported(call.store)
    return models.ApprovalsOut(dataset=at.name, approvals=[
        models.ApprovalOut(unit=a.sort, **vars(a)) for a in record.current_approvals(call.store, at.id, judge)
    ])  # fmt: skip


def show_dashboard(call: Call) -> models.DashboardOut:
    """Return the published figures of a dataset, judge by judge, and the dimensions that are withheld."""
    store, at = call.store, call.dataset
    only = lookup_judge(store, at, call.query.judge).id if call.query.judge else ""
    approvals_by_judge = dashboard.approvals_by_judge(store, at.id)
    judges = [judge.id for judge in datasets.dataset_judges(store, at.id) if only in ("", judge.id)]
    return models.DashboardOut(
        dataset=at.name,
        tiles=[
            _tile(tile)
            for judge in judges
            for tile in dashboard.tiles(store, at.id, judge, approvals_by_judge.get(judge, []))
        ],
        withheld=[
            models.WithheldOut(
                judge=judge, unit=withheld.dimension.sort, dimension=withheld.dimension.name, state=withheld.state,
                reason=withheld.public_reason,
            )
            for judge in judges
            for withheld in dashboard.withheld_dimensions(store, at.id, judge, approvals_by_judge.get(judge, []))
        ],
    )  # fmt: skip


def _tile(tile: dashboard.Tile) -> models.TileOut:
    rows = [figures.to_json_types(row) for row in dashboard_file.rows_of(tile)]
    return models.TileOut(
        judge=tile.approval.judge, unit=tile.approval.sort, dimension=tile.approval.dimension,
        title=tile.counted.dimension.title, approved_by=tile.approval.person, approved_at=tile.approval.at,
        older_policy=tile.policy_today.warning,
        systems=[
            models.TileRow(labelled_items=row["labelled items"], other_items=row["other items"], **{
                name: row[name] for name in ("system", "of", "corrected", "low", "high", "judge", "people")
            })
            for row in rows
        ],
    )  # fmt: skip


def check(call: Call) -> models.CheckOut:
    """Whether a judge meets the policy."""
    query = call.query
    verdict = check_judge(
        call.store, call.actor, named_dataset(call.store, query.dataset), query.judge, query.dimension
    )
    return models.CheckOut.model_validate(verdict.as_json())


def list_runs(call: Call) -> models.RunsOut:
    """All runs, or those over a dataset."""
    at = named_dataset(call.store, call.query.dataset).id if call.query.dataset else ""
    return models.RunsOut(runs=[models.RunOut(**vars(run)) for run in runs.list_runs(call.store, at)])


def show_run(call: Call) -> models.RunDetail:
    """A run, and how far it is."""
    run = next((run for run in runs.list_runs(call.store) if run.id == call.path["run"]), None)
    if run is None:
        raise NotFound("There is no run of that id in this workspace.")
    status = runs.run_progress(call.store, run.id)
    return models.RunDetail(**vars(status) | vars(run), spending_limit=status.limit)


def list_cards(call: Call) -> models.CardsOut:
    """Every card of the workspace."""
    return models.CardsOut(cards=[
        models.CardOut(
            name=card.name, version=card.version, kind=card.kind,
            dimensions=[f"{d.sort}.{d.name}" for d in card.dimensions],
        )
        for card in cards.current_cards(call.store).values()
    ])  # fmt: skip


def export_rows(call: Call, kind: str) -> models.RowsOut | Lines:
    """The rows of an export, a page at a time or all in a stream; who took which is on record before they go out."""
    at = call.dataset
    if call.streams:
        return Lines(delivery.stream_export(call.store, call.actor, at, kind, call.options))
    page = delivery.export_page(call.store, call.actor, at, kind, call.options, call.query.cursor, call.query.limit)
    return models.RowsOut(rows=page.rows, next=page.next or None)
