"""Conversations to fine-tune on: those that people, or a judge that is approved, found good enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from data.exporting.conversations import is_trainable, item_messages
from data.exporting.kind import CHAT, INTEGER, TEXT, ExportKind, ExportOption, Options, Row, typed_schema
from data.exporting.shared import BASIS, BY_JUDGE, SCENARIO, approved_dimensions, dimensions_by_place, exact_words
from data.gold.gold import gold_sql
from data.records.datasets import Dataset
from data.records.settings import gold_rule
from data.store import Store
from data.store.errors import BadInput
from judges.errors import BadScale
from judges.stats import bins
from judges.types import ITEM, Dimension, Pair


def _dimensions(store: Store, dataset_id: str) -> list[Dimension]:
    dimensions = dimensions_by_place(store, dataset_id)
    return [d for d in dimensions if d.scale.has_order and d.is_of_one_system]


BY = ExportOption(
    "by", "Judged by the dimension", "the dimension whose gold decides (default: verdict)", "verdict",
    lambda store, dataset_id: {d.name: d.title for d in _dimensions(store, dataset_id)},
)  # fmt: skip
LEAST = ExportOption(
    "least", "At least", 'the lowest answer to include, such as "excellent" or 4 (default: the best)', ""
)


def rows(store: Store, dataset: Dataset, options: Options) -> Iterator[Row]:
    """The conversations all of whose gold in the dimension, or an approved judge's values, reach the answer."""
    ordered = _dimensions(store, dataset.id)
    dimensions = [d for d in ordered if d.name == options["by"]]
    if not dimensions and options["by"] != BY.default:
        raise BadInput(f"{options['by']!r} is not a dimension with an order here. There are: {_names(ordered)}.")
    judge, rule = options["by_judge"], gold_rule(store, dataset.id)
    for d, older in approved_dimensions(store, dataset, judge, dimensions, _UNAPPROVED).items():
        least = _least(d, options["least"])
        cells = _SCORED if judge else gold_sql(d.sort, d.scale, options["basis"], replace(rule, waiting="counted"))
        asks = [judge, d.sort] if judge else []
        # What waits and has no gold until then has not reached the answer.
        settled = " and not bool_or(g.waits)" if rule.waiting == "out" and not judge else ""
        for name, content, systems, low, units in store.stream(
            "select i.name, i.content, i.system_a, f.low, f.units from (select g.item_id, min(g.value) as low, "
            f"count(*) as units from ({cells}) g group by g.item_id having min(g.value) >= ${3 + len(asks)}{settled}) "
            "f join item i on i.id = f.item_id order by i.name",
            [dataset.id, d.name, *asks, least],
        ):
            item = ITEM.validate_json(content)
            if isinstance(item, Pair):
                continue
            chat = item_messages(item, options["scenario"])
            while chat and chat[-1]["role"] != "assistant":
                chat.pop()
            if not is_trainable(chat):
                continue
            yield {
                "messages": chat, "item": name, "system": systems, "dimension": d.name,
                "value": exact_words(d.scale, low),
                "units": units, "basis": None if judge else options["basis"], "judge": judge or None,
                "older_policy": older,
            }  # fmt: skip


_UNAPPROVED = (
    "no chats are chosen by its scores. A lead approves it on the page Approvals, or leave the judge out and go by "
    "people's gold."
)
_SCORED = (
    "select s.item_id, s.value from score_now s join item n on n.id = s.item_id where n.dataset_id = $1 "
    "and s.dimension = $2 and s.judge_id = $3 and split_part(s.unit, ':', 1) = $4 "
    "and s.item_id not in (select item_id from unusable_now where judge_id = $3)"
)
"""SQL: a judge's scores in a dimension of turns, of whole conversations or of responses, if it could be read of all."""


def _least(d: Dimension, answer: str) -> float:
    """The code of the lowest answer that is taken."""
    if not answer:
        return bins.first_value(d.scale) + bins.scale_width(d.scale)
    number = not d.scale.categories and answer.removeprefix("-").replace(".", "", 1).isdecimal()
    try:
        code = d.scale.code(float(answer) if number else answer)
    except BadScale as error:
        raise BadInput(f"At least: {error}.") from None
    if code is None:
        raise BadInput("At least: n/a cannot be the lowest answer, because it has no place in the order.")
    return code


def _names(dimensions: list[Dimension]) -> str:
    return ", ".join(sorted({d.name for d in dimensions})) or "none"


KIND = ExportKind(
    "chats",
    "Chats to fine-tune on",
    "Whole conversations that people, or an approved judge, found good enough, as messages with roles; of a "
    "dimension of every turn, the lowest turn decides. Left out is what waits for adjudication and does not count "
    "until then, what the judge gave no usable reply to, and what chat templates refuse: empty turns, or roles that do "
    "not alternate.",
    typed_schema(
        messages=CHAT, item=TEXT, system=TEXT, dimension=TEXT, value=TEXT, units=INTEGER, basis=TEXT, judge=TEXT,
        older_policy=TEXT,
    ),
    rows,
    shows_people=True,
    options=(BY, LEAST, BASIS, BY_JUDGE, SCENARIO),
    place=32,
    shows_judges="chosen",
    empty_message="No conversation reaches that answer in the reference labels (gold).",
)  # fmt: skip
