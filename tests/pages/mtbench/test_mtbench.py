"""The page MT-Bench in a real browser: its parts, what is empty, and where a disagreement leads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from data.importing.files.source import from_bytes
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import people
from data.store import Store, open_store
from tests.data.imports import text
from tests.pages.desk_driver import at_rest, enter, press
from tests.server import Server

NASTY = "モデル <b>x</b> ![a](https://canary.test/a.png)"
MODELS = (NASTY, "m/two")
JUDGES = ("審査官 **a**", "judge-b")


def bring(store: Store, dataset: str, judges: tuple[str, ...], games: bool = False) -> None:
    """Six questions in three categories, answered by two models and rated by some judges: the n-th is n lower.

    With `games` a judge has also compared the answers to the first question, and its replies could not be read.
    """
    categories = ("数学", "writing", "coding")
    questions = [{"question_id": n, "category": categories[n % 3], "turns": [f"問{n}", "続き"]} for n in range(1, 7)]
    answers = [
        {"question_id": q["question_id"], "model_id": model, "choices": [{"index": 0, "turns": ["答え", "また"]}]}
        for q in questions for model in MODELS
    ]  # fmt: skip
    files: dict[str, list[Any]] = {"question.jsonl": questions, "answers.jsonl": answers}
    for place, judge in enumerate(judges):
        files[f"j{place}_single.jsonl"] = [
            {"question_id": q["question_id"], "model": model, "judge": [judge, "single-v1"], "turn": turn}
            | {"judgment": f"[[{9 - 5 * place * ((q['question_id'], turn) == (3, 2)) - (model == NASTY)}]]", "score": 9}
            for q in questions for model in MODELS for turn in (1, 2)
        ]  # fmt: skip
    if games:
        pair = {"question_id": 1, "turn": 1, "model_1": MODELS[0], "model_2": MODELS[1]}
        pair |= {"judge": ["judge-c", "pair-v2"], "g1_winner": "error", "g2_winner": "error"}
        files["judge-c_pair.jsonl"] = [{**pair, "g1_judgment": "?", "g2_judgment": "?"}]
    source = from_bytes([(name, text(rows)) for name, rows in files.items()])
    import_source(store, "lea", source, ImportPlan(dataset, sampling="all"))


@pytest.fixture(scope="module")
def app(serve_all: Callable[..., Server]) -> Server:
    """The app with MT-Bench by two judges, by one, and without a rating."""
    server = serve_all(start=False)
    store = open_store(server.store)
    people.join_workspace(store, "lea")
    people.join_workspace(store, "ann")
    bring(store, "two", JUDGES)
    bring(store, "one", JUDGES[:1])
    bring(store, "none", ())
    bring(store, "unread", (), games=True)
    store.close()
    server.start()
    return server


def look(page: Any, app: Server, dataset: str, part: str) -> Any:
    """A part of the page, drawn."""
    enter(page, app.url, "lea", f"mtbench?dataset={dataset}&part={part}")
    at_rest(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    return page.get_by_test_id("stMain")


@pytest.mark.slow
def test_results_name_models_and_judges_as_text(app: Server, page: Any) -> None:
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    main = look(page, app, "two", "results")
    expect(main).to_contain_text("6 questions, 2 models, 2 judges.")
    expect(main).to_contain_text("failed judgments left out")
    expect(main.locator("svg.plot").first).to_contain_text(NASTY[:12])
    expect(page.locator("svg.main-svg").first).to_contain_text("数学")  # the radar
    page.get_by_text("Rules of aggregation side by side").click()
    expect(main).to_contain_text("No rule moves a mean")
    assert not [url for url in urls if "canary" in url]


@pytest.mark.slow
def test_the_largest_disagreement_leads_to_the_desk(app: Server, page: Any) -> None:
    main = look(page, app, "two", "judges")
    expect(main).to_contain_text(re.compile(r"From 24 turns of 6 questions that both rated"))
    page.get_by_role("radio", name="Category").click()
    page.wait_for_url(re.compile("by=category"))
    press(page, main.get_by_test_id("stDataFrame").last, 100, 50, r"desk\?.*item=")


def test_what_is_missing_is_said_with_the_way_to_it(app: Server, page: Any) -> None:
    main = look(page, app, "none", "results")
    expect(main).to_contain_text("No judge has rated the answers of this dataset.")
    expect(main.get_by_role("link", name="Import judgments")).to_be_visible()
    page.get_by_role("radio", name="Judges compared").click()
    expect(main).to_contain_text("Two judges are needed")
    main = look(page, app, "unread", "results")
    expect(main).to_contain_text("None of these verdicts can be counted.")
    main = look(page, app, "one", "judges")
    expect(main).to_contain_text("Two judges are needed")


@pytest.mark.slow
def test_a_researcher_writes_a_protocol_that_all_parts_then_offer(app: Server, page: Any) -> None:
    main = look(page, app, "two", "protocols")
    expect(main).to_contain_text("turn 1 of the first sample")
    page.get_by_text("Add or change a protocol").click()
    at_rest(page)
    box = main.get_by_role("textbox", name="The protocol as JSON")
    original = box.input_value()
    for draft, message in (
        (original, "The protocol fastchat is built in and stays as it is."),
        (original.replace('"samples": 1', '"samples": 0'), "samples: Input should be greater than or equal to 1."),
        ("[", "it is not JSON"),
    ):
        box.fill(draft)
        main.get_by_role("button", name="Save").click()
        expect(main).to_contain_text(message)
    title = json.loads(original)["title"]
    box.fill(original.replace('"name": "fastchat"', '"name": "mine"').replace(title, "**Mine** <i>x</i>"))
    main.get_by_role("button", name="Save").click()
    page.wait_for_url(re.compile("protocol=mine"))
    at_rest(page)
    expect(main).to_contain_text(re.compile("mine@[0-9a-f]{8}"))
    page.get_by_role("radio", name="Results").click()
    at_rest(page)
    page.get_by_role("combobox", name="Read by the rules of").click()
    expect(page.get_by_role("option", name="**Mine** <i>x</i>")).to_be_visible()
    enter(page, app.url, "lea", "mtbench?dataset=two&part=why&to-rules=mine")
    # Turn 2 of question 3 is five points lower with judge-b, for both models: 10 points over 24 turns.
    expect(main).to_contain_text("difference +0.417")
    expect(main).to_contain_text("mine")
    expect(page.locator("svg.main-svg").first).to_contain_text("judge")  # the waterfall
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_whoever_labels_sees_protocols_and_prompts_and_writes_none(app: Server, page: Any) -> None:
    enter(page, app.url, "ann", "mtbench?dataset=two&part=protocols")
    at_rest(page)
    main = page.get_by_test_id("stMain")
    main.get_by_text("assay-japanese", exact=True).click()
    expect(main).to_contain_text("An answer without any Japanese gets a 1")
    expect(main.get_by_text("Add or change a protocol")).to_have_count(0)
