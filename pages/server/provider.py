"""The provider at which people sign in (OpenID Connect), as the environment or `.streamlit/secrets.toml` says it.

Without one, names are taken on trust, so that the server then listens to its own machine only.
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.requests import Request
from streamlit.auth_util import get_secrets_auth_section
from streamlit.web.server.starlette import starlette_websocket as sockets
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from data.records.access import is_switched_on, session_age
from data.records.logins import read_account
from data.store.errors import BadInput, NotAllowed
from data.webhooks.webhooks import allows_private
from pages.server import access

REQUIRED_SETTINGS = ("server_metadata_url", "client_id", "client_secret", "redirect_uri", "cookie_secret")
MIN_SECRET_CHARACTERS = 32
"""Characters of the secret that cookies are signed with."""


def read_secrets() -> dict[str, dict[str, Any]]:
    """The provider that the environment names, as Streamlit takes it; nothing where it names none."""
    settings = {
        "server_metadata_url": _setting("ASSAY_OIDC_METADATA_URL"),
        "client_id": _setting("ASSAY_OIDC_CLIENT_ID"),
        "client_secret": _setting("ASSAY_OIDC_CLIENT_SECRET"),
        "redirect_uri": _setting("ASSAY_OIDC_REDIRECT_URL"),
        "cookie_secret": _setting("ASSAY_OIDC_COOKIE_SECRET"),
    }
    if not any(settings.values()):
        return {}
    return {"auth": {**settings, "client_kwargs": {"scope": _setting("ASSAY_OIDC_SCOPE") or "openid email profile"}}}


def _setting(name: str) -> str:
    return os.environ.get(name, "").strip()


def is_set() -> bool:
    """Whether people sign in at a provider here."""
    return bool(get_secrets_auth_section())


def cookie_claims(request: Request) -> dict[str, Any]:
    """Return the provider's claims about the sender of a request, from the signed cookie; empty without valid ones."""
    raw = sockets._get_signed_cookie_with_chunks(request.cookies, USER_COOKIE_NAME)
    try:
        claims = json.loads(raw or b"{}")
    except (ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}


def cookie_login(request: Request) -> str:
    """The key of the sign-in whose cookie a request brings; "" for none."""
    try:
        return read_account(cookie_claims(request)).key
    except NotAllowed:
        return ""


def check_settings() -> None:
    """Raise BadInput where people could not sign in, anybody who reaches the server could, or a setting cannot be."""
    session_age()
    allows_private()
    trusted, auth = is_switched_on("ASSAY_TRUST_NETWORK"), get_secrets_auth_section()
    if not auth:
        address = str(st.get_option("server.address") or "")
        if address.lower() not in access.LOCAL_HOSTS and not trusted:
            raise BadInput(
                f"Assay would listen on {address or 'every address'} without checking names, because no sign-in "
                "provider is set. Set one (ASSAY_OIDC_..., docs/operation.md), listen on 127.0.0.1, or set "
                "ASSAY_TRUST_NETWORK=1 if something in front of Assay checks who signs in."
            )
        return
    if lacking := [name for name in REQUIRED_SETTINGS if not str(auth.get(name, "")).strip()]:
        raise BadInput(
            f"The sign-in provider lacks {', '.join(lacking)}: set the variables ASSAY_OIDC_... (docs/operation.md), "
            "or these in [auth] of .streamlit/secrets.toml."
        )
    if len(str(auth["cookie_secret"])) < MIN_SECRET_CHARACTERS:
        raise BadInput(
            f"The cookie secret of the sign-in is too short: give {MIN_SECRET_CHARACTERS} random characters or more."
        )
    back = urlsplit(str(auth["redirect_uri"]).replace("{port}", str(st.get_option("server.port"))))
    if back.scheme not in ("http", "https") or not back.hostname or not back.path.endswith("/oauth2callback"):
        raise BadInput(
            "The provider's redirect address (ASSAY_OIDC_REDIRECT_URL) must be this server's own, and end with "
            "/oauth2callback, such as https://assay.example.org/oauth2callback."
        )
    if back.scheme == "http" and back.hostname not in access.LOCAL_HOSTS:
        raise BadInput(
            "The provider's redirect address (ASSAY_OIDC_REDIRECT_URL) must use https: otherwise cookies could be read "
            "on the way."
        )
    if st.get_option("server.trustedUserHeaders"):
        raise BadInput(
            "server.trustedUserHeaders is set: then a header, and not the provider, says who signs in. Remove it."
        )
