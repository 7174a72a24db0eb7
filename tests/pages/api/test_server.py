"""The API as programs meet it: who gets in, what is refused in which words, and that nothing is done twice."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from data.approvals import check_results
from data.exporting import delivery
from data.exporting.exporting import export_kind, write_export
from data.records import datasets, exposure, people, tokens
from data.reports import figures
from data.store import Store
from data.store.errors import BadInput, StoreFailed
from pages.api import server
from pages.api.models import Problem
from pages.api.routes import ROUTES
from pages.api.server import Api
from pages.server import limits
from pages.server.limits import Buckets, Limit
from tests import seeds
from tests.pages.api.client import Program, make_app, programs, workspace

DEMO = "/datasets/demo"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = workspace(tmp_path)
    yield store
    store.close()


@pytest.fixture
def by(store: Store) -> Iterator[dict[str, Program]]:
    with programs(store) as by_person:
        yield by_person


def check_refusal(answer: Any, status: int) -> dict[str, Any]:
    """The problem of a refusal, in its one form."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = Problem.model_validate_json(answer.content).model_dump()
    assert problem["status"] == status and "Traceback" not in problem["detail"]
    return problem


def item(number: int) -> str:
    return json.dumps({"id": f"r{number}", "kind": "response", "task": "t", "output": f"o{number}", "system": "m"})


# -- who gets in ------------------------------------------------------------------------------------------------------


def test_no_route_answers_without_a_token_a_scope_and_a_role(by: dict[str, Program], store: Store) -> None:
    seqs = store.newest()
    narrow = {
        scope: Program(by["ann"].client, tokens.new_token(store, "lea", "one", [scope])[1]) for scope in tokens.SCOPES
    }
    for route in ROUTES:
        path = route.path.format(dataset="demo", run="none")
        body = {"json": {}} if route.method == "POST" else {}
        for wrong in ("", "nonsense", by["ben"].token[:-1]):
            check_refusal(Program(by["ann"].client, wrong).ask(route.method, path, **body), 401)
        cookie = {"cookie": f"assay_name=lea; authorization=Bearer {by['lea'].token}"}
        check_refusal(by[""].ask(route.method, f"{path}?token={by['lea'].token}", cookie, **body), 401)
        for scope, program in narrow.items():
            if route.scope not in ("", scope):
                check_refusal(program.ask(route.method, path, **body), 403)
        if route.role != "annotator":
            assert "researcher" in check_refusal(by["ann"].ask(route.method, path, **body), 403)["detail"]
    assert store.rows("select count(*) from change where seq > $1 and action not like 'token%'", [seqs]) == [(0,)]


def test_a_token_is_dead_with_its_person_and_less_with_their_role(by: dict[str, Program], store: Store) -> None:
    assert by["rea"].get(f"{DEMO}/items").status_code == 200
    people.set_person(store, "lea", "rea", "annotator")
    check_refusal(by["rea"].get(f"{DEMO}/items"), 403)
    assert by["rea"].get("/me").json()["role"] == "annotator"
    people.set_person(store, "lea", "rea", "annotator", active=False)
    check_refusal(by["rea"].get("/me"), 401)


@pytest.mark.parametrize("ending", ["revoked", "inactive"])
def test_a_download_breaks_off_where_its_token_ends(
    by: dict[str, Program], store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, ending: str
) -> None:
    """Before, all rows of a dataset went out to a token that had been revoked."""
    monkeypatch.setattr(delivery, "_BATCH", 2)
    really, batches = server._as_lines, list[Any]()

    def end(batch: list[dict[str, Any]]) -> bytes:
        batches.append(batch)
        if len(batches) == 2 and ending == "revoked":
            [token] = tokens.list_tokens(store, "rea")
            tokens.revoke_token(store, "lea", token.id)
        elif len(batches) == 2:
            people.set_person(store, "lea", "rea", "researcher", active=False)
        return really(batch)

    monkeypatch.setattr(server, "_as_lines", end)
    by["rea"].get(f"{DEMO}/items", headers={"accept": "application/x-ndjson"})
    assert len(batches) == 2, "of three"
    assert [record.getMessage() for record in caplog.records if record.name == "assay"][-1] == "api_answer_cut"


def test_a_body_that_comes_while_its_token_ends_is_refused(by: dict[str, Program], store: Store) -> None:
    def slowly() -> Iterator[bytes]:
        yield item(1).encode()
        [token] = tokens.list_tokens(store, "rea")
        tokens.revoke_token(store, "rea", token.id)
        yield b"\n" + item(2).encode()

    headers = {"content-type": "application/x-ndjson"}
    detail = check_refusal(by["rea"].ask("POST", f"{DEMO}/lines", headers, content=slowly()), 401)["detail"]
    assert detail.endswith("has been revoked.") and store.rows("select 1 from item where name = 'r1'") == []


def test_how_a_token_may_be_given(by: dict[str, Program]) -> None:
    token, client = by["lea"].token, by["lea"].client
    for value in (token, f"Basic {token}", f"Bearer {token} {token}", "Bearer", f"Bearer\t{token}", f"Bearer {token},"):
        answer = client.get("/api/v1/me", headers={"authorization": value})
        assert answer.headers["www-authenticate"].startswith("Bearer") and check_refusal(answer, 401)
    assert client.get("/api/v1/me", headers={"authorization": f"bearer  {token}"}).status_code == 200
    assert client.get("/below/api/v1/me", headers={"authorization": f"Bearer {token}"}).status_code == 200


# -- what comes in ----------------------------------------------------------------------------------------------------


def test_lines_come_in_all_or_nothing_or_the_good_ones(by: dict[str, Program], store: Store) -> None:
    text = "\n".join([item(1), '{"id": "r2", "kind": "response", "task": NaN}', '{"item": "r1", "card": "x"}', item(4)])
    refusal = check_refusal(by["rea"].send("/datasets/new/lines", text), 422)
    assert [(problem["line"], problem["field"]) for problem in refusal["problems"]] == [(2, ""), (3, "reply")]
    assert [dataset.name for dataset in datasets.all_datasets(store)] == ["demo"], "nothing was written"
    report = by["rea"].send("/datasets/new/lines?on_error=skip", text).json()
    assert (report["items"], report["rejected"], report["problem_count"]) == (2, 2, 2)
    again = by["rea"].send("/datasets/new/items", f"{item(1)}\n{item(4)}").json()
    assert (again["items"], again["known"]) == (0, 2)
    refusal = check_refusal(by["rea"].send("/datasets/new/labels", item(5)), 422)
    assert "only label lines" in refusal["problems"][0]["detail"]
    listed = by["rea"].send("/datasets/new/items", f"[{item(6)},{item(7)}]", kind="application/json; charset=utf-8")
    assert listed.json()["items"] == 2
    judged = seeds.judgment(seeds.dialogue(1), model="judge-two")
    assert by["rea"].send(f"{DEMO}/judgments", json.dumps(judged)).json()["judgments"] == 1
    label = {"item": "d-0001", "unit": "turn:1", "dimension": "helpfulness", "value": 4, "annotator": "ann"}
    answer = by["rea"].send(f"{DEMO}/labels", json.dumps({**label, "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}))
    report = answer.json()
    assert report["labels"] == 1 and report["people"] == ["ann (file)"], "nobody's labels come in as those given here"


BAD = {
    "": 400, " \n": 400, "[": 422, "nonsense": 422, "[" * 200_000: 422, '{"a":' * 200_000: 422, "a,b\n1,2": 422,
    '{"id": 1e999}': 422, '{"id": ' + "9" * 5_000 + "}": 422, '{"id": "a", "id": "b"}': 422, "\0": 422,
    '{"id": "\\ud800", "kind": "response", "task": "", "output": ""}': 422, '{"id": "\\u0000"}': 422, "[1, 2]": 422,
    '"text"': 422, "null": 422, '{"id": NaN}': 422, "PAR1aaaaPAR1": 400, "PK\x03\x04aaaa": 400,
    '{"id": {"a": 1}, "kind": ["response"]}': 422,
}  # fmt: skip


def test_bad_input_is_a_sentence(by: dict[str, Program], store: Store) -> None:
    for text, status in BAD.items():
        for kind in ("application/x-ndjson", "application/json"):
            check_refusal(by["rea"].send("/datasets/new/lines", text, kind=kind), status)
        check_refusal(by["rea"].send(f"{DEMO}/draws/audit", text[:60_000], kind="application/json"), 400)
    assert [dataset.name for dataset in datasets.all_datasets(store)] == ["demo"], "nothing was written"


def test_bodies_and_addresses_that_are_not_taken(by: dict[str, Program], store: Store) -> None:
    rea = by["rea"]
    check_refusal(rea.send("/datasets/new/lines", b"\xff\xfe{}"), 400)
    check_refusal(rea.send("/datasets/new/lines", b'{"id": "\xff"}'), 422)
    check_refusal(rea.send("/datasets/new/lines", item(1), kind="text/csv"), 415)
    packed = {"content-type": "application/x-ndjson", "content-encoding": "gzip"}
    check_refusal(rea.ask("POST", "/datasets/new/lines", packed, content=b"\x1f\x8b"), 415)
    check_refusal(
        rea.send(f"{DEMO}/draws/audit", '{"size": 1, "seed": 1' + " " * 70_000 + "}", kind="application/json"), 413
    )
    odd = ('{"size": 0}', '{"size": true}', '{"size": "3"}', '{"size": 1.5}', '{"size": 1, "more": 2}', "[]", "{}")
    for body in odd:
        check_refusal(rea.send(f"{DEMO}/draws/audit", body, kind="application/json"), 400)
    for query in (
        "?limit=1e3", "?limit=1_0", "?limit=0", "?names=yes", "?oops=1", "?limit=1&limit=1", "?judge=none", "?%ff=1",
        "?cursor=abc", "?cursor=W10", "?judge=%00", "?dimension=" + "a" * 5_000,
    ):  # fmt: skip
        check_refusal(rea.get(f"{DEMO}/scores{query}"), 400)
    check_refusal(rea.get("/datasets/none"), 404)
    check_refusal(rea.get("/datasets/%ff"), 400)
    check_refusal(rea.get("/datasets/a%00b"), 404)
    assert check_refusal(rea.ask("DELETE", DEMO), 405) and check_refusal(rea.ask("PUT", "/openapi.json"), 405)
    for key in ("a" * 300, "a b\x7f"):
        check_refusal(rea.send("/datasets/new/lines", item(1), key), 400)
    assert rea.send("/datasets/a%2Fb c/lines", item(1)).json()["dataset"] == "a/b c"
    assert rea.get("/datasets/a%2Fb%20c").json()["items"] == 1
    check_refusal(rea.send("/datasets/%20/lines", item(1)), 400)


def test_a_long_body_is_refused_before_it_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_API_BODY_MB", "1")
    with programs(store) as by:
        check_refusal(by["rea"].send("/datasets/new/lines", b"x" * (2**20 + 1)), 413)

        def parts() -> Iterator[bytes]:
            for _ in range(30):
                yield b"x" * 2**16

        kind = {"content-type": "application/jsonl"}
        check_refusal(by["rea"].ask("POST", "/datasets/new/lines", kind, content=parts()), 413)


@pytest.mark.parametrize(("setting", "value"), [("ASSAY_API_BODY_MB", "0"), ("ASSAY_API_PER_MINUTE", "-1")])
def test_a_limit_that_cannot_be_is_refused_at_the_start(
    store: Store, monkeypatch: pytest.MonkeyPatch, setting: str, value: str
) -> None:
    monkeypatch.setenv(setting, value)
    with pytest.raises(BadInput, match=f"{setting} is '{value}'. Give a whole number from"):
        make_app(store)


def test_a_large_body_is_read_by_a_process_of_its_own(by: dict[str, Program]) -> None:
    lines = "\n".join(item(n).replace('"t"', json.dumps("word " * 200)) for n in range(1_200))
    assert len(lines) > 2**20
    assert by["rea"].send("/datasets/large/items", lines).json()["items"] == 1_200


def test_a_key_is_answered_again_and_not_done_again(by: dict[str, Program], store: Store) -> None:
    headers = {"content-type": "application/json", "idempotency-key": "a"}
    body = {"content": '{"size": 2, "seed": 3}', "headers": headers}
    answers: list[Any] = []

    def ask() -> None:
        answers.append(by["rea"].ask("POST", f"{DEMO}/draws/audit", **body))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert by["rea"].ask("POST", f"{DEMO}/draws/audit", **body).headers["idempotent-replayed"] == "true"
    assert store.rows("select count(*) from draw where stream = 'audit'") == [(5,)], "3 before, 2 now"
    other = {**body, "content": '{"size": 3}'}
    check_refusal(by["rea"].ask("POST", f"{DEMO}/draws/audit", **other), 409)
    check_refusal(by["rea"].ask("POST", f"{DEMO}/draws/review", headers=headers, content="{}"), 409)
    for again in (None, "true"):
        answer = by["rea"].send("/datasets/new/items", item(1), "b")
        assert answer.json()["items"] == 1 and answer.headers.get("idempotent-replayed") == again
    check_refusal(by["rea"].send("/datasets/new/items", item(2), "b"), 409)
    assert by["lea"].send("/datasets/new/items", item(2), "b").json()["items"] == 1, "keys are a person's own"


# -- what goes out ----------------------------------------------------------------------------------------------------


def test_what_shows_a_judge_s_scores_is_on_record_before_it_is_given(by: dict[str, Program], store: Store) -> None:
    ids = [str(row[0]) for row in store.rows("select id from item order by name")]
    assert by["rea"].get(f"{DEMO}/items?limit=2").status_code == 200
    by["rea"].get(f"{DEMO}/calibration")
    assert exposure.find_exposures(store, "rea", ids) == {}, "texts and figures show no score of an item"
    page = by["rea"].get(f"{DEMO}/scores?limit=2").json()
    assert set(exposure.find_exposures(store, "rea", ids)) == {ids[0]} and len(page["rows"]) == 2
    by["rea"].get(f"{DEMO}/judgments", headers={"accept": "application/x-ndjson"})
    assert set(exposure.find_exposures(store, "rea", ids)) == set(ids)
    assert store.rows("select sum(lines) from export where kind = 'judgments'") == [(len(ids),)]


def test_pages_and_the_stream_give_what_the_export_has(by: dict[str, Program], store: Store, tmp_path: Path) -> None:
    at = datasets.dataset_named(store, "demo")
    for kind in ("items", "scores", "judgments", "labels", "gold"):
        file = tmp_path / f"{kind}.jsonl"
        write_export(store, "rea", at, export_kind(kind), {}, "jsonl", file)
        whole = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        stream = by["rea"].get(f"{DEMO}/{kind}", headers={"accept": "application/x-ndjson"})
        assert [json.loads(line) for line in stream.text.splitlines()] == whole
        rows, cursor = list[Any](), ""
        while True:
            page = by["rea"].get(f"{DEMO}/{kind}?limit=7&cursor={cursor}").json()
            rows += page["rows"]
            if (cursor := page["next"]) is None:
                break
            assert len(page["rows"]) == 7
        assert rows == whole


def test_a_cursor_leads_behind_its_row_though_others_have_its_key(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, at = [{"id": name} for name in "abba"], datasets.dataset_named(store, "demo")
    kind = replace(export_kind("items"), first=lambda *_: iter(rows))

    def ids_behind(key: str, times: int, limit: int = 9) -> str:
        page = delivery._rows_behind(store, at, kind, {}, {"id": key} if key else {}, times, limit)
        return "".join(row["id"] for row in page)

    for ahead in (256, 0):
        monkeypatch.setattr(delivery, "_EXPECTED_ROWS_PER_ITEM", ahead)
        for key, times, rest in (("", 0, "abba"), ("a", 1, "bba"), ("b", 1, "ba"), ("b", 2, "a"), ("a", 2, "")):
            assert ids_behind(key, times) == rest and ids_behind(key, times, 1)[:1] == rest[:1]
        for key, times in (("b", 3), ("c", 1), ("a", 0)):
            with pytest.raises(BadInput, match="no longer exists"):
                ids_behind(key, times)
    assert delivery._read_cursor("items", "x", delivery._cursor("x", ["b"], 2)) == ({"id": "b"}, 2)
    for wrong in (("y", ["b"], 2), ("x", ["b", "c"], 2), ("x", [1], 2)):
        with pytest.raises(BadInput, match="another request"):
            delivery._read_cursor("items", "x", delivery._cursor(*wrong))
    for most in (0, 10_001):
        with pytest.raises(BadInput, match="1 to 10,000 rows"):
            delivery.export_page(store, "rea", at, "items", {}, limit=most)
    assert not delivery.export_page(store, "rea", at, "items", {}, limit=6).next, "these are all"
    assert len(delivery.export_page(store, "rea", at, "items", {}, limit=10_000).rows) == 6
    [(lines,)] = store.rows("select lines from export order by seq desc limit 1")
    assert (lines, delivery.export_page(store, "rea", at, "items", {}, limit=1).rows[0]["id"]) == (6, "d-0001")


def test_rows_that_come_meanwhile_part_no_pages(by: dict[str, Program]) -> None:
    first = by["rea"].get(f"{DEMO}/items?limit=3").json()
    by["rea"].send(f"{DEMO}/items", json.dumps({**seeds.dialogue(1), "id": "a-first"}))
    second = by["rea"].get(f"{DEMO}/items?limit=100&cursor={first['next']}").json()
    assert [row["id"] for row in first["rows"] + second["rows"]] == [f"d-{n:04d}" for n in range(1, 7)]
    for of in (f"{DEMO}/scores", f"{DEMO}/labels"):
        check_refusal(by["rea"].get(f"{of}?cursor={first['next']}"), 400)


def test_figures_are_those_of_the_page(by: dict[str, Program], store: Store) -> None:
    answer = by["ann"].get(f"{DEMO}/calibration?basis=all").json()
    at, judge = datasets.dataset_named(store, "demo"), answer["judge"]["id"]
    assert answer["judge"]["card_version"] == datasets.find_judge(store, judge).card_version
    assert answer["judge"] in by["ann"].get(DEMO).json()["judges"], "judges by versions of one card differ in that only"
    summaries = check_results.summaries(store, at.id, judge, "all")
    lines = check_results.dimension_results(store, at.id, judge, summaries)
    assert [dimension["figures"] for dimension in answer["dimensions"]] == [
        figures.to_json_types(figures.dimension_figures(line.shown, "all", False)) for line in lines
    ]
    assert by["ann"].get("/check?dataset=demo&dimension=helpfulness").json()["code"] == 2
    assert by["ann"].get(f"{DEMO}/progress").json()["audit"] == {"drawn": 3, "answered": 0}
    assert by["ann"].get(f"{DEMO}/report").json()["figures"]["dataset"]["name"] == "demo"


def test_what_has_not_changed_is_not_made_again(by: dict[str, Program], monkeypatch: pytest.MonkeyPatch) -> None:
    first = by["ann"].get(DEMO)
    tag = first.headers["etag"]
    again = by["ann"].get(DEMO, headers={"if-none-match": f'"other", {tag}'})
    assert (again.status_code, again.content) == (304, b"")
    by["rea"].send(f"{DEMO}/items", json.dumps(seeds.dialogue(70)))
    changed = by["ann"].get(DEMO, headers={"if-none-match": tag})
    assert changed.status_code == 200 and changed.json()["items"] == 7
    monkeypatch.setattr(server, "VERSION", "a later one")  # which may make other figures of the same rows
    assert by["ann"].get(DEMO, headers={"if-none-match": changed.headers["etag"]}).status_code == 200


# -- how often --------------------------------------------------------------------------------------------------------


def test_a_bucket_lets_so_many_in_and_fills_again() -> None:
    clock = [0.0]
    limits = Buckets(Limit("requests", 60, 1), lambda: clock[0])
    assert [limits.wait("a") for _ in range(60)] == [0.0] * 60
    assert limits.wait("a") == pytest.approx(1) and limits.wait("b") == 0
    clock[0] += 0.5
    assert limits.wait("a") == pytest.approx(0.5)
    clock[0] += 0.5
    assert limits.wait("a") == 0 and limits.wait("a") > 0
    clock[0] += 1e6
    assert [limits.wait("a") > 0 for _ in range(61)] == [False] * 60 + [True]
    unlimited = Buckets(Limit("requests", 0, 0))
    assert not any(unlimited.wait("a") for _ in range(1_000))


def test_who_asks_too_often_is_told_when_to_go_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_API_PER_MINUTE", "3")
    monkeypatch.setenv("ASSAY_API_ADDRESS_PER_MINUTE", "4")
    with programs(store) as by:
        assert [by["ann"].get("/me").status_code for _ in range(4)] == [200] * 3 + [429]
        assert [by[""].get("/me").status_code for _ in range(5)] == [401] * 4 + [429]
        assert int(by[""].get("/openapi.json").headers["retry-after"]) >= 1
        assert by["rea"].get("/me").status_code == 200, "a sound token of another one is let in from that address"


def test_programs_never_take_this_process_s_time_side_by_side(
    by: dict[str, Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way, most, done = 0, 0, list[str]()
    take = limits.programs.take

    def take_and_count(work: Callable[[], Any]) -> Any:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        time.sleep(0.01)
        try:
            return take(work)
        finally:
            under_way -= 1

    def ask(name: str, path: str) -> None:
        for _ in range(4):
            assert by[name].get(path, headers={"accept": "application/x-ndjson"}).status_code == 200
        assert by[name].send(f"{DEMO}/items", item(len(done))).status_code == 200
        done.append(name)

    monkeypatch.setattr(limits.programs, "take", take_and_count)
    calls = [("rea", f"{DEMO}/scores"), ("lea", f"{DEMO}/calibration"), ("rea", "/check?dataset=demo"), ("lea", "/me")]
    threads = [threading.Thread(target=ask, args=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4 and most == 1


def test_what_nobody_foresaw_is_a_sentence_and_quotes_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app, _ = make_app(store)
    token = tokens.new_token(store, "lea", "t", ["read"])[1]

    def broken() -> int:
        raise KeyError("the text of an item")

    with TestClient(app) as client:
        program = Program(client, token)
        assert program.get("/datasets").status_code == 200
        monkeypatch.setattr(store, "newest", broken)
        refusal = check_refusal(program.get("/datasets"), 500)
    assert "the text of an item" not in json.dumps(refusal)
    assert [record.msg for record in caplog.records].count("api_failed") == 1


def test_a_body_for_which_there_is_no_room_is_refused_and_told_to_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}"}

    route: Any = SimpleNamespace(lines=False)
    nobody: Any = SimpleNamespace()
    body = Api._body(nobody, route, Headers({"content-type": "application/json"}), receive, tmp_path / "gone" / "body")
    with pytest.raises(StoreFailed, match="There is no space here for the body"):
        asyncio.run(body)
    assert [record.msg for record in caplog.records] == ["api_body_not_kept"]


def test_lines_go_into_the_dataset_of_that_id(store: Store, by: dict[str, Program]) -> None:
    """A dataset is named by its name or its id, also where lines come in: no second one gets the id for a name."""
    id_ = datasets.dataset_named(store, "demo").id
    line = json.dumps({"id": "new", "kind": "response", "task": "t", "output": "o"})
    answer = by["rea"].send(f"/datasets/{id_}/items", line).json()
    assert (answer["dataset"], answer["items"]) == ("demo", 1)
    assert [dataset.name for dataset in datasets.all_datasets(store)] == ["demo"]
    judgment = {
        "item": "new", "card": "rubric_open_ended", "model": "m",
        "scores": [{"unit": "response", "dimension": "factuality", "value": 4}],
    }  # fmt: skip
    for indent, known in ((1, 0), (None, 1)):  # over several lines it is the same line of Assay's own
        text = json.dumps(judgment, indent=indent)
        answer = by["rea"].send("/datasets/demo/judgments", text, kind="application/json").json()
        assert (answer["judgments"], answer["known"]) == (1 - known, known)
