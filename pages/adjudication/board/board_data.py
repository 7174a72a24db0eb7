"""The board's data for an item with cells to adjudicate; people appear as letters, never by name."""

from __future__ import annotations

from typing import Any

from data.adjudication.adjudication_items import AdjudicationItem, shuffle_labels
from data.gold.disputes import LabelledCell
from data.store.ids import content_id
from pages.ui import text
from pages.ui.sheet import sheet_data

Json = dict[str, Any]


def item_data(docket: AdjudicationItem, actor: str) -> Json:
    """The board's JSON for one item (its fields are described in this folder's __init__)."""
    sheet = sheet_data.sheet_data(docket.view)
    rows = [
        {k: row[k] for k in ("unit", "no", "title", "texts", "columns", "notices")}
        for row in sheet["rows"]
        if any(row["texts"])
    ]
    payload: Json = {
        "rows": rows,
        "comments": [w.text for w in docket.comments if not w.unit],
        "saw": docket.judge_scores is not None,
        "cells": [_cell(docket, cell, actor) for cell in docket.cells],
        "decided": [
            {"unit": c.unit, "dimension": c.dimension, "label": _label(docket, c.unit, c.dimension),
             "value": c.scale.format(c.decision.value),
             "told": f"adjudicated by {text.isolate(c.decision.person)}: {text.isolate(c.decision.reason)}",
             "said": ", ".join(f"{text.isolate(s.person)} {c.scale.format(s.value)}" for s in c.labels)}
            for c in docket.decided if c.decision is not None
        ],
    }  # fmt: skip
    payload |= {k: sheet[k] for k in ("item", "name", "title", "systems", "synthetic", "kind", "head")}
    return payload | {"sig": content_id(payload["cells"], payload["decided"], payload["saw"], payload["comments"])}


def _cell(docket: AdjudicationItem, cell: LabelledCell, actor: str) -> Json:
    labels = shuffle_labels(cell.item, cell.unit, cell.dimension, cell.labels)
    # A and B are the responses of a pair: its people are P, Q, ...
    first = 15 if docket.view.item.content.kind == "pair" else 0
    letter = {s.person: person_letter(first + n) for n, s in enumerate(labels)}
    dimension = docket.dimensions.get((cell.unit, cell.dimension))
    units = {cell.unit, cell.unit.partition("/")[0]}
    decision = cell.decision
    return {
        "unit": cell.unit,
        "dimension": cell.dimension,
        "label": _label(docket, cell.unit, cell.dimension),
        "definition": dimension.definition if dimension else "",
        "kind": cell.scale.kind,
        "steps": sheet_data.answer_steps(cell.scale, docket.view.item.content),
        "range": sheet_data.number_range(cell.scale),
        "said": [{"by": letter[s.person], "v": s.value} for s in labels],
        "notes": [
            {"by": letter.get(w.person, "–"), "sort": w.sort, "text": w.text}
            for w in docket.comments
            if w.unit and w.unit in units
        ],
        "apart": _describe_disagreement(cell),
        "token": cell.token,
        "before": f"{cell.scale.format(decision.value)}, because: {decision.reason}" if decision else "",
        "own": any(s.person == actor for s in cell.labels),
        "weak": any(s.mode == "assisted" for s in cell.labels),
        "judges": [
            {
                "name": j.judge,
                "v": sheet_data.shown_answer(cell.scale, j.value),
                "said": cell.scale.format(j.value),
                "note": j.note,
            }
            for j in docket.judge_scores or []
            if (j.unit, j.dimension) == (cell.unit, cell.dimension)
        ],
    }


def person_letter(n: int) -> str:
    """A, B, ... Z, AA, AB, ...: the labels of a cell's people until it is decided."""
    return (person_letter(n // 26 - 1) if n > 25 else "") + chr(65 + n % 26)


def _label(docket: AdjudicationItem, unit: str, name: str) -> str:
    dimension = docket.dimensions.get((unit, name))
    return dimension.title if dimension else name.replace("_", " ")


def _describe_disagreement(cell: LabelledCell) -> str:
    values = [s.value for s in cell.labels if s.value is not None]
    if cell.reopened and not cell.distance:
        return "labels changed"
    if len(values) < len(cell.labels):
        return "differ on n/a"
    if cell.scale.has_order:
        steps = max(values) - min(values)
        words = "" if cell.scale.kind == "interval" else " point" if steps == 1 else " points"
        return f"differ by {steps:.4g}{words}"
    return "drawn vote" if len(cell.labels) > 1 else "differ"
