"""Reading a source to its end: what is good is in the spool afterwards, the rest is reported and handed back."""

from __future__ import annotations

import contextlib
import gc
import itertools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from data.importing.checks.known_rows import Lookup
from data.importing.checks.line_checks import LineChecks
from data.importing.detection.detection import DetectedFile, format_titles, read_format
from data.importing.files.source import Source
from data.importing.formats import SEPARATE
from data.importing.plan import ImportPlan, Question
from data.importing.report import ImportPreview, ProblemCollector, TooManyErrors
from data.importing.snapshot import Snapshot, plan_cards
from data.importing.staging import Spool
from data.records.judge_prompts import PromptSet
from data.records.settings import GoldRule
from data.store.errors import BadInput
from data.store.ids import now
from judges.importing.columns import cell_text
from judges.importing.entries import Entry, Hint, Line, NamedValue, RepeatCounter, ScoreCollector, ToolEntry
from judges.importing.mapping import ColumnMapping, interpret_cell, lacks_answer
from judges.plural import many
from judges.types import is_unit, sort_of

Progress = Callable[[int, int, int], None]
"""Called now and then with the bytes read, the bytes there are, and the lines so far."""
UNKNOWN = "unknown person"
"""The annotator of a label for which the file names nobody."""
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


def match_questions(tool_entries: Iterable[ToolEntry], questions: Iterable[Question]) -> Iterator[Entry]:
    """The entries, each value that was said made into a score or a label of the question that its name means.

    What has a name without a question is left out, and reported with its count at the end.
    """
    by_name: Mapping[tuple[str, str, str, str], Question] = {(q.by, q.kind, q.sort, q.name): q for q in questions}
    ratings, seen, left, time = ScoreCollector(), RepeatCounter(), Counter[str](), now().isoformat()
    for entry in tool_entries:
        if not isinstance(entry, NamedValue):
            yield entry
            continue
        sort = sort_of(entry.unit) if is_unit(entry.unit) else ""
        question = by_name.get((entry.by, entry.kind, sort, entry.name))
        if question is None or lacks_answer(entry.value, question.answers):
            left[f"{entry.name} of {sort or entry.unit}" if question is None else ""] += 1
        elif entry.by == "person":
            yield _label(entry, question, seen, time)
        else:
            judgment = {
                "item": entry.item, "card": question.card, "model": question.rater or entry.rater or "judge",
                "params": {},
            }  # fmt: skip
            score = {"unit": entry.unit, "dimension": question.dimension, "value": _value(entry, question)}
            score |= {"note": entry.note} if entry.note else {}
            score |= {} if entry.confidence is None else {"confidence": entry.confidence}
            ratings.add(entry.file, entry.line, entry.row, judgment, score)
    yield from ratings.lines()
    empty = left.pop("", 0)
    if empty:
        yield Hint(f"Left out: {many(empty, 'empty value')}.")
    for name, count in left.most_common(20):
        yield Hint(f"Left out: {many(count, 'value')} of {name}: no question was chosen for them.")


def _value(entry: NamedValue, question: Question) -> Any:
    """The value as an answer on the question's scale, or unchanged where it is none."""
    known = interpret_cell(entry.value, {}, question.answers)
    return cell_text(entry.value) if known is None else known


def _label(entry: NamedValue, question: Question, seen: RepeatCounter, time: str) -> Line:
    value = _value(entry, question)
    data = {
        "item": entry.item, "unit": entry.unit, "dimension": question.dimension, "value": value,
        "annotator": question.rater or entry.rater or UNKNOWN, "mode": "blind", "made_at": entry.made_at or time,
    }  # fmt: skip
    key = (entry.item, entry.unit, question.dimension, data["annotator"], str(value))
    nth = None if entry.made_at else seen.count(*key)
    return Line(entry.file, entry.line, "label", data, entry.row, nth=nth)


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
