"""The gate of a pipeline: what each state comes to, and the exit code of all."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from data.approvals import case, ci_check, policy, record
from data.approvals.ci_check import check_judge
from data.cli import main
from data.records import datasets
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed, NotFound
from tests.data.approvals.test_approvals import judged_cells, open_workspace
from tests.data.cells import Cell


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Helpfulness meets policy, safety fails, context_use is below minimum sample, and coherence undefined."""
    cells = [
        *judged_cells(150),
        *(replace(c, dimension="safety", judge=3.0 + (c.people == (5.0,))) for c in judged_cells(150)),
    ]
    cells += judged_cells(20, "context_use")
    cells += [Cell(n, "conversation", (4.0,), 4.0, probability=0.5, dimension="coherence") for n in range(120)]
    store, *_ = open_workspace(tmp_path_factory.mktemp("check") / "a.duckdb", cells)
    yield store
    store.close()


def test_each_state_has_its_verdict_and_the_worst_is_that_of_all(store: Store) -> None:
    at = datasets.dataset_named(store, "demo")
    whole = check_judge(store, "ann", at, "")
    verdicts = {verdict.dimension: (verdict.verdict, verdict.state) for verdict in whole.dimensions}
    assert verdicts["helpfulness"] == ("meets", "meets policy") and verdicts["safety"] == ("does not meet", "fails")
    assert verdicts["context_use"] == ("cannot be said", "below minimum sample")
    assert verdicts["coherence"] == ("cannot be said", "undefined") and whole.code == 1
    for dimensions, code in (
        (["helpfulness"], 0), (["turn.helpfulness"], 0), (["safety"], 1), (["coherence"], 2),
        (["helpfulness", "context_use"], 2), (["safety", "context_use", "helpfulness"], 1),
    ):  # fmt: skip
        assert check_judge(store, "ann", at, "", dimensions).code == code, dimensions
    with pytest.raises(NotFound) as refused:
        check_judge(store, "ann", at, "", ["safety", "nothing"])
    names = sorted(f"{verdict.unit}.{verdict.dimension}" for verdict in whole.dimensions)
    assert str(refused.value) == f"m has no dimension 'nothing' for people. There are: {', '.join(names)}."
    with pytest.raises(NotAllowed):
        check_judge(store, "stranger", at, "")
    with pytest.raises((NotFound, BadInput)):
        check_judge(store, "ann", at, "no such judge")


def test_the_command_ends_with_that_code_and_a_line_for_each(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store.backup(tmp_path / "b.duckdb")
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path / 'b.duckdb'}")
    open_store(accept=True).close()
    for words, code in (
        ([], 1), (["--dimension", "helpfulness"], 0), (["--dimension", "coherence"], 2), (["--judge", "none"], 2),
        (["--url", "http://127.0.0.1:9"], 2), (["--url", "file:///etc/passwd"], 2),
    ):  # fmt: skip
        assert main(["check", "--dataset", "demo", *words]) == code, words
    output = capsys.readouterr()
    assert "  meets          turn.helpfulness: meets policy, kappa 0." in output.out
    assert "ASSAY_TOKEN" in output.err and "Traceback" not in output.err
    monkeypatch.setenv("ASSAY_TOKEN", "x")
    with socket.create_server(("127.0.0.1", 0)) as other:
        threading.Thread(target=lambda: other.accept()[0].sendall(b"220 no web server\r\n\r\n"), daemon=True).start()
        no_web = f"http://127.0.0.1:{other.getsockname()[1]}"
        for url in ("http://127.0.0.1:9", "file:///etc/x", "nonsense", "http://127.0.0.1:9/ x", no_web):
            assert main(["check", "--dataset", "demo", "--url", url]) == 2, url
    assert "The server there is not Assay's API" in capsys.readouterr().err
    for token in ("x\ny", "x\u00e9"):
        monkeypatch.setenv("ASSAY_TOKEN", token)
        assert main(["check", "--dataset", "demo", "--url", "http://127.0.0.1:9"]) == 2
        assert "ASSAY_TOKEN is not a token" in capsys.readouterr().err
    assert main(["check", "--dataset", "demo", "--json"]) == 1
    assert {row["dimension"] for row in json.loads(capsys.readouterr().out)["dimensions"]} >= {"helpfulness", "safety"}


def test_a_single_item_is_one_item() -> None:
    verdict = ci_check.DimensionVerdict(
        "turn", "x", "cannot be said", "below minimum sample", "", None, None, 0.5, 1, (), False
    )
    assert verdict.line == "cannot be said turn.x: below minimum sample, kappa undefined, required 0.5, 1 item"


def test_a_stricter_policy_counts_at_once(store: Store, tmp_path: Path) -> None:
    store.backup(tmp_path / "c.duckdb")
    copy = open_store(f"duckdb:///{tmp_path / 'c.duckdb'}", accept=True)
    requirements = policy.requirements(copy)
    policy.set_requirements(
        copy, "lea", replace(requirements, policy=replace(requirements.policy, threshold=0.99)), "stricter"
    )
    assert check_judge(copy, "ann", datasets.dataset_named(copy, "demo"), "", ["helpfulness"]).code == 1
    copy.close()


def test_what_else_the_policy_asks_counts_and_what_is_approved_is_told(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = datasets.dataset_named(store, "demo")
    whole = check_judge(store, "ann", at, "")
    [verdict] = [verdict for verdict in whole.dimensions if verdict.dimension == "helpfulness"]
    figures = (
        f"kappa {verdict.kappa:.3f}, lower bound {verdict.bound:.3f}, required {verdict.threshold:g}, "
        f"{verdict.items} items"
    )
    assert verdict.line.startswith(f"meets          turn.helpfulness: meets policy, {figures}")
    assert (verdict.items, verdict.against, verdict.approved) == (150, (), False) and verdict.bound < verdict.kappa
    [none] = [verdict for verdict in whole.dimensions if verdict.dimension == "coherence"]
    assert "undefined, kappa undefined, required" in none.line and none.line.endswith(f"items. {none.reason}")
    payload = whole.as_json()
    assert (payload["code"], payload["verdict"], payload["dataset"]) == (1, "does not meet", "demo")
    assert [row["line"] for row in payload["dimensions"]] == [verdict.line for verdict in whole.dimensions]
    key = next(case_.key for case_ in case.cases(store, at.id, whole.judge) if case_.key[3] == "helpfulness")
    monkeypatch.setattr(ci_check, "suspend_unsupported", lambda _: None)
    monkeypatch.setattr(case.Case, "objections", property(lambda _: ["An audit is in alarm.", "And more."]))
    for decision, approved in (("approve", True), ("decline", False)):
        stands = {key: record.ApprovalStatus(SimpleNamespace(decision=decision))}  # type: ignore[arg-type]
        monkeypatch.setattr(record, "approval_statuses", lambda _, stands=stands: stands)
        check = check_judge(store, "ann", at, "", ["helpfulness", "coherence"])
        verdicts = {verdict.dimension: verdict for verdict in check.dimensions}
        assert [verdict.approved for verdict in check.dimensions].count(True) == approved
        assert (verdicts["helpfulness"].verdict, verdicts["helpfulness"].approved) == ("does not meet", approved)
        assert verdicts["helpfulness"].line.endswith("150 items. An audit is in alarm. And more.")
        assert (verdicts["coherence"].verdict, verdicts["coherence"].against) == ("cannot be said", ())
