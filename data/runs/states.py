"""The state of a run: by its newest event, its batches, and what goes on in this process."""

from __future__ import annotations

from data.runs import worker as running
from data.runs.run_order import State
from data.store import Store, Tx

_GONE = "Assay ended while this was running. Resume it to go on where it was."


def runs_waiting(store: Store | Tx) -> set[str]:
    """The runs that wait for a batch, whether or not anybody in this process looks after it."""
    from data.runs.batches import FINAL

    rows = store.rows(
        "select distinct b.run_id, b.state from batch_now b join run_now e on e.run_id = b.run_id "
        "where e.kind = 'started'"
    )
    return {str(run_id) for run_id, state in rows if state not in FINAL}


def run_state(store: Store, run_id: str) -> tuple[State, str]:
    """(state, why) of a run."""
    rows = store.rows("select kind, why from run_now where run_id = $1", [run_id])
    return derive_state(run_id, str(rows[0][0]), str(rows[0][1]), runs_waiting(store))


def derive_state(run_id: str, kind: str, why: str, out: set[str]) -> tuple[State, str]:
    """(state, why) of a run by its newest event and what goes on here; `out`: those that wait for a batch."""
    live = running.live_run(run_id)
    if live is not None:
        if live.stopped():
            return "stopping", ""
        return ("waiting for batch" if run_id in out else "running"), ""
    told = running.unrecorded_end(run_id)
    if told is not None:
        return told  # type: ignore[return-value]
    if kind == "started":
        return ("waiting for batch", "") if run_id in out else ("interrupted", _GONE)
    return kind, why  # type: ignore[return-value]
