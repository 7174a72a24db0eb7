"""Reading a source to its end: what is good is in the spool afterwards, the rest is reported and handed back."""

from __future__ import annotations

import contextlib
import gc
import itertools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from data.importing.checks.known_rows import Lookup
from data.importing.checks.line_checks import LineChecks
from data.importing.detection.detection import DetectedFile, format_titles, read_format
from data.importing.files.source import Source
from data.importing.formats import SEPARATE
from data.importing.mapping.question_matching import match_questions
from data.importing.plan import ImportPlan
from data.importing.report import ImportPreview, ProblemCollector, TooManyErrors
from data.importing.snapshot import Snapshot, plan_cards
from data.importing.staging import Spool
from data.records.judge_prompts import PromptSet
from data.records.settings import GoldRule
from data.store.errors import BadInput
from judges.importing.entries import Entry, Hint, Line
from judges.importing.mapping import ColumnMapping

Progress = Callable[[int, int, int], None]
"""Called now and then with the bytes read, the bytes there are, and the lines so far."""
_CHUNK = 500
_DEFAULT_GC_THRESHOLDS, _RARE_GC_THRESHOLDS = gc.get_threshold(), (200_000, 20, 50)


@dataclass
class ReadingResult:
    """The result of reading: the report, the lines read, and what the spool's rows refer to.

    `rows` counts the rows of each table. `judges` has the card's version, model, parameters as JSON and whether it is
    synthetic, by id. `cards` are the contents of cards that the import brings. `people` have their teams.
    `stored_names` has the names in the files and those under which they are kept. `rule`, `guidelines` and `prompts`
    (of judges) are what the import sets of them.
    """

    report: ImportPreview
    lines: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    judges: dict[str, tuple[str, str, str, bool]] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    stored_names: dict[str, str] = field(default_factory=dict)
    rule: GoldRule | None = None
    cards: list[dict[str, Any]] = field(default_factory=list)
    guidelines: str = ""
    prompts: list[PromptSet] = field(default_factory=list)


def read_source(
    snapshot: Snapshot, source: Source, detected: list[DetectedFile], lookup: Lookup, spool: Spool,
    progress: Progress = lambda *_: None, rejects: BinaryIO | None = None,
) -> ReadingResult:  # fmt: skip
    """Read a source. Raises BadInput where it cannot be read at all, or the spool cannot be written."""
    report = ImportPreview(snapshot.plan.dataset, format_titles(detected))
    problems = ProblemCollector(report, rejects)
    checks = LineChecks(snapshot, lookup, spool, problems)
    result = ReadingResult(report)
    for name in source.left_aside[:20]:
        problems.warn(f"{name} was ignored: it is not a data file.")
    last = ("", 0)
    try:
        with _with_rare_gc(), contextlib.suppress(TooManyErrors):
            entries = read_entries(source, snapshot.plan, detected, snapshot.mappings, snapshot.items)
            while chunk := list(itertools.islice(entries, _CHUNK)):
                checks.take(chunk)
                for place in ((entry.file, entry.line) for entry in chunk if not isinstance(entry, Hint)):
                    result.lines += bool(place[1]) and place != last
                    last = place
                progress(source.at, source.size, result.lines)
            checks.finish()
        checks.close()
        result.rows = spool.finish()
    except OSError as error:
        raise spool_error(error) from None
    result.cards = [card.spec for card in checks.cards.new.values()]
    result.judges = {k: (j.card.version, j.model, j.params, j.synthetic) for k, j in checks.judgments.judges.items()}
    result.people, result.stored_names, result.rule = checks.people, checks.context.stored_names, checks.rule.new
    result.guidelines, result.prompts = checks.guidelines.new, list(checks.prompts.new.values())
    return result


def read_entries(
    source: Source, plan: ImportPlan, detected: list[DetectedFile], mappings: dict[str, ColumnMapping],
    items: Sequence[dict[str, Any]],
) -> Iterator[Entry]:  # fmt: skip
    """Everything that the files of a source hold; those of FastChat, and of each other tool, are read together.

    `mappings` has the mapping of every table by the name of its file, `items` what formats that ask for it have to know
    of the dataset. The cards that the plan brings come first.
    """
    cards_by_version = {card.version: card for card in plan_cards(plan)}
    cards_by_version |= {card.version: card for mapping in mappings.values() for card in mapping.cards().values()}
    yield from (Line(source.name, 0, "card", {"card": card.spec}) for card in cards_by_version.values())
    together = {known.format for known in detected} - SEPARATE
    parts = [(name, [known for known in detected if known.format == name]) for name in sorted(together)]
    # What knows its items by their names alone gives way to what has their texts.
    by_text = sorted(detected, key=lambda known: known.format == "table" and mappings[known.file.name].textless)
    parts += [(known.format, [known]) for known in by_text if known.format in SEPARATE]
    for name, files in parts:
        yield from match_questions(read_format(name, files, mappings, items), plan.questions)


@contextlib.contextmanager
def _with_rare_gc() -> Iterator[None]:
    """Collect cyclic garbage rarely: lines make none, and checking all that waits takes a third of the time."""
    gc.set_threshold(*_RARE_GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*_DEFAULT_GC_THRESHOLDS)


def spool_error(error: OSError) -> BadInput:
    """The refusal where the spool cannot be written."""
    where = tempfile.gettempdir()
    return BadInput(
        f"The import could not be made ready in {where}: {(error.strerror or str(error)).rstrip('.')}. Nothing was "
        "written. Make room there, or split the file, and import again."
    )
