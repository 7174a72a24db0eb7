"""Webhooks: what is told to whom, that nothing is lost or told by two, and where nothing may be sent."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from data.approvals import approvals, case
from data.desk import labels
from data.records import datasets, people, settings
from data.records.settings import QueueRules
from data.records.tables import RunEventRow, RunRow
from data.runs import runs
from data.store import Store
from data.store.errors import BadInput, NotAllowed, NotFound, StoreFailed
from data.store.ids import new_id, now
from data.webhooks import deliverer, outbox, signed_request, webhooks
from data.webhooks.deliverer import Deliverer
from data.webhooks.events import note_finished_queues
from data.webhooks.outbox import claim_task
from data.webhooks.webhooks import EVENTS, check_url, is_public
from data.workspace.verify import verify
from tests import seeds
from tests.certificates import certify, server_context
from tests.data.runs.test_runs import config, scripted_source


@dataclass
class Receiver:
    """Somebody's server: what came, and how it answers (a status; "hang" or "die")."""

    url: str = ""
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    server: Any = None

    def speak_tls(self, certificate: Path) -> None:
        """From here on be asked by https."""
        self.server.socket = server_context(certificate).wrap_socket(self.server.socket, server_side=True)
        self.url = self.url.replace("http:", "https:")


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    monkeypatch.setenv("ASSAY_WEBHOOK_PRIVATE", "1")
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.paths.append(self.path)
            receiver.requests.append(({k.lower(): v for k, v in self.headers.items()}, body))
            answer = receiver.answers.pop(0) if receiver.answers else 200
            if answer == "hang":
                receiver.released.wait(30)
            elif answer == "die":
                self.connection.shutdown(socket.SHUT_RDWR)
            elif answer == "early":
                while not receiver.released.wait(0.05):
                    self.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
            elif answer == "trickle":
                while not receiver.released.wait(0.05):
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nx: y\r\n" if not receiver.released.is_set() else b"")
            else:
                if answer == 200.5:
                    self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n")
                self.send_response(int(answer))
                if 300 <= answer < 400:
                    self.send_header("location", receiver.url + "/elsewhere")
                self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.server, receiver.url = server, f"http://127.0.0.1:{server.server_port}/hook?secret=1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield receiver
    receiver.released.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Four judged dialogues, two of them drawn."""
    items = [seeds.dialogue(n) for n in range(1, 5)]
    store = seeds.workspace(
        tmp_path / "a.duckdb", [*items, *map(seeds.judgment, items)], ("lea", "ann"), audit=2, review=False
    )
    yield store
    store.close()


def ask(url: str) -> str:
    """What comes of a request to the address."""
    return signed_request.post(url, "s", "1", "test", b"{}")


def tell(store: Store) -> list[str]:
    """Everything that is due now, told: the states."""
    note_finished_queues(store)
    states = []
    for webhook in webhooks.active_webhooks(store):
        while (task := claim_task(store, webhook)) is not None:
            states.append(deliverer.deliver(store, task))
    return states


@contextmanager
def later(monkeypatch: pytest.MonkeyPatch, **delta: float) -> Iterator[None]:
    moment = now() + timedelta(**delta)
    with monkeypatch.context() as patch:
        patch.setattr(outbox, "now", lambda: moment)
        yield


def answer_all(store: Store, person: str = "ann") -> None:
    cells = [(f"turn:{t}", d) for t in (1, 2, 3) for d in ("context_use", "helpfulness", "safety")]
    for item, draw in store.rows("select item_id, id from draw where stream = 'audit' order by id"):
        answer = {"key": new_id(), "version": "", "item": item, "person": person, "judge": "", "action": "save"}
        answer |= {"ms": 9, "claim": draw, "values": [{"unit": u, "dimension": d, "v": 4} for u, d in cells]}
        saved, refused = labels.save_answers(store, person, [answer])
        assert saved and not refused, refused


def test_a_queue_that_is_finished_is_told_once_signed_and_without_a_text(store: Store, receiver: Receiver) -> None:
    webhook, secret = webhooks.add_webhook(store, "lea", receiver.url, ["queue.finished"])
    assert tell(store) == []
    answer_all(store)
    assert tell(store) == ["delivered"] and tell(store) == []
    (headers, body), event = receiver.requests[0], json.loads(receiver.requests[0][1])
    dataset = datasets.dataset_named(store, "demo").id
    assert event["data"] == {"dataset": "demo", "dataset_id": dataset, "stream": "audit", "items": 3}
    assert event["type"] == headers["assay-event"] == "queue.finished" and event["id"] == headers["assay-id"]
    seconds, _, sign = headers["assay-signature"].removeprefix("t=").partition(",v1=")
    assert hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest() == sign
    assert b"says thing" not in body and secret not in str(headers)
    assert "whsec_" not in str(webhooks.list_webhooks(store, "lea"))
    other, _ = webhooks.add_webhook(store, "lea", receiver.url, list(EVENTS))
    assert tell(store) == [], "what was finished before is no news"
    webhooks.send_test(store, "lea", other.id)
    assert tell(store) == ["delivered"] and receiver.requests[-1][0]["assay-event"] == "test"
    assert webhook.id != other.id
    assert verify(store) == [], "or no backup of it could be restored"


def test_decisions_and_runs_are_told_by_names_and_states_to_whom_they_are_for(
    store: Store, receiver: Receiver
) -> None:
    for query, events in (("all", list(EVENTS)), ("runs", ["run.ended"])):
        webhooks.add_webhook(store, "lea", f"{receiver.url}&{query}", events)
    run_config = config(store)
    [(judge, *_)] = datasets.dataset_judges(store, run_config.dataset_id)
    key = (run_config.dataset_id, judge, "turn", "helpfulness")
    approvals.record_decision(
        store, "lea", *key, "decline", "Not yet.", case.seen_mark(store, case.find_case(store, *key))
    )
    run_id = runs.start(store, "lea", run_config, source=scripted_source())
    runs.wait(store, run_id)
    runs.close(store)
    assert tell(store) == ["delivered"] * 3
    heads, bodies = (
        [dict(headers) for headers, _ in receiver.requests],
        [json.loads(body) for _, body in receiver.requests],
    )
    assert [head["assay-event"] for head in heads] == ["approval.changed", "run.ended", "run.ended"]
    assert bodies[0]["data"] == {
        "dataset": "demo", "dataset_id": run_config.dataset_id, "judge": judge, "card": "multi_turn_dialogue",
        "model": "judge-one", "unit": "turn", "dimension": "helpfulness", "decision": "declined",
        "state": "below minimum sample", "person": "lea",
    }  # fmt: skip
    assert bodies[1] == bodies[2] and bodies[1]["data"] == {
        "dataset": "demo", "dataset_id": run_config.dataset_id, "run": run_id, "judge": runs.list_runs(store)[0].judge,
        "card": "multi_turn_dialogue", "model": "practice-constant", "state": "finished",
    }  # fmt: skip
    for table, event in (("approval", bodies[0]), ("run_event", bodies[1])):
        [(at,)] = store.rows(
            f"select c.made_at from {table} e join change c on c.seq = e.seq where e.id = $1", [event["id"]]
        )
        assert event["made_at"] == f"{at.isoformat(timespec='seconds')}Z"
    newest = outbox.list_tries(store, "lea", 2)
    assert [(delivery.host, delivery.kind) for delivery in newest] == [("127.0.0.1", "run.ended")] * 2


def test_a_run_is_told_of_however_it_ends_and_not_when_it_starts(store: Store, receiver: Receiver) -> None:
    webhooks.add_webhook(store, "lea", receiver.url, ["run.ended"])
    dataset = datasets.dataset_named(store, "demo").id
    [(judge, *_)] = datasets.dataset_judges(store, dataset)
    ended = {kind: RunRow(new_id(), dataset, judge, "{}", 1, 1) for kind in ("failed", "finished", "stopped")}
    events = [RunEventRow(new_id(), run.id, state, "") for end, run in ended.items() for state in ("started", end)]
    store.tx("lea", "run", lambda tx: tx.append(list(ended.values())) + tx.append(events))
    assert tell(store) == ["delivered"] * 3
    events_sent = (json.loads(body)["data"] for _, body in receiver.requests)
    assert {(event["state"], event["run"]) for event in events_sent} == {(end, run.id) for end, run in ended.items()}


def test_approvals_are_looked_at_now_and_then_for_those_who_want_to_know(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Store] = []
    clock = [1_000.0]
    monkeypatch.setattr(deliverer, "suspend_unsupported", looked.append)
    monkeypatch.setattr(deliverer, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    webhooks.add_webhook(store, "lea", receiver.url, ["run.ended"])
    thread = Deliverer(store)
    thread.look()
    assert looked == []
    webhooks.add_webhook(store, "lea", receiver.url, ["approval.changed"])
    for seconds, times in ((0.0, 1), (60.0, 1), (0.5, 2)):
        clock[0] += seconds
        thread.look()
        assert looked == [store] * times
    thread.stop()


def test_more_than_one_person_an_item_is_waited_for(store: Store, receiver: Receiver) -> None:
    dataset = datasets.dataset_named(store, "demo").id
    settings.set_queue_rules(store, "lea", dataset, QueueRules(overlap=2))
    webhooks.add_webhook(store, "lea", receiver.url, ["queue.finished"])
    answer_all(store)
    assert tell(store) == []
    people.join_workspace(store, "ben")
    answer_all(store, "ben")
    assert tell(store) == ["delivered"]


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "why"), [
    (500, "answered 500"), (302, "Redirects are not followed"), ("die", "could not be reached"), ("hang", "within"),
    ("trickle", "within"),
])  # fmt: skip
def test_what_fails_is_tried_again_and_once_more_at_last(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, answer: Any, why: str
) -> None:
    patience = {"hang": 0.3, "trickle": 0.3}.get(answer, 60)
    real = signed_request.post
    monkeypatch.setattr(deliverer, "post", lambda *args: real(*args, patience=patience))
    webhooks.add_webhook(store, "lea", receiver.url, ["queue.finished"])
    answer_all(store)
    receiver.answers = [answer]
    assert tell(store) == ["failed"]
    receiver.released.set()
    patience = 60
    assert tell(store) == [], "not at once"
    with later(monkeypatch, seconds=11):
        assert tell(store) == ["delivered"]
    assert len(receiver.requests) == 2 and receiver.requests[0][1] == receiver.requests[1][1]
    tries = outbox.list_tries(store, "lea")
    assert [delivery.state for delivery in tries] == ["delivered", "failed"] and why in tries[1].why


def test_a_status_from_200_to_299_is_taken_and_any_other_is_named(receiver: Receiver) -> None:
    for status in (199, 200, 299, 300, 399, 400):
        more = " Redirects are not followed." if status in (300, 399) else ""
        sentence = "" if status in (200, 299) else f"It answered {status}.{more}"
        receiver.answers = [status]
        assert ask(receiver.url) == sentence
    assert ask("http://127.0.0.1:9") == (
        "It could not be reached: Connection refused."
    )


def test_what_comes_before_the_answer_is_not_taken_for_it(receiver: Receiver) -> None:
    """A 103 was: the event had arrived, and was told again for hours."""
    receiver.answers = [200.5, "early"]
    assert signed_request.post(receiver.url, "s", "e", "k", b"{}") == ""
    assert signed_request.post(receiver.url, "s", "e", "k", b"{}", 0.5) == "It did not answer within 0.5 seconds."

@pytest.mark.parametrize(("error", "cut"), [(TimeoutError(), False), (ConnectionResetError(), True)])
def test_silence_is_named_whether_the_line_notices_it_or_is_cut(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, error: OSError, cut: bool
) -> None:
    def fail(line: Any, *_: object) -> None:
        line.was_cut = cut
        raise error

    monkeypatch.setattr(signed_request._CheckedConnection, "request", fail)
    assert signed_request.post(receiver.url, "s", "e", "k", b"{}", 9) == "It did not answer within 9 seconds."


def test_it_is_sent_to_the_whole_address(receiver: Receiver) -> None:
    server = receiver.url.partition("/hook")[0]
    for where in ("/hook?secret=1", "/a/b", "", "?secret=1"):
        assert ask(server + where) == ""
    assert receiver.paths == ["/hook?secret=1", "/a/b", "/", "/?secret=1"]


def test_an_address_without_a_port_has_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = list[tuple[Any, ...]]()

    def line(*where: Any) -> Any:
        addresses.append(where[:3])
        raise ConnectionRefusedError("not today")

    monkeypatch.setattr(signed_request, "_CheckedConnection", line)
    for url in ("https://example.org/h", "http://example.org/h", "https://example.org:8443/h"):
        assert "not today" in ask(url)
    assert addresses == [("example.org", 443, True), ("example.org", 80, False), ("example.org", 8443, True)]


def test_by_https_the_certificate_has_to_be_of_the_name(
    receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = receiver.url.replace("http:", "https:")
    assert ask(plain) == "It does not speak TLS: the address may begin with http, not https."
    certificate = certify(tmp_path, "127.0.0.1")
    receiver.speak_tls(certificate)
    assert ask(receiver.url) == "Its certificate is not valid: self-signed certificate."
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert ask(receiver.url) == ""
    assert "is not valid: Hostname mismatch" in ask(receiver.url.replace("127.0.0.1", "localhost"))
    assert [body for _, body in receiver.requests] == [b"{}"]


@pytest.mark.parametrize("tls", [True, False])
def test_the_usual_port_is_not_named_to_the_server(
    tls: bool, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = certify(tmp_path, "127.0.0.1")
    if tls:
        receiver.speak_tls(certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    connect, home = socket.create_connection, receiver.server.server_address
    monkeypatch.setattr(socket, "create_connection", lambda _, *more: connect(home, *more))
    address = f"{receiver.url.partition(':')[0]}://127.0.0.1"
    for port in ("", ":8443"):
        assert ask(f"{address}{port}/hook") == ""
    assert [headers["host"] for headers, _ in receiver.requests] == ["127.0.0.1", "127.0.0.1:8443"]


def test_it_is_given_up_in_the_end_and_the_page_can_say_so(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhooks.add_webhook(store, "lea", "http://127.0.0.1:9/", ["queue.finished"])
    answer_all(store)
    states = []
    for n in range(10):
        with later(monkeypatch, days=n):
            states += tell(store)
    assert states == ["failed"] * 7 + ["given up"]
    tries = outbox.list_tries(store, "lea")
    assert tries[0].state == "given up" and not receiver.requests
    waits = [(delivery.due - delivery.at).total_seconds() for delivery in reversed(tries) if delivery.due]
    assert waits == [10, 60, 300, 1_800, 7_200, 21_600, 43_200] and tries[0].due is None


def test_of_a_webhook_that_is_paused_or_removed_nothing_is_said_to_be_next(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_WEBHOOK_PRIVATE", "1")
    webhook, _ = webhooks.add_webhook(store, "lea", "http://127.0.0.1:9/", ["queue.finished"])
    answer_all(store)
    assert tell(store) == ["failed"]
    due = {}
    for state in ("active", "paused", "active", "removed"):
        webhooks.set_state(store, "lea", webhook.id, state)
        due[state] = [delivery.due is not None for delivery in outbox.list_tries(store, "lea")]
    assert due == {"active": [True], "paused": [False], "removed": [False]}


def test_several_processes_tell_it_once_and_one_that_dies_is_stood_in_for(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook, _ = webhooks.add_webhook(store, "lea", receiver.url, ["queue.finished"])
    answer_all(store)
    note_finished_queues(store)
    tasks: list[Any] = []
    threads = [threading.Thread(target=lambda: tasks.append(claim_task(store, webhook))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(task is not None for task in tasks) == 1
    assert tell(store) == [], "the process that claimed it has died, and its time is not over"
    with later(monkeypatch, minutes=1):
        assert tell(store) == []
    with later(monkeypatch, minutes=2):
        assert tell(store) == ["delivered"]
    assert note_finished_queues(store) == 0


def test_a_queue_that_another_process_noted_meanwhile_is_noted_once(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhooks.add_webhook(store, "lea", receiver.url, ["queue.finished"])
    answer_all(store)
    write = store.tx

    def come_later(*arguments: Any) -> Any:
        monkeypatch.setattr(store, "tx", write)
        assert note_finished_queues(store) == 1
        return write(*arguments)

    monkeypatch.setattr(store, "tx", come_later)
    assert note_finished_queues(store) == 0


@pytest.mark.slow
def test_the_thread_tells_and_one_that_hangs_holds_up_no_other(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = signed_request.post
    signal = threading.Event()

    def post(url: str, *args: Any) -> str:
        sentence = real(url, *args)
        if "second" in url:
            signal.set()
        return sentence

    monkeypatch.setattr(deliverer, "post", post)
    webhooks.add_webhook(store, "lea", receiver.url, ["queue.finished"])
    webhooks.add_webhook(store, "lea", f"{receiver.url}&second", ["queue.finished"])
    answer_all(store)
    receiver.answers = ["hang"]
    thread = Deliverer(store, often=0.02)
    thread.start()
    assert signal.wait(60)
    receiver.released.set()
    thread.stop()
    assert store.rows("select count(*) from webhook_event") == [(1,)]


def test_an_error_that_nobody_foresaw_does_not_end_the_telling(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looked = list[int]()

    def fail_once(_: Store) -> int:
        looked.append(1)
        return 1 // 0 if len(looked) == 1 else note_finished_queues(store)

    monkeypatch.setattr(deliverer, "note_finished_queues", fail_once)
    webhooks.add_webhook(store, "lea", receiver.url, ["queue.finished"])
    answer_all(store)
    thread = Deliverer(store, often=0.02)
    thread.start()
    for _ in range(1_000):
        if receiver.requests or not thread._thread.is_alive():
            break
        receiver.released.wait(0.02)
    thread.stop()
    assert len(receiver.requests) == 1 and "webhook_failed" in caplog.text


def test_all_that_is_due_is_told_at_once_until_something_fails_or_it_ends(
    store: Store, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "assay")
    webhook, _ = webhooks.add_webhook(store, "lea", receiver.url, ["run.ended"])
    teller = Deliverer(store)

    def came(events: int) -> int:
        for _ in range(events):
            webhooks.send_test(store, "lea", webhook.id)
        before = len(receiver.requests)
        teller._deliver_due(webhook)
        return len(receiver.requests) - before

    receiver.answers = [500]
    assert came(2) == 1, "whoever does not answer is left alone for a while"
    assert came(0) == 1, "what failed is not due yet"
    assert came(3) == 3
    states = [record.__dict__["facts"]["state"] for record in caplog.records if record.msg == "webhook_told"]
    assert states == ["failed", *["delivered"] * 4]
    for error, event in ((StoreFailed("full"), "webhook_not_told"), (ValueError("odd"), "webhook_failed")):

        def fail(*_: object, error: Exception = error) -> str:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(deliverer, "deliver", fail)
            assert came(1) == 0
        assert [record.msg for record in caplog.records if record.levelname in ("WARNING", "ERROR")][-1] == event
    teller.stop()
    assert came(1) == 0


def test_only_leads_and_only_what_is_there(store: Store, receiver: Receiver) -> None:
    webhook, _ = webhooks.add_webhook(store, "lea", receiver.url, ["run.ended"])
    acts: list[Callable[[], Any]] = [
        lambda: webhooks.add_webhook(store, "ann", receiver.url, ["run.ended"]),
        lambda: webhooks.list_webhooks(store, "ann"),
        lambda: webhooks.set_state(store, "ann", webhook.id, "paused"),
        lambda: webhooks.send_test(store, "ann", webhook.id),
        lambda: outbox.list_tries(store, "ann"),
    ]
    for act in acts:
        with pytest.raises(NotAllowed):
            act()
    webhooks.set_state(store, "lea", webhook.id, "paused")
    webhooks.send_test(store, "lea", webhook.id)
    assert tell(store) == []
    webhooks.set_state(store, "lea", webhook.id, "active")
    assert tell(store) == ["delivered"]
    webhooks.set_state(store, "lea", webhook.id, "removed")
    assert webhooks.list_webhooks(store, "lea") == []
    with pytest.raises(NotFound):
        webhooks.send_test(store, "lea", webhook.id)
    for events in ([], ["test"], ["nothing"]):
        with pytest.raises(BadInput):
            webhooks.add_webhook(store, "lea", receiver.url, events)
    hooks = [webhooks.add_webhook(store, "lea", receiver.url, ["run.ended", "queue.finished"])[0] for _ in range(20)]
    assert webhooks.list_webhooks(store, "lea") == hooks and hooks[0].events == ("queue.finished", "run.ended")
    with pytest.raises(BadInput, match="20 webhooks"):
        webhooks.add_webhook(store, "lea", receiver.url, ["run.ended"])
    before = store.newest()
    webhooks.set_state(store, "lea", hooks[0].id, "active")
    assert store.newest() == before, "it is so already"


@pytest.mark.parametrize("url", [
    "ftp://a.example/", "file:///etc/passwd", "https://", "https://me:pw@a.example/", "https://a.example/#x", "a.a",
    "http://127.0.0.1/", "http://localhost:8501/", "http://[::1]/", "http://10.1.2.3/", "http://169.254.169.254/latest",
    "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http:a b",
    "http://[::7f00:1]/", "http://a.example:99999/", "https://a.example/" + "x" * 500, "https://ä.example/", "", "http://100.64.0.1/",
    "http://sub.localhost/", "https://a.example/a b", "https://a.example/a\nb", "https://a.example/a\x7fb",
])  # fmt: skip
def test_where_nothing_may_be_sent(url: str) -> None:
    with pytest.raises(BadInput):
        check_url(url)


@pytest.mark.parametrize(("address", "public"), [
    ("8.8.8.8", True), ("2606:4700::1111", True), ("::ffff:8.8.8.8", True), ("64:ff9b::808:808", True),
    ("2002:808:808::1", True), ("224.0.0.1", False), ("ff0e::1", False), ("fe80::1%eth0", False),
])  # fmt: skip
def test_what_is_of_the_internet_at_large(address: str, public: bool) -> None:
    assert is_public(address) == public


def test_an_address_has_bounds_and_a_network_of_ones_own_may_be_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = "https://a.example/" + "x" * 482
    assert check_url(longest) == longest and check_url("http://a.example:8080?b=c")
    for allowed in ("1", "0"):
        monkeypatch.setenv("ASSAY_WEBHOOK_PRIVATE", allowed)
        if allowed == "1":
            assert check_url("http://10.1.2.3/") and check_url("http://localhost/")
        else:
            with pytest.raises(BadInput, match="private network"):
                check_url("http://10.1.2.3/")


@pytest.mark.parametrize("name", ["a" * 64 + ".example.org", "a..example.org"])
def test_a_name_that_cannot_be_asked_after_is_a_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_request.socket, "getaddrinfo", lambda name, *_, **__: name.encode("idna"))
    sentence = ask(check_url(f"https://{name}/"))
    assert sentence.startswith(f"{name} cannot be found: ") and sentence.endswith(".")


def test_a_name_that_leads_home_is_not_followed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the address that the request goes to which is looked at, at the moment of sending."""
    assert check_url("https://hooks.example.org/services/a?b=c") and is_public("93.184.216.34")
    for addresses in (["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["fd00::1"]):
        entries = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]
        monkeypatch.setattr(signed_request.socket, "getaddrinfo", lambda *_, entries=entries, **__: entries)
        assert "not allowed" in ask("https://hooks.example.org/")
    entries = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 443))]
    monkeypatch.setattr(signed_request.socket, "getaddrinfo", lambda *_, **__: entries)
    targets: list[Any] = []

    def refuse(target: Any, *_: Any) -> None:
        targets.append(target)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(signed_request.socket, "create_connection", refuse)
    assert "Connection refused" in ask("https://hooks.example.org/") and targets == [("93.184.216.34", 443)]
