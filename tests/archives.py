"""What a whole room says, kept in a text file: a change of any word or figure of it is seen, and is meant or mended.

Where something else is meant to be said, the text that the failure names becomes the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

from data.store.ids import content_id
from judges.version import VERSION

_DAY = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z|\+00:00)?)?")


def masked(said: str, decimals: int = 0) -> str:
    """The text without what is different each time: days, versions, marks; figures to four digits.

    Figures of so many decimals at most stay as they are.
    """
    said = _DAY.sub("(day)", said.replace(VERSION, "(version)"))
    said = re.sub(r"\b\d+\.\d+\.[\da-z.]+\b", "(version)", said)
    said = re.sub(rf"\d+\.\d{{{decimals + 1},}}(e-?\d+)?", lambda found: f"{float(found[0]):.4g}", said)
    return re.sub(r"\b[0-9a-f]{12,}\b", "(mark)", said)


def check_archive(said: str, kept: Path, folder: Path, decimals: int = 0) -> None:
    """Fail where the masked text is not that of the file, saying how, and write what it is now into the folder."""
    compare_archive(masked(said, decimals), kept, folder)


def compare_marks(told: Iterable[tuple[str, str]], kept: Path, folder: Path) -> None:
    """The same of many long texts, each with what it is of: the file has a mark of each.

    What a mark stands for is in `words.txt` in the folder.
    """
    marked = [(f"{of} {content_id(text)[:8]}", text) for of, text in told]
    (folder / "words.txt").write_text("".join(f"{line}\n{text}\n\n" for line, text in marked), encoding="utf-8")
    compare_archive("".join(f"{line}\n" for line, _ in marked), kept, folder)


def compare_archive(said: str, kept: Path, folder: Path) -> None:
    """The same of a text that is the same each time as it is."""
    now = folder / kept.name
    now.write_text(said, encoding="utf-8")
    was, told = (path.read_text(encoding="utf-8").splitlines() for path in (kept, now))
    # Pytest's own comparison of two lists of thousands of lines takes minutes.
    differs = "\n".join(unified_diff(was, told, str(kept), str(now), n=1, lineterm=""))
    meant = "Where each changed line below is meant, the first of these files takes the place of the second"
    assert not differs, f"{meant}:\n{now}\n{kept}\n{differs}"
