"""Identifiers: UUIDv7 (ordered by time) for what happens, hashes of the content for what is."""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from datetime import UTC, datetime
from typing import Any

from judges.strict_json import canonical


def now() -> datetime:
    """The present moment in UTC, without a zone, as the store keeps it."""
    return to_utc(datetime.now(UTC))


def to_utc(moment: datetime) -> datetime:
    """A moment of any zone as the store keeps it: in UTC, without a zone. One without a zone is of this machine's."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def new_id() -> str:
    """A UUID of version 7 (RFC 9562): 48 bits of milliseconds, 12 of parts of one, then random bits.

    So ids sort by time, also those of several rows that one change writes.
    """
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    parts, bits = rest * 4096 // 1_000_000, int.from_bytes(os.urandom(8), "big") >> 2
    return str(uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | parts << 64 | 0x2 << 62 | bits))


def content_id(*parts: Any) -> str:
    """Twenty hex digits (80 bits) of the SHA-256 of the parts as canonical JSON: the same content, the same id."""
    return hashlib.sha256(canonical(list(parts)).encode("utf-8", "surrogatepass")).hexdigest()[:20]
