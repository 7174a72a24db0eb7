"""People meet the field's words only: no text that somebody may read has a word that was ours (DESIGN, section 2)."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.together("texts")  # the tree is read and parsed once
WORDS = {
    r"\brest(s|ing)? on\b": "labels used",
    r"\beligible\b|\bpromising\b": "meets policy, inconclusive",
    r"not enough gold": "below minimum sample",
    r"\bgold rule": "how labels are combined",
    r"\bfloors?\b(?! ?\()": "baseline",
    r"\bleniency\b": "bias (judge - people)",
    r"\bwithin 1\b(?!,)": "within one",
    r"\bmiddle half\b|\bmiddle value\b": "IQR, median",
    r"\bS[12]\b(?!.*MT-Bench paper)": "ties counted, ties dropped",
    r"(?<![/`])\bgates?\b(?!\.py| \()": "approval check",
    r"\bsecond opinion\b|\blikely right\b": "Dawid-Skene estimate, its accuracy",
    r"\bKinder to\b|\bObeys orders\b": "self-preference, prompt injection",
    r"\bcannot (be told|tell) yet\b": "not tested",
    r"\btrustworthy\b": "approved",
    r"\bmay shift\b|\ba guess\b": "medium, low (self-consistency, or stated confidence)",
    r"\bWaits for you\b|\bWhat moved\b": "To label, Recent activity",
    r"\bFill the queue\b|\bblind first\b|\bheld by\b": "Add items, in audit sample, reserved by",
    r"\b[Ll]et go\b": "deactivate",
    r"\bTrail\b|\bat change\b": "audit log, revision",
    r"\blaid over\b|\bmade here\b": "applied per turn, custom",
    r"\breckon|\blie apart\b|\blies apart\b": "assume, disagree",
}
"""What nobody is to read -> what the field says."""
STORED = (
    "data/approvals/case.py", "data/approvals/record.py", "data/records/settings.py", "judges/triage.py",
    "judges/cards/", "judges/protocols/windows.py",
)  # fmt: skip
"""Files whose texts are stored, or part of a judge's identity: they stay, and are shown in today's words."""
_CODE = re.compile(r"^[\w./:-]*$|\b(select|insert into|create view)\b|^ *,? *\+? *floor\(")
"""A key, an address, a name of a file, in one piece; and SQL."""
_VALUE = re.compile(r"\{[^{}]*\}")
"""A place where a value is put in: its name is not read."""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of all that a file may show: of Python its strings, without those that explain code."""
    code = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from ((n, line.split("//")[0]) for n, line in enumerate(code.splitlines(), 1) if "/*" not in line)
        return
    tree = ast.parse(code)
    explains = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explains:
            yield node.lineno, "" if _CODE.search(node.value) else _VALUE.sub("", node.value)


def shown_files() -> list[Path]:
    """All files whose texts reach people."""
    files = [p for f in ("pages", "data", "judges") for s in ("py", "js") for p in (ROOT / f).rglob(f"*.{s}")]
    other = tuple(str(ROOT / name) for name in (*STORED, "pages/server/bundled/"))
    ours = sorted(path for path in files if not str(path).startswith(other))
    return [*ours, ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@cache
def everything() -> list[tuple[Path, int, str]]:
    """File, line and text of all that people may read."""
    return [(path, line, text) for path in shown_files() for line, text in texts(path)]


@pytest.mark.parametrize("word", WORDS)
def test_nobody_reads_a_word_of_ours(word: str) -> None:
    ours = re.compile(word)
    findings = [
        f"{path.relative_to(ROOT)}:{line}: {text.strip()[:100]!r}"
        for path, line, text in everything()
        if ours.search(text)
    ]
    assert not findings, f"The field says: {WORDS[word]}\n" + "\n".join(findings)


def test_a_word_of_ours_is_found(tmp_path: Path) -> None:
    """In what is shown, and not in what explains code, in SQL or in the name of a value."""
    file = tmp_path / "page.py"
    file.write_text('"""The gate."""\nq = "select gate from label"\nsay("{gate} of the gate")\n', encoding="utf-8")
    assert [line for line, text in texts(file) if re.search(r"\bgate\b", text)] == [3]
