"""What an endpoint sends is bounded, unpacked or not, and nobody is sent on to another address."""

import asyncio
import contextlib
import gzip
import json
import tracemalloc
import zlib

import pytest

from judges.client import response_body
from judges.client.client import Client
from judges.client.endpoint import Endpoint
from judges.client.errors import FatalError, TransientError
from judges.params import Params
from judges.protocols.call_plan import CallReply
from tests.judges.client.test_client import ASK
from tests.judges.endpoint import Say, serving
from tests.judges.run_cases import GOOD, collect_events, events_of

SPACES = b" " * 1_000_000


def bomb(packing, megabytes):
    """So many megabytes of spaces, packed: about a thousandth of that."""
    packer = zlib.compressobj(9, wbits={"gzip": 31, "deflate": 15, "raw": -15}[packing])
    return b"".join(packer.compress(SPACES) for _ in range(megabytes)) + packer.flush()


GZIP = bomb("gzip", 60)


def members(number):
    """So many members of gzip that hold nothing."""
    return gzip.compress(b"") * number


@contextlib.asynccontextmanager
async def raw(head, *chunks, again=0):
    """A server of bytes: (its base URL, what it was sent); `again`: the last chunk so often, or till it is left."""
    requests = []

    async def answer(reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            requests.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(head)
            for chunk in (*chunks, *(chunks[-1] for _ in range(again))):
                writer.write(chunk)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", requests


def exchange(head, *chunks, again=0, timeout=300.0, call="answer"):
    """What one exchange with a server of bytes gives or raises."""

    async def go():
        async with (
            raw(head, *chunks, again=again) as (url, _),
            Client(Endpoint(base_url=url, timeout=timeout), "m") as client,
        ):
            try:
                return await (client.answer(Params(), ASK) if call == "answer" else client.models())
            except Exception as fault:
                return fault

    return asyncio.run(go())


def head(*lines, status="200 OK"):
    return "\r\n".join([f"HTTP/1.1 {status}", "Content-Type: application/json", *lines, "", ""]).encode()


@pytest.mark.parametrize(
    ("packing", "data", "status", "call", "most"),
    [
        ("gzip", GZIP, "200 OK", "answer", 16),
        ("x-gzip", GZIP, "400 Bad Request", "answer", 16),
        ("GZIP", GZIP, "500 Oops", "models", 16),
        ("deflate", bomb("deflate", 60), "200 OK", "models", 16),
        ("deflate", bomb("raw", 60), "200 OK", "answer", 16),
        ("gzip", bomb("gzip", 10) * 6, "200 OK", "answer", 16),
        ("gzip", members(63_000), "200 OK", "answer", 1),  # each costs an unpacker
    ],
    ids=["gzip", "x-gzip", "GZIP", "deflate", "deflate without a head", "members", "empty members"],
)
def test_a_body_is_not_read_beyond_its_bound(packing, data, status, call, most, monkeypatch):
    if most != 16:
        monkeypatch.setattr(response_body, "MAX_ANSWER_BYTES", most * 1_000_000)
    packed = head(f"Content-Encoding: {packing}", f"Content-Length: {len(data)}", status=status)
    tracemalloc.start(1)
    fault = exchange(packed, data, call=call)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (
        isinstance(fault, TransientError)
        and fault.charged
        and fault.why == f"the endpoint's answer is larger than {most} MB"
    )
    assert peak < 2_800_000 * most, "what the server sends and what came of it stand in one process"


def test_a_body_without_an_end_is_left():
    chunk = b"%x\r\n%s\r\n" % (len(SPACES), SPACES)
    fault = exchange(head("Transfer-Encoding: chunked"), chunk, again=10_000)
    assert isinstance(fault, TransientError) and "larger than 16 MB" in fault.why


def test_a_body_in_drips_is_given_up():
    fault = exchange(head("Content-Length: 100"), b"{", timeout=0.3)
    assert isinstance(fault, TransientError) and fault.sort in ("timeout", "connection")


@pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip", "compress"])
def test_a_packing_that_was_not_asked_for_is_not_unpacked(packing):
    fault = exchange(head(f"Content-Encoding: {packing}", "Content-Length: 5"), b"12345")
    assert isinstance(fault, TransientError) and f"packed as '{packing}'" in fault.why


@pytest.mark.parametrize("data", [b"no gzip at all", bomb("gzip", 1)[:-8] + bytes(8)], ids=["none", "sum"])
def test_a_damaged_packing_is_a_sentence(data):
    fault = exchange(head("Content-Encoding: gzip", f"Content-Length: {len(data)}"), data)
    assert isinstance(fault, TransientError) and "damaged" in fault.why


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, lambda data: zlib.compress(data, wbits=-15), None])
def test_what_is_packed_well_is_read(pack):
    plain = Say(GOOD).text()
    data = pack(plain) if pack else plain
    packing = "identity" if not pack else "gzip" if pack is gzip.compress else "deflate"
    reply = exchange(head(f"Content-Encoding: {packing}", f"Content-Length: {len(data)}"), data)
    assert (reply.raw, reply.tokens_in) == (GOOD, 100)


@pytest.mark.parametrize("lines", [["X-Long: " + "x" * 1_000_000], [f"X-{n}: {n}" for n in range(100_000)]])
def test_a_head_without_measure_is_a_failure(lines):
    fault = exchange(head(*lines, "Content-Length: 2"), b"{}")
    assert isinstance(fault, TransientError)


def test_what_is_too_large_is_unscored_with_the_reason_after_its_tries():
    async def go():
        async with serving(lambda body, nth: Say(body=SPACES * 17)) as served:
            return await collect_events(served, 1, tries=2), len(served.bodies)

    events, calls = asyncio.run(go())
    (answer,) = events_of(events, CallReply)
    assert answer.unscored == "api_error" and "larger than 16 MB, after 2 tries" in answer.why and calls == 2


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
@pytest.mark.parametrize("other", [True, False], ids=["another host", "the same host"])
def test_nobody_is_sent_on(status, other, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-4711")

    async def go():
        async with raw(head("Content-Length: 0")) as (target, requests), serving(lambda body, nth: Say(GOOD)) as served:
            elsewhere = target.replace("127.0.0.1", "localhost")
            to = elsewhere.replace("http://", "http://me:sk-canary-4711@") if other else f"{served.url}/there"
            moved = Say(status=status, body=b"", headers={"Location": f"{to}/sk-canary-4711?key=sk-canary-4711"})
            served.script, served.models = lambda body, nth: moved, moved
            messages = []
            async with Client(Endpoint(base_url=served.url), "m") as client:
                for call in (
                    lambda: client.answer(Params(), ASK),
                    lambda: client.answer(Params(), ASK),
                    client.models,
                ):
                    with pytest.raises(FatalError) as fault:
                        await call()
                    messages.append(str(fault.value))
            return messages, requests, served, elsewhere.split("/")[2]

    messages, requests, served, host = asyncio.run(go())
    assert requests == [] and len(served.bodies) == 2
    assert all(
        f"({status})" in message and "does not follow" in message and "canary" not in message for message in messages
    )
    assert all((host if other else "127.0.0.1:") in message for message in messages)


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden"])
def test_only_a_batch_that_the_endpoint_does_not_know_is_empty(status):
    async def go():
        async with (
            raw(head("Content-Length: 0", "Connection: close", status=status)) as (url, _),
            Client(Endpoint(base_url=url)) as client,
        ):
            return await asyncio.gather(client.batch("b"), client.content("f"), return_exceptions=True)

    batch, content = asyncio.run(go())
    assert batch == {} if status.startswith("404") else isinstance(batch, FatalError)
    assert isinstance(content, FatalError)


@pytest.mark.parametrize("work", ["upload", "submit", "batch", "batches", "cancel", "content"])
def test_files_and_batches_are_not_sent_on_either(work):
    arguments = {"upload": (b"{}\n",), "submit": ("f", {}), "batch": ("b",), "batches": (), "cancel": ("b",)}

    async def go():
        async with raw(head("Content-Length: 0")) as (target, requests):
            moved = head(f"Location: {target}/x", "Content-Length: 0", "Connection: close", status="307 Moved")
            async with raw(moved) as (url, _), Client(Endpoint(base_url=url)) as client:
                with pytest.raises(FatalError, match=r"\(307\)"):
                    await getattr(client, work)(*arguments.get(work, ("f",)))
            return requests

    assert asyncio.run(go()) == []


def test_log_probabilities_that_are_no_numbers_are_left_out():
    def read(logprob):
        among = f'[{{"token": "4", "logprob": -0.1}}, {{"token": "5\\ud800", "logprob": {logprob}}}]'
        return response_body.read_logprobs(json.loads(f'{{"content": [{{"token": "4", "top_logprobs": {among}}}]}}'))

    assert read("-2") == (("4", (("4", -0.1), ("5?", -2.0))),)
    for strange in ("NaN", "-Infinity", "Infinity", "1e999", '"nan"'):
        assert read(strange) == (("4", (("4", -0.1),)),), strange
    assert read("1" + "0" * 400) == () == read("null")


def test_a_file_may_take_longer_than_an_answer_and_the_sentence_says_how_long():
    async def go(patience):
        async def answer(reader, writer):
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await reader.readuntil(b"\r\n\r\n")
                await asyncio.sleep(0.3)
                writer.write(head("Content-Length: 2") + b"{}")
                await writer.drain()
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            async with Client(Endpoint(base_url=url, timeout=patience)) as client:
                return await client.content("f")

    assert asyncio.run(go(0.2)) == b"{}"
    with pytest.raises(TransientError, match=r"no answer within 0\.1 s"):
        asyncio.run(go(0.01))


@pytest.mark.parametrize("work", ["upload", "submit"])
@pytest.mark.parametrize("body", [b"{}", b'{"id": null}', b'{"id": ""}', b'{"id": {}}'])
def test_a_file_or_batch_without_a_name_cannot_be_waited_for(work, body):
    async def go():
        async with (
            raw(head(f"Content-Length: {len(body)}"), body) as (url, _),
            Client(Endpoint(base_url=url)) as client,
        ):
            await getattr(client, work)(*{"upload": (b"{}\n",), "submit": ("f", {})}[work])

    with pytest.raises(FatalError, match=r"returned no id for a batch\. Run it without a batch"):
        asyncio.run(go())


def test_a_file_of_results_may_be_larger_than_an_answer():
    rows = b"".join(json.dumps({"n": n}).encode() + b" " * 1000 + b"\n" for n in range(17_000))

    async def go():
        packed = gzip.compress(rows)
        first = head("Content-Encoding: gzip", f"Content-Length: {len(packed)}")
        async with raw(first, packed) as (url, _), Client(Endpoint(base_url=url)) as client:
            return await client.content("f")

    assert len(rows) > response_body.MAX_ANSWER_BYTES and asyncio.run(go()) == rows


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("/v2/chat", "a.test"),
        ("https://b.test:8443/x?key=1", "b.test:8443"),
        ("//u:p@c.test/y", "c.test"),
        ("data:text/html,x", "an address without a host"),
        ("http://[::1", "an address that is none"),
        ("http://x:99999999/", "an address that is none"),
    ],
)
def test_an_address_is_told_by_its_host_alone(location, host):
    assert response_body.safe_host("http://a.test/v1/chat", location) == host
