"""Nothing that a judged text, a file or a name says makes the browser fetch, run or show anything but text."""

from __future__ import annotations

import http.client
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from data.importing.files.source import from_bytes
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import datasets, guidelines, people
from data.records.access import ROLES, Role
from data.store import open_store
from pages.main import ROUTES
from pages.me.sign_in import ROLE_AUDIENCES
from pages.me.sign_in import sign_out as sign_out
from pages.mtbench.page import PARTS
from tests import seeds
from tests.data.imports import text
from tests.pages.desk_driver import at_rest, enter, turn_to
from tests.poison import floods, tricks
from tests.server import Server

Serve = Callable[..., Server]
ADDRESSES = ["" if route[4] == "overview" else route[4] for route in ROUTES if route[2] is not sign_out]
"""The first page stands at the root."""
MTBENCH = "mt-poisoned"
PEOPLE: dict[Role, str] = {"lead": "lea", "researcher": "rae", "annotator": "ann"}
CONTROLS = "button, input, textarea, table, canvas, img"
"""What every page has of its own, and the word on whose a page is has not."""


@pytest.fixture
def canary() -> Iterator[tuple[str, list[str]]]:
    """A server on this machine that remembers every fetch: (its address, the paths)."""
    paths: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def three(serve_all: Serve) -> Server:
    """The app with three judged dialogues, a person of each role and one who is out, for tests that answer nothing."""
    app = serve_all(start=False)
    seeds.dialogues(app.store_path, 3, names=(*PEOPLE.values(), "ida"))
    store = open_store(app.store)
    people.set_person(store, "lea", "rae", "researcher")
    people.set_person(store, "lea", "ida", "annotator", active=False)
    store.close()
    app.start()
    return app


def poison_workspace(app: Server, url: str) -> str:
    """A workspace in which every text that can be untrusted asks for a picture; the poison."""
    poison = f"![p]({url}/md) <img src='{url}/html'> :material/bug_report: [l]({url}/link) $x$ :red[r] "
    poison += f"<script>fetch('{url}/js')</script>"
    rows = []
    for n in range(1, 3):
        item = seeds.dialogue(n, text=poison, system=poison)
        item["turns"][-1]["text"] = "\n\n".join([poison, *tricks(url), *floods()])
        item.update(scenario=poison, id=f"{n} {poison}", meta={poison: poison})
        reply = {**seeds.reply(item, verdict="good"), "decision_basis": poison}
        reply["per_turn"][0]["issues"] = [poison]
        rows += [item, *(seeds.judgment(item, reply, model=f"{model}{poison}") for model in ("", "b"))]
        rows += [{
            "item": item["id"], "unit": "turn:1", "dimension": "helpfulness", "value": value, "annotator": annotator,
            "mode": "blind", "made_at": "2026-01-31T12:00:00Z",
        } for annotator, value in ((":red[**ann**] $x$", 4), ("![b](canary.png)", 1))]  # fmt: skip
    name = poison[:100].replace("\n", " ")
    store = seeds.workspace(app.store_path, rows, audit=2, dataset=name)
    people.join_workspace(store, "![n](canary.png) $y$ :blue[b]")
    guidelines.write_guidelines(store, "lea", datasets.dataset_named(store, name).id, poison)
    questions = [{"question_id": n, "category": f"{n % 2} {poison}", "turns": [poison, poison]} for n in range(1, 4)]
    answers = [
        {"question_id": q["question_id"], "model_id": f"m{n}{poison}", "choices": [{"index": 0, "turns": [poison] * 2}]}
        for q in questions for n in range(2)
    ]  # fmt: skip
    rated = [
        {"question_id": a["question_id"], "model": a["model_id"], "judge": [poison, "single-v1"], "turn": turn,
         "judgment": f"{poison} [[{turn + 3}]]", "score": turn + 3} for a in answers for turn in (1, 2)
    ]  # fmt: skip
    files = {"question.jsonl": questions, "answers.jsonl": answers, "judge_single.jsonl": rated}
    source = from_bytes([(file, text(lines)) for file, lines in files.items()])
    import_source(store, "lea", source, ImportPlan(MTBENCH, sampling="all"))
    store.close()
    return poison


@pytest.mark.slow
def test_no_page_fetches_what_untrusted_text_asks_for(serve: Serve, page: Any, canary: tuple[str, list[str]]) -> None:
    url, paths = canary
    app = serve(start=False)
    poison_workspace(app, url)
    app.start()
    urls: list[str] = []
    page.on("request", lambda r: urls.append(r.url) if url in r.url or "canary" in r.url else None)
    enter(page, app.url, "lea", ADDRESSES[0])
    parts = [f"mtbench?dataset={MTBENCH}&part={part}" for part in PARTS]
    for address in [*ADDRESSES, *parts]:
        turn_to(page, address)
        assert not page.locator("[data-testid='stException']").count(), address
        assert not page.get_by_text("Page not found").count(), address
        assert not page.locator(f"a[href^='{url}']").count(), address  # nor does a click lead there
        page.mouse.wheel(0, 3000)
        page.wait_for_timeout(100)
    assert urls == []
    assert paths == []


def test_the_canary_would_have_seen_a_fetch(page: Any, canary: tuple[str, list[str]]) -> None:
    url, paths = canary
    page.goto(f"{url}/page")  # a page of this machine, as the app's are: from no page at all Chromium may refuse it
    with page.expect_response(f"{url}/html"):
        page.set_content(f"<img src='{url}/html'>")
    assert paths == ["/page", "/html"]


REQUESTS = [
    *(("GET", path) for path in (
        "/", "/health", "/healthz", "/metrics", "/desk", "/nowhere", "/static/js/none.js", "/media/none.png", "/%00",
        "/component/x/y", "/given/a/b", "/_stcore/health", "/_stcore/host-config", "/_stcore/metrics", "//evil.test/x",
        "/_stcore/bidi-components/x/y.js", "/static/%2e%2e/%2e%2e/etc/passwd",
    )),
    ("POST", "/"), ("OPTIONS", "/"), ("TRACE", "/"), ("PUT", "/_stcore/upload_file/a/b"), ("DELETE", "/health"),
]  # fmt: skip


def test_every_answer_carries_the_policy_errors_and_refusals_too(three: Server) -> None:
    for method, path in [*REQUESTS, ("GET", "evil")]:
        client = http.client.HTTPConnection("127.0.0.1", three.port, timeout=60)
        client.request(method, "/" if path == "evil" else path, headers={"Host": "evil.test"} if path == "evil" else {})
        answer = client.getresponse()
        body, headers = answer.read(), {name.lower(): value for name, value in answer.getheaders()}
        carries(headers, f"{method} {path}")
        assert b"Traceback" not in body and answer.status < 500, path
        client.close()
    assert not json.loads(three.get("/_stcore/host-config")[2])["allowedOrigins"], "no page elsewhere may send messages"


@pytest.mark.parametrize("origin", ["http://evil.test", None])
def test_a_refused_websocket_is_told_why_and_carries_the_policy(three: Server, origin: str | None) -> None:
    address = f"ws://127.0.0.1:{three.port}/_stcore/stream"
    with pytest.raises(InvalidStatus) as refused:
        connect(address, origin=origin, additional_headers={"Cookie": "assay_name=lea"}, proxy=None)  # type: ignore[arg-type]
    answer = refused.value.response
    assert answer.status_code == 403 and b"origin" in (answer.body or b"")
    carries({name.lower(): value for name, value in answer.headers.raw_items()}, "websocket")
    with pytest.raises(InvalidStatus) as refused:  # one that Streamlit itself refuses
        connect(f"{address}/x", origin=f"http://127.0.0.1:{three.port}", proxy=None)  # type: ignore[arg-type]
    carries({name.lower(): value for name, value in refused.value.response.headers.raw_items()}, "websocket")
    assert "ERROR" not in three.log


def carries(headers: dict[str, str], request: str) -> None:
    """AssertionError where an answer lacks a header that keeps pages safe."""
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["img-src"] == "'self' data: blob:", request
    assert policy["frame-ancestors"] == policy["object-src"] == "'none'", request
    assert "http:" not in policy["default-src"] and "*" not in headers["content-security-policy"], request
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY", request
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin", request


def test_who_is_out_sees_no_desk_and_what_got_into_a_page_still_fetches_nothing(
    three: Server, page: Any, canary: tuple[str, list[str]]
) -> None:
    """The policy by itself: whatever a text would bring into a page, were it ever drawn as HTML."""
    url, paths = canary
    enter(page, three.url, "ida")  # who is inactive, and so is nobody
    page.get_by_text("Who are you?").first.wait_for()
    page.evaluate(INJECTED, [url, url.replace("http:", "ws:")])
    page.wait_for_timeout(300)
    assert paths == []


INJECTED = """async ([url, socket]) => {
  const tags = [
    `<img src='${url}/1'>`, `<video src='${url}/2' poster='${url}/3' autoplay></video>`,
    `<audio src='${url}/4'></audio>`,
    `<iframe src='${url}/5'></iframe>`, `<object data='${url}/6'></object>`, `<embed src='${url}/7'>`,
    `<style>@import '${url}/8'; @font-face { font-family: f; src: url(${url}/9) } body { font-family: f;
      background: url(${url}/10) }</style>`,
    `<link rel=stylesheet href='${url}/11'>`, `<link rel=prefetch href='${url}/12'>`,
    `<link rel=preload as=script href='${url}/13'>`, `<svg><image href='${url}/14'/><use href='${url}/15#a'/></svg>`,
    `<input type=image src='${url}/16'>`, `<link rel=icon href='${url}/17'>`, `<link rel=manifest href='${url}/18'>`,
    `<form id=sent action='${url}/19'></form>`,
  ];
  for (const tag of tags) document.body.insertAdjacentHTML('beforeend', tag);
  const script = document.createElement('script'); script.src = `${url}/20`; document.body.append(script);
  document.getElementById('sent').submit();
  const tried = [() => fetch(`${url}/21`), () => navigator.sendBeacon(`${url}/22`), () => new WebSocket(`${socket}/23`),
    () => new EventSource(`${url}/24`), () => new Worker(`${url}/25`), () => import(`${url}/26`)];
  for (const one of tried) { try { await one() } catch { } }
}"""


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_below_its_role_a_page_says_whose_it_is_and_nothing_else(three: Server, page: Any, role: Role) -> None:
    rank = ROLES.index
    # A page that is for everybody hides nothing; those of this very role show that what a page shows is seen here.
    restricted = [(least, title, to) for _, least, _, title, to, _ in ROUTES if least != "annotator"]
    pages = [route for route in restricted if rank(route[0]) >= rank(role)]
    assert {least for least, _, _ in restricted} == {"researcher", "lead"}
    enter(page, three.url, PEOPLE[role], pages[0][2])
    at_rest(page)
    main = page.get_by_test_id("stMain")
    for least, title, address in pages:
        turn_to(page, address)
        expect(page).to_have_title(f"{title} · Assay")
        lines = [line for line in main.inner_text().split("\n") if line.strip()]
        refused = (
            f"This page is for {ROLE_AUDIENCES[least]}, and you are a{'n' * (role == 'annotator')} {role}. "
            "lea can change your role on the page People."
        )
        if least == role:
            assert refused not in lines and main.locator(CONTROLS).count(), address
        else:
            assert lines == [title, refused, "home", "Overview"], address
            assert main.get_by_role("link").count() == 1, address
            assert not main.locator(CONTROLS).count(), address


@pytest.mark.slow
def test_a_cold_link_without_a_name_leads_to_the_name_picker(three: Server, page: Any) -> None:
    page.goto(f"{three.url}/{ADDRESSES[-1]}")
    for address in ADDRESSES:  # none of these sessions has a name, whichever page it asks for
        page.get_by_text("Who are you?").first.wait_for()
        turn_to(page, address)
        assert page.get_by_text("Who are you?").count(), address
