"""A mapping to begin with for a table by itself, from its columns and first rows; a person corrects it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data.cards import cards as workspace
from data.cards.cards import Place
from data.importing.detection.contents import summarize_rows
from data.importing.detection.detection import DetectedFile
from data.importing.detection.interpretation import interpret_contents
from data.importing.detection.plan_proposal import propose_plan
from data.importing.mapping.mapping import SCOPE, ColumnMapping, mapping_key
from data.importing.plan import ImportPlan
from data.records.settings import get_setting
from data.store import Store
from judges.cards import cards
from judges.errors import AssayError
from judges.types import Dimension

_NAME = "imported"


def suggest_mapping(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> ColumnMapping:
    """A mapping to begin with; `faults` says what it still lacks."""
    asked: dict[Place, Dimension] = {(c.kind, d.sort, d.name): d for c in cards().values() for d in c.dimensions}
    made = interpret_contents(summarize_rows(_NAME, columns, rows), asked)
    try:
        return propose_plan(made, ImportPlan(_NAME), cards()).mappings[0]
    except AssayError:
        return made.tables[_NAME]


def previous_mapping(store: Store, known: DetectedFile, made: ColumnMapping) -> ColumnMapping | None:
    """The mapping that such a table had before, where it can still be used and says something else than `made`."""
    kept = get_setting(store, SCOPE, mapping_key(known.columns))
    if kept is None:
        return None
    found, there = ColumnMapping.model_validate(kept), workspace.current_cards(store)
    unlike = _said(found) != _said(made.completed({**made.cards(), **there}))
    return found if unlike and not found.faults(known.columns, there) else None


def _said(mapping: ColumnMapping) -> dict[str, Any]:
    """What a mapping says, whatever the cards are called that ask its questions."""
    told = mapping.model_dump(exclude={"recipes"})
    for judged in told["judgments"]:
        judged["card"] = ""
    return told
