"""The slow results, computed in advance at the start of a server, so that the first view need not wait."""

from __future__ import annotations

import contextlib
import threading

from data.approvals import check_results, policy, record
from data.calibration import baselines, calibration, human_ceiling, score_sums
from data.dashboard import dashboard
from data.mtbench import figures, mtbench
from data.records import datasets, exposure, queue_index
from data.store import Store
from judges.errors import AssayError
from judges.mtbench.ratings import ReadingRules
from judges.stats.intervals import LINEARISE_FROM


def warm_up(store: Store) -> threading.Thread:
    """Begin to look at queues, what is approved, MT-Bench's means and the judges of large datasets, in a thread.

    The store remembers what it finds. Whatever fails there fails again, and is reported, when somebody looks. The
    thread does not keep the process alive.
    """
    thread = threading.Thread(target=_load_caches, args=[store], name="ahead", daemon=True)
    thread.start()
    return thread


def _load_caches(store: Store) -> None:
    with contextlib.suppress(AssayError):  # what the desk and the pages of queues and people wait for
        queue_index.current_index(store)
        exposure.look_up_copies(store)
    with contextlib.suppress(AssayError):
        for dataset_id in sorted({dataset for dataset, *_ in record.approval_statuses(store)}):
            datasets.dataset_judges(store, dataset_id)
            for judge_id, judge_approvals in dashboard.approvals_by_judge(store, dataset_id).items():
                dashboard.tiles(store, dataset_id, judge_id, judge_approvals)
                dashboard.withheld_dimensions(store, dataset_id, judge_id, judge_approvals)
    with contextlib.suppress(AssayError):
        for dataset_id in mtbench.bench_datasets(store):
            figures.model_means(store, dataset_id, ReadingRules())
            figures.rankings(store, dataset_id, ReadingRules())
    with contextlib.suppress(AssayError):
        many = "select dataset_id from item group by dataset_id having count(*) >= $1"
        for (dataset_id,) in store.rows(many, [LINEARISE_FROM]):
            for judge in datasets.dataset_judges(store, dataset_id):
                with contextlib.suppress(AssayError):
                    _calibrate(store, str(dataset_id), judge.id)


def _calibrate(store: Store, dataset_id: str, judge_id: str) -> None:
    """Compute what the calibration page first shows of a judge."""
    basis = policy.approval_basis(store, dataset_id)
    check_results.dimension_results(store, dataset_id, judge_id)
    dimensions = calibration.compared_dimensions(store, judge_id)
    baselines.measure_baselines(store, dataset_id, judge_id, dimensions, basis)
    human_ceiling.kappas_between_people(store, dataset_id, judge_id, dimensions)
    score_sums.score_means(store, dataset_id, judge_id)
