"""The steps of a request: route, token, rate limit, body, handler in a thread, answer.

Cookies and tokens in addresses are ignored: only the header Authorization says who asks. So a page of another site,
which can send a browser's cookies, can do nothing here.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import hashlib
import json
import math
import os
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from data import log
from data.records import tokens
from data.records.access import Person, Visit
from data.records.tokens import Token
from data.store import Store
from data.store.errors import BadInput, NotAllowed, StoreFailed
from data.store.ids import content_id
from data.temp_folders import folder
from judges.errors import AssayError
from judges.version import VERSION
from pages.api import openapi, parameters
from pages.api.call import Answer, ApiRoute, Call, Lines, StoredAnswer
from pages.api.problems import Refusal, answer_error
from pages.api.routes import PREFIX, ROUTES
from pages.server.limits import Buckets, Limit, programs

T = TypeVar("T")
BODY_MB = 64
PER_TOKEN, PER_ADDRESS = 1_200, 300
"""Requests a minute of a token, and of an address that asks without a sound one."""
_JSON_BODY = 2**16
_BODY_TIMEOUT_SECONDS = 300.0
"""Seconds that a body may take to come."""
_MAX_WAITING_REQUESTS = 64
"""Requests that wait for a thread, beyond which further ones are sent away."""
_POOLS = {"door": 2, "paced": 1, "large": 1, "runs": 1}
"""Threads: they look at tokens, do what takes this process's time, take in many lines, and begin runs.

What is `paced` leaves time to people. Many lines are read by another process, and a run's endpoint is asked first.
"""
_LARGE_BODY_BYTES = 2**20
_LINE_TYPES = ("application/x-ndjson", "application/jsonl", "application/json")
_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([\x21-\x7e]{1,200}) *")


class Api:
    """The whole API as one ASGI application; `store` gives the workspace's store."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store
        self._pools = {name: ThreadPoolExecutor(size, f"api-{name}") for name, size in _POOLS.items()}
        self._waiting = dict.fromkeys(_POOLS, 0)
        self._most = BODY_MB * 2**20
        self._tokens, self._addresses = _a_minute("tokens", PER_TOKEN), _a_minute("addresses", PER_ADDRESS)

    def begin(self) -> None:
        """Take the limits from the environment. Raises BadInput."""
        self._most = _number_setting("ASSAY_API_BODY_MB", BODY_MB, least=1) * 2**20
        self._tokens = _a_minute("tokens", _number_setting("ASSAY_API_PER_MINUTE", PER_TOKEN))
        self._addresses = _a_minute("addresses", _number_setting("ASSAY_API_ADDRESS_PER_MINUTE", PER_ADDRESS))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            answer = await self._answer(scope, receive)
        except Exception as error:
            answer = answer_error(error)
        answer.headers.setdefault("cache-control", "no-store")
        try:
            await answer(scope, receive, send)
        except (AssayError, Refusal) as error:  # in the middle of rows: what is not complete tells the program so
            log.warning("api_answer_cut", why=log.error_type(error))

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        segments, headers = _segments(scope), Headers(scope=scope)
        if segments == ["openapi.json"] and scope["method"] == "GET":
            self._count_address(scope)
            return Response(json.dumps(openapi.document(), ensure_ascii=False), media_type="application/json")
        route, path = _find_route(scope["method"], segments)
        token, person = await self._admit(route, scope, headers)
        query, options = parameters.read_query(route, scope["query_string"])
        call = Call(
            Visit(self._store(), person.name), person, token, path, query, key=_key(headers), options=options,
            streams=bool(route.kind) and openapi.JSON_LINES_TYPE in headers.get("accept", ""),
        )  # fmt: skip
        if route.method == "GET":
            return await self._run("paced", lambda: self._respond(route, call, headers))
        with _body_file() as file:
            digest, size = await self._body(route, headers, receive, file)
            await self._run("door", lambda: self._refuse_ended(token))  # while the body came
            fingerprint = content_id(route.name, path, scope["query_string"].decode("ascii", "replace"), digest)
            body = None if route.body is None else parameters.read_body(route, file.read_bytes())
            done = replace(call, fingerprint=fingerprint, body=body, file=file if body is None else None)
            pool = "runs" if route.scope == "run" else "large" if size > _LARGE_BODY_BYTES else "paced"
            return await self._run(pool, lambda: self._respond(route, done, headers))

    # -- who asks ---------------------------------------------------------------------------------------------------

    async def _admit(self, route: ApiRoute, scope: Scope, headers: Headers) -> tuple[Token, Person]:
        """Return the token and the person of a request. Raises Refusal."""
        values = headers.getlist("authorization")
        match = _BEARER.fullmatch(values[0]) if len(values) == 1 else None
        if match is None:
            self._count_address(scope)
            raise _unknown("Send a token as Authorization: Bearer TOKEN. One is made on the page Your labels.")
        try:
            token, person = await self._run("door", lambda: self._authenticate(match[1]))
        except NotAllowed as error:
            self._count_address(scope)
            raise _unknown(str(error)) from None
        if route.scope not in ("", *token.scopes):
            token_scopes = ", ".join(token.scopes)
            raise Refusal(403, f"This needs a token with the scope {route.scope}; this one has {token_scopes}.")
        if not person.may(route.role):
            raise Refusal(403, f"This needs the role {route.role}; {person.name} is {person.role}.")
        return token, person

    def _authenticate(self, text: str) -> tuple[Token, Person]:
        token, person = tokens.find_token(self._store(), text)
        if wait := self._tokens.wait(token.id):
            raise _too_often(wait)
        return token, person

    def _refuse_ended(self, token: Token) -> None:
        """Raise Refusal if a token has ended since the request was admitted."""
        try:
            tokens.refuse_ended(self._store(), token)
        except NotAllowed as error:
            raise _unknown(str(error)) from None

    def _count_address(self, scope: Scope) -> None:
        if wait := self._addresses.wait(str((scope.get("client") or ("",))[0])):
            raise _too_often(wait)

    # -- what is sent -----------------------------------------------------------------------------------------------

    async def _body(self, route: ApiRoute, headers: Headers, receive: Receive, file: Path) -> tuple[str, int]:
        """Write the body into the file; gives its fingerprint and size. Raises Refusal."""
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        accepted_types = _LINE_TYPES if route.lines else ("application/json",)
        if kind not in accepted_types:
            raise Refusal(415, f"The body is {kind[:60] or 'of no type'}: send it as {' or '.join(accepted_types)}.")
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise Refusal(415, "The body is packed: send it as it is.")
        most = self._most if route.lines else _JSON_BODY
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:18]) > most:
            raise _too_long(most)
        digest, size = hashlib.sha256(), 0
        try:
            async with asyncio.timeout(_BODY_TIMEOUT_SECONDS):
                with file.open("wb") as out:
                    while True:
                        message = await receive()
                        if message["type"] == "http.disconnect":
                            raise Refusal(400, "The body was cut off.")
                        part = message.get("body", b"")
                        size += len(part)
                        if size > most:
                            raise _too_long(most)
                        digest.update(part)
                        out.writelines([part])
                        if not message.get("more_body"):
                            return digest.hexdigest(), size
        except TimeoutError:
            raise Refusal(408, f"The body did not arrive within {_BODY_TIMEOUT_SECONDS:.0f} seconds.") from None
        except OSError as error:
            log.error("api_body_not_kept", why=log.error_type(error))
            raise StoreFailed("There is no space here for the body; nothing was written. Try again later.") from None

    # -- the answer -------------------------------------------------------------------------------------------------

    def _respond(self, route: ApiRoute, call: Call, headers: Headers) -> Response:
        """Run a handler in a thread of a pool; gives the response."""
        more: dict[str, str] = {}
        if route.keeps_still:
            fingerprint = content_id(VERSION, call.actor, route.name, call.path, call.query.model_dump(mode="json"))
            tag = f'W/"{call.store.newest()}-{fingerprint}"'
            more = {"etag": tag, "cache-control": "private, no-cache", "vary": "authorization"}
            if tag in re.split(r"\s*,\s*", headers.get("if-none-match", "")):
                return Response(None, 304, more)
        try:
            answer = route.handler(call)
            if isinstance(answer, Lines):
                return self._stream_rows(answer.batches, call.token)
        except Exception as error:
            return answer_error(error)
        if isinstance(answer, StoredAnswer) and answer.again:
            more["idempotent-replayed"] = "true"
        return Response(_as_json(answer), 200, more, "application/json")

    def _stream_rows(self, batches: Iterator[list[dict[str, Any]]], token: Token) -> Response:
        """Rows as JSON lines; if the token ends meanwhile, the answer breaks off.

        The first batch is made before the answer begins, so that a refusal can still be sent.
        """
        first = next(batches, [])

        async def parts() -> AsyncIterator[bytes]:
            batch = first
            try:
                while batch:
                    yield await self._run("paced", partial(_as_lines, batch), started=True)
                    await self._run("door", lambda: self._refuse_ended(token), started=True)
                    batch = await self._run("paced", lambda: next(batches, []), started=True)
            finally:
                await self._run("paced", batches.close, started=True)  # type: ignore[attr-defined]

        return StreamingResponse(parts(), 200, {"cache-control": "no-store"}, openapi.JSON_LINES_TYPE)

    async def _run(self, pool: str, work: Callable[[], T], started: bool = False) -> T:
        """Run something in a thread of a pool. Raises Refusal if too many wait, unless the answer has begun."""
        if self._waiting[pool] >= _MAX_WAITING_REQUESTS and not started:
            raise Refusal(503, "Too many requests are waiting here at the moment.", {"retry-after": "2"})
        self._waiting[pool] += 1
        context = contextvars.copy_context()
        done = partial(programs.take, work) if pool == "paced" else work
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pools[pool], context.run, done)
        finally:
            self._waiting[pool] -= 1


def _a_minute(name: str, number: int) -> Buckets:
    return Buckets(Limit(name, number, number / 60))


def _number_setting(name: str, usual: int, least: int = 0) -> int:
    """A whole number from `least` that the environment sets. Raises BadInput."""
    text = os.environ.get(name, "").strip() or str(usual)
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < least:
        raise BadInput(f"{name} is {text[:40]!r}. Give a whole number from {least}.")
    return int(text)


def _segments(scope: Scope) -> list[str]:
    """The parts of the path below the API's own. Raises Refusal."""
    raw = scope.get("raw_path") or str(scope["path"]).encode()
    rest = raw.partition(b"?")[0].partition(f"{PREFIX}/".encode())[2]
    try:
        segments = [unquote_to_bytes(part).decode("utf-8") for part in rest.split(b"/")]
    except UnicodeDecodeError:
        raise Refusal(400, "The path is not UTF-8.") from None
    if any("\0" in part or len(part) > 200 for part in segments):
        raise Refusal(404, "Nothing is there under this path.")
    return segments


def _find_route(method: str, segments: list[str]) -> tuple[ApiRoute, dict[str, str]]:
    """The route of a path, and its parts by name. Raises Refusal."""
    fitting: dict[str, tuple[ApiRoute, dict[str, str]]] = {}
    for route in ROUTES:
        names = route.path.strip("/").split("/")
        if len(names) == len(segments) and all(
            name == part or (name[0] == "{" and part) for name, part in zip(names, segments, strict=True)
        ):
            path = {name[1:-1]: part for name, part in zip(names, segments, strict=True) if name[0] == "{"}
            fitting.setdefault(route.method, (route, path))
    if method in fitting:
        return fitting[method]
    if fitting or segments == ["openapi.json"]:
        allowed = ", ".join(sorted(fitting)) or "GET"
        raise Refusal(405, f"This address takes {allowed}, not {method[:20]}.", {"allow": allowed})
    raise Refusal(404, f"There is nothing under this path. {PREFIX}/openapi.json lists all paths.")


@contextlib.contextmanager
def _body_file() -> Iterator[Path]:
    place = folder("api") / secrets.token_hex(8)
    place.mkdir()
    file = place / "body.jsonl"
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)
        place.rmdir()


def _key(headers: Headers) -> str:
    keys = headers.getlist("idempotency-key")
    if len(keys) > 1 or keys == [""]:
        raise Refusal(400, "The header Idempotency-Key must be given once, and not be empty.")
    return keys[0] if keys else ""


def _unknown(sentence: str) -> Refusal:
    return Refusal(401, sentence, {"www-authenticate": 'Bearer realm="Assay"'})


def _too_often(wait: float) -> Refusal:
    message = "Too many requests. Wait as long as Retry-After says."
    return Refusal(429, message, {"retry-after": f"{math.ceil(wait)}"})


def _too_long(max_bytes: int) -> Refusal:
    return Refusal(413, f"The body is longer than {max_bytes / 2**20:g} MB. Send it in parts.")


def _as_json(answer: Answer) -> str:
    if isinstance(answer, BaseModel):
        return answer.model_dump_json()
    return json.dumps(answer.body if isinstance(answer, StoredAnswer) else answer, ensure_ascii=False, allow_nan=False)


def _as_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows).encode()
