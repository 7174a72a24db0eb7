"""The state of the workspace that an import needs for reading, small enough to be handed to another process."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from data.cards import cards
from data.importing.detection.detection import DetectedFile
from data.importing.formats import items_role
from data.importing.mapping_texts import SCOPE, mapping_key
from data.importing.plan import ImportPlan
from data.records import guidelines, judge_prompts
from data.records.items import bench_dialogues
from data.records.people import all_people, known_names
from data.records.settings import GoldRule, gold_rule
from data.records.values import get_setting
from data.store import Store
from data.store.errors import BadInput
from data.store.ids import content_id
from judges.authoring.custom import from_spec
from judges.card import Card
from judges.cards import cards as folder
from judges.importing.mapping import ColumnMapping
from judges.types import Dimension, Place


@dataclass(frozen=True)
class Snapshot:
    """A plan, and the state of the workspace at change `since`.

    `prompts` are the ids of the sets of judges' prompts that it has; `mappings` are those of the tables by the name
    of their file, `signed` the same by the signature of their columns, under which they are kept; `cards` and
    `questions` what judges and people are asked, and `earlier` the other versions of cards here;
    `items` are the dialogues of the dataset that a format asks for; `people` the people who are or were active in the
    workspace; `rule` is the gold rule that holds, `has_rule` whether the dataset has one of its own, and `lead` whether
    who imports may set one.
    """

    plan: ImportPlan
    dataset_id: str
    since: int
    lead: bool
    people: frozenset[str]
    rule: GoldRule
    has_rule: bool
    mappings: dict[str, ColumnMapping]
    signed: dict[str, ColumnMapping]
    questions: Mapping[Place, Dimension]
    guidelines: str
    prompts: frozenset[str]
    items: list[dict[str, Any]] = field(default_factory=list)
    cards: Mapping[str, Card] = field(default_factory=dict)
    earlier: Sequence[Card] = ()

    def pack(self) -> bytes:
        """Itself as bytes: a card goes as its content, one that has a folder by its name."""
        local_cards = folder()
        specs = {n: None if local_cards.get(n) is card else (card.spec, card.version) for n, card in self.cards.items()}
        return pickle.dumps((replace(self, cards={}, earlier=()), specs, [card.spec for card in self.earlier]))


def take_snapshot(store: Store, plan: ImportPlan, detected: list[DetectedFile], actor: str = "") -> Snapshot:
    """Return the state that an import by `actor` ("": a lead) needs.

    Raises BadInput for a table without a mapping, and where tables hold nothing that can be judged and no answers.
    """
    dataset_id = content_id("dataset", plan.dataset)
    tables = [(known, mapping_for(store, plan, known)) for known in detected if known.format == "table"]
    if tables and len(tables) == len(detected) and all(mapping.bare for _, mapping in tables):
        raise BadInput(_describe_bare(*tables[0]))
    leads = [p.name for p in all_people(store) if p.may("lead")]
    return Snapshot(
        plan,
        dataset_id,
        store.newest(),
        not actor or not leads or actor in leads,
        known_names(store),
        gold_rule(store, dataset_id),
        get_setting(store, dataset_id, "gold") is not None,
        {known.file.name: mapping for known, mapping in tables},
        {mapping_key(known.columns): mapping for known, mapping in tables},
        dict(cards.answerable_dimensions(store)),
        document.text if (document := guidelines.current_guidelines(store, dataset_id)) else "",
        frozenset(prompt_set.id for prompt_set in judge_prompts.dataset_prompts(store, dataset_id)),
        bench_dialogues(store, dataset_id) if any(items_role(known.format) for known in detected) else [],
        cards.current_cards(store),
        cards.earlier_cards(store, unused=True),
    )


def unpack_snapshot(data: bytes) -> Snapshot:
    """The snapshot of such bytes, which must come from a process that is trusted."""
    snapshot: Snapshot
    snapshot, specs, earlier = pickle.loads(data)
    cards_by_name: dict[str, Card] = {}
    for name, entry in specs.items():
        cards_by_name[name] = folder()[name] if entry is None else from_spec(entry[0], folder())
        if entry is not None and cards_by_name[name].version != entry[1]:
            raise BadInput(f"The card {name} is not the same in the process that reads. Start Assay again.")
    return replace(snapshot, cards=cards_by_name, earlier=[from_spec(spec, folder()) for spec in earlier])


def _describe_bare(table: DetectedFile, mapping: ColumnMapping) -> str:
    columns, pair = ", ".join(table.columns)[:300], mapping.kind == "pair"
    missing = "the two texts that are compared" if pair else "the text that is judged"
    names = "the columns with them response_a and response_b" if pair else "the column with it output"
    return (
        f"{table.file.name} holds nothing to label or compare: no column has {missing}, and none has answers of judges "
        f"or people. Its columns are: {columns}. Name {names}, or say which it is: on the Import page, or with "
        "--mapping FILE (--suggest writes one to begin with). Each text needs a cell of its own, and no list of texts."
    )


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
    cards_by_name = {**mapping.cards(), **cards.current_cards(store), **{card.name: card for card in plan_cards(plan)}}
    if faults := mapping.faults(columns, cards_by_name):
        raise BadInput(f"The mapping does not fit {known.file.name}. {' '.join(faults)}")
    return mapping.complete(cards_by_name)


def plan_cards(plan: ImportPlan) -> list[Card]:
    """The cards that a plan brings."""
    return [from_spec(spec, folder()) for spec in plan.cards]
