"""The libraries that turn judged texts into what their writers meant: addresses under which browsers may keep them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "bundled"
FIRST = ("markdown-it", "dompurify")
"""What nearly every text needs. The others are loaded when a text has code, or a formula."""


@cache
def files() -> dict[str, Path]:
    """Address -> file. An address has the fingerprint of what is in the file, so it means the same for good."""
    found = sorted(FOLDER.glob("*.js"))
    return {f"/bundled/{f.stem}.{hashlib.sha256(f.read_bytes()).hexdigest()[:12]}.js": f for f in found}


def addresses() -> dict[str, str]:
    """Name -> address, of all."""
    return {file.stem: address for address, file in files().items()}


def first() -> list[str]:
    """The addresses of what a first item needs, as classic scripts, for `<link rel="preload" as="script">`."""
    return [addresses()[name] for name in FIRST]
