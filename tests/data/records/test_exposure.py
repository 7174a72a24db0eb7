"""Who was shown what: on every way on which a judge's score reaches a person it is recorded, and unmakes "blind"."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from data.adjudication import adjudication, adjudication_items
from data.annotators import annotators, drift
from data.audits import audits, justification_labels
from data.calibration import calibration, slices
from data.cards.cards import card_named
from data.cli import COMMANDS, main
from data.dashboard import dashboard
from data.desk import desk, labels
from data.exporting import exporting
from data.gold import disputes, fewshot
from data.importing.files.source import from_path
from data.importing.importing import import_source, preview_import, record_preview
from data.importing.plan import ImportPlan
from data.queue import listing, queue
from data.queue.queue import QueueFilters
from data.records import exposure, people, settings
from data.records.datasets import dataset_named
from data.records.settings import GoldRule, QueueRules
from data.reports.bundle import bundle
from data.runs import runs
from data.runs.endpoints import practice_url
from data.runs.run_config import RunConfig
from data.store import Store, Tx, hidden_rows, open_store
from data.store.base import compute_with_tables
from data.store.errors import NotAllowed
from data.store.ids import new_id
from data.trail import trail  # fmt: skip
from data.workspace import backups
from data.workspace.restore import restore
from data.workspace.verify import verify
from judges.audits import Flag
from judges.cli import commands
from judges.client.endpoint import Endpoint
from judges.params import Params
from judges.stats.sampling import SampleDesign
from judges.types import Dimension
from tests import seeds

COUNT = 10
NOTE = "it holds together, says the judge"


class House:
    """Ten judged dialogues, each labelled by `old` and `elder` from a file (they differ on the first turn)."""

    def __init__(self, path: Path) -> None:
        items = [seeds.dialogue(n) for n in range(1, COUNT + 1)]
        judgments = [seeds.judgment(i, {**seeds.reply(i, helpfulness=2), "verdict": "good"}) for i in items]
        labels = [
            {"item": i["id"], "unit": "turn:1", "dimension": "helpfulness", "value": value, "annotator": name,
             "mode": "assisted", "made_at": "2026-01-31T12:00:00Z"}
            for i in items for name, value in (("old", 2), ("elder", 5))
        ]  # fmt: skip
        self.path = path
        self.store: Store = seeds.workspace(path, [*items, *judgments, *labels], names=("lea", "rex", "ann", "ben"))
        people.set_person(self.store, "lea", "rex", "researcher")
        self.dataset = dataset_named(self.store, "demo")
        self.judge = str(self.store.rows("select id from judge")[0][0])
        self.card = card_named(self.store, "multi_turn_dialogue")
        self.help: Dimension = next(d for d in self.card.dimensions if d.name == "helpfulness")
        self.ids = [str(r[0]) for r in self.store.rows("select id from item order by name")]
        settings.set_gold_rule(self.store, "lea", self.dataset.id, GoldRule("median", 1))

    def draw(self) -> None:
        """Everything into the audit sample, all of it blind, for two people each."""
        settings.set_queue_rules(self.store, "lea", self.dataset.id, QueueRules(overlap=2, assisted_share=0))
        queue.draw_audit(self.store, "lea", self.dataset.id, COUNT, self.judge, seed=1)

    def claim(self, person: str, stream: queue.Stream = "audit") -> set[str]:
        return {
            g.item for g in queue.claim_items(self.store, person, self.dataset.id, stream, QueueFilters(), [], COUNT)
        }

    def exposed_items(self, person: str) -> set[str]:
        return {str(r[0]) for r in self.store.rows("select item_id from exposure where person = $1", [person])}

    def mode(self, person: str, item: str) -> str:
        """How an answer of this person to a blind draw counts."""
        draw = self.store.rows("select id from draw where item_id = $1 and mode = 'blind'", [item])[0][0]
        key = new_id()
        saved, refused = labels.save_answers(self.store, person, [{
            "key": key, "person": person, "action": "save", "item": item, "claim": draw, "judge": "", "version": "",
            "values": [{"unit": "turn:1", "dimension": "helpfulness", "v": 3.0}],
        }])  # fmt: skip
        assert saved, refused
        return str(self.store.rows("select mode from answer where id = $1", [key])[0][0])


@pytest.fixture
def house(tmp_path: Path) -> Any:
    house = House(tmp_path / "a.duckdb")
    yield house
    assert verify(house.store) == []
    house.store.close()


def _queue(house: House, person: str) -> set[str]:
    items = queue.claim_items(house.store, person, house.dataset.id, "review", QueueFilters(), [], 3)
    return {v.item.id for v in desk.desk_views(house.store, person, items) if v.scores}


def _link(house: House, person: str) -> set[str]:
    return {i for i in house.ids[:2] if desk.open_item(house.store, person, i).scores}


def _square(house: House, person: str) -> set[str]:
    cells = calibration.list_cells(house.store, person, house.dataset.id, house.judge, house.help, "all", 2.0, 2.0)
    return {f.item for f in cells}


def _slice(house: House, person: str) -> set[str]:
    parted = slices.slice_cells(house.store, house.dataset.id, house.judge, house.help, "all")
    cut = parted.cuts[0]
    args = house.dataset.id, house.judge, parted, cut.by
    return {m.item for name in cut.names for m in slices.slice_members(house.store, person, *args, name)}


def _trail(house: House, person: str) -> set[str]:
    [(seq,)] = house.store.rows("select max(seq) from label")
    return {row["item_id"] for row in trail.appended_rows(house.store, person, seq).get("label", [])}


def _tile(house: House, person: str) -> set[str]:
    items = dashboard.list_items(house.store, house.dataset.id, house.judge, house.help, "model-x", 1, person)
    return {f.item for f in items}


def _flags(house: House, person: str) -> set[str]:
    flags = [Flag(i, "a 2 where people say 5", "turn:1", "helpfulness") for i in house.ids]
    return {f.item for f in audits.visible_flags(house.store, person, house.judge, flags)}


def _fits(house: House, person: str) -> set[str]:
    return {
        c.item
        for c in justification_labels.justifications_ahead(
            house.store, house.dataset.id, house.judge, person, ["coherence"], limit=5
        )
    }


def _fit(house: House, person: str) -> set[str]:
    cells = justification_labels.justifications_ahead(
        house.store, house.dataset.id, house.judge, person, ["coherence"], limit=1
    )
    for cell in cells:
        justification_labels.record_fit(house.store, person, house.judge, cell, True)
    return {c.item for c in cells}


def _board(house: House, person: str) -> set[str]:
    items = adjudication_items.load_adjudication_items(
        house.store, person, adjudication.adjudication_work(house.store, person, house.dataset.id).own, 2
    )
    ids = {item.view.item.id for item in items}
    adjudication.record_look(house.store, person, list(ids))
    return ids


def _reveal(house: House, person: str) -> set[str]:
    adjudication.reveal_while_adjudicating(house.store, person, house.ids[0])
    return {house.ids[0]}


def _decisions(house: House, person: str) -> set[str]:
    for cell in disputes.cells_to_adjudicate(house.store, house.dataset.id)[:3]:
        decision = cell.item, cell.unit, cell.dimension, 4, "read it twice", cell.token
        adjudication.adjudicate(house.store, "lea" if person != "lea" else "rex", new_id(), *decision)
    ids = {str(name): str(key) for name, key in house.store.rows("select name, id from item")}
    return {ids[d.name] for d in adjudication_items.adjudicated_cells(house.store, person, house.dataset.id)}


def _people(house: House, person: str) -> set[str]:
    dimension_labels = annotators.dimension_labels(house.store, house.dataset.id, house.help, "all")
    number = dimension_labels.ratings.people.index(
        next(p for p in dimension_labels.ratings.people if p.startswith("old"))
    )
    return {c[0] for c in drift.find_cells(house.store, person, dimension_labels, number, 4, 1)}


def _cells(house: House, person: str) -> set[str]:
    bundle(house.store, person, house.dataset.id, house.judge)
    return set(house.ids)


def _draft(house: House, person: str) -> set[str]:
    item = next(iter(fewshot.offered_items(house.store, person, house.dataset.id, house.card)), "")
    if item:
        fewshot.open_draft(house.store, person, house.card, item)
    return {item} - {""}


def _dry(house: House, person: str) -> set[str]:
    config = RunConfig(
        house.dataset.id, house.card, "practice-heuristic", Params(), Endpoint(base_url=practice_url()),
        None, None, 0, False, False,
    )  # fmt: skip
    names = {s.name for s in runs.dry_run(house.store, person, config, n=2)}
    return {i for i, name in house.store.rows("select id, name from item") if name in names}


LISTS: dict[str, Callable[[House, str], set[str]]] = {
    "a square of the table of agreement": _square,
    "the cells of a slice": _slice,
    "the rows of a change": _trail,
    "a number of the dashboard": _tile,
    "the items behind an audit": _flags,
    "does the justification fit": _fits,
    "an answer to that": _fit,
    "the decisions of adjudication": _decisions,
    "a person's cells": _people,
    "an example for a card": _draft,
}
"""Ways on which one looks at many items: what may still come to somebody blind is not among them."""
SHOWS: dict[str, Callable[[House, str], set[str]]] = {
    **LISTS,
    "the review queue, not answered": _queue,
    "a link": _link,
    "the board of adjudication": _board,
    "scores asked for there": _reveal,
    "the archive's cells": _cells,
    "a dry run": _dry,
}
RESEARCH = {
    "the decisions of adjudication", "a person's cells", "an example for a card", "the board of adjudication",
    "scores asked for there", "the archive's cells", "a dry run", "the rows of a change",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("route", SHOWS)
def test_what_was_shown_before_the_draw_is_not_answered_blind(house: House, route: str) -> None:
    person = "rex" if route in RESEARCH else "ann"
    items = SHOWS[route](house, person)
    assert items, "the way shows nothing: the test says nothing"
    assert house.exposed_items(person) >= items
    house.draw()
    assert not house.claim(person) & items, "the audit sample passes over what was shown"
    assert house.mode(person, min(items)) == "revealed"
    assert house.claim("ben") == set(house.ids), "it stays open to others"


@pytest.mark.slow
@pytest.mark.parametrize("route", LISTS)
def test_what_waits_for_a_blind_answer_is_in_no_list(house: House, route: str) -> None:
    person = "rex" if route in RESEARCH else "ann"
    house.draw()
    assert house.claim(person) == set(house.ids)
    assert LISTS[route](house, person) == set()
    assert house.exposed_items(person) == set()
    assert house.mode(person, house.ids[0]) == "blind"


@pytest.mark.slow
@pytest.mark.parametrize("kind", [k.name for k in exporting.export_kinds().values()])
def test_an_export_records_what_it_tells(house: House, kind: str, tmp_path: Path) -> None:
    options = {"examples": {"card": "multi_turn_dialogue"}, "gold": {"judge": house.judge}}.get(kind, {})
    export, file = exporting.export_kind(kind), tmp_path / "out.jsonl"
    exporting.write_export(house.store, "rex", house.dataset, export, options, "jsonl", file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    names = dict(house.store.rows("select name, id from item"))
    items = {names[row["item"]] for row in rows if "item" in row}
    assert house.exposed_items("rex") == items
    text = file.read_text(encoding="utf-8")
    judged = {str(r[0]) for r in house.store.rows("select item_id from exposure where judge_id <> ''")}
    tells = any(word in text for word in ("holds together", '"judge_value"', '"seen"', '"judge_model"'))
    assert judged == (items if tells or export.shows_judges == "all" else set())


@pytest.mark.parametrize("kind", [k.name for k in exporting.export_kinds().values()])
def test_an_export_says_that_it_shows_what_its_queries_read(house: House, kind: str) -> None:
    """A kind that reads what judges or people said and does not say so would leave no record of who saw it."""
    options = {"examples": {"card": "multi_turn_dialogue"}, "gold": {"judge": house.judge}}.get(kind, {})
    export = exporting.export_kind(kind)
    full_options = exporting.complete_options(house.store, house.dataset.id, export, options)
    _, read = compute_with_tables(lambda: list(export.rows(house.store, house.dataset, full_options)))
    assert export.shows_judges != "none" or not read & {"score", "combination", "judgment", "remark"}, read
    assert export.shows_people or not read & {"label", "answer", "comment", "adjudication"}, read


def test_the_first_rows_of_an_import_are_on_record(house: House) -> None:
    items = [seeds.dialogue(n) for n in (1, 2, 21)]
    judgments = [seeds.judgment(i, model="judge-two") for i in items]
    judgments.append(seeds.judgment(items[0], model="judge-three"))
    label = {"item": items[0]["id"], "unit": "turn:1", "dimension": "helpfulness", "value": 3, "annotator": "new",
            "mode": "assisted", "made_at": "2026-01-31T12:00:00Z"}  # fmt: skip
    file = seeds.lines(house.path.with_name("two.jsonl"), [items[2], label, *judgments])
    preview = preview_import(house.store, from_path(file), ImportPlan(dataset="demo"), actor="rex")
    assert len(preview.rows["judgments"]) == 4
    record_preview(house.store, "rex", "demo", preview)
    whose = "select item_id, judge_id, route from exposure where person = 'rex' order by 1, 2"
    first, second = house.ids[:2]
    assert sorted(house.store.rows(whose)) == sorted([
        (first, exposure.OTHER_PEOPLE, "import"), (first, "judge-two", "import"), (first, "judge-three", "import"),
        (second, "judge-two", "import"),
    ])  # fmt: skip
    import_source(house.store, "rex", from_path(file), ImportPlan(dataset="demo"))
    record_preview(house.store, "rex", "demo", preview)
    assert len(house.exposed_items("rex")) == 3


def test_the_first_rows_of_an_export_leave_out_what_waits(house: House) -> None:
    house.draw()
    rows, count = exporting.preview_export(house.store, "rex", house.dataset, exporting.export_kind("scores"), {})
    assert (rows, count) == ([], COUNT * 14) and house.exposed_items("rex") == set()
    assert (
        exporting.count_waiting_blind(house.store, "rex", house.dataset, exporting.export_kind("scores"), {}) == COUNT
    )
    assert exporting.count_waiting_blind(house.store, "rex", house.dataset, exporting.export_kind("items"), {}) == 0


def test_an_archive_has_cells_for_researchers_only(house: House) -> None:
    assert b"ratings/turn.helpfulness.csv" in bundle(house.store, "rex", house.dataset.id, house.judge)
    assert b"ratings/turn" not in bundle(house.store, "ann", house.dataset.id, house.judge)
    assert house.exposed_items("ann") == set()


SILENT = {
    "start", "import", "card", "approve", "means", "dashboard", "backup", "restore", "verify", "run", "lead", "plan",
    "spare", "mtbench", "progress", "check", "token", "invite", "copy",
}  # fmt: skip
"""Commands that print no score of an item; dry runs of `run` and `mtbench` are the same functions as the page's."""
TELLING: dict[str, list[str]] = {
    "export": ["--kind", "scores", "--out", "{out}.jsonl"],
    "audit": ["--all", "--json"],
    "report": ["--out", "{out}.zip"],
}


def test_every_command_is_known_to_tell_or_not() -> None:
    assert set(commands("data.cli", COMMANDS)) == SILENT | set(TELLING)


@pytest.mark.slow
@pytest.mark.parametrize("command", TELLING)
def test_a_command_records_what_it_tells(
    house: House, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_STORE", house.store.url)
    house.store.close()
    more = [part.format(out=tmp_path / "out") for part in TELLING[command]]
    assert main([command, "--dataset", "demo", "--as", "rex", *more]) in (0, 1)
    output = capsys.readouterr().out
    house.store = open_store(house.store.url)
    if command == "audit":
        names = {f["item"] for j in json.loads(output)["judges"] for a in j["audits"].values() for f in a["flags"]}
        ids = dict(house.store.rows("select name, id from item"))
        assert house.exposed_items("rex") == {ids[name] for name in names} != set()
    else:
        assert house.exposed_items("rex") == set(house.ids)


def test_reasons_in_the_list_of_the_queue_tell_no_score_to_who_has_not_seen_it(house: House) -> None:
    def reasons() -> dict[str, tuple[str, ...]]:
        listed = listing.list_queue(house.store, "ann", house.dataset.id, "review", QueueFilters())
        return {row.item: row.reasons for row in listed.rows}

    before = reasons()
    assert before and house.exposed_items("ann") == set()
    item = next(iter(before))
    desk.open_item(house.store, "ann", item)
    full = {str(r[0]): json.loads(r[1]) for r in house.store.rows("select item_id, reasons from draw")}
    assert reasons()[item] == tuple(r["text"] for r in full[item])
    assert {kind for lines in before.values() for line in lines for kind in (line.rpartition(": ")[2],)} <= {
        r["kind"] for draw_reasons in full.values() for r in draw_reasons
    }


def test_another_claim_makes_no_answer_blind(house: House) -> None:
    """Shown in the review queue, then answered under the blind draw that came later, and the other way round."""
    item = min(_queue(house, "ann"))
    house.draw()
    assert house.mode("ann", item) == "revealed"
    fresh = next(i for i in house.ids if i not in house.exposed_items("ann"))
    review = house.store.rows("select id from draw where item_id = $1 and stream = 'review'", [fresh])
    key = new_id()
    saved, _ = labels.save_answers(house.store, "ann", [{
        "key": key, "person": "ann", "action": "save", "item": fresh, "claim": review[0][0] if review else None,
        "version": "", "values": [{"unit": "turn:1", "dimension": "helpfulness", "v": 3.0}],
    }])  # fmt: skip
    assert saved and house.store.rows("select mode from answer where id = $1", [key]) in ([("assisted",)], [("blind",)])


def test_an_answer_that_is_not_blind_leaves_its_blind_draw_open(house: House) -> None:
    settings.set_queue_rules(house.store, "lea", house.dataset.id, QueueRules(overlap=1, assisted_share=0))
    item = min(_link(house, "ann"))
    queue.draw_audit(house.store, "lea", house.dataset.id, COUNT, house.judge, seed=1)
    assert house.mode("ann", item) == "revealed"
    version = str(house.store.rows("select id from answer")[0][0])
    draw = house.store.rows("select draw_id from answer")[0][0]
    saved, refused = labels.save_answers(house.store, "ann", [{
        "key": new_id(), "person": "ann", "action": "save", "item": item, "claim": draw, "version": version,
        "values": [{"unit": "turn:1", "dimension": "helpfulness", "v": 1.0}],
    }])  # fmt: skip
    assert saved, refused
    assert item in house.claim("ben")
    assert house.mode("ben", item) == "blind"


def test_a_copy_in_another_dataset_shows_the_same_item(house: House, tmp_path: Path) -> None:
    """Whoever has seen the judge on a copy of an item is not blind on the item."""
    rows = house.path.with_suffix(".jsonl")
    import_source(house.store, "rex", from_path(rows), ImportPlan(dataset="copy"))
    copy = dataset_named(house.store, "copy").id
    twin = str(house.store.rows("select min(id) from item where dataset_id = $1", [copy])[0][0])
    desk.open_item(house.store, "ann", twin)
    [(name,)] = house.store.rows("select name from item where id = $1", [twin])
    [(item,)] = house.store.rows("select id from item where name = $1 and id <> $2", [name, twin])
    house.draw()
    assert item not in house.claim("ann")
    assert house.mode("ann", item) == "revealed"


def test_a_copy_that_comes_in_later_is_known_as_well(house: House) -> None:
    desk.open_item(house.store, "ann", house.ids[0])
    import_source(house.store, "rex", from_path(house.path.with_suffix(".jsonl")), ImportPlan(dataset="copy"))
    copy = dataset_named(house.store, "copy").id
    [(name,)] = house.store.rows("select name from item where id = $1", [house.ids[0]])
    [(twin,)] = house.store.rows("select id from item where dataset_id = $1 and name = $2", [copy, name])
    assert exposure.find_exposures(house.store, "ann", [twin])[twin] - {exposure.OTHER_PEOPLE}
    known = exposure.item_copies(house.store)
    house.store.close()
    house.store = open_store(f"duckdb:///{house.path}")
    assert known and exposure.item_copies(house.store) == known, "and by who opens the store later"


def test_copies_are_looked_for_among_the_items_that_may_be_some(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody's next save waits for it after each import: a pipeline brings a few items every second."""
    store, really, looked = house.store, exposure._group_copies, list[int]()

    def group_copies(reader: Store | Tx, item_ids: list[str], table: str) -> Mapping[str, tuple[str, ...]]:
        looked.append(len(item_ids))
        return really(reader, item_ids, table)

    monkeypatch.setattr(exposure, "_group_copies", group_copies)
    assert exposure.item_copies(store) == {} and not looked
    for numbers, dataset, copies, among in (
        ([31, 32], "more", 0, []), ([], "more", 0, []), ([33], "other", 0, []), ([3, 34, 32], "other", 4, [4]),
        ([35], "demo", 4, []), ([35, 3], "last", 7, [5]), ([36], "last", 7, []), ([37, 37], "twins", 9, [2]),
    ):  # fmt: skip
        looked.clear()
        named = [(f"{dataset}-{at}-{n}", n) for at, n in enumerate(numbers)]
        rows = [{**seeds.dialogue(n), "id": name, "meta": {"of": dataset}} for name, n in named]
        if rows:
            import_source(store, "lea", from_path(seeds.lines(tmp_path / "rows.jsonl", rows)), ImportPlan(dataset))
        groups = exposure.item_copies(store)
        assert looked == among, "and once for all who ask"
        every = [str(row[0]) for row in store.rows("select id from item")]
        assert groups == really(store, every, "item") == store.tx("lea", "look", exposure.item_copies)
        assert len(groups) == copies
        assert all(groups[copy] is group for group in groups.values() for copy in group), (
            "of the same text are thousands"
        )
        _, tables = compute_with_tables(lambda: exposure.item_copies(store))
        assert "item" in tables


def test_whoever_saves_after_a_large_import_waits_for_none_of_its_texts(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are looked at before its change takes the lock, and are known when it lets go."""
    store, really, came = house.store, exposure._with_items, list[tuple[bool, int]]()

    def with_items(reader: Store | Tx, known: exposure._Known, *more: Any) -> exposure._Known:
        index = really(reader, known, *more)
        came.append((isinstance(reader, Tx), len(index.ids) - len(known.ids)))
        return index

    desk.open_item(store, "ann", house.ids[0])
    rows = [{**seeds.dialogue(n), "id": f"more-{n}"} for n in (1, *range(50, 90))]
    monkeypatch.setattr(hidden_rows, "MIN_ROWS", len(rows))
    monkeypatch.setattr(exposure, "_with_items", with_items)
    import_source(store, "lea", from_path(seeds.lines(tmp_path / "rows.jsonl", rows)), ImportPlan("more"))
    assert (False, len(rows)) in came
    [(twin,)] = store.rows("select id from item where name = 'more-1'")
    exposures = store.tx("lea", "look", lambda tx: exposure.find_exposures(tx, "ann", [twin]))
    assert exposures[twin] - {exposure.OTHER_PEOPLE}
    assert store.rows("select 1 from exposure where item_id = $1", [twin]), "and it is on record for the copy"
    assert exposure.item_copies(store) == dict.fromkeys((house.ids[0], twin), tuple(sorted((house.ids[0], twin))))
    assert sum(number for _, number in came) == len(rows) and not store.previews, came
    assert all(number == 0 for in_change, number in came if in_change)


def test_a_large_import_before_anybody_was_shown_anything_is_looked_at_by_who_asks_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{**seeds.dialogue(n), "id": f"d-{at}"} for at, n in enumerate((1, *range(1, 40)))]
    monkeypatch.setattr(hidden_rows, "MIN_ROWS", len(rows))
    store = open_store(seeds.address(tmp_path / "large.duckdb"))
    people.join_workspace(store, "lea")
    import_source(store, "lea", from_path(seeds.lines(tmp_path / "rows.jsonl", rows)), ImportPlan("large"))
    assert list(store.previews.values()) == [(store.newest(), None)]
    twins = tuple(str(i) for (i,) in store.rows("select id from item where name in ('d-0', 'd-1') order by id"))
    assert exposure.item_copies(store) == dict.fromkeys(twins, twins) and not store.previews
    store.close()


def _import_copy(house: House, tmp_path: Path, dataset_name: str, change: Callable[[dict[str, Any]], object]) -> str:
    """The first item once more, changed, in another dataset, drawn to be answered blind; its id."""
    again = seeds.dialogue(1)
    change(again)
    seeds.lines(tmp_path / "again.jsonl", [again])
    plan = ImportPlan(dataset=dataset_name, sampling="random", population=10_000)
    import_source(house.store, "lea", from_path(tmp_path / "again.jsonl"), plan)
    other = dataset_named(house.store, dataset_name).id
    settings.set_queue_rules(house.store, "lea", other, QueueRules(overlap=2, assisted_share=0))
    queue.draw_audit(house.store, "lea", other, 1, "", seed=1)
    return str(house.store.rows("select id from item where dataset_id = $1", [other])[0][0])


def test_scores_that_are_asked_for_are_those_of_the_copies_as_well(house: House, tmp_path: Path) -> None:
    copy = _import_copy(house, tmp_path, "again", lambda _: None)
    house.draw()
    assert house.mode("ann", house.ids[0]) == "blind"
    desk.reveal_judges(house.store, "ann", house.ids[0])
    assert copy in house.exposed_items("ann") and house.mode("ann", copy) == "revealed"
    assert exposure.revealed_items(house.store, "ann", [copy]) == set(), "the copy's own scores were not asked for"


@pytest.mark.parametrize("first", [True, False], ids=["copy is there", "copy comes later"])
def test_another_name_and_meta_make_no_other_item(house: House, tmp_path: Path, first: bool) -> None:
    def look() -> None:
        assert desk.open_item(house.store, "ann", house.ids[0]).scores

    def rename(item: dict[str, Any]) -> None:
        item.update(id='an"o\\ther', meta={"seed": 2})

    if not first:
        look()
    copy = _import_copy(house, tmp_path, "again", rename)
    if first:
        assert copy in exposure.blind_pending(house.store, "ann") and house.ids[0] in exposure.blind_pending(
            house.store, "ann"
        )
        look()
    assert copy in house.exposed_items("ann") and house.mode("ann", copy) == "revealed"
    assert house.mode("ben", copy) == "blind"


def test_what_people_said_opens_no_reasons_of_the_judge(house: House) -> None:
    queue.fill_review(house.store, "lea", house.dataset.id, house.judge)

    def reasons() -> list[tuple[str, ...]]:
        return [
            r.reasons for r in listing.list_queue(house.store, "rex", house.dataset.id, "review", QueueFilters()).rows
        ]

    before = reasons()
    adjudication.record_look(house.store, "rex", house.ids)
    assert reasons() == before
    for item in house.ids:
        desk.open_item(house.store, "rex", item)
    assert reasons() != before


@pytest.mark.duckdb_only("a backup is put in the place of a file")
def test_a_restored_backup_forgets_nothing_that_was_seen(house: House, tmp_path: Path) -> None:
    house.store.backup(tmp_path / "b.duckdb")
    assert desk.open_item(house.store, "ann", house.ids[0]).scores
    house.store.close()
    restore(tmp_path / "b.duckdb", house.store.url)
    house.store = open_store(house.store.url)
    house.draw()
    assert house.mode("ann", house.ids[0]) == "revealed" and house.mode("ben", house.ids[0]) == "blind"


def test_a_backup_that_is_taken_away_shows_all_of_its_scores_and_labels(house: House) -> None:
    path = backups.make_backup(house.store, "lea")
    [backup] = backups.list_backups(house.store)
    assert (backup.name, backup.by, backup.revision) == (path.name, "lea", house.store.newest() - 1)
    assert backups.check_backup(house.store, "lea", backup.name) == backup.revision and not house.exposed_items("lea")
    house.draw()
    with pytest.raises(NotAllowed, match="needs the role lead"):
        backups.take_backup(house.store, "rex", backup.name)
    assert backups.take_backup(house.store, "lea", backup.name) == path
    assert house.exposed_items("lea") == set(house.ids) and not house.exposed_items("rex")
    assert not exposure.blind_pending(house.store, "lea") and exposure.blind_pending(house.store, "rex")
    entries = [entry.description for entry in trail.trail_entries(house.store, trail.TrailFilter(("exports",)))]
    assert entries == [f"{done} the backup {path.name}, revision {backup.revision}" for done in ("downloaded", "made")]


def test_items_that_nobody_here_can_answer_blind_are_counted(house: House) -> None:
    house.draw()
    for name in ("lea", "rex", "ann", "ben"):
        assert queue.count_stranded(house.store, house.dataset.id) == 0
        exposure.record_exposures(house.store, name, {house.ids[0]: [house.judge]}, "review desk")
    assert queue.count_stranded(house.store, house.dataset.id) == 1
    people.join_workspace(house.store, "new")
    assert queue.count_stranded(house.store, house.dataset.id) == 0


def test_the_trail_tells_no_score_that_is_not_on_record(house: House) -> None:
    """The words of a decision, the reasons of a draw and the replies of a run, each beside its item."""
    cell = disputes.cells_to_adjudicate(house.store, house.dataset.id)[0]
    decision = cell.item, cell.unit, cell.dimension, 4, "surely a four", cell.token
    adjudication.adjudicate(house.store, "lea", new_id(), *decision)
    queue.fill_review(house.store, "lea", house.dataset.id, house.judge)
    entries = trail.trail_entries(house.store, trail.TrailFilter(trail.KINDS, "", "", None), None, 100)
    assert not any("surely a four" in e.description for e in entries), "seen by all who open the page"
    [(decided,)], [(drew,)] = (house.store.rows(f"select max(seq) from {t}") for t in ("adjudication", "draw"))
    assert "adjudication" in trail.appended_rows(house.store, "rex", decided)
    assert exposure.find_exposures(house.store, "rex", [cell.item])[cell.item] == {exposure.OTHER_PEOPLE}
    assert "draw" in trail.appended_rows(house.store, "rex", drew)
    assert exposure.find_exposures(house.store, "rex", house.ids).keys() == set(house.ids)
    with pytest.raises(NotAllowed):
        trail.appended_rows(house.store, "ann", drew)


def test_the_trail_tells_no_stratum_of_what_may_still_be_answered_blind(house: House) -> None:
    """Strata of scores are scores: "helpfulness 4"."""
    design = SampleDesign("score", "turn.helpfulness", judge=house.judge)
    queue.draw_audit(house.store, "lea", house.dataset.id, 4, "", 1, design)
    [(drew,)] = house.store.rows("select max(seq) from draw")
    strata = dict(house.store.rows("select item_id, stratum from draw where seq = $1 and mode = 'blind'", [drew]))
    seen = min(strata)
    exposure.record_exposures(house.store, "rex", {seen: [house.judge]}, "report")
    rows = trail.appended_rows(house.store, "rex", drew)["draw"]
    rows = [row for row in rows if row["mode"] == "blind"]
    assert {row["item_id"]: row["stratum"] for row in rows} == {i: strata[i] if i == seen else "" for i in strata}
    assert {row["item_id"] for row in rows if row["probability"] is not None} == {seen}
    assert all(strata.values()) and len(strata) > 1
