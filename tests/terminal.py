"""Command lines run in this process, one after the other, and what each said, as a text for an archive."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime

import pytest

_CHANGES = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "(id)"),
    (r"[\d,]+\.\d s\b", "0.0 s"),
    (r"[\d,]+\.\d judgments a second", "0.0 judgments a second"),
    (r"[\d,]+ a second", "0 a second"),
)
"""What is different each time, and what stands for it."""


class Terminal:
    """Call it with a line as it is typed behind `prog`: the exit code and all output are kept in `output`.

    `{name}` in a line is what `names` has for it: what was last said that a pattern of `catch` fits. `mask` has what
    else is different each time, as (pattern, word).
    """

    def __init__(
        self, prog: str, main: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str],
        mask: Sequence[tuple[str, str]] = (), catch: Mapping[str, str] | None = None, **names: str,
    ) -> None:  # fmt: skip
        self._prog, self._main, self._capsys, self._mask = prog, main, capsys, (*mask, *_CHANGES)
        self._catch, self._names, self.output = catch or {}, names, ""

    def __call__(self, line: str) -> str:
        """Run it; what it said on stdout, as it was."""
        code, out, err = self._run(line)
        for name, pattern in self._catch.items():
            if matches := re.findall(pattern, out + err):
                self._names[name] = matches[-1]
        lines = [f"$ {self._prog} {line}".rstrip(), *out.splitlines(), *(f"! {row}" for row in err.splitlines())]
        self.output += self._mask_text("\n".join(row.rstrip() for row in [*lines, f"= {code}"])) + "\n\n"
        return out

    def _run(self, line: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        try:
            code = self._main(shlex.split(line.format(**self._names)))
        except SystemExit as leave:
            code = int(leave.code or 0)
        out, err = self._capsys.readouterr()
        assert "Traceback" not in out + err, err
        return code, out, err

    def run(self, lines: str) -> None:
        """Run each line of a text but empty ones and remarks (#)."""
        for line in lines.strip().splitlines():
            if line and not line.startswith("#"):
                self(line)

    def _mask_text(self, text: str) -> str:
        """The text without what is different each time; of a day to come, how far it is."""
        today = datetime.now(UTC).date()

        def describe_day(match: re.Match[str]) -> str:
            days = (date.fromisoformat(match[0]) - today).days
            return f"(in {days} days)" if days > 0 else match[0]

        for pattern, word in self._mask:
            text = re.sub(pattern, word, text)
        return re.sub(r"\b\d{4}-\d\d-\d\d\b", describe_day, text)

    def help_of_all(self, commands: Iterable[str]) -> None:
        """Ask for the help of the program, of its commands, and of all that they have below them."""
        self("--help")
        for name in commands:
            self.help(name)

    def help(self, *words: str) -> None:
        """Ask for the help of a command and of all that it has below it, and for none of these."""
        out = self(" ".join([*words, "--help"]))
        verbs = re.search(r"^usage: [^\n]*? ((?:[\w-]+\|)+[\w-]+) \.\.\.$", out, re.MULTILINE)
        if verbs:
            self(" ".join(words))
        for verb in verbs[1].split("|") if verbs else ():
            self.help(*words, verb)
