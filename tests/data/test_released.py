"""Stores that released versions left behind: each opens, is brought up to date after a backup, and holds what it held.

tests/data/stores/ has a dump of each, made by that version itself.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from data import calibration, datasets, desk, needs, runs
from data.store import migrations, open_store, statements
from data.verify import verify

STORES = sorted((Path(__file__).parent / "stores").glob("*.sql"))


def released(dump: Path, path: Path) -> None:
    """The store of a dump, as its version left it."""
    with duckdb.connect(str(path)) as con:
        con.execute("create table migration (version bigint, name text, made_at timestamp)")
        for version, _, sql in migrations():
            if version <= int(dump.stem):
                for statement in statements(sql):
                    con.execute(statement)
        for line in dump.read_text(encoding="utf-8").splitlines():
            if not line.startswith("--"):
                con.execute(line)


def test_every_released_version_has_a_dump() -> None:
    assert [int(file.stem) for file in STORES] == list(range(1, len(STORES) + 1)) != []
    assert len(STORES) >= len(migrations()) - 1, "the newest version may be unreleased, no other"


@pytest.mark.parametrize("dump", STORES, ids=lambda f: f.stem)
def test_a_released_store_is_brought_up_to_date_after_a_backup(dump: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    released(dump, path)
    store = open_store(f"duckdb:///{path}")
    newest = migrations()[-1][0]
    assert [r[0] for r in store.rows("select version from migration order by 1")] == list(range(1, newest + 1))
    (backup,) = tmp_path.glob("a.before-*.duckdb")
    with duckdb.connect(str(backup), read_only=True) as con:
        kept = con.execute("select max(version), (select count(*) from judgment) from migration").fetchall()
        rows = {t: con.execute(f"select count(*) from {t}").fetchall() for t in ("item", "score", "label", "change")}
    ran = int(dump.stem) >= 2  # the second version brought runs: a practice judge went over the same four dialogues
    assert kept == [(int(dump.stem), 8 if ran else 4)]
    assert rows == {t: store.rows(f"select count(*) from {t}") for t in rows} and rows["label"] == [(12,)]
    # What it held works as it did, and what is new finds it.
    dataset = datasets.all_datasets(store)[0]
    judges = {model: (id_, card, items) for id_, card, model, _, items in datasets.judges(store, dataset.id)}
    assert {card for _, card, _ in judges.values()} == {"multi_turn_dialogue"} and len(judges) == 1 + ran
    judge, _, items = judges["judge-one"]
    assert (dataset.name, items) == ("demo", 4)
    assert calibration.unscored(store, dataset.id, judge) == [("unreadable", 1)]
    assert any(r.kind == "unscored" for need in needs.needs(store, dataset.id, judge) for r in need.reasons)
    answered = str(store.rows("select item_id from answer")[0][0])
    view = desk.opened(store, "ann", answered)
    assert len(view.mine) == 11 and view.comments == [("turn:1", "issue", "it repeats itself; 'twice'")]
    assert store.rows("select count(*) from judgment where run_id is null") == [(4,)]
    assert [(r.model, r.state, r.judgments) for r in runs.history(store)] == [
        ("practice-heuristic", "finished", 4)
    ] * ran
    assert store.rows("select count(*) from fit") == [(int(ran),)]
    assert verify(store) == []
    store.close()
    open_store(f"duckdb:///{path}").close()
    assert len(list(tmp_path.glob("a.before-*.duckdb"))) == 1, "up to date, it is not migrated again"
