"""People who click on everything: on each page, in any order, nothing breaks, and each page says what it says again.

A seed draws who opens which page, and what they click, choose, type and follow there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest

from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, people
from data.runs import runs
from data.store import Store, open_store
from data.workspace.verify import verify
from pages.main import ROUTES
from pages.queue import page as queue_page
from pages.ui import session
from tests import seeds
from tests.data import planted_workspace
from tests.data.imports import source
from tests.pages.clicks.tab import WIDGETS, Node, Tab, replace_runtime, state_of

pytestmark = [pytest.mark.slow, pytest.mark.together("clicks")]
STEPS = 120
ADDRESSES = [route[4] for route in ROUTES[:-1]]
TEXTS = ["", " ", "d-01", "cy", "A reason.", "**canary**", "<b>canary</b>", "支援", "-1", "x" * 3000, "{0}", "%"]
WRONG_WORDS = re.compile(
    r"^None$|[:(,] None\b|\bnan\b|<NA>|\bNaT\b"
    r"|(?<![\d.,])1 (items|people|ratings|labels|judges|replies|pairs|scores|runs|dimensions|rows|files|days|answers)\b"
)


def can_be_used(node: Node) -> bool:
    """Whether a person can do something with an element; of components with those of lists and tiles."""
    if node.kind == "bidi_component":
        return node.proto.component_name in ("assay_ledger", "assay_tile")
    if node.kind == "dataframe":
        return len(node.proto.selection_mode) > 0 and node.table().num_rows > 0
    return not getattr(node.proto, "disabled", False)


class Visitor:
    """Somebody with tabs of several people, and what they did last."""

    def __init__(self, store: Store, seed: int, team: list[str]) -> None:
        self.store, self.chance = store, Random(seed)
        self.tabs = [Tab(person) for person in team]
        self.acts: list[str] = []

    def step(self) -> None:
        """Do something in one of the tabs, after which its page is whole."""
        tab = self.chance.choice(self.tabs)
        nodes = [node for node in tab.nodes(*WIDGETS, "page_link") if can_be_used(node)]
        dialogs = [node for node in nodes if any(node in dialog.walk() for dialog in tab.nodes("dialog"))]
        if not nodes or self.chance.random() < 0.15:
            address, query = self.chance.choice(ADDRESSES), self.query()
            self.acts.append(f"{tab.person} opens {address}?{query}")
            tab.open(address, query)
        else:
            node = self.chance.choice(dialogs or nodes)
            label = getattr(node.proto, "label", "") or getattr(node.proto, "component_name", "")
            self.acts.append(f"{tab.person} on {tab.address}?{tab.query}: {node.kind} {label}")
            self.act(tab, node)
        self.check(tab)

    def query(self) -> str:
        """Parameters of an address, some of which name what is not there."""
        every = "select i.id, d.name, j.id from item i join dataset d on d.id = i.dataset_id cross join judge j"
        item, dataset, judge = self.chance.choice(self.store.rows(f"{every} order by 1, 3"))
        values = {
            "dataset": dataset, "item": item, "judge": judge, "stream": "review", "basis": "blind", "panel": "slices",
            "dimension": "turn.helpfulness", "by": "system", "page": "2",
        }  # fmt: skip
        names = self.chance.sample(list(values), self.chance.randint(0, 4))
        return urlencode({name: values[name] if self.chance.random() < 0.85 else "gone" for name in names})

    def act(self, tab: Tab, node: Node) -> None:
        """Click, choose, type or follow; at times Streamlit runs the whole page for what lies in a fragment."""
        if self.chance.random() < 0.5:
            node.fragment = ""
        if node.kind == "page_link":
            tab.follow(node)
            errors = [alert.proto.body for alert in tab.nodes("alert") if alert.proto.format == alert.proto.ERROR]
            assert not errors and not tab.is_lost, f"a link leads to {tab.address}?{tab.query}, which says {errors}"
        elif node.kind == "button":
            for field in tab.nodes(*WIDGETS) if node.proto.form_id else ():
                if getattr(field.proto, "form_id", "") == node.proto.form_id and self.chance.random() < 0.7:
                    value = self.value(field)
                    if value is not None:
                        tab.widgets[field.proto.id] = state_of(field, value)
            tab.click(node)
        elif node.kind == "bidi_component":
            self.act_on_component(tab, node)
        elif node.kind == "dataframe":
            row = self.chance.randrange(node.table().num_rows)
            tab.set(node, json.dumps({"selection": {"rows": [row], "columns": [], "cells": []}}))
        else:
            tab.set(node, self.value(node))

    def act_on_component(self, tab: Tab, node: Node) -> None:
        """Click on a row of a list, or open a tile."""
        data = json.loads(node.proto.json)
        if node.proto.component_name == "assay_tile":
            tab.fire(node, "opened", True)
        elif data["ids"]:
            row = self.chance.randrange(len(data["ids"]))
            action = self.chance.choice(data["actions"][row]) if data["actions"] and data["actions"][row] else ""
            tab.fire(node, "clicked", {"row": data["ids"][row], "action": action})

    def value(self, node: Node) -> Any:
        """A value for a widget."""
        proto = node.proto
        options = [getattr(option, "content", option) for option in getattr(proto, "options", ())]
        if node.kind in ("text_input", "text_area"):
            return self.chance.choice(TEXTS)[: proto.max_chars or None]
        if node.kind == "checkbox":
            return self.chance.random() < 0.5
        if node.kind == "number_input":
            low, high = proto.min if proto.has_min else -10.0, proto.max if proto.has_max else 100.0
            return self.chance.choice([low, high, float(round((low + min(high, low + 100)) / 2))])
        if node.kind == "date_input":
            return ["2026/03/05"]
        if node.kind in ("multiselect", "button_group"):
            return self.chance.sample(options, min(1, len(options)))
        return self.chance.choice(options) if options else None

    def check(self, tab: Tab) -> None:
        """The page has no error and no wrong words; drawn again it is the same, unless that wrote something."""
        errors = [f"{node.proto.type}: {node.proto.message}" for node in tab.nodes("exception")]
        assert not errors, f"{tab.address}?{tab.query} ended with {errors}"
        for node in tab.root.walk():
            texts = [getattr(node.proto, name, "") for name in ("body", "label", "help", "caption")]
            if node.kind not in ("html", "code"):
                wrong = [text for text in texts if isinstance(text, str) and WRONG_WORDS.search(text)]
                assert not wrong, f"{tab.address}?{tab.query} says {wrong}"
        if self.chance.random() < 0.1 and not tab.nodes("dialog"):
            tab.rerun()
            before, texts = self.store.newest(), tab.texts()
            tab.rerun()
            other = [text for text in tab.texts() if text not in texts]
            same = self.store.newest() > before or not other
            assert same, f"{tab.address}?{tab.query} says something else when it is drawn again: {other}"


def plant_one(store: Store) -> None:
    """A workspace with one item of each thing."""
    people.join_workspace(store, "lea")
    for person, role in planted_workspace.PEOPLE.items():
        people.set_person(store, "lea", person, role)  # type: ignore[arg-type]
    item = seeds.dialogue(1)
    label = {"item": item["id"], "unit": "turn:1", "dimension": "helpfulness", "value": 4, "annotator": "ann",
             "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}  # fmt: skip
    import_source(store, "lea", source([item, seeds.judgment(item), label]), ImportPlan("one", sampling="all"))
    dataset = datasets.dataset_named(store, "one").id
    queue.draw_audit(store, "lea", dataset, 1, "", seed=1)


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A workspace that the pages of this process show."""
    store = open_store(seeds.address(tmp_path / "clicks.duckdb"))
    with planted_workspace.frozen_clock() as clock, pytest.MonkeyPatch.context() as patch:
        if request.param == "one":
            plant_one(store)
        else:
            planted_workspace.plant(store, clock)
        replace_runtime(patch)
        patch.setattr(queue_page, "PAGE_ROWS", 4)
        session.set_store(store)
        yield store
        session.set_store(None)
        runs.close(store)
        store.close()


@pytest.mark.parametrize(("store", "seed"), [("planted", 1), ("planted", 3), ("one", 0)], indirect=["store"])
def test_whatever_people_click_every_page_is_whole(store: Store, seed: int) -> None:
    visitor = Visitor(store, seed, ["lou", "rex", "cy"])
    for number in range(1, STEPS + 1):
        try:
            visitor.step()
        except Exception as error:
            raise AssertionError(f"seed {seed}, step {number}: {error}; done were {visitor.acts[-4:]}") from error
    assert not verify(store)
