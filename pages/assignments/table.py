"""Progress as a table: a row for each person, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from data.assignments.progress import PersonProgress
from pages.ui import tables, text

_COLUMNS = (
    ("Person", "", "With their tags. Select one to see what is assigned to them."),
    ("State", "100px", "What each means stands below the table."),
    ("Left", "n130px", "Items that wait for them, of all that are assigned; below it what they answered and skipped."),
    ("Per item", "n95px", "Median of their last 50 items in this dataset, and of one rating below it."),
    ("Last answer", "120px", "In this dataset."),
    ("Pace", "n105px", "Items per working day over the last five; below it the pace that meets all due dates."),
    ("Due", "125px", "The next due date of what is left, and when all of it will be done at that pace."),
)


def progress_table(people: Sequence[PersonProgress], zone: tzinfo, key: str) -> int | None:
    """The rows as a table; the number of the one that was selected."""
    rows = [[value or "–" for value in _row(person, zone)] for person in people]
    ids = [person.assignee for person in people]
    clicked = tables.wrapped_table(_COLUMNS, rows, key, "People and their progress", ids, chosen=True)
    return None if clicked is None else clicked[0]


def _row(person: PersonProgress, zone: tzinfo) -> list[str]:
    counts, needed = person.counts, person.needed
    lacks = "" if needed is None else "past due" if needed == float("inf") else f"needed {needed:.3g}"
    paces = ((person.seconds, ""), (person.cell_seconds, " a rating"))
    did = [f"{n:,} {state}" for n, state in ((counts.done, "done"), (counts.skipped, "skipped")) if n]
    return [
        text.join_lines(person.name, ", ".join(person.tags)), person.state,
        text.join_lines(f"{counts.left:,} of {counts.total:,}", ", ".join(did)) if counts.total else "",
        text.join_lines(*(f"{value:.3g} s{of}" for value, of in paces if value)),
        text.moment(person.last, zone) if person.last else "",
        text.join_lines("" if person.pace is None else f"{person.pace:.3g} a day", lacks),
        text.join_lines(
            text.day(person.due, zone) if person.due else "",
            f"done {text.day(person.finish, zone)}" if person.finish else "",
        ),
    ]  # fmt: skip
