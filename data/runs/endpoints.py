"""The endpoints that runs ask: the practice one here, the usual one, and others; a team's server asks only listed ones.

Without the list anybody who may start runs could make the server send its keys, and what only it can reach, anywhere.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

from pydantic import ValidationError

from data.store.errors import BadInput, NotAllowed
from judges.client.client import Client
from judges.client.endpoint import Endpoint, is_practice

_practice = ""
_listed: list[Endpoint] | None = None


def read_environment(team: bool) -> None:
    """Take from the environment which endpoints this process asks: of a team, the usual one and those of the list.

    Otherwise whichever a person names, unless there is a list. Raises BadInput.
    """
    global _listed
    entries = [part.split() for part in os.environ.get("ASSAY_ENDPOINTS", "").split(",") if part.strip()]
    try:
        endpoints = [Endpoint(base_url=at, key_variable=" ".join(key)) for at, *key in entries]
    except ValidationError as error:
        raise BadInput(f"ASSAY_ENDPOINTS: {error.errors()[0]['msg'].removeprefix('Value error, ')}.") from None
    if wrong := [key for _, *key in entries if len(key) > 1 or not all(word.isidentifier() for word in key)]:
        raise BadInput(f"ASSAY_ENDPOINTS has {' '.join(wrong[0])!r} as a variable: write URL VARIABLE, URL VARIABLE.")
    _listed = [Endpoint(), *endpoints] if team or endpoints else None


def allowed_endpoints() -> list[Endpoint] | None:
    """The endpoints that may be asked besides the practice endpoint, the usual one first; None: all."""
    return _listed


def settle(endpoint: Endpoint) -> Endpoint:
    """An endpoint with the key that the list has for its address. Raises NotAllowed where it may not be asked so."""
    if _listed is None or is_practice_here(endpoint):
        return endpoint
    where, usual = endpoint.address, Endpoint().key_variable
    keys = [listed.key_variable for listed in _listed if listed.address == where]
    if not keys:
        raise NotAllowed(
            f"{where} is not one of the endpoints that this server may use. Whoever operates Assay can add it to "
            "ASSAY_ENDPOINTS."
        )
    if endpoint.key_variable in keys:
        return endpoint
    if endpoint.key_variable == usual:
        return endpoint.model_copy(update={"key_variable": keys[0]})
    raise NotAllowed(f"The key in {endpoint.key_variable} is not used for {where} here. Leave the key's name out.")


def open_client(
    endpoint: Endpoint, model: str = "", known_capabilities: MutableMapping[str, str] | None = None
) -> Client:
    """A client of an endpoint that may be asked; runs have no other. Raises NotAllowed, FatalError."""
    return Client(settle(endpoint), model, known_capabilities)


def practice_url() -> str:
    """The address of the practice endpoint, which is started in this process when it is first asked for."""
    global _practice
    from judges.practice.background import start_endpoint

    _practice = start_endpoint().url
    return _practice


def is_practice_here(endpoint: Endpoint) -> bool:
    """Whether this is the practice endpoint of this process."""
    return bool(_practice) and endpoint.base_url == _practice


def usual_address(model: str) -> str:
    """Return a model's default address: here for practice models unless OPENAI_BASE_URL is set, else "" (usual one)."""
    elsewhere = os.environ.get("OPENAI_BASE_URL", "").strip()
    return practice_url() if is_practice(model) and not elsewhere else ""
