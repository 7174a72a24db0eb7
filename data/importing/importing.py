"""Importing: everything is read, validated and spooled first; then one short transaction takes all of it or nothing."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import BinaryIO, Literal

from data import log
from data.cards import cards
from data.importing import subprocess_reader
from data.importing.checks.known_rows import store_lookup
from data.importing.detection import detection
from data.importing.detection.detection import DetectedFile
from data.importing.files.source import Source
from data.importing.mapping_texts import SCOPE, mapping_key
from data.importing.plan import Format, ImportPlan
from data.importing.report import ImportPreview, ImportRefused, ImportResult
from data.importing.snapshot import Snapshot, take_snapshot
from data.importing.source_reader import Progress, ReadingResult, read_source
from data.importing.staging import Spool
from data.importing.subprocess_reader import OnWait
from data.records import combinations, exposure, guidelines, judge_prompts
from data.records.access import Person, allow, require
from data.records.datasets import ensure_dataset
from data.records.names import imported_name
from data.records.people import append_people, known_names
from data.records.rows import item_id
from data.records.tables import CardRow, IntakeRow, JudgeRow
from data.records.values import get_setting, put_setting
from data.store import Store, Tx
from data.store.errors import BadInput
from data.store.ids import content_id, new_id
from judges import cards as folder
from judges.authoring.custom import from_spec
from judges.strict_json import canonical


def detect_formats(
    source: Source, chosen_format: Format = "auto", progress: Progress = lambda *_: None, waits: OnWait = lambda _: None
) -> list[DetectedFile]:
    """Return each file of a source with its format. Raises BadInput for archives, empty files and what is no data."""
    return (
        subprocess_reader.detect_formats(source, chosen_format, progress, waits)
        if source.isolated
        else detection.detect_formats(source, chosen_format)
    )


@allow("researcher")
def preview_import(
    store: Store,
    source: Source,
    plan: ImportPlan,
    progress: Progress = lambda *_: None,
    rejects: BinaryIO | None = None,
    actor: str = "",
    detected: list[DetectedFile] | None = None,
    waits: OnWait = lambda _: None,
) -> ImportPreview:
    """Say what an import would do, with everything that is wrong with it; nothing is written to the store.

    `rejects` gets the rows that cannot be imported, as JSON lines with file, line, error and row. `actor` is who would
    import it ("": a lead). `detected` is the result of `detect_formats`, if it was called before. An upload may have to
    wait for others; `waits` is then called.
    """
    plan.check()
    with Spool() as spool:
        return _read(store, source, plan, spool, progress, rejects, actor, detected, waits)[1].report


@allow("researcher")
def import_source(
    store: Store,
    actor: str,
    source: Source,
    plan: ImportPlan,
    on_error: Literal["refuse", "good rows"] = "refuse",
    progress: Progress = lambda *_: None,
    rejects: BinaryIO | None = None,
    detected: list[DetectedFile] | None = None,
    waits: OnWait = lambda _: None,
) -> ImportResult:
    """Import a source into a dataset, which is made if it is missing. What is there already is not added again.

    With `on_error="refuse"` a single bad line stops all of it: Raises ImportRefused, whose preview lists every problem.
    With "good rows" the rest is taken and the bad lines go to `rejects`, unless there are so many that reading stopped.
    Raises NotAllowed below the role researcher, which may also import adjudications. A gold rule and guidelines are
    only taken from a lead; otherwise they are left out with a warning.
    """
    plan.check()
    require(store, actor, "researcher")
    began = time.monotonic()
    with Spool() as spool:
        known, result = _read(store, source, plan, spool, progress, rejects, actor, detected, waits)
        report = result.report
        if report.stopped or (not report.ok and on_error == "refuse"):
            log.info("import_refused", person=actor, dataset=plan.dataset, source=source.name, rows=report.rejected)
            raise ImportRefused(report)
        if report.new.total:
            if report.new.items:
                exposure.look_up_copies(store)
            bulks = [spool.bulk(table) for table in result.rows]
            store.tx(actor, "import", lambda tx: _write(tx, actor, source, known, result, spool), plan.dataset, bulks)
    added = report.new
    facts = {"items": added.items, "judgments": added.judgments, "labels": added.labels, "known": report.known.total}
    log.info(
        "import_finished", person=actor, dataset=plan.dataset, source=source.name, format=", ".join(report.formats),
        **facts, rejected=report.rejected, seconds=time.monotonic() - began,
    )  # fmt: skip
    return ImportResult(known.dataset_id, result.lines, time.monotonic() - began, report)


@allow("researcher")
def record_preview(store: Store, actor: str, dataset: str, shown: ImportPreview) -> None:
    """Record that a person was shown the first rows of an import: what judges and people say of items that are there.

    To be called when they are shown, and again once the items have come in.
    """
    dataset_id = content_id("dataset", dataset)
    by_item: dict[str, set[str]] = {}
    for sort in ("labels", "adjudications", "judgments"):
        for row in shown.rows.get(sort, ()):
            judge = str(row["model"]) if sort == "judgments" else exposure.OTHER_PEOPLE
            by_item.setdefault(item_id(dataset_id, str(row["item"])), set()).add(judge)
    stored_ids = {str(r[0]) for r in store.rows("select id from item where id = any($1)", [list(by_item)])}
    exposure.record_exposures(store, actor, {item: by for item, by in by_item.items() if item in stored_ids}, "import")


def _read(
    store: Store, source: Source, plan: ImportPlan, spool: Spool, progress: Progress, rejects: BinaryIO | None,
    actor: str, detected: list[DetectedFile] | None, waits: OnWait,
) -> tuple[Snapshot, ReadingResult]:  # fmt: skip
    """Read a source to its end: the workspace before, and the result."""
    detected = detect_formats(source, plan.format, progress, waits) if detected is None else detected
    detected = detection.without_strays(
        detected, lambda known: not plan.mappings and get_setting(store, SCOPE, mapping_key(known.columns)) is None
    )
    known = take_snapshot(store, plan, detected, actor)
    if source.isolated:
        return known, subprocess_reader.read_source(
            known, source, detected, store_lookup(store), spool, progress, rejects, waits
        )
    return known, read_source(known, source, detected, store_lookup(store), spool, progress, rejects)


def _write(tx: Tx, actor: str, source: Source, known: Snapshot, result: ReadingResult, spool: Spool) -> None:
    """Everything of one import, in one change."""
    plan, report = known.plan, result.report
    require(tx, actor, "researcher")
    _refuse_if_changed(tx, known, result, spool)
    dataset_id = ensure_dataset(tx, plan.dataset, plan.description, plan.synthetic)
    stored_versions = {row[0] for row in tx.rows("select version from card")}
    judges = {row[0] for row in tx.rows("select id from judge")}
    imported_cards = [from_spec(spec, folder.cards()) for spec in result.cards]
    versions = {card.version: card for card in [*known.earlier, *known.cards.values(), *imported_cards]}
    used = {version: versions[version] for version, *_ in result.judges.values()}
    used |= {card.version: card for card in imported_cards}
    tx.append([CardRow(v, c.name, canonical(c.spec)) for v, c in used.items() if v not in stored_versions])
    cards.offer_cards(tx, [card for card in imported_cards if card.name not in known.cards])
    new = [
        JudgeRow(key, versions[version].name, version, model, params, synthetic)
        for key, (version, model, params, synthetic) in result.judges.items()
        if key not in judges
    ]
    tx.append(new)
    combinations.add_rules(tx, {row.id: (versions[row.card_version], json.loads(row.params)) for row in new})
    people = {row[0] for row in tx.rows("select distinct person from person_event")}
    append_people(tx, [Person(n, "annotator", False, team) for n, team in result.people.items() if n not in people])
    for table in result.rows:
        tx.load(*spool.bulk(table))
    exposure.inherit_exposures(tx)
    for name, mapping in known.signed.items():
        setting = mapping.model_dump(mode="json")
        if get_setting(tx, SCOPE, name) != setting:
            put_setting(tx, SCOPE, name, setting)
    if result.rule is not None:
        require(tx, actor, "lead")
        put_setting(tx, dataset_id, "gold", asdict(result.rule))
    if result.guidelines:
        require(tx, actor, "lead")
        guidelines.append_guidelines(tx, dataset_id, result.guidelines)
    judge_prompts.append_prompts(tx, dataset_id, result.prompts)
    added = report.new
    facts = new_id(), dataset_id, source.name, ", ".join(report.formats), plan.sampling
    tx.append([IntakeRow(*facts, added.items, added.judgments, added.labels, plan.population)])


_ADDED = {
    "item": (["name"], "select name from item where dataset_id = $1 and seq > $2"),
    "judgment": (
        ["id"],
        "select m.id from judgment m join item i on i.id = m.item_id where i.dataset_id = $1 and m.seq > $2",
    ),
    "label": (
        ["item_id", "unit", "dimension", "annotator"],
        "select l.item_id, l.unit, l.dimension, l.annotator from label l join item i on i.id = l.item_id "
        "where i.dataset_id = $1 and l.seq > $2",
    ),
    "adjudication": (
        ["item_id", "unit", "dimension"],
        "select item_id, unit, dimension from adjudication where dataset_id = $1 and seq > $2",
    ),
}
"""By table: the columns that identify its rows, and the query of rows added to a dataset since a change."""


def _refuse_if_changed(tx: Tx, known: Snapshot, result: ReadingResult, spool: Spool) -> None:
    """Raise BadInput where somebody added the same things while this import was being read."""
    now = known_names(tx)
    raced = any(imported_name(name, now) != stored_name for name, stored_name in result.stored_names.items())
    raced = raced or (result.rule is not None and get_setting(tx, known.dataset_id, "gold") is not None)
    raced = raced or (bool(result.guidelines) and guidelines.current_guidelines(tx, known.dataset_id) is not None)
    for table in result.rows.keys() & _ADDED.keys():
        columns, query = _ADDED[table]
        added = set(tx.rows(query, [known.dataset_id, known.since]))
        raced = raced or (bool(added) and spool.holds(table, columns, added))
    if raced:
        raise BadInput(
            "While this was being read, somebody else added the same things to the dataset, or entered under a name "
            "that stands in it; nothing was written. Import it again."
        )
