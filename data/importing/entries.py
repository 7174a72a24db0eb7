"""The entries of all files of a source, one after the other, and what reading them rests on: mappings and cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from data.cards.cards import current_cards as known_cards
from data.importing.detection.detection import DetectedFile, read_format
from data.importing.files.source import Source
from data.importing.formats import SEPARATE
from data.importing.mapping.mapping_texts import SCOPE, mapping_key
from data.importing.mapping.question_matching import match_questions
from data.importing.plan import ImportPlan
from data.records.values import get_setting
from data.store import Store
from data.store.errors import BadInput
from judges.authoring.custom import from_spec
from judges.card import Card
from judges.cards import cards
from judges.importing.entries import Entry, Line
from judges.importing.mapping import ColumnMapping


def mapping_for(store: Store, plan: ImportPlan, known: DetectedFile) -> ColumnMapping:
    """The mapping of a table: the plan's for it, or that fits its columns best, else that of such a table before.

    Raises BadInput, saying what is missing, where there is none or it is not complete.
    """
    columns = set(known.columns)
    fitting = [m for m in plan.mappings if m.columns() <= columns]
    stored_mapping = get_setting(store, SCOPE, mapping_key(columns))
    if known.file.name in plan.tables:
        mapping = plan.mappings[plan.tables.index(known.file.name)]
        # It was made of all rows: JSON may name a column only in a later one.
        columns |= mapping.columns() if known.container not in ("csv", "parquet") else set()
    elif fitting:
        mapping = max(fitting, key=lambda m: len(m.columns()))
    elif plan.mappings:
        mapping = plan.mappings[0]
    elif stored_mapping is not None:
        mapping = ColumnMapping.model_validate(stored_mapping)
    else:
        raise BadInput(
            f"{known.file.name} is a table with the columns {', '.join(known.columns)[:300]}. Say what they mean: on "
            "the import page, or with --mapping FILE (--suggest writes one to begin with)."
        )
    cards_by_name = {**mapping.cards(), **known_cards(store), **{card.name: card for card in plan_cards(plan)}}
    if faults := mapping.faults(columns, cards_by_name):
        raise BadInput(f"The mapping does not fit {known.file.name}. {' '.join(faults)}")
    return mapping.complete(cards_by_name)


def plan_cards(plan: ImportPlan) -> list[Card]:
    """The cards that a plan brings."""
    return [from_spec(spec, cards()) for spec in plan.cards]


def read_entries(
    source: Source, plan: ImportPlan, detected: list[DetectedFile], mappings: dict[str, ColumnMapping],
    items: Sequence[dict[str, Any]] = (),
) -> Iterator[Entry]:  # fmt: skip
    """Everything that the files of a source hold; those of FastChat, and of each other tool, are read together.

    `mappings` has the mapping of every table by the name of its file, `items` what formats that ask for it have to know
    of the dataset. The cards that the plan brings come first.
    """
    cards_by_version = {card.version: card for card in plan_cards(plan)}
    cards_by_version |= {card.version: card for mapping in mappings.values() for card in mapping.cards().values()}
    yield from (Line(source.name, 0, "card", {"card": card.spec}) for card in cards_by_version.values())
    together = {known.format for known in detected} - SEPARATE
    parts = [(name, [known for known in detected if known.format == name]) for name in sorted(together)]
    # What knows its items by their names alone gives way to what has their texts.
    by_text = sorted(detected, key=lambda known: known.format == "table" and mappings[known.file.name].textless)
    parts += [(known.format, [known]) for known in by_text if known.format in SEPARATE]
    for name, files in parts:
        yield from match_questions(read_format(name, files, mappings, items), plan.questions)
