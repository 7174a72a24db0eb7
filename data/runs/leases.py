"""Leases: which process works on a run when several share a store. A lease runs out if its process does not renew it.

A lease is a row. The process with the newest one may store the results of the run, and another row asks it to stop. In
a store that one process owns there are no leases.
"""

from __future__ import annotations

import os
import socket
from datetime import timedelta

from data.records.tables import RunLeaseRow
from data.store import Store, Tx
from data.store.errors import BadInput
from data.store.ids import new_id, now

HOLDER = f"{socket.gethostname()}/{os.getpid()}/{new_id()[-12:]}"
"""This process."""
LEASE_DURATION = timedelta(seconds=60)
RENEW_SECONDS = 20.0
"""Seconds after which a lease is renewed."""
STOP_CHECK_SECONDS = 1.0
"""Seconds after which a run looks whether another process asks it to stop."""


def take_lease(tx: Tx, run_id: str) -> None:
    """Work on a run from here on, in the change that begins it. Raises BadInput while another process does."""
    if run_id in runs_elsewhere(tx):
        raise BadInput("This run goes on already, in another process of this workspace.")
    _append(tx, run_id, HOLDER, LEASE_DURATION)


def renew_lease(tx: Tx, run_id: str) -> None:
    """Hold on to a run. Raises BadInput where another process has taken it over."""
    require_lease(tx, run_id)
    _append(tx, run_id, HOLDER, LEASE_DURATION, stop_reason(tx, run_id))


def end_lease(tx: Tx, run_id: str) -> None:
    """Let go of a run, in the change that says how it ended. Raises BadInput where another process has it."""
    require_lease(tx, run_id)
    _append(tx, run_id, HOLDER, timedelta(0))


def require_lease(tx: Tx, run_id: str) -> None:
    """Raise BadInput if another process took over a run that this one works on, because it was silent for too long."""
    rows = tx.rows("select holder from run_lease_now where run_id = $1", [run_id]) if tx.shared else []
    if rows and rows[0][0] != HOLDER:
        raise BadInput("Another process of this workspace has taken over this run, because this one was silent.")


def runs_elsewhere(store: Store | Tx) -> set[str]:
    """The runs that another process works on."""
    if not store.shared:
        return set()
    rows = store.rows("select run_id from run_lease_now where holder <> $1 and until > $2", [HOLDER, now()])
    return {str(run_id) for (run_id,) in rows}


def ask_to_stop(store: Store, actor: str, run_id: str, why: str) -> None:
    """Ask the process that works on a run to end it."""

    def work(tx: Tx) -> None:
        rows = tx.rows("select holder, until from run_lease_now where run_id = $1", [run_id])
        for holder, until in rows:
            _append(tx, run_id, str(holder), until - now(), why)

    store.tx(actor, "run stop", work, target=run_id)


def stop_reason(store: Store | Tx, run_id: str) -> str:
    """Return the reason why somebody asked a run to end; "" if nobody did."""
    rows = store.rows("select stop from run_lease_now where run_id = $1", [run_id])
    return str(rows[0][0]) if rows else ""


def _append(tx: Tx, run_id: str, holder: str, lasts: timedelta, stop: str = "") -> None:
    if tx.shared:
        tx.append([RunLeaseRow(new_id(), run_id, holder, now() + lasts, stop)])
