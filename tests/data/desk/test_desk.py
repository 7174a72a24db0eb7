"""What the desk shows of an item: names that a blind item hides, and what is said where judges disagree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data.adjudication import adjudication, adjudication_items
from data.cards.desk_cards import choose_desk_cards
from data.desk import desk
from data.queue.queue import OfferedItem, QueueFilters, claim_items
from data.records import exposure, people, settings
from data.records.datasets import dataset_named
from data.records.settings import GoldRule
from data.records.tables import ScoreRow
from data.store import Store, Tx, open_store
from data.store.errors import NotAllowed
from pages.adjudication.board import board_data as board
from pages.ui.sheet import sheet_data
from tests import seeds
from tests.data.cells import Cell, fill

PAIR = {
    "id": "81/GPT 4-vs-vicuna",
    "kind": "pair",
    "input": "Write.",
    "response_a": {"system": "gpt-4", "text": "One."},
    "response_b": {"system": "vicuna", "text": "Two."},
    "meta": {"writer": "gpt-4"},
}


def _names_system(content: object) -> bool:
    return any(name in json.dumps(content).lower() for name in ("gpt", "vicuna"))


def test_a_blind_pair_names_no_system_until_a_lead_allows_it(tmp_path: Path) -> None:
    labels = [
        {"item": PAIR["id"], "unit": "pair", "dimension": "verdict", "value": v, "annotator": name, "mode": "assisted",
         "made_at": "2026-01-31T12:00:00Z"}
        for name, v in (("old", "a"), ("elder", "b"))
    ]  # fmt: skip
    store = seeds.workspace(tmp_path / "a.duckdb", [PAIR, *labels], audit=1)
    demo = dataset_named(store, "demo").id
    settings.set_gold_rule(store, "lea", demo, GoldRule("majority", 0))

    def sheet() -> dict[str, object]:
        (view,) = desk.desk_views(store, "ann", claim_items(store, "ann", demo, "audit", QueueFilters(), [], 1))
        return sheet_data.sheet_data(view)

    def on_board() -> dict[str, object]:
        cells = adjudication.adjudication_work(store, "lea", demo).own
        (item,) = adjudication_items.load_adjudication_items(store, "lea", cells, 1)
        return board.item_data(item, "lea")

    blind = sheet()
    assert blind["mode"] == "blind" and blind["unnamed"] and str(blind["name"]).startswith("item ")
    assert not _names_system(blind) and not _names_system(on_board())
    with pytest.raises(NotAllowed):
        settings.hide_systems(store, "ann", demo, False)
    settings.hide_systems(store, "lea", demo, False)
    assert sheet()["systems"] == ["gpt-4", "vicuna"] and sheet()["name"] == PAIR["id"] and _names_system(on_board())


@pytest.fixture
def two_judges(tmp_path: Path) -> Store:
    item = seeds.dialogue(1)
    rows = [seeds.judgment(item), seeds.judgment(item, seeds.reply(item, helpfulness=1), model="judge-b")]
    return seeds.workspace(tmp_path / "a.duckdb", [item, *rows])


def test_what_another_judge_said_stands_where_they_disagree_and_its_showing_is_on_record(two_judges: Store) -> None:
    store, demo = two_judges, dataset_named(two_judges, "demo").id
    (view,) = desk.desk_views(store, "ann", claim_items(store, "ann", demo, "review", QueueFilters(), [], 1))
    cell = ("turn:1", "helpfulness")
    assert view.marks[cell] == "turn 1 helpfulness: judge-one disagrees"
    assert [(o.name, o.value) for o in view.others[cell]] == [("judge-one", 4.0)]
    assert ("turn:1", "safety") not in view.others
    sheet = sheet_data.sheet_data(view)
    assert [j["model"] for j in sheet["judges"]] == ["judge-b"] and sheet["judges"][0]["card"] == "Multi-turn dialogue"
    assert {"text": view.marks[cell], "unit": "turn:1", "dimension": "helpfulness"} in sheet["why"]
    sheet_cell = sheet["rows"][0]["groups"][0]["cells"][1]
    assert (sheet_cell["reason"], sheet_cell["others"]) == (view.marks[cell], [{"by": "judge-one", "v": 4.0, "t": "4"}])
    judges = {str(r[0]) for r in store.rows("select id from judge")}
    assert {judge for _, judge in exposure.shown_judges(store, "ann", [view.item.id])} == judges


def test_who_does_not_work_here_opens_nothing_and_is_shown_nothing(two_judges: Store) -> None:
    item, before = str(two_judges.rows("select id from item")[0][0]), two_judges.newest()
    with pytest.raises(NotAllowed, match="Nobody called 'nobody' is known here"):
        desk.open_item(two_judges, "nobody", item)
    assert two_judges.newest() == before


def test_of_two_cards_on_one_sheet_each_says_what_it_is_asked_and_whose_rule_is_broken(tmp_path: Path) -> None:
    """The second card asks for a verdict as the first does: its rules are told by its name, its notes are not shown."""
    store = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    people.join_workspace(store, "lea")
    cells = [Cell(0, "pair", (), 0.0, dimension="verdict"), Cell(1, "pair", (), "unscored", dimension="verdict")]
    dataset, long = fill(store, cells, kind="pair", card="long_form_pairwise")
    items = {str(name): str(key) for key, name in store.rows("select id, name from item")}
    remarks = [
        (long, "pair", "verdict", "rule", "it is too sure"), ("plain", "pair", "verdict", "rule", "it has a tie"),
        ("plain", "pair", "", "rule", "it is too long"), ("plain", "pair", "verdict", "note", "hardly"),
        (long, "pair", "verdict", "note", "clearly"), (long, "pair", "", "note", "in all"),
        (long, "response/a", "", "note", "of A"), ("plain", "response/b", "", "note", "of B"),
    ]  # fmt: skip

    def work(tx: Tx) -> None:
        tx.add("judge", "id, card, card_version, model, params, synthetic",
               [("plain", "plain_pairwise", "1", "m2", "{}", False)])  # fmt: skip
        tx.add("judgment", "id, judge_id, item_id, part, sample, raw, unscored, why",
               [("j0", "plain", items["item 0"], "", 0, "{}", "", ""),
                ("j1", "plain", items["item 1"], "pair", 0, "", "unreadable", "it is empty")])  # fmt: skip
        tx.add("remark", "judgment_id, judge_id, item_id, unit, dimension, sort, text, sample",
               [("j0", judge, items["item 0"], *rest, 0) for judge, *rest in remarks])  # fmt: skip

    store.tx("lea", "more", work)
    choose_desk_cards(store, "lea", dataset, ["long_form_pairwise", "plain_pairwise"])
    claims = [OfferedItem("", items[f"item {n}"], "open", "assisted", long) for n in range(2)]
    assert desk.desk_views(store, "lea", []) == []
    first, second = desk.desk_views(store, "lea", claims)
    assert [layer.card.name for layer in first.layers] == ["long_form_pairwise", "plain_pairwise"]
    flags = ("mid_content_drift", "lost_in_middle", "hallucinated_continuation", "false_completeness",
             "format_collapse", "aggregate")  # fmt: skip
    assert sorted(first.remarks) == sorted([
        ("pair", "verdict", "rule", "it is too sure"), ("pair", "verdict", "note", "clearly"),
        ("pair", "verdict", "rule", "Plain pair, verdict: it has a tie"),
        ("pair", "", "rule", "Plain pair: it is too long"),
        *(("response/a", flag, "note", "of A") for flag in flags),
    ])  # fmt: skip
    assert second.remarks == [
        ("", "", "rule", "The judge's reply could not be used: ."),
        ("pair", "", "rule", "Plain pair: the judge's reply could not be used: it is empty."),
    ]

    def ask_again(tx: Tx) -> None:
        for sample, value in enumerate((0.0, 1.0, 1.0), 1):
            row = ScoreRow(f"s{sample}", long, items["item 0"], "pair", "verdict", value, None, "", sample)
            tx.append([row])

    store.tx("lea", "samples", ask_again)
    (again,) = desk.desk_views(store, "lea", claims[:1])
    rules = [text for *_, sort, text in again.remarks if sort == "rule"]
    assert sorted(rules) == [
        "In the first sample: it is too sure", "Plain pair, verdict: it has a tie", "Plain pair: it is too long",
    ], "which was asked once"  # fmt: skip
    store.close()


def test_the_ends_of_a_scale_are_said_once(two_judges: Store) -> None:
    claims = claim_items(two_judges, "ann", dataset_named(two_judges, "demo").id, "review", QueueFilters(), [], 1)
    (view,) = desk.desk_views(two_judges, "ann", claims)
    by_name = {d.name: sheet_data.anchors(d) for d in view.card.dimensions}
    assert by_name["coherence"][-1] == ("5", "one continuous conversation")
    assert by_name["helpfulness"] == (), "its definition says both"
    assert by_name["verdict"] == (("poor", "lowest"), ("excellent", "highest"))
    assert by_name["weakest_turn"] == ()
