"""The endpoint of a new run: the practice endpoint, the usual one or another address, and the models it has."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeVar

import streamlit as st
from pydantic import BaseModel, ValidationError
from streamlit.delta_generator import DeltaGenerator

from data.runs import dry_runs
from data.runs.endpoints import allowed_endpoints, practice_url
from judges.client.endpoint import Endpoint
from judges.errors import AssayError
from pages.ui import session, text, url_state

Model = TypeVar("Model", bound=BaseModel)
PRACTICE, USUAL, OTHER = "practice", "usual", "other"
USUAL_PRACTICE = "practice-heuristic"
KEY = "Variable that holds the key"
NO_KEY = (
    "Keys are never typed into a page. If this endpoint wants one, end Assay and start it again with "
    "**{name}=** and your key before `make run`. The practice endpoint needs none."
)
NO_KEY_HERE = "Whoever operates Assay sets **{name}** on the server. The practice endpoint needs no key."
HELP = {
    "room": "The most tokens that a call and its reply may have together. Longer calls are listed before they are paid "
    "for. 0: the value in the price list.",
    "key": "The name of an environment variable of the server. The key itself is never typed into a page, nor stored.",
}


def choose_place() -> str:
    """The practice endpoint, the usual one, and another address or those that the operator has listed."""
    options = {PRACTICE: "Practice (fixed rules)", USUAL: os.environ.get("OPENAI_BASE_URL", "").strip() or "OpenAI"}
    options |= {OTHER: "Another address"} if allowed_endpoints() is None else {name: name for name in _further()}
    return url_state.select("endpoint", "Endpoint", options, default=PRACTICE)


def _further() -> dict[str, Endpoint]:
    """The endpoints of the operator's list beside the usual one, by how they are shown."""
    return {
        f"{endpoint.base_url} {endpoint.key_variable}".strip(): endpoint for endpoint in (allowed_endpoints() or [])[1:]
    }


def choose_endpoint(chosen: str) -> Endpoint | None:
    """Return the endpoint of a model. Keys come from the environment of the server, and are never typed into a page."""
    if chosen == PRACTICE:
        return Endpoint(base_url=practice_url())
    if chosen == USUAL:
        return Endpoint()
    left, middle, right, last = st.columns([2, 1, 1, 1])
    if chosen == OTHER:
        address = left.text_input("Address", key="runs:url", placeholder="http://127.0.0.1:8000/v1").strip()
        variable = middle.text_input(KEY, "OPENAI_API_KEY", key="runs:variable", help=HELP["key"]).strip()
    else:
        of = _further()[chosen]
        address = left.text_input("Address", of.base_url, disabled=True)
        variable = middle.text_input(KEY, of.key_variable, disabled=True, placeholder="none")
    version = right.text_input("Azure API version", key="runs:azure", placeholder="not Azure")
    room = last.number_input("Tokens of a call", 0, 100_000_000, 0, step=1024, key="runs:room", help=HELP["room"])
    if not address:
        st.caption("Give the address of an OpenAI-compatible endpoint; its models are listed then.")
        return None
    return validate_form(Endpoint, {
        "base_url": address, "key_variable": variable, "api_version": version.strip(), "room": int(room),
    })  # fmt: skip


def list_models(at: Endpoint, refusals: DeltaGenerator) -> list[str] | None:
    """The models that an endpoint lists; None where it cannot be asked, which is said in `refusals`."""
    cache: dict[str, list[str]] = session.scratch("runs:models")
    cache_key = f"{at.key_variable} {at.base_url}"
    if cache_key not in cache:
        try:
            cache[cache_key] = dry_runs.list_models(at)
        except AssayError as error:
            with refusals:
                text.refuse(error)
                if at.key_variable and not os.environ.get(at.key_variable, "").strip():
                    text.say(NO_KEY if allowed_endpoints() is None else NO_KEY_HERE, name=at.key_variable)
            return None
    return cache[cache_key]


def validate_form(model_of: type[Model], values: Mapping[str, Any]) -> Model | None:
    """A model of the values; None, with a sentence for each fault, where they are wrong."""
    try:
        return model_of(**values)
    except ValidationError as error:
        for fault in error.errors():
            text.warn("{field}: {fault}.", field=fault["loc"][-1], fault=fault["msg"].removeprefix("Value error, "))
        return None
