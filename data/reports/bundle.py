"""Everything about one judge in one ZIP: the report, its tables as CSV, its plots as SVG, its ratings, its figures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from data.calibration import calibration
from data.gold.gold import Basis
from data.records import exposure
from data.records.access import allow, require
from data.reports import plots, report, tables
from data.reports.evidence import DimensionEvidence, Evidence, Progress, gather_report_evidence
from data.reports.figures import report_figures
from data.reports.statistics import EPSILON
from data.store import Store
from data.zip_files import zip_bytes
from judges.render.csv_cells import csv_text
from judges.types import Scale

CELLS = "item unit dimension basis human judge human_code judge_code scored weight".split()
"""The columns of the files in ratings/."""
_MARK = "\ufeff"
"""At the beginning of a CSV file it shows Excel that it is UTF-8."""
_ABOUT = """\
What is in this archive

report.html       the report, for people
figures.json      every figure with every digit, for programs
figures.csv       every dimension on every basis: kappa, low, high (95% interval), bound (one-sided, 95%), items,
                  n_eff (their effective number), ratings, agreement (share), within_one, bias (judge - people),
                  correlation, ac (Gwet's AC2 where answers are ordered, AC1 elsewhere), and what was left out
states.csv        the result of the approval check for each dimension, and the baselines that do not read the text
confusion.csv     every confusion matrix: ratings counts them, weight sums those of the folder ratings
people.csv        agreement among people on the ratings that several labelled, and of the judge with them
slices.csv        the same by system, language, length ...: p_holm tests whether slices differ
growth.csv        kappa on the first n items that were labelled
confidence.csv    how often the judge agrees with people, by its confidence
fingerprints.csv  of the labels and scores behind each dimension and basis
audits.csv        the audits of known failures
decisions.csv     what leads have decided
means.csv         the judge's own mean scores by system
{cells}
plots/            the plots, as SVG

In CSV files a text that begins like a formula has a ' before it. An empty field is a figure that does not exist.
"""
_CELLS = """\
ratings/          the ratings behind each dimension, from which every figure can be computed again:
                  human and judge in words, and as codes; n/a is an answer, an empty judge is unscored;
                  weight is the items of its stratum over those of them drawn and answered"""
_NO_CELLS = """\
ratings/          is only in an archive that a researcher or a lead makes: it has what people and the judge said of
                  every item, and who has seen that cannot answer blind any more"""


@allow("annotator")
def bundle(
    store: Store, actor: str, dataset_id: str, judge_id: str, progress: Progress = lambda _: None,
    epsilon: float = EPSILON,
) -> bytes:
    """The archive, with the cells for researchers and leads, who are then recorded as having been shown them.

    The same data gives the same bytes to the same role. Raises NotFound, NotAllowed.
    """
    cells = require(store, actor, "annotator").may("researcher")
    evidence = gather_report_evidence(store, dataset_id, judge_id, progress, epsilon)
    shown = set[str]()

    def files() -> Iterator[tuple[str, str]]:
        yield from _files(evidence, cells)
        for dim in evidence.dimensions if cells else ():
            progress(f"Cells of {dim.dimension.title}")
            rows = (row for basis in evidence.basis_sizes for row in _rating_rows(store, evidence, dim, basis, shown))
            yield f"ratings/{dim.line.key}.csv", _MARK + csv_text(CELLS, rows)

    archive = zip_bytes(files())
    exposure.record_exposures(store, actor, dict.fromkeys(shown, (judge_id, exposure.OTHER_PEOPLE)), "report")
    return archive


def _files(evidence: Evidence, cells: bool) -> Iterator[tuple[str, str]]:
    all_figures = report_figures(evidence)
    yield "README.txt", _ABOUT.format(cells=_CELLS if cells else _NO_CELLS)
    yield "report.html", report.render_report(evidence, all_figures)
    yield "figures.json", json.dumps(all_figures, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    for name, text in tables.tables(evidence, all_figures).items():
        yield f"{name}.csv", _MARK + text
    for name, text in plots.plot_files(evidence).items():
        yield f"plots/{name}", text


def _rating_rows(
    store: Store, evidence: Evidence, dimension_evidence: DimensionEvidence, basis: Basis, shown: set[str]
) -> Iterator[list[Any]]:
    d = dimension_evidence.dimension
    met = calibration.paired_cells_sql(store, evidence.dataset.id, evidence.judge.id, d, basis)
    frame = store.frame(
        f"with met as ({met}) select i.id, i.name, m.unit, m.human, m.judge, m.scored, m.weight "
        "from met m join item i on i.id = m.item_id order by i.name, i.id, m.unit",
        [evidence.dataset.id, d.name, evidence.judge.id],
    )
    shown.update(frame["id"].unique())
    human, judged = calibration.float_columns(frame, "human", "judge")
    for name, unit, h, j, scored, weight in zip(
        frame["name"], frame["unit"], human, judged, frame["scored"], frame["weight"], strict=True
    ):
        yield [
            name, unit, d.name, basis, _word(d.scale, h), _word(d.scale, j) if scored else None,
            None if np.isnan(h) else float(h), None if np.isnan(j) else float(j), bool(scored), float(weight),
        ]  # fmt: skip


def _word(scale: Scale, code: float) -> str:
    return scale.format(None if np.isnan(code) else code)
