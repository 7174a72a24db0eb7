"""The signals in a dataset that call for a person's eyes, gathered for triage."""

from __future__ import annotations

import json

from data.approvals import auto_accept
from data.cards.cards import answerable_dimensions
from data.records.datasets import NO_PROBE_SQL
from data.store import Store
from judges import triage
from judges.reading.confidence import RULE
from judges.reading.length_limits import MARK
from judges.stats import bins
from judges.triage import ItemSize, Reason, ReviewNeed
from judges.types import sort_of


def find_needs(store: Store, dataset_id: str, judge_id: str) -> list[ReviewNeed]:
    """The items of a dataset that need a look at what this judge said, most needed per rating first, with the reasons.

    Reasons name where the doubt comes from: a broken rule, a reply that could not be used (and no later one could),
    samples, orders, windows, chapters, tokens, the judge's own word, another judge, or a rule that accepts only surer
    verdicts without review (data/approvals/auto_accept.py). Judges of a probe saw other items than people do, so they
    do not count as other judges.
    """
    where = "join item i on i.id = x.item_id where i.dataset_id = $1 and x.judge_id = $2 "
    rules = store.rows(
        f"select distinct x.item_id, x.unit, x.dimension, x.text from remark x {where} and x.sort = 'rule' "
        "and x.sample = 0 and x.text not like '%' || $3",
        [dataset_id, judge_id, MARK],
    )
    doubts = [triage.broken_rule(*row) for row in rules]
    unusable = store.rows(f"select x.item_id, x.part, x.why from unusable_now x {where}", [dataset_id, judge_id])
    doubts += [triage.unusable_reply(*row) for row in unusable]
    sure = store.rows(
        "select p.item_id, p.unit, p.dimension, p.agreement, 'samples' from score_spread p "
        "join item i on i.id = p.item_id where i.dataset_id = $1 and p.judge_id = $2 and p.agreement < $3 union all "
        f"select x.item_id, x.unit, x.dimension, x.confidence, x.source from score_now x {where} and x.confidence < $3 "
        f"and x.source <> '{RULE}'",  # the broken rule itself is a reason already
        [dataset_id, judge_id, triage.HIGH_CONFIDENCE],
    )
    doubts += filter(None, (triage.low_confidence(*row) for row in sure))
    doubts += _disagreements(store, dataset_id, judge_id)
    doubts += auto_accept.reasons_for_people(store, dataset_id, judge_id)
    silent = store.rows(
        f"select x.item_id from score_now x {where} group by x.item_id having max(x.confidence) is null "
        "and not exists (select 1 from score_spread p where p.item_id = x.item_id and p.judge_id = $2)",
        [dataset_id, judge_id],
    )
    doubts += [triage.no_confidence(item) for (item,) in silent]
    return triage.rank_by_need(doubts, item_sizes(store, dataset_id, judge_id))


def item_sizes(store: Store, dataset_id: str, judge_id: str) -> dict[str, ItemSize]:
    """item -> how many ratings this judge gave of it, and how long it is, for every item of a dataset."""
    rows = store.rows(
        "select i.id, count(x.item_id), max(length(i.content)) from item i "
        "left join score_now x on x.item_id = i.id and x.judge_id = $2 where i.dataset_id = $1 group by i.id",
        [dataset_id, judge_id],
    )
    return {str(item): ItemSize(int(ratings), int(length)) for item, ratings, length in rows}


def parse_reasons(item: str, reasons_json: str) -> tuple[Reason, ...]:
    """Return the reasons why an item was taken into the review queue, from its draw, strongest first, in today's words.

    `unit` and `dimension` of a reason name the rating that it is about; a dimension of "" means the whole unit, and a
    unit of "" the whole item. At most twelve are kept for an item. An item of the audit sample has none. They say what
    a judge said, so code that shows them must have recorded that (data/records/exposure.py). The desk has recorded it
    for every item that is not blind.
    """
    return tuple(Reason(item, **(r | {"text": triage.update_wording(r["text"])})) for r in json.loads(reasons_json))


def _disagreements(store: Store, dataset_id: str, judge_id: str) -> list[Reason]:
    """Cells where another judge gives another value: on an ordered scale at least two steps and a third of it apart."""
    known, out = answerable_dimensions(store), []
    for item, kind, unit, dimension, value, other_value, other in store.rows(
        "select x.item_id, i.kind, x.unit, x.dimension, x.value, y.value, j.model from score_now x "
        "join item i on i.id = x.item_id "
        "join score_now y on y.item_id = x.item_id and y.unit = x.unit and y.dimension = x.dimension "
        "and y.judge_id <> x.judge_id join judge j on j.id = y.judge_id "
        f"where i.dataset_id = $1 and x.judge_id = $2 and x.value <> y.value and {NO_PROBE_SQL}",
        [dataset_id, judge_id],
    ):
        question = known.get((kind, sort_of(unit), dimension))
        if (
            question is None
            or not bins.row_count(question.scale)
            or (question.scale.kind == "interval" and not question.asked)
        ):
            continue  # an aggregate differs where what it is made of does
        scale = question.scale
        ordered = scale.has_order
        gap, width = (
            (abs(value - other_value) / bins.code_step(scale), bins.code_count(scale) - 1.0) if ordered else (1.0, 1.0)
        )
        if not ordered or gap >= max(2, width / 3):
            out.append(triage.judges_disagree(item, unit, dimension, gap, width, other))
    return out
