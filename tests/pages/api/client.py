"""The API in this very process, as a program asks it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.testclient import TestClient

from data.records import people, tokens
from data.store import Store
from pages.api.routes import ADDRESSES
from pages.api.server import Api
from pages.server.access import SecurityHeaders
from tests import seeds
from tests.server import ROOT


def make_app(store: Store) -> tuple[Starlette, Api]:
    """The API of a store as an application."""
    api = Api(lambda: store)
    api.begin()
    routes = [Route(address, endpoint=api) for address in ADDRESSES]
    return Starlette(routes=routes, middleware=[Middleware(SecurityHeaders)]), api


def workspace(folder: Path, count: int = 6) -> Store:
    """Dialogues with judgments, some drawn; lea leads, rea is researcher, ann and ben label."""
    items = [seeds.dialogue(n) for n in range(1, count + 1)]
    rows = [*items, *(seeds.judgment(item) for item in items)]
    store = seeds.workspace(folder / "api.duckdb", rows, names=("lea", "ann", "ben", "rea"), audit=3)
    people.set_person(store, "lea", "rea", "researcher")
    return store


class Program:
    """Somebody's program: it asks below /api/v1 with its token."""

    def __init__(self, client: TestClient, token: str) -> None:
        self.client, self.token = client, token

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, **more: Any) -> Any:
        """The answer to a request."""
        bearer = {"authorization": f"Bearer {self.token}"} if self.token else {}
        return self.client.request(method, f"/api/v1{path}", headers={**bearer, **(headers or {})}, **more)

    def get(self, path: str, **more: Any) -> Any:
        """The answer to a GET."""
        return self.ask("GET", path, **more)

    def send(self, path: str, text: str | bytes, key: str = "", kind: str = "application/x-ndjson") -> Any:
        """The answer to a POST of lines."""
        headers = {"content-type": kind} | ({"idempotency-key": key} if key else {})
        return self.ask("POST", path, headers, content=text)


@contextmanager
def programs(store: Store) -> Iterator[dict[str, Program]]:
    """A program of each person with every scope, by name, and one without a token, "" ."""
    app, _ = make_app(store)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        by_person = {"": Program(client, "")}
        for name in ("lea", "ann", "ben", "rea"):
            by_person[name] = Program(client, tokens.new_token(store, name, "test", list(tokens.SCOPES))[1])
        yield by_person


def load_client() -> Any:
    """The file of the docs as a module."""
    spec = importlib.util.spec_from_file_location("assay_client", ROOT / "docs" / "assay_client.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
