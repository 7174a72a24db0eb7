"""The client of the docs, the command and the pages against the real app, as a pipeline uses them while people work."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from data.records import tokens
from tests import seeds
from tests.pages.api.client import load_client, workspace
from tests.pages.desk_driver import at_rest
from tests.server import ROOT, Server


@pytest.fixture
def app(serve: Callable[..., Server]) -> tuple[Server, str]:
    """The app with a small workspace, and a token of its researcher."""
    server = serve(start=False)
    store = workspace(server.store_path.parent)
    token = tokens.new_token(store, "rea", "pipeline", list(tokens.SCOPES))[1]
    store.backup(server.store_path)
    store.close()
    from data.store import open_store

    open_store(server.store, accept=True).close()
    server.start()
    return server, token


def test_the_client_sends_and_reads_and_nothing_is_done_twice(
    app: tuple[Server, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, token = app
    module = load_client()
    assay = module.Assay(server.url, token)
    monkeypatch.setattr(module, "AT_ONCE", 2_000)
    monkeypatch.setattr(module.time, "sleep", lambda _: None)
    opened = assay._opener.open
    faults = {"left": 3}

    def unlucky(request: urllib.request.Request, timeout: float) -> Any:
        answer = opened(request, timeout=timeout)
        if request.method == "POST" and faults["left"]:
            faults["left"] -= 1
            answer.close()
            raise ConnectionResetError("cut off behind the request")
        return answer

    monkeypatch.setattr(assay._opener, "open", unlucky)
    items = [seeds.dialogue(n) for n in range(10, 16)]
    parts = assay.send("demo", [*items, *map(seeds.judgment, items)])
    assert len(parts) > 2 and sum(part["items"] for part in parts) == sum(part["judgments"] for part in parts) == 6
    assert faults["left"] == 0 and sum(part["known"] for part in parts) == 0, "what was lost on the way was told again"
    faults["left"] = 1
    drawn = assay.post("/datasets/demo/draws/audit", {"size": 2})["drawn"]
    assert drawn >= 2 and assay.get("/datasets/demo/progress")["audit"]["drawn"] == 3 + drawn
    assert [row["id"] for row in assay.rows("demo", "items", limit=5)][-1] == "d-0015"
    assert assay.check("demo", dimensions=["turn.helpfulness"])["code"] == 2
    with pytest.raises(module.Refused, match="cannot be imported") as no:
        assay.send("demo", [{"id": "x"}], what="items")
    assert no.value.status == 422 and no.value.problems[0]["line"] == 1
    with pytest.raises(module.Refused, match="not known here"):
        module.Assay(server.url, "wrong").get("/me")
    command = [sys.executable, "-m", "data", "check", "--dataset", "demo", "--url", server.url]
    env = {**{k: v for k, v in os.environ.items() if "proxy" not in k.lower()}, "ASSAY_TOKEN": token}
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert run.returncode == 2 and "cannot be said turn.helpfulness: below minimum sample" in run.stdout, run.stderr
    assert server.get("/api/v1/me", {"Origin": "http://evil.test", "Authorization": f"Bearer {token}"})[0] == 403
    assert server.get("/api/v1/me", {"Host": "evil.test", "Authorization": f"Bearer {token}"})[0] == 403
    assert server.get("/api/v1/me", {"Cookie": "assay_name=lea"})[0] == 401


@pytest.mark.slow
def test_a_token_is_made_on_the_page_and_revoked(app: tuple[Server, str], page: Any) -> None:
    server, _ = app
    page.context.add_cookies([{"name": "assay_name", "value": "lea", "url": server.url}])
    page.goto(f"{server.url}/me")
    page.get_by_text("Make a token").click()
    at_rest(page)
    page.get_by_label("What it is for").fill("from the page")
    page.get_by_role("button", name="Make", exact=True).click()
    page.get_by_text("Copy it now").wait_for()
    text = page.locator("code").first.inner_text().strip()
    assert server.get("/api/v1/me", {"Authorization": f"Bearer {text}"})[0] == 200
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke").wait_for(state="detached")
    assert server.get("/api/v1/me", {"Authorization": f"Bearer {text}"})[0] == 401
    assert text not in page.content()
