"""The body of an endpoint's answer: decompressed, limited in size, and parsed in the forms of many endpoints.

An answer of a few kilobytes can decompress to gigabytes, so it is decompressed here a little at a time.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from math import isfinite
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from judges.reading.confidence import Logprobs
from judges.strict_json import storable_text

MAX_ANSWER_BYTES, MAX_FILE_BYTES = 16_000_000, 256_000_000
"""The most bytes of an answer, packed and unpacked; of a file of a batch's results."""
ACCEPT_ENCODING = "gzip, deflate"
"""The compressions that an endpoint may use for its answers."""
_CHUNK_BYTES = 65_536


class TooLarge(Exception):
    """A body that is too large; the rest of it is not read."""


class Redirected(Exception):
    """An answer that redirects to another address: the call and the key are for this endpoint only."""

    def __init__(self, status: int, to: str) -> None:
        super().__init__(f"{status} to {to}")
        self.status, self.to = status, to


class DecompressionError(Exception):
    """A body with a compression that was not asked for, or that is damaged."""


class BoundedBody(httpx.AsyncByteStream):
    """A body that is decompressed piecewise. Raises TooLarge once more than `max_bytes` came or were decompressed."""

    def __init__(self, stream: AsyncIterable[bytes], packing: str, max_bytes: int) -> None:
        self._stream, self._packing, self._most = stream, packing.strip().lower(), max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        came = out = 0
        opened = _make_unpacker(self._packing)
        async for chunk in self._stream:
            came += len(chunk)
            for part in [chunk] if opened is None else opened.parts(chunk):
                out += len(part)
                if max(came, out) > self._most:
                    break
                yield part
            if max(came, out) > self._most:
                raise TooLarge(f"the endpoint's answer is larger than {self._most // 1_000_000} MB")

    async def aclose(self) -> None:
        """Release the connection."""
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            await close()


def bound_body(response: httpx.Response, max_bytes: int) -> None:
    """Limit the body of an unread answer. Raises Redirected for an answer that names another address."""
    if 300 <= response.status_code < 400:
        raise Redirected(
            response.status_code, safe_host(f"{response.request.url}", response.headers.get("location", ""))
        )
    packing = response.headers.pop("content-encoding", "")
    assert isinstance(response.stream, httpx.AsyncByteStream)
    response.stream = BoundedBody(response.stream, packing, max_bytes)


def safe_host(base: str, address: str) -> str:
    """The host that an address names, seen from `base`, as people may see it: no name, key, path or query."""
    try:
        url = urlsplit(urljoin(base, address))
        named, port = url.hostname or "", url.port
    except ValueError:
        return "an address that is none"
    if not named.isprintable() or len(named) > 253:
        return "an address that is none"
    return f"{named}:{port}" if port else named or "an address without a host"


def _make_unpacker(packing: str) -> _Inflate | None:
    """The decompressor; None if the body is not compressed."""
    if packing in ("", "identity"):
        return None
    if packing in ("gzip", "x-gzip", "deflate"):
        return _Inflate(gzip=packing != "deflate")
    raise DecompressionError(f"the endpoint's answer is packed as {packing[:40]!r}, which it was not asked for")


class _Inflate:
    """gzip, also of several members, or deflate with or without its header, some kilobytes at a time."""

    def __init__(self, gzip: bool) -> None:
        self._gzip, self._has_begun = gzip, False
        self._bits = 16 + zlib.MAX_WBITS if gzip else zlib.MAX_WBITS
        self._open = zlib.decompressobj(self._bits)

    def parts(self, chunk: bytes) -> Iterator[bytes]:
        """The decompressed chunk, piece by piece. Raises DecompressionError."""
        while chunk:
            try:
                out = self._open.decompress(chunk, _CHUNK_BYTES)
            except zlib.error:
                if self._has_begun or self._gzip:
                    raise DecompressionError("the endpoint's answer is packed and damaged") from None
                self._open, self._has_begun = zlib.decompressobj(-zlib.MAX_WBITS), True
                continue
            self._has_begun = True
            if out:
                yield out
            chunk = self._open.unconsumed_tail
            if self._open.eof:
                chunk, self._open = self._open.unused_data, zlib.decompressobj(self._bits)
                if not self._gzip or not chunk.strip(b"\0"):
                    return


def message_text(content: Any) -> str:
    """A message's content: a text, or a list of parts of which the texts count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str))
    return ""


def explain_cut_off(tokens: int, max_tokens: int) -> str:
    """Explain why a reply ends early: at the requested maximum of tokens, or earlier because of the endpoint."""
    if not 0 < tokens < max_tokens:
        return f"the reply was cut off at {max_tokens} tokens"
    limit = "the context or the server's limit is full"
    return f"the reply was cut off after {tokens} tokens, before its {max_tokens}: {limit}"


def token_count(value: Any) -> int:
    """A number of tokens; 0 where the endpoint does not give one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def read_logprobs(logprobs: Any) -> Logprobs:
    """The tokens of a reply, each with its alternatives; () where the endpoint gives none, or another shape.

    An alternative whose log-probability is not finite (NaN, or -Infinity for an impossible one) is left out.
    """
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    try:
        return tuple(
            (
                str(entry["token"]),
                tuple(
                    (storable_text(str(t["token"])), chance)
                    for t in entry.get("top_logprobs") or ()
                    if isfinite(chance := float(t["logprob"]))
                ),
            )
            for entry in content or ()
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return ()
