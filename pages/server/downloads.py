"""Files to take away, served piece by piece: what is made for it lies in a folder of its own, backups in theirs."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from data.records.access import Role, Visit
from data.store.errors import NotAllowed
from data.temp_folders import folder
from pages.server import provider

ADDRESSES = ("/given/{token}/{name}", "/{base:path}/given/{token}/{name}")
"""At the root, and below what `server.baseUrlPath` says."""
_MAX_OFFERS = 20


class _Offer(NamedTuple):
    """A file, to whom it was offered, and the role that they had."""

    file: Path
    visit: Visit
    role: Role


_made: dict[str, _Offer] = {}


def new_path(name: str) -> Path:
    """A path for a new file of that name."""
    directory = folder("given") / secrets.token_hex(8)
    directory.mkdir()
    return directory / name


def offer(file: Path, visit: Visit) -> str:
    """The address at which the visitor can have a file; the oldest of many is forgotten, and goes where it was made so.

    It is relative to the page's address, because all of Assay may be served below a path. Raises NotAllowed without a
    visitor.
    """
    visitor = visit.visitor()
    if visitor is None:
        raise NotAllowed("Nobody is signed in here. Sign in first.")
    token = secrets.token_urlsafe(24)
    _made[token] = _Offer(file, visit, visitor.role)
    while len(_made) > _MAX_OFFERS:
        old = _made.pop(next(iter(_made))).file
        if old.is_relative_to(folder("given")):  # a backup stays where it is
            shutil.rmtree(old.parent, ignore_errors=True)
    return f"./given/{token}/{quote(file.name)}"


@contextlib.contextmanager
def temporary_file(name: str) -> Iterator[Path]:
    """A path for a new file of that name, which goes again where it was not offered by the end of the body."""
    file = new_path(name)
    try:
        yield file
    finally:
        if file not in [download.file for download in _made.values()]:
            shutil.rmtree(file.parent, ignore_errors=True)


def serve_file(request: Request) -> Response:
    """The file of an address, as it lies on the disk, for whom it was made."""
    download = _made.get(str(request.path_params["token"]))
    if download is None or download.file.name != request.path_params["name"] or not download.file.exists():
        return PlainTextResponse("This file is no longer kept here. Make it again where you made it.", 404)
    if not _is_theirs(download, request):
        return PlainTextResponse("This file was made for somebody else, or their sign-in has ended.", 403)
    return FileResponse(download.file, filename=download.file.name, media_type="application/octet-stream")


def _is_theirs(download: _Offer, request: Request) -> bool:
    """Whether a file's visitor may still be here, in that role, and by the provider's cookie is who asks for it."""
    visitor = download.visit.visitor()
    if visitor is None or not visitor.may(download.role):
        return False
    return download.visit.login is None or provider.cookie_login(request) == download.visit.login
