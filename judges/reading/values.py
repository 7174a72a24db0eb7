"""The values in a judge's JSON (a word, a score that may be n/a, a text): what is accepted, and the schema.

Words are matched without guessing: "Good" and " good " are good, "N/A" and null are n/a; "4" is no number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

_NA = ("n/a", "na")


def fold(value: Any) -> Any:
    """A text without space around it, in lower case; anything else as it is."""
    return value.strip().casefold() if isinstance(value, str) else value


def is_na(value: Any) -> bool:
    """Whether a value says n/a, as people's answers do too (types.Scale.code): "n/a" or "na" in any case, or null."""
    return value is None or fold(value) in _NA


@dataclass(frozen=True)
class OrNa:
    """Makes `Annotated[int | None, OrNa(1, 5)]` the type of a score of lo..hi, or n/a, which is None once it is read.

    A schema asks for a whole number or the text "n/a".
    """

    lo: int
    hi: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        score = core_schema.nullable_schema(core_schema.int_schema(ge=self.lo, le=self.hi, strict=True))
        return core_schema.no_info_before_validator_function(lambda value: None if is_na(value) else value, score)

    def __get_pydantic_json_schema__(self, _: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        number = {"type": "integer", "minimum": self.lo, "maximum": self.hi}
        return {"anyOf": [number, {"type": "string", "enum": ["n/a"]}]}


TEXT = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""A text; null is none."""
TEXTS = Annotated[list[str], BeforeValidator(lambda value: [] if value is None else value)]
"""A list of texts; null is an empty one."""
