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


def mask(text: str, decimals: int = 0) -> str:
    """The text without what is different each time: days, versions, marks; figures to four digits.

    Figures of so many decimals at most stay as they are.
    """
    text = _DAY.sub("(day)", text.replace(VERSION, "(version)"))
    text = re.sub(r"\b\d+\.\d+\.[\da-z.]+\b", "(version)", text)
    # The last digit of a sum depends on the order of its parts, which a database may change: 57.00000000000001 is 57.0.
    text = re.sub(r"\d+\.\d{12,}(e-?\d+)?", lambda match: str(float(f"{float(match[0]):.12g}")), text)
    text = re.sub(rf"\d+\.\d{{{decimals + 1},}}(e-?\d+)?", lambda match: f"{float(match[0]):.4g}", text)
    return re.sub(r"\b[0-9a-f]{12,}\b", "(mark)", text)


def check_archive(text: str, file: Path, folder: Path, decimals: int = 0) -> None:
    """Fail where the masked text is not that of the file, saying how, and write what it is now into the folder."""
    compare_archive(mask(text, decimals), file, folder)


def compare_marks(texts: Iterable[tuple[str, str]], file: Path, folder: Path) -> None:
    """The same of many long texts, each with what it is of: the file has a mark of each.

    What a mark stands for is in `words.txt` in the folder.
    """
    marked = [(f"{of} {content_id(text)[:8]}", text) for of, text in texts]
    (folder / "words.txt").write_text("".join(f"{line}\n{text}\n\n" for line, text in marked), encoding="utf-8")
    compare_archive("".join(f"{line}\n" for line, _ in marked), file, folder)


def compare_archive(text: str, file: Path, folder: Path) -> None:
    """The same of a text that is the same each time as it is."""
    now = folder / file.name
    now.write_text(text, encoding="utf-8")
    was, current = (path.read_text(encoding="utf-8").splitlines() for path in (file, now))
    # Pytest's own comparison of two lists of thousands of lines takes minutes.
    differs = "\n".join(unified_diff(was, current, str(file), str(now), n=1, lineterm=""))
    hint = "Where each changed line below is meant, the first of these files takes the place of the second"
    assert not differs, f"{hint}:\n{now}\n{file}\n{differs}"
