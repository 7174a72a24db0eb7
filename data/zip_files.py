"""Files as one ZIP, without the time of its making: equal files give equal bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

_FIRST_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a ZIP can state


def zip_bytes(files: Iterable[tuple[str, str | bytes]]) -> bytes:
    """The ZIP of these files, each by its path in it and its content; text is written as UTF-8."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            entry = zipfile.ZipInfo(path, _FIRST_TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return target.getvalue()
