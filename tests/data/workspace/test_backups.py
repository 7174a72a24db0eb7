"""A backup that a lead takes away: what it shows them is on record."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from data.records import exposure
from data.records.datasets import dataset_named
from data.records.tables import AdjudicationRow, JudgeRow, JudgmentRow, LabelRow
from data.store.ids import new_id
from data.workspace import backups
from tests import seeds

CELL = "turn:1", "helpfulness", 3.0


def test_it_shows_what_judges_and_other_people_said_up_to_its_revision(tmp_path: Path) -> None:
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(n) for n in range(1, 8)], names=("lea", "ann"))
    dataset = dataset_named(store, "demo").id
    judge, probe = (JudgeRow(new_id(), "c", "v", "m", params, False) for params in ("{}", '{"probe":"length"}'))

    def add(*rows: NamedTuple) -> None:
        for row in rows:
            store.tx("lea", "test", lambda tx, row=row: tx.append([row]))  # type: ignore[misc]

    def judgment(item: str, by: JudgeRow) -> JudgmentRow:
        return JudgmentRow(new_id(), by.id, item, "", 0, "", "", "", "")

    def label(item: str, by: str) -> LabelRow:
        day = datetime(2026, 1, 31)
        return LabelRow(new_id(), "", item, *CELL, by, "blind", "", "", False, None, None, None, False, day)

    def decision(item: str, by: str) -> AdjudicationRow:
        return AdjudicationRow(new_id(), dataset, item, *CELL, "why", "[]", False, False, by)

    items = [str(item) for (item,) in store.rows("select id from item order by name")]
    judged, probed, own, labelled, own_decision, decided, later = items
    add(judge, probe, judgment(probed, probe), label(own, "lea"), decision(own_decision, "lea"))
    newest = judgment(judged, judge), label(labelled, "ann"), decision(decided, "ann")
    store.tx("lea", "test", lambda tx: [tx.append([row]) for row in newest])
    file = backups.make_backup(store, "lea")
    add(judgment(later, judge), label(later, "ann"), decision(later, "ann"))
    backups.take_backup(store, "lea", file.name)
    others = {exposure.OTHER_PEOPLE}
    shown = exposure.find_exposures(store, "lea", items)
    assert shown == {judged: {judge.id}, labelled: others, decided: others}
    store.close()
