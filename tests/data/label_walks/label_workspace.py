"""The workspace of the label walks: datasets with questions of every scale, with scores of judges and labels of files.

`marks`: responses, two judges, one of three samples; `twins`: the same texts once more, for who has seen one has seen
both; `parts`: pairs, some with sections; `talks`: dialogues with a plan of looks, and with earlier labels of a file
that count on no basis of random draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from data.approvals import plans, policy
from data.approvals.rules import Requirements
from data.cards import cards
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import datasets, people
from data.store import Store
from judges.card import Card
from judges.stats.approval_check import CheckPolicy
from judges.types import ITEM, Scale
from tests.data.imports import source
from tests.data.planted_workspace import Clock, Json, PlantedWorkspace

PEOPLE = {"lou": "lead", "rex": "researcher", "cy": "annotator", "山田 花子": "annotator", "Ана": "annotator"}
TEAM = ("lea", *PEOPLE)
LOOKS = [30, 31, 33, 36]
DATASETS: dict[str, tuple[str, int, Any, tuple[str, ...]]] = {  # card, items, sampling of the file's labels, judges
    "marks": ("wide_marks", 30, "random", ("plain", "many")),
    "twins": ("wide_marks", 8, "unknown", ("plain",)),
    "parts": ("part_marks", 24, "all", ("plain", "other")),
    "talks": ("talk_marks", 40, "unknown", ("plain",)),
}


def question(name: str, unit: str, kind: str, **scale: Any) -> Json:
    """A dimension of a card."""
    return {"name": name, "unit": unit, "definition": "Is it good?", "answers": {"kind": kind, **scale}}


CARDS: list[Json] = [
    {"name": "talk_marks", "title": "Talk marks", "kind": "dialogue", "dimensions": [
        question("quality", "turn", "ordinal", lo=1, hi=5, na=True),
        question("quality", "conversation", "interval", lo=0, hi=1, step=0.1),
        question("tone", "turn", "ordered", categories=["悪い", "普通", "良い"]),
    ]},
    {"name": "part_marks", "title": "Part marks", "kind": "pair", "dimensions": [
        question("depth", "section", "interval", lo=0, hi=1, na=True),
        question("fit", "side", "interval", lo=-1, hi=1, step=0.1),
        question("winner", "pair", "unordered", categories=["a", "b", "tie"]),
    ]},
    {"name": "wide_marks", "title": "Wide marks", "kind": "response", "dimensions": [
        question("quality", "response", "interval", lo=0, hi=100, na=True),
        question("fine", "response", "interval", lo=-1, hi=1, step=0.1, na=True),
        question("grade", "response", "ordinal", lo=0, hi=10, na=True),
        question("topic", "response", "unordered", categories=["x", "y", "z"], na=True),
        question("safe", "response", "flag", na=True),
    ]},
]  # fmt: skip


def item_line(dataset: str, n: int) -> Json:
    """An item of a dataset, as a file has it."""
    line: Json = {"id": f"{dataset}-{n:02}", "meta": {"topic": "xyz"[n % 3], "言語": "日本語" if n % 2 else "English"}}
    if dataset == "talks":
        speakers = [(turn, role) for turn in range(1, 2 + n % 3) for role in ("user", "assistant")]
        turns = [{"turn": turn, "role": role, "text": f"{role} {turn} of {n}. はい。"} for turn, role in speakers]
        return line | {"kind": "dialogue", "scenario": "S", "system": "xy"[n % 2], "turns": turns}
    if dataset == "parts":
        a, b = "Begin of it. Middle of it. End of it.", f"始まりの文。中の文。終わりの文。{n}"
        sides = {"response_a": {"system": "x", "text": a}, "response_b": {"system": "y", "text": b}}
        last = {"label": "M", "a": [13, 25], "b": None if n % 4 == 1 else [6, 10]}
        sections = {"sections": [{"label": "始", "a": [0, 12], "b": [0, 6]}, last]} if n % 3 else {}
        return line | {"kind": "pair", "input": f"Question {n}"} | sides | sections
    return line | {"kind": "response", "task": f"説明 {n}", "output": "なぜなら。" * (1 + n % 5), "system": "xy"[n % 2]}


def random_value(chance: Random, scale: Scale, item: str, unit: str, dimension: str) -> float | None:
    """A code of a cell, n/a (None) at times; the codes of one cell lie near each other."""
    if scale.na and chance.random() < 0.12:
        return None
    centre = Random(f"{item} {unit} {dimension}").choice([0.1, 0.5, 0.8, 0.8, 0.95])
    place = min(1.0, max(0.0, centre + chance.gauss(0, 0.15)))
    if scale.kind != "interval":
        return float(scale.base + round(place * (scale.size - 1)))
    return scale.snap(round(scale.lo + place * (scale.hi - scale.lo), chance.choice([0, 1, 6])))


def value_lines(chance: Random, item: Json, card: Card, share: float) -> Iterator[Json]:
    """Values for most of an item's cells, as files have them."""
    for unit, dimension in card.cells(ITEM.validate_python(item)):
        scale = dimension.scale
        code = random_value(chance, scale, item["id"], unit, dimension.name)
        value = "n/a" if code is None else scale.categories[int(code)] if scale.has_categories else code
        if chance.random() < share:
            yield {"unit": unit, "dimension": dimension.name, "value": value}


def dataset_lines(dataset: str, card: Card) -> Iterator[Json]:
    """The file of a dataset: items, judgments, some of them refusals, and labels of every second item, or fifth."""
    chance, (_, number, _, models) = Random(dataset), DATASETS[dataset]
    for n in range(1, number + 1):
        item = item_line(dataset, n)
        yield item
        for model in models:
            line = {"item": item["id"], "card": card.name, "model": model, "params": {}}
            if chance.random() < 0.05:
                yield line | {"raw": "I decline."}
            else:
                for sample in range(3 if model == "many" else 1):
                    scores = list(value_lines(chance, item, card, 0.95))
                    yield line | {"scores": scores} | ({"sample": sample} if model == "many" else {})
        raters = ("ann", "ベン", "cy")[: 1 + n % 3] if dataset in ("marks", "parts") and n % 2 == 0 else ()
        for person in ("old hand",) if dataset == "talks" and n % 5 == 0 else raters:
            stamp = {"mode": "blind" if n % 8 else "assisted", "made_at": f"2026-01-{1 + n % 28:02}T10:00:00Z"}
            for line in value_lines(chance, item, card, 0.8):
                yield line | {"item": item["id"], "annotator": person} | stamp


def plant(store: Store, clock: Clock) -> PlantedWorkspace:
    """The workspace, in a new store, before anybody has labelled anything there."""
    workspace = PlantedWorkspace(store, clock)
    people.join_workspace(store, "lea")
    people.make_lead_locally(store, "lou")
    for person, role in PEOPLE.items():
        people.set_person(store, "lea", person, role)  # type: ignore[arg-type]
    for spec in CARDS:
        cards.save_card(store, "lea", spec)
    for name, (card, _, sampling, _) in DATASETS.items():
        clock.pass_(minutes=5)
        lines = list(dataset_lines(name, cards.current_cards(store)[card]))
        import_source(store, "lea", source(lines, f"{name}.jsonl"), ImportPlan(name, sampling=sampling))
        workspace.datasets[name] = datasets.dataset_named(store, name).id
        for judge in datasets.dataset_judges(store, workspace.datasets[name]):
            workspace.judges[name, judge.model] = judge.id
    check = CheckPolicy(min_items=30, threshold=0.2, min_clusters=30, horizon=200)
    requirements = Requirements(check, imported=False, coverage=0.3, answered=0.1)
    policy.set_requirements(store, "lea", requirements, "We are few.")
    plans.set_look_plan(store, "lea", workspace.datasets["talks"], LOOKS)
    return workspace
