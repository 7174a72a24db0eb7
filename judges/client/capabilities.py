"""The way in which one model of one endpoint must be asked: learnt once from its refusals, and stored as a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, get_args

from judges.params import Params
from judges.protocols.call_plan import ChatRequest, Mode

_WEAKER_MODE: dict[Mode, Mode] = {"json_schema": "json_object", "json_object": "text"}
_RENAMED = "max_completion_tokens"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The way to make a model reply in JSON (`mode`), the parameters that it refuses, and its name for `max_tokens`.

    As a text, they are words with the mode first: "json_object no-seed max_completion_tokens".
    """

    mode: Mode = "json_schema"
    without: frozenset[str] = frozenset()
    renamed: bool = False

    @staticmethod
    def from_text(text: str) -> Capabilities:
        """The capabilities that the text describes; the usual ones if it describes none."""
        words = text.split()
        mode: Mode = next((m for m in get_args(Mode) if m in words), "json_schema")
        without = frozenset(word[3:] for word in words if word.startswith("no-"))
        return Capabilities(mode, without, _RENAMED in words)

    def __str__(self) -> str:
        return " ".join([self.mode, *(f"no-{name}" for name in sorted(self.without)), *([_RENAMED] * self.renamed)])

    def weaken(self) -> Capabilities | None:
        """The next weaker way to ask for JSON; None if there is none."""
        weaker = _WEAKER_MODE.get(self.mode)
        return replace(self, mode=weaker) if weaker else None

    def drop_parameter(self, name: str) -> Capabilities:
        """The capabilities without a parameter."""
        return replace(self, without=self.without | {name})

    def body(self, model: str, params: Params, request: ChatRequest) -> dict[str, Any]:
        """The JSON of the call."""
        body: dict[str, Any] = {"model": model, "messages": request.messages}
        body[_RENAMED if self.renamed else "max_tokens"] = params.max_tokens
        if "temperature" not in self.without:
            body["temperature"] = params.temperature if request.temperature is None else request.temperature
        if params.seed is not None and "seed" not in self.without:
            body["seed"] = params.seed
        if params.logprobs and "logprobs" not in self.without:
            body["logprobs"] = True
            if "top_logprobs" not in self.without:
                body["top_logprobs"] = 5
        if request.schema is not None and self.mode == "json_schema":
            name = re.sub(r"[^A-Za-z0-9_-]", "_", request.name)[:64] or "reply"  # what OpenAI takes as a name
            json_schema = {"name": name, "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        elif request.schema is not None and self.mode == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body
