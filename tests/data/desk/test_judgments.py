"""MT-Bench on the desk: every judge's ratings and texts, references, folded thinking, and what its texts are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.adjudication.adjudication_items import AdjudicationItem
from data.desk import desk
from data.desk.judgments import shows_every_judge
from data.queue.queue import QueueFilters, claim_items
from data.records import exposure
from data.records.datasets import dataset_named
from data.records.items import StoredItem
from data.store import Store
from judges.authoring.custom import from_recipe
from judges.authoring.recipe import check_recipe
from judges.cards import cards
from judges.cards.mt_bench import card as mt_bench
from judges.importing.lines import parse_item
from judges.types import Dimension, Scale
from pages.adjudication.board import board_data
from pages.desk import page as desk_page
from pages.ui.sheet import sheet_data
from tests import seeds

Json = dict[str, Any]
ITEM = "81/m/choice:2"
TEN = Scale("ordinal", 1, 10)
BEYOND = "beyond 11 characters, where the protocol cuts: not judged"
CUT = "cut at 11 characters by the protocol"
THOUGHT, ANSWER = "<think>\nCANARY-THOUGHT\n</think>", "It is **4**."


def answer(first: str = ANSWER, second: str = "It is 5.", **meta: Any) -> Json:
    turns = [
        {"turn": n, "role": role, "text": text}
        for n, both in enumerate((("2 + 2?", first), ("And 2 + 3?", second)), 1)
        for role, text in zip(("user", "assistant"), both, strict=True)
    ]
    return {"id": ITEM, "kind": "dialogue", "system": "m", "turns": turns, "meta": {"question_id": "81", **meta}}


def judgment(model: str, turn: int, text: str, sample: int = 0, **params: str) -> Json:
    reply = {"turn": turn, "judgment": text}
    params = {"protocol": "fastchat", "prompt": "single-v1", **params}
    return {"item": ITEM, "card": "mt_bench", "model": model, "params": params, "part": f"turn:{turn}",
            "sample": sample, "reply": reply}  # fmt: skip


@pytest.fixture
def sheet_of(tmp_path: Path) -> Callable[..., tuple[Store, Json]]:
    """The store of an item with these judgments, and the sheet that ann gets of it."""

    def make(item: Json, *judgments: Json, stream: Any = "review") -> tuple[Store, Json]:
        audit = int(stream == "audit")
        store = seeds.workspace(tmp_path / "a.duckdb", [item, *judgments], review=not audit, audit=audit)
        demo = dataset_named(store, "demo").id
        (view,) = desk.desk_views(store, "ann", claim_items(store, "ann", demo, stream, QueueFilters(), [], 1))
        return store, sheet_data.sheet_data(view)

    return make


def plain_view(item: Json) -> desk.DeskView:
    """An item that no judge has seen."""
    content = parse_item(item)
    stored = StoredItem("id", "d", "demo", False, item["id"], content)
    return desk.DeskView(stored, mt_bench.CARD, "assisted", "open", "", (), "", "", "")


def plain_sheet(item: Json) -> Json:
    """The sheet of such an item."""
    return sheet_data.sheet_data(plain_view(item))


JUDGMENTS = [
    judgment("jury-a", 1, "Good. [[8]]"), judgment("jury-a", 2, "Fine. [[6]]"),
    judgment("jury-b", 1, "Poor. [[3]]", wording="aaaaaa111111"),
    judgment("jury-b", 1, "Poorer. [[2]]", wording="bbbbbb222222"),
    judgment("jury-c", 1, "One. [[8]]"), judgment("jury-c", 1, "Two, without.", 1),
    judgment("jury-c", 1, "Three. [[7]]", 2),
    judgment("jury-d", 1, "As the first. [[8]]"),
]  # fmt: skip


def test_every_judge_stands_beside_a_turn_with_its_rating_its_prompt_and_its_texts(
    sheet_of: Callable[..., tuple[Store, Json]],
) -> None:
    store, sheet = sheet_of(answer(), *JUDGMENTS)
    first, second, _ = sheet["rows"]
    main = first["judgments"][0]
    assert sheet["judges"][0]["card"] == f"MT-Bench rating {main['prompt']}"
    assert main["main"] and [entry["main"] for entry in first["judgments"][1:]] == [False] * 4
    entries = {(entry["judge"], entry["prompt"]): entry for entry in first["judgments"]}
    assert entries.keys() == {
        ("jury-a", "single-v1"), ("jury-b", "single-v1 aaaaaa"), ("jury-b", "single-v1 bbbbbb"),
        ("jury-c · 2 samples, mean", "single-v1"), ("jury-d", "single-v1"),
    }  # fmt: skip
    assert {key[1]: entry["t"] for key, entry in entries.items() if key[0] == "jury-b"} == {
        "single-v1 aaaaaa": "3", "single-v1 bbbbbb": "2"
    }  # fmt: skip
    samples = entries["jury-c · 2 samples, mean", "single-v1"]
    assert samples["t"] == "7.5"
    assert [(sample["t"], sample["why"]) for sample in samples["texts"]] == [
        ("8", ""), ("", "no [[rating]] in the judgment"), ("7", "")
    ]  # fmt: skip
    assert "Two, without." in samples["texts"][1]["text"]
    cell = first["groups"][0]["cells"][0]
    assert main["texts"][0]["text"] is None and cell["judge"]["note"], "the main judge's text is sent once"
    others = {o["t"] for o in cell["others"] if o["by"] != "another sample"}
    assert others == {"8", "7.5", "3", "2"} - {main["t"]}
    assert second["judgments"] == [], "one judge alone needs no list"
    judges = {str(row[0]) for row in store.rows("select id from judge")}
    assert {judge for _, judge in exposure.shown_judges(store, "ann", [sheet["item"]])} == judges and len(judges) == 5
    weight = len(desk_page.cut_to_size([sheet, sheet, sheet]))
    assert weight == 3, "short sheets go together"


def test_beside_a_turn_that_the_main_judge_has_not_judged_stand_all_others(
    sheet_of: Callable[..., tuple[Store, Json]],
) -> None:
    ratings = {("a", 1): "8", ("b", 2): "3", ("c", 2): "5", ("d", 2): "5"}
    _, sheet = sheet_of(
        answer(), *(judgment(model, turn, f"So. [[{value}]]") for (model, turn), value in ratings.items())
    )
    main = sheet["judges"][0]["model"]
    for turn, row in zip((1, 2), sheet["rows"], strict=False):
        others = {(other["by"], other["t"]) for other in row["groups"][0]["cells"][0]["others"]}
        own = ratings.get((main, turn))
        assert others == {(model, value) for (model, of), value in ratings.items() if of == turn and value != own}


def test_where_no_prompt_is_named_the_protocol_stands_beside_the_judge(
    sheet_of: Callable[..., tuple[Store, Json]],
) -> None:
    one, other = {"prompt": ""}, {"prompt": "own", "protocol": ""}
    _, sheet = sheet_of(answer(), judgment("a", 1, "Good. [[8]]", **one), judgment("b", 1, "Poor. [[3]]", **other))
    assert sorted(entry["prompt"] for entry in sheet["rows"][0]["judgments"]) == ["fastchat", "own"]


def test_every_judge_is_shown_only_where_a_rating_is_all_that_one_says_of_a_turn() -> None:
    names = {name for name, card in cards().items() if shows_every_judge(card)}
    assert names == {"mt_bench"}


def test_a_blind_turn_tells_of_no_judge_and_of_no_set_by_its_name(
    sheet_of: Callable[..., tuple[Store, Json]],
) -> None:
    item = answer(reference=["4."], reference_answers={"jury-a": ["4.", "5."], "jury-c": ["4.", "Five."]})
    store, sheet = sheet_of(item, *JUDGMENTS, stream="audit")
    assert sheet["mode"] == "blind"
    assert not any(word in json.dumps(sheet) for word in ("jury", "Good", "Poor", "single-v1"))
    assert [row["judgments"] for row in sheet["rows"]] == [[], [], []]
    assert [t["label"] for row in sheet["rows"] for t in row["texts"] if t["role"] == "reference"] == [
        "reference: the judges' set"] * 3  # fmt: skip
    assert exposure.shown_judges(store, "ann", [sheet["item"]]) == set()


@pytest.mark.parametrize(
    ("meta", "labels"),
    [
        ({"reference": ["4.", "5."]}, ["the judges' set", "the judges' set"]),
        ({"reference": ["4.", "5."], "reference_answer": []}, ["the question's own", "the question's own"]),
        ({"reference": ["4.", ""], "reference_answer": ["4.", "5!"]},
         ["the question's own, the judges' set", "the judges' set"]),
        ({"reference": ["4."], "reference_answers": {"a": ["4."], "b": ["4.", 7], "c": "5"}}, ["set a, set b"]),
        ({"reference": ["4."], "reference_answer": ["x"], "reference_answers": {"a": ["x"], "b": ["y"]}},
         ["the question's own", "set a", "set b"]),
        ({"reference": "4."}, []), ({"reference": {"x": 3}}, []), ({}, []),
    ],
)  # fmt: skip
def test_a_reference_says_whose_it_is(meta: Json, labels: list[str]) -> None:
    sheet = plain_sheet(answer(**meta))
    references = [t for row in sheet["rows"] for t in row["texts"] if t["role"] == "reference"]
    assert [t["label"] for t in references] == [f"reference: {label}" for label in labels]


@pytest.mark.parametrize(
    ("text", "parts", "marks"),
    [
        (f"{THOUGHT}\n{ANSWER}", [("thinking", THOUGHT), ("", f"\n{ANSWER}")], [CUT]),
        (f"{THOUGHT}\nYes.", [("thinking", THOUGHT), ("", "\nYes.")],
         ["longer, with its thinking, than the 11 characters at which the protocol cuts"]),
        ("A <reason>x</reason> b<think>", [("", "A "), ("thinking", "<reason>x</reason>"), ("", " b"),
         ("<think> is never closed: the rest may be thinking, or the answer", "<think>")], [CUT]),
        ("cut off here, and kept", [("", "cut off her"), (BEYOND, "e, and kept")], []),
        ("b</think>c", None, ["</think> has no opening tag: the text before it may be thinking"]),
        ("1 < 2 > 0", None, []), ("cut off her", None, [CUT]),
    ],
)  # fmt: skip
def test_thinking_is_told_apart_and_a_text_says_where_it_was_cut(
    text: str, parts: list[tuple[str, str]] | None, marks: list[str]
) -> None:
    first, second, _ = plain_sheet(answer(text, "Short.", cut_at=11))["rows"]
    entry = first["texts"][1]
    assert entry.get("parts") == ([{"why": why, "text": part} for why, part in parts] if parts else None)
    assert ("text" in entry) == (parts is None) and entry.get("marks", []) == marks
    assert second["texts"][1] == {"role": "assistant", "label": "", "text": "Short."}


def test_a_turn_that_ran_into_a_limit_or_was_refused_says_so() -> None:
    first, second, _ = plain_sheet(answer(cut_off=[2], refused=[1]))["rows"]
    assert first["texts"][1]["marks"] == ["marked as a refusal by the endpoint"]
    assert second["texts"][1]["marks"] == ["cut off by the limit of tokens"]


@pytest.mark.parametrize(
    ("scale", "value", "near"),
    [
        (TEN, 8.5, [8, 9]), (TEN, 8.4, None), (TEN, 8, None), (TEN, None, None),
        (Scale("interval", 1, 5, step=0.5), 2.25, [2, 2.5]),
        (Scale("interval", 1, 5, step=0.5), 2.5, None), (Scale("interval", 0, 1), 0.37, None),
        (Scale("ordered", categories=("bad", "fair", "good")), 0.5, [0, 1]), (Scale("turn"), 2, None),
    ],
)  # fmt: skip
def test_a_value_in_the_middle_of_two_answers_is_neither(
    scale: Scale, value: float | None, near: list[float] | None
) -> None:
    item = answer()
    item["turns"] = item["turns"][:2]
    view = replace(plain_view(item), card=replace(mt_bench.CARD, dimensions=(Dimension("rating", "turn", scale, ""),)))
    view.scores["turn:1", "rating"] = desk.JudgeValue(value, None, "")
    judge = sheet_data.sheet_data(view)["rows"][0]["groups"][0]["cells"][0]["judge"]
    assert (judge["between"] and judge["between"]["near"]) == near
    assert judge["between"] is None or (judge["between"]["v"] == value and judge["exact"])


def test_a_conversation_that_was_never_held_says_so_at_its_second_turn() -> None:
    sheet = plain_sheet(answer(choice=2, continues=0))
    assert sheet["choice"] == 2
    notice = "Turn 2 was asked after choice 0's first answer, not after this one: "
    notice += "the conversation never took place as it is shown here."
    assert [row["notices"] for row in sheet["rows"]] == [[], [notice], []]
    on_board = AdjudicationItem(plain_view(answer(choice=2, continues=0)), [], [], [], None, {})
    assert [row["notices"] for row in board_data.item_data(on_board, "lea")["rows"]] == [[], [notice]]
    for item in (answer(), answer(continues=0), answer(choice=3, continues=3), answer(choice="3", continues=True)):
        assert not any(row["notices"] for row in plain_sheet(item)["rows"])


def test_a_reply_about_the_whole_item_that_could_not_be_used_stands_at_each_unit_that_the_card_asks_about(
    sheet_of: Callable[..., tuple[Store, Json]],
) -> None:
    """Two of three judges were every judge."""
    question = {"name": "zz_tone", "unit": "turn", "definition": "How kind?", "answers": {"hi": 5}}
    own = from_recipe(check_recipe({"name": "zz_card", "title": "Tone", "kind": "dialogue", "dimensions": [question]}))
    turns = [{"turn": n, "scores": {"zz_tone": 3}, "note": "kind"} for n in (1, 2)]
    replies = [{"per_turn": turns}, {"per_turn": turns}, {"per_turn": []}]
    lines = [
        {"item": ITEM, "card": "zz_card", "model": f"m{n}", "params": {}, "reply": reply}
        for n, reply in enumerate(replies)
    ]
    _, sheet = sheet_of(answer(), {"card": own.spec}, *lines)
    judges = [row["judgments"] for row in sheet["rows"]]
    rows = [[(judge["judge"], judge["t"], judge["texts"][0]["text"]) for judge in every] for every in judges]
    assert [row for row in rows if row] == [[("m0", "3", None), ("m1", "3", "kind"), ("m2", "", '{"per_turn":[]}')]] * 2
