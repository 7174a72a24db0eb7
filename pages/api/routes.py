"""The table of the API: every route, and all that the server and the description have to know of it."""

from __future__ import annotations

from functools import partial

from starlette.convertors import StringConvertor, register_url_convertor

from data.exporting.delivery import KEYS
from data.exporting.exporting import export_kind
from pages.api import figures, intake, models, runs
from pages.api.call import ApiRoute

PREFIX = "/api/v1"
ADDRESSES = (f"{PREFIX}/{{rest:whatever}}", f"/{{base:path}}{PREFIX}/{{rest:whatever}}")
"""At the root, and below what `server.baseUrlPath` says."""
_AT = "/datasets/{dataset}"


class _Whatever(StringConvertor):
    """The rest of a path, including line breaks, at which Starlette's own converter stops."""

    regex = r"[\s\S]*"


register_url_convertor("whatever", _Whatever())
_SEND_SUMMARIES = {
    "lines": "Send lines of any kind to a dataset. It is created if it does not exist.",
    "items": "Send items.",
    "judgments": "Send judgments: replies of judges, or their scores.",
    "labels": "Send labels of people. They are kept apart from labels given in Assay.",
    "cards": "Send cards.",
}

ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute("GET", "/me", "me", "Whose token this is, and what it may do.", "", "annotator", figures.show_me,
             models.Me),
    ApiRoute("GET", "/check", "check", "Whether a judge meets the policy, for a pipeline.", "check",
             "annotator", figures.check, models.CheckOut, models.CheckQuery, keeps_still=True),
    ApiRoute("GET", "/datasets", "list_datasets", "Every dataset, and how far it is labelled.", "read", "annotator",
             figures.list_datasets, models.Datasets, keeps_still=True),
    ApiRoute("GET", _AT, "show_dataset", "A dataset with its judges.", "read", "annotator", figures.show_dataset,
             models.DatasetDetail, keeps_still=True),
    ApiRoute("GET", f"{_AT}/progress", "show_progress", "How far a dataset is labelled, and its queues.", "read",
             "annotator", figures.show_progress, models.ProgressOut, keeps_still=True),
    ApiRoute("GET", f"{_AT}/progress/people", "show_people_progress", "How far people are with what is assigned to "
             "them.", "read", "researcher", figures.show_people_progress, models.PeopleProgressOut),
    ApiRoute("GET", f"{_AT}/calibration", "calibrate", "A judge's agreement with people in each dimension, as on the "
             "page Calibration.", "read", "annotator", figures.calibrate, models.CalibrationOut,
             models.CalibrationQuery, keeps_still=True),
    ApiRoute("GET", f"{_AT}/report", "report", "All figures of a judge's report.", "read", "annotator",
             figures.show_report, models.ReportOut, models.JudgeQuery, keeps_still=True),
    ApiRoute("GET", f"{_AT}/approvals", "list_approvals", "The decisions that stand.", "read", "annotator",
             figures.list_approvals, models.ApprovalsOut, models.JudgeQuery, keeps_still=True),
    ApiRoute("GET", f"{_AT}/dashboard", "show_dashboard", "What is published, and what is withheld and why.", "read",
             "annotator", figures.show_dashboard, models.DashboardOut, models.JudgeQuery, keeps_still=True),
    ApiRoute("GET", "/cards", "list_cards", "Every card.", "read", "annotator", figures.list_cards, models.CardsOut,
             keeps_still=True),
    ApiRoute("GET", "/runs", "list_runs", "Runs, the newest first.", "read", "researcher", figures.list_runs,
             models.RunsOut, models.RunsQuery),
    ApiRoute("GET", "/runs/{run}", "show_run", "A run, and how far it is.", "read", "researcher", figures.show_run,
             models.RunDetail),
    *(
        ApiRoute("GET", f"{_AT}/{kind}", f"get_{kind}", export_kind(kind).description, "read", "researcher",
                 partial(figures.export_rows, kind=kind), models.RowsOut, models.PageQuery, kind=kind)
        for kind in KEYS
    ),
    *(
        ApiRoute("POST", f"{_AT}/{kind}", f"send_{kind}", _SEND_SUMMARIES[kind], "write", "researcher",
                 partial(intake.import_lines, kind=kind), models.LinesOut, models.LinesQuery, lines=kind)
        for kind in intake.LINE_SORTS
    ),
    ApiRoute("POST", f"{_AT}/draws/audit", "draw_audit", "Draw further items at random into the audit sample.", "draw",
             "researcher", intake.draw_audit, models.DrawnOut, body=models.AuditDraw),
    ApiRoute("POST", f"{_AT}/draws/review", "fill_review", "Add the items that most need review to the review "
             "queue.", "draw", "researcher", intake.fill_review, models.DrawnOut, body=models.ReviewDraw),
    ApiRoute("POST", "/runs", "start_run", "Start a run of a judge over a dataset.", "run", "researcher",
             runs.start_run, models.RunMade, body=models.RunStart),
    ApiRoute("POST", "/runs/{run}/stop", "stop_run", "Stop a run; what is under way is stored.", "run", "researcher",
             runs.stop_run, models.RunMade, body=models.NoBody),
    ApiRoute("POST", "/runs/{run}/resume", "resume_run", "Resume a stopped run. Calls that were answered are not "
             "made again.", "run", "researcher", runs.resume_run, models.RunMade, body=models.RunTerms),
)  # fmt: skip
