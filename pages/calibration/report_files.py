"""The downloads of the calibration page: the report of the judge, and all of its tables, plots and ratings."""

from __future__ import annotations

from data.reports.bundle import bundle
from data.reports.report import make_report
from pages.calibration.place import CalibrationPlace
from pages.ui import picture, session


def download(place: CalibrationPlace, dataset: str, model: str) -> None:
    """The button with the judge's report and its tables; they are made when they are asked for."""
    store, me, name = session.store(), session.me(), picture.file_name("assay", dataset, model)
    cells = "all ratings (anyone who opens them can no longer label their items blind), "
    cells = cells if me.may("researcher") else ""
    picture.download_popover(
        [
            picture.Download(
                "Report (HTML)", f"{name}.html", "text/html",
                lambda: make_report(store, me.name, place.dataset, place.judge).encode(),
                "One self-contained page, for people without an account: every dimension with its table, the "
                "policy, the decisions, and the fingerprint of the data.",
            ),
            picture.Download(
                "Tables and plots (ZIP)", f"{name}.zip", "application/zip",
                lambda: bundle(store, me.name, place.dataset, place.judge),
                f"Every table as CSV with all digits, {cells}every plot as SVG, and the report. On very many labels "
                "this takes minutes.",
            ),
        ],
        f"report:{place.dataset}:{place.judge}",
    )  # fmt: skip
