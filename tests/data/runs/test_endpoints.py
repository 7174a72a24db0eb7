"""Which endpoints a team's server asks, and with which key: no run, trial, list or batch gets around the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from data.records import datasets
from data.runs import endpoints, runs
from data.runs.dry_runs import list_models
from data.runs.run_config import RunConfig
from data.store import Store
from data.store.errors import BadInput, NotAllowed
from judges.cards import card
from judges.client.endpoint import Endpoint
from judges.errors import AssayError
from tests import seeds
from tests.judges.cli.test_run import serve_in_thread
from tests.judges.endpoint import Served

KEY, OTHER_SECRET = "sk-canary-of-the-usual-endpoint", "canary-of-something-else"


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_listed", None)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("CANARY", OTHER_SECRET)


@pytest.fixture
def own_endpoint() -> Iterator[Served]:
    """An endpoint of somebody's own, which keeps what it was sent."""
    with serve_in_thread(lambda body, nth: "no") as endpoint:
        yield endpoint


def refusal_message(endpoint: Endpoint) -> str:
    with pytest.raises(NotAllowed) as error:
        endpoints.settle(endpoint)
    return str(error.value)


def test_a_team_asks_the_usual_endpoint_and_one_s_own_machine_any(monkeypatch: pytest.MonkeyPatch) -> None:
    own, usual = Endpoint(base_url="https://own.test/v1", key_variable="CANARY"), Endpoint()
    endpoints.read_environment(team=False)
    assert endpoints.allowed_endpoints() is None and endpoints.settle(own) is own
    endpoints.read_environment(team=True)
    assert endpoints.allowed_endpoints() == [usual] and endpoints.settle(usual) == usual
    assert endpoints.settle(Endpoint(base_url="https://api.openai.com/v1/")).key_variable == "OPENAI_API_KEY"
    assert "ASSAY_ENDPOINTS" in refusal_message(own) and "CANARY" in refusal_message(Endpoint(key_variable="CANARY"))
    for url in ("https://api.openai.com/v1/../x", "https://api.openai.com", "http://api.openai.com/v1"):
        refusal_message(Endpoint(base_url=url))
    monkeypatch.setenv("OPENAI_BASE_URL", "https://own.test/v1/")
    assert endpoints.settle(own.model_copy(update={"key_variable": "OPENAI_API_KEY"}))
    refusal_message(Endpoint(base_url="https://api.openai.com/v1"))
    practice = Endpoint(base_url=endpoints.practice_url())
    assert endpoints.settle(practice) is practice


def test_a_key_goes_to_the_address_that_the_list_has_it_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ENDPOINTS", "https://a.test/v1 CANARY, http://127.0.0.1:8000/v1/,https://a.test/v1 OTHER")
    endpoints.read_environment(team=False)
    assert [endpoint.key_variable for endpoint in endpoints.allowed_endpoints() or []] == [
        "OPENAI_API_KEY",
        "CANARY",
        "",
        "OTHER",
    ]
    for variable, key in (("OPENAI_API_KEY", "CANARY"), ("CANARY", "CANARY"), ("OTHER", "OTHER")):
        assert endpoints.settle(Endpoint(base_url="https://a.test/v1", key_variable=variable)).key_variable == key
    assert endpoints.settle(Endpoint(base_url="http://127.0.0.1:8000/v1")).key_variable == ""
    refusal_message(Endpoint(base_url="http://127.0.0.1:8000/v1", key_variable="CANARY"))
    refusal_message(Endpoint(base_url="https://a.test/v1", key_variable="PATH"))
    for wrong in ("own.test/v1 KEY", "https://a.test/v1 KEY OTHER", "https://a.test ASSAY_KEY", "https://a.test a-b"):
        monkeypatch.setenv("ASSAY_ENDPOINTS", wrong)
        with pytest.raises(BadInput, match="ASSAY_ENDPOINTS"):
            endpoints.read_environment(team=True)


def test_nothing_is_sent_anywhere_else(tmp_path: Path, own_endpoint: Served) -> None:
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(n) for n in range(1, 4)])
    judge_card, demo = card("multi_turn_dialogue"), datasets.dataset_named(store, "demo")

    def config(**more: object) -> RunConfig:
        at = Endpoint(base_url=own_endpoint.url, key_variable="CANARY", tries=1, timeout=5.0)
        return RunConfig(demo.id, judge_card, "m", judge_card.defaults, at, **more)  # type: ignore[arg-type]

    before = runs.start(store, "lea", config(batch=True))
    runs.wait(store, before)
    sent = len(own_endpoint.headers)
    assert any(OTHER_SECRET in str(header) for header in own_endpoint.headers), (
        "it was not asked: the test says nothing"
    )
    endpoints.read_environment(team=True)
    calls: list[Callable[[Store], object]] = [
        lambda store: list_models(config().endpoint),
        lambda store: runs.dry_run(store, "lea", config()),
        lambda store: runs.start(store, "lea", config()),
        lambda store: runs.start(store, "lea", config(most=1, batch=True)),
        lambda store: runs.resume(store, "lea", before),
    ]
    for call in calls:
        with pytest.raises(AssayError, match="not one of the endpoints"):
            call(store)
    runs.follow_batches(store, before)
    assert "not one of the endpoints" in runs.wait(store, before).why
    assert len(own_endpoint.headers) == sent and len(runs.list_runs(store)) == 1
    runs.close(store)
    store.close()
