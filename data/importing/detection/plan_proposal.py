"""The proposal of a plan from the contents of files: table mappings, questions for other tools' names, their cards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from data.cards import cards as workspace
from data.cards.cards import Place
from data.importing.detection.contents import summarize_rows
from data.importing.detection.detection import DetectedFile
from data.importing.detection.interpretation import AnswerSeries, Interpretation, interpret_contents
from data.importing.mapping.mapping import (
    SCOPE,
    SINGLE,
    ColumnMapping,
    JudgmentColumns,
    LabelColumns,
    ValueSource,
    mapping_key,
)
from data.importing.plan import ImportPlan, Question
from data.records.access import allow
from data.records.values import get_setting
from data.store import Store
from data.store.errors import BadInput
from judges.authoring.custom import from_recipe
from judges.authoring.recipe import MAX_ENTRIES, Recipe, check_recipe
from judges.card import Card
from judges.cards import cards
from judges.errors import AssayError
from judges.types import Dimension, Scale

_NAME = "imported"


def propose_plan(interpretation: Interpretation, plan: ImportPlan, stored: Mapping[str, Card]) -> ImportPlan:
    """The plan with mappings, questions and cards for what the outline says. `stored` are the workspace's cards.

    Series whose values have no scale are left out. Raises BadInput where they are all that there are.
    """
    scaled_series = [s for s in interpretation.series if s.by and s.answers is not None]
    unscaled_series = [s for s in interpretation.series if s.by and s.answers is None]
    if unscaled_series and not scaled_series:
        named = "; ".join(f"{s.name} ({s.why or 'no values'})" for s in unscaled_series[:3])
        raise BadInput(f"No scale fits the values of {named}. Leave them out, or say the scale.")
    places = {s.question: s for s in scaled_series}
    homes, recipes = _homes(places, plan.dataset, stored)
    mappings = []
    for file, base in interpretation.tables.items():
        file_series = [s for s in scaled_series if s.file == file]
        mappings.append(base.model_copy(update={
            "judgments": [_judgment_columns(s, homes) for s in file_series if s.by == "judge"],
            "labels": [_label_columns(s) for s in file_series if s.by == "person"],
            "recipes": [r for r in recipes if r.name in {homes[s.question] for s in file_series}],
        }))  # fmt: skip
    questions = [
        Question(s.by or "judge", s.kind, s.sort, s.name, homes[s.question], s.dimension, s.answers, s.rater)
        for s in scaled_series
        if not s.file
    ]
    used = {question.card for question in questions}
    card_specs = tuple(from_recipe(recipe).spec for recipe in recipes if recipe.name in used)
    return replace(
        plan, mappings=tuple(mappings), questions=tuple(questions), cards=(*plan.cards, *card_specs),
        tables=tuple(interpretation.tables),
    )  # fmt: skip


def _judgment_columns(series: AnswerSeries, homes: Mapping[Place, str]) -> JudgmentColumns:
    card = homes[series.question]
    return JudgmentColumns(
        card=card,
        model=series.rater_source,
        value=ValueSource(columns=[series.name]),
        answers=None if series.values else series.answers,
        values=dict(series.values),
        reason=ValueSource(columns=[series.reason] if series.reason else []),
        confidence=ValueSource(columns=[series.confidence] if series.confidence else []),
        dimension=ValueSource() if card in SINGLE else ValueSource(constant=series.dimension),
        unit=ValueSource(constant=series.sort),
        order=series.order,
        only=series.only,
    )


def _label_columns(series: AnswerSeries) -> LabelColumns:
    return LabelColumns(
        value=ValueSource(columns=[series.name]),
        answers=None if series.values else series.answers,
        values=dict(series.values),
        unit=ValueSource(constant=series.sort),
        dimension=ValueSource(constant=series.dimension),
        annotator=series.rater_source,
        latest=ValueSource(columns=[series.latest] if series.latest else []),
        missing=series.missing,
        only=series.only,
    )


def _homes(
    places: Mapping[Place, AnswerSeries], dataset: str, stored: Mapping[str, Card]
) -> tuple[dict[Place, str], list[Recipe]]:
    """The card of each question, and the recipes of those that have to be made."""
    homes: dict[Place, str] = {}
    recipes = []
    for kind in dict.fromkeys(kind for kind, _, _ in places):
        group = {place: s for place, s in places.items() if place[0] == kind}
        fitting = [card for card in stored.values() if card.kind == kind and _asks(card, group)]
        if fitting:
            best = min(fitting, key=lambda card: (card.name not in SINGLE, len(card.dimensions)))
            homes |= dict.fromkeys(group, best.name)
            continue
        if "plain_pairwise" in stored:
            homes |= {place: "plain_pairwise" for place in group if place[1:] == ("pair", "verdict")}
        rows = [(place, s) for place, s in group.items() if place not in homes]
        for start in range(0, len(rows), MAX_ENTRIES):
            entries = dict(rows[start : start + MAX_ENTRIES])
            recipes.append(_card(kind, entries, dataset, {*stored, *homes.values()}))
            homes |= dict.fromkeys(entries, recipes[-1].name)
    return homes, recipes


def _asks(card: Card, group: Mapping[Place, AnswerSeries]) -> bool:
    """Whether a card asks all these questions, on these scales."""
    known: dict[tuple[str, str], Scale] = {(d.sort, d.name): d.scale for d in card.dimensions}
    return all(s.answers is not None and known.get(place[1:]) == s.answers.scale for place, s in group.items())


def _card(kind: str, group: Mapping[Place, AnswerSeries], dataset: str, used_names: set[str]) -> Recipe:
    """The recipe of a card that asks these questions, under a name that is free."""
    base = re.sub(r"[^a-z0-9]+", "_", dataset.lower()).strip("_")[:32]
    base = base if len(base) >= 3 and base[0].isalpha() else f"imported_{base}".rstrip("_")[:32]
    name, number = base, 1
    while name in used_names or name.endswith("_on_turns"):
        number += 1
        name = f"{base}_{number}"
    dimensions = [
        {
            "name": dimension, "unit": sort, "definition": f"What {s.name} says in the files it was imported from.",
            "answers": None if s.answers is None else s.answers.model_dump(),
        }
        for (_, sort, dimension), s in group.items()
    ]  # fmt: skip
    title = " ".join(dataset.split())[:60] or "Imported"
    return check_recipe({"name": name, "title": title, "kind": kind, "dimensions": dimensions})


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
    unlike = _comparable_mapping(earlier) != _comparable_mapping(mapping.complete({**mapping.cards(), **cards_by_name}))
    return earlier if unlike and not earlier.faults(known.columns, cards_by_name) else None


def _comparable_mapping(mapping: ColumnMapping) -> dict[str, Any]:
    """Return the content of a mapping without the names of the cards that ask its questions."""
    data = mapping.model_dump(exclude={"recipes"})
    for judged in data["judgments"]:
        judged["card"] = ""
    return data
