"""A view of an item turned into the sheet that the component draws: rows of texts, each beside its own cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from data.cards.desk_cards import CardLayer
from data.desk.desk import DeskView
from data.desk.labels import repairable_units
from judges.mtbench.thinking import fold_thinking, strip_thinking, unclosed_tags
from judges.protocols.combination import nearest_answer
from judges.sections import unasked_sections
from judges.tool_calls import call_arguments
from judges.triage import confidence_level, confidence_measure
from judges.types import Dialogue, Dimension, Pair, Response, Scale, Section, Turn, sort_of
from pages.ui.text import isolate_names

Json = dict[str, Any]
FOLD_CHARACTERS = 400
"""The characters from which a reference answer is folded."""
_ENDS = {"cut_off": "cut off by the limit of tokens", "refused": "marked as a refusal by the endpoint"}
"""Facts of an item's meta that list turns, with what they mean."""
_SENTENCE = re.compile(r".{13,}?(?:[.!?](?=\s)|[。！？])")


def sheet_data(view: DeskView, again: bool = False) -> Json:
    """The component's JSON for one item (its fields are described in this folder's __init__)."""
    content = view.item.content
    if isinstance(content, Dialogue):
        rows = _dialogue(view, content)
    else:
        rows = _pair(view, content) if isinstance(content, Pair) else _response(view, content)
    return {
        "item": view.item.id,
        "claim": view.draw or None,
        "dataset": view.item.dataset,
        "name": view.name,
        "title": _title(content),
        "systems": list(view.systems),
        "unnamed": view.unnamed,
        "choice": _count(content.meta.get("choice")),
        "synthetic": view.item.synthetic,
        "stream": view.stream,
        "mode": view.mode,
        "why": _reasons(view),
        "judge": view.judge_id or None,
        "judges": [
            {"model": layer.judge_name, "card": _card_words(view, layer), "version": layer.card.version[:7]}
            for layer in view.layers
            if layer.judge_id
        ],
        "version": view.version,
        "kind": content.kind,
        "head": _head(content) + _unasked_judgments(view, content),
        "rows": rows,
        "comments": [{"sort": "comment", "text": t} for unit, sort, t in view.comments if sort == "comment"],
        "again": again,
    }


def _card_words(view: DeskView, layer: CardLayer) -> str:
    """A card as shown next to its judge's name: with the judge's prompt, if that is known."""
    prompts = (j.prompt for judgments in view.judgments.values() for j in judgments if j.judge_id == layer.judge_id)
    return f"{layer.card.title} {next(prompts, '')}".strip()


def _reasons(view: DeskView) -> list[Json]:
    """The reasons that stand above an item, each with its rating: the strongest three, and how many more there are."""
    places = {doubt.text: {"unit": doubt.unit, "dimension": doubt.dimension} for doubt in reversed(view.doubts)}
    reasons: list[Json] = [{"text": isolate_names(text)} | places.get(text, {}) for text in view.why[:3]]
    return reasons + ([{"text": f"and {len(view.why) - 3} more"}] if len(view.why) > 3 else [])


def _title(content: Dialogue | Pair | Response) -> str:
    """A short line for the head of the sheet: the beginning of what the item is about."""
    if isinstance(content, Dialogue):
        text = content.scenario or _opening(content.turns)
    elif isinstance(content, Pair):
        text = content.input if isinstance(content.input, str) else _opening(content.input)
    else:
        text = content.task
    lines = [line.strip(" #*\t") for line in text.splitlines() if not line.lstrip().startswith(("```", "~~~"))]
    first = next((line for line in lines if line and not (line[0] == "[" and line[-1] == "]")), "Untitled")
    sentence = _SENTENCE.match(first)
    cut = sentence[0] if sentence else first
    return cut if len(cut) <= 90 else cut[:88].rstrip() + "…"


def _opening(turns: Sequence[Turn]) -> str:
    """What the user of a conversation says first."""
    return next((turn.text for turn in turns if turn.role == "user"), turns[0].text)


def _head(content: Dialogue | Pair | Response) -> list[Json]:
    if isinstance(content, Dialogue):
        head = [_part("Scenario", content.scenario, 1200)]
        head += [_part("System prompt", t.text, 600) for t in content.turns if t.role == "system"]
        return [part for part in head if part["text"].strip()]
    if isinstance(content, Pair):
        conversation = [] if isinstance(content.input, str) else content.input
        turns = [{"role": t.role, "text": t.text} | _tool(t) for t in conversation]
        return [_part("Input", content.input_text, 600) | {"turns": turns}]
    reference = [_part("Reference", content.reference, 600)] if content.reference.strip() else []
    return [_part("Task", content.task, 2000), *reference]


def _part(label: str, text: str, limit: int) -> Json:
    """A part of the head, which is folded if it has more than `limit` characters."""
    return {"label": label, "text": text, "fold": len(text) > limit}


def _unasked_judgments(view: DeskView, content: Dialogue | Pair | Response) -> list[Json]:
    """The judge's scores and remarks on sections that nobody is asked about, as in a short pair."""
    if not isinstance(content, Pair) or view.mode == "blind":
        return []
    lines = []
    for number, section in enumerate(unasked_sections(content), 1):
        sides = []
        for side in ("a", "b"):
            unit = f"section:{number}/{side}"
            scores = [(d, view.scores[unit, d.name]) for d in view.card.dimensions if (unit, d.name) in view.scores]
            if scores:
                words = ", ".join(f"{d.title} {d.scale.format(value.value)}" for d, value in scores)
                sides.append(f"{side.upper()} {words}")
        if sides:
            lines.append(f"{section.label}: {'; '.join(sides)}")
    return [{"label": "Sections, as the judge scored them", "text": "\n".join(lines), "fold": False}] if lines else []


def _dialogue(view: DeskView, content: Dialogue) -> list[Json]:
    numbers = sorted({t.turn for t in content.turns if t.role != "system"})
    references = _references(view, content)
    rows = []
    for place, number in enumerate(numbers):
        texts = [
            {"role": t.role, "label": ""}
            | (_reply_parts(t.text, content, number) if t.role == "assistant" else {"text": t.text} | _tool(t))
            for t in content.turns
            if t.turn == number and t.role != "system"
        ]
        row = _row(view, f"turn:{number}", "turn", str(number), texts + references.get(place, []))
        rows.append(row | {"notices": _notices(content, number) if place == 1 else []})
    return [*rows, _row(view, "conversation", "whole", "", [])]


def _reply_parts(text: str | None, of: Dialogue | Pair | Response, turn: int = 0) -> Json:
    """Return a model's text, in parts if some of it is folded away, with sentences on where it ends or is not whole."""
    if text is None:
        return {"text": None}
    parts, cut, marks = [], _count(of.meta.get("cut_at")), []
    for why, part in fold_thinking(text):
        open_ = why if why in ("", "thinking") else f"{why} is never closed: the rest may be thinking, or the answer"
        parts.append({"why": open_, "text": part})
    if parts == [{"why": "", "text": text}] and 0 < cut < len(text):
        beyond = f"beyond {cut:,} characters, where the protocol cuts: not judged"
        parts = [{"why": "", "text": text[:cut]}, {"why": beyond, "text": text[cut:]}]
    elif 0 < cut <= len(strip_thinking(text)):
        marks.append(f"cut at {cut:,} characters by the protocol")
    elif 0 < cut <= len(text):
        marks.append(f"longer, with its thinking, than the {cut:,} characters at which the protocol cuts")
    marks += [
        f"{tag} has no opening tag: the text before it may be thinking" for tag in unclosed_tags(text) if tag[1] == "/"
    ][:1]
    for fact, words in _ENDS.items():
        turns = of.meta.get(fact)
        marks += [words] if isinstance(turns, list) and turn in turns else []
    reply: Json = {"parts": parts} if any(part["why"] for part in parts) else {"text": text}
    return reply | ({"marks": marks} if marks else {})


def _count(value: object) -> int:
    """A number of the item's meta, which may hold anything; 0 where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _notices(content: Dialogue, number: int) -> list[str]:
    """Notes on a second turn: that it was asked after another answer than the one shown here."""
    choice = content.meta.get("continues")
    if isinstance(choice, bool) or not isinstance(choice, int) or choice == content.meta.get("choice", 0):
        return []
    return [
        f"Turn {number} was asked after choice {choice}'s first answer, not after this one: "
        "the conversation never took place as it is shown here."
    ]


def _references(view: DeskView, content: Dialogue) -> dict[int, list[Json]]:
    """The reference answers of an item by the place of their turn, from 0, each saying of whose set it is.

    A set's name is a judge's, so that a blind item does not tell it. Sets of one text are shown as one.
    """
    meta = content.meta
    own, answer = meta.get("reference"), meta.get("reference_answer")
    sets = [] if answer is None else [("the question's own", own)]
    named = meta.get("reference_answers")
    for name, answers in (named if isinstance(named, dict) else {"": own if answer is None else answer}).items():
        sets.append((f"set {name}" if name and view.mode != "blind" else "the judges' set", answers))
    references: dict[int, dict[str, dict[str, None]]] = {}
    for whose, answers in sets:
        for place, text in enumerate(answers if isinstance(answers, list) else []):
            if isinstance(text, str) and text.strip():
                references.setdefault(place, {}).setdefault(text, {})[whose] = None
    return {
        place: [
            {
                "role": "reference",
                "label": f"reference: {', '.join(whose)}",
                "text": text,
                "fold": len(text) > FOLD_CHARACTERS,
            }
            for text, whose in texts.items()
        ]
        for place, texts in references.items()
    }


def _tool(entry: Turn) -> Json:
    """Return the folded line of a tool: that the assistant called it, or that it gave something back."""
    if entry.role != "tool":
        return {}
    arguments = call_arguments(entry)
    label = f"{'calls' if arguments is not None else 'result of'} {entry.name or 'a tool'}"
    return {"label": label, "text": entry.text if arguments is None else arguments}


def _pair(view: DeskView, content: Pair) -> list[Json]:
    if not content.sections:
        return [_row(view, "pair", "whole", "", _sides(view, content, None), columns=2)]
    rows = []
    for number, section in enumerate(content.sections, 1):
        texts = _sides(view, content, section)
        rows.append(_row(view, f"section:{number}", "section", str(number), texts, title=section.label, columns=2))
    return [*rows, _row(view, "response", "side", "", [], title="Failures"), _row(view, "pair", "whole", "", [])]


def _sides(view: DeskView, content: Pair, section: Section | None) -> list[Json]:
    """Return the texts of both responses: of a section, or whole."""
    texts = []
    for side, response in (("a", content.response_a), ("b", content.response_b)):
        system, text = "" if view.unnamed else response.system, response.text
        span = getattr(section, side, None)
        if section is None:
            part = _reply_parts(text, content)
        elif text is not None and span is None:
            part = {"text": "", "absent": True}
        else:
            part = {"text": text[slice(*span)].strip() if text and span else text}
        texts.append({"role": side, "label": f"{side.upper()} · {system}" if system else side.upper()} | part)
    return texts


def _response(view: DeskView, content: Response) -> list[Json]:
    # Known by its name alone: an output that is empty is one that was given to a task.
    text = content.output if content.output or content.task else None
    return [
        _row(view, "response", "response", "", [{"role": "output", "label": "Output", **_reply_parts(text, content)}])
    ]


def _row(
    view: DeskView, unit: str, sort: str, number: str, texts: list[Json], title: str = "", columns: int = 1
) -> Json:
    """One row: texts on the left, the cells of its unit (or of both its sides) on the right, and what belongs to it."""
    cells = _cells(view)
    names = [unit] if unit in cells else [f"{unit}/a", f"{unit}/b"] if sort in ("section", "side") else []
    stacked = len(names) == 1 and columns == 1
    groups: list[Json] = []
    for name in names:
        layers = cells.get(name, {})
        if stacked:
            # Each card has a group of its own, one below the other; only those beside the main one need a title.
            groups += [
                {"label": "", "title": _layer_title(view, n), "cells": [_cell(view, name, d) for d in layers[n]]}
                for n in sorted(layers)
            ]
        else:
            dimensions = [dimension for n in sorted(layers) for dimension in layers[n]]
            side = name[-1].upper() if "/" in name else ""
            groups.append({"label": side, "cells": [_cell(view, name, d) for d in dimensions]})
    on_row = [r for r in view.remarks if r[0] == unit or r[0] in names or (not r[0] and sort == "whole")]
    return {
        "unit": unit,
        "sort": sort,
        "no": number,
        "title": title,
        "texts": texts,
        "columns": columns,
        "stacked": stacked,
        "groups": groups,
        "judge_issues": [text for _, _, kind, text in on_row if kind == "issue"],
        "notes": [{"sort": s, "text": t} for u, s, t in view.comments if s == "issue" and u == unit],
        "rules": [text for _, _, kind, text in on_row if kind == "rule"],
        "notices": [],
        "judgments": _judgments(view, unit),
        "can_issue": sort in ("turn", "section", "response", "whole"),
        "better": view.repairs.get(unit),
        "can_better": unit in repairable_units(view.item.content),
    }


def _judgments(view: DeskView, unit: str) -> list[Json]:
    """Return each judge's words on a unit, if there are several; the main one's first text is shown at its rating."""
    judgments, scale = view.judgments.get(unit, []), view.card.dimensions[0].scale
    return [
        {
            "judge": judgment.name,
            "prompt": judgment.prompt,
            "main": judgment.judge_id == view.judge_id,
            "t": scale.format(judgment.value) if judgment.scored else "",
            "texts": [
                {
                    "t": scale.format(sample.value) if len(judgment.samples) > 1 and not sample.why else "",
                    "text": None if judgment.judge_id == view.judge_id and not sample.why and n == 0 else sample.text,
                    "why": sample.why,
                }
                for n, sample in enumerate(judgment.samples)
            ],
        }
        for judgment in judgments
        if len(judgments) > 1
    ]


def _cells(view: DeskView) -> dict[str, dict[int, list[Dimension]]]:
    """Return the dimensions that are asked of each unit, by the layer that asks them."""
    dimensions: dict[str, dict[int, list[Dimension]]] = {}
    for (unit, _), (number, dimension) in view.cells.items():
        dimensions.setdefault(unit, {}).setdefault(number, []).append(dimension)
    return dimensions


def _layer_title(view: DeskView, number: int) -> str:
    """Return the title above the cells of a card besides the main one: the card's, and the model if that is another."""
    layer = view.layers[number]
    if not number:
        return ""
    other = layer.judge_name and layer.judge_name != view.judge_name
    return f"{layer.card.title} · {layer.judge_name}" if other else layer.card.title


def answer_steps(scale: Scale, content: Dialogue | Pair | Response) -> list[Json]:
    """The answers that a scale allows on an item, as the steps that are drawn: value (None = n/a) and text."""
    if scale.kind == "turn" and isinstance(content, Dialogue):
        steps: list[Json] = [{"v": t.turn, "t": str(t.turn)} for t in content.turns if t.role == "assistant"]
        steps.append({"v": 0, "t": "none"})
    elif scale.kind == "interval":
        steps = [{"v": scale.snap(scale.lo + n * scale.step), "t": text} for n, text in enumerate(scale.answers)]
    else:
        steps = [{"v": scale.base + n, "t": text} for n, text in enumerate(scale.answers)]
    return [*steps, {"v": None, "t": "n/a"}] if scale.na else steps


def number_range(scale: Scale) -> Json | None:
    """The bounds of a number that is typed, where the answers are too many to be listed: `by` is an arrow's step."""
    if scale.kind != "interval" or scale.answers:
        return None
    percent = (scale.hi - scale.lo) / 100
    by = scale.step * max(1, round(percent / scale.step)) if scale.step else percent
    return {"lo": scale.lo, "hi": scale.hi, "step": scale.step, "by": by}


def shown_answer(scale: Scale, value: float | None) -> float | None:
    """The answer shown for a judge's value: the nearest one where it lies between two."""
    if value is None or scale.kind == "turn":
        return value
    return scale.snap(value) if scale.kind == "interval" else nearest_answer(value)


def _between(scale: Scale, value: float | None) -> Json | None:
    """A judge's value with the two equally near answers: neither counts as its answer unless a person chooses it."""
    nearest, step = shown_answer(scale, value), scale.step if scale.kind == "interval" else 1.0
    if value is None or nearest is None or scale.kind == "turn" or abs(abs(nearest - value) - step / 2) > step * 1e-6:
        return None
    return {"v": value, "near": sorted((2 * value - nearest, nearest))} if step else None


def anchors(dimension: Dimension) -> tuple[tuple[str, str], ...]:
    """Return what answers of a dimension mean, as far as it says; at least which end of its scale is which.

    If the definition names both ends itself, nothing is added.
    """
    scale = dimension.scale
    if dimension.anchors or not scale.has_order:
        return dimension.anchors
    ends = (scale.answers[0], scale.answers[-1]) if scale.answers else (f"{scale.lo:g}", f"{scale.hi:g}")
    if all(re.search(rf"(?<!\w){re.escape(end)}(?!\w)", dimension.definition) for end in ends):
        return ()
    return (ends[0], "lowest"), (ends[1], "highest")


def _others(view: DeskView, cell: tuple[str, str], scale: Scale) -> list[Json]:
    """Return the values shown next to a rating's own: those of other judges, and of the judge's other samples."""
    values = [
        {"by": other.name, "v": shown_answer(scale, other.value), "t": scale.format(other.value)}
        for other in view.others.get(cell, ())
    ]
    score = view.scores.get(cell)
    if score is not None:
        samples = sorted({v for v in score.samples if v != score.value}, key=lambda v: (v is None, v or 0))
        values += [{"by": "another sample", "v": shown_answer(scale, v), "t": scale.format(v)} for v in samples]
    return values


def _cell(view: DeskView, unit: str, dimension: Dimension) -> Json:
    scale, cell = dimension.scale, (unit, dimension.name)
    steps = answer_steps(scale, view.item.content)
    judge = None
    if cell in view.scores:
        value = view.scores[cell]
        remarks = {sort: text for u, d, sort, text in view.remarks if (u, d) == cell}
        exact = value.value
        judge = {
            # What is accepted is an answer; the samples' combined value is shown beside it where it is none.
            "v": shown_answer(scale, exact),
            "exact": scale.format(exact) if exact != shown_answer(scale, exact) else "",
            "between": _between(scale, exact),
            "samples": [scale.format(sample) for sample in value.samples],
            "note": remarks.get("note", ""),
            "level": confidence_level(value.confidence),
            "measure": confidence_measure(value.source),
            "source": value.source,
            "rule": remarks.get("rule", ""),
        }
    return {
        "unit": unit,
        "dimension": dimension.name,
        "label": dimension.title,
        "definition": dimension.definition,
        "anchors": [list(anchor) for anchor in anchors(dimension)],
        "kind": scale.kind,
        "sort": sort_of(unit),
        "steps": steps,
        "range": number_range(scale),
        "optional": not dimension.asked,
        "by": view.layers[view.cells[cell][0]].judge_id or None,
        "reason": isolate_names(view.marks.get(cell, "")),
        "others": _others(view, cell, scale),
        "judge": judge,
        "mine": {"v": view.own_answers[cell]} if cell in view.own_answers else None,
    }
