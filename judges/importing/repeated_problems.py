"""Equal problems of several lines: reported once, with the number of lines and the places of the first of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

EXAMPLES = 3
_MAX_SORTS = 1_000
_VARIES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\(it is [^)]*\)|[\w.:/-]*\d[\w.:/-]*""")
_LISTED = re.compile(r"…(?:, …)+")
Place = tuple[str, int]
"""A file and the number of a line; 0 is the file as a whole."""


@dataclass
class RepeatedProblem:
    """Equal problems: the sentence and the field of the first, the number of lines, and the places of the first few."""

    sentence: str
    name: str = ""
    lines: int = 0
    places: list[Place] = field(default_factory=list)

    @property
    def where(self) -> str:
        """The places of the first of the lines, in words: `a.jsonl, lines 3, 7 and 9`."""
        files: dict[str, list[int]] = {}
        for file, line in self.places:
            files.setdefault(file, []).append(line)
        return "; ".join(_lines(file, [n for n in numbers if n]) for file, numbers in files.items())

    def __str__(self) -> str:
        many = f"{self.lines:,} lines, such as " if self.lines > len(self.places) else ""
        return f"{many}{self.where}: {self.sentence}"


class RepeatedProblems:
    """Groups problems by the common part of their sentences; `groups` has the first 1,000 sorts."""

    def __init__(self, problems: list[RepeatedProblem] | None = None) -> None:
        self.groups: list[RepeatedProblem] = [] if problems is None else problems
        self._by_key: dict[tuple[str, str], RepeatedProblem] = {}
        self._last: dict[tuple[str, str], Place] = {}

    def add(self, place: Place, sentence: str, name: str = "") -> None:
        """Add a problem of a line, with the field that it is about; the same problem twice in a line counts once."""
        key = (common_part(name), common_part(sentence))
        group = self._by_key.get(key)
        if group is None:
            if len(self._by_key) == _MAX_SORTS:
                return
            group = self._by_key[key] = RepeatedProblem(sentence, name)
            self.groups.append(group)
        if self._last.get(key) == place:
            return
        self._last[key] = place
        group.lines += 1
        group.places += [place][: EXAMPLES - len(group.places)]

    def sentences(self, limit: int) -> list[str]:
        """A sentence for each sort of problem, at most so many, and how many lines have others."""
        rest = sum(group.lines for group in self.groups[limit:])
        more = [f"... and {rest:,} more line{'' if rest == 1 else 's'}."] if rest else []
        return [*map(str, self.groups[:limit]), *more]


def common_part(sentence: str) -> str:
    """The common part of sentences that differ only in names, values and numbers."""
    return _LISTED.sub("…", _VARIES.sub("…", sentence))


def _lines(file: str, numbers: list[int]) -> str:
    if not numbers:
        return file
    listed = [f"{number}" for number in numbers]
    if len(listed) == 1:
        return f"{file}, line {listed[0]}"
    return f"{file}, lines {', '.join(listed[:-1])} and {listed[-1]}"
