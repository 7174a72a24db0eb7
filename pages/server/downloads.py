"""Files to take away, served piece by piece: what is made for it lies in a folder of its own, backups in theirs."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from pages.server.temp_folders import folder

ADDRESSES = ("/given/{token}/{name}", "/{base:path}/given/{token}/{name}")
"""At the root, and below what `server.baseUrlPath` says."""
_MOST = 20
_made: dict[str, Path] = {}


def _new_path(name: str) -> Path:
    """A path for a new file of that name."""
    made = folder("given") / secrets.token_hex(8)
    made.mkdir()
    return made / name


def offer(file: Path) -> str:
    """The address at which a page can have a file; the oldest of many is forgotten, and goes where it was made for it.

    It holds below the page's own address, as all of Assay may be served below one.
    """
    token = secrets.token_urlsafe(24)
    _made[token] = file
    while len(_made) > _MOST:
        old = _made.pop(next(iter(_made)))
        if old.is_relative_to(folder("given")):  # a backup stays where it is
            shutil.rmtree(old.parent, ignore_errors=True)
    return f"./given/{token}/{file.name}"


@contextlib.contextmanager
def temporary_file(name: str) -> Iterator[Path]:
    """A path for a new file of that name, which goes again where it was not offered by the end of the body."""
    file = _new_path(name)
    try:
        yield file
    finally:
        if file not in _made.values():
            shutil.rmtree(file.parent, ignore_errors=True)


def serve_file(request: Request) -> Response:
    """The file of an address, as it lies on the disk."""
    file = _made.get(str(request.path_params["token"]))
    if file is None or file.name != request.path_params["name"] or not file.exists():
        return PlainTextResponse("This file is no longer kept here. Make it again where you made it.", 404)
    return FileResponse(file, filename=file.name, media_type="application/octet-stream")
