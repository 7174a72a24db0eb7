"""What those who watch over the server are told: that it saves, and its numbers, which are not for everybody."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from data.store import open_store
from data.store.errors import StoreFailed
from pages.server import health
from tests import seeds
from tests.data.test_metrics import parse_metrics
from tests.pages.desk_driver import accept_all, all_saved, enter, patiently
from tests.server import Server

Serve = Callable[..., Server]
FULL = (64, resource.RLIM_INFINITY)


def test_a_store_that_cannot_be_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Away:
        def newest(self) -> int:
            raise StoreFailed("The database does not answer.")

    monkeypatch.setattr(st, "get_option", lambda name: "/team/assay" if name == "server.baseUrlPath" else None)
    with TestClient(Starlette(routes=health.routes(Away))) as client:  # type: ignore[arg-type]
        answers = [client.get("/health"), client.get("/team/assay/health")]
        assert client.get("/_stcore/health").status_code == 404, "Streamlit's own, which gives the cookie for uploads"
    for answer in answers:  # below a path, pages answered that all is well, whatever was wrong
        assert (answer.status_code, answer.json()) == (503, {"status": "failing", "why": "StoreFailed"})


def test_a_store_that_does_not_save_is_told_to_the_log_each_time_that_it_is_tried(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Full:
        def check_writable(self) -> None:
            raise StoreFailed("The disk is full.")

    saving = health._Saving()
    assert [saving.try_saving(Full) for _ in range(3)] == ["StoreFailed"] * 3  # type: ignore[arg-type]
    assert [record.msg for record in caplog.records] == ["health_failed"], "it is fresh for a while"
    monkeypatch.setattr(health, "FRESH_SECONDS", 0.0)
    assert saving.try_saving(Full) and len(caplog.records) == 2  # type: ignore[arg-type]


def test_it_saves_and_leaves_no_row_and_says_when_it_cannot(serve: Serve) -> None:
    app = serve(start=False)
    seeds.dialogues(app.store_path, 2)
    app.start()
    before = app.get("/health")[2]
    log = app.store_path.with_name("assay.duckdb.wal")
    size = log.stat().st_size if log.exists() else 0
    assert app.get("/healthz")[::2] == (200, '{"status":"ok"}')
    after = log.stat().st_size
    assert after > size, "something was saved"
    for _ in range(50):
        assert app.get("/healthz")[0] == 200
    assert log.stat().st_size < after + 50 * 100, "asking does not save each time"
    assert app.get("/health")[2] == before
    assert app.process is not None
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, FULL)
    assert patiently(lambda: app.get("/healthz")[0] == 503)
    assert app.get("/healthz")[::2] == (503, '{"status":"failing","why":"StoreFailed"}')
    assert app.get("/health")[0] == 200, "what there is can still be read"
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    assert patiently(lambda: app.get("/healthz")[0] == 200)
    app.kill()
    store = open_store(app.store)
    assert store.newest() == int(before.partition('"changes":')[2].rstrip("}"))
    store.close()


def test_the_numbers_are_those_of_the_work_and_name_nobody(serve: Serve, page: Any) -> None:
    app = serve(start=False)
    seeds.dialogues(app.store_path, 6, names=("lea", "ann the canary"))
    app.start()
    enter(page, app.url, "ann the canary")
    accept_all(page, 3)
    all_saved(page)
    status, headers, text = app.get("/metrics")
    assert (status, headers["content-type"]) == (200, health.TYPE)
    metrics = parse_metrics(text)
    assert metrics["assay_answers_total"][1][("outcome", "saved"),] == 3
    assert 1 <= metrics["assay_save_seconds"][1][("part", "_count"),] <= 3
    assert metrics["assay_queue_items"][1] == {(("stream", "audit"),): 0, (("stream", "review"),): 3}
    assert metrics["assay_open_tabs"][1] == {(): 1} and metrics["assay_store_up"][1] == {(): 1}
    assert metrics["assay_process_memory_bytes"][1][()] > 50e6
    assert metrics["assay_revision"][1][()] == int(app.get("/health")[2].partition('"changes":')[2].rstrip("}"))
    assert not [word for word in ("canary", "lea", "demo", "model-x", "d-0001") if word in text]


def test_with_a_token_only_who_brings_it_is_answered(serve: Serve) -> None:
    app = serve(env={"ASSAY_METRICS_TOKEN": "a-canary-token"})
    for header in ("", "Bearer", "Bearer a-canary-token2", "Bearer \xe9"):
        assert app.get("/metrics", {"Authorization": header} if header else {})[0] == 404
    assert app.get("/metrics", {"Authorization": "Bearer a-canary-token"})[0] == 200
    assert "canary" not in app.log


@pytest.mark.parametrize(("client", "local", "let"), [
    ("127.0.0.1", True, True), ("::1", True, True), ("10.0.0.5", True, False), ("127.0.0.1", False, False),
])  # fmt: skip
def test_without_a_token_only_this_machine_while_it_has_no_other_name(
    monkeypatch: pytest.MonkeyPatch, client: str, local: bool, let: bool
) -> None:
    """Behind a proxy everybody comes from the proxy's machine."""
    from starlette.requests import Request

    monkeypatch.delenv("ASSAY_METRICS_TOKEN", raising=False)
    monkeypatch.setattr(health, "is_local", lambda: local)
    request = Request({"type": "http", "headers": [], "client": (client, 5)})
    assert health.may_measure(request) is let
