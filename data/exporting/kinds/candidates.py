"""Items that are worth collecting more of: found poor, doubted by the judge, or disputed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from data.exporting.conversations import item_messages
from data.exporting.kind import CHAT, FLAG, NUMBER, TEXT, ExportKind, ExportOption, Options, Row, typed_schema
from data.exporting.shared import BASIS, JUDGE, dimensions_by_place
from data.gold.gold import Basis, gold_sql
from data.queue.review_signals import find_needs
from data.records import datasets, items
from data.records.datasets import Dataset
from data.records.settings import gold_rule
from data.store import Store
from judges.stats import bins
from judges.triage import ReviewNeed, describe_unit
from judges.types import Pair

MOST = ExportOption("most", "At most", "so many items, those that need it most first (0: all)", 0)
_PAGE = 500
_LOW, _DISAGREEING_STEPS = 0.25, 2
"""The lowest quarter of a scale is low; people who are so many steps apart disagree (half of an interval scale)."""


def rows(store: Store, dataset: Dataset, options: Options) -> Iterator[Row]:
    """The items with reasons, those that need it most first."""
    judges = datasets.dataset_judges(store, dataset.id)
    judge = options["judge"] or (judges[0].id if judges else "")
    low, disputes = _by_people(store, dataset, options["basis"])
    doubts = {n.item: n for n in find_needs(store, dataset.id, judge)} if judge else {}
    doubts = {i: n for i, n in doubts.items() if any(r.kind != "no confidence" for r in n.reasons)}
    ids = sorted(low.keys() | disputes.keys() | doubts.keys(), key=lambda i: (-_need(i, low, disputes, doubts), i))
    if options["most"]:
        ids = ids[: options["most"]]
    for start in range(0, len(ids), _PAGE):
        for item in items.load_items(store, ids[start : start + _PAGE]):
            texts = [r.text for r in doubts[item.id].reasons if r.kind != "no confidence"] if item.id in doubts else []
            content = item.content
            yield {
                "item": item.name, "need": round(_need(item.id, low, disputes, doubts), 6),
                "low": item.id in low, "disputed": item.id in disputes, "doubted": item.id in doubts,
                "reasons": [*low.get(item.id, []), *disputes.get(item.id, []), *texts], "judge": judge or None,
                "messages": None if isinstance(content, Pair) else item_messages(content),
                "content": json.loads(content.model_dump_json(exclude={"meta"})),
            }  # fmt: skip


def _need(item: str, low: dict[str, list[str]], disputes: dict[str, list[str]], doubts: dict[str, ReviewNeed]) -> float:
    """Return the worth of an item: 1 - prod(1 - strength), with low .8, a dispute .5, and the judge's doubts."""
    calm = (0.2 if item in low else 1.0) * (0.5 if item in disputes else 1.0)
    return 1 - calm * (1 - doubts[item].need if item in doubts else 1.0)


def _by_people(store: Store, dataset: Dataset, basis: Basis) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """item -> what people found low in it, and item -> what they disagree on."""
    low: dict[str, list[str]] = defaultdict(list)
    disputes: dict[str, list[str]] = defaultdict(list)
    rule = gold_rule(store, dataset.id)
    for d in dimensions_by_place(store, dataset.id):
        if not d.scale.has_order:
            continue
        width = bins.scale_width(d.scale)
        bound = bins.first_value(d.scale) + _LOW * width
        gap = width / 2 if d.scale.kind == "interval" else float(_DISAGREEING_STEPS)
        # A rating that waits for adjudication is disputed, whether or not it has gold until then.
        cells = gold_sql(d.sort, d.scale, basis, replace(rule, waiting="counted"))
        for item, unit, code, waits, least, most in store.stream(
            f"select g.item_id, g.unit, g.value, g.waits, g.low, g.high from ({cells}) g "
            "where g.value <= $3 or g.high - g.low >= $4 order by g.item_id, g.unit",
            [dataset.id, d.name, bound, gap],
        ):
            subject = f"{describe_unit(unit)}{d.title}"
            has_gold = code is not None and not (waits and rule.waiting == "out")
            if has_gold and code <= bound:
                low[item].append(f"{subject} is {d.scale.format(code)}")
            if least is not None and most - least >= gap:
                disputes[item].append(f"{subject}: people say {d.scale.format(least)} and {d.scale.format(most)}")
    return low, disputes


KIND = ExportKind(
    "candidates",
    "Candidates for more data",
    "Items that people rated low, that the judge was uncertain of, or that judges or people disagree on, with the "
    "reasons: what to collect or write more of.",
    typed_schema(
        item=TEXT, need=NUMBER, low=FLAG, disputed=FLAG, doubted=FLAG, reasons=pa.list_(TEXT), judge=TEXT,
        messages=CHAT, content=TEXT,
    ),
    rows,
    shows_people=True,
    options=(JUDGE, BASIS, MOST),
    place=33,
    shows_judges="all",
    empty_message="Nothing here is low, doubted or disputed.",
)  # fmt: skip
