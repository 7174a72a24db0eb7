"""Preference pairs of dialogue turns: what the assistant said, and what a person wrote in its place, if anybody did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from data.cards import cards
from data.exporting.conversations import is_trainable, split_at_unit, to_message
from data.exporting.kind import CHAT, FLAG, TEXT, ExportKind, ExportOption, Options, Row, typed_schema
from data.exporting.shared import ALIASES, JUDGE, SCENARIO, format_time, person_names
from data.gold.gold import gold_sql
from data.records import datasets
from data.records.datasets import Dataset
from data.records.settings import gold_rule
from data.store import Store
from judges.types import ITEM, Dialogue, Response

WEAKEST = ExportOption(
    "weakest", "Only the weakest turn", "only turns that gold, or the judge of weakest_by, names the weakest", False
)
BY = ExportOption(
    "weakest_by", "Weakest turn by", "the judge that names the weakest turn (default: people's gold)", "", JUDGE.choices
)
UNWRITTEN = ExportOption(
    "unwritten", "Forks without a better turn",
    "also the weakest turns that nobody wrote better, with chosen empty and written false", False,
)  # fmt: skip


def rows(store: Store, dataset: Dataset, options: Options) -> Iterator[Row]:
    """The dialogue up to the turn, the turn as a person would have written it, and the turn as it was."""
    name_of = person_names(store, options["names"])
    named, repairs = _weakest_turns(store, dataset, options["weakest_by"]), set[tuple[str, str]]()
    for item_id, name, content, systems, unit, text, person, mode, made_at in store.stream(
        "select i.id, i.name, i.content, i.system_a, r.unit, r.text, r.person, a.mode, a.made_at from repair_now r "
        "join answer a on a.id = r.answer_id join item i on i.id = r.item_id where i.dataset_id = $1 "
        "order by i.name, r.unit, r.person, r.id",
        [dataset.id],
    ):
        weakest = (item_id, unit) in named
        forked = _fork_row(content, unit, options) if weakest or not options["weakest"] else None
        if forked is None or forked["rejected"][0]["content"].strip() == text.strip():
            continue
        repairs.add((item_id, unit))
        yield forked | {
            "chosen": [to_message("assistant", text)], "item": name, "unit": unit, "system": systems,
            "weakest": weakest,
            "written": True, "annotator": name_of(person), "mode": mode, "made_at": format_time(made_at),
        }  # fmt: skip
    if not options["unwritten"]:
        return
    left = named - repairs
    for item_id, name, content, systems in store.stream(
        "select id, name, content, system_a from item where id = any($1) order by name",
        [sorted({item for item, _ in left})],
    ):
        for unit in sorted(unit for item, unit in left if item == item_id):
            if forked := _fork_row(content, unit, options):
                yield forked | {
                    "chosen": None, "item": name, "unit": unit, "system": systems, "weakest": True, "written": False,
                    "annotator": None, "mode": None, "made_at": None,
                }  # fmt: skip


def _fork_row(content: str, unit: str, options: Options) -> Row | None:
    """Prompt and rejected turn of a fork, with a place for what is chosen; None where no template takes it."""
    item = ITEM.validate_json(content)
    at = split_at_unit(item, unit, options["scenario"]) if isinstance(item, (Dialogue, Response)) else None
    if at is None or not at[1].strip() or not is_trainable(at[0]):
        return None
    return {"prompt": at[0], "chosen": None, "rejected": [to_message("assistant", at[1])]}


def _weakest_turns(store: Store, dataset: Dataset, judge: str) -> set[tuple[str, str]]:
    """(item id, unit) of the turns that people's gold, or a judge, names the weakest."""
    kinds = datasets.item_kinds(store, dataset.id)
    dimensions = [
        d for (kind, _, _), d in cards.answerable_dimensions(store).items() if d.scale.kind == "turn" and kind in kinds
    ]
    turns: list[tuple[Any, ...]] = []
    for d in dimensions:
        if judge:
            query = (
                "select s.item_id, s.value from score_now s join item i on i.id = s.item_id "
                "where i.dataset_id = $1 and s.dimension = $2 and s.judge_id = $3"
            )
            turns += store.rows(query, [dataset.id, d.name, judge])
        else:
            cells = gold_sql(d.sort, d.scale, "all", gold_rule(store, dataset.id))
            turns += store.rows(f"select g.item_id, g.value from ({cells}) g", [dataset.id, d.name])
    return {(str(item), f"turn:{int(turn)}") for item, turn in turns if turn}


KIND = ExportKind(
    "preference_turns",
    "Preferences: better turns",
    "Each turn that a person has improved on the desk: the conversation before it, the better turn (chosen) and "
    "the turn as it was (rejected), in the form that TRL trains on (DPO and others). The weakest turn is that of "
    "the reference labels (gold), or of a judge of your choice, whoever improved it.",
    typed_schema(
        prompt=CHAT, chosen=CHAT, rejected=CHAT, item=TEXT, unit=TEXT, system=TEXT, weakest=FLAG, written=FLAG,
        annotator=TEXT, mode=TEXT, made_at=TEXT,
    ),
    rows,
    shows_people=True,
    options=(WEAKEST, BY, UNWRITTEN, SCENARIO, ALIASES),
    place=30,
    shows_judges="chosen",
    empty_message="Nobody has improved a turn yet: on the desk, press e beside a turn.",
)  # fmt: skip
