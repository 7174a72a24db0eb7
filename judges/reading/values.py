"""The values in a judge's JSON (a word, a score that may be n/a, a text): what is accepted, and the schema.

Words are matched without guessing: "Good" and " good " are good, "N/A" and null are n/a; "4" is no number.
"""

from __future__ import annotations

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


class _OrNa:
    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            lambda value: None if is_na(value) else value, handler(source)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        answer, _ = handler(schema)["anyOf"]
        return {"anyOf": [answer, {"type": "string", "enum": ["n/a"]}]}


OR_NA = _OrNa()
"""Makes `Annotated[T | None, OR_NA]` the type of an answer T or n/a, which is None once it is read.

A schema asks for T or the text "n/a".
"""
TEXT = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""A text; null is none."""
TEXTS = Annotated[list[str], BeforeValidator(lambda value: [] if value is None else value)]
"""A list of texts; null is an empty one."""
