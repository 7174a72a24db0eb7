"""Real judge outputs on the real desk: MT-Bench in Japanese beside gpt-4o's ratings, labelled in the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.calibration import score_sums
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, people
from data.store import open_store
from tests.pages.desk_driver import accept_all, all_saved, enter, on_item
from tests.server import Server

MEANS = {
    ("gpt-4o", "shisa-ai/shisa-v2-llama3.1-8b"): (7.6375, 7.1750, 7.40625),
    ("gpt-4o", "shisa-ai/shisa-v2-llama3.3-70b"): (9.0750, 7.8125, 8.44375),
    ("gpt-4.1-2025-04-14", "shisa-ai/shisa-v2-llama3.1-8b"): (7.4125, 6.5750, 6.99375),
    ("gpt-4.1-2025-04-14", "shisa-ai/shisa-v2-llama3.3-70b"): (8.9625, 7.8500, 8.40625),
}


@pytest.mark.slow
def test_japanese_mt_bench_is_labelled_beside_two_judges(serve: Callable[..., Server], page: Any, real: Path) -> None:
    app = serve(start=False)
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    import_source(store, "lea", from_path(real / "mt_bench_ja"), ImportPlan(dataset="mt_bench_ja"))
    dataset = datasets.dataset_named(store, "mt_bench_ja")
    judges = {model: judge for judge, _, model, *_ in datasets.dataset_judges(store, dataset.id)}
    assert set(judges) == {"gpt-4o", "gpt-4.1-2025-04-14"}
    assert queue.fill_review(store, "lea", dataset.id, judges["gpt-4o"]) == 160
    store.close()
    app.start()
    enter(page, app.url, "lea", "desk?dataset=mt_bench_ja&stream=review")
    item = on_item(page)
    assert page.locator(".sheet .cell").count() == 2
    page.keyboard.press("o")
    page.locator(".judgment .clip").nth(1).wait_for()
    judgments = [judgment.inner_text() for judgment in page.locator(".judgment").all()]
    assert [(*judgment.split("\n")[1:3],) == ("gpt-4o", "single-v1") for judgment in judgments] == [True, False] * 2
    assert all("[[" in judgment for judgment in judgments[:2]), "the texts of both judges"
    page.keyboard.press("3")  # the first turn's rating: 3 instead of the judge's
    page.keyboard.press("0")  # the second's: 10
    page.keyboard.press("Control+Enter")
    accept_all(page, 5)
    all_saved(page)
    app.stop()
    store = open_store(app.store)
    assert store.rows("select unit, value from label_now where item_id = $1 order by unit", [item]) == [
        ("turn:1", 3.0),
        ("turn:2", 10.0),
    ]
    assert store.rows("select count(*) from answer") == [(6,)]
    exposures = store.rows("select distinct judge_id from exposure where item_id = $1 and person = 'lea'", [item])
    assert {judge for (judge,) in exposures} == set(judges.values())
    for (model, system), (first, second, both) in MEANS.items():
        by_unit = {
            m.unit: m.mean for m in score_sums.score_means(store, dataset.id, judges[model]) if m.system == system
        }
        assert by_unit["turn:1"] == pytest.approx(first, abs=5e-5)
        assert by_unit["turn:2"] == pytest.approx(second, abs=5e-5)
        assert by_unit[""] == pytest.approx(both, abs=5e-5)
    store.close()
