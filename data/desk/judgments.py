"""The judgments of every judge on each unit of an item: ratings and texts, if a card asks for one rating of a unit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from data.records import combinations
from data.records.datasets import DatasetJudge, every_judge
from data.store import Store, placeholders
from judges.card import Card


class JudgmentSample(NamedTuple):
    """One judgment of a unit: its rating (None: n/a), its text, and why it has no rating ("" where it has one)."""

    value: float | None
    text: str
    why: str = ""


class UnitJudgments(NamedTuple):
    """The judgments of one judge on a unit: the rating that counts for it, and each judgment that it is made of.

    `prompt` names the prompts that the judge was given, or its protocol, "" if neither is known. `value` is None for
    n/a, and if no judgment could be used.
    """

    judge_id: str
    name: str
    prompt: str
    value: float | None
    samples: tuple[JudgmentSample, ...]

    @property
    def scored(self) -> bool:
        """Whether any of its judgments has a rating, which n/a is too."""
        return any(not sample.why for sample in self.samples)


def shows_every_judge(card: Card) -> bool:
    """Whether people see every judge of a card with an item: if all that a judge says of a unit is one rating."""
    return card.kind == "dialogue" and len(card.dimensions) == 1


def unit_judgments(
    store: Store, judges: Sequence[DatasetJudge], units: Mapping[str, Collection[str]]
) -> dict[str, dict[str, list[UnitJudgments]]]:
    """item -> unit -> what each of these judges, all of one card, said of it; judges in the order given.

    `units` are those that the card asks about, by item: a reply about the whole item is about each of them.
    """
    ids = [j.id for j in judges]
    # Named one by one: an item in a list is looked for in every row of the views.
    items, named = placeholders(units), placeholders(ids, len(units) + 1)
    where, params = f"m.item_id in ({items}) and m.judge_id in ({named})", [*units, *ids]
    samples_by_key: dict[tuple[str, str, str], list[JudgmentSample]] = {}
    for item, judge, unit, _, *sample in store.rows(
        "select m.item_id, m.judge_id, m.unit, m.sample, m.value, coalesce(r.text, ''), '' from score m left join "
        f"(select judgment_id, unit, text from remark where item_id in ({items}) and sort = 'note') r "
        f"on r.judgment_id = m.judgment_id and r.unit = m.unit where {where} union all "
        "select m.item_id, m.judge_id, m.part, m.sample, null, m.raw, m.why from unscored_now m "
        f"where {where} order by 4",
        params,
    ):
        for part in [unit] if unit else units[item]:
            samples_by_key.setdefault((item, part, judge), []).append(JudgmentSample(*sample))
    latest = {
        (item, unit, judge): value
        for item, unit, judge, value in store.rows(
            f"select m.item_id, m.unit, m.judge_id, m.value from score_now m where {where}", params
        )
    }
    names, prompts = combinations.model_names(store, judges), _prompts(store, ids)
    judgments_by_item: dict[str, dict[str, list[UnitJudgments]]] = {}
    for judge in ids:
        for (item, unit, by), samples in samples_by_key.items():
            if by == judge:
                entry = UnitJudgments(judge, names[judge], prompts[judge], latest.get((item, unit, by)), tuple(samples))
                judgments_by_item.setdefault(item, {}).setdefault(unit, []).append(entry)
    return judgments_by_item


def _prompts(store: Store, judge_ids: Sequence[str]) -> Mapping[str, str]:
    """The prompt family of each judge, else its protocol; with a part of the wording where one model has two."""
    known, by_judge = every_judge(store), dict[str, tuple[str, str, str]]()
    for judge in judge_ids:
        parameters = known[judge].parameters
        prompt, protocol, wording = (str(parameters.get(key) or "") for key in ("prompt", "protocol", "wording"))
        by_judge[judge] = (known[judge].model, prompt or protocol, wording)
    named = [parts[:2] for parts in by_judge.values()]
    return {
        judge: f"{prompt} {wording[:6]}".strip() if named.count((model, prompt)) > 1 else prompt
        for judge, (model, prompt, wording) in by_judge.items()
    }
