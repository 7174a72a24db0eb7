"""What a file is, by its first bytes: the encoding of a text, or something else that holds no rows.

Encodings are UTF-8, UTF-16, and the ones of Excel in Japan and Europe.
"""

from __future__ import annotations

import codecs
import re

_KANA = re.compile(r"[\u3041-\u30fe]")
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_LATIN = frozenset("ÄÖÜäöüßÉÈÊËéèêëÀÂÁàâáÍÎÏíîïÓÔóôÚÙÛúùûÑñÇçÅåØøÆæ€–—’‘“”„…°§²³µ«»½¼¡¿· \u00a0")

_ARCHIVES = {
    b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "a gzip archive", b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive", b"7z\xbc\xaf": "a 7z archive", b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"Rar!": "a rar archive",
}  # fmt: skip
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_SHEETS = (b"xl/", b"opendocument.spreadsheet")
"""Names of parts in the archive that a workbook of Excel or LibreOffice is."""
_DOCUMENTS = {b"%PDF": "a PDF document", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture"}
_WEB_PAGES = (b"<!doctype html", b"<html")


def explain_other_file(head: bytes) -> str:
    """Say what a file with this beginning is, and what to do, if it holds no rows that can be read; else "".

    The text follows "The file is": an archive, a workbook, a document, a picture or a web page.
    """
    archive = next((name for magic, name in _ARCHIVES.items() if head.startswith(magic)), "")
    if head.startswith(_OLD_OFFICE) or (archive == "a zip archive" and any(part in head for part in _SHEETS)):
        return "a workbook of a spreadsheet program. Save its sheet as CSV, in UTF-8, and give that file."
    if archive:
        return f"{archive}. Unpack it, and give the files in it."
    if document := next((name for magic, name in _DOCUMENTS.items() if head.startswith(magic)), ""):
        return f"{document}. Give the data as CSV, JSON or Parquet."
    if head.removeprefix(codecs.BOM_UTF8).lstrip()[:20].lower().startswith(_WEB_PAGES):
        return "a web page, and not the data. Download the file itself."
    return ""


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
