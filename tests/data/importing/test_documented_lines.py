"""The lines that docs/formats.md shows are lines that the import takes."""

import json
import re
from pathlib import Path

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import datasets, people
from data.store import open_store
from judges.authoring.custom import from_recipe
from judges.authoring.recipe import check_recipe
from tests.seeds import lines

PAGE = Path(__file__).parents[3] / "docs" / "formats.md"
SCORES = ("factuality", "instruction_following", "coherence", "completeness")
DIMENSION = {"name": "zz_tone", "unit": "response", "definition": "How kind it is."}
OWN = from_recipe(check_recipe({"name": "zz_own", "title": "Own", "kind": "response", "dimensions": [DIMENSION]}))
REPLY = {"scores": dict.fromkeys(SCORES, 4), "verdict": "good", "decision_basis": "It answers.", "issues": []}


def documented_lines() -> list[dict]:
    """The JSON objects of its indented examples; a line that goes on is indented further."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^ {4}(\{.*(?:\n {8}\S.*)*)$", text, re.MULTILINE)
    rows = [json.loads(re.sub(r'"(reply|card)": \{\.\.\.\}', r'"\1": {}', block)) for block in blocks]
    replies = {"rubric_open_ended": REPLY, "plain_pairwise": {"verdict": "a", "reason": "It answers."}}
    records = [row | ({"reply": replies[row["card"]]} if "reply" in row else {}) for row in rows]
    return [{"card": OWN.spec} if row == {"card": {}} else row for row in records]


def test_every_line_that_is_shown_can_be_imported(tmp_path):
    rows = documented_lines()
    assert {row.get("kind") for row in rows} == {"dialogue", "pair", "response", None}
    store = open_store(f"duckdb:///{tmp_path}/a.duckdb")
    people.join_workspace(store, "lea")
    done = import_source(store, "lea", from_path(lines(tmp_path / "all.jsonl", rows)), ImportPlan(dataset="shown"))
    preview = done.preview
    assert (preview.new.items, preview.new.judgments, preview.new.labels) == (3, 3, 1) and preview.ok
    assert done.preview.unscored == {}
    assert (done.preview.new.adjudications, done.preview.new.rules, done.preview.new.cards) == (1, 1, 1)
    judges = {judge[1:3] for judge in datasets.dataset_judges(store, done.dataset_id)}
    assert judges == {("rubric_open_ended", "gpt-4o"), ("plain_pairwise", "gpt-4o")}
    store.close()
