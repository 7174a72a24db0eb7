"""A mapping to begin with for a table by itself, from its columns and first rows; a person corrects it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data.cards import cards as workspace
from data.cards.cards import Place
from data.importing.contents import of_rows
from data.importing.formats import SCOPE, Known
from data.importing.layout import planned
from data.importing.mapping import Mapping, signature
from data.importing.outline import outline
from data.importing.plan import Plan
from data.records.settings import get_setting
from data.store import Store
from judges.cards import cards
from judges.errors import AssayError
from judges.types import Dimension

_NAME = "imported"


def suggest(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> Mapping:
    """A mapping to begin with; `faults` says what it still lacks."""
    asked: dict[Place, Dimension] = {(c.kind, d.sort, d.name): d for c in cards().values() for d in c.dimensions}
    made = outline(of_rows(_NAME, columns, rows), asked)
    try:
        return planned(made, Plan(_NAME), cards()).mappings[0]
    except AssayError:
        return made.tables[_NAME]


def before(store: Store, known: Known, made: Mapping) -> Mapping | None:
    """The mapping that such a table had before, where it can still be used and says something else than `made`."""
    kept = get_setting(store, SCOPE, signature(known.columns))
    if kept is None:
        return None
    found, there = Mapping.model_validate(kept), workspace.current_cards(store)
    unlike = _said(found) != _said(made.completed({**made.cards(), **there}))
    return found if unlike and not found.faults(known.columns, there) else None


def _said(mapping: Mapping) -> dict[str, Any]:
    """What a mapping says, whatever the cards are called that ask its questions."""
    told = mapping.model_dump(exclude={"recipes"})
    for judged in told["judgments"]:
        judged["card"] = ""
    return told
