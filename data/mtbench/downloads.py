"""Files of MT-Bench to take away: all tables of a dataset, and the dataset as FastChat's files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

from data.mtbench.figures import named_bench
from data.mtbench.mtbench import load_bench
from data.records import exposure
from data.records.access import allow, require
from data.store import Store
from data.zip_files import zip_bytes
from judges.cli.mtbench_output import write_tables
from judges.mtbench import tables
from judges.mtbench.fastchat_files import write_fastchat
from judges.mtbench.protocol import Protocol


@allow("annotator")
def zipped_tables(store: Store, dataset_id: str, protocol: Protocol, format: Literal["csv", "parquet"]) -> bytes:
    """Every table of a dataset's figures, a file each, its judgments read by a protocol.

    Tables that name single answers are left out: they would show what a judge said of them.
    """
    bench = named_bench(load_bench(store, dataset_id))
    chosen = tables.select_ratings(bench, protocol)
    all_tables = tables.result_tables(chosen)
    all_tables += tables.comparison_tables(chosen) if len(chosen.judges) > 1 else []
    all_tables += [tables.vote_table(bench)] if bench.votes else []
    summaries = [table for table in all_tables if table.rows and "question" not in table.rows[0]]
    with tempfile.TemporaryDirectory() as folder:
        write_tables(summaries, format, Path(folder))
        return _zip_folder(Path(folder))


@allow("researcher")
def zipped_fastchat(store: Store, actor: str, dataset_id: str) -> bytes:
    """The dataset as FastChat's files. That this person is shown all that judges and people said is recorded.

    Raises NotAllowed below the role researcher.
    """
    require(store, actor, "researcher")
    bench = load_bench(store, dataset_id)
    items = [str(item) for (item,) in store.rows("select id from item where dataset_id = $1", [dataset_id])]
    by_item = exposure.judges_of_items(store, items)
    people = {exposure.OTHER_PEOPLE} if bench.votes else set()
    exposure.record_exposures(store, actor, {item: by_item.get(item, set()) | people for item in items}, "export")
    with tempfile.TemporaryDirectory() as folder:
        write_fastchat(bench, Path(folder) / "files")
        return _zip_folder(Path(folder) / "files")


def _zip_folder(folder: Path) -> bytes:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return zip_bytes((file.relative_to(folder).as_posix(), file.read_bytes()) for file in files)
