"""The encoding of a table's text, from its first bytes: UTF-8, UTF-16, or the ones of Excel in Japan and Europe."""

from __future__ import annotations

import codecs
import re

_KANA = re.compile(r"[\u3041-\u30fe]")
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_LATIN = frozenset("ÄÖÜäöüßÉÈÊËéèêëÀÂÁàâáÍÎÏíîïÓÔóôÚÙÛúùûÑñÇçÅåØøÆæ€–—’‘“”„…°§²³µ«»½¼¡¿· \u00a0")


def detect_encoding(head: bytes) -> str:
    """The encoding of a text with this beginning; "" if it is not known."""
    if head[:2] in _WIDE:
        return _WIDE[head[:2]]
    if len(head) > 3 and head[1::2].count(0) > len(head) // 4 > head[::2].count(0):
        return "utf-16-le"
    if len(head) > 3 and head[::2].count(0) > len(head) // 4 > head[1::2].count(0):
        return "utf-16-be"
    for encoding in ("utf-8", "cp932"):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8" or _KANA.search(text):
            return encoding
    # Letters of Western Europe, each between ASCII letters, none of them valid UTF-8.
    runs = re.findall(rb"[\x80-\xff]+", head)
    if all(len(run) < 3 and set(run.decode("cp1252", "replace")) <= _LATIN for run in runs):
        return "cp1252"
    # A single damaged byte should not hide what a file is: then its lines are reported one by one.
    return "utf-8" if head.decode("utf-8", "replace").count("\ufffd") <= max(len(head) // 500, 3) else ""
