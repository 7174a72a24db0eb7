"""Mappings as texts: their JSON, the values that a person types, and the name under which a mapping is kept."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import ValidationError

from data.importing.sentences import validation_problems
from data.store.errors import BadInput
from data.store.ids import content_id
from judges.importing.mapping import ColumnMapping

SCOPE = "mapping"
"""The scope of the settings under which mappings are kept."""


def mapping_key(columns: Collection[str]) -> str:
    """The name under which the mapping of tables with these columns is kept, whatever fields the objects in them have.
    """
    names = set(columns)
    fields = {name for name in names if any(name[:at] in names for at, sign in enumerate(name) if sign == ".")}
    return content_id(sorted(names - fields))


def parse_mapping(text: str) -> ColumnMapping:
    """A mapping from its JSON. Raises BadInput with everything that is wrong with it."""
    try:
        return ColumnMapping.model_validate_json(text, strict=True)
    except ValidationError as error:
        message = " ".join(sentence for _, sentence in validation_problems(error, "mapping"))
        raise BadInput(f"The mapping cannot be read. {message}") from None


def format_values(values: dict[str, str]) -> str:
    """The meaning of cells as a person types it: `0 = tie, 1 = a, 2 = b`."""
    return ", ".join(f"{cell} = {meaning}" for cell, meaning in values.items())


def parse_values(text: str) -> dict[str, str]:
    """The meaning of cells from `0 = tie, 1 = a`. Raises BadInput for what is not of that form."""
    values: dict[str, str] = {}
    for part in filter(str.strip, text.split(",")):
        cell, sign, meaning = part.partition("=")
        if not sign or not meaning.strip():
            raise BadInput(f"{part.strip()[:60]!r} says no meaning. Write pairs such as 0 = tie, 1 = a, 2 = b.")
        values[cell.strip()] = meaning.strip()
    return values
