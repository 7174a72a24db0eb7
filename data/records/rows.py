"""Rows as the store holds them, made of validated items, judgments and labels. Ids are hashes of the content."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

from data.records.tables import ItemRow, JudgmentRow, RemarkRow, ScoreRow
from data.store.ids import content_id
from judges.strict_json import canonical
from judges.types import Dialogue, Pair, Reading, Response, systems, units


@lru_cache(maxsize=5_000)
def item_id(dataset_id: str, name: str) -> str:
    """The id of the item of that name."""
    return content_id("item", dataset_id, name)


def item_row(dataset_id: str, item: Dialogue | Pair | Response) -> ItemRow:
    """The row of a prepared item; its content is the canonical JSON of the whole model."""
    plain = item.model_dump(mode="json")
    content = canonical(plain)
    a, b = systems(item)
    meta = canonical(plain["meta"]) if plain["meta"] else "{}"
    key = item_id(dataset_id, item.id)
    return ItemRow(key, dataset_id, item.id, item.kind, a, b, content, meta, content_hash(content), len(units(item)))


def content_hash(content: str) -> str:
    """The hash that shows whether an item's content is what it was."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def judge_id(card_version: str, model: str, params: dict[str, Any], synthetic: bool = False) -> str:
    """The id of a judge; one whose replies were made up is another judge than the real one of that name."""
    return content_id(card_version, model, params, *(["synthetic"] if synthetic else []))


def judgment_id(judge: str, item: str, part: str, raw: str, sample: int = 0) -> str:
    """The id of a judgment; `sample` only where the same text was given for an earlier sample too."""
    return content_id(judge, item, part, raw, *([sample] if sample else []))


def judgment_rows(
    key: str, judge: str, item: str, part: str, sample: int, raw: str, reading: Reading
) -> tuple[JudgmentRow, list[ScoreRow], list[RemarkRow]]:
    """The row of a judgment, and those of its scores and remarks (none where it is unscored)."""
    row = JudgmentRow(key, judge, item, part, sample, raw, reading.unscored or "", reading.why)
    scores = [ScoreRow(key, judge, item, *score, sample) for score in reading.scores]
    remarks = [RemarkRow(key, judge, item, *remark, sample) for remark in reading.remarks]
    return row, scores, remarks
