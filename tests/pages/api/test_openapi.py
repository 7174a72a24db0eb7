"""The description of the API is what the API does: asked everything that it allows, and more, by schemathesis."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from data.records import tokens
from pages.api import openapi
from pages.api.routes import PREFIX, ROUTES
from tests.pages.api.client import make_app, workspace
from tests.server import ROOT
from tests.soak import counts, trials

EXAMPLES = int(os.environ.get("ASSAY_API_EXAMPLES", counts.API.per_run))
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
    unsupported_method, ignored_auth,
]  # fmt: skip


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_API_PER_MINUTE", "0")
        patch.setenv("ASSAY_API_ADDRESS_PER_MINUTE", "0")
        store = workspace(tmp_path_factory.mktemp("openapi"))
        app, _ = make_app(store)
    schema = schemathesis.openapi.from_asgi(f"{PREFIX}/openapi.json", app)
    schema.token = tokens.new_token(store, "rea", "test", list(tokens.SCOPES))[1]  # type: ignore[attr-defined]
    yield schema
    store.close()


def test_every_piece_of_the_trial_asks_something_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hypothesis goes by a seed only where random cases are drawn again."""
    runs: list[tuple[list[str], dict[str, str]]] = []

    def note(command: list[str], env: dict[str, str], **_: Any) -> subprocess.CompletedProcess[str]:
        runs.append((command, env))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", note)
    monkeypatch.delenv("NEW_CASES", raising=False)
    for seed in (1, 2):
        assert trials.TRIALS["api"].run(tmp_path, 20, seed) == ({}, [])
    assert ["--hypothesis-seed=1" in command for command, _ in runs] == [True, False]
    assert all(env["NEW_CASES"] and env["ASSAY_API_EXAMPLES"] == "20" for _, env in runs)


api = schemathesis.pytest.from_fixture("schema")


@pytest.mark.slow
@api.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_is_asked_is_answered_as_described(case: Any, schema: Any) -> None:
    if "dataset" in (case.path_parameters or {}) and len(str(case.path_parameters)) % 2:
        case.path_parameters["dataset"] = "demo"
    answer = case.call(headers={"Authorization": f"Bearer {schema.token}"})
    case.validate_response(answer, checks=CHECKS)


def test_the_description_is_sound_and_has_every_route() -> None:
    document = json.loads(json.dumps(openapi.document()))
    assert {(path, method.upper()) for path, methods in document["paths"].items() for method in methods} == {
        (PREFIX + route.path, route.method) for route in ROUTES
    }
    for definition in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(definition)
    names = [route.name for route in ROUTES]
    assert len(set(names)) == len(names)


def test_the_page_of_the_docs_has_every_route_with_its_scope_and_role() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for route in ROUTES:
        assert f"| `{route.method} {route.path}` | {route.scope or 'any'} | {route.role} |" in page, route
    assert page.count("| `GET ") + page.count("| `POST ") == len(ROUTES)
    for setting in ("ASSAY_API_PER_MINUTE", "ASSAY_API_BODY_MB"):
        assert setting in page
