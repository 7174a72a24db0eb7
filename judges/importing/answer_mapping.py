"""Mappings of tables made from what was understood of them, with the cards of the questions that they answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from judges.authoring.recipe import MAX_ENTRIES, Recipe, check_recipe
from judges.card import Card
from judges.importing.interpretation import AnswerSeries, Interpretation
from judges.importing.mapping import SINGLE, ColumnMapping, JudgmentColumns, LabelColumns, ValueSource
from judges.types import Place, Scale


@dataclass(frozen=True)
class AnswerMapping:
    """The series that have a scale, the mapping of each table, the card of each question, and the recipes of new cards.
    """

    series: tuple[AnswerSeries, ...]
    tables: Mapping[str, ColumnMapping]
    homes: Mapping[Place, str]
    recipes: tuple[Recipe, ...]


def map_answers(interpretation: Interpretation, dataset: str, stored: Mapping[str, Card]) -> AnswerMapping:
    """The mappings of the tables with their answers, and the card of every question: a `stored` one where it fits.

    Series whose values have no scale are left out; new cards are named after the dataset.
    """
    series = tuple(s for s in interpretation.series if s.by and s.answers is not None)
    homes, recipes = _homes({s.question: s for s in series}, dataset, stored)
    tables = {}
    for file, base in interpretation.tables.items():
        file_series = [s for s in series if s.file == file]
        tables[file] = base.model_copy(update={
            "judgments": [_judgment_columns(s, homes) for s in file_series if s.by == "judge"],
            "labels": [_label_columns(s) for s in file_series if s.by == "person"],
            "recipes": [r for r in recipes if r.name in {homes[s.question] for s in file_series}],
        })  # fmt: skip
    return AnswerMapping(series, tables, homes, tuple(recipes))


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
