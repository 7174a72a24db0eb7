"""Files that a person has made here to take away: they lie in a folder of their own and are served piece by piece."""

from __future__ import annotations

import atexit
import contextlib
import secrets
import shutil
import tempfile
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

ADDRESS = "/given/{token}/{name}"
_MOST = 20
_made: dict[str, Path] = {}


@cache
def _folder() -> Path:
    """Where the files lie until Assay stops."""
    made = Path(tempfile.mkdtemp(prefix="assay-given-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def place(name: str) -> Path:
    """A path for a new file of that name."""
    made = _folder() / secrets.token_hex(8)
    made.mkdir()
    return made / name


def offer(file: Path) -> str:
    """The address at which a file can be had; the oldest of many is forgotten."""
    token = secrets.token_urlsafe(24)
    _made[token] = file
    while len(_made) > _MOST:
        with contextlib.suppress(OSError):
            shutil.rmtree(_made.pop(next(iter(_made))).parent)
    return f"/given/{token}/{file.name}"


def download(request: Request) -> Response:
    """The file of an address, as it lies on the disk."""
    file = _made.get(str(request.path_params["token"]))
    if file is None or file.name != request.path_params["name"] or not file.exists():
        return PlainTextResponse("This file is no longer kept here. Make it again on the page Export.", 404)
    return FileResponse(file, filename=file.name, media_type="application/octet-stream")
