"""The query of an address, read strictly: every name only once, every value as its field defines it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError

from data.exporting.exporting import export_kind
from data.importing.sentences import validation_problems
from judges.strict_json import BadJson, check_value, parse_json
from pages.api.call import ApiRoute
from pages.api.problems import Refusal

_FLAGS = {"true": True, "false": False}
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,18})")
_MAX_PARAMETERS = 200


def read_query(route: ApiRoute, text: bytes) -> tuple[BaseModel, dict[str, Any]]:
    """The query of a route, and the options of the export that it gives. Raises Refusal."""
    try:
        pairs = (
            parse_qsl(text.decode("ascii"), True, True, errors="strict", max_num_fields=_MAX_PARAMETERS) if text else []
        )
        check_value(pairs)
    except BadJson as error:
        raise Refusal(400, f"The query {error}.") from None
    except ValueError:
        wording = "The query of this address cannot be read: write it as name=value&name=value, in UTF-8."
        raise Refusal(400, wording) from None
    options = {option.name: option for option in export_kind(route.kind).options} if route.kind else {}
    known_names = [*route.query.model_fields, *options]
    if unknown := [name for name, _ in pairs if name not in known_names]:
        wording = f"It has: {', '.join(known_names)}." if known_names else "It has none."
        raise Refusal(400, f"This address has no parameter {unknown[0][:60]!r}. {wording}")
    query: dict[str, Any] = {}
    chosen: dict[str, Any] = {}
    for name, value in pairs:
        wording = "" if name in options else str(route.query.model_fields[name].annotation)
        if "list[" in wording:
            query.setdefault(name, []).append(value)
        elif name in query or name in chosen:
            raise Refusal(400, f"{name!r} stands in this address twice.")
        elif name in options:
            chosen[name] = _parse_value(type(options[name].default), name, value)
        else:
            query[name] = _parse_value(bool if "bool" in wording else int if "int" in wording else str, name, value)
    return _validate(route.query, query, "query"), chosen


def _parse_value(sort: type, name: str, value: str) -> Any:
    if sort is bool:
        if value not in _FLAGS:
            raise Refusal(400, f"{name}: {value[:60]!r} is neither true nor false.")
        return _FLAGS[value]
    if sort is int:
        if not _INTEGER.fullmatch(value):
            raise Refusal(400, f"{name}: {value[:60]!r} is no whole number of at most 19 digits.")
        return int(value)
    return value


def read_body(route: ApiRoute, body: bytes) -> BaseModel:
    """The body of a route that takes one, as JSON. Raises Refusal."""
    assert route.body is not None
    try:
        value = parse_json(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refusal(400, "The body is not UTF-8.") from None
    except BadJson as error:
        raise Refusal(400, f"The body {error}.") from None
    if not isinstance(value, dict):
        raise Refusal(400, "The body has to be a JSON object.")
    return _validate(route.body, value, "body")


def _validate(model: type[BaseModel], value: dict[str, Any], where: str) -> BaseModel:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems = " ".join(sentence for _, sentence in validation_problems(error, where))
        raise Refusal(400, f"The {where} cannot be taken. {problems}") from None
