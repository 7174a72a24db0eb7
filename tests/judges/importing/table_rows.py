"""What tests of tables share: the judge of a table, paired with its people, as `python -m judges agree` pairs them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judges.cards import cards
from judges.importing.matches import JudgeMatch, match_judges
from judges.importing.tables import read_tables
from judges.jsonl import Record


def match_rows(rows: Sequence[dict[str, Any]], judges: Sequence[str] = (), people: Sequence[str] = ()) -> JudgeMatch:
    """The only judge of a table of these rows; `judges` and `people` are the columns that are named as theirs."""
    records = [Record(n, row) for n, row in enumerate(rows, 1)]
    contents = read_tables({Path("t.json"): records}, judges, people, False)
    (match,) = match_judges(contents, {}, None, "", cards().__getitem__)
    return match
