"""What a run costs beside the bare client: `python -m tests.bench runner` (minutes).

An endpoint that answers after a fixed time stands in another process on the same machine. Against it, in turns: bare
openai with its aiohttp transport, 256 at a time and nothing else done; the runner, with prompts built from items,
replies parsed, checked and turned into scores; and a run in a workspace, which stores all of it as well. Said are the
rate and the processor time of this process per call, and the memory over many calls, with the load of the machine.

ASSAY_BENCH_CALLS (default 100,000) is how many calls the memory is watched over.
"""

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from data.runs import runs
from data.runs.run_config import RunConfig
from judges.cards import cards
from judges.client import runner
from judges.client.client import Client
from judges.client.endpoint import Endpoint
from judges.params import Params
from judges.protocols import call_plan
from judges.protocols.call_plan import CallReply, FinishedJudgment, Task
from judges.types import Response
from tests.data.imports import bring, workspace

LATENCY, CONCURRENCY, CALLS, ROUNDS = 0.5, 256, 4096, 3
CALL_COUNT = int(os.environ.get("ASSAY_BENCH_CALLS", "100000"))
CARD = cards()["rubric_open_ended"]
SCORES = {"factuality": 4, "instruction_following": 4, "coherence": 4, "completeness": 4}
REPLY = {"scores": SCORES, "verdict": "excellent", "decision_basis": "It does what was asked.", "issues": []}
TEXT = "The bridge was closed in spring, and the ferry took its place until the autumn. " * 12
REPLIES = 10_000
SHARE, PROCESSOR, GROWTH, STORED = 0.90, 2.5, 20.0, 2000
"""What has to hold: share of the bare client's rate, milliseconds of processor a call, MB from halfway to the end,
and replies parsed and stored in a second beside the time of the network.
"""


class Fixed(asyncio.Protocol):
    """An endpoint that reads no more than the length of a request and answers after a fixed time."""

    latency = 0.0
    body = json.dumps(
        {
            "model": "fixed",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": json.dumps(REPLY)}}
            ],
            "usage": {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960},
        }
    ).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    def connection_made(self, transport):
        self.transport, self.held, self.wanted = transport, bytearray(), -1

    def data_received(self, data):
        self.held += data
        if self.wanted < 0 and (end := self.held.find(b"\r\n\r\n")) >= 0:
            head = bytes(self.held[:end]).lower()
            at = head.find(b"content-length:")
            self.wanted = end + 4 + (int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0)
        if 0 <= self.wanted <= len(self.held):
            self.held, self.wanted = bytearray(), -1
            asyncio.get_running_loop().call_later(self.latency, self.transport.write, self.answer)


async def serve(latency):
    """Serve until this process is ended; the port is printed."""
    Fixed.latency = latency
    server = await asyncio.get_running_loop().create_server(Fixed, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Served:
    """The endpoint in a process of its own."""

    def __init__(self, latency):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.runner", str(latency)], stdout=subprocess.PIPE, text=True
        )
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/v1"

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def items(n):
    """n different items of about 250 tokens."""
    for k in range(n):
        yield f"i{k}", Response(id=f"i{k}", kind="response", task=f"Say what became of bridge {k}.", output=TEXT)


async def call_bare(url, n):
    """n calls by the bare client, CONCURRENCY at a time."""
    import httpx
    import openai

    task = Task("i0", next(items(1))[1])
    ask = call_plan.build_request(CARD, Params(), task, "", {}, "json_schema")
    response_format = {"type": "json_schema", "json_schema": {"name": ask.name, "schema": ask.schema, "strict": True}}
    limits = httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=None)
    http = openai.DefaultAioHttpClient(limits=limits)
    left = iter(range(n))
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, http_client=http) as client:

        async def hand():
            for _ in left:
                await client.chat.completions.create(
                    model="m", messages=ask.messages, temperature=0, max_tokens=2048, response_format=response_format
                )

        await asyncio.gather(*(hand() for _ in range(CONCURRENCY)))


async def judge_items(url, n, concurrency=CONCURRENCY, observe=None):
    """n judgments by the runner; the model's manner is known, as it is after a first run."""
    endpoint = Endpoint(base_url=url, concurrency=concurrency)
    done = 0
    async with Client(endpoint, "m", {f"{url} m": "json_schema"}) as client:
        tasks = call_plan.tasks(CARD, Params(), items(n))
        async for event in runner.Run(CARD, Params(), client, tasks).stream():
            if isinstance(event, FinishedJudgment):
                assert event.reading.unscored is None, event.reading
                done += 1
                if observe is not None:
                    observe(done)
    assert done == n, f"{done} of {n} judgments came"


def measure(work, n=CALLS):
    """(calls a second, milliseconds of processor a call) of n calls."""
    gc.collect()
    began, used = time.perf_counter(), time.process_time()
    work()
    return n / (time.perf_counter() - began), (time.process_time() - used) / n * 1000


class Workspace:
    """A workspace with REPLIES items, in which runs are made."""

    def __init__(self, folder):
        self.store = workspace(Path(folder))
        bring(self.store, [item.model_dump(mode="json") for _, item in items(REPLIES)])
        self.dataset = self.store.rows("select id from dataset")[0][0]
        self.runs = 0

    def run(self, url, most=0, source=None):
        """A run by a judge of its own, to its end."""
        self.runs += 1
        endpoint = Endpoint(base_url=url, concurrency=CONCURRENCY)
        config = RunConfig(self.dataset, CARD, f"fixed {self.runs}", Params(), endpoint, most=most)
        end = runs.wait(self.store, runs.start(self.store, "lea", config, source=source))
        assert (end.state, end.scored) == ("finished", most or REPLIES), end


async def at_hand(live, capabilities):
    """A source of replies that are there already: what is left to do is parsing and storing."""
    raw = json.dumps(REPLY)
    for number, task in enumerate(live.remaining.tasks()):
        answer = CallReply(task.key, task.part, task.sample, "", raw, model="fixed", tokens_in=900, tokens_out=60)
        yield answer
        yield call_plan.fuse(CARD, live.config.params, task, {"": answer})
        if number % 50 == 0:
            await asyncio.sleep(0)


def resident():
    """Megabytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def compare(workspace_):
    """The runner beside the bare client, and a run that is stored: (share of the rate, processor) of the latter."""
    with Served(LATENCY) as url:
        asyncio.run(call_bare(url, CONCURRENCY))  # imports, first connections
        asyncio.run(judge_items(url, CONCURRENCY))
        figures = {"bare": [], "runner": [], "stored": []}
        for _ in range(ROUNDS):
            figures["bare"].append(measure(lambda: asyncio.run(call_bare(url, CALLS))))
            figures["runner"].append(measure(lambda: asyncio.run(judge_items(url, CALLS))))
            figures["stored"].append(measure(lambda: workspace_.run(url, CALLS)))
    best = {name: (max(r for r, _ in rows), min(c for _, c in rows)) for name, rows in figures.items()}
    load = os.getloadavg()[0]
    print(f"{CALLS:,} calls of {LATENCY * 1000:g} ms, {CONCURRENCY} at a time, best of {ROUNDS}, load {load:.1f}:")
    for name, (rate, processor) in best.items():
        print(f"  {name:7} {rate:6.1f} a second, {processor:.2f} ms of processor a call")
    shares = {name: best[name][0] / best["bare"][0] for name in ("runner", "stored")}
    print(f"  of the bare client's rate: the runner {shares['runner']:.0%}, stored as well {shares['stored']:.0%}")
    return shares["stored"], best["stored"][1]


def storing(workspace_):
    """Replies that are parsed and stored in a second, without a network."""
    rate, processor = measure(lambda: workspace_.run("http://127.0.0.1:9/v1", source=at_hand), REPLIES)
    print(f"{REPLIES:,} replies parsed and stored: {rate:,.0f} a second, {processor:.2f} ms of processor each")
    return rate


def memory():
    """Memory over CALL_COUNT calls of an endpoint that answers at once: (megabytes halfway, at the end)."""
    points = {}

    def observe(done):
        if done % max(CALL_COUNT // 10, 1) == 0:
            points[done] = resident()

    with Served(0.0) as url:
        began = time.perf_counter()
        asyncio.run(judge_items(url, CALL_COUNT, 64, observe))
        took = time.perf_counter() - began
    text = ", ".join(f"{done:,}: {size:.0f}" for done, size in points.items())
    print(f"MB in memory after so many calls: {text} ({CALL_COUNT / took:,.0f} a second)")
    sizes = list(points.values())
    return sizes[len(sizes) // 2], sizes[-1]


def main():
    """Measure, and hold what has to hold."""
    with tempfile.TemporaryDirectory() as folder:
        workspace_ = Workspace(folder)
        rate = storing(workspace_)
        share, processor = compare(workspace_)
        workspace_.store.close()
    half, end = memory()
    assert rate >= STORED, f"{rate:,.0f} replies a second are stored, {STORED:,} are asked for"
    assert share >= SHARE, f"{share:.0%} of the bare client's rate, {SHARE:.0%} are asked for"
    assert processor <= PROCESSOR, f"{processor:.2f} ms of processor a call, {PROCESSOR} are allowed"
    assert end - half <= GROWTH, f"memory grew by {end - half:.0f} MB from halfway to the end"


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
