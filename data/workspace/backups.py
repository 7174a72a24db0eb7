"""Backups of the workspace, made while it is in use, in a folder beside its file."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from data import log
from data.records import exposure
from data.records.access import act, allow, require
from data.records.datasets import NO_PROBE_SQL
from data.records.tables import ExportRow
from data.store import Store, Tx, duckdb_path
from data.store.errors import BadInput, NotFound, StoreFailed
from data.store.ids import new_id, now, to_utc
from data.workspace import restore
from judges.errors import AssayError
from judges.strict_json import canonical

MADE, TAKEN = "backup", "backup file"
"""The kinds of export by which a backup is on record: that it was made, and that its file was taken away."""


@dataclass(frozen=True)
class Backup:
    """A backup file.

    Its name, bytes, when it was made (UTC), its revision (None: it cannot be opened), and by whom it was made ("" where
    that is not on record, as in a workspace that was restored from an older one).
    """

    name: str
    size: int
    made_at: datetime
    revision: int | None = None
    by: str = ""


@allow("lead")
def backup_folder(store: Store) -> Path:
    """Return this store's backup folder: ASSAY_BACKUPS, else one beside its file. Raises BadInput for a database."""
    if named := os.environ.get("ASSAY_BACKUPS", "").strip():
        return Path(named).resolve()
    path = duckdb_path(store.url)
    if path is None:
        raise BadInput("A database has no folder for backups beside it. Name one in ASSAY_BACKUPS.")
    return path.resolve().parent / "backups"


@allow("lead")
def make_backup(store: Store, actor: str) -> Path:
    """Write a consistent copy while others go on working (leads). Raises StoreFailed where it cannot be written."""
    require(store, actor, "lead")
    file = new_file(store)
    write_backup(store, file)
    record_made(store, actor, file)
    return file


def new_file(store: Store, sort: str = "") -> Path:
    """The file of a backup that is made now, under a name that no other has."""
    path = duckdb_path(store.url)
    stem = f"{path.stem if path else 'store'}-{now():%Y%m%d-%H%M%S}{sort}"
    names = (f"{stem}{more}.duckdb" for more in ("", *(f"-{number}" for number in range(2, 1_000))))
    return next(file for name in names if not os.path.lexists(file := backup_folder(store) / name))


def write_backup(store: Store, file: Path) -> None:
    """Write a consistent copy, in a folder that is made if need be. Raises StoreFailed."""
    try:
        file.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreFailed(f"The folder {file.parent} cannot be made: {error.strerror}. Check its rights.") from None
    store.backup(file)


def record_made(store: Store, actor: str, file: Path) -> None:
    """Put on record that a backup was made."""
    store.tx(actor, "backup", lambda tx: record_backup(tx, MADE, file.name, restore.backup_revision(file)))
    log.info("backup_made", person=actor, file=str(file))


def remove_backup(store: Store, actor: str, name: str, kind: str) -> None:
    """Remove a backup, on record under that kind; for callers that have checked the right to do so.

    Raises NotFound, and StoreFailed where it cannot be removed.
    """
    file = _file(store, name)
    revision = restore.backup_revision(file)
    try:
        file.unlink()
    except OSError as error:
        raise StoreFailed(f"The backup {file} cannot be removed: {error.strerror}. Check the rights.") from None
    store.tx(actor, "backup", lambda tx: record_backup(tx, kind, name, revision))
    log.info("backup_removed", person=actor, file=str(file))


@allow("lead")
def list_backups(store: Store) -> list[Backup]:
    """The backups there are, newest first."""
    place = backup_folder(store)
    by = {
        str(parse_settings(settings).get("file")): str(actor)
        for settings, actor in store.rows(
            "select e.settings, c.actor from export e join change c on c.seq = e.seq where e.kind = $1", [MADE]
        )
    }
    backups = []
    for file in place.glob("*.duckdb") if place.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):  # removed meanwhile, or a link to nowhere
            stat = file.stat()
            made_at = to_utc(datetime.fromtimestamp(stat.st_mtime, UTC))
            revision = _revision_or_none(file, stat)
            backups.append(Backup(file.name, stat.st_size, made_at, revision, by.get(file.name, "")))
    return sorted(backups, key=lambda b: b.made_at, reverse=True)


def _revision_or_none(file: Path, stat: os.stat_result) -> int | None:
    """The newest revision in a file, None where it cannot be opened now."""
    try:
        return _revision(file, stat.st_size, stat.st_mtime_ns)
    except AssayError:
        return None


@cache
def _revision(file: Path, size: int, changed: int) -> int:
    """The newest revision in a file that has that size and time."""
    return restore.backup_revision(file)


@allow("lead")
def check_backup(store: Store, actor: str, name: str) -> int:
    """Read all of a backup, as restoring it would (leads); its revision. Raises BadInput where it is not sound."""
    require(store, actor, "lead")
    return restore.check_copy(_file(store, name))


@allow("lead")
def take_backup(store: Store, actor: str, name: str) -> Path:
    """The file of a backup for a lead to take away, with an entry in the audit log.

    It holds every score and every label of its revision: the lead is recorded as having been shown them, so that none
    of their answers to those items is blind from here on. Raises NotAllowed, NotFound, and StoreFailed.
    """
    require(store, actor, "lead")
    file = _file(store, name)
    upto = restore.backup_revision(file)

    def work(tx: Tx) -> None:
        exposure.add_exposures(tx, actor, dict(tx.rows(_SHOWN_SCORES_SQL, [upto, actor])), "backup")
        record_backup(tx, TAKEN, name, upto)

    act(store, actor, "lead", "export", work)
    log.info("backup_taken", person=actor, file=str(file), revision=upto)
    return file


_SHOWN_SCORES_SQL = f"""
select item_id, list(judge_id) from (
select m.item_id, m.judge_id from judgment m join judge j on j.id = m.judge_id
where m.seq <= $1 and {NO_PROBE_SQL}
union select item_id, '{exposure.OTHER_PEOPLE}' from label where seq <= $1 and annotator <> $2
union select item_id, '{exposure.OTHER_PEOPLE}' from adjudication where seq <= $1 and person <> $2
) group by item_id
"""
"""(item, judges) of everything that judges, and people other than $2, have said up to a revision."""


def record_backup(tx: Tx, kind: str, name: str, revision: int, **more: str) -> None:
    """Append what became of a backup."""
    tx.append([ExportRow(new_id(), "", kind, canonical({"file": name, "revision": revision, **more}), revision)])


def parse_settings(settings: str) -> dict[str, str]:
    """Return the values that `record_backup` wrote in addition to the kind."""
    values: dict[str, str] = json.loads(settings)
    return values


def _file(store: Store, name: str) -> Path:
    """The backup of that name. Raises NotFound."""
    path = next((f for f in backup_folder(store).glob("*.duckdb") if f.name == name), None)
    if path is None:
        raise NotFound(f"There is no backup {name[:80]!r} any more. Load the page again.")
    return path
