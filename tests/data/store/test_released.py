"""Stores that released versions left behind: each opens, is brought up to date after a backup, and holds what it held.

tests/data/stores/ has a file of each, VERSION-COMMIT.zip, made by that commit's own code. When a version is released:
add the hash of its migration to RELEASED, and make its store with tests/data/stores/make.py.
"""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.calibration import calibration
from data.desk import desk
from data.queue import review_signals
from data.records import datasets, guidelines
from data.runs import runs
from data.store import Store, migrations, open_store
from data.store.base import MIGRATIONS
from data.store.high_water_mark import Mark
from data.workspace.verify import verify

pytestmark = pytest.mark.duckdb_only("files of released versions")
STORES = sorted((Path(__file__).parents[1] / "stores").glob("*.zip"))
RELEASED = {
    1: "5335f91d4d96cb9e541609101aa9cc50c87ce286dbbfd3bb9c184cb97076781a",
    2: "5276753b5f4861289f69dad2b39442a4f4934603cffcd5841d564c7eb61a41f9",
    3: "19d641fedad82af1487dd03efb5390e65b461660a1b3281ca16fb2c5098ecd7d",
    4: "28b5ec56e8b62b8e6aab2e0fb4be349ccf10b74d003842f8ca2b53e4e34f17d0",
    5: "aedea42d3548a19b9c9529e9f9f14fcdd7f24f0275fa4b24abca6156ba93e4ad",
    6: "3670b07cd7a7d64c45142e0aae52760fa95c978c285a88143291d6bf40578702",
    7: "6026a000760ddc084557c3cd18213d59930cb577bec6cf2fc5b0453fe15e0533",
    8: "2cf56bdc3fb3cc9c584dfa815f6e5a3ac8e0b90b10e59049a4ea47eb6ce784bf",
    9: "530a6d2505f429b403aaa297ae079e87b902ea2e62698f0fd67c25139431cab7",
    10: "d7d0ea4a680ca59d2cf4f460b45a4d7dbc49f1446041bfd54ca6e89b5839059d",
    11: "2404e2c5c2dad84509215f6d78009ae711e5d1ac1dce2b89c67edac5d11fc9c5",
    12: "ede4fcd3b837fe0f3c34741b144ecf35992d680535f91af53ca6022652ff8ce4",
}
"""The SHA-256 of every migration that stores were made with. Never change a line: add a migration instead."""
TOGETHER = {4, 5, 7, 8, 10}
"""Versions that no release ended with: they came together with the next one."""


def test_released_migrations_stay_as_they_are() -> None:
    hashes = {int(f.name[:3]): hashlib.sha256(f.read_bytes()).hexdigest() for f in MIGRATIONS.glob("[0-9]*.sql")}
    edited = [n for n, pin in RELEASED.items() if hashes.get(n) != pin]
    assert not edited, f"Migrations {edited} are released; write a new one instead of changing or removing them."
    between = [n for n in hashes if n not in RELEASED and n < max(RELEASED)]
    assert not between, f"Migrations {between} are neither released (RELEASED has no hash) nor newer than all that are."


def test_every_released_version_has_a_store() -> None:
    lacking = set(RELEASED) - TOGETHER - {int(file.stem[:3]) for file in STORES}
    assert not lacking, f"No store of version {lacking} is kept. In its tree: python tests/data/stores/make.py FILE.zip"


def counts(con: Any) -> dict[str, int]:
    """The rows of every table."""
    tables = con("select table_name from information_schema.tables where table_type = 'BASE TABLE' order by 1")
    return {name: con(f"select count(*) from {name}")[0][0] for (name,) in tables}


def file_counts(file: Path) -> dict[str, int]:
    with duckdb.connect(str(file), read_only=True) as con:
        return counts(lambda sql: con.execute(sql).fetchall())


@pytest.mark.slow
@pytest.mark.parametrize("file", STORES, ids=lambda f: f.stem)
def test_a_released_store_is_brought_up_to_date_after_a_backup(file: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(file).extractall(tmp_path)
    path = tmp_path / "a.duckdb"
    before = file_counts(path)
    store = open_store(f"duckdb:///{path}")
    assert [r[0] for r in store.rows("select version from migration order by 1")] == [m[0] for m in migrations()]
    now = counts(store.rows)
    assert {t: n for t, n in before.items() if t != "migration"}.items() <= now.items()
    assert Mark(tmp_path / "a.duckdb.mark").entry()[0] == store.newest() == before["change"]
    assert store.rows("select value from setting where name = 'in the log'") == [("1",)]
    backups, is_outdated = list(tmp_path.glob("a.before-*")), int(file.stem[:3]) < migrations()[-1][0]
    assert [file_counts(backup) for backup in backups] == [before] * is_outdated, "the backup is whole without a log"
    if before["item"]:
        _works(store, has_run=int(file.stem[:3]) >= 2, guided=int(file.stem[:3]) >= 10)
    else:  # the first commit had tables only, and a view that took one part of a sample for the other
        assert store.rows("select distinct mode, probability from draw_now order by 1") == [
            ("assisted", 0.1),
            ("blind", 0.8),
        ]
        assert store.rows("select id from label_now") == [("l1",)]
    store.close()
    open_store(f"duckdb:///{path}").close()
    assert len(list(tmp_path.glob("a.before-*"))) == is_outdated, "up to date, it is not migrated again"


def _works(store: Store, has_run: bool, guided: bool) -> None:
    """What it held works as it did, and what is new finds it."""
    dataset = datasets.all_datasets(store)[0]
    judges = {model: (id_, card, items) for id_, card, model, _, items, _ in datasets.dataset_judges(store, dataset.id)}
    assert {card for _, card, _ in judges.values()} == {"multi_turn_dialogue"} and len(judges) == 1 + has_run
    judge, _, items = judges["judge-one"]
    assert (dataset.name, items) == ("demo", 4)
    assert calibration.count_unscored(store, dataset.id, judge) == [("unreadable", 1)]
    assert any(
        r.kind == "unscored" for need in review_signals.find_needs(store, dataset.id, judge) for r in need.reasons
    )
    answered = str(store.rows("select item_id from answer")[0][0])
    view = desk.open_item(store, "ann", answered)
    assert len(view.own_answers) == 9 and view.comments == [("turn:1", "issue", "it repeats itself; 'twice'")]
    assert store.rows("select count(*) from judgment where run_id is null") == [(4,)]
    assert [(r.model, r.state, r.judgments) for r in runs.list_runs(store)] == [
        ("practice-heuristic", "finished", 4)
    ] * has_run
    history = [(version.text, version.person) for version in guidelines.guidelines_history(store, dataset.id)]
    assert history == [("# Helpfulness\nIt solves *the* problem.", "lea")] * guided
    assert verify(store) == []
