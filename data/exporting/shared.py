"""The parts that several kinds of export share: options, words for codes, judges, and other names for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache

from data.approvals import approvals
from data.cards import cards
from data.exporting.kind import ExportOption
from data.gold.gold import BASES
from data.records import datasets, judge_lookup
from data.records.datasets import Dataset
from data.store import Store
from data.store.errors import BadInput, NotFound
from judges.judge_lookup import find_judges
from judges.types import Dimension, Scale, sort_of


def _judges(store: Store, dataset_id: str) -> dict[str, str]:
    return judge_lookup.distinct_judge_names(judge_lookup.dataset_judge_names(store, dataset_id))


def _judge_ids(store: Store, dataset_id: str, judge_name: str) -> list[str]:
    return [judge.id for judge in find_judges(judge_lookup.dataset_judge_names(store, dataset_id), judge_name)]


def _dimensions(store: Store, dataset_id: str) -> dict[str, str]:
    return {d.name: d.title for d in dimensions_by_place(store, dataset_id)}


def dimensions_by_place(store: Store, dataset_id: str) -> list[Dimension]:
    """The dimensions that people can be asked about in a dataset, by its kinds of items."""
    kinds = datasets.item_kinds(store, dataset_id)
    return [d for (kind, _, _), d in sorted(cards.answerable_dimensions(store).items()) if kind in kinds]


JUDGE = ExportOption("judge", "Judge", "only of this judge (default: all)", "", _judges, _judge_ids)
BY_JUDGE = ExportOption(
    "by_judge", "Values of", "this judge's values in place of people's; it must be approved here for the dimension", "",
    _judges, _judge_ids,
)  # fmt: skip
DIMENSION = ExportOption("dimension", "Dimension", "only this dimension (default: all)", "", _dimensions)
BASIS = ExportOption(
    "basis", "Basis", f"labels used for gold: {', '.join(BASES)}", "all", lambda *_: dict(BASES.items())
)  # fmt: skip
NAMES = ExportOption("names", "People's names", "people's own names, not person-1, person-2, ...", True)
ALIASES = replace(NAMES, default=False)
SCENARIO = ExportOption(
    "scenario", "Scenario as system prompt", "begin each dialogue with its scenario as system prompt", False
)


def approved_dimensions(
    store: Store, dataset: Dataset, judge_id: str, dimensions: Sequence[Dimension], else_: str
) -> dict[Dimension, str]:
    """Return the dimensions of which a judge's values may be given out in people's place; all, if no judge is meant.

    With each goes how its approval compares with today's policy: "" if it is under that policy and meets it. Other
    dimensions, such as those of another card, stop nothing. Raises BadInput if there are some and no approval is in
    force for any, with the consequence (`else_`).
    """
    if not judge_id or not dimensions:
        return dict.fromkeys(dimensions, "")
    in_force = {approval.key: approval for approval in approvals.active_approvals(store, dataset.id)}
    keys = {d: (dataset.id, judge_id, d.sort, d.name) for d in dimensions}
    approved = {d: in_force[key] for d, key in keys.items() if key in in_force}
    if not approved:
        card = cards.card_of_judge_if_known(store, judge_id)
        own = {(d.sort, d.name) for d in card.dimensions} if card is not None else set()
        named = next((d for d in dimensions if (d.sort, d.name) in own), dimensions[0])
        raise BadInput(f"This judge is not approved for {named.title} on {dataset.name}: {else_}")
    today = approvals.compare_with_today(store, list(approved.values()))
    return {d: today[keys[d]].warning for d in approved}


def code_words(store: Store) -> Callable[[str, str, str, float | None], str]:
    """Return a function: (kind of item, unit, dimension, code) -> the code in words (`exact_words`), such as "n/a"."""
    scales: dict[tuple[str, str, str], Scale] = dict(cards.scales(store).items())

    @cache
    def say(kind: str, unit: str, dimension: str, code: float | None) -> str:
        scale = scales.get((kind, sort_of(unit), dimension))
        if scale is None:
            return "n/a" if code is None else f"{code:g}"
        return exact_words(scale, code)

    return say


def exact_words(scale: Scale, code: float | None) -> str:
    """A code in words; a number of an interval scale with all its digits, so that it reads as that very number."""
    if scale.kind != "interval" or code is None:
        return scale.format(code)
    return str(int(code)) if code.is_integer() else repr(code)


def person_names(store: Store, real: bool) -> Callable[[str], str]:
    """Return a function that gives the name of a person in an export.

    It is their own name, or person-1, person-2, ... in the order in which the workspace came to know them. Because
    nobody is ever removed from the workspace, the number stays the same in every later export.
    """
    if real:
        return str
    rows = store.rows("select person, min(seq), min(id) from person_event group by person order by 2, 3")
    known = {str(r[0]): f"person-{n}" for n, r in enumerate(rows, 1)}

    def alias(name: str) -> str:
        if name not in known:
            raise NotFound(f"{name!r} has labels here but is not among the people of this workspace.")
        return known[name]

    return alias


def format_time(at: datetime) -> str:
    """A time of the store as ISO text in UTC."""
    return f"{at.isoformat()}Z"
