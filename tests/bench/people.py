"""Fifty people on the desk at once over Streamlit's own protocol: `python -m tests.bench people` (four minutes).

Each has a connection and a session of their own, has entered by name, and saves an answer to 13 cells, looks at the
next item for five seconds on average, and so on. Measured is the time from sending an answer until its key comes back
as saved, first for themselves, then while a researcher's browsers upload twenty files that are no data. Processor time
is the server's own, divided by the answers; the clock depends on what else the machine does.
"""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin, Subprotocol

from data.store import open_store
from tests import seeds
from tests.bench.desk import quantiles
from tests.server import DIRECT, Server
from tools import sample

PEOPLE, THINKING = 50, 5.0
SECONDS, ITEMS = 60.0, 2_000
UPLOADS, BROWSERS, MEGABYTES = 20, 4, 43
WORSE = 1.2
"""With the uploads the 95th percentile may be so many times what it is without."""


class Session:
    """A browser's connection: what it has been sent of the page, and what it sends back."""

    def __init__(self, app: Server, name: str) -> None:
        self.app, self.name = app, name
        self.id = self.page = self.fragment = ""
        self.elements: dict[str, Any] = {}
        self.answers: dict[str, Any] = {}
        self.runs = 0
        self.heard = asyncio.Event()
        self.socket: ClientConnection

    async def open(self, address: str, query: str = "") -> None:
        """Connect, ask for a page, and wait until it stands."""
        self.socket = await self.connect()
        self.listening = asyncio.create_task(self._listen())
        message = BackMsg()
        message.rerun_script.page_name, message.rerun_script.query_string = address, query
        message.rerun_script.context_info.timezone = "Europe/Berlin"
        message.rerun_script.context_info.url = f"{self.app.url}/{address}"
        await self.socket.send(message.SerializeToString())
        await self.until(lambda: self.runs > 0)

    async def connect(self, cookies: str = "", **more: Any) -> ClientConnection:
        """A connection to the app as a browser makes it."""
        stream = f"{self.app.url.replace('http', 'ws', 1)}/_stcore/stream"
        cookie = {"Cookie": f"assay_name={self.name}{cookies}"}
        return await connect(
            stream, origin=Origin(self.app.url), additional_headers=cookie, subprotocols=[Subprotocol("streamlit")],
            proxy=None, max_size=None, **more,
        )  # fmt: skip

    async def _listen(self) -> None:
        while True:
            try:
                sent = await self.socket.recv()
            except ConnectionClosed:
                return
            message = ForwardMsg.FromString(sent if isinstance(sent, bytes) else sent.encode())
            sort = message.WhichOneof("type")
            if sort == "new_session":
                self.page = message.new_session.page_script_hash
                self.id = message.new_session.initialize.session_id or self.id
            elif sort == "navigation":
                self.page = message.navigation.page_script_hash  # without it a rerun would be one of the first page
            elif sort == "delta" and message.delta.WhichOneof("type") == "new_element":
                self._read_element(message.delta.new_element, message.delta.fragment_id)
            elif sort == "file_urls_response":
                self.answers[message.file_urls_response.response_id] = message.file_urls_response
            elif sort == "script_finished":
                self.runs += 1
            self.heard.set()
            self.heard = asyncio.Event()

    def _read_element(self, element: Any, fragment: str) -> None:
        sort = element.WhichOneof("type")
        content = getattr(element, sort)
        name = content.component_name if sort == "bidi_component" else getattr(content, "label", "")
        self.elements[f"{sort} {name}"] = content
        if name == "assay_sheet":
            self.fragment = fragment

    async def until(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        """Wait until what was sent makes it so; TimeoutError where it does not in time."""
        async with asyncio.timeout(seconds):
            while not condition():
                await self.heard.wait()

    async def send(self, fragment: str = "", **states: Any) -> None:
        """Send the states of widgets, each named as in `elements` with _ for the blank, and have the page run."""
        message = BackMsg()
        message.rerun_script.page_script_hash, message.rerun_script.fragment_id = self.page, fragment
        for name, value in states.items():
            state = message.rerun_script.widget_states.widgets.add()
            state.id = self.elements[name].id
            if isinstance(value, dict):
                state.json_value = json.dumps(value)
            elif isinstance(value, str):
                state.string_value = value
            else:
                state.file_uploader_state_value.uploaded_file_info.add().CopyFrom(value)
        await self.socket.send(message.SerializeToString())

    async def close(self) -> None:
        self.listening.cancel()
        await self.socket.close()


@dataclass
class Measured:
    """Seconds from sending to being told, and what went wrong."""

    took: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Person(Session):
    """An annotator who answers what the desk gives."""

    SHEET = "bidi_component assay_sheet"

    def __init__(self, app: Server, name: str) -> None:
        super().__init__(app, name)
        self.ahead: dict[str, Any] = {}
        self.answered: set[str] = set()

    def desk_state(self) -> dict[str, Any]:
        """What the desk was told last."""
        state: dict[str, Any] = json.loads(self.elements[self.SHEET].json)
        return state

    async def work(self, until: float, measured: Measured, chance: random.Random) -> None:
        """Answer and think until then; what was sent ahead is worked off, as in the browser."""
        think = chance.uniform(0, 2 * THINKING)
        while time.monotonic() + think < until:
            await asyncio.sleep(think)
            think = chance.expovariate(1 / THINKING)
            for sheet in self.desk_state()["sheets"]:
                if sheet["item"] not in self.answered:
                    self.ahead[sheet["item"]] = sheet
            if not self.ahead:
                measured.wrong.append("nothing was sent ahead")
                return
            item = next(iter(self.ahead))
            answer, have = self.answer(self.ahead.pop(item)), list(self.ahead)
            self.answered.add(item)
            began = time.perf_counter()
            try:
                await self.save(answer, have)
                measured.took.append(time.perf_counter() - began)
            except TimeoutError:
                measured.wrong.append("no answer for a minute")
            measured.wrong += [refusal["why"] for refusal in self.desk_state()["refused"]]

    async def save(self, answer: dict[str, Any], have: list[str], patience: float = 60) -> None:
        """Send an answer, and wait until it is told what became of it. Raises TimeoutError."""
        await self.send(self.fragment, **{self.SHEET: {"outbox": {
            "answers": [answer], "have": have, "want": None, "nonce": time.perf_counter()}}})  # fmt: skip
        await self.until(lambda: self.knows(answer["key"]), patience)

    def knows(self, key: str) -> bool:
        """Whether the server has said what became of an answer."""
        text = self.elements[self.SHEET].json
        return f'"key": "{key}"' in text

    def answer(self, sheet: dict[str, Any]) -> dict[str, Any]:
        """Every cell as the judge has it."""
        cells = [c for row in sheet["rows"] for group in row["groups"] for c in group["cells"] if c["judge"]]
        values = [
            {"unit": c["unit"], "dimension": c["dimension"], "v": c["judge"]["v"], "saw": True, "seen": c["judge"]["v"]}
            for c in cells
        ]
        fields = {name: sheet[name] for name in ("item", "claim", "mode", "version")}
        return {**fields, "key": str(uuid.uuid4()), "person": self.name, "action": "save",
                "judge": sheet["judge"]["id"], "values": values, "asked": None, "notes": [], "repairs": [],
                "reason": "", "ms": 5000}  # fmt: skip


class Researcher(Session):
    """Somebody who uploads files on the page Import."""

    NAME = "text_input Its name"

    async def upload(self, body: bytes, number: int) -> None:
        """Upload a file as the browser does, name a dataset, and wait until the page has said what it holds."""
        file = str(uuid.uuid4())
        message = BackMsg()
        message.file_urls_request.request_id = file
        message.file_urls_request.session_id = self.id
        message.file_urls_request.file_names.append(f"bad{number}.jsonl")
        await self.socket.send(message.SerializeToString())
        await self.until(lambda: file in self.answers)
        [place] = self.answers.pop(file).file_urls
        await asyncio.to_thread(self._put, place.upload_url, body)
        info = UploadedFileInfo(file_id=place.file_id, name=f"bad{number}.jsonl", size=len(body), file_urls=place)
        before, files = self.runs, next(name for name in self.elements if name.startswith("file_uploader "))
        await self.send(**{files: info})
        await self.until(lambda: self.runs > before and self.NAME in self.elements, 300)
        before = self.runs
        await self.send(**{files: info, self.NAME: f"bad {number}"})
        await self.until(lambda: self.runs > before, 600)

    def _put(self, address: str, body: bytes) -> None:
        with DIRECT.open(f"{self.app.url}/_stcore/health") as answer:
            cookie = answer.headers["Set-Cookie"].partition(";")[0]
        mark = uuid.uuid4().hex
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="bad.jsonl"\r\n\r\n'
        whole = head.encode() + body + f"\r\n--{mark}--\r\n".encode()
        headers = {"Content-Type": f"multipart/form-data; boundary={mark}", "Cookie": cookie, "Origin": self.app.url,
                   "X-Xsrftoken": cookie.partition("=")[2]}  # fmt: skip
        put = urllib.request.Request(f"{self.app.url}/{address.lstrip('/')}", whole, headers, method="PUT")
        DIRECT.open(put, timeout=120).close()


def resource_use(app: Server) -> tuple[float, float]:
    """Seconds of processor time that the server has used, and its memory in MB."""
    assert app.process is not None
    place = Path(f"/proc/{app.process.pid}")
    ticks = place.joinpath("stat").read_text().rpartition(")")[2].split()
    memory = next(line for line in place.joinpath("status").read_text().splitlines() if line.startswith("VmRSS"))
    return (int(ticks[11]) + int(ticks[12])) / 100, int(memory.split()[1]) / 1024


async def phase(app: Server, people: list[Person], seconds: float, title: str) -> float:
    """Let everybody work for so long, and print what it took; the 95th percentile in milliseconds."""
    measured, (cpu, memory), began = Measured(), resource_use(app), time.monotonic()
    await asyncio.gather(*(p.work(began + seconds, measured, random.Random(p.name + title)) for p in people))
    now, after = resource_use(app)
    span, took = time.monotonic() - began, sorted(measured.took)
    p50, p95 = quantiles(took)
    p99 = took[min(int(len(took) * 0.99), len(took) - 1)]
    print(
        f"{title}: {len(took)} answers in {span:.0f} s; p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, p99 "
        f"{p99 * 1000:.0f} ms; {len(measured.wrong)} errors; {(now - cpu) * 1000 / len(took):.1f} ms of processor time "
        f"an answer, {(now - cpu) / span:.0%} of a core; memory {memory:.0f} MB before, {after:.0f} MB after",
        flush=True,
    )
    assert not measured.wrong, measured.wrong[:3]
    return p95 * 1000


async def measure_uploads(app: Server, people: list[Person], seconds: float) -> float:
    """The same while files that are no data are uploaded, by several browsers in turn."""
    body = b'{"id":1}\n' * (MEGABYTES * 1_000_000 // 9)
    browsers = [Researcher(app, "lea") for _ in range(BROWSERS)]
    done = [0]

    async def uploads(researcher: Researcher) -> None:
        await researcher.open("import")
        while done[0] < UPLOADS:
            done[0] += 1
            await researcher.upload(body, done[0])

    working = asyncio.gather(*map(uploads, browsers))
    p95 = await phase(app, people, seconds, f"beside {UPLOADS} uploads of {MEGABYTES} MB")
    print(f"{done[0]} uploads were begun{'' if working.done() else ', some are still read'}")
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    for researcher in browsers:
        await researcher.close()
    return p95


async def measure(app: Server, uploads: bool = True) -> None:
    """Everybody comes in, warms up, works alone, then beside the uploads."""
    people = [Person(app, f"ann{n:02d}") for n in range(PEOPLE)]
    for person in people:
        await person.open("desk", "stream=review")
    print(f"{PEOPLE} people have entered: {resource_use(app)[1]:.0f} MB", flush=True)
    await phase(app, people, 10, "warming up")
    alone = await phase(app, people, SECONDS, f"{PEOPLE} people")
    with_uploads = await measure_uploads(app, people, SECONDS) if uploads else alone
    for person in people:
        await person.close()
    assert with_uploads <= WORSE * alone, f"uploads make the 95th percentile {with_uploads / alone:.2f} times as long"


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        app = Server(Path(folder))
        dialogues = sample.make_bench_dialogues(ITEMS)
        names = ("lea", *(f"ann{n:02d}" for n in range(PEOPLE)))
        seeds.workspace(app.store_path, [*dialogues.items, *dialogues.judgments], names=names).close()
        with app:
            asyncio.run(measure(app))
        store = open_store(app.store)
        stored = store.rows("select count(*), count(distinct item_id) from answer")[0]
        store.close()
        print(f"stored: {stored[0]} answers to {stored[1]} items")
        assert stored[0] == stored[1], "an item was answered twice"
