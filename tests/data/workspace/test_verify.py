"""What is sound, though it looks odd at first."""

from __future__ import annotations

from pathlib import Path

from data.store import Store, Tx, duckdb_path
from data.workspace import backups, restore
from data.workspace.verify import verify
from tests import seeds

PAIR = {"id": "p1", "kind": "pair", "input": "Greet.", "response_a": {"text": "Hello."}, "response_b": {"text": "Hi."}}
SIDE = {"groundedness": 4, "relevance": 4, "quality": 4}
REPLY = {
    "section_judgments": [{"section_label": "Whole response", "response_a": SIDE, "response_b": SIDE}],
    "long_form_failures": {"response_a": [], "response_b": []},
    "aggregate_scores": {"response_a": 4.0, "response_b": 4.0},
    "verdict": "tie",
    "decision_basis": "They say the same.",
}
JUDGED = {"item": "p1", "card": "long_form_pairwise", "model": "m", "reply": REPLY}


def units(store: Store) -> set[str]:
    return {str(unit) for (unit,) in store.rows("select distinct unit from score where dimension = 'quality'")}


def test_a_short_pair_may_be_scored_by_sections_that_nobody_is_asked_about(tmp_path: Path) -> None:
    store = seeds.workspace(tmp_path / "a.duckdb", [PAIR, JUDGED], review=False)
    assert units(store) == {"section:1/a", "section:1/b"} and verify(store) == []
    if duckdb_path(store.url):
        backup = backups.make_backup(store, "lea")
        assert restore.check_copy(backup) == store.newest() - 1, "or no backup of it could be restored"

    def work(tx: Tx) -> None:
        columns = "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample"
        rows = tx.rows(f"select {columns} from score where unit = 'section:1/a' and dimension = 'quality'")
        tx.add("score", columns, [(*row[:3], "section:9/a", *row[4:]) for row in rows])

    store.tx("lea", "run", work)
    assert [problem[:30] for problem in verify(store)] == ["A score is about section:9/a o"]
    store.close()
