"""The reply of a custom card: its pydantic model by sort of unit, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model
from pydantic_core import PydanticCustomError

from judges.reading.schema import describe_span
from judges.reading.values import OR_NA, TEXT, fold, is_na
from judges.sections import section_numbers
from judges.types import Dialogue, Dimension, Pair, Reading, Remark, Response, Scale, Score, Strict

Item = Dialogue | Pair | Response


class _DimensionObject(Strict):
    """An object whose keys are the names of dimensions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, serialize_by_alias=True)


def _value(scale: Scale) -> Any:
    """The type of one answer in a reply; None is n/a once it is read."""
    if scale.has_categories:
        words: Any = Literal[scale.categories]
        if not scale.na:
            return Annotated[words, BeforeValidator(fold)]
        schema = {"type": "string", "enum": [*scale.categories, "n/a"]}
        return Annotated[words | None, BeforeValidator(lambda v: None if is_na(v) else fold(v)), WithJsonSchema(schema)]
    plain: Any = bool
    if scale.kind == "ordinal":
        plain = Annotated[int, Field(ge=int(scale.lo), le=int(scale.hi))]
    elif scale.kind == "interval":
        # Steps are counted from the lower end, which no schema can say: words do.
        span = WithJsonSchema({"type": "number", "description": describe_span(scale.lo, scale.hi, scale.step)})
        on_scale = AfterValidator(partial(_require_on_scale, scale))
        plain = Annotated[float, on_scale] if scale.na else Annotated[float, Field(ge=scale.lo, le=scale.hi), on_scale]
        plain = Annotated[plain, span] if scale.na or scale.step else plain
    return Annotated[plain | None, OR_NA] if scale.na else plain


def _require_on_scale(scale: Scale, value: float) -> float:
    if not (scale.lo <= value <= scale.hi and scale.on_step(value)):
        raise PydanticCustomError("off_scale", "input should be {allowed}", {"allowed": scale.words})
    return value


def _names(title: str, dimensions: Iterable[Dimension], noted: bool) -> type[BaseModel]:
    """An object with a key for each dimension: its answer, or `noted` an object of score and note.

    Keys are aliases: a dimension may be called what a pydantic model already has (copy, schema).
    """
    keys: dict[str, Any] = {}
    for number, dimension in enumerate(dimensions):
        kind = _value(dimension.scale)
        if noted:
            kind = create_model("Noted", __base__=Strict, score=(kind, ...), note=(TEXT, ""))
        keys[f"d{number}"] = (kind, Field(alias=dimension.name))
    return create_model(title, __base__=_DimensionObject, **keys)


def reply_model(dimensions: tuple[Dimension, ...]) -> type[BaseModel]:
    """The model of the judge's JSON: a key for each sort of unit that is asked about."""

    def of(sort: str) -> list[Dimension]:
        return [d for d in dimensions if d.sort == sort]

    keys: dict[str, Any] = {}
    if turn := of("turn"):
        scores = _names("TurnScores", turn, noted=False)
        entry = create_model(
            "PerTurn", __base__=Strict, turn=(Annotated[int, Field(ge=1)], ...), scores=(scores, ...), note=(TEXT, "")
        )
        keys["per_turn"] = (list[entry], ...)  # type: ignore[valid-type]
    if section := of("section"):
        side = _names("SectionScores", section, noted=False)
        entry = create_model(
            "PerSection",
            __base__=Strict,
            section_label=(str, ...),
            response_a=(side | None, ...),
            response_b=(side | None, ...),
            note=(TEXT, ""),
        )
        keys["sections"] = (list[entry], ...)  # type: ignore[valid-type]
    if sides := of("side"):
        side_scores = _names("SideScores", sides, noted=True)
        keys["responses"] = (
            create_model("Responses", __base__=Strict, response_a=(side_scores, ...), response_b=(side_scores, ...)),
            ...,
        )
    for sort in ("conversation", "pair", "response"):
        if sort_dimensions := of(sort):
            keys[sort] = (_names(sort.capitalize(), sort_dimensions, noted=True), ...)
    return create_model("Reply", __base__=Strict, **keys)


def reply_reader(dimensions: tuple[Dimension, ...]) -> Callable[[Any, Item], Reading]:
    """A function that turns a valid reply for one item into scores and remarks."""

    def read(model: Any, item: Item) -> Reading:
        return _ReplyReader(dimensions, item).read(model.model_dump(by_alias=True))

    return read


class _ReplyReader:
    """One reply on its way to a reading."""

    def __init__(self, dimensions: tuple[Dimension, ...], item: Item) -> None:
        self.dimensions, self.item = dimensions, item
        self.scores: list[Score] = []
        self.remarks: list[Remark] = []

    def read(self, data: dict[str, Any]) -> Reading:
        for key, work in (("per_turn", self._turns), ("sections", self._sections)):
            if key in data and (fault := work(data[key])):
                return fault
        for side in ("a", "b"):
            if "responses" in data:
                self._add_with_notes(f"response/{side}", "side", data["responses"][f"response_{side}"])
        for unit in ("conversation", "pair", "response"):
            if unit in data:
                self._add_with_notes(unit, unit, data[unit])
        return Reading(tuple(self.scores), tuple(self.remarks))

    def _add(self, unit: str, sort: str, name: str, value: Any) -> None:
        scale = next(d.scale for d in self.dimensions if d.sort == sort and d.name == name)
        self.scores.append(Score(unit, name, scale.code(value)))

    def _add_with_notes(self, unit: str, sort: str, answers: dict[str, Any]) -> None:
        for name, answer in answers.items():
            self._add(unit, sort, name, answer["score"])
            self._note(unit, name, answer["note"])

    def _note(self, unit: str, name: str, text: str) -> None:
        if text.strip():
            self.remarks.append(Remark(unit, name, "note", text.strip()))

    def _turns(self, entries: list[dict[str, Any]]) -> Reading | None:
        assert isinstance(self.item, Dialogue)
        turns = self.item.assistant_turns
        by_turn = {entry["turn"]: entry for entry in entries}
        if len(by_turn) != len(entries):
            return Reading(unscored="unreadable", why="a turn is scored twice")
        if missing := [str(t) for t in turns if t not in by_turn]:
            return Reading(unscored="incomplete", why=f"no scores for assistant turn {', '.join(missing)}")
        for turn in turns:
            for name, value in by_turn[turn]["scores"].items():
                self._add(f"turn:{turn}", "turn", name, value)
            self._note(f"turn:{turn}", "", by_turn[turn]["note"])
        if invented := [str(t) for t in sorted(set(by_turn) - set(turns))]:
            text = f"scores turn {', '.join(invented)}, which is no assistant turn"
            self.remarks.append(Remark("conversation", "", "rule", text))
        return None

    def _sections(self, entries: list[dict[str, Any]]) -> Reading | None:
        assert isinstance(self.item, Pair)
        known = section_numbers([section.label for section in self.item.sections or []])
        by_number: dict[int, dict[str, Any]] = {}
        for entry in entries:
            number = known(entry["section_label"])
            if number is None:
                text = f"judges {entry['section_label'][:80]!r}, which is not in the list of sections"
                self.remarks.append(Remark("pair", "", "rule", text))
            elif number in by_number:
                return Reading(unscored="unreadable", why=f"section {entry['section_label'][:80]!r} is judged twice")
            else:
                by_number[number] = entry
        for number, section in enumerate(self.item.sections or [], 1):
            for side in ("a", "b"):
                scores = (by_number.get(number) or {}).get(f"response_{side}")
                if getattr(section, side) is None:
                    if scores is not None:
                        text = f"missing section: scores {section.label[:80]!r}, which response {side.upper()} lacks"
                        self.remarks.append(Remark(f"response/{side}", "", "rule", text))
                    continue
                if scores is None:
                    why = f"no scores for section {section.label[:80]!r} of response {side.upper()}"
                    return Reading(unscored="incomplete", why=why)
                for name, value in scores.items():
                    self._add(f"section:{number}/{side}", "section", name, value)
            # A note to a section is about both sides; it is kept at the first that has it.
            side = "a" if section.a is not None else "b"
            self._note(f"section:{number}/{side}", "", by_number.get(number, {}).get("note", ""))
        return None
