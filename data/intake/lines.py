"""What every format is turned into: canonical items, judgments and labels, each with the place it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from judges.types import Identifier, Strict, UnscoredReason


@dataclass(slots=True)
class Line:
    """An item, judgment or label in canonical form, not yet validated, and the row of the file that it came from.

    `unscored` is set where a format knows that there is no score, with the reason; `nth` tells apart votes of one
    person for one thing that carry no time; a `weak` item stands for one whose texts are not in the files, and gives
    way to what is there under its name.
    """

    file: str
    line: int
    sort: Literal["item", "judgment", "label"]
    data: dict[str, Any]
    row: Any = None
    nth: int | None = None
    unscored: tuple[str, str] | None = None
    weak: bool = False


@dataclass(slots=True)
class Bad:
    """A row that a format cannot turn into anything, with (field, sentence) for everything that is wrong with it.

    `name` is the item it was to become, so that what depends on it can be told why it is missing.
    """

    file: str
    line: int
    problems: list[tuple[str, str]]
    row: Any = None
    name: str = ""


@dataclass(slots=True)
class Hint:
    """Something worth knowing that stops nothing."""

    sentence: str


Entry = Line | Bad | Hint


class JudgmentIn(Strict):
    """A judgment's line. `raw` is kept as it came; `reply` is the card's JSON; with both, `reply` is what is read.

    `unscored` and `why` stand where not the text but the endpoint said that there is no score (`python -m judges run`);
    another reason is found again in the text. What an export tells beside (`judge`, `card_version`, `run`) is let pass.
    """

    item: Identifier
    card: str = Field(min_length=1, max_length=100)
    model: str = Field(min_length=1, max_length=300)
    params: dict[str, Any] = Field(default_factory=dict)
    part: str = ""
    sample: int | None = Field(default=None, ge=0, le=100_000)
    reply: dict[str, Any] | None = None
    raw: str | None = None
    unscored: UnscoredReason | None = None
    why: str = Field(default="", max_length=2000)
    judge: str | None = None
    card_version: str | None = None
    run: str | None = None


class LabelIn(Strict):
    """A label's line. `value` is the answer as people write it; `made_at` an ISO time, UTC where it names no zone.

    `probability` is that with which the item was drawn; it counts where the import says that items were drawn at
    random. What else an export tells (of the draw, and of the judge that was on screen) is let pass.
    """

    item: Identifier
    unit: str
    dimension: str
    value: Any
    annotator: str
    mode: Literal["blind", "assisted", "revealed"]
    made_at: str
    team: str = Field(default="", max_length=60)
    probability: float | None = Field(default=None, ge=1e-9, le=1)  # 1 / p has to stay a number to count with
    code: float | None = None
    stream: str | None = None
    judge: str | None = None
    saw: bool | None = None
    seen: str | None = None
    judged_by: str | None = None
    card_version: str | None = None
    model: str | None = None


@dataclass
class Seen:
    """How often each thing was met, to number repetitions."""

    times: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def count(self, *key: Any) -> int:
        """How often this key was met before."""
        before = self.times.get(key, 0)
        self.times[key] = before + 1
        return before
