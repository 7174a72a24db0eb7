"""What each room of `data` gives of one planted workspace, each in an archive of its own beside this file."""

from __future__ import annotations

import contextlib
import html
import io
import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.adjudication import adjudication, adjudication_items
from data.annotators import annotators, drift
from data.approvals import actions, approvals, case, check_results, ci_check, plans, quota, record, rules, suspension
from data.approvals import auto_accept as accepting
from data.approvals import policy as policies
from data.approvals.auto_accept import AutoAcceptTarget
from data.approvals.label_caveats import ImportedLabels, LabelOrigin
from data.assignments import assignments, shares
from data.assignments import progress as people_progress
from data.assignments.assignments import AssignmentTerms, Selection, WorkCount
from data.assignments.progress import AssignedWork, PersonActivity, RecentAnswer
from data.assignments.working_time import after_working_hours, working_hours
from data.audits import audits, justification_labels
from data.calibration import (
    anchoring,
    auto_accept,
    baselines,
    both_orders,
    calibration,
    comparison,
    confidence,
    forecast,
    human_ceiling,
    means,
    missingness,
    nonresponse,
    rates,
    score_sums,
    slices,
    votes,
    weakest_turns,
)
from data.calibration.means import MeansChoice
from data.calibration.rates import flag_at
from data.cards import cards
from data.cards.desk_cards import choose_desk_cards
from data.dashboard import breakdown, dashboard, sentences
from data.desk import desk, labels
from data.exporting import delivery, exporting
from data.exporting.kind import list_choices
from data.exporting.shared import code_words, exact_words
from data.importing import start
from data.importing.detection.detection import DetectedFile, read_format
from data.importing.detection.plan_proposal import suggest_mapping
from data.importing.files.source import Source, from_bytes
from data.importing.formats import ASIDE
from data.importing.importing import detect_formats, import_source, preview_import
from data.importing.plan import ImportPlan
from data.mtbench import downloads, mtbench, protocol_run, questions
from data.mtbench import figures as bench_figures
from data.mtbench.answers import ProtocolRun
from data.queue import listing, queue, review_signals, strata
from data.queue import progress as queue_progress
from data.queue.queue import OfferedItem
from data.records import datasets, invitations, items, judge_lookup, logins, people, settings, tags, tokens
from data.records.rows import item_id
from data.records.settings import GoldRule
from data.reports import dashboard as dashboard_file
from data.reports import evidence, report, tables
from data.reports.figures import report_figures
from data.reports.statistics import STATISTICS, load_figures
from data.runs import charges, runs, writer
from data.runs.run_config import RunConfig
from data.samples import SAMPLES
from data.store.duckdb_driver import DuckTables
from data.store.errors import BadInput
from data.trail import activity, trail
from data.trail.change_details import describe_rows
from data.trail.trail import KINDS, TrailFilter
from data.webhooks import events as events_there
from data.webhooks import outbox, webhooks
from data.workspace import verify
from judges.audits import all_audits
from judges.cards import card as builtin_card
from judges.client.endpoint import Endpoint
from judges.errors import AssayError
from judges.mtbench.protocol import protocols
from judges.mtbench.ratings import ReadingRules
from judges.mtbench.records import Bench, BenchQuestion
from judges.params import Params
from judges.protocols.call_plan import CallReply, Task
from judges.stats.means import MIN_ITEMS
from judges.stats.ppi import CorrectedMean, MeanComparison
from judges.stats.sampling import SampleDesign
from judges.stats.slices import MeanSlice
from judges.triage import Reason
from judges.types import Dimension, Scale
from tests import seeds
from tests.data import import_files, planted_workspace
from tests.data.conftest import Check
from tests.data.flag_dataset import CARD, add_flag_dataset
from tests.data.imports import source as import_lines
from tests.data.mtbench.bench_counts import count_bench
from tests.data.mtbench.recorder import is_judging, recording
from tests.data.planted_workspace import BEGIN, NO_FILTERS, PlantedWorkspace
from tests.data.runs.test_runs import scripted_source
from tests.facts import collect_refusals, facts, picture_lines, refusal, tallies, text_of
from tests.judges.endpoint import Say

pytestmark = pytest.mark.together("rooms of data")  # they share the planted workspace

Json = dict[str, Any]
STREAMS: tuple[queue.Stream, ...] = ("audit", "review")


# -- exporting --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_exporting(workspace: PlantedWorkspace, check: Check, tmp_path: Path) -> None:
    check("exporting", exports(workspace, tmp_path))


def exports(workspace: PlantedWorkspace, folder: Path) -> Iterator[str]:
    """Every kind with its options, as it is shown first, written in two formats and given out by pages."""
    store, one, two = (
        workspace.store,
        workspace.judges["support", "judge-one"],
        workspace.judges["support", "judge-two"],
    )
    by_name = {name: datasets.dataset_named(store, name) for name in workspace.datasets}
    varied: list[tuple[str, str, Json]] = [
        ("labels", "support", {"names": False, "dimension": "helpfulness"}),
        ("gold", "support", {"judge": one, "basis": "blind"}),
        ("scores", "support", {"judge": two, "dimension": "helpfulness"}),
        ("scores", "duels", {}),
        ("chats", "support", {"by": "coherence", "least": "2", "basis": "all", "scenario": True}),
        ("chats", "answers", {"by": "factuality", "least": "4"}),
        ("candidates", "support", {"basis": "assisted", "most": 4, "judge": two}),
        ("examples", "support", {"card": "multi_turn_dialogue", "few": 2}),
        ("preference_turns", "support", {"unwritten": True, "weakest_by": one, "scenario": True}),
        ("preference_pairs", "duels", {}),
        ("preference_pairs", "duels", {"by_judge": "pair-judge"}),
        ("items", "duels", {}),
        ("items", "answers", {}),
    ]
    for kind in exporting.export_kinds().values():
        yield f"== {kind.name}, place {kind.place}: {kind.title}. {kind.description} It is {kind.reimport}."
        yield f"  judges {kind.shows_judges}, people {kind.shows_people}, tuning {kind.marks_tuning_items}"
        yield f"  columns {', '.join(f'{c.name} {c.type}'[:60] for c in kind.columns)}"
        for option in kind.options:
            choices = list_choices(store, option, workspace.datasets["support"])
            yield f"  option {option.name} ({option.title}, {option.default!r}): {option.help}; {choices}"
        if kind.name not in ("examples", "preference_pairs", "candidates"):
            yield from _describe_preview(workspace, kind, by_name["support"], folder)
        for of, name, options in varied:
            if of == kind.name:
                yield from _describe_export(workspace, kind, by_name[name], options, folder / "rows.jsonl")
    say = code_words(store)
    for dimension in ("helpfulness", "none"):
        yield f"codes in words: {[say('dialogue', 'turn:1', dimension, code) for code in (2.0, 2.5, None)]}"
    yield f"exactly: {[exact_words(Scale('interval', 0, 1), code) for code in (0.1234567, 1.0, None)]}"
    yield from _pages(workspace, by_name["support"])
    yield from _refused_exports(workspace, by_name["support"], folder)


def _describe_preview(workspace: PlantedWorkspace, kind: Any, dataset: Any, folder: Path) -> Iterator[str]:
    first, count = exporting.preview_export(workspace.store, "rex", dataset, kind, {})
    waiting = exporting.count_waiting_blind(workspace.store, "rex", dataset, kind, {})
    names = [str(row.get("item", "-"))[:12] for row in first]
    yield f"  shown first {names} of {count}, {waiting} wait for a blind answer"
    both = kind.name in ("items", "labels", "scores", "chats", "preference_turns")
    for format in ("jsonl", "csv")[: 2 if both else 1]:
        yield from _describe_export(workspace, kind, dataset, {}, folder / f"rows.{format}")


def _describe_export(workspace: PlantedWorkspace, kind: Any, dataset: Any, options: Json, file: Path) -> Iterator[str]:
    format: Any = file.suffix[1:]
    done = exporting.write_export(workspace.store, "rex", dataset, kind, options, format, file)
    yield f"-- {kind.name} of {dataset.name} with {options}: {done.lines} {format} lines, {done.excluded} put aside"
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    if format == "jsonl":
        yield from tallies([json.loads(line) for line in lines], 5)
    else:
        yield f"  {exporting.loading_code(format, file.name)!r}"
    for line in lines[: 1 if options or dataset.name != "support" else 2]:
        yield f"  | {line[:430]}"


def _pages(workspace: PlantedWorkspace, dataset: Any) -> Iterator[str]:
    """Pages of the exports that have some, of two rows and one, and the batches of those that come as a stream."""
    for name in delivery.KEYS:
        page = delivery.export_page(workspace.store, "rex", dataset, name, {}, limit=2)
        again = delivery.export_page(workspace.store, "rex", dataset, name, {}, page.next, 1) if page.next else page
        parts = delivery.stream_export(workspace.store, "rex", dataset, name, {}) if name != "gold" else ()
        batches = [len(batch) for batch in parts]
        last = {key: again.rows[-1][key] for key in delivery.KEYS[name]} if again.rows else {}
        yield f"pages of {name}: {len(page.rows)}, then {last}, more: {bool(again.next)}; batches {batches}"
    rows = workspace.store.rows("select kind, lines, settings from export order by seq")
    for kind, lines, options in rows[-12:]:
        yield f"kept: {kind} {lines} {options}"


def _refused_exports(workspace: PlantedWorkspace, dataset: Any, folder: Path) -> Iterator[str]:
    store, gold = workspace.store, exporting.export_kind("gold")
    whole, pairs = exporting.export_kind("dataset"), exporting.export_kind("preference_pairs")
    parts = folder / "parts"
    done = exporting.write_export(store, "rex", dataset, whole, {}, "parquet", parts, rows_per_file=100)
    listed = json.loads(next(parts.glob("*.json")).read_text(encoding="utf-8"))
    entries = [(entry["name"], entry["rows"]) for entry in listed.pop("files")]
    yield f"parts: {done.lines} {entries} {sorted(listed)} {listed['rows']} {listed['kind']}"
    duels = datasets.dataset_named(store, "duels")
    calls: dict[str, Callable[[], Any]] = {
        "kind": lambda: exporting.export_kind("all"),
        "option": lambda: exporting.preview_export(store, "rex", dataset, gold, {"colour": 1}),
        "basis": lambda: exporting.preview_export(store, "rex", dataset, gold, {"basis": "red"}),
        "judge": lambda: exporting.preview_export(store, "rex", dataset, gold, {"judge": "nobody"}),
        "judges": lambda: exporting.preview_export(store, "rex", dataset, gold, {"judge": "judge"}),
        "number": lambda: exporting.preview_export(
            store, "rex", dataset, exporting.export_kind("candidates"), {"most": -1}
        ),
        "flag": lambda: exporting.preview_export(
            store, "rex", dataset, exporting.export_kind("labels"), {"names": "no"}
        ),
        "role": lambda: exporting.preview_export(store, "cy", dataset, gold, {}),
        "format": lambda: exporting.write_export(store, "rex", dataset, gold, {}, "xml", folder / "x"),  # type: ignore[arg-type]
        "lines only": lambda: exporting.write_export(store, "rex", dataset, whole, {}, "csv", folder / "x"),
        "parts": lambda: exporting.write_export(store, "rex", dataset, gold, {}, "csv", folder / "x", rows_per_file=3),
        "not approved": lambda: list(pairs.rows(store, duels, {"by_judge": "x" * 20, "basis": "all"})),
        "least": lambda: list(
            exporting.export_kind("chats").rows(
                store,
                dataset,
                exporting.complete_options(store, dataset.id, exporting.export_kind("chats"), {"least": "top"}),
            )
        ),
        "examples": lambda: exporting.preview_export(store, "rex", dataset, exporting.export_kind("examples"), {}),
        "page": lambda: delivery.export_page(store, "rex", dataset, "gold", {}, limit=0),
        "cursor": lambda: delivery.export_page(store, "rex", dataset, "gold", {}, "abc"),
    }
    for name, call in calls.items():
        yield f"refused, {name}: {refusal(call)}"


# -- importing --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_importing(workspace: PlantedWorkspace, check: Check) -> None:
    check("importing", imports())


def test_previews(workspace: PlantedWorkspace, check: Check) -> None:
    check("previews", previews(workspace))


def imports() -> Iterator[str]:
    """How files of each format are known, what their tool says, and what columns of tables seem to mean."""
    for title, source in import_files.sources():
        try:
            files = detect_formats(source)
        except BadInput as error:
            yield f"== {title}: refused, {error}"
            continue
        yield f"== {title}"
        for file in files:
            of = f"{file.file.name}: {file.format} ({file.says}), {file.container}, {file.role}"
            yield f"  {of}, columns {file.columns}"[:400]
        for name in sorted({file.format for file in files} - {"canonical", "table", ASIDE}):
            for entry in read_format(name, [file for file in files if file.format == name]):
                yield from facts(type(entry).__name__, entry, 1)
    for columns, rows in import_files.tables():
        mapping = suggest_mapping(columns, rows)
        yield f"== columns {', '.join(columns)}"
        yield f"  {mapping.model_dump_json(exclude_defaults=True)}"
        yield f"  faults {mapping.faults(columns)}, textless {mapping.textless}, cards {sorted(mapping.cards())}"


def previews(workspace: PlantedWorkspace) -> Iterator[str]:
    """What an import understands of files, proposes for them, and would make of them."""
    for title, source in import_files.sources():
        with contextlib.suppress(BadInput):
            files = detect_formats(source)
            yield f"== {title}"
            yield from _describe_import(workspace, source, files)


def _describe_import(workspace: PlantedWorkspace, source: Source, files: list[DetectedFile]) -> Iterator[str]:
    interpretation = start.interpret_source(workspace.store, source, files)
    for series in interpretation.series:
        yield from facts("series", series, 1)
    for name in ("assumptions", "unclear", "items", "sampling"):
        yield f"  {name}: {getattr(interpretation, name)}"
    message = refusal(lambda: start.plan_import(workspace.store, interpretation, ImportPlan("support")))
    plan = (
        ImportPlan("support")
        if message
        else start.plan_import(workspace.store, interpretation, ImportPlan("support"))
    )
    for question in plan.questions:
        yield from facts("question", question, 1)
    for card in plan.cards:
        yield f"  card {json.dumps(card, ensure_ascii=False)[:300]}"
    yield f"  plan: {message or 'made'}"
    yield from facts("preview", preview_import(workspace.store, source, plan, actor="lea", detected=files), 1, 60)


# -- reports ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_reports(workspace: PlantedWorkspace, check: Check) -> None:
    check("reports", reports(workspace))


def reports(workspace: PlantedWorkspace) -> Iterator[str]:
    """What a report says of a judge of dialogues, which leads have decided on, and of one of pairs, with its tables."""
    for dataset, judge in (("support", "judge-one"), ("duels", "pair-judge")):
        place = workspace.datasets[dataset], workspace.judges[dataset, judge]
        gathered = evidence.gather_report_evidence(workspace.store, *place)
        figures = report_figures(gathered)
        yield f"== {judge} of {dataset}"
        yield text_of(report.render_report(gathered, figures))
        for name, table in tables.tables(gathered, figures).items():
            lines = [line for line in table.splitlines() if ",0,0.0," not in line]
            yield f"-- {name}: {len(lines)} lines"
            yield from lines[:12]


# -- desk and queue ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_desk(workspace: PlantedWorkspace, check: Check) -> None:
    check("desk", desks(workspace))


def desks(workspace: PlantedWorkspace) -> Iterator[str]:
    """What each person has on the desk: what they answered, what comes next, and what is refused."""
    store, dataset_id = workspace.store, workspace.datasets["support"]
    for person in ("cy", "dee", "eva", "lou"):
        answered = store.rows(
            "select distinct item_id, made_at from answer_now where person = $1 order by made_at", [person]
        )
        for item, _ in answered[5:]:
            yield from _shown_on_desk(f"{person} sees again", desk.open_item(store, person, item))
        for stream in ("audit", "review"):
            claims = queue.claim_items(store, person, dataset_id, stream, NO_FILTERS, [], 3)  # type: ignore[arg-type]
            for view in desk.desk_views(store, person, claims):
                yield from _shown_on_desk(f"{person} is given of {stream}", view)
    two = workspace.judges["support", "judge-two"]
    reviews = [OfferedItem("", item, "review", "assisted", two) for item in _of_cy(workspace)]
    for view in desk.desk_views(store, "cy", reviews):
        counts = f"{len(view.own_answers)} {len(view.scores)}"
        yield f"== together: {view.name} {view.mode} {counts} {view.comments} {view.repairs}"
        yield from facts("samples", {f"{u} {d}": score for (u, d), score in view.scores.items()}, 1)
    for dataset, name, person in (
        ("duels", "p-02", "lou"),
        ("duels", "p-12", "lou"),
        ("answers", "r-07", "lou"),
        ("support", "d-16", "rex"),
        ("support", "d-13", "rex"),
        ("support", "d-14", "rex"),
        ("support", "d-09", "rex"),
        ("support", "d-34", "lou"),
    ):
        yield from _shown_on_desk(
            f"{person} opens {name}", desk.open_item(store, person, workspace.item(dataset, name))
        )
    yield from _several_judges(workspace)
    yield from _save_answers(workspace)


def _of_cy(workspace: PlantedWorkspace) -> list[str]:
    return [workspace.item("support", f"d-{n}") for n in (33, 28, 19, 39)]


def _several_judges(workspace: PlantedWorkspace) -> Iterator[str]:
    """Items that show every judge of their card, and such as are asked about by two cards."""
    store, dataset_id = workspace.store, workspace.datasets["answers"]
    done = import_source(store, "lea", from_bytes(list(import_files.bench().items())), ImportPlan("bench"))
    judges = datasets.dataset_judges(store, done.dataset_id)
    for name in ("81/a", "81/b"):
        item = item_id(done.dataset_id, name)
        reviews = [OfferedItem("", item, "review", "assisted", judge.id) for judge in judges]
        for view in [desk.open_item(store, "lou", item), *desk.desk_views(store, "eva", reviews)]:
            yield from _shown_on_desk(f"of {len(judges)} judges", view)
    cards = ["pointwise_quality", "rubric_open_ended"]
    choose_desk_cards(store, "rex", dataset_id, cards)
    yield from _shown_on_desk("by two cards", desk.open_item(store, "rex", workspace.item("answers", "r-08")))
    yield f"no card: {refusal(lambda: choose_desk_cards(store, 'rex', dataset_id, ['none']))}"


def _shown_on_desk(title: str, view: desk.DeskView) -> Iterator[str]:
    yield f"== {title}: {view.name} ({view.mode}, {view.stream or 'no queue'}, {', '.join(view.systems) or 'unnamed'})"
    over = [f"{layer.card.name} {layer.judge_id} {layer.judge_name}" for layer in view.over]
    yield f"  card {view.card.name} over {over}, judge {view.judge_id} {view.judge_name}"
    yield f"  why {view.why}, answered {bool(view.version)}, drawn {bool(view.draw)}"
    for cell, (layer, of) in view.cells.items():
        entries = [
            f"{word} {next(facts('', values[cell])).removeprefix('- ')}"
            for word, values in {
                "judge": view.scores,
                "mine": view.own_answers,
                "others": view.others,
                "mark": view.marks,
            }.items()
            if cell in values
        ]
        yield f"  {' '.join(cell)} ({layer}, {of.title}): {'; '.join(entries)}"
    for name in ("remarks", "comments"):
        if getattr(view, name):
            yield from facts(name, sorted(getattr(view, name)), 1)
    for name in ("repairs", "doubts", "judgments"):
        if getattr(view, name):
            yield from facts(name, getattr(view, name), 1)


def _save_answers(workspace: PlantedWorkspace) -> Iterator[str]:
    """Answers that are taken, taken once, or refused, and what they leave in the tables."""
    store, item, clock = workspace.store, workspace.item("support", "d-31"), workspace.clock
    other, third = workspace.item("support", "d-32"), workspace.item("answers", "r-07")
    value = {"unit": "turn:1", "dimension": "helpfulness", "v": 4.0}
    base = {"key": "rex-key-1", "person": "rex", "action": "save", "item": item, "values": [value], "ms": 5_000}
    extras = {
        "notes": [{"unit": "", "sort": "comment", "text": " Long.\0 "}],
        "repairs": [{"unit": "turn:2", "text": " Yes. "}],
    }
    for title, request in {
        "saved": base | extras,
        "the same again": base | extras,
        "another under its key": base | {"values": [value | {"v": 2}]},
        "of another": base | {"person": "cy"},
        "overtaken": base | {"key": "rex-key-2"},
        "corrected": base
        | {"key": "rex-key-3", "version": "rex-key-1", "values": [value | {"v": 5}], "asked": ["turn/helpfulness"]},
        "as somebody": base | {"key": "rex-key-4", "person": "cy", "item": other},
        "no item": base | {"key": "rex-key-5", "item": "x"},
        "nothing": base | {"key": "rex-key-6", "item": other, "values": []},
        "off the scale": base | {"key": "rex-key-7", "item": other, "values": [value | {"v": 6}]},
        "no question": base | {"key": "rex-key-8", "item": other, "values": [value | {"dimension": "wit"}]},
        "no unit": base | {"key": "rex-key-9", "item": other, "values": [value | {"unit": "turn:9"}]},
        "unreadable": {"key": "short", "item": other},
        "no judge": base | {"key": "rex-key-10", "item": other, "judge": "nobody"},
        "not better": base | {"key": "rex-key-11", "item": other, "repairs": [{"unit": "conversation", "text": "x"}]},
        "too large": base
        | {"key": "rex-key-12", "item": other, "notes": [{"unit": "", "sort": "issue", "text": "x" * 20_000}] * 51},
        "skipped": base
        | {"key": "rex-key-13", "item": other, "action": "skip", "values": [], "reason": "No.", "ms": -5},
        "n/a": base
        | {"key": "rex-key-14", "item": third, "values": [{"unit": "response", "dimension": "factuality", "v": None}]},
        "seen": base
        | {
            "key": "rex-key-15",
            "item": third,
            "judge": workspace.judges["answers", "grader"],
            "ms": 10**9,
            "values": [{"unit": "response", "dimension": "factuality", "v": 2, "saw": True, "seen": 3, "unseen": True}],
        },
    }.items():
        clock.pass_(minutes=1)
        saved, refused = labels.save_answers(store, "rex", [request])
        yield f"{title}: saved {[answer.key for answer in saved]}, refused {[answer.why for answer in refused]}"
    query = "select a.person, i.name, a.action, a.mode, a.reason, a.milliseconds, a.previous, a.draw_id <> '' "
    query += "from answer a "
    for row in store.rows(query + "join item i on i.id = a.item_id order by a.made_at, a.id"):
        yield f"answer {row}"
    label_query = "select unit, dimension, value, mode, saw, seen, unseen, withdrawn, replaces is not null from label "
    for row in store.rows(
        label_query + "where annotator = 'rex' or withdrawn or mode = 'revealed' order by made_at, id"
    ):
        yield f"label {row}"
    yield f"notes {store.rows('select unit, sort, text, person from comment order by id')[-3:]}"
    yield f"better {store.rows('select unit, text, person from repair order by id')}"
    yield f"no reveal: {refusal(lambda: desk.reveal_judges(store, 'lou', item))}"
    yield f"nobody: {refusal(lambda: desk.open_item(store, 'nobody', item))}"


@pytest.mark.slow
def test_queue(workspace: PlantedWorkspace, check: Check) -> None:
    check("queue", queues(workspace))


def queues(workspace: PlantedWorkspace) -> Iterator[str]:
    """The order of both queues as people see it, what narrows it, and what would come into it."""
    store, dataset_id, clock = workspace.store, workspace.datasets["support"], workspace.clock
    one, two = workspace.judges["support", "judge-one"], workspace.judges["support", "judge-two"]
    zone = timezone(timedelta(hours=9))
    for person in ("rex", "cy", "dee"):
        for stream in STREAMS:
            listed = listing.list_queue(store, person, dataset_id, stream, NO_FILTERS)
            yield (
                f"== {stream} as {person} sees it: {listed.total}, {listed.drawn} drawn, {listed.left} left, "
                f"{listed.states}"
            )
            yield f"  {listed.answered} answered, {listed.full} full"
            for row in listed.rows:
                yield from facts("", row, 1)
            done = queue_progress.desk_progress(store, person, dataset_id, stream, NO_FILTERS, zone)
            yield from facts(f"{person} in {stream}", done, 1)
        by_day = list(queue_progress.saves_per_day(store, person, zone).items())
        yield from facts("by day", dict(by_day[-4:]))
    for filters, search in (
        (queue.QueueFilters(system="model-x"), ""),
        (queue.QueueFilters(judge=one), ""),
        (queue.QueueFilters(judge=two), ""),
        (queue.QueueFilters(dimension="helpfulness", reason="judges disagree"), ""),
        (queue.QueueFilters(reason="unscored"), ""),
        (NO_FILTERS, "d-2"),
        (NO_FILTERS, "承知"),
        (NO_FILTERS, "cy"),
        (NO_FILTERS, "model-y"),
    ):
        for stream in STREAMS:
            listed = listing.list_queue(store, "rex", dataset_id, stream, filters, None, 1, 2, search)
            names = [row.name for row in listed.rows]
            yield f"narrowed to {_filter_values(filters)} {search!r}: {stream} {listed.total} {names}, {listed.states}"
            yield f"  open to eva: {queue.count_open(store, 'eva', dataset_id, stream, filters)}"
    for state in ("to label", "answered", "reserved by you", "in audit sample", "answered by you", "not for you"):
        listed = listing.list_queue(store, "cy", dataset_id, "audit", NO_FILTERS, state, 1, 3)  # type: ignore[arg-type]
        yield f"only {state}: {listed.total} {[row.name for row in listed.rows]}"
    claimed = [claim.item for claim in queue.claim_items(store, "lou", dataset_id, "audit", NO_FILTERS, [], 4)]
    for ahead, current in ((4, claimed), (4, claimed[:2]), (4, claimed[:1]), (8, claimed), (1, [])):
        more = queue.claim_items(store, "lou", dataset_id, "audit", NO_FILTERS, current, ahead)
        yield f"with {current}, {ahead} ahead: {[claim.item for claim in more]}"
    yield f"{[queue.release_claims(store, 'lou', dataset_id) for _ in (1, 2)]} released"
    claimed = [claim.item for claim in queue.claim_items(store, "lou", dataset_id, "audit", NO_FILTERS, [], 4)]
    clock.pass_(minutes=50)
    more = queue.claim_items(store, "lou", dataset_id, "audit", NO_FILTERS, claimed, 4)
    yield f"claims over, {[claim.item for claim in more]}, {queue.release_claims(store, 'lou', dataset_id)} released"
    yield from facts("can be narrowed to", queue.filter_options(store, dataset_id))
    for judge in (one, two):
        for need in review_signals.find_needs(store, dataset_id, judge)[:: 4 if judge == two else 2]:
            yield from facts(f"need of {need.item}", need)
    for kind in (None, "judges disagree", "broken rule", "unscored"):
        yield f"would come in for {kind}: {queue.plan_review(store, dataset_id, two, 5, kind)}"  # type: ignore[arg-type]
    yield from _draws(workspace)
    flags = [
        Reason(workspace.item("support", f"d-{n:02}"), "flagged", f"Flag {n}.", n / 40) for n in (3, 5, 8, 13, 21)
    ]
    yield f"flagged: {queue.take_flagged(store, 'rex', dataset_id, one, flags)}"
    yield f"filled: {queue.fill_review(store, 'rex', dataset_id, two, 3)}"
    yield f"known to all: {queue.count_known_to_all(store, dataset_id)}"
    clock.pass_(minutes=1)
    yield f"released: {[queue.release_claims(store, person, dataset_id) for person in ('eva', 'cy')]}"
    yield f"stranded: {queue.count_stranded(store, dataset_id)}"
    for stream in STREAMS:
        yield f"{stream}: {queue_progress.queue_progress(store, dataset_id, stream)}"
        rows = store.rows(
            "select i.name, d.mode, d.stratum, d.probability, d.priority, d.reasons, c.name from draw_now d "
            "join item i on i.id = d.item_id left join dataset c on c.id = d.dataset_id where d.stream = $1 "
            "order by c.name, d.priority, i.name",
            [stream],
        )
        for name, mode, stratum, probability, priority, reasons, dataset in rows:
            yield f"  {dataset} {name} {mode} {stratum!r} {probability} {priority:.4g} {reasons[:200]}"
    for name, done in sorted(queue_progress.dataset_progress(store).items()):
        yield f"progress of {name}: {done}"


def _filter_values(filters: queue.QueueFilters) -> list[str]:
    return [filters.system, filters.judge, filters.dimension, filters.reason]


def _draws(workspace: PlantedWorkspace) -> Iterator[str]:
    """How draws would fall on strata of each sort, and what is refused."""
    store, lines = workspace.store, [line for line in planted_workspace.answers() if "annotator" not in line]
    extra = {**lines[0], "id": "r-99", "meta": {"language": "ja", "topic": 7}}
    done = import_source(store, "lea", import_lines([*lines, extra]), ImportPlan("fresh"))
    dataset_id, judge = done.dataset_id, datasets.dataset_judges(store, done.dataset_id)[0].id
    yield (
        f"nothing drawn: {strata.current_design(store, dataset_id)}, "
        f"{queue_progress.queue_progress(store, dataset_id, 'audit')}"
    )
    for options in (
        {},
        {"by": "meta", "of": "topic"},
        {"by": "score", "judge": judge, "of": "response.factuality"},
        {"by": "score", "judge": judge},
        {"by": "confidence", "judge": judge},
        {"by": "none"},
        {"by": "language"},
        {"by": "length"},
        {"by": "system", "allocation": "neyman", "judge": judge, "about": "response.factuality"},
        {"allocation": "equal"},
        {"by": "meta"},
    ):
        try:
            design = SampleDesign(**options)  # type: ignore[arg-type]
            yield f"strata by {options}: {strata.describe_design(design)}"
            for share in queue.plan_audit(store, dataset_id, 7, judge, design):
                yield from facts("", share, 1)
        except (AssayError, ValueError) as error:
            yield f"strata by {options} refused: {error}"
    for size in (0, 2_000_000, 99):
        yield f"a draw of {size}: {refusal(lambda size=size: queue.plan_audit(store, dataset_id, size, judge))}"  # type: ignore[misc]
        yield f"a fill of {size}: {refusal(lambda size=size: queue.fill_review(store, 'cy', dataset_id, judge, size))}"  # type: ignore[misc]
    for of, by in (("response.factuality", judge), ("response.factuality", "x"), ("response.coherence", judge)):
        with collect_refusals() as outcome:
            design = SampleDesign("score", of, by)
            outcome.append(str(queue.draw_audit(store, "rex", dataset_id, 6, judge, seed=5, design=design)))
        yield f"drawn by {of} of {by}: {outcome}"
    query = "select i.name, d.stratum, d.probability, d.mode from draw_now d join item i on i.id = d.item_id "
    for row in store.rows(query + "where d.dataset_id = $1 order by d.priority", [dataset_id]):
        yield f"  {row}"
    yield f"fields {strata.meta_fields(store, dataset_id)}, now {strata.current_design(store, dataset_id)}"
    reason = Reason("x", "flagged", "F", 1)
    yield f"elsewhere: {refusal(lambda: queue.take_flagged(store, 'rex', dataset_id, judge, [reason]))}"


# -- assignments ------------------------------------------------------------------------------------------------------


def test_assignments(workspace: PlantedWorkspace, check: Check) -> None:
    check("assignments", assigned_work(workspace))


def assigned_work(workspace: PlantedWorkspace) -> Iterator[str]:
    """What is given to whom and how far they are, what more would give, and what changes and refusals come to."""
    store, dataset_id, clock = workspace.store, workspace.datasets["support"], workspace.clock
    yield from _board(workspace, "as planted")
    for stream in STREAMS:
        yield from facts(f"values of {stream}", assignments.selection_values(store, dataset_id, stream))
    due = clock.moment + timedelta(days=5)
    for stream, chosen, terms in (
        ("audit", Selection(), AssignmentTerms(("cy", "dee", "eva"), overlap=2, due=due, seed=7)),
        ("audit", Selection(), AssignmentTerms(tag="german")),
        ("review", Selection("topic", "travel", share=0.6), AssignmentTerms(("cy", "dee"), overlap=2, seed=1)),
        ("review", Selection("language", "ja"), AssignmentTerms(("dee", "eva"), priority=3, reserved=False)),
        ("review", Selection(items=(workspace.item("support", "d-39"),)), AssignmentTerms(("eva",))),
        ("audit", Selection(number=3), AssignmentTerms(("eva",))),
        ("audit", Selection(items=("x",)), AssignmentTerms(("eva",))),
        ("audit", Selection(number=0), AssignmentTerms(("eva",))),
        ("audit", Selection(share=2.0), AssignmentTerms(("eva",))),
        ("audit", Selection("topic", "war"), AssignmentTerms(("eva",))),
        ("audit", Selection(), AssignmentTerms()),
        ("audit", Selection(), AssignmentTerms(("eva",), overlap=2)),
        ("audit", Selection(), AssignmentTerms(("eva",), overlap=0)),
        ("audit", Selection(), AssignmentTerms(("eva",), priority=4)),
        ("audit", Selection(), AssignmentTerms(("eva",), note="x" * 501)),
        ("audit", Selection(), AssignmentTerms(("nobody",))),
        ("audit", Selection(), AssignmentTerms(tag="no such")),
        ("audit", Selection(), AssignmentTerms(("eva",), due=BEGIN)),
    ):
        yield f"{stream} {chosen.describe()} to {', '.join(terms.people) or terms.tag}"
        try:
            yield from facts("plan", assignments.plan_shares(store, dataset_id, stream, chosen, terms), 1)  # type: ignore[arg-type]
        except AssayError as error:
            yield f"  refused: {error}"
    terms = AssignmentTerms(("cy", "eva"), due=due, seed=3)
    yield from facts("assigned", assignments.assign(store, "rex", dataset_id, "audit", Selection(), terms))
    clock.pass_(days=3, hours=2)
    first = assignments.current_assignments(store, dataset_id)[0]
    assignments.change_assignment(store, "rex", first.id, False, 3, due, "Later will do.")
    yield from _board(workspace, "changed")
    yield from facts("would be handed on", assignments.plan_reassignment(store, dataset_id, "cy", ["dee", "eva"], 2))
    yield from facts("handed on", assignments.reassign(store, "rex", dataset_id, "cy", ["dee", "lou"], 2))
    assignments.end_assignment(store, "rex", assignments.current_assignments(store, dataset_id)[-1].id)
    people.set_person(store, "lea", "eva", "annotator", active=False)
    yield from _board(workspace, "handed on, ended")
    for change in assignments.undoable_changes(store, dataset_id):
        yield from facts("can be undone", change)
    newest = assignments.undoable_changes(store, dataset_id)[0].revision
    assignments.undo(store, "rex", dataset_id, newest)
    yield f"undone again: {refusal(lambda: assignments.undo(store, 'rex', dataset_id, newest))}"
    yield f"role: {refusal(lambda: assignments.end_assignment(store, 'cy', first.id))}"
    yield f"no assignment: {refusal(lambda: assignments.end_assignment(store, 'rex', 'x'))}"
    yield f"to themselves: {refusal(lambda: assignments.plan_reassignment(store, dataset_id, 'cy', ['cy'], 1))}"
    yield from _board(workspace, "undone")
    yield from _rates_of_work()


def _rates_of_work() -> Iterator[str]:
    """How shares, working hours and states follow from plain numbers."""
    zone, moment = timedelta(hours=9), BEGIN + timedelta(days=3)
    yield from facts("states", people_progress.STATES)
    yield from facts("priorities", assignments.PRIORITIES)
    yield from facts("columns", people_progress.COLUMNS)
    quick, slow, skip = RecentAnswer(False, 10, 4), RecentAnswer(False, 90, 4), RecentAnswer(True, 3, 0)
    count, dues = WorkCount(9, 5, 3, 1), ((moment + timedelta(days=1), 2), (moment + timedelta(days=4), 3))
    late = ((moment - timedelta(hours=1), 1),)
    for work in (
        AssignedWork(),
        AssignedWork(count._replace(left=0)),
        AssignedWork(count, dues, BEGIN),
        AssignedWork(count, late, BEGIN, 2),
        AssignedWork(count, dues, moment, 3),
        AssignedWork(count, (), moment - timedelta(hours=30)),
        AssignedWork(count, late * 2),
    ):
        needed = people_progress.needed_pace(work.dues, moment, zone)
        yield f"{work.counts.left} left, due {len(work.dues)}, expired {work.expired}: needed {needed}"
        for recent in ((), (quick,) * 4, *((skip,) * 6 + (quick,) * n for n in (6, 7)), (slow,) * 5 + (quick,) * 20):
            did = PersonActivity(len(recent), BEGIN, moment - timedelta(hours=2) if recent else None, 0, recent)
            states = [
                people_progress.progress_state(person, active, work, did, pace, needed, moment, zone)
                for person, active, pace in (("cy", True, 0.5), ("cy", False, 0.5), ("|german", True, 9.0))
            ]
            yield f"  {len(recent)} answers: {states}"
    for days, hours in ((0, 1), (0, 9), (1, 0), (4, 0), (5, 3), (7, 0), (12, 20)):
        until = BEGIN + timedelta(days=days, hours=hours)
        end = after_working_hours(BEGIN, hours + 8.0 * days)
        yield f"until {until}: {working_hours(BEGIN, until)}, after {hours + 8 * days}: {end}"
    single = {"a": 1.0}
    for seats, weights, most in ((7, single | {"b": 2.0, "c": 0.5}, 9), (7, single | {"b": 1.0}, 3), (0, single, 3),
                                 (10, {"a": 5.0, "b": 1.0, "c": 1.0}, 4)):  # fmt: skip
        yield f"{seats} seats {weights} at most {most}: {shares.fair_quotas(seats, weights, most)}"
    needs = {f"i{n}": 1 + n % 2 for n in range(7)}
    barred = {"i1": {"a"}, "i2": {"a", "b", "c"}, "i3": {"c"}}
    yield f"spread: {shares.spread_items(needs, {'a': 1.0, 'b': 1.0, 'c': 2.0}, barred, 3)}"
    for seed in range(4):
        wide = {f"i{n:02}": 1 + n % 3 for n in range(12)}
        shut = {f"i{n:02}": {"abc"[n % 3], *("b" if n < 9 else "")} for n in range(0, 12, 1 + seed)}
        spread = shares.spread_items(wide, {"a": 1.0, "b": 3.0, "c": 1.0, "d": 0.0}, shut, seed)
        yield f"spread by {seed}, barred {[f'{item} {sorted(persons)}' for item, persons in shut.items()]}: {spread}"
    for hours in (0.0, 39.9, 40.0, 40.1, 79.0, 81.0, 8.0 * 5 * 52, 1e6):
        yield f"after {hours} hours: {after_working_hours(BEGIN, hours)}"


def _board(workspace: PlantedWorkspace, when: str) -> Iterator[str]:
    store, dataset_id = workspace.store, workspace.datasets["support"]
    zone = timezone(timedelta(hours=9))
    yield f"== {when}"
    for assignment in assignments.current_assignments(store, dataset_id):
        text = (
            f"{assignment.stream} to {assignment.assignee}, reserved {assignment.reserved}, "
            f"priority {assignment.priority}, due {assignment.due}"
        )
        yield f"  {text}, {assignment.note!r}: {assignment.chosen.describe()} by {assignment.by}"
        yield f"    {assignment.total} {assignment.left}"
    for row in people_progress.people_progress(store, dataset_id, zone):
        yield from facts(row.name, row, 1)
        yield f"    record {people_progress.progress_record(row)}"
    for person in ("cy", "dee", "eva"):
        work = [assignments.own_work(store, person, dataset_id, stream) for stream in STREAMS]
        yield f"  {person}: {work}, notes {assignments.own_notes(store, person, dataset_id)}"
    yield f"  counts {[assignments.assigned_counts(store, dataset_id, stream) for stream in STREAMS]}"


# -- adjudication -----------------------------------------------------------------------------------------------------


def test_adjudication(workspace: PlantedWorkspace, check: Check) -> None:
    check("adjudication", decisions(workspace))


def decisions(workspace: PlantedWorkspace) -> Iterator[str]:
    """What waits for a decision, what it is shown with, what was decided, and what other rules would make wait."""
    store, dataset_id = workspace.store, workspace.datasets["support"]
    for person in ("lea", "rex", "lou"):
        work = adjudication.adjudication_work(store, person, dataset_id)
        yield f"== {person}: {len(work.own)} wait, {work.others} for others"
        for cell in work.own[:: 1 if person == "lea" else 9]:
            label_texts = [f"{label.person} {label.value} {label.mode}" for label in cell.labels]
            yield (
                f"  {cell.name} {cell.unit} {cell.dimension}: {label_texts}, distance {cell.distance}, "
                f"again {cell.reopened}"
            )
    cells = adjudication.adjudication_work(store, "rex", dataset_id).own
    adjudication.record_look(store, "rex", [cell.item for cell in cells[:2]])
    adjudication.reveal_while_adjudicating(store, "rex", cells[1].item)
    for item in adjudication_items.load_adjudication_items(store, "rex", cells, 4):
        yield f"== {item.view.name}: {len(item.cells)} wait, {len(item.decided)} decided"
        for cell in item.cells:
            yield f"  {cell.unit} {cell.dimension}: {sorted(f'{label.person} {label.value}' for label in cell.labels)}"
        for cell in item.decided:
            yield from facts("decided", cell, 1)
        yield from facts("comments", item.comments, 1)
        yield from facts("judge", item.judge_scores, 1)
        yield f"  dimensions {sorted(' '.join(place) for place in item.dimensions)}"
    for row in adjudication_items.adjudicated_cells(store, "rex", dataset_id):
        yield from facts("was decided", row)
    for rule in (GoldRule(), GoldRule(apart=0), GoldRule(apart=2), GoldRule("median", 1, "out")):
        yield f"{rule}: {adjudication.rule_effect(store, dataset_id, rule)}"
    cell, token = cells[0], cells[0].token

    def decide(
        key: str = "rex-decides",
        value: Any = 3,
        reason: str = "So.",
        mark: str = token,
        person: str = "rex",
        **more: str,
    ) -> Any:
        arguments = (more.get("unit", cell.unit), more.get("dimension", cell.dimension), value, reason, mark)
        return adjudication.adjudicate(store, person, key, cell.item, *arguments)

    for title, call in {
        "key": lambda: decide("short"),
        "reason": lambda: decide(reason=" "),
        "long": lambda: decide(reason="x" * 5_000),
        "value": lambda: decide(value=9),
        "infinite": lambda: decide(value=float("inf")),
        "flag": lambda: decide(value=True),
        "token": lambda: decide(mark="old"),
        "role": lambda: decide(person="cy"),
        "unit": lambda: decide(unit="turn:9"),
        "nobody's": lambda: decide(dimension="coherence", unit="turn:1"),
        "done": lambda: decide(),
        "again": lambda: decide(),
        "otherwise": lambda: decide(value=4),
        "another": lambda: decide("rex-decides-2", 4),
        "taken back": lambda: adjudication.withdraw_adjudication(store, "lou", "lou-takes-1", "rex-decides"),
        "back again": lambda: adjudication.withdraw_adjudication(store, "lou", "lou-takes-2", "rex-decides"),
        "by the same key": lambda: adjudication.withdraw_adjudication(store, "lou", "lou-takes-1", "rex-decides"),
        "of another": lambda: adjudication.withdraw_adjudication(store, "lou", "lou-takes-1", "decision-0"),
        "key of another": lambda: adjudication.withdraw_adjudication(store, "lea", "lou-takes-1", "rex-decides"),
        "short key": lambda: adjudication.withdraw_adjudication(store, "lou", "lou-tak", "decision-0"),
        "long key": lambda: adjudication.withdraw_adjudication(store, "lou", "l" * 81, "decision-0"),
        "of a lead": lambda: adjudication.withdraw_adjudication(store, "rex", "rex-takes-1", "decision-0"),
        "reveal": lambda: adjudication.reveal_while_adjudicating(store, "rex", workspace.item("support", "d-38")),
    }.items():
        yield f"{title}: {refusal(call)}"
    for row in store.rows(
        "select value, reason, saw_judge, withdrawn, person, labels from adjudication order by seq, id"
    ):
        yield f"kept {row}"


# -- approvals --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_approvals(workspace: PlantedWorkspace, check: Check) -> None:
    check("approvals", approval_cases(workspace))


def approval_cases(workspace: PlantedWorkspace) -> Iterator[str]:
    """The case of each dimension with its evidence, what decisions follow and are refused, and what undoes them."""
    store, dataset_id, clock = workspace.store, workspace.datasets["support"], workspace.clock
    judge = workspace.judges["support", "judge-one"]
    for name, entry in {**rules.RULES, **actions.ACTIONS, **actions.APPROVAL_STATES}.items():
        yield from facts(name, entry)
    yield from _origins()
    for dimension_case in case.cases(store, dataset_id, judge):
        yield (
            f"== {dimension_case.result.dimension.name}: {dimension_case.result.check.state}, "
            f"basis {dimension_case.basis}"
        )
        yield from facts("decision", dimension_case.result.check, 1)
        yield from facts("objections", dimension_case.objections, 1)
        values = (
            dimension_case.coverage,
            dimension_case.judge_only_na,
            dimension_case.people_only_na,
            dimension_case.synthetic,
            dimension_case.jointly_tested,
        )
        yield f"  coverage, n/a, synthetic, tested with: {values}, alarms {sorted(dimension_case.alarms or {})}"
        names = [name for name, statistic in STATISTICS.items() if statistic.applies(dimension_case.result)]
        yield f"  {case.count_waiting(store, dimension_case)} to adjudicate; statistics {', '.join(names)}"
    for fact in case.case_facts(store, case.find_case(store, dataset_id, judge, "turn", "helpfulness")):
        yield from facts(record.fact_title(fact[0]), fact)
    for dataset in ("duels", "answers"):
        for (of, _), other in workspace.judges.items():
            for dimension_case in case.cases(store, workspace.datasets[dataset], other) if of == dataset else []:
                yield (
                    f"{dataset} {dimension_case.result.dimension.name}: {dimension_case.result.check.state}; "
                    f"{dimension_case.objections}"
                )
    checked = ci_check.check_judge(store, "rex", datasets.dataset_named(store, "support"), judge)
    yield f"check: {checked.verdict} {checked.code} {checked.as_json()}"
    yield from (dimension.line for dimension in checked.dimensions)
    yield from _decisions(workspace, dataset_id, judge)
    clock.pass_(days=2)
    yield from _suspensions(workspace, dataset_id, judge)


def _origins() -> Iterator[str]:
    """What is said of where labels come from, for more and more of each thing that is to be said."""
    yield f"shares {[rules.floor_percent(share) for share in (0.0, 0.125, 0.5, 0.8996, 0.9999, 1.0)]}"
    for n in range(5):
        files = tuple(ImportedLabels(9 - k, f"f{k}.csv", "lea", "2026-01-02", "random") for k in range(n))
        origin = LabelOrigin({"ann": 10, "lea": n}, files, n % 2 > 0, n, 10, n, n, n, n, ("lea",)[: n % 3], n)
        yield f"origin {n}: {origin.labels} {origin.imported_count}; {origin.origin()} {origin.sources()}"
        yield from facts("cautions", list(origin.cautions()), 1)
        yield from facts("as evidence", list(origin.facts()), 1)


def _decisions(workspace: PlantedWorkspace, dataset_id: str, judge: str) -> Iterator[str]:
    store, clock = workspace.store, workspace.clock
    other = (workspace.datasets["answers"], workspace.judges["answers", "grader"], "response", "factuality")

    def decide(
        person: str, decision: Any, key: tuple[str, str, str, str], reason: str = "Seen.", mark: str | None = None
    ) -> str:
        clock.pass_(minutes=1)
        looked = mark is None and decision in ("approve", "propose") and person == "lea"
        seen_mark = case.seen_mark(store, case.find_case(store, *key)) if looked else mark or ""
        return refusal(lambda: approvals.record_decision(store, person, *key, decision, reason, seen_mark)) or "taken"

    turn, whole = (dataset_id, judge, "turn", "helpfulness"), (dataset_id, judge, "conversation", "verdict")
    for person, decision, key, reason in (
        ("rex", "approve", other, "Fine."),
        ("lea", "approve", turn, "Again."),
        ("lea", "propose", other, "Fine."),
        ("rex", "suspend", whole, "!?"),
        ("lea", "propose", other, "Twice."),
        ("lea", "suspend", whole, "Doubts."),
        ("lea", "suspend", other, "Not held."),
        ("lou", "decline", turn, "Held."),
        ("lea", "approve", (dataset_id, judge, "turn", "wit"), "No such."),
    ):
        try:
            yield f"{person} would {decision} {key[3]}: {decide(person, decision, key, reason)}"
        except AssayError as error:
            yield f"{person} cannot {decision} {key[3]}: {error}"
    yield f"unseen: {decide('lou', 'approve', other, mark='')}; outdated: {decide('lou', 'approve', other, mark='x')}"
    requirements = policies.requirements(store)
    for title, new in {
        "two leads": replace(requirements, four_eyes=True),
        "looser": replace(requirements, four_eyes=False),
        "stricter": replace(requirements, four_eyes=True, alarms=True),
        "few": replace(requirements, policy=replace(requirements.policy, min_items=3)),
        "coverage": replace(requirements, coverage=1.5),
        "kappa": replace(requirements, four_eyes=True, policy=replace(requirements.policy, threshold=0.9)),
    }.items():
        clock.pass_(minutes=1)
        with collect_refusals() as outcome:
            outcome.append(str(policies.set_requirements(store, "lea", new, "Why not.")))
        yield f"{title}: {outcome}"
    yield from facts("asked now", rules.explain(policies.requirements(store)))
    yield from facts("proposed", policies.proposed_requirements(store))
    for change in policies.policy_changes(store):
        yield from facts("policy", change)
    waiting = approvals.find_open_decisions(store)
    for name in ("suspended", "proposed", "older", "doubted"):
        yield from facts(name, getattr(waiting, name))
    yield f"eligible: {[dimension_case.key[1:] for dimension_case in waiting.eligible]}"
    for key, stand in record.approval_statuses(store).items():
        decided = [getattr(approval, "decision", "") for approval in (stand.in_force, stand.proposed)]
        yield f"status of {' '.join(key)}: {decided}"
        if key[0] == dataset_id:
            note = approvals.approval_note(store, stand)
            yield f"  {note.older!r}, doubted {note.doubted}, kept {note.confirmation}"
    for entry in record.decision_history(store, dataset_id, judge):
        yield from facts("decided", replace(entry, fingerprint="", requirements=rules.Requirements()))
    yield from facts("today", approvals.compare_with_today(store, approvals.active_approvals(store, dataset_id)))


def _suspensions(workspace: PlantedWorkspace, dataset_id: str, judge: str) -> Iterator[str]:
    """Labels that contradict the judge suspend what was approved, and a check of continuous integration tells it."""
    store = workspace.store
    bring = [planted_workspace.contrary(n, person) for n in range(1, 41) for person in ("fay", "gus", "hal")]
    done = import_source(
        store, "lea", import_lines([line for lines in bring for line in lines]), ImportPlan("support", sampling="all")
    )
    yield f"contrary labels: {done.preview.new.labels}"
    for approval in approvals.active_approvals(store, dataset_id):
        review = suspension.review_approval(store, approval)
        yield f"== {approval.dimension}: suspends {review.suspends}, doubtful {review.doubtful}, {review.why}"
        yield from facts("finding", review.finding, 1)
        for fact in suspension.suspension_facts(review):
            yield from facts("", fact, 1)
        for figure in suspension.current_period_figures(store, approval):
            yield from facts("period", figure, 1)
        yield f"  kappa then {approvals.kappa_at_decision(store, approval)}"
    for entry in suspension.suspend_unsupported(store):
        yield from facts("suspended", replace(entry, fingerprint="", requirements=rules.Requirements()))
        for fact in record.frozen_evidence(store, entry.id):
            yield from facts(record.fact_title(fact[0]), fact, 1)
    for entry in record.decision_history(store, dataset_id, judge):
        for figure in suspension.current_period_figures(store, entry) if entry.decision == "suspend" else ():
            yield from facts(f"period of {entry.dimension}", figure, 1)
    yield from facts("quota", quota.quota(store, dataset_id, True))
    yield from facts("plan", plans.look_plan(store, dataset_id))
    for sizes in ("30, 60", "60 30", "", "a", "5 10", "30 31 32 33 34 35 36"):
        with collect_refusals() as outcome:
            plans.set_look_plan(store, "lea", workspace.datasets["answers"], plans.parse_sizes(sizes))
        yield f"looks {sizes!r}: {outcome}"


# -- calibration ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_calibration(workspace: PlantedWorkspace, check: Check) -> None:
    check("calibration", calibration_figures(workspace))


def calibration_figures(workspace: PlantedWorkspace) -> Iterator[str]:
    """The figures of judges and people on each sort of item: all that is measured of a dimension, and cells."""
    sampled = ("summary", "levels", "sources", "repeats", "ceiling", "unscored", "arms")
    named = ("summary", "baselines", "rates", "corrected", "weakest", "other metrics", "means")
    paired = (
        "summary",
        "orders",
        "votes",
        "order",
        "rates",
        "corrected",
        "missing",
        "baselines",
        "differences",
        "response",
    )
    for dataset, model, name, only in (
        ("support", "judge-one", "helpfulness", ()),
        ("support", "judge-two", "helpfulness", sampled),
        ("support", "judge-one", "verdict", named),
        ("duels", "pair-judge", "verdict", paired),
    ):
        dataset_id, judge = workspace.datasets[dataset], workspace.judges[dataset, model]
        dimensions = {d.name: d for d in calibration.compared_dimensions(workspace.store, judge)}
        yield f"== {dataset} {model} {name}, of {list(dimensions)}"
        yield from _measure_dimension(workspace, dataset_id, judge, dimensions[name], only)
    dataset_id, judge = workspace.datasets["support"], workspace.judges["support", "judge-one"]
    yield from _means(workspace, dataset_id, judge)


def _measure_dimension(
    workspace: PlantedWorkspace, dataset_id: str, judge: str, dimension: Dimension, only: Collection[str]
) -> Iterator[str]:
    store, basis = workspace.store, "imported"
    arguments = (store, dataset_id, judge, dimension)
    yield from facts("bases", calibration.basis_sizes(store, dataset_id, [dimension]))
    measures: dict[str, Callable[[], Any]] = {
        "summary": lambda: next(
            summary
            for summary in check_results.summaries(store, dataset_id, judge, basis)
            if summary.dimension == dimension
        ),
        "arms": lambda: anchoring.arms(*arguments, basis),
        "anchor": lambda: anchoring.anchor(*arguments, basis),
        "baselines": lambda: baselines.measure_baselines(store, dataset_id, judge, [dimension], basis)[
            dimension.sort, dimension.name
        ],
        "other metrics": lambda: load_figures(store, "others", dataset_id, judge, dimension, basis),
        "levels": lambda: confidence.confidence_reliability(*arguments, "all"),
        "sources": lambda: auto_accept.confidence_sources(*arguments),
        "ceiling": lambda: human_ceiling.measure_ceiling(*arguments),
        "test": lambda: human_ceiling.alternative_annotator_test(*arguments, 0.2),
        "missing": lambda: missingness.measure_missingness(*arguments, basis),
        "orders": lambda: both_orders.load_positional_agreement(store, dataset_id, judge),
        "rates": lambda: rates.answer_rates(*arguments, basis),
        "corrected": lambda: rates.corrected_means(*arguments, basis),
        "repeats": lambda: confidence.measure_repeats(*arguments, "all"),
        "order": lambda: slices.measure_system_order(*arguments, basis),
        "differences": lambda: slices.kappa_by_slice(*arguments, basis),
        "growth": lambda: slices.kappa_growth(*arguments, basis),
        "votes": lambda: votes.team_agreement(*arguments),
        "response": lambda: nonresponse.sample_responses(store, dataset_id, judge, [dimension], basis),
        "unscored": lambda: calibration.count_unscored(store, dataset_id, judge),
        "means": lambda: score_sums.score_means(store, dataset_id, judge),
        "weakest": lambda: weakest_turns.compare_weakest_turns(store, dataset_id, judge, "all"),
    }
    for name, measure in measures.items():
        if not only or name in only:
            yield from facts(name, measure(), 1, 5)


def _means(workspace: PlantedWorkspace, dataset_id: str, judge: str) -> Iterator[str]:
    store, two = workspace.store, workspace.judges["support", "judge-two"]
    dimensions = {d.name: d for d in calibration.compared_dimensions(store, judge)}
    yield from facts("fields", means.group_fields(store, dataset_id))
    for chosen in (MeansChoice(), MeansChoice("topic", (("language", "ja"),)), MeansChoice("language", other=two)):
        table = means.means_table(store, dataset_id, judge, chosen)
        yield f"means by {chosen.by}, only {chosen.only}, other {bool(chosen.other)}: {means.explain_few_scores(table)}"
        yield f"  few {table.small_groups}, apart {table.unshared}"
        for row in table.rows[:: 1 if chosen == MeansChoice() else 5]:
            yield _mean(row)
    for dimension, shared, figures in comparison.compare_on_shared_cells(
        store, dataset_id, (judge, two), "all"
    ).values():
        yield from facts(f"judges on {dimension.name}", figures)
        yield f"  gold {shared.gold}, scored {dict(shared.scored)}, too many {shared.too_many}"
    for human, other in ((None, None), (3.0, None), (None, 3.0), (4.0, 5.0)):
        cells = calibration.list_cells(
            store, "rex", dataset_id, judge, dimensions["helpfulness"], "all", human, other, 5
        )
        yield from facts(f"cells of {human} {other}", cells)
    for missing in nonresponse.missing_answers(
        store, "rex", dataset_id, judge, dimensions["helpfulness"], "imported"
    )[:6]:
        yield from facts("missing", missing)
    yield nonresponse.summarise_missing(
        nonresponse.missing_answers(store, "rex", dataset_id, judge, dimensions["helpfulness"], "imported")
    )
    at = slices.slice_cells(store, dataset_id, judge, dimensions["helpfulness"], "all")
    for cut in at.cuts[:4]:
        yield from facts("cut", cut, 0, 10)
        for member in slices.slice_members(store, "rex", dataset_id, judge, at, cut.by, cut.names[0], 3):
            yield from facts("member", member, 1)
    parts = dict(store.rows("select id, system_a from item where dataset_id = $1 order by id", [dataset_id]))
    terms = (10, (0.5, 0.8), 0.5, 1.64, 5, 20, 0.95)
    yield from facts(
        "forecast", forecast.forecast_draw(store, dataset_id, parts, judge, "turn.helpfulness", *terms), 0, 8
    )
    yield from facts("both", human_ceiling.kappas_between_people(store, dataset_id, judge, list(dimensions.values())))


def _mean(row: means.MeanRow) -> str:
    fields = {key: value for key, value in means.mean_record(row).items() if value not in (None, "")}
    return f"  {'; '.join(f'{key} {_round(value)}' for key, value in fields.items())}; {row.display[:3]}"


def _round(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


# -- flags, categories, sections and confidences ----------------------------------------------------------------------


@pytest.mark.slow
def test_other_cards(workspace: PlantedWorkspace, check: Check) -> None:
    check("other_cards", other_cards(workspace))


def other_cards(workspace: PlantedWorkspace) -> Iterator[str]:
    """The figures of flags, categories and sections of long texts, tiles of them, and verdicts that are sure enough."""
    store, clock = workspace.store, workspace.clock
    dataset_id, judge = add_flag_dataset(store, "lea", 80, 60)
    only = ("summary", "levels", "sources", "rates", "corrected", "baselines", "differences")
    for dimension in calibration.compared_dimensions(store, judge):
        yield f"== flags {dimension.name}"
        yield from _measure_dimension(workspace, dataset_id, judge, dimension, only)
        yield from _sure(workspace, dataset_id, judge, dimension)
        yield from _tiles(workspace, dataset_id, judge, dimension)
    clock.moment = datetime(2026, 12, 1)
    every = map(json.loads, SAMPLES[1].lines().splitlines())
    lines = [line for line in every if (line.get("item") or line.get("id", "")) < "p-016"]
    done = import_source(store, "lea", import_lines(lines), ImportPlan("reports", sampling="all"))
    dataset_id, judge = done.dataset_id, datasets.dataset_judges(store, done.dataset_id)[0].id
    for row in means.means_table(store, dataset_id, judge, MeansChoice()).rows[::5]:
        yield _mean(row)
    for dimension in calibration.compared_dimensions(store, judge):
        if dimension.name in ("relevance", "lost_in_middle"):
            yield f"== reports {dimension.name}"
            yield from _measure_dimension(
                workspace, dataset_id, judge, dimension, ("summary", "corrected", "order")
            )
            yield from _tiles(workspace, dataset_id, judge, dimension)


def _sure(workspace: PlantedWorkspace, dataset_id: str, judge: str, dimension: Dimension) -> Iterator[str]:
    """From which confidence verdicts need no person, and a rule of it."""
    store, basis = workspace.store, "gate"
    for at in (0.5, 0.8):
        curve = refusal(lambda at=at: flag_at(store, dataset_id, judge, dimension, basis, at))  # type: ignore[misc]
        yield f"flagged at {at}: {curve or flag_at(store, dataset_id, judge, dimension, basis, at)}"
    for source in auto_accept.confidence_sources(store, dataset_id, judge, dimension):
        sure = auto_accept.item_confidence(store, dataset_id, judge, dimension, source)
        yield from facts("confidence", sure, 0, 4)
        yield from facts("verdicts", auto_accept.verdict_cells(store, dataset_id, judge, dimension, basis, sure), 0, 4)
        for target, near in ((0.7, False), (0.7, True), (0.99, False)):
            rule_target = AutoAcceptTarget(source, target, 0.1, near)
            threshold = accepting.find_threshold(store, dataset_id, judge, dimension, basis, rule_target)
            yield from facts(f"threshold for {target}", threshold.result, 0, 3)
            yield f"  spared {threshold.spared}"
            with collect_refusals() as outcome:
                rule = accepting.set_rule(store, "lea", dataset_id, judge, dimension, rule_target)
                outcome.append(str(rule.request))
                yield from facts("tested", accepting.evaluate_rule(store, dataset_id, dimension, rule)[0])
            yield f"rule: {outcome}"
    yield from facts("rules", accepting.rules_in_force(store, dataset_id))
    yield from facts("not accepted", accepting.reasons_for_people(store, dataset_id, judge)[:4])
    for rule in accepting.rules_in_force(store, dataset_id):
        accepting.end_rule(store, "lea", dataset_id, rule)
    yield f"ended: {accepting.rules_in_force(store, dataset_id)}"


def _tiles(workspace: PlantedWorkspace, dataset_id: str, judge: str, dimension: Dimension) -> Iterator[str]:
    """The tile of a dimension, as if it were approved."""
    requirements = rules.Requirements()
    about = (dataset_id, judge, dimension.sort, dimension.name)
    approval = record.Approval("a", *about, "approve", "", "meets policy", "", "lea", BEGIN, 1, requirements)
    for tile in dashboard.tiles(workspace.store, dataset_id, judge, [approval]):
        yield from _tile(workspace, dataset_id, judge, tile, 1)


# -- audits, dashboard, annotators, trail -----------------------------------------------------------------------------


def test_audits(workspace: PlantedWorkspace, check: Check) -> None:
    check("audits", audit_findings(workspace))


def audit_findings(workspace: PlantedWorkspace) -> Iterator[str]:
    """What each audit finds of each judge, what it rests on, its limits, and the question whether reasons fit."""
    store, dataset_id, judge_one = (
        workspace.store,
        workspace.datasets["support"],
        workspace.judges["support", "judge-one"],
    )
    for (dataset, model), judge in workspace.judges.items():
        results = audits.run_audits(store, workspace.datasets[dataset], judge)
        yield f"== {dataset} {model}: alarms {sorted(results.alarms)}"
        yield from facts("scope", results.scope, 1)
        for name, finding in results.findings.items():
            yield from facts(name, finding, 1, 6)
            if finding.flags:
                flags = audits.visible_flags(store, "eva", judge, finding.flags, 3)
                yield f"    eva sees {sorted(items.item_names(store, [flag.item for flag in flags]).values())}"
    for audit in all_audits().values():
        yield f"{audit.name}: limit {audits.audit_limits(store).get(audit.name)} in {audits.limit_range(audit)}"
    name = "verdict_contradicts"
    for person, limit in (("lea", 0.3), ("lea", 0.3), ("rex", 0.2), ("lea", 7.0), ("lea", None)):
        with collect_refusals() as outcome:
            outcome.append(str(audits.set_audit_limit(store, person, name, limit)))
        yield f"limit {limit} by {person}: {outcome} {audits.audit_limits(store)} {audits.proposed_limits(store)}"
    for person in ("lou", "rex"):
        yield f"{person}: {justification_labels.count_fits(store, dataset_id, judge_one, person, ['coherence'])}"
        yield from facts("last", justification_labels.last_justification(store, dataset_id, judge_one, person))
        for cell in justification_labels.justifications_ahead(
            store, dataset_id, judge_one, person, ["coherence", "verdict"], 3
        ):
            yield from facts("ahead", cell, 1)


@pytest.mark.slow
def test_dashboard(workspace: PlantedWorkspace, check: Check) -> None:
    check("dashboard", published_figures(workspace))


def published_figures(workspace: PlantedWorkspace) -> Iterator[str]:
    """What is published of each approved judge, in figures and sentences, taken apart, and what is withheld and why."""
    store = workspace.store
    for name, model in (("support", "judge-one"), ("duels", "pair-judge")):
        dataset, judge = datasets.dataset_named(store, name), workspace.judges[name, model]
        published = dashboard.load_judge(store, dataset, judge)
        yield (
            f"== {name} {model}: {published.name}, synthetic {published.synthetic}, "
            f"runs {dashboard.run_names(published.runs)}"
        )
        by_judge = dashboard.approvals_by_judge(store, dataset.id)
        yield f"  published {[(key, approval.dimension) for key, every in by_judge.items() for approval in every]}"
        yield from facts("unscored", dashboard.unscored_shares(store, dataset.id, judge), 1)
        for withheld in published.withheld:
            yield from facts("withheld", withheld, 1)
        for tile in published.tiles:
            yield from _tile(workspace, dataset.id, judge, tile)
        tiles = tuple(_correct_tile(tile, n) for n, tile in enumerate(published.tiles))
        made_up = replace(dataset, synthetic=name == "support", description="")
        variant = replace(published, tiles=tiles, dataset=made_up, synthetic=True)
        names = dashboard.run_names(variant.runs)
        runs = {"none": "a run of others", "second": "a second run", **names}
        page = dashboard_file.dashboard_html(variant, BEGIN, runs)
        yield from (f"  | {line}" for line in _words(page))
        for tile in variant.tiles:
            yield from picture_lines(dashboard_file.tile_picture(tile, name))
            for part in (tile, replace(tile, systems=tile.systems[:1]), replace(tile, systems=tile.systems[-1:])):
                yield from facts("would say", sentences.explain_tile(part), 1)
            yield from _would_say(tile)


def _would_say(tile: dashboard.Tile) -> Iterator[str]:
    """What a tile would say of one to three systems that are alike, apart, of few labels or of such as cover little."""
    scale, place = tile.counted.dimension.scale, tile.headline
    low, width = (scale.lo, scale.hi - scale.lo) if tile.counted.mean else (0.0, 1.0)
    usual = tile.systems[0].means[place]
    none = replace(usual.interval, point=None, low=None, high=None, n_eff=12.0)

    def figure(letter: str) -> CorrectedMean:
        if letter in "-ur":  # few labels, of unequal chances, and such as cover too little
            worth = {"-": 12.0, "u": 20.0, "r": 60.0}[letter]
            uncovered = 0.3 if letter == "r" else 0.0
            items = 12 if letter == "-" else 60
            return replace(usual, interval=replace(none, n_eff=worth), n=items, uncovered=uncovered)
        at = low + width * {"a": 0.75, "b": 0.55, "c": 0.4}[letter]
        ends = {"low": at - width / 20, "high": at + width / 10} if letter != "c" else {"low": None, "high": None}
        interval, off = replace(usual.interval, point=at, n_eff=60.0, **ends), {"a": 0.0, "b": 0.1, "c": -0.1}[letter]
        return replace(usual, interval=interval, judge=at + width * off, uncovered=0.0)

    for letters in "- u r a b c a- a-- ar- rr r- aa aaa aab aa- abc ab-".split():
        means = [(*tile.systems[0].means[:place], figure(letter)) for letter in letters]
        systems = [replace(tile.systems[0], name="xy"[n : n + 1], means=figures) for n, figures in enumerate(means)]
        sure = sum(letter in "abc" for letter in letters)
        pairs = [(one, other) for one in range(sure) for other in range(one + 1, sure)]
        for count in range(len(pairs) + 1):
            gap = replace(usual.interval, point=width / 8, low=width / 20, high=width / 5)
            compared = [MeanComparison(*pair, gap, 0.01, 0.01 if n < count else 0.5) for n, pair in enumerate(pairs)]
            variant = replace(tile, systems=tuple(systems), comparisons=tuple(compared))
            yield f"  {letters}, {count} apart: {sentences.explain_tile(variant)}"
            even = replace(gap, point=0.0, low=0.0, high=None) if pairs else gap
            for pair in compared if letters == "aa" else ():
                yield f"    no difference: {sentences.describe_difference(variant, replace(pair, difference=even))}"
        usual_slice = MeanSlice("s", replace(none, items=MIN_ITEMS if sure else MIN_ITEMS - 1), means[0][place])
        for mean_slice in (usual_slice, replace(usual_slice, mean=None)) if len(letters) == 1 else ():
            yield (
                f"  slice of {letters}: {sentences.slice_size(mean_slice)}, "
                f"{sentences.explain_missing_figure(mean_slice)}"
            )
            yield f"    {[sentences.describe_rest(tile, mean_slice, system, place) for system in ('', 'x')]}"


def _correct_tile(tile: dashboard.Tile, place: int) -> dashboard.Tile:
    """The tile if labels corrected its first figures: with an interval, and without; the last system is as it was.

    The first tile of all was approved under an older policy, and the last systems have a second run.
    """
    scale = tile.counted.dimension.scale
    low, high = (scale.lo, scale.hi) if tile.counted.mean else (0, 1)
    at = [low + share * (high - low) for share in (0.7, 0.55, 0.8, 0.4)]
    ends: list[dict[str, float]] = [dict(zip(("point", "low", "high"), at, strict=False)), {"point": at[-1]}]
    systems = list(tile.systems)
    for n, figures in enumerate(ends[: len(systems) - 1]):
        means = [replace(mean, interval=replace(mean.interval, **figures)) for mean in systems[n].means]
        systems[n] = replace(systems[n], name=systems[n].name * (n == 0), means=tuple(means))
    for n, system in enumerate(systems[1:], 1):
        second = replace(system.trend[-1], run="second", means=system.trend[-1].means[::-1])
        systems[n] = replace(system, trend=(*system.trend, second))
    older = approvals.PolicyToday("It met an older policy.", "By today's policy it fails.", met=False)
    return replace(tile, systems=tuple(systems), policy_today=tile.policy_today if place else older)


def _words(document: str) -> Iterator[str]:
    """What a document of HTML says, in lines, without its figures for programs and its drawings."""
    text = re.sub(r"</?(?:strong|b|em|span|code)\b[^>]*>", "", re.sub(r"</t[dh]>\s*<t[dh][^>]*>", "; ", document))
    text = re.sub(r"(?s)<(style|script|svg)\b.*?</\1>|<[^>]*>", "\n", text)
    return (line.strip() for line in html.unescape(text).splitlines() if line.strip())


def _tile(
    workspace: PlantedWorkspace, dataset_id: str, judge: str, tile: dashboard.Tile, most: int = 4
) -> Iterator[str]:
    store, first = workspace.store, tile.systems[0].name
    yield f"-- {tile.counted.dimension.name}: headline {tile.headline}, {tile.policy_today}"
    yield from facts("systems", tile.systems, 1)
    yield from facts("comparisons", tile.comparisons, 1)
    yield from facts("says", sentences.explain_tile(tile), 1)
    yield from facts("one", sentences.explain_tile(dashboard.filter_system(tile, first)), 1)
    yield f"  spans {[sentences.tile_span(tile, one) for one in (None, tile.systems[0].means[tile.headline].interval)]}"
    for pair in tile.comparisons:
        yield f"  {sentences.describe_difference(tile, pair)}"
    for answer in (None, 0, len(tile.counted.codes) - 1):
        cells = dashboard.list_items(store, dataset_id, judge, tile.counted.dimension, first, answer, "rex", 3)
        yield f"  cells of {answer}: {[(cell.name, cell.unit) for cell in cells]}"
    yield from tallies(dashboard_file.rows_of(tile), 1)
    yield from picture_lines(dashboard_file.tile_plot(tile, "A title"))
    fields = breakdown.breakdown_fields(store, dataset_id, judge, tile.counted)
    yield from facts("can be parted by", fields, 1)
    for by in list(fields)[:most]:
        for system in ("", first):
            split = breakdown.break_down(store, dataset_id, judge, tile, by, system)
            yield f"  by {by} of {system or 'all'}: rest {split.rest}, without {split.without}, step {split.step!r}"
            if by == next(iter(fields)):
                table = dashboard_file.breakdown_csv(tile, split, system, tile.headline)
                yield from (f"  | {row}" for row in table.splitlines())
            if split.overall is not None:
                yield f"  {sentences.describe_rest(tile, split.overall, system, tile.headline)}"
            for part in (split.overall, *split.slices):
                if part is not None:
                    yield from facts("", part, 2)
                    yield f"      {sentences.slice_size(part)} {sentences.explain_missing_figure(part)}"
    yield f"  refused: {refusal(lambda: breakdown.break_down(store, dataset_id, judge, tile, 'colour'))}"


def test_annotators(workspace: PlantedWorkspace, check: Check) -> None:
    check("annotators", rater_figures(workspace))


def rater_figures(workspace: PlantedWorkspace) -> Iterator[str]:
    """People as raters: how they agree, drift and work, and where a second opinion differs from gold."""
    store, dataset_id = workspace.store, workspace.datasets["support"]
    dimensions = annotators.labelled_dimensions(store, dataset_id)
    yield f"dimensions {list(dimensions)}"
    dimension = next(d for d in dimensions.values() if d.name == "helpfulness")
    for resting in ("blind", "all"):
        for annotator in annotators.find_annotators(store, dataset_id, dimension, resting):  # type: ignore[arg-type]
            yield from facts(f"{resting} {annotator.name}", annotator)
    labels = annotators.dimension_labels(store, dataset_id, dimension)
    people = list(labels.ratings.people)
    counted, share = annotators.agreement_between_pairs(labels, people)
    yield f"pairs {counted.tolist()} {[[f'{value:.4g}' for value in row] for row in share.tolist()]}"
    for number in range(2):
        yield from facts(f"over time {people[number]}", drift.agreement_over_time(labels, number))
        yield f"  table {drift.table_with_others(labels, number).tolist()}"
        yield from facts("cells", drift.find_cells(store, "rex", labels, number, 3, 3, 4), 1)
    estimate = annotators.estimate_dawid_skene(store, dataset_id, dimension, "blind")
    yield from facts("second opinion", estimate, 0, 10)
    if estimate is not None:
        yield from facts("shown to rex", annotators.differing_cells(store, "rex", estimate))
    yield from facts("work", annotators.annotator_work(store, dataset_id))
    yield from facts("own", annotators.own_labelling(store, "cy"))


@pytest.mark.slow
def test_trail(workspace: PlantedWorkspace, check: Check) -> None:
    check("trail", changes(workspace))


def _more_changes(workspace: PlantedWorkspace) -> None:
    """Changes of every other kind: people, sign-ins, tokens, settings, cards, limits, plans and the policy."""
    store, dataset_id, clock = workspace.store, workspace.datasets["support"], workspace.clock
    people.set_person(store, "lea", "eva", "annotator", active=False)
    clock.pass_(hours=1)
    people.set_person(store, "lea", "eva", "researcher")
    invitations.withdraw_invitation(store, "lea", invitations.invite(store, "lea", "new@example.org", "annotator").id)
    tokens.revoke_token(store, "rex", tokens.new_token(store, "rex", "nightly", ["read"], 30)[0].id)
    for actor in ("lea", "cy"):
        logins.sign_out_everywhere(store, actor, "cy")
    clock.pass_(hours=1)
    settings.hide_systems(store, "lea", dataset_id, False)
    choose_desk_cards(store, "rex", dataset_id, ["multi_turn_dialogue"])
    cards.save_card(store, "lea", CARD)
    audits.set_audit_limit(store, "lea", "verdict_contradicts", 0.3)
    audits.set_audit_limit(store, "lea", "verdict_contradicts", None)
    requirements = policies.requirements(store)
    policy = replace(requirements.policy, threshold=0.6, lower_bound=True, horizon=500)
    stricter = replace(requirements, four_eyes=True, coverage=0.5, policy=policy)
    policies.set_requirements(store, "lea", stricter, "Stricter.")
    policies.set_requirements(store, "lou", requirements, "Looser.")
    people.set_person(store, "lea", "lou", "annotator")
    clock.pass_(hours=1)


def changes(workspace: PlantedWorkspace) -> Iterator[str]:
    """Every change in words, narrowed in each way, with its rows as tables; and what happened lately."""
    store, dataset_id = workspace.store, workspace.datasets["support"]
    _more_changes(workspace)
    every = list(trail.all_entries(store, TrailFilter(kinds=tuple(KINDS))))
    for entry in every:
        yield f"{entry.seq} {entry.at:%m-%d %H:%M} {entry.actor} {entry.kind} {entry.dataset}: {entry.description}"
    for narrow in (
        TrailFilter(person="rex"),
        TrailFilter(dataset=dataset_id),
        TrailFilter(words="DRAW seed"),
        TrailFilter(since=BEGIN + timedelta(hours=4)),
        TrailFilter(until=BEGIN + timedelta(hours=3, minutes=30)),
        TrailFilter(kinds=("approval",)),
        TrailFilter(words="ｌｅａ"),
    ):
        yield f"narrowed: {[entry.seq for entry in trail.trail_entries(store, narrow)]}"
    yield f"before: {[entry.seq for entry in trail.trail_entries(store, TrailFilter(), 40, 3)]}"
    yield f"acting: {trail.acting_people(store)}"
    kinds: set[str] = set()
    for entry in every[::-1]:
        if entry.kind not in kinds or entry.kind in ("label", "settings", "people"):
            kinds.add(entry.kind)
            for title, columns, rows in describe_rows(store, trail.appended_rows(store, "rex", entry.seq)):
                yield f"rows of {entry.seq}: {title} ({len(rows)}): {', '.join(columns)}"
                yield from (f"  {' | '.join(row)}"[:400] for row in rows[:2])
    for event in activity.recent_activity(store, 12):
        yield from facts("lately", event)


# -- records, workspace -----------------------------------------------------------------------------------------------


def test_records(workspace: PlantedWorkspace, check: Check) -> None:
    check("records", record_refusals(workspace))


def record_refusals(workspace: PlantedWorkspace) -> Iterator[str]:
    """In which words settings, tokens and names of judges that cannot be are refused, and which judges words mean."""
    store = workspace.store
    dataset_id, rules_now = (
        workspace.datasets["support"],
        settings.queue_rules(store, workspace.datasets["support"]),
    )
    bounds = {"overlap": (0, 1, 20, 21), "assisted_share": (-0.1, 0, 0.99, 1), "claim_minutes": (0, 1, 1440, 1441)}
    for name, values in bounds.items():
        for value in values:
            new = replace(rules_now, **{name: value})  # type: ignore[arg-type]
            yield f"{name} {value}: {refusal(lambda new=new: settings.set_queue_rules(store, 'rex', dataset_id, new))}"  # type: ignore[misc]
    for rule in (
        GoldRule("mode"),  # type: ignore[arg-type]
        GoldRule(waiting="asked"),  # type: ignore[arg-type]
        *(GoldRule(apart=threshold) for threshold in (-1, 0, 100, 101)),
    ):
        yield f"{rule}: {refusal(lambda rule=rule: settings.set_gold_rule(store, 'lea', dataset_id, rule))}"  # type: ignore[misc]
    token_requests: list[tuple[str, list[str], int]] = [
        ("", ["read"], 1), ("x" * 1000, ["read"], 1), ("a\x07", ["read"], 1), ("a", [], 1), ("a", ["all"], 1),
        ("a", ["read"], 0), ("a", ["read"], 10**6), (" a  b ", ["read"], 1),
    ]  # fmt: skip
    for name, scopes, days in token_requests:
        with collect_refusals() as outcome:
            outcome.append(tokens.new_token(store, "rex", name, scopes, days)[0].name)
        yield f"token {name[:20]!r} {scopes} {days}: {outcome}"
    text = tokens.new_token(store, "cy", "one", ["read"], 2)[1]
    token = tokens.list_tokens(store, "cy")[0]
    yield f"revoked by another: {refusal(lambda: tokens.revoke_token(store, 'rex', token.id))}"
    yield f"revoked by a lead: {refusal(lambda: tokens.revoke_token(store, 'lea', token.id))}"
    yield f"none: {refusal(lambda: tokens.revoke_token(store, 'lea', 'none'))}"
    yield f"used: {refusal(lambda: tokens.find_token(store, text))}; {refusal(lambda: tokens.find_token(store, 'x'))}"
    for name in workspace.datasets:
        dataset = datasets.dataset_named(store, name)
        for words in ("", "judge-one", "judge", "nobody", "multi_turn_dialogue"):
            with collect_refusals() as outcome:
                outcome += [judge_lookup.lookup_judge(store, dataset, words).model]
            yield f"the judge {words!r} of {name}: {outcome}"
        yield f"among none: {refusal(lambda d=dataset: judge_lookup.lookup_judges(store, d, '', []))}"  # type: ignore[misc]


# -- people, webhooks -------------------------------------------------------------------------------------------------


def test_people(workspace: PlantedWorkspace, check: Check) -> None:
    check("people", people_changes(workspace))


def people_changes(workspace: PlantedWorkspace) -> Iterator[str]:
    """Who may make whom what, by a change, an invitation or a sign-in, and in which words it is refused."""
    store, clock = workspace.store, workspace.clock

    def attempt(title: str, act: Callable[[], Any]) -> str:
        with collect_refusals() as outcome:
            outcome += facts("", act())
        return f"{title}: {'; '.join(outcome)}"

    for actor, name, role, active in (
        ("rex", "cy", "researcher", True), ("lea", "nobody", "annotator", True), ("lea", "cy", "chief", True),
        ("lea", "cy", "researcher", True), ("lea", "cy", "researcher", False), ("lea", "cy", "annotator", True),
        ("lea", "lou", "researcher", True), ("lea", "lea", "annotator", True), ("lea", "lea", "lead", False),
        ("lea", "lou", "lead", True), ("lea", "rex", "lead", True), ("lou", "rex", "lead", True),
    ):  # fmt: skip
        act = lambda a=actor, n=name, r=role, on=active: people.set_person(store, a, n, r, on)  # noqa: E731
        yield attempt(f"{actor} makes {name} {role} {active}", act)
    yield attempt("withdrawn", lambda: people.withdraw_lead_proposal(store, "lea", "rex"))
    for name in ("new one", "New One", " cy ", "a|b", "", "x" * 61, "カナ"):
        yield attempt(f"{name!r} joins", lambda n=name: people.join_workspace(store, n))  # type: ignore[misc]
        yield attempt(f"{name!r} leads", lambda n=name: people.make_lead_locally(store, n))  # type: ignore[misc]
    for actor, email, role, person, days in (
        ("rex", "a@b.org", "annotator", "", 7), ("lea", "a@b", "annotator", "", 7), ("lea", "A@B.org", "chief", "", 7),
        ("lea", "A@B.org", "researcher", "", 7), ("lea", "a@b.org", "annotator", "", 0),
        ("lea", "c@d.org", "lead", "", 9), ("lea", "dee@b.org", "annotator", "dee", 1),
        ("lea", "e@b.org", "annotator", "nobody", 366), ("lea", "é@b.org", "annotator", "nobody", 365),
        ("lea", "f@b.org", "annotator", "", 365),
    ):  # fmt: skip
        act = lambda a=actor, e=email, r=role, p=person, d=days: invitations.invite(store, a, e, r, p, d)  # noqa: E731
        yield attempt(f"{actor} invites {email}", act)
    yield from facts("open", invitations.open_invitations(store))
    yield attempt("at the machine", lambda: invitations.invite_locally(store, "", " sub-lu ", "lead"))
    yield attempt("nobody", lambda: invitations.invite_locally(store, " ", " ", "lead"))
    [*_, last] = invitations.open_invitations(store)
    yield attempt("by an annotator", lambda: invitations.withdraw_invitation(store, "cy", last.id))
    for _ in range(2):
        yield attempt("taken back", lambda: invitations.withdraw_invitation(store, "lea", last.id))
    moment = int(clock.moment.replace(tzinfo=UTC).timestamp())
    base = {"iss": "https://login.example.org", "iat": moment, "email_verified": True}
    for more in (
        {"sub": "1", "email": "a@b.org", "name": "Ann B"}, {"sub": "1", "email": "z@b.org", "nonce": "2"},
        {"sub": "2", "email": "dee@b.org"}, {"sub": "3", "email": "x@b.org"}, {"email": "a@b.org"},
        {"sub": "4", "email": "f@b.org", "email_verified": False},
        {"sub": "5", "email": "f@b.org", "iat": moment - 10**6}, {"sub": "7", "iss": ""}, {"sub": "8", "iat": "now"},
        {"sub": "6", "email": "f@b.org", "iat": moment + 10**6}, {"sub": "9", "email": "f@b.org", "name": "lea"},
    ):  # fmt: skip
        account = lambda m=more: logins.read_account({**base, **m})  # type: ignore[misc]  # noqa: E731
        yield attempt(f"signs in {more}", lambda read=account: logins.sign_in(store, read()))  # type: ignore[misc]
    clock.pass_(hours=1)
    yield from facts("accounts", logins.person_accounts(store))
    yield attempt("out", lambda: logins.sign_out_everywhere(store, "cy", "Ann B"))
    yield attempt("out", lambda: logins.sign_out_everywhere(store, "lea", "Ann B"))
    for actor, name, tag_names, share in (
        ("rex", "cy", ["日本語"], 1.0), ("lea", "cy", ["日本語", " Law ", "law"], 0.5), ("lea", "nobody", ["law"], 1.0),
        ("lea", "dee", ["LAW", ""], 0.0), ("lea", "dee", ["x" * 61], 1.0), ("lea", "dee", ["law"], 1e6),
    ):  # fmt: skip
        act = lambda a=actor, n=name, t=tag_names, by=share: tags.set_tags(store, a, n, t, by)  # noqa: E731
        yield attempt(f"{actor} tags {name}", act)
    yield from facts("tags", tags.all_tags(store))
    yield from facts("people", people.all_people(store, active=False))
    yield from facts("members", people.members(store))
    yield from facts("imported", people.imported_annotators(store))
    yield f"first {people.first_lead(store)}, known {sorted(people.known_names(store))}"
    yield from _stored_rows(workspace, "person_event", "login", "invitation")


def _stored_rows(workspace: PlantedWorkspace, *tables: str) -> Iterator[str]:
    """What stands in the columns of tables, in whichever changes it came."""
    for table in tables:
        yield table.partition(" ")[0]
        rows = workspace.store.rows(f"select * exclude (seq) from {table}")
        yield from tallies([{f"{n}": str(value) for n, value in enumerate(row)} for row in rows], 6)


def test_webhooks(workspace: PlantedWorkspace, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_WEBHOOK_PRIVATE", raising=False)
    check("webhooks", webhook_events(workspace))


def webhook_events(workspace: PlantedWorkspace) -> Iterator[str]:
    """Which addresses can be told what, all there is to tell, and what comes of tries that fail."""
    store, clock = workspace.store, workspace.clock
    for url in (
        "https://example.org/hook", "http://example.org", "ftp://example.org", "https://", "https://a@example.org/",
        "https://example.org/#x", "https://example.org/" + "x" * 481, "https://example.org/é", "https://localhost/",
        "https://a.localhost/", "https://127.0.0.1/", "https://10.1.2.3/", "https://[::1]/", "https://8.8.8.8/",
        "https://[::ffff:10.0.0.1]/", "https://[64:ff9b::a00:1]/", "https://[2002:a00:1::]/", "https://[fe80::1]/",
        "https://[2001:4860:4860::8888]/", "https://224.0.0.1/", "https://example.org:x/",
    ):  # fmt: skip
        yield f"{url[:60]}: {refusal(lambda url=url: webhooks.check_url(url))}"  # type: ignore[misc]
    every = list(webhooks.EVENTS)
    for actor, events in (("rex", every), ("lea", []), ("lea", ["all"]), ("lea", every), ("lou", ["run.ended"])):
        add = lambda a=actor, e=events: webhooks.add_webhook(store, a, " https://example.org/h ", e)  # type: ignore[misc]  # noqa: E731
        yield f"{actor} {events}: {refusal(add)}"
    first, second = webhooks.list_webhooks(store, "lea")
    yield from facts("all", [first, second])
    for actor, which, state in (("rex", first.id, "paused"), ("lea", "none", "paused"), ("lea", second.id, "paused")):
        yield f"{actor} {state}: {refusal(lambda a=actor, w=which, s=state: webhooks.set_state(store, a, w, s))}"  # type: ignore[misc]
    webhooks.send_test(store, "lea", first.id)
    yield f"noted {events_there.note_finished_queues(store)}, again {events_there.note_finished_queues(store)}"
    for kind, event in store.rows(f"select kind, id from ({events_there.EVENTS_SQL}) order by seq, id"):
        yield from facts(str(kind), events_there.describe_event(store, str(event), str(kind)))
    for number, why in enumerate(("HTTP 500", "HTTP 500", "", *["no answer"] * 9)):
        if number == 3:
            webhooks.send_test(store, "lou", first.id)
        task = outbox.claim_task(store, first)
        outcome = outbox.finish_task(store, task, why) if task else "nothing is due"
        yield f"{why!r}: {outcome} of {task.kind if task else ''} after {task.failed if task else ''}"
        clock.pass_(hours=13)
    yield from facts("tries", outbox.list_tries(store, "lea", 9))
    yield f"by a researcher: {refusal(lambda: outbox.list_tries(store, 'rex'))}"
    webhooks.set_state(store, "lea", first.id, "removed")
    yield f"removed: {refusal(lambda: webhooks.send_test(store, 'lea', first.id))}"
    yield from facts("left", [webhook.state for webhook in webhooks.list_webhooks(store, "lea")])


# -- runs -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_runs(workspace: PlantedWorkspace, check: Check) -> None:
    check("runs", run_outcomes(workspace))
    runs.close(workspace.store)


def run_outcomes(workspace: PlantedWorkspace) -> Iterator[str]:
    """What runs would take, how each ended and what it cost, how one goes on, and the words that refuse all else."""
    store, sure = workspace.store, (("4", (("4", -0.1), ("5", -2.5))), ("x", ()))
    counted = CallReply("", "", 0, "", "", mode="json_object", model="served-1", tokens_in=120, tokens_out=30)
    counted = replace(counted, seconds=1.25)
    dialogues, pairs, one_by_one = (workspace.datasets[name] for name in ("support", "duels", "answers"))
    endpoint = Endpoint(base_url="http://127.0.0.1:9", tries=1, concurrency=1)

    def configure(dataset: str, card: str, model: str = "new-judge", **more: Any) -> RunConfig:
        return RunConfig(dataset, builtin_card(card), model, builtin_card(card).defaults, endpoint, **more)

    whole = configure(dialogues, "multi_turn_dialogue", price=(1e4, 1e5))
    configs = {
        "dialogues": whole, "a few": replace(whole, most=7), "by batch": replace(whole, batch=True),
        "two samples": replace(whole, params=Params(samples=2, temperature=0.7)),
        "no price": replace(whole, price=None), "a known one": configure(dialogues, "multi_turn_dialogue", "judge-one"),
        "unscored ones": configure(dialogues, "multi_turn_dialogue", "judge-one", only_unscored=True),
        "pairs": configure(pairs, "plain_pairwise"), "answers": configure(one_by_one, "rubric_open_ended"),
        "another kind": configure(pairs, "multi_turn_dialogue"), "no dataset": configure("none", "plain_pairwise"),
        "no model": configure(pairs, "plain_pairwise", " "), "no limit": replace(whole, spending_limit=0.0),
        "at practice": configure(pairs, "plain_pairwise", "practice-constant"),
    }  # fmt: skip
    before = set[str]()
    for name, config in configs.items():
        with collect_refusals() as outcome:
            outcome += facts("", runs.estimate(store, config))
        yield from (f"{name}: {line.strip()}" for line in outcome if line not in before)
        before |= {*outcome}

    def say(task: Task) -> str | CallReply:
        number = int(task.item.id.rpartition("-")[2])
        if number % 9 == 0:
            return replace(counted, unscored="api_error", why="HTTP 500: overloaded", tries=3)
        item = {"id": task.item.id, "turns": [{"turn": turn} for turn in (1, 2)]}
        good = json.dumps(seeds.reply(item, 1 + number % 5, weakest=1))
        chances = {"logprobs": sure} if number % 5 == 0 else {}
        return replace(counted, raw=good if number % 7 else "I would say four.", estimated=number % 11 == 0, **chances)

    first = runs.start(store, "rex", replace(whole, most=30), source=scripted_source(say, most=12))
    yield from facts("stopped", runs.wait(store, first))
    source = scripted_source(say)
    yield f"under the limit: {refusal(lambda: runs.resume(store, 'rex', first, limit=1.0, source=source))}"
    yield f"by an annotator: {refusal(lambda: runs.resume(store, 'cy', first, source=scripted_source(say)))}"
    runs.resume(store, "lea", first, limit=90.0, price=(2e4, 2e5), source=scripted_source(say))
    yield from facts("resumed", runs.wait(store, first))
    again = runs.start(store, "rex", replace(whole, only_unscored=True), source=scripted_source(say))
    yield from facts("only unscored", runs.wait(store, again))
    failed = runs.start(store, "rex", replace(whole, most=30), source=scripted_source(say))
    yield from facts("what failed", runs.wait(store, failed))
    runs.wait(store, runs.start(store, "rex", configs["pairs"], source=scripted_source(lambda _: "[[A]]")))
    yield f"none: {refusal(lambda: runs.resume(store, 'rex', 'none'))}"
    yield f"none: {refusal(lambda: runs.run_progress(store, 'none'))}"
    yield f"stopped by an annotator: {refusal(lambda: runs.stop(store, 'cy', first))}"
    yield f"stopped at its end: {refusal(lambda: runs.stop(store, 'rex', first))}"
    for name in ("unscored ones", "another kind", "no model", "no limit"):
        yield f"{name}: {refusal(lambda name=name: runs.start(store, 'rex', configs[name], source=source))}"  # type: ignore[misc]
    for run_id in (first, again):
        yield from facts("config", runs.config_of(store, run_id))
        yield from facts("judge", runs.run_judge(store, run_id))
    judge, item_ids = (
        runs.run_judge(store, first).id,
        [workspace.item("support", f"d-{n:02}") for n in range(5, 13)],
    )
    for place, replies in sorted(writer.stored_replies(store, judge, item_ids[:4]).items()):
        yield from facts(f"stored of {place}", list(replies.values()), 1)
    yield f"of these count {sorted(writer.stored_replies(store, judge, item_ids))}"
    yield from facts("all", runs.list_runs(store))
    yield from facts("of pairs", runs.list_runs(store, pairs))
    yield from facts("made", list(runs.count_run_judgments(store).values()))
    yield from facts("trials", charges.trial_costs(store))
    paid = "select run_id, sort, estimated, sum(calls), sum(tokens_in), sum(tokens_out), sum(cost) from charge"
    yield from facts("paid", store.rows(f"{paid} group by all order by all"))
    yield from _stored_rows(
        workspace, "run", "run_event", "run_limit", "reply", "judgment where run_id is not null"
    )


# -- MT-Bench ---------------------------------------------------------------------------------------------------------

BENCH = Bench(
    {
        "81": BenchQuestion("81", "writing", ("Write a post.", "Make it short.")),
        "102": BenchQuestion("102", "reasoning", ("You overtake the second.", "And the last?"), ("Second.", "Nobody.")),
        "111": BenchQuestion("111", "math", ("1+1?", "2+2?"), ("own 2", "own 4")),
        "7": BenchQuestion("7", "math", ("サイコロを振って。", "もう一度。"), (), 0.5),
        "150": BenchQuestion("150", "humanities", ("Who was first?", "Why?")),
    },
    references={"j1": {"111": ("It is 2", "It is 4")}},
)


@pytest.mark.slow
def test_mtbench(workspace: PlantedWorkspace, check: Check) -> None:
    check("mtbench", benchmark_runs(workspace))
    runs.close(workspace.store)


def _answer(body: Json, _: int) -> Say:
    """An answer in the language of its question; ratings and verdicts that follow from what is read."""
    read = " ".join(message["content"] for message in body["messages"])
    texts = re.findall(r"m[12]: [^\n<]*", read)  # the marks around it are new each time
    number = int(sha256(f"{texts}{body['model']}{'[[A]]' in read}".encode()).hexdigest(), 16)
    if not is_judging(body):
        question = body["messages"][-1]["content"]
        return Say(f"{body['model']}: {'はい、' if question > 'サ' else ''}{question} {'so ' * (number % 5)}")
    if "[[A]]" in read:
        return Say(("The first. [[A]]", "The second. [[B]]", "Alike. [[C]]", "Both are good.")[number % 4])
    return Say((f"Rating: [[{1 + number % 10}]]", "[[8.5]]", "I rate it 7.")[0 if number % 8 else 1 + number % 2])


def benchmark_runs(workspace: PlantedWorkspace) -> Iterator[str]:
    """Two models by two protocols and two judges: what it takes, what comes in, and every figure of it."""
    store, clock = workspace.store, workspace.clock
    question_set = questions.keep_questions(store, "rex", "question.jsonl", BENCH)
    fastchat, swallow = (protocols()[name] for name in ("fastchat", "swallow"))
    warm = swallow.model_copy(update={"name": "warm", "samples": 2})
    with recording(_answer, ("m1", "m2", "j1", "j2")) as served:
        at = Endpoint(base_url=served.url, tries=1, concurrency=1)
        usual = ProtocolRun(
            fastchat, "bench", question_set.id, "m1", "j1", True, (), at, at, 900.0, (1e4, 2e4), (3e4, 4e4)
        )
        orders = {
            "first": usual, "second": replace(usual, model="m2"), "judged": replace(usual, model="", judge="j2"),
            "warm": replace(usual, protocol=warm, dataset="warm", pairs=False),
            "nobody": replace(usual, model="", judge=""), "nothing": replace(usual, questions=""),
            "answers alone": replace(usual, judge="", dataset="other"),
            "no references of its own": replace(usual, judge="j2", dataset="other", spending_limit=1.0),
            "no answers": replace(usual, model="", dataset="empty"), "no limit": replace(usual, spending_limit=0.0),
        }  # fmt: skip
        for name, order in orders.items():
            yield f"-- {name}: {protocol_run.usual_dataset(order.protocol, order.model)}, {order.steps}"
            with collect_refusals() as outcome:
                planned = protocol_run.plan(store, order)
                outcome += protocol_run.describe_plan(store, order, planned)
                outcome += [f"{step}: {plan.items} items, {plan.judgments}, {plan.counted}" for step, plan in planned]
            yield from outcome
            if name in ("first", "warm", "judged"):
                for step, judgment in protocol_run.dry_run_protocol(store, "rex", order):
                    yield from facts(
                        f"dry {step}", (judgment.name, sorted(judgment.calls), judgment.raw, judgment.reading.scores)
                    )
            with collect_refusals() as outcome:
                for step, run_id in protocol_run.steps(store, "rex", order):
                    end = runs.wait(store, run_id)
                    cost = end.cost and round(end.cost, 6)  # the last digit of a sum goes by its order
                    outcome += [f"{step}: {end.state} {end.scored} of {end.total}, {end.calls} calls, {cost}"]
                    outcome += [f"it is a step of this: {protocol_run.of_run(store, run_id) == order}"]
            yield from outcome
        yield f"by an annotator: {refusal(lambda: protocol_run.start_protocol(store, 'cy', usual))}"
        yield f"again: {refusal(lambda: protocol_run.start_protocol(store, 'rex', usual))}"
    clock.pass_(hours=1)
    yield from facts("counts", list(count_bench(store).values()))
    for name in ("bench", "warm"):
        yield from _figures(workspace, datasets.dataset_named(store, name).id)


def _figures(workspace: PlantedWorkspace, dataset_id: str) -> Iterator[str]:
    store, bench = workspace.store, mtbench.load_bench(workspace.store, dataset_id)
    yield from facts("bench", bench)
    yield from facts("items", len(mtbench.item_ids(store, dataset_id)))
    for parse in ("fastchat", "swallow"):
        rules = ReadingRules(parse=parse)
        yield from facts("means", bench_figures.model_means(store, dataset_id, rules))
        yield from facts("ranks", list(bench_figures.rankings(store, dataset_id, rules).values()))
        yield from facts("by rule", bench_figures.means_by_rule(store, dataset_id, rules))
        yield from facts("counts", bench_figures.judgment_counts(store, dataset_id, parse))
        for source in ("verdicts", "ratings"):
            for pairs in (False, True):
                yield from facts(f"{source} {pairs}", bench_figures.pair_rates(store, dataset_id, parse, source, pairs))
    yield from bench_figures.completeness(store, dataset_id)
    yield from facts("verdicts", bench_figures.verdict_counts(store, dataset_id))
    yield from facts("Japanese", bench_figures.japanese_shares(store, dataset_id))
    yield from facts("votes", bench_figures.vote_agreement(store, dataset_id))
    if len(judges := sorted(bench.judges, key=lambda judge: bench.judges[judge].model)) > 1:
        one, other = [key for key in judges if key in bench_figures.rated_models(store, dataset_id)][:2]
        yield from facts("compared", bench_figures.compared_judges(store, dataset_id, "fastchat", one, other))
        yield from facts("changes", bench_figures.rank_changes(store, dataset_id, "fastchat", one, other))
        for by in ("turn", "category", "model"):
            yield from facts(by, bench_figures.agreement_by(store, dataset_id, "fastchat", one, other, by))
        disagreements = bench_figures.largest_disagreements(store, "cy", dataset_id, "fastchat", one, other, 5)
        yield from facts("largest", [left for left, _ in disagreements])
        pipelines = (
            bench_figures.RunName(dataset_id, one, "fastchat"),
            bench_figures.RunName(dataset_id, other, "swallow"),
        )
        yield from facts("gap", bench_figures.pipeline_gap(store, *pipelines))
        yield from facts("gap of m1", bench_figures.pipeline_gap(store, *pipelines, "m1"))
        yield from facts("factors", bench_figures.pipeline_factors(store, *pipelines))
        yield from facts("experiment", bench_figures.experiment_plan(store, *pipelines))
    for zipped in (
        downloads.zipped_tables(store, dataset_id, protocols()["fastchat"], "csv"),
        downloads.zipped_fastchat(store, "rex", dataset_id),
    ):
        with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
            for name in archive.namelist():
                lines = archive.read(name).decode().splitlines()
                yield f"{name}: {len(lines)} lines"
                yield from (line[:180] for line in lines[:6])


@pytest.mark.duckdb_only("it breaks the tables of a file")
def test_workspace(workspace: PlantedWorkspace, check: Check) -> None:
    check("workspace", workspace_faults(workspace))


def workspace_faults(workspace: PlantedWorkspace) -> Iterator[str]:
    """What is found wrong with a workspace of which everything has been changed that names something else."""
    store = workspace.store
    assert isinstance(store, DuckTables) and store._con is not None
    yield f"as it was: {verify.verify(store)}"
    named = store.rows(
        "select table_name, column_name from duckdb_columns() where not internal and (column_name "
        "like '%_id' or column_name in ('card_version', 'previous', 'replaces')) and table_name in "
        "(select table_name from duckdb_tables()) order by all"
    )
    for table, column in named:
        first = f"(select min(rowid) from {table})"
        with contextlib.suppress(duckdb.Error):  # of what has no such text
            store._con.execute(f"update {table} set {column} = '{table}.{column}' where rowid = {first}")
    item, other = (row[0] for row in store.rows("select id from item order by id limit 2"))
    for change in (
        "delete from change where seq in (7, 8) or seq = (select max(seq) - 1 from change)",
        "update score set seq = 7 where rowid in (1, 2)",
        "update combination set value = value + 1 where rowid < 3",
        "update label set replaces = (select max(id) from label) where rowid in (5, 6)",
        f"update item set content = replace(content, 'a', 'b') where id = '{item}'",
        f"update item set kind = 'pair' where id = '{other}'",
        "update item set content = '[]' where id = (select max(id) from item)",
        *(f"update {table} set unit = 'turn:99' where rowid = (select max(rowid) from {table})"
          for table in ("score", "label", "remark")),
    ):  # fmt: skip
        store._con.execute(change)
    yield from verify.verify(store)
