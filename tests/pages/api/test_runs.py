"""Runs as programs start, stop and resume them: begun once, under their limits, refused as on the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.runs import endpoints, runs
from data.store import Store
from tests.pages.api.client import Program, programs, workspace
from tests.pages.api.test_server import check_refusal
from tests.practice_server import practice

ORDER = {"dataset": "demo", "card": "multi_turn_dialogue", "model": "practice-constant"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = workspace(tmp_path)
    yield store
    runs.close(store)
    store.close()


@pytest.fixture
def rea(store: Store) -> Iterator[Program]:
    with programs(store) as by_person:
        yield by_person["rea"]


def post(by: Program, path: str, body: dict[str, Any], key: str = "") -> Any:
    return by.ask("POST", path, {"idempotency-key": key} if key else {}, json=body)


def test_a_run_is_begun_once_and_keeps_to_its_limit(rea: Program, store: Store) -> None:
    with practice() as server:
        order = {**ORDER, "endpoint": {"base_url": server.url}, "price": [1.0, 2.0], "spending_limit": 9.0}
        first, again = post(rea, "/runs", order, "a"), post(rea, "/runs", order, "a")
        run = first.json()["run"]
        assert again.json() == {"run": run} and again.headers["idempotent-replayed"] == "true"
        runs.wait(store, run)
        for key in ("b", ""):
            assert "Nothing is left to ask" in check_refusal(post(rea, "/runs", order, key), 400)["detail"]
    report = rea.get(f"/runs/{run}").json()
    assert (report["state"], report["done"], report["scored"], report["spending_limit"]) == ("finished", 6, 6, 9.0)
    assert [row["id"] for row in rea.get("/runs").json()["runs"]] == [run] and 0 < report["cost"] < 9
    check_refusal(post(rea, "/runs", {**ORDER, "most": 3}, "a"), 409)


def test_a_run_is_stopped_and_resumed(rea: Program, store: Store) -> None:
    with practice(latency_ms=200) as server:
        order = {**ORDER, "endpoint": {"base_url": server.url, "concurrency": 1}, "params": {"temperature": 1}}
        run = post(rea, "/runs", order).json()["run"]
        assert "goes on already" in check_refusal(post(rea, f"/runs/{run}/resume", {}), 400)["detail"]
        assert post(rea, f"/runs/{run}/stop", {}, "s").json() == {"run": run}
        assert runs.wait(store, run).state == "stopped"
        assert "below it" not in post(rea, f"/runs/{run}/resume", {"spending_limit": 1, "price": [0, 0]}, "r").text
        assert runs.wait(store, run).state == "finished"
        assert post(rea, f"/runs/{run}/resume", {"spending_limit": 1, "price": [0, 0]}, "r").json() == {"run": run}
        assert server.log.answered <= 7
    assert runs.run_judge(store, run).params["temperature"] == 1.0


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"dataset": "none"}, 404, "none"),
    ({"card": "none"}, 404, "GET /cards"),
    ({"card": "long_form_pairwise"}, 400, "no pair"),
    ({"model": " "}, 400, "Choose a model"),
    ({"model": "unheard-of", "spending_limit": 1.0}, 400, "give the price"),
    ({"spending_limit": -1}, 400, "greater than 0"),
    ({"price": [1]}, 400, "price"),
    ({"price": [-1.0, 1.0]}, 400, "0 or more"),
    ({"params": {"protocol": "x"}}, 400, "protocols of MT-Bench"),
    ({"params": {"temperature": 3}}, 400, "temperature"),
    ({"endpoint": {"key_variable": "ASSAY_OIDC_CLIENT_SECRET"}}, 400, "setting of the server"),
    ({"endpoint": {"base_url": "file:///etc/passwd"}}, 400, "http"),
    ({"endpoint": {"base_url": "http://127.0.0.1:9", "tries": 1}}, 400, "127.0.0.1:9"),
    ({"oops": 1}, 400, "'oops' is an unknown key. Remove it."),
]


def test_what_the_page_refuses_is_refused(rea: Program, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for change, status, words in REFUSED:
        assert words in check_refusal(post(rea, "/runs", {**ORDER, **change}), status)["detail"]
    monkeypatch.setattr(endpoints, "_listed", [])
    elsewhere = {**ORDER, "endpoint": {"base_url": "http://127.0.0.1:9"}}
    assert "ASSAY_ENDPOINTS" in check_refusal(post(rea, "/runs", elsewhere), 403)["detail"]
    for action in ("stop", "resume"):
        check_refusal(post(rea, f"/runs/none/{action}", {}), 404)
    assert store.rows("select count(*) from run") == [(0,)]
