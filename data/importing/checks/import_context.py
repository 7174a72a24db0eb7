"""The state that the checks of all lines share: the plan, the spool, the report, the items by name, people's names."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from data.importing.checks.known_rows import KnownItem, KnownItems
from data.importing.report import ProblemCollector
from data.importing.snapshot import Snapshot
from data.importing.staging import Spool
from data.records.names import imported_name
from data.store.errors import BadInput
from data.store.ids import now, to_utc
from judges.card import Card
from judges.importing.entries import ItemMissing, Line, LineError, RejectedRow
from judges.strict_json import check_value, show_value
from judges.types import MAX_NAME_LETTERS, NO_NAME_SIGNS

MAX_SHOWN_ROWS, _MAX_SHOWN_LENGTH = 5, 2_000
_MAX_REMEMBERED_TEXTS = 100_000
_YEARS = (1990, 2200)
_PERSON = re.compile(rf"[^{NO_NAME_SIGNS}]{{1,{MAX_NAME_LETTERS}}}( \(file( \d+)?\))?")


class ImportContext:
    """One import in progress. `stored_names` has, of every person in the files, the name under which they are kept.

    `cards` by name, `versions` and `questions` are the workspace's and those that the import brings; `refused` has the
    place of each item that was not taken, `textless` the names of new items of which nothing else is known,
    and `numbered` counts the stored ones that a row is of by its number alone.
    """

    def __init__(self, snapshot: Snapshot, spool: Spool, problems: ProblemCollector, items: KnownItems) -> None:
        self.snapshot, self.spool, self.problems, self.items = snapshot, spool, problems, items
        self.dataset_id, self.report = snapshot.dataset_id, problems.preview
        self.cards, self.questions = dict(snapshot.cards), dict(snapshot.questions)
        self.versions = {card.version: card for card in (*snapshot.earlier, *self.cards.values())}
        self.refused: dict[str, tuple[str, int]] = {}
        self.stored_names: dict[str, str] = {}
        self.textless: set[str] = set()
        self.numbered = 0

    def know(self, card: Card) -> None:
        """Allow judgments of this import to name the card, and labels to answer what it asks."""
        self.cards[card.name] = self.versions[card.version] = card
        for dimension in card.dimensions:
            self.questions.setdefault((card.kind, dimension.sort, dimension.name), dimension)

    def identity(self, name: str) -> str:
        """Return the name under which a person in the files is kept; it is never that of somebody who works here."""
        if name not in self.stored_names:
            self.stored_names[name] = imported_name(name, self.snapshot.people)
        return self.stored_names[name]

    def item(self, name: str) -> KnownItem:
        """The item that a judgment or label names. Raises ItemMissing."""
        item = self.items.get(name)
        if item is None:
            refused = name in self.refused
            why = "its own line cannot be imported" if refused else "it is neither in the dataset nor in this import"
            raise ItemMissing("item", f"The item {show_value(name)} is missing: {why}.")
        return item

    def check_not_in_future(self, moment: datetime) -> None:
        """Raise LineError for a time still to come, which nothing could follow.

        A day is allowed, for clocks and time zones; synthetic data may have any time.
        """
        if moment > now() + timedelta(days=1) and not self.snapshot.plan.synthetic:
            raise LineError("made_at", f"made_at is in the future: {moment:%Y-%m-%d %H:%M} (UTC).")

    def refuse(self, name: Any, entry: Line | RejectedRow) -> None:
        """Remember an item that was not taken, and its place in the files, for lines that refer to it."""
        if isinstance(name, str) and name and len(self.refused) < _MAX_REMEMBERED_TEXTS:
            self.refused.setdefault(name[:300], (entry.file, entry.line))

    def show(self, sort: str, count: int, **shown: Any) -> None:
        """Keep one of the first rows of a sort for the report, as it would be stored."""
        if count <= MAX_SHOWN_ROWS:
            cut = {
                name: value[:_MAX_SHOWN_LENGTH] if isinstance(value, str) else value for name, value in shown.items()
            }
            self.report.rows.setdefault(sort, []).append(cut)


def check_person(text: str, name: str = "annotator") -> str:
    """A person's name as it is kept. Raises LineError for the field `name`, or BadJson, where it cannot be one."""
    person = " ".join(text.split())
    if not _PERSON.fullmatch(person):
        message = f"{show_value(text)} cannot be a person's name: 1 to 60 characters without < > ` | / and \\."
        raise LineError(name, message)
    check_text(person)
    return person


def check_text(text: str, value: Any = None) -> None:
    """Raise BadJson when a text cannot be stored: NUL, or half a surrogate pair. Cheap for texts that can.

    For JSON text, `value` is what it was made of: there an escaped NUL counts, and a backslash before `u0000` does not.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        check_value(text)
    if "\x00" in text or (value is not None and "\\u0000" in text):
        check_value(text if value is None else value)


def parse_time(text: str) -> datetime:
    """An ISO time as the store keeps it: UTC without a zone. Raises BadInput."""
    try:
        value = datetime.fromisoformat(text.strip())
        value = to_utc(value) if value.tzinfo else value
    except (ValueError, OverflowError):
        raise BadInput(f"made_at must be a time such as 2026-01-31T12:00:00Z (it is {text[:40]!r}).") from None
    if not _YEARS[0] <= value.year < _YEARS[1]:
        raise BadInput(f"made_at must lie in the years {_YEARS[0]} to {_YEARS[1] - 1} (it is {text[:40]!r}).")
    return value
