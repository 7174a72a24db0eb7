"""What every format is turned into: canonical lines of cards, items, judgments and labels, each with its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from data.adjudication.adjudication import MOST
from data.records.guidelines import LETTERS
from judges.gold import Resolve
from judges.protocols.orders import Order
from judges.reading.bare_scores import Given
from judges.types import Identifier, Kind, Strict, UnscoredReason

Sort = Literal["card", "item", "judgment", "label", "adjudication", "rule", "guidelines"]


@dataclass(slots=True)
class Line:
    """A canonical line of one sort, not yet validated, and the row of the file that it came from.

    `unscored` is set where a format knows that there is no score, with the reason; `nth` tells apart votes of one
    person for one thing that carry no time; a `weak` item stands for one whose texts are not in the files, and gives
    way to what is there under its name.
    """

    file: str
    line: int
    sort: Sort
    data: dict[str, Any]
    row: Any = None
    nth: int | None = None
    unscored: tuple[str, str] | None = None
    weak: bool = False


@dataclass(slots=True)
class Bad:
    """A row that a format cannot turn into anything, with (field, sentence) for everything that is wrong with it.

    `name` is the item it was to become, so that what depends on it can say why it is missing.
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


@dataclass(slots=True)
class Said:
    """The answer of a judge or a person about a unit of an item, under a name of which no card is known yet.

    `by` is "judge" and `who` its name, or `by` is "person" and `who` the annotator. `value` is as the file has it.
    """

    file: str
    line: int
    item: str
    kind: Kind
    unit: str
    name: str
    value: Any
    by: Literal["judge", "person"]
    who: str
    note: str = ""
    made_at: str = ""
    row: Any = None
    sample: int | None = None
    confidence: float | None = None


Entry = Line | Bad | Hint
Found = Entry | Said
"""What the format of another tool gives: what it says under names of its own is settled afterwards."""


class CardIn(Strict):
    """The line of a card: its content, as a workspace stores it (Card.spec)."""

    card: dict[str, Any]


class JudgmentIn(Strict):
    """A judgment's line.

    `raw` is kept as it came; `reply` is the card's JSON; with both, `reply` is what is read. `scores` are the judge's
    values where there is no reply (judges/reading/bare_scores.py). `card_version` picks the version of the card among
    those that the import brings. `order` says that the reply is to one order of a pair, as the judge saw it: with "ba"
    what it calls A is the item's B. The two orders of a pair are one judgment, wherever their lines stand.

    `unscored` and `why` stand where not the text but the endpoint said that there is no score (`python -m judges run`);
    another reason is found again in the text. What an export adds (`judge`, `run`) is ignored.
    """

    item: Identifier
    card: str = Field(min_length=1, max_length=100)
    model: str = Field(min_length=1, max_length=300)
    params: dict[str, Any] = Field(default_factory=dict)
    part: str = ""
    sample: int | None = Field(default=None, ge=0, le=100_000)
    reply: dict[str, Any] | None = None
    raw: str | None = None
    scores: list[Given] | None = Field(default=None, min_length=1)
    order: Order | None = None
    unscored: UnscoredReason | None = None
    why: str = Field(default="", max_length=2000)
    judge: str | None = None
    card_version: str | None = None
    run: str | None = None


class CellIn(Strict):
    """The answer to one dimension of one unit of an item.

    `value` is the answer as people write it; `made_at` an ISO time, UTC where it names no zone. `code`, the number of
    the answer, is written by an export, and ignored here.
    """

    item: Identifier
    unit: str
    dimension: str
    value: Any
    made_at: str
    code: float | None = None


class LabelIn(CellIn):
    """A label's line.

    `probability` is that with which the item was drawn; it counts where the import says that items were drawn at
    random. What else an export has (the draw, the judge that was on screen, an earlier import) is ignored.
    """

    annotator: str
    mode: Literal["blind", "assisted", "revealed"]
    team: str = Field(default="", max_length=60)
    probability: float | None = Field(default=None, ge=1e-9, le=1)  # 1 / p has to stay a number to count with
    stream: str | None = None
    judge: str | None = None
    saw: bool | None = None
    seen: str | None = None
    judged_by: str | None = None
    card_version: str | None = None
    model: str | None = None
    imported_from: str | None = None
    imported_by: str | None = None
    imported_at: str | None = None


class SaidIn(Strict):
    """One of the labels that an adjudication was made on."""

    annotator: str
    value: Any
    mode: Literal["blind", "assisted"]


class AdjudicationIn(CellIn):
    """An adjudication's line: what somebody decided on a cell, why, and on which labels.

    `saw_judge` says whether the judge's scores were in view, of them or in these labels: then it counts on no blind
    basis.
    """

    adjudicator: str
    reason: Annotated[str, StringConstraints(min_length=1, max_length=MOST, strip_whitespace=True)]
    saw_judge: bool
    labels: list[SaidIn] = Field(min_length=1, max_length=1_000)


class GoldRuleIn(Strict):
    """How labels become gold; see `data.records.settings.GoldRule`."""

    resolve: Resolve
    apart: int | None = Field(ge=0, le=100)
    waiting: Literal["counted", "out"] = "counted"


class RuleIn(Strict):
    """The line of a dataset's gold rule."""

    gold_rule: GoldRuleIn


class GuidelinesIn(Strict):
    """The line of a dataset's guidelines."""

    guidelines: str = Field(min_length=1, max_length=LETTERS)


@dataclass
class Seen:
    """How often each thing was met, to number repetitions."""

    times: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def count(self, *key: Any) -> int:
        """How often this key was met before."""
        before = self.times.get(key, 0)
        self.times[key] = before + 1
        return before
