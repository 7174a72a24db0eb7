"""Importing: everything is read, validated and spooled first; then one short transaction takes all of it or nothing."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import BinaryIO, Literal

from data.datasets import ensure
from data.errors import BadInput
from data.ids import canonical, content_id, new_id
from data.intake.admit import Admission
from data.intake.formats import SCOPE, detect, entries, mapping_for, say
from data.intake.lines import Entry
from data.intake.mapping import signature
from data.intake.plan import Plan
from data.intake.report import Preview, Refused, Result, Tally
from data.intake.source import Source
from data.intake.spool import Spool
from data.names import from_file
from data.people import Person, append, everyone, here, require
from data.settings import get, put
from data.store import Store, Tx

Progress = Callable[[int, int, int], None]
"""Called now and then with the bytes read, the bytes there are, and the lines so far."""
_CHUNK = 500


def preview(
    store: Store,
    source: Source,
    plan: Plan,
    progress: Progress | None = None,
    rejects: BinaryIO | None = None,
    actor: str = "",
) -> Preview:
    """What an import would do, with everything that is wrong with it; nothing is written to the store.

    `rejects` gets the rows that cannot be taken, as JSON lines with file, line, error and row. `actor` is who would
    import it ("": a lead).
    """
    plan.check()
    with Spool() as spool:
        admission, _ = _read(store, source, plan, spool, progress, rejects, actor)
    return admission.door.report


def take(
    store: Store,
    actor: str,
    source: Source,
    plan: Plan,
    on_error: Literal["refuse", "good rows"] = "refuse",
    progress: Progress | None = None,
    rejects: BinaryIO | None = None,
) -> Result:
    """Import a source into a dataset, which is made if it is missing. What is there already is not added again.

    With `on_error="refuse"` a single bad line stops all of it: raises Refused, whose preview lists every problem.
    With "good rows" the rest is taken and the bad lines go to `rejects`. Raises NotAllowed below the role researcher,
    which may adjudicate, too; a gold rule is only taken from a lead, and else left aside with a warning.
    """
    plan.check()
    require(store, actor, "researcher")
    began = time.monotonic()
    with Spool() as spool:
        admission, lines = _read(store, source, plan, spool, progress, rejects, actor)
        report = admission.door.report
        if not report.ok and on_error == "refuse":
            raise Refused(report)
        if report.new.total:
            store.tx(actor, "import", lambda tx: _write(tx, actor, source, admission), target=plan.dataset)
    return Result(
        admission.door.dataset_id,
        report.new.items,
        report.new.judgments,
        report.new.labels,
        report.known.total,
        report.rejected,
        lines,
        time.monotonic() - began,
        report,
    )


def _read(
    store: Store, source: Source, plan: Plan, spool: Spool, progress: Progress | None, rejects: BinaryIO | None,
    actor: str,
) -> tuple[Admission, int]:  # fmt: skip
    """Read a source to its end; (what came in, how many lines). `since` is when the workspace was looked at."""
    found = detect(source, plan.format)
    mappings = {known.file.name: mapping_for(store, plan, known) for known in found if known.format == "table"}
    report = Preview(plan.dataset, say(found))
    tally = Tally(report, rejects)
    leads = [p.name for p in everyone(store) if p.may("lead")]
    lead = not actor or not leads or actor in leads
    admission = Admission(store, plan, content_id("dataset", plan.dataset), spool, tally, lead)
    lines = 0
    for name in source.left_aside[:20]:
        tally.warn(f"{name} was left aside: it is no data file.")
    try:
        for chunk in _chunks(entries(source, plan, found, mappings)):
            admission.take(chunk)
            lines += len(chunk)
            if progress is not None:
                progress(source.at, source.size, lines)
        admission.finish()
        admission.files = spool.done()
    except OSError as error:
        raise BadInput(
            f"The import could not be made ready in {tempfile.gettempdir()}: {error.strerror or error}. Nothing was "
            "written. Make room there and import again."
        ) from None
    admission.mappings = {signature(k.columns): mappings[k.file.name] for k in found if k.format == "table"}
    if progress is not None:
        progress(source.size, source.size, lines)
    return admission, lines


def _chunks(found: Iterable[Entry]) -> Iterator[list[Entry]]:
    rest = iter(found)
    while chunk := list(itertools.islice(rest, _CHUNK)):
        yield chunk


def _write(tx: Tx, actor: str, source: Source, admission: Admission) -> None:
    """Everything of one import, in one transaction."""
    plan, report = admission.door.plan, admission.door.report
    require(tx, actor, "researcher")
    _unchanged(tx, admission)
    dataset_id = ensure(tx, plan.dataset, plan.description, plan.synthetic)
    cards, judges = ({row[0] for row in tx.rows(f"select {key} from {table}")} for key, table in _IDENTIFIED)
    used = {judge.card.version: judge.card for judge in admission.judgments.judges.values()}
    tx.add("card", "version, name, spec", [(v, c.name, canonical(c.spec)) for v, c in used.items() if v not in cards])
    made = [
        (key, judge.card.name, judge.card.version, judge.model, judge.params, judge.synthetic)
        for key, judge in admission.judgments.judges.items()
        if key not in judges
    ]
    tx.add("judge", "id, card, card_version, model, params, synthetic", made)
    known = {row[0] for row in tx.rows("select distinct person from person_event")}
    append(tx, [Person(n, "annotator", False, team) for n, team in admission.people.items() if n not in known])
    for table, (columns, file, _) in admission.files.items():
        tx.load(table, columns, file)
    for name, mapping in admission.mappings.items():
        kept = mapping.model_dump(mode="json")
        if get(tx, SCOPE, name) != kept:
            put(tx, SCOPE, name, kept)
    if admission.rule.new is not None:
        require(tx, actor, "lead")
        put(tx, dataset_id, "gold", asdict(admission.rule.new))
    added = report.new
    facts = (new_id(), dataset_id, source.name, ", ".join(report.formats), plan.sampling)
    columns = "id, dataset_id, source, format, sampling, items, judgments, labels"
    tx.add("intake", columns, [(*facts, added.items, added.judgments, added.labels)])


_IDENTIFIED = (("version", "card"), ("id", "judge"))


def _unchanged(tx: Tx, admission: Admission) -> None:
    """Raise BadInput where somebody added the same things while this import was being read."""
    since = [admission.door.dataset_id, admission.since]
    names = tx.rows("select name from item where dataset_id = $1 and seq > $2", since)
    judgments = tx.rows(
        "select m.id from judgment m join item i on i.id = m.item_id where i.dataset_id = $1 and m.seq > $2", since
    )
    labels = tx.rows(
        "select l.item_id, l.unit, l.dimension, l.annotator from label l join item i on i.id = l.item_id "
        "where i.dataset_id = $1 and l.seq > $2",
        since,
    )
    decided = tx.rows("select item_id, unit, dimension from adjudication where dataset_id = $1 and seq > $2", since)
    if (
        any(from_file(name, here(tx)) != kept for name, kept in admission.door.kept.items())
        or any(name in admission.door.items.new_names for (name,) in names)
        or any(key in admission.judgments.known.new for (key,) in judgments)
        or any(cell in admission.labels.known.new for cell in labels)
        or any(cell in admission.decisions.known.new for cell in decided)
        or (admission.rule.new is not None and get(tx, admission.door.dataset_id, "gold") is not None)
    ):
        raise BadInput(
            "While this was being read, somebody else added the same things to the dataset, or entered under a name "
            "that stands in it; nothing was written. Import it again."
        )
