"""The proposal of a plan from the contents of files: table mappings, questions for other tools' names, their cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from data.cards import cards as workspace
from data.importing.detection.detection import DetectedFile
from data.importing.mapping_texts import SCOPE, mapping_key
from data.importing.plan import ImportPlan, Question
from data.records.access import allow
from data.records.values import get_setting
from data.store import Store
from data.store.errors import BadInput
from judges.authoring.custom import from_recipe
from judges.card import Card
from judges.cards import cards
from judges.errors import AssayError
from judges.importing.answer_mapping import map_answers
from judges.importing.interpretation import Interpretation, interpret_contents
from judges.importing.mapping import ColumnMapping
from judges.importing.table_contents import summarize_rows
from judges.types import Dimension, Place

_NAME = "imported"
_CARDS: Any = {"recipes": True, "judgments": {"__all__": {"card"}}}
"""The fields of a mapping that name cards: those that ask the same may have other names."""


def propose_plan(interpretation: Interpretation, plan: ImportPlan, stored: Mapping[str, Card]) -> ImportPlan:
    """The plan with mappings, questions and cards for what the outline says. `stored` are the workspace's cards.

    Series whose values have no scale are left out. Raises BadInput where they are all that there are.
    """
    answers = map_answers(interpretation, plan.dataset, stored)
    unscaled_series = [s for s in interpretation.series if s.by and s.answers is None]
    if unscaled_series and not answers.series:
        named = "; ".join(f"{s.name} ({s.why or 'no values'})" for s in unscaled_series[:3])
        raise BadInput(f"No scale fits the values of {named}. Leave them out, or say the scale.")
    questions = [
        Question(s.by or "judge", s.kind, s.sort, s.name, answers.homes[s.question], s.dimension, s.answers, s.rater)
        for s in answers.series
        if not s.file
    ]
    used = {question.card for question in questions}
    card_specs = tuple(from_recipe(recipe).spec for recipe in answers.recipes if recipe.name in used)
    return replace(
        plan, mappings=tuple(answers.tables.values()), questions=tuple(questions), cards=(*plan.cards, *card_specs),
        tables=tuple(answers.tables),
    )  # fmt: skip


def suggest_mapping(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> ColumnMapping:
    """A mapping to begin with; `faults` says what it still lacks."""
    dimensions: dict[Place, Dimension] = {(c.kind, d.sort, d.name): d for c in cards().values() for d in c.dimensions}
    interpretation = interpret_contents(summarize_rows(_NAME, columns, rows), dimensions)
    try:
        return propose_plan(interpretation, ImportPlan(_NAME), cards()).mappings[0]
    except AssayError:
        return interpretation.tables[_NAME]


@allow("researcher")
def previous_mapping(store: Store, known: DetectedFile, mapping: ColumnMapping) -> ColumnMapping | None:
    """The mapping that such a table had before, where it can still be used and says something else than `mapping`."""
    stored_mapping = get_setting(store, SCOPE, mapping_key(known.columns))
    if stored_mapping is None:
        return None
    earlier, cards_by_name = ColumnMapping.model_validate(stored_mapping), workspace.current_cards(store)
    complete = mapping.complete({**mapping.cards(), **cards_by_name})
    is_same = earlier.model_dump(exclude=_CARDS) == complete.model_dump(exclude=_CARDS)
    return None if is_same or earlier.faults(known.columns, cards_by_name) else earlier
