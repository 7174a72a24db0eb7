"""A key reaches the endpoint and nothing else: no row, export, error or log, even where the endpoint says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data import log
from data.exporting import exporting
from data.records import datasets
from data.runs import runs
from data.runs.run_config import RunConfig
from data.store import open_store
from data.store.duckdb_driver import DuckStore
from judges.cards import card
from judges.client.endpoint import Endpoint
from judges.errors import AssayError
from tests import seeds
from tests.judges.cli.test_run import serve_in_thread
from tests.judges.endpoint import Say

KEY = "sk-canary/4711+x"
ECHO = f"your key {KEY} and " + json.dumps(KEY)


def test_a_key_stays_out_of_rows_exports_errors_and_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ASSAY_LOG_LEVEL", "DEBUG")
    log.begin("INFO")
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(n) for n in range(1, 7)])
    good = seeds.reply(seeds.dialogue(1))
    good["decision_basis"] = good["conversation_level"]["coherence"]["note"] = ECHO
    says = [
        Say(json.dumps(good)), Say(ECHO), Say(json.dumps(good), message={"reasoning": ECHO}),
        Say(status=400, body={"error": {"message": ECHO, "code": KEY}}), Say(status=500, body=ECHO.encode()),
        Say("", message={"refusal": ECHO}),
    ]  # fmt: skip
    judge_card = card("multi_turn_dialogue")
    texts = []
    with serve_in_thread(lambda body, nth: says[len(endpoint.bodies) % len(says)]) as endpoint:
        dataset = datasets.dataset_named(store, "demo")
        config = RunConfig(
            dataset.id, judge_card, "m", judge_card.defaults, Endpoint(base_url=endpoint.url, tries=1, timeout=5.0)
        )
        try:
            end = runs.wait(store, runs.start(store, "lea", config))
            texts.append(f"{end.why} {end.state}")
        except AssayError as error:
            texts.append(str(error))
        texts += [repr(run) for run in runs.list_runs(store)]
        assert any(KEY in str(header) for header in endpoint.headers), "the endpoint was given it"
    assert store.rows("select count(*) from judgment")[0][0] > 1, "nothing was stored: the test says nothing"
    for kind in exporting.export_kinds().values():
        try:
            exporting.write_export(store, "lea", dataset, kind, {}, "jsonl", tmp_path / f"{kind.name}.jsonl")
        except AssayError as error:
            texts.append(str(error))
    store.backup(tmp_path / "backup.duckdb")
    stores = [store]
    if isinstance(store, DuckStore):
        stores.append(open_store(f"duckdb:///{tmp_path / 'backup.duckdb'}", accept=True))
    for opened in stores:
        tables = opened.rows("select table_name from information_schema.tables where table_type = 'BASE TABLE'")
        texts += [repr(opened.rows(f"select * from {name}")) for (name,) in tables]
        opened.close()
    texts += [file.read_text(encoding="utf-8") for file in tmp_path.glob("*.jsonl")]
    logged = capsys.readouterr()
    texts += [logged.out, logged.err]
    assert not [text[max(0, text.find(KEY) - 80) :][:200] for text in texts if KEY in text]
