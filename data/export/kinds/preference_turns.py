"""Preference pairs of dialogue turns: what the assistant said, and what a person wrote in its place."""

from __future__ import annotations

from collections.abc import Iterator

from data import cards
from data.datasets import Dataset
from data.export.chat import fork, said, sound
from data.export.kind import CHAT, FLAG, TEXT, Kind, Option, Options, Row, columns
from data.export.shared import ALIASES, SCENARIO, moment, naming
from data.store import Store
from judges.types import ITEM, Dialogue, Response

WEAKEST = Option("weakest", "Only the weakest turn", "only turns that the same person named the weakest", False)


def rows(store: Store, dataset: Dataset, options: Options) -> Iterator[Row]:
    """The dialogue up to the turn, the turn as a person would have written it, and the turn as it was."""
    name_of = naming(store, options["names"])
    named = sorted({d.name for d in cards.questions(store).values() if d.scale.kind == "turn"})
    for name, content, systems, unit, text, person, mode, made_at, weakest in store.stream(
        "select i.name, i.content, i.system_a, r.unit, r.text, r.person, a.mode, a.made_at, w.item_id is not null "
        "from repair_now r join answer a on a.id = r.answer_id join item i on i.id = r.item_id left join "
        "(select distinct item_id, annotator, value from label_now where dimension = any($2)) w "
        "on w.item_id = r.item_id and w.annotator = r.person and r.unit = 'turn:' || cast(cast(w.value as bigint) as "
        "varchar) where i.dataset_id = $1 order by i.name, r.unit, r.person, r.id",
        [dataset.id, named],
    ):
        item = ITEM.validate_json(content)
        if not isinstance(item, (Dialogue, Response)) or (options["weakest"] and not weakest):
            continue
        at = fork(item, unit, options["scenario"])
        if at is None or not at[1].strip() or at[1].strip() == text.strip() or not sound(at[0]):
            continue
        yield {
            "prompt": at[0], "chosen": [said("assistant", text)], "rejected": [said("assistant", at[1])],
            "item": name, "unit": unit, "system": systems, "weakest": weakest, "annotator": name_of(person),
            "mode": mode, "made_at": moment(made_at),
        }  # fmt: skip


KIND = Kind(
    "preference_turns",
    "Preferences: better turns",
    "Each turn that a person has written better on the desk: the conversation before it, the better turn (chosen) and "
    "the turn as it was (rejected), in the form that TRL trains on (DPO and others).",
    columns(
        prompt=CHAT, chosen=CHAT, rejected=CHAT, item=TEXT, unit=TEXT, system=TEXT, weakest=FLAG, annotator=TEXT,
        mode=TEXT, made_at=TEXT,
    ),
    rows,
    options=(WEAKEST, SCENARIO, ALIASES),
    place=30,
)  # fmt: skip
