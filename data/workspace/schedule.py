"""Scheduled backups: every so many hours one process makes one, reads all of it, and removes its own oldest.

Each step is a row: that one was begun, which also keeps other processes from it, that it was made, that it failed, that
it was removed. Backups that people made are never removed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from data import log
from data.records.access import allow, allow_change
from data.records.names import BACKUP_ACTOR
from data.records.values import WORKSPACE, change_setting, get_setting
from data.store import Store, Tx
from data.store.errors import BadInput, StoreFailed
from data.store.ids import now
from data.workspace import backups
from judges.errors import AssayError

ROOT = Path(__file__).parents[2]
BEGUN, FAILED, REMOVED = "backup begun", "backup failed", "backup removed"
RETRY_AFTER = timedelta(hours=1)
"""After one that failed, or that was begun and never ended, the next is tried no sooner than this."""
_CHECK_INTERVAL_SECONDS = 60.0
"""Seconds between two looks whether one is due."""
_CHECK = """
import os, sys
from pathlib import Path
os.nice(19)
from data.workspace.restore import check_copy
check_copy(Path(sys.argv[1]))
"""


@dataclass(frozen=True)
class BackupPlan:
    """The interval between backups (hours; 0: never), and the number of those that are kept."""

    every: int = 0
    keep: int = 7

    def check(self) -> BackupPlan:
        """Itself. Raises BadInput for values that make no sense."""
        if not 0 <= self.every <= 24 * 31:
            raise BadInput(f"A backup every {self.every} hours: it must be 1 to 744, or 0 for none.")
        if not 1 <= self.keep <= 1_000:
            raise BadInput(f"{self.keep} backups are kept: it must be 1 to 1,000.")
        return self


@dataclass(frozen=True)
class BackupState:
    """The times when a backup of the plan was last made and last begun, and why that failed ("" if it did not)."""

    made_at: datetime | None
    begun_at: datetime | None
    failed: str

    def due_at(self, plan: BackupPlan) -> datetime:
        """The moment from which the next one is due."""
        span = timedelta(hours=plan.every)
        next_ = self.made_at + span if self.made_at else datetime.min
        return max(next_, self.begun_at + min(span, RETRY_AFTER)) if self.begun_at else next_


@allow("lead")
def backup_plan(store: Store | Tx) -> BackupPlan:
    """The plan that holds."""
    return BackupPlan(**get_setting(store, WORKSPACE, "backups", {}))


@allow_change("lead", "backup plan")
def set_backup_plan(tx: Tx, actor: str, new: BackupPlan) -> None:
    """Change how often backups are made by themselves (leads). Raises BadInput where the store is no file."""
    new.check()
    if new.every:
        backups.backup_folder(tx.store)
    change_setting(tx, WORKSPACE, "backups", asdict(new), asdict(BackupPlan()))


@allow("lead")
def backup_state(store: Store | Tx) -> BackupState:
    """Return the state of the plan: its last backup made, the last begun, and why that failed."""
    rows = store.rows(
        "select e.kind, e.settings, c.made_at from export e join change c on c.seq = e.seq where c.actor = $1 "
        "and e.kind in ($2, $3, $4) order by e.seq",
        [BACKUP_ACTOR, BEGUN, backups.MADE, FAILED],
    )
    last = {kind: (backups.parse_settings(settings), at) for kind, settings, at in rows}
    latest = now() + RETRY_AFTER  # what lies beyond was written by a clock that was ahead, and is no time to wait for
    made_at, started_at = (last[k][1] if k in last and last[k][1] <= latest else None for k in (backups.MADE, BEGUN))
    ended, why = rows[-1][0] if rows else "", ""
    if ended == FAILED:
        why = last[FAILED][0]["why"]
    elif ended == BEGUN and started_at is not None and now() - started_at > RETRY_AFTER:
        why = "It was begun, and never ended."
    return BackupState(made_at, started_at, why)


def run_due(store: Store) -> Path | None:
    """Make the backup that is due, unless another process has begun it; its file, None where there is none."""
    file = _claim(store)
    if file is None:
        return None
    try:
        backups.write_backup(store, file)
        _check(file)
    except AssayError as error:
        file.unlink(missing_ok=True)
        why = str(error)
        store.tx(BACKUP_ACTOR, "backup", lambda tx: backups.record_backup(tx, FAILED, file.name, 0, why=why))
        log.error("backup_failed", file=str(file), why=type(error).__name__)
        return None
    backups.record_made(store, BACKUP_ACTOR, file)
    _remove_old(store)
    return file


def _claim(store: Store) -> Path | None:
    """The file to make now, if one is due: who writes that it is begun makes it."""

    def work(tx: Tx) -> Path | None:
        if not _is_due(tx):
            return None
        file = backups.new_file(store, "-plan")
        backups.record_backup(tx, BEGUN, file.name, 0)
        return file

    return store.tx(BACKUP_ACTOR, "backup", work) if _is_due(store) else None


def _is_due(store: Store | Tx) -> bool:
    plan = backup_plan(store)
    return plan.every > 0 and now() >= backup_state(store).due_at(plan)


def _check(file: Path) -> None:
    """Read all of a backup in a process of its own, which takes no time from anybody. Raises StoreFailed."""
    unneeded = [name for name in os.environ if name.startswith(("ASSAY_", "OPENAI_")) and name != "ASSAY_MEMORY"]
    environment = {name: value for name, value in os.environ.items() if name not in unneeded}
    command = [sys.executable, "-c", _CHECK, str(file)]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if run.returncode:
        raise StoreFailed("The backup was written, and could not be read as a whole. It was removed again.")


def _remove_old(store: Store) -> None:
    """Remove the oldest of those that the plan made, in the order in which it made them, whatever the clock said."""
    sound = {b.name for b in backups.list_backups(store) if b.by == BACKUP_ACTOR and b.revision is not None}
    rows = store.rows("select settings from export where kind = $1 order by seq desc", [backups.MADE])
    files = (str(backups.parse_settings(settings).get("file")) for (settings,) in rows)
    for name in [file for file in dict.fromkeys(files) if file in sound][backup_plan(store).keep :]:
        backups.remove_backup(store, BACKUP_ACTOR, name, REMOVED)


def start_schedule(store: Store) -> Callable[[], None]:
    """Look now and then whether a backup is due, in a thread of its own; what ends that."""
    stop = threading.Event()

    def look() -> None:
        while not stop.wait(_CHECK_INTERVAL_SECONDS):
            try:
                run_due(store)
            except AssayError as error:
                log.error("backup_failed", why=type(error).__name__)
            except Exception as error:
                log.error("backup_failed", error)

    threading.Thread(target=look, name="backups", daemon=True).start()
    return stop.set
