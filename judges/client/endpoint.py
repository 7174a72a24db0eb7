"""An OpenAI-compatible endpoint and its limits. They are no part of a judge's identity and never contain a key."""

from __future__ import annotations

import os

from pydantic import Field, field_validator

from judges.types import Strict

PRACTICE_PREFIX = "practice-"
"""Models of the practice endpoint begin with this: practice, not a language model. No other endpoint may use it."""

SECRET_PREFIXES = ("ASSAY_", "STREAMLIT_", "PG")
"""The prefix of variables that contain the server's own secrets."""


class Endpoint(Strict):
    """An endpoint. The key is read from the environment variable `key_variable` when a call is made.

    base_url "" means OPENAI_BASE_URL or, without it, OpenAI; `api_version` makes it an Azure endpoint. The limits are
    what the endpoint allows (0: not known), `room` the tokens of a call with its reply; `concurrency` is the most calls
    at a time, which adapts downward.
    """

    base_url: str = ""
    key_variable: str = "OPENAI_API_KEY"
    api_version: str = ""
    requests_per_minute: int = Field(default=0, ge=0)
    tokens_per_minute: int = Field(default=0, ge=0)
    room: int = Field(default=0, ge=0)
    concurrency: int = Field(default=32, ge=1, le=1024)
    timeout: float = Field(default=120.0, gt=0, le=3600)
    tries: int = Field(default=6, ge=1, le=20)

    @field_validator("key_variable")
    @classmethod
    def _a_key(cls, value: str) -> str:
        if value.upper().startswith(SECRET_PREFIXES):
            raise ValueError(f"{value} is a setting of the server, and must not be sent to an endpoint")
        return value

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("an address begins with http:// or https://, as in http://127.0.0.1:8000/v1")
        if "@" in value.partition("//")[2].partition("/")[0]:
            raise ValueError("a name or password in the address would be stored: put the key into the environment")
        return value.rstrip("/")

    @property
    def address(self) -> str:
        """The address at which it is called, from itself or from the environment."""
        return self.base_url or os.environ.get("OPENAI_BASE_URL", "").strip().rstrip("/") or "https://api.openai.com/v1"


def is_practice(model: str) -> bool:
    """Whether a model belongs to the practice endpoint: its judges are marked as synthetic everywhere."""
    return model.startswith(PRACTICE_PREFIX)
