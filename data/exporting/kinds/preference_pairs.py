"""Preference pairs from verdicts: of two responses to one input, the one that was found better."""

from __future__ import annotations

from collections.abc import Iterator

from data.exporting.conversations import to_message
from data.exporting.kind import CHAT, INTEGER, NUMBER, TEXT, ExportKind, Options, Row, typed_schema
from data.exporting.shared import BASIS, BY_JUDGE, approved_dimensions, dimensions_by_place
from data.gold.gold import Basis, gold_sql
from data.records.datasets import Dataset
from data.records.settings import gold_rule
from data.store import Store
from judges.types import ITEM, Dimension, Pair


def rows(store: Store, dataset: Dataset, options: Options) -> Iterator[Row]:
    """Pairs that were decided; ties, n/a and pairs without their texts are left out."""
    judge = options["by_judge"]
    verdicts = [
        d for d in dimensions_by_place(store, dataset.id) if d.sort == "pair" and {"a", "b"} <= set(d.scale.categories)
    ]
    approved = approved_dimensions(store, dataset, judge, verdicts, "its verdicts are not exported.")
    for d, older in approved.items():
        for name, content, code, resolution, people, probability in _pairs_with_verdict(
            store, dataset, d, judge, options["basis"]
        ):
            item = ITEM.validate_json(content)
            word = None if code is None else d.scale.categories[int(code)]
            if not isinstance(item, Pair) or word not in ("a", "b"):
                continue
            a, b = item.response_a, item.response_b
            better, worse = (a, b) if word == "a" else (b, a)
            if better.text is None or worse.text is None or better.text.strip() == worse.text.strip():
                continue
            if not (item.input_text.strip() and better.text.strip() and worse.text.strip()):  # no template takes it
                continue
            turns = [("user", item.input)] if isinstance(item.input, str) else [(t.role, t.text) for t in item.input]
            prompt = [to_message(role, text) for role, text in turns]
            yield {
                "prompt": prompt, "chosen": [to_message("assistant", better.text)],
                "rejected": [to_message("assistant", worse.text)], "item": name, "unit": "pair", "dimension": d.name,
                "judge": judge or None, "chosen_system": better.system, "rejected_system": worse.system,
                "how": resolution, "people": people, "probability": probability, "older_policy": older,
            }  # fmt: skip


def _pairs_with_verdict(
    store: Store, dataset: Dataset, d: Dimension, judge: str, basis: Basis
) -> Iterator[tuple[str, ...]]:
    """(name, content, code, how, people, probability) of the pairs with a verdict."""
    if judge:
        yield from store.stream(
            "select i.name, i.content, s.value, 'judge', 0, cast(null as double precision) from score_now s "
            "join item i on i.id = s.item_id where i.dataset_id = $1 and s.dimension = $2 and s.judge_id = $3 "
            "and s.unit = 'pair' order by i.name",
            [dataset.id, d.name, judge],
        )
        return
    cells = gold_sql(d.sort, d.scale, basis, gold_rule(store, dataset.id))
    yield from store.stream(
        f"select i.name, i.content, g.value, g.how, g.people, g.probability from ({cells}) g "
        "join item i on i.id = g.item_id order by i.name",
        [dataset.id, d.name],
    )


KIND = ExportKind(
    "preference_pairs",
    "Preferences: verdicts on pairs",
    "Each pair of responses whose verdict is not a tie: the input, the better response (chosen) and the other "
    "(rejected), by the reference labels (gold), in the form that TRL trains on (DPO and others).",
    typed_schema(
        prompt=CHAT, chosen=CHAT, rejected=CHAT, item=TEXT, unit=TEXT, dimension=TEXT, judge=TEXT, chosen_system=TEXT,
        rejected_system=TEXT, how=TEXT, people=INTEGER, probability=NUMBER,
        older_policy=TEXT,
    ),
    rows,
    shows_people=True,
    options=(BASIS, BY_JUDGE),
    place=31,
    shows_judges="chosen",
    empty_message="No pair has a verdict other than a tie.",
)  # fmt: skip
