"""The recipe of a custom card: what a lead writes, checked. Everything else of the card is derived from it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from judges.card import PER_TURN
from judges.errors import BadCard
from judges.types import SORTS_OF, Kind, Scale, Strict, UnitSort

RESERVED = {
    *("turn", "turns", "role", "per_turn", "conversation", "scores", "score", "value", "note", "name", "label"),
    *("section", "sections", "section_label", "responses", "response", "response_a", "response_b", "a", "b", "pair"),
    *("reason", "issues", "summary", "dimension", "unit", "n_a", "na", "none"),
}
"""Names that a reply, a label or a file already has another use for."""
MAX_ENTRIES = 20
_CARD = re.compile(r"[a-z][a-z0-9_]{2,39}")
_MAX_NAME_CHARACTERS = 60
_MAX_MAGNITUDE = 1_000_000_000


def is_card_name(name: str) -> bool:
    """Whether a new card can have this name."""
    return _CARD.fullmatch(name) is not None and not name.endswith(PER_TURN)


def explain_card_name(name: str) -> str:
    """Say, without a full stop, that this name cannot name a card, and which names can."""
    allowed = f"3 to 40 small letters, digits and _, beginning with a letter and not ending in {PER_TURN}"
    return f"{name[:60]!r} cannot name a card: use {allowed}"


def _tidy(value: Any) -> Any:
    """A dimension's name as it is stored: lower case, words joined by _, one code for characters that look alike."""
    if not isinstance(value, str):
        return value
    return "_".join(unicodedata.normalize("NFKC", value).lower().replace("-", " ").split())


def _fold_words(value: Any) -> Any:
    if not isinstance(value, (list, tuple)):
        return value
    return [word.strip().lower() if isinstance(word, str) else word for word in value]


def steps_fit(lo: float, hi: float, step: float) -> bool:
    """Whether a whole number of steps of this length, below a billion, leads from one end of a scale to the other."""
    steps = (hi - lo) / step
    return steps >= 1 and steps < 1e9 and abs(steps - round(steps)) < 1e-6


class RecipeScale(Strict):
    """A scale: whole numbers lo..hi, an interval lo..hi (any number, or in steps), categories, or yes and no.

    Ordered categories go from worst to best.
    """

    kind: Literal["ordinal", "ordered", "unordered", "flag", "interval"] = "ordinal"
    lo: int | float = 1
    hi: int | float = 5
    categories: Annotated[list[str], BeforeValidator(_fold_words)] = Field(default_factory=list)
    na: bool = False
    step: int | float = Field(default=0, ge=0, exclude_if=lambda step: not step)
    """Left out where it is 0, so that recipes older than steps, and their cards, stay the same."""

    @model_validator(mode="after")
    def _a_scale(self) -> RecipeScale:
        if self.kind in ("ordinal", "interval") and not self.lo < self.hi:
            raise ValueError(f"a scale from {self.lo} to {self.hi} has no two answers: the upper end must be higher")
        whole_ends = isinstance(self.lo, int) and isinstance(self.hi, int)
        if self.kind == "ordinal" and not (whole_ends and self.lo >= 0 and self.hi <= 10):
            raise ValueError(
                "an ordinal scale goes from a whole number to another one, within 0 to 10: else use interval"
            )
        if self.kind == "interval" and max(abs(self.lo), abs(self.hi)) > _MAX_MAGNITUDE:
            raise ValueError(f"the ends of a scale must lie within {-_MAX_MAGNITUDE:,} and {_MAX_MAGNITUDE:,}")
        if self.step and self.kind != "interval":
            raise ValueError("only an interval scale has steps: leave it empty here")
        if self.step and not steps_fit(self.lo, self.hi, self.step):
            raise ValueError(f"steps of {self.step:g} do not lead from {self.lo:g} to {self.hi:g}")
        if self.kind in ("ordered", "unordered"):
            if not 2 <= len(self.categories) <= MAX_ENTRIES:
                raise ValueError(f"give 2 to {MAX_ENTRIES} answers; there are {len(self.categories)}")
            if len(set(self.categories)) < len(self.categories):
                raise ValueError("an answer appears twice (upper and lower case are the same)")
            for word in self.categories:
                if not 1 <= len(word) <= 40 or not word.isprintable() or word in ("n/a", "na"):
                    raise ValueError(f"{word[:40]!r} cannot be an answer: 1 to 40 characters, and n/a has its own mark")
        elif self.categories:
            raise ValueError("only categories have a list of answers: leave it empty here")
        return self

    @property
    def scale(self) -> Scale:
        """The scale that this describes."""
        if self.kind in ("ordinal", "interval"):
            return Scale(self.kind, self.lo, self.hi, na=self.na, step=self.step)
        # A drawn vote about the better side is a tie, as on the verdicts of all pairs; elsewhere it has no gold.
        drawn = "tie" if self.kind == "unordered" and set(self.categories) == {"a", "tie", "b"} else ""
        return Scale(self.kind, categories=tuple(self.categories), na=self.na, drawn=drawn)


def recipe_scale(scale: Scale) -> RecipeScale | None:
    """A scale in the form of a recipe; None for turn references, which no recipe can ask for."""
    if scale.kind == "turn":
        return None
    ends = {"lo": scale.lo, "hi": scale.hi} if scale.kind in ("ordinal", "interval") else {}
    return RecipeScale(kind=scale.kind, categories=list(scale.categories), na=scale.na, step=scale.step, **ends)


class RecipeQuestion(Strict):
    """One question: its name, the sort of unit it is asked of, what it means, its scale, and words for its answers."""

    name: Annotated[str, BeforeValidator(_tidy)]
    unit: UnitSort
    definition: str = Field(min_length=1, max_length=1000)
    answers: RecipeScale = RecipeScale()
    anchors: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _a_question(self) -> RecipeQuestion:
        if not self.name.isidentifier() or self.name.startswith("_") or len(self.name) > _MAX_NAME_CHARACTERS:
            raise ValueError(
                f"{self.name[:_MAX_NAME_CHARACTERS]!r} cannot name a dimension: use letters, digits and _, beginning "
                f"with a letter, at most {_MAX_NAME_CHARACTERS}"
            )
        if self.name in RESERVED:
            raise ValueError(f"the name {self.name} is reserved: it has another use in replies. Choose another one")
        if not self.definition.strip():
            raise ValueError(f"{self.name} has no definition: say in a sentence what is asked")
        for answer, words in self.anchors.items():
            if answer not in self.answers.scale.answers:
                allowed = ", ".join(self.answers.scale.answers)
                raise ValueError(f"{self.name} has words for {answer[:40]!r}, which is no answer: there are {allowed}")
            if not words.strip() or len(words) > 1000:
                raise ValueError(f"the words for {answer} of {self.name} must have 1 to 1000 characters")
        return self


class Recipe(Strict):
    """A card of own dimensions. `instructions` are the lead's own words, which come last in the prompt."""

    how: Literal["own"] = "own"
    name: str
    title: str = Field(min_length=1, max_length=80)
    kind: Kind
    dimensions: list[RecipeQuestion] = Field(min_length=1, max_length=MAX_ENTRIES)
    instructions: str = Field(default="", max_length=20_000)

    @model_validator(mode="after")
    def _a_card(self) -> Recipe:
        if not is_card_name(self.name):
            raise ValueError(explain_card_name(self.name))
        if not self.title.strip() or not self.title.isprintable():
            raise ValueError("the title must be one line of text")
        for question in self.dimensions:
            if question.unit not in SORTS_OF[self.kind]:
                unit_names = ", ".join(SORTS_OF[self.kind])
                raise ValueError(f"{question.name} is asked of a {question.unit}, but a {self.kind} has: {unit_names}")
        named = [(question.unit, question.name) for question in self.dimensions]
        if twice := next((pair for pair in named if named.count(pair) > 1), None):
            raise ValueError(f"the dimension {twice[1]} appears twice for the {twice[0]}")
        return self


def check_recipe(data: Any) -> Recipe:
    """A recipe from plain data. Raises BadCard with everything that is wrong with it, in sentences."""
    try:
        return Recipe.model_validate(data)
    except ValidationError as error:
        raise BadCard(" ".join(_sentence(e, data) for e in error.errors(include_url=False))) from None


def _sentence(error: Mapping[str, Any], data: Any) -> str:
    """One of pydantic's errors as a sentence that says where."""
    where = [str(part) for part in error["loc"]]
    message = str(error["msg"]).removeprefix("Value error, ").rstrip(".")
    if where[:1] == ["dimensions"] and len(where) > 1 and where[1].isdigit():
        row = data["dimensions"][int(where[1])]
        name = str(row.get("name") or "").strip()[:_MAX_NAME_CHARACTERS] if isinstance(row, dict) else ""
        inner = " ".join(where[2:])
        place = f"Dimension {int(where[1]) + 1}" + (f" ({name})" if name else "") + (f", {inner}" if inner else "")
    else:
        place = ", ".join(where)
    if error["type"] == "literal_error":
        message = f"use {error['ctx']['expected'].replace(chr(39), '')}"
    elif error["type"] == "string_too_short":
        message = "is empty"
    elif error["type"] == "too_short":
        message = "name at least one dimension"
    sentence = f"{place}: {message}." if place else f"{message[:1].upper()}{message[1:]}."
    return sentence[:1].upper() + sentence[1:]


def find_clashes(recipe: Recipe, known_scales: Mapping[tuple[Kind, str, str], Scale]) -> list[str]:
    """Sentences on names that already have another scale: labels are stored without a card, so a name has one scale.

    `known_scales` are the known scales by (item kind, unit sort, dimension).
    """
    clashes = []
    for question in recipe.dimensions:
        known = known_scales.get((recipe.kind, question.unit, question.name))
        if known is not None and known != question.answers.scale:
            clashes.append(
                f"The name {question.name} is taken: for a {question.unit} it means {known.words} in another card or "
                "version. Labels know no card, so choose another name or that scale."
            )
    return clashes
