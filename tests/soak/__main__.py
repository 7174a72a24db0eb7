"""Every trial at its release count: `make soak`, or `python -m tests.soak --minutes 60 --only kills,races`.

It goes on where it was interrupted, in pieces that each have a workspace of their own: --state names the file that
remembers them (default: .soak/state.json), --fresh begins anew. At the end, and with --table at once, it prints the
table of docs/durability.md; it ends with 1 where something was lost, doubled or half there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any, TypedDict

from tests.soak.trials import TRIALS, Trial


class PieceRecord(TypedDict):
    """What of a trial is done: how often, what it came to, what was wrong, and how long it took."""

    times: int
    figures: dict[str, int]
    wrong: list[str]
    seconds: float


State = dict[str, PieceRecord]


def load(file: Path) -> State:
    """What was done so far."""
    state: State = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for name in TRIALS:
        state.setdefault(name, {"times": 0, "figures": {}, "wrong": [], "seconds": 0.0})
    return state


def keep(file: Path, state: State) -> None:
    """Write it down whole, or leave what was written before."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(file.name + ".part")
    part.write_text(json.dumps(state, indent=1), encoding="utf-8")
    os.replace(part, file)


def piece(trial: Trial, done: PieceRecord) -> None:
    """Make the next piece of a trial, and add what it came to."""
    times = min(trial.count.piece, trial.count.release - done["times"])
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="assay-soak-") as folder:
        try:
            figures, wrong = trial.run(Path(folder), times, done["times"] + 1)
        except Exception:
            figures, wrong = {}, [traceback.format_exc(limit=-3)]
    done["times"] += times
    done["seconds"] += time.monotonic() - began
    done["wrong"] += wrong
    for name, number in figures.items():
        done["figures"][name] = done["figures"].get(name, 0) + number


def table(state: State) -> str:
    """The table of docs/durability.md."""
    rows = ["| trial | made | of | found | target |", "|---|---|---|---|---|"]
    for name, trial in TRIALS.items():
        done = state[name]
        figures = "".join(f", {number:,} {noun}" for noun, number in done["figures"].items())
        rows.append(
            f"| {trial.what} | {done['times']:,} {trial.unit}{figures} | {trial.count.release:,} | "
            f"{len(done['wrong'])} wrong | {trial.target} |"
        )
    return "\n".join(rows)


def options(arguments: list[str]) -> Any:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=0.0, help="begin no piece after that (0: until all is done)")
    parser.add_argument("--only", default=",".join(TRIALS), help=f"some of {', '.join(TRIALS)}")
    parser.add_argument("--state", type=Path, default=Path(".soak/state.json"), help="where it remembers what is done")
    parser.add_argument("--fresh", action="store_true", help="forget what was done before")
    parser.add_argument("--table", action="store_true", help="print the table of what is done, and do nothing")
    settings = parser.parse_args(arguments)
    settings.names = settings.only.split(",")
    if unknown := [name for name in settings.names if name not in TRIALS]:
        parser.error(f"there is no trial {', '.join(unknown)}; there are {', '.join(TRIALS)}")
    return settings


def main(arguments: list[str]) -> int:
    """Make what is left, the trial that is least far first."""
    settings = options(arguments)
    if settings.fresh:
        settings.state.unlink(missing_ok=True)
    state, began = load(settings.state), time.monotonic()
    while not settings.table and not (settings.minutes and time.monotonic() - began > 60 * settings.minutes):
        left = [name for name in settings.names if state[name]["times"] < TRIALS[name].count.release]
        if not left:
            break
        name = min(left, key=lambda trial_name: state[trial_name]["times"] / TRIALS[trial_name].count.release)
        before = len(state[name]["wrong"])
        piece(TRIALS[name], state[name])
        keep(settings.state, state)
        new = state[name]["wrong"][before:]
        print(f"{name}: {state[name]['times']:,} of {TRIALS[name].count.release:,}", *new[:5], sep="\n  ", flush=True)
    print(table(state))
    return int(any(state[name]["wrong"] for name in settings.names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
