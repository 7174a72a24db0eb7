"""The report of an import: problems with places, counts, the lines that cannot be imported; and earlier imports."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, field
from datetime import datetime
from typing import Any, BinaryIO

from data.records.access import allow
from data.store import Store
from data.store.errors import BadInput
from judges.importing.line_files import MAX_BAD_LINES
from judges.importing.repeated_problems import RepeatedProblem, RepeatedProblems
from judges.plural import many, verb
from judges.strict_json import canonical

MAX_LISTED_PROBLEMS = 1_000
_NAME, _SENTENCE, _BEGINS = 200, 1_000, 120
_ROW = 20 * 2**20


@dataclass(frozen=True)
class ImportProblem:
    """A reason why something cannot be imported: the file, its line, the field, and a sentence.

    `line` is the line or row, 0 the file as a whole. `begins` is the beginning of the line.
    """

    file: str
    line: int
    field: str
    sentence: str
    begins: str = ""

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}: " if self.line else f"{self.file}: "
        return where + self.sentence


@dataclass
class ImportCounts:
    """The counts of an import by sort."""

    items: int = 0
    judgments: int = 0
    labels: int = 0
    adjudications: int = 0
    rules: int = 0
    cards: int = 0
    guidelines: int = 0
    prompts: int = 0

    @property
    def total(self) -> int:
        """All sorts together."""
        return sum(astuple(self))

    def __str__(self) -> str:
        """In words; adjudications, how labels are combined and cards only where there are any."""
        parts = [many(self.items, "item"), many(self.judgments, "judgment"), many(self.labels, "label")]
        parts += [many(self.adjudications, "adjudication")] * bool(self.adjudications)
        parts += ["how labels are combined"] * bool(self.rules) + [many(self.cards, "card")] * bool(self.cards)
        parts += ["guidelines"] * bool(self.guidelines)
        parts += [many(self.prompts, "set of judges' prompts", "sets of judges' prompts")] * bool(self.prompts)
        return f"{', '.join(parts[:-1])} and {parts[-1]}"


@dataclass
class ImportPreview:
    """The expected result of an import: `new` would be added, `known` is there already, `rejected` lines cannot be.

    `repeated` counts what is equal to something new of the same import, and comes in once.
    `problems` holds the first 1,000 of `problem_count`, `by_file` the number in each file, and `groups` what is alike
    in all of them. `stopped` says where reading stopped before the end, after MAX_BAD_LINES bad lines ("" if it did
    not); then nothing can be imported. `rows` are the first few rows of each sort as they would be stored. `unscored`
    counts the judgments that could not be read, by reason (they are kept all the same). `summary` says in sentences
    what the files hold, if their format tells it.
    """

    dataset: str
    formats: list[str] = field(default_factory=list)
    new: ImportCounts = field(default_factory=ImportCounts)
    known: ImportCounts = field(default_factory=ImportCounts)
    repeated: ImportCounts = field(default_factory=ImportCounts)
    rejected: int = 0
    by_file: dict[str, int] = field(default_factory=dict)
    stopped: str = ""
    problems: list[ImportProblem] = field(default_factory=list)
    groups: list[RepeatedProblem] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unscored: dict[str, int] = field(default_factory=dict)
    people: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def problem_count(self) -> int:
        """The number of problems, including those that are not kept."""
        return sum(self.by_file.values())

    @property
    def ok(self) -> bool:
        """Whether everything can be imported."""
        return self.problem_count == 0

    def describe_known(self, singular: str = "was", plural: str = "were") -> str:
        """Return in words what is there already (with its verb), and what repeats other things of the import."""
        known, repeated = self.known.total, self.repeated.total
        sentence = f"{known:,} {verb(known, singular, plural)} there already"
        if not repeated:
            return sentence
        return f"{sentence}, and {repeated:,} {verb(repeated, 'repeats another', 'repeat others')} of the import"


@dataclass(frozen=True)
class ImportResult:
    """The result of an import: the lines read, the seconds, and in `preview` what is new, was known or was left out."""

    dataset_id: str
    lines: int
    seconds: float
    preview: ImportPreview


@dataclass(frozen=True)
class ImportRecord:
    """One import: when (UTC), by whom, from what, into which dataset, and how many of each it added."""

    at: datetime
    by: str
    source: str
    dataset: str
    items: int
    judgments: int
    labels: int


@allow("researcher")
def list_imports(store: Store) -> list[ImportRecord]:
    """The ten newest imports."""
    rows = store.rows(
        "select c.made_at, c.actor, n.source, d.name, n.items, n.judgments, n.labels from intake n join change c "
        "on c.seq = n.seq join dataset d on d.id = n.dataset_id order by n.seq desc limit 10"
    )
    return [ImportRecord(*row) for row in rows]


class ImportRefused(BadInput):
    """An import of which nothing was written, because not all of it was good. `preview` holds every problem."""

    def __init__(self, preview: ImportPreview) -> None:
        self.preview = preview
        first = f" The first: {preview.problems[0]}" if preview.problems else ""
        if preview.stopped:
            super().__init__(f"Nothing was written. {preview.stopped}{first}")
            return
        lines = many(preview.rejected, "line")
        super().__init__(
            f"Nothing was written: {lines} cannot be imported.{first} Correct them, or import only the good rows."
        )


class TooManyErrors(Exception):
    """So many lines are bad that the rest is not looked at."""


class ProblemCollector:
    """Collects what goes wrong: up to MAX_LISTED_PROBLEMS, warnings once each, rejected rows as JSON lines."""

    def __init__(self, preview: ImportPreview, rejects: BinaryIO | None) -> None:
        self.preview, self._rejects = preview, rejects
        self._places: set[tuple[str, int]] = set()
        self._pending: dict[str, Any] | None = None
        """The rejected row that came last, which may have a further problem."""
        self._hints: dict[str, int] = {}
        self._groups = RepeatedProblems(preview.groups)

    def reject(self, file: str, line: int, problems: list[tuple[str, str]], row: Any) -> None:
        """A line that cannot be imported, with (field, sentence) for everything that is wrong with it.

        Raises TooManyErrors at the last bad line that is looked at.
        """
        begins = _text(row)[:_BEGINS]
        faults = [ImportProblem(file, line, name[:_NAME], sentence[:_SENTENCE], begins) for name, sentence in problems]
        self.preview.by_file[file] = self.preview.by_file.get(file, 0) + len(faults)
        self.preview.problems += faults[: max(MAX_LISTED_PROBLEMS - len(self.preview.problems), 0)]
        for problem in faults:
            self._groups.add((file, line), problem.sentence, problem.field)
        self._places.add((file, line))
        self.preview.rejected = len(self._places)
        if self._rejects is not None:
            error = " ".join(problem.sentence for problem in faults)
            self._hand_back({"file": file, "line": line, "error": error, "row": row})
        if self.preview.rejected >= MAX_BAD_LINES:
            self.preview.stopped = (
                f"{MAX_BAD_LINES:,} lines are bad, and reading stopped at line {line:,} of {file}. Correct what they "
                "have in common, or say what the file is, and import it again."
            )
            raise TooManyErrors

    def warn(self, sentence: str) -> None:
        """Something worth knowing that stops nothing; the same sentence is counted, not repeated."""
        sentence = sentence[:_SENTENCE]
        if sentence in self._hints or len(self._hints) < 100:
            self._hints[sentence] = self._hints.get(sentence, 0) + 1

    def _hand_back(self, rejected: dict[str, Any]) -> None:
        """Write the row that came before; a further problem of the same row is added to that row's line."""
        last = self._pending
        if last is not None and all(last[name] == rejected[name] for name in ("file", "line", "row")):
            last["error"] += f" {rejected['error']}"
            return
        self._write_pending()
        self._pending = rejected

    def _write_pending(self) -> None:
        if self._pending is not None and self._rejects is not None:
            self._rejects.write(_line(self._pending))

    def close(self) -> None:
        """Put the warnings into the preview, and write the last of the rejected rows."""
        self._write_pending()
        self.preview.warnings += [s if n == 1 else f"{s} ({n:,} times)" for s, n in self._hints.items()]


def _text(row: Any) -> str:
    """A row as its line has it, as far as it can be said."""
    try:
        return " ".join((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)).split())
    except (ValueError, TypeError, RecursionError):
        return ""


def _line(rejected: dict[str, Any]) -> bytes:
    try:
        text = canonical(rejected).encode()
    except (ValueError, TypeError, RecursionError):
        text = json.dumps({**rejected, "row": repr(rejected["row"])[:10_000]}).encode()
    return (text if len(text) <= _ROW else json.dumps({**rejected, "row": None}).encode()) + b"\n"
