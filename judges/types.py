"""The data of judging: items, their units, the scales that scores are given on, and the content of a judge's reply.

The item models refuse unknown keys and are the canonical JSONL of Assay (one object a line). Everything here is plain
data: no storage, no clock, no drawing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    TypeAdapter,
    model_validator,
)  # fmt: skip

from judges.errors import BadScale

Kind = Literal["dialogue", "pair", "response"]
UnitSort = Literal["conversation", "turn", "section", "side", "pair", "response"]
SORTS: tuple[UnitSort, ...] = ("turn", "section", "side", "response", "conversation", "pair")
"""The order in which units are listed: parts first, then the whole."""
SORTS_WITH_SEVERAL_UNITS: tuple[UnitSort, ...] = ("turn", "section")
"""The sorts of which an item, or a side of a pair, has several units."""
SORTS_WITH_SEVERAL_CELLS: tuple[UnitSort, ...] = (*SORTS_WITH_SEVERAL_UNITS, "side")
"""The sorts of which an item has several units: with the two sides of a pair."""
SORTS_OF: dict[Kind, tuple[UnitSort, ...]] = {
    "dialogue": ("turn", "conversation"),
    "pair": ("section", "side", "pair"),
    "response": ("response",),
}
"""The sorts of units that an item of each kind has, in the order in which a reply takes them."""
Place = tuple[Kind, str, str]
"""A question: the kind of its items, the sort of the units that it is about, and its name."""
MAX_NAME_LETTERS = 60
NO_NAME_SIGNS = r"\x00-\x1f\x7f<>`|\\/"
"""The most letters of a person's name, and the signs that none may have, for a character class of an expression."""
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=300, strip_whitespace=True)]


class Strict(BaseModel):
    """Base of everything that comes in from outside: unknown keys are refused, nothing is coerced to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Turn(Strict):
    """One entry of a dialogue. What a user and an assistant say to each other shares a turn number, counted from 1.

    A `tool` entry is a call that the assistant made in that turn, or what came back; `name` is the tool's.
    """

    turn: int = Field(ge=1, le=10_000)
    role: Literal["user", "assistant", "system", "tool"]
    text: str
    name: str = Field(default="", max_length=200, exclude_if=lambda name: not name)


class Section(Strict):
    """A visible part of a long pair: its heading, and where it lies in each response as [start, end) characters.

    A side that has no such part is None: it has no cells there.
    """

    label: str
    a: tuple[int, int] | None = None
    b: tuple[int, int] | None = None

    @model_validator(mode="before")
    @classmethod
    def _spans_from_lists(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {k: tuple(v) if isinstance(v, list) else v for k, v in value.items()}
        return value


class PairSide(Strict):
    """One side of a pair: the system under test and its text (None: the text is not in the files)."""

    system: str = ""
    text: str | None


class Dialogue(Strict):
    """A conversation under judgment, with the scenario it was to play."""

    id: Identifier
    kind: Literal["dialogue"]
    scenario: str = ""
    system: str = ""
    turns: list[Turn] = Field(min_length=1)
    meta: dict[str, Any] = {}

    @model_validator(mode="after")
    def _turns_in_order(self) -> Dialogue:
        _check_order(self.turns)
        if not self.assistant_turns:
            raise ValueError("no assistant turn: there is nothing to judge")
        return self

    @property
    def assistant_turns(self) -> list[int]:
        """The numbers of the turns in which the assistant speaks, in order."""
        return [entry.turn for entry in self.turns if entry.role == "assistant"]


def _check_order(turns: list[Turn]) -> list[Turn]:
    numbers = [entry.turn for entry in turns]
    if numbers != sorted(numbers):
        last, turn = next((a, b) for a, b in pairwise(numbers) if b < a)
        raise ValueError(f"turn {turn} comes after turn {last}: turns must be in order")
    turn_roles = [(entry.turn, entry.role) for entry in turns if entry.role != "tool"]
    if len(set(turn_roles)) < len(turn_roles):
        turn, role = next(turn_role for place, turn_role in enumerate(turn_roles) if turn_role in turn_roles[:place])
        raise ValueError(f"turn {turn} has two entries for {role}")
    return turns


WAYS = ("as text", "as turns")
"""The ways in which a pair's input comes, as pydantic names them in the place of an error."""
Conversation = Annotated[list[Turn], Field(min_length=1), AfterValidator(_check_order)]
Input = Annotated[
    Annotated[str, Tag(WAYS[0])] | Annotated[Conversation, Tag(WAYS[1])],
    Discriminator(lambda value: WAYS[1] if isinstance(value, list) else WAYS[0]),
]


class Pair(Strict):
    """Two responses to one (long) input, a text or the conversation that they go on from.

    `sections` is cut at import when it is not given.
    """

    id: Identifier
    kind: Literal["pair"]
    input: Input
    response_a: PairSide
    response_b: PairSide
    sections: list[Section] | None = None
    meta: dict[str, Any] = {}

    @property
    def input_text(self) -> str:
        """The input as one text: of a conversation every entry under who said it, and in which turn."""
        if isinstance(self.input, str):
            return self.input
        return "\n\n".join(f"[{t.role.capitalize()}, turn {t.turn}]\n{t.text}" for t in self.input)

    @property
    def input_shown(self) -> str | list[dict[str, Any]]:
        """The input as a judge is shown it: a text, or the turns."""
        return self.input if isinstance(self.input, str) else [turn.model_dump(mode="json") for turn in self.input]


class Response(Strict):
    """A single output for a task, with a reference answer where there is one."""

    id: Identifier
    kind: Literal["response"]
    task: str
    output: str
    reference: str = ""
    system: str = ""
    meta: dict[str, Any] = {}


Item = Annotated[Dialogue | Pair | Response, Field(discriminator="kind")]
ITEM: TypeAdapter[Dialogue | Pair | Response] = TypeAdapter(Item)


def systems(item: Dialogue | Pair | Response) -> tuple[str, str]:
    """The systems under test: (a, b) for a pair, (system, "") otherwise."""
    if isinstance(item, Pair):
        return item.response_a.system, item.response_b.system
    return item.system, ""


_UNIT = re.compile(r"conversation|pair|response|turn:[1-9]\d{0,4}|section:[1-9]\d{0,4}/[ab]|response/[ab]")


def is_unit(unit: str) -> bool:
    """Whether the text is a well-formed unit name, such as `turn:3` or `section:2/a`."""
    return _UNIT.fullmatch(unit) is not None


def sort_of(unit: str) -> UnitSort:
    """The sort of a unit: `turn:3` is a turn, `section:2/a` a section, `response/a` a side of a pair."""
    if unit.startswith("turn:"):
        return "turn"
    if unit.startswith("section:"):
        return "section"
    if unit.startswith("response/"):
        return "side"
    if unit in ("conversation", "pair", "response"):
        return unit  # type: ignore[return-value]
    raise BadScale(f"{unit!r} is not a unit: use conversation, turn:3, section:2/a, response/a, pair or response")


def turn_number(unit: str) -> int:
    """The number of a turn: 3 of `turn:3`. Raises ValueError for a unit of another sort."""
    return int(unit.removeprefix("turn:"))


def section_place(unit: str) -> tuple[int, str]:
    """The number and the side of a section: (2, "a") of `section:2/a`. Raises ValueError for a unit of another sort."""
    number, _, side = unit.removeprefix("section:").partition("/")
    return int(number), side


def assistant_units(item: Dialogue) -> list[str]:
    """Every assistant turn of a dialogue."""
    return [f"turn:{turn}" for turn in item.assistant_turns]


def section_units(sections: Sequence[Section]) -> list[str]:
    """Both sides of every section, numbered from 1, without those that a side lacks."""
    numbered = enumerate(sections, 1)
    return [f"section:{n}/{side}" for n, s in numbered for side in ("a", "b") if getattr(s, side) is not None]


def units(item: Dialogue | Pair | Response) -> list[str]:
    """All units of an item, in reading order."""
    if isinstance(item, Dialogue):
        return [*assistant_units(item), "conversation"]
    if isinstance(item, Pair):
        return [*section_units(item.sections or []), "response/a", "response/b", "pair"]
    return ["response"]


@dataclass(frozen=True)
class Scale:
    """The answers that a dimension allows, and their codes in tables.

    A value is stored as a number, its code: the integer itself on an ordinal scale (`lo`..`hi`), the position in
    `categories` (from 0) on `ordered` and `unordered` ones, 0 or 1 for a flag, the turn's number (0 = none) for a
    turn reference, the number itself on an interval scale. None is n/a: a value of its own, never a number.
    """

    kind: Literal["ordinal", "ordered", "unordered", "flag", "turn", "interval"]
    lo: float = 0
    hi: float = 0
    categories: tuple[str, ...] = ()
    na: bool = False
    drawn: str = ""
    """The category that a tied vote of several people gives ("tie"); empty: a tied vote has no gold."""
    step: float = 0
    """On an interval scale, the distance of neighbouring answers counted from `lo` (.5: half points); 0: any number."""

    @property
    def size(self) -> int:
        """K, the number of codes of the full scale; 0 where it has no table (turn references, interval scales)."""
        if self.kind == "ordinal":
            return int(self.hi - self.lo) + 1
        return 2 if self.kind == "flag" else len(self.categories)

    @property
    def base(self) -> int:
        """The lowest code, which is row 0 of a table."""
        return int(self.lo) if self.kind == "ordinal" else 0

    @property
    def weights(self) -> Literal["quadratic"] | None:
        """Weights of kappa on this scale: quadratic where the answers are ordered, none otherwise.

        On an interval scale quadratic kappa is Lin's concordance, from the same six sums.
        """
        return "quadratic" if self.has_order else None

    @property
    def has_order(self) -> bool:
        """Whether its answers are ordered: numbers, or categories from low to high."""
        return self.is_numeric or self.kind == "ordered"

    @property
    def is_numeric(self) -> bool:
        """Whether its answers are numbers from `lo` to `hi`."""
        return self.kind in ("ordinal", "interval")

    @property
    def has_mean(self) -> bool:
        """Whether a mean of its answers says something: one of numbers does, and that of a flag is the share of yes."""
        return self.is_numeric or self.kind == "flag"

    @property
    def has_categories(self) -> bool:
        """Whether its answers are names, and their codes places in `categories`."""
        return self.kind in ("ordered", "unordered")

    @property
    def tie_code(self) -> float | None:
        """The code of a tied vote ("tie"); None where the scale has none for it."""
        return float(self.categories.index(self.drawn)) if self.drawn else None

    @property
    def answers(self) -> list[str]:
        """The answers in words, in table order."""
        if self.kind == "ordinal":
            return [str(n) for n in range(int(self.lo), int(self.hi) + 1)]
        if self.kind == "interval" and self.step and self._steps < _MAX_LISTED_STEPS:
            return [self.format(self.snap(self.lo + n * self.step)) for n in range(self._steps + 1)]
        return ["no", "yes"] if self.kind == "flag" else list(self.categories)

    def code(self, value: Any, turns: frozenset[int] | None = None) -> float | None:
        """The code of a value as people write it: 4, "good", true, "none", "n/a" (None). Raises BadScale otherwise.

        `turns` limits a turn reference to turns that exist.
        """
        if value is None or (isinstance(value, str) and value.strip().lower() in ("n/a", "na")):
            if self.kind == "turn":
                return 0.0
            if not self.na:
                raise BadScale(f"n/a is not an answer here: allowed are {self.words}")
            return None
        if self.kind == "flag" and isinstance(value, bool):
            return float(value)
        if self.has_categories:
            if isinstance(value, str) and value.strip().lower() in self.categories:
                return float(self.categories.index(value.strip().lower()))
        elif self.kind == "turn" and isinstance(value, str) and value.strip().lower() == "none":
            return 0.0
        elif not isinstance(value, bool) and isinstance(value, (int, float)) and abs(value) < _HUGE:
            if self.kind == "interval" and self.lo <= value <= self.hi and self.on_step(value):
                return self.snap(value)
            if value == int(value) and (
                (self.kind == "ordinal" and self.lo <= value <= self.hi)
                or (self.kind == "flag" and value in (0, 1))
                or (self.kind == "turn" and value >= 0 and (turns is None or value == 0 or int(value) in turns))
            ):
                return float(value)
        raise BadScale(f"{_shorten(value)} is not on the scale: allowed are {self.words}")

    def parse_text(self, value: Any) -> Any:
        """A value that is text in a column of texts, as it would be alone: "4" is 4, and "yes" is true."""
        text = value.strip().lower() if isinstance(value, str) else ""
        if self.kind == "flag" and text in self.answers:
            return text == self.answers[1]
        if self.kind in ("ordinal", "turn", "interval") and _NUMBER.fullmatch(text):
            return float(text)
        return value

    def format(self, code: float | None) -> str:
        """A code in words: 4.0 -> "4", 2.0 -> "good", None -> "n/a", turn 0 -> "none".

        What several samples combine to may lie between two answers: 3.4 -> "3.4", 2.5 -> "good to excellent".
        """
        if code is None:
            return "n/a"
        if self.has_categories:
            low, part = divmod(code, 1)
            return " to ".join(self.categories[int(low) : int(low) + (2 if part else 1)])
        if self.kind == "flag":
            return "yes" if code else "no"
        if self.kind == "turn" and code == 0:
            return "none"
        if self.kind != "interval":
            return f"{round(code, 2):g}"
        if self.step and self.on_step(code):
            return spell_number(self.snap(code))
        return f"{code:.4g}" if abs(code) < _LONG else f"{code:.0f}"

    @property
    def _steps(self) -> int:
        """The number of steps from end to end."""
        return round((self.hi - self.lo) / self.step)

    def on_step(self, value: float) -> bool:
        """Whether a number lies on one of the steps of an interval scale; all do where it has none."""
        return not self.step or abs(value - self.snap(value)) <= 1e-6 * self.step

    def snap(self, value: float) -> float:
        """The answer of an interval scale next to a number: without a step the number itself."""
        if not self.step:
            return float(value)
        return float(round(self.lo + round((value - self.lo) / self.step) * self.step, 9))

    @property
    def words(self) -> str:
        """The allowed answers as a phrase for messages."""
        if self.kind == "turn":
            return "the number of an assistant turn, or none"
        if self.is_numeric:
            steps = f" in steps of {spell_number(self.step)}" if self.step else ""
            return f"{spell_number(self.lo)} to {spell_number(self.hi)}{steps}" + (" or n/a" if self.na else "")
        return ", ".join(self.answers) + (" or n/a" if self.na else "")


_MAX_LISTED_STEPS = 21
"""An interval scale of at most so many steps can have its answers listed."""
_NUMBER = re.compile(r"[-+]?(\d{1,15}(\.\d{0,20})?|\.\d{1,20})(e[-+]?\d{1,2})?", re.ASCII)
_LONG = 1000
"""From here on a number between two answers is said without decimals."""
_HUGE = 1e15  # beyond it (and for nan) no number is on any scale, and integers may not fit a float


def spell_number(value: float) -> str:
    """A number with all its digits and without an exponent: 2000000, 1234567.5, 0.00001."""
    return f"{Decimal(f'{value:.15g}'):f}"


def _shorten(value: Any) -> str:
    if isinstance(value, int) and abs(value) >= _HUGE:
        return "a very large number"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


@dataclass(frozen=True)
class Dimension:
    """A question asked of one sort of unit, and its scale. `asked` is False for what only the judge states.

    `anchors` are (answer, what it means) of some answers, for people: the prompt tells a judge the same in full.
    `between`: a judge's number may lie between two answers (8.5), as the mean of several samples may; a person's not.
    """

    name: str
    sort: UnitSort
    scale: Scale
    definition: str
    asked: bool = True
    anchors: tuple[tuple[str, str], ...] = ()
    between: bool = False

    @property
    def judged(self) -> Scale:
        """The scale of what a judge says: that of people, or all numbers between its ends."""
        return replace(self.scale, kind="interval") if self.between else self.scale

    @property
    def is_of_side(self) -> bool:
        """Whether it is asked of one side of a pair, or of a section of it."""
        return self.sort in ("section", "side")

    @property
    def is_of_one_system(self) -> bool:
        """Whether every item is of one system in it: a pair is of two, and so is what is asked of its sides."""
        return self.sort in ("turn", "conversation", "response")

    @property
    def has_several_units(self) -> bool:
        """Whether an item, or a side of a pair, has several units of its sort."""
        return self.sort in SORTS_WITH_SEVERAL_UNITS

    @property
    def has_several_cells(self) -> bool:
        """Whether an item has several cells in it, those of both sides of a pair together."""
        return self.sort in SORTS_WITH_SEVERAL_CELLS

    @property
    def title(self) -> str:
        """The name as people read it: context_use -> "context use"."""
        return self.name.replace("_", " ")

    @property
    def title_with_sort(self) -> str:
        """The title and the sort of its unit: context use · turn."""
        return f"{self.title} · {self.sort}"


class Score(NamedTuple):
    """One value that a judge gave to one unit and dimension. `value` is a code of the scale; None is n/a.

    `confidence` lies in 0..1 with its `source` (self-reported, samples, ...); None where nothing is known.
    """

    unit: str
    dimension: str
    value: float | None
    confidence: float | None = None
    source: str = ""


class Remark(NamedTuple):
    """Text that belongs to a unit (and dimension, or "" for all): a judge's `note`, an `issue`, or a broken `rule`."""

    unit: str
    dimension: str
    sort: Literal["note", "issue", "rule"]
    text: str


UnscoredReason = Literal["unreadable", "out_of_range", "cut_off", "refused", "api_error", "incomplete"]


@dataclass(frozen=True)
class Reading:
    """The content of a judge's reply: scores and remarks, or why it is `unscored` and, in `why`, the exact fault."""

    scores: tuple[Score, ...] = ()
    remarks: tuple[Remark, ...] = ()
    unscored: UnscoredReason | None = None
    why: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
