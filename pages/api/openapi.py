"""The description of the API as OpenAPI 3.1, made of the table and of the models."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pydantic import BaseModel

from data.exporting.exporting import export_kind
from data.exporting.kind import ExportOption
from data.records.tokens import SCOPES
from judges.version import VERSION
from pages.api.call import ApiRoute
from pages.api.models import Problem
from pages.api.routes import PREFIX, ROUTES
from pages.server.problems import MEDIA_TYPE

JSON_LINES_TYPE = "application/x-ndjson"
_REF = "#/components/schemas/{model}"
_REFUSALS = {
    400: "What was asked cannot be taken.",
    401: "There is no token, or it does not hold.",
    403: "The token, or its person's role, does not allow this.",
    404: "Nothing is there under that name.",
    408: "The body took too long to come.",
    409: "The idempotency key was used for another request, or for one that is still in progress.",
    413: "The body is too long.",
    415: "This type of body is not accepted.",
    422: "Lines cannot be imported: which, and why.",
    429: "Too many requests. Retry-After says when to retry.",
    503: "The store cannot be used at the moment, or too many requests are waiting. Retry-After says when to retry.",
}
_ALWAYS, _ABOUT, _BODIES = (401, 403, 429, 503), (400, 404), (400, 408, 413, 415)


@cache
def document() -> dict[str, Any]:
    """The whole description."""
    models = {model for route in ROUTES for model in (route.gives, route.body) if model is not None} | {Problem}
    schemas: dict[str, Any] = {}
    for model in sorted(models, key=lambda m: m.__name__):
        schema = model.model_json_schema(ref_template=_REF, mode="serialization")
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(PREFIX + route.path, {})[route.method.lower()] = _operation(route)
    scopes = "; ".join(f"`{name}`: {meaning}" for name, meaning in SCOPES.items())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Assay", "version": VERSION,
            "description": f"LLM judges against human gold. A token is made on the page Your labels. Scopes: {scopes}.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }  # fmt: skip


def _operation(route: ApiRoute) -> dict[str, Any]:
    gives = {"application/json": {"schema": _ref(route.gives)}}
    if route.kind:
        gives[JSON_LINES_TYPE] = {"schema": {"type": "string"}}
    refusals = {*_ALWAYS, *_ABOUT, *(_BODIES if route.method == "POST" else ()), *((409, 422) if route.lines else ())}
    refusals |= {409} if route.body else set()
    answers: dict[str, Any] = {"200": {"description": route.gives.__doc__, "content": gives}}
    if route.keeps_still:
        answers["304"] = {"description": "Nothing has changed since the ETag that If-None-Match names."}
    problem = {MEDIA_TYPE: {"schema": _ref(Problem)}}
    answers |= {str(code): {"description": _REFUSALS[code], "content": problem} for code in sorted(refusals)}
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.description,
        "description": f"Scope {f'`{route.scope}`' if route.scope else 'any'}, from the role {route.role}.",
        "parameters": parameters(route),
        "responses": answers,
    }
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": _ref(route.body)}}}
    if route.lines:
        description = "One JSON object per line, or a JSON list of objects, as described in docs/formats.md."
        operation["requestBody"] = {
            "required": True, "description": description,
            "content": {
                JSON_LINES_TYPE: {"schema": {"type": "string"}},
                "application/json": {"schema": {"type": "array", "items": {"type": "object"}}},
            },
        }  # fmt: skip
    return operation


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=model.__name__)}


def parameters(route: ApiRoute) -> list[dict[str, Any]]:
    """Those of the path, the query and the headers."""
    entries = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    query_schema = route.query.model_json_schema()
    for name, schema in query_schema.get("properties", {}).items():
        plain = _without_null({key: value for key, value in schema.items() if key not in ("title", "description")})
        entries.append(_in_query(name, plain, schema.get("description", ""), name in query_schema.get("required", ())))
    if route.kind:
        entries += [_of_option(option) for option in export_kind(route.kind).options]
    if route.method == "POST":
        description = "A repeated request with the same key gets the same answer and is not carried out again."
        schema = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"^[!-~]+$"}
        entries.append({"name": "Idempotency-Key", "in": "header", "description": description, "schema": schema})
    return entries


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query has no null: what may be null is left out."""
    variants = [variant for variant in schema.pop("anyOf", ()) if variant.get("type") != "null"]
    schema |= variants[0] if variants else {}
    if schema.get("default", ...) is None:
        del schema["default"]
    return schema


def _in_query(name: str, schema: dict[str, Any], description: str, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "description": description, "schema": schema}


def _of_option(option: ExportOption) -> dict[str, Any]:
    types = {bool: "boolean", int: "integer", str: "string"}
    schema = {"type": types[type(option.default)], "default": option.default}
    return _in_query(option.name, schema, option.help)
