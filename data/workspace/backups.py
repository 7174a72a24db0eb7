"""Backups of the workspace, made while it is in use, in a folder beside its file."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from data import log
from data.records import exposure, people
from data.records.tables import ExportRow
from data.store import Store, Tx, duckdb_path
from data.store.errors import BadInput, NotFound, StoreFailed
from data.store.ids import new_id, now
from data.workspace import restore
from judges.errors import AssayError
from judges.strict_json import canonical

MADE, TAKEN = "backup", "backup file"
"""What of a backup is on record as an export: that it was made, and that its file was taken away."""


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


def backup_folder(store: Store) -> Path:
    """Where the backups of this store are kept. Raises BadInput for a store that is no file."""
    path = duckdb_path(store.url)
    if path is None:
        raise BadInput("The store is no DuckDB file, and only those are backed up. Name one in ASSAY_STORE.")
    return path.resolve().parent / "backups"


def make_backup(store: Store, actor: str) -> Path:
    """Write a consistent copy while others go on working (leads). Raises StoreFailed where it cannot be written."""
    people.require(store, actor, "lead")
    place = backup_folder(store)
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreFailed(f"The folder {place} cannot be made: {error.strerror}. Check its rights.") from None
    path = duckdb_path(store.url)
    file = place / f"{path.stem if path else 'store'}-{now():%Y%m%d-%H%M%S}.duckdb"
    store.backup(file)
    store.tx(actor, "backup", lambda tx: _record(tx, MADE, file.name, restore.backup_revision(file)))
    log.info("backup_made", person=actor, file=str(file))
    return file


def list_backups(store: Store) -> list[Backup]:
    """The backups there are, newest first."""
    place = backup_folder(store)
    by = {
        str(json.loads(settings).get("file")): str(actor)
        for settings, actor in store.rows(
            "select e.settings, c.actor from export e join change c on c.seq = e.seq where e.kind = $1", [MADE]
        )
    }
    files = [(f, f.stat()) for f in place.glob("*.duckdb")] if place.is_dir() else []
    made = [
        Backup(
            f.name, s.st_size, datetime.fromtimestamp(s.st_mtime, UTC).replace(tzinfo=None),
            _revision(f, s.st_size, s.st_mtime_ns), by.get(f.name, ""),
        )
        for f, s in files
    ]  # fmt: skip
    return sorted(made, key=lambda b: b.made_at, reverse=True)


@lru_cache(maxsize=256)
def _revision(file: Path, size: int, changed: int) -> int | None:
    """The newest revision in a file that has that size and time."""
    try:
        return restore.backup_revision(file)
    except AssayError:
        return None


def check_backup(store: Store, actor: str, name: str) -> int:
    """Read all of a backup, as restoring it would (leads); its revision. Raises BadInput where it is not sound."""
    people.require(store, actor, "lead")
    return restore.check_copy(_file(store, name))


def take_backup(store: Store, actor: str, name: str) -> Path:
    """The file of a backup for a lead to take away, with an entry in the audit log.

    It holds every score and every label of its revision: the lead is recorded as having been shown them, so that none
    of their answers to those items is blind from here on. Raises NotAllowed, NotFound, and StoreFailed.
    """
    people.require(store, actor, "lead")
    file = _file(store, name)
    upto = restore.backup_revision(file)

    def work(tx: Tx) -> None:
        people.require(tx, actor, "lead")
        told = defaultdict[str, set[str]](set)
        for item, judge in tx.rows(_TOLD, [upto, actor]):
            told[str(item)].add(str(judge))
        exposure.add_exposures(tx, actor, told, "backup")
        _record(tx, TAKEN, name, upto)

    store.tx(actor, "export", work)
    log.info("backup_taken", person=actor, file=str(file), revision=upto)
    return file


_TOLD = f"""
select m.item_id, m.judge_id from judgment m join judge j on j.id = m.judge_id
where m.seq <= $1 and j.params not like '%"probe":%'
union select item_id, '{exposure.PEOPLE}' from label where seq <= $1 and annotator <> $2
union select item_id, '{exposure.PEOPLE}' from adjudication where seq <= $1 and person <> $2
"""
"""(item, judge) of everything that judges, and people other than $2, have said up to a revision."""


def _record(tx: Tx, kind: str, name: str, revision: int) -> None:
    told = canonical({"file": name, "revision": revision})
    tx.append([ExportRow(new_id(), "", kind, told, revision)])


def _file(store: Store, name: str) -> Path:
    """The backup of that name. Raises NotFound."""
    found = next((f for f in backup_folder(store).glob("*.duckdb") if f.name == name), None)
    if found is None:
        raise NotFound(f"There is no backup {name[:80]!r} any more. Load the page again.")
    return found
