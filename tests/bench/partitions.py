"""Much in and out as a folder of Parquet files: `python -m tests.bench partitions` (minutes).

Judgments of ten models about responses, 100,000 rows a file, come into a workspace file by file and go out again, each
as a command of its own. Said are time and the most memory of each, and what the store takes on the disk, for an amount
and for five times as much: memory has to grow by much less than the amount.

ASSAY_BENCH_JUDGMENTS (default 200,000) is the larger amount.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from data.exporting.exporting import export_kind
from data.exporting.files import parquet_table
from data.records import people
from data.store import open_store
from tests.bench.runner import REPLY, TEXT

JUDGMENTS = int(os.environ.get("ASSAY_BENCH_JUDGMENTS", "200000"))
MODELS, ROWS = 10, 100_000
GROWTH = 3.0
"""By how much memory may grow at the most where there is five times as much."""


def write_files(folder, judgments):
    """Files of items and of judgments."""
    items = judgments // MODELS

    def item(n):
        return {"id": f"i{n:08d}", "kind": "response", "task": f"Bridge {n}?", "output": TEXT, "system": "s"}

    def reply(n):
        decided = f"It does what was asked of bridge {n}."
        return {
            "item": f"i{n // MODELS:08d}", "card": "rubric_open_ended", "model": f"m{n % MODELS}", "params": {},
            "part": "", "sample": 0, "raw": json.dumps({**REPLY, "decision_basis": decided}),
        }  # fmt: skip

    for name, number, row, count in (("items", 1, item, items), ("judgments", 2, reply, judgments)):
        columns = export_kind(name).columns
        for start in range(0, count, ROWS):
            file = folder / f"{number}-{name}-{start // ROWS:05d}.parquet"
            with pq.ParquetWriter(file, columns) as out:
                for first in range(start, min(start + ROWS, count), 5_000):
                    rows = [row(n) for n in range(first, min(first + 5_000, start + ROWS, count))]
                    table: pa.Table = parquet_table(rows, columns)
                    out.write_table(table)


def run_command(store, *command):
    """(seconds, processor seconds, megabytes at the most) of a command on a workspace."""
    environment = {**os.environ, "ASSAY_STORE": f"duckdb:///{store}"}
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "data", *map(str, command)], env=environment)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, command
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(judgments):
    """The megabytes that the import and the export took."""
    most = []
    with tempfile.TemporaryDirectory() as place:
        store, folder = Path(place, "a.duckdb"), Path(place, "in")
        folder.mkdir()
        write_files(folder, judgments)
        opened = open_store(f"duckdb:///{store}")
        people.join_workspace(opened, "lea")
        opened.close()
        for title, command in (
            ("in, by file", ("import", folder, "--dataset", "d", "--by-file")),
            ("out", ("export", "--dataset", "d", "--kind", "dataset", "--rows-per-file", ROWS, "--out", f"{place}/o")),
        ):
            seconds, used, memory = run_command(store, *command)
            print(f"{judgments:,} judgments {title}: {seconds:,.0f} s ({used:,.0f} s of processor), {memory:,.0f} MB")
            most.append(memory)
        print(f"  the store has {store.stat().st_size / 2**20:,.0f} MB")
    return most


def main():
    """Measure, and hold what has to hold."""
    small, large = measure(JUDGMENTS // 5), measure(JUDGMENTS)
    print(f"load {os.getloadavg()[0]:.1f}")
    for less, more in zip(small, large, strict=True):
        assert more <= GROWTH * less, f"memory grew from {less:,.0f} to {more:,.0f} MB for five times as much"
