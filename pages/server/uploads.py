"""Files that people upload: each is put on the disk as soon as it is there, and goes when nobody needs it any more.

Streamlit would keep all of them in memory until the tab is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import get_instance

from data import log
from data.importing.files.source import Source, from_uploads
from data.store.errors import NotFound
from data.temp_folders import folder

_ADDRESS = re.compile(r".*/_stcore/upload_file/([^/]+)/([^/]+)")
_MAX_STORED_BYTES = 2 * 2**30
_BYTES_PER_SECOND = 10 * 2**20
"""Bytes a second that are taken of one upload: taking them apart costs the processor that answers everybody."""
_lock = threading.Lock()
_waiting: dict[str, Path] = {}
"""Token -> file, of uploads that no page has fetched yet. Pages take them while uploads are weighed."""


class Uploads:
    """Puts every upload on the disk before it is answered, and leaves a token in its place.

    Streamlit has a file in memory as a whole when its end has come: one at a time is let as far as that.
    """

    def __init__(self, app: ASGIApp, may_send: Callable[[Request], bool]) -> None:
        self.app, self._may_send, self._one_at_a_time = app, may_send, asyncio.Semaphore(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = scope["type"] == "http" and scope["method"] == "PUT" and _ADDRESS.fullmatch(scope["path"])
        if not upload:
            return await self.app(scope, receive, send)
        if not self._may_send(Request(scope)):
            return await PlainTextResponse("Only researchers and leads send files.", 403)(scope, receive, send)
        async with contextlib.AsyncExitStack() as stack:
            ended = False

            async def coming() -> Message:
                nonlocal ended
                message = await receive()
                await asyncio.sleep(len(message.get("body", b"")) / _BYTES_PER_SECOND)
                if message["type"] == "http.request" and not message.get("more_body") and not ended:
                    ended = True
                    await stack.enter_async_context(self._one_at_a_time)
                return message

            async def going(message: Message) -> None:
                if message["type"] == "http.response.start" and message["status"] < 300:
                    stored = await asyncio.to_thread(_keep, *upload.groups())
                    message = message if stored else {**message, "status": 507}
                await send(message)

            with contextlib.suppress(ClientDisconnect):  # cut off in the middle: nothing is kept, and nobody to tell
                await self.app(scope, coming, going)


def _keep(session: str, name: str) -> bool:
    """Put an upload on the disk; False where there is no room. The oldest that nobody fetched are forgotten."""
    manager: Any = get_instance().uploaded_file_mgr
    for record in manager.get_files(session, [name]):
        token = secrets.token_hex(16)
        path = folder("uploads") / token
        try:
            path.write_bytes(record.data)
        except OSError as error:
            log.error("upload_not_kept", folder=str(path.parent), why=log.error_type(error))
            path.unlink(missing_ok=True)
            manager.remove_file(session, name)
            return False
        manager.add_file(session, record._replace(data=token.encode()))
        _waiting[token] = path
    with _lock:
        while len(_waiting) > 1 and sum(path.stat().st_size for path in _waiting.values()) > _MAX_STORED_BYTES:
            _waiting.pop(next(iter(_waiting))).unlink()
    return True


class Tray:
    """The uploaded files of a tab, in the order in which they came. When it is forgotten, they go."""

    def __init__(self) -> None:
        self._files: list[tuple[str, _UploadedFile]] = []

    def add(self, uploads: Sequence[Any]) -> None:
        """Take what an uploader holds; a file takes the place of earlier ones of its name. Raises NotFound."""
        new = [(upload.name, _UploadedFile(upload.name, upload.getvalue())) for upload in uploads]
        names = {name for name, _ in new}
        self._files = [(name, stored_file) for name, stored_file in self._files if name not in names] + new

    @property
    def source(self) -> Source:
        """All of them, as what an import reads."""
        return from_uploads([(name, stored_file.path) for name, stored_file in self._files])


class _UploadedFile:
    """A file on the disk, for as long as somebody holds it."""

    def __init__(self, name: str, token: bytes) -> None:
        with _lock:
            path = _waiting.pop(token[:64].decode("ascii", "replace"), None)
        if path is None:
            raise NotFound(f"The upload of {name} is no longer kept here. Choose the file again.")
        self.path = path
        weakref.finalize(self, path.unlink, missing_ok=True)
