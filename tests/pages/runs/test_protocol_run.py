"""A protocol of MT-Bench from the Runs page: questions of a file, the plan, a dry run, both runs."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from data.records import datasets, people
from data.store import open_store
from tests.data.mtbench.bench_counts import count_bench
from tests.pages.desk_driver import at_rest, enter

QUESTIONS = [
    {"question_id": 1, "category": "writing", "turns": ["Write of Kyoto.", "Make it short."]},
    {"question_id": 2, "category": "math", "turns": ["1+1?", "2+2?"]},
]


@pytest.mark.slow
def test_a_protocol_is_planned_tried_and_run_to_its_ratings_without_a_key(serve, page) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    store.close()
    app.start()
    enter(page, app.url, "lea", "runs?form=protocol")
    rows = "".join(json.dumps(row) + "\n" for row in QUESTIONS).encode()
    page.set_input_files("input[type=file]", {"name": "question.jsonl", "mimeType": "text/plain", "buffer": rows})
    expect(page.get_by_text("Answers by practice-heuristic: 4 calls for 2 questions")).to_be_visible()
    expect(page.get_by_text("Ratings of turns by practice-heuristic: 4 calls for 4 turns")).to_be_visible()
    page.get_by_role("button", name="Dry run of a question of each sort").click()
    expect(page.get_by_text("Nothing of this was stored")).to_be_visible()
    expect(page.get_by_text("Answers: 1 · 2 calls · answered")).to_be_visible()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("2 of 2 questions")).to_be_visible()
    expect(page.get_by_text("2 answered")).to_be_visible()
    done = page.get_by_text("Ratings of turns by practice-heuristic: nothing is left to ask.")
    for _ in range(20):  # the ratings go on in the background, and the form does not follow them
        page.goto(f"{app.url}/runs?form=protocol")
        at_rest(page)
        if done.is_visible():
            break
    expect(done).to_be_visible()
    expect(page.get_by_role("button", name="Start")).to_be_disabled()
    app.stop()
    store = open_store(app.store)
    [dataset] = datasets.all_datasets(store)
    assert (dataset.name, dataset.synthetic) == ("MT-Bench fastchat, practice", True)
    assert count_bench(store)[dataset.id] == (2, 4, 0, 0)
    store.close()
