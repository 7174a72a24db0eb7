"""Errors of an endpoint, classified: fatal for the run, temporary, of a single call, or about a parameter.

The wordings are those of OpenAI, Azure, vLLM, Ollama, llama.cpp and the proxies in front of them; no two agree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import quote

from judges.client.capabilities import Capabilities
from judges.errors import AssayError
from judges.params import Params
from judges.types import UnscoredReason

Sort = Literal["rate", "timeout", "server", "broken", "connection"]


class FatalError(AssayError):
    """Nothing more can be asked of this endpoint: a wrong key, address or model, or no money left."""


class TransientError(Exception):
    """A failure that may pass. `headers` may say when to try again; `charged`: the call may have cost something."""

    def __init__(
        self, sort: Sort, why: str, headers: Mapping[str, str] | None = None, status: int = 0, charged: bool = False
    ) -> None:
        super().__init__(why)
        self.sort, self.why, self.headers, self.status, self.charged = sort, why, headers or {}, status, charged


class CallError(Exception):
    """A failure of this one call that a retry would not change: a refusal, or a prompt that is too long."""

    def __init__(self, unscored: UnscoredReason, why: str) -> None:
        super().__init__(why)
        self.unscored, self.why = unscored, why


class ParameterRefused(Exception):
    """The endpoint refuses a parameter: make the call again without it. The message says so in words."""

    def __init__(self, capabilities: Capabilities, why: str) -> None:
        super().__init__(why)
        self.capabilities, self.why = capabilities, why


@dataclass(frozen=True, slots=True)
class CallContext:
    """The request and its endpoint, in the words of messages. `proven`: this endpoint has answered properly before."""

    where: str
    model: str
    params: Params
    key_variable: str
    key: str
    capabilities: Capabilities
    proven: bool = True


_KEY = re.compile(r"\bsk-[\w\-*.]{6,}[\w*]|(?<=Bearer )[\w\-*.]{8,}[\w*]")


def redact(text: str, key: str) -> str:
    """The text without the key, however it is written, and without anything else that looks like one."""
    if len(key) >= 4:
        for spelling in {key, quote(key, safe=""), json.dumps(key)[1:-1]}:
            text = text.replace(spelling, "[key]")
    return _KEY.sub("[key]", text)


def error_message(body: str, key: str) -> str:
    """Return the message in the body of an error, without the key, on one line of at most 300 characters."""
    text = " ".join(redact(_message(_json(body)) or body, key).split())
    return text if len(text) <= 300 else text[:297] + "..."


def is_web_page(body: str) -> bool:
    """Whether a body is a web page, which means that the address is not an API."""
    return body[:300].lstrip().lower().startswith(("<!doctype", "<html", "<head", "<body", "<?xml", "<"))


def classify_error(status: int, headers: Mapping[str, str], body: str, call: CallContext) -> Exception:
    """The error for an answer with an error status: FatalError, TransientError, CallError or ParameterRefused."""
    data = _json(body)
    code, words = _codes(data), (_message(data) or ("" if is_web_page(body) else body))[:4000].lower()
    reason = error_message("a web page" if is_web_page(body) else body, call.key) or "no reason given"
    if status == 402 or _shows("no money", code, words):
        return FatalError(
            f"{call.where} has no money left for this key ({status}: {reason}). Top up, then resume the run."
        )
    if status == 429:
        return TransientError("rate", f"turned away (429: {reason})", headers, status)
    if status in (408, 409, 425) or status >= 500:
        sort: Sort = "timeout" if status in (408, 504) else "server"
        return TransientError(sort, f"the endpoint failed ({status}: {reason})", headers, status, charged=status == 504)
    if _shows("filtered", code, words):
        return CallError("refused", f"the endpoint's filter refused the call ({status}: {reason})")
    if status in (401, 403):
        named = call.key_variable or "a variable with its key, and name it"
        advice = f"set {named} to a key that it takes" if call.key else f"set {named}"
        complaint = f"refuses the key in {call.key_variable}" if call.key else "wants a key"
        return FatalError(f"{call.where} {complaint} ({status}: {reason}). In the environment, {advice}.")
    if _shows("too long", code, words):
        return CallError("api_error", f"the call does not fit the model's context ({status}: {reason})")
    about_model = "model" in words and status in (400, 404, 422)
    if _shows("no model", code, words if about_model else ""):
        return FatalError(f"{call.where} has no model {call.model!r} ({status}: {reason}). Check the model's name.")
    if status in (400, 422):
        return _parameter(status, data, words, reason, call) or CallError("api_error", f"refused ({status}: {reason})")
    if status in (404, 405) or 300 <= status < 400:
        if call.proven:
            return TransientError("server", f"the endpoint failed ({status}: {reason})", headers, status)
        return FatalError(
            f"{call.where} is no OpenAI-compatible API ({status}: {reason}). Check the base URL; most end in /v1."
        )
    return CallError("api_error", f"refused ({status}: {reason})")


def _json(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _message(data: Any) -> str:
    """The message of an error's JSON in any of the usual shapes; "" where there is none."""
    if not isinstance(data, dict):
        return ""
    for key in ("error", "message", "detail", "errors", "msg"):
        value = data.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, dict) and (inner := _message(value)):
            return inner
        if isinstance(value, list):  # FastAPI: where and what, without the input, which holds the whole call
            messages = [f"{_place(p.get('loc'))}: {p.get('msg', '')}" for p in value[:5] if isinstance(p, dict)]
            if messages:
                return "; ".join(messages)
    return ""


def _place(loc: Any) -> str:
    return ".".join(map(str, loc)) if isinstance(loc, list) else str(loc or "")


def _codes(data: Any) -> str:
    """Code, type and parameter of an error's JSON, in lower case, joined by spaces."""
    inner = data.get("error", data) if isinstance(data, dict) else None
    if not isinstance(inner, dict):
        return ""
    values = [inner.get(name) for name in ("code", "type", "param")]
    more = inner.get("innererror")
    values += [more.get("code")] if isinstance(more, dict) else []
    return " ".join(str(v).lower() for v in values if v)


_SIGNS = {
    # Some endpoints say "exceeded your current quota" for a rate limit per minute too, which passes.
    "no money": (
        "insufficient_quota|billing_hard_limit|billing_not_active|insufficient_user_quota",
        "insufficient balance|insufficient credit|insufficient_quota",
    ),
    "filtered": (
        "content_filter|content_policy|responsibleai|invalid_prompt",
        "content management policy|content_filter|flagged|moderation",
    ),
    "too long": (
        "context_length_exceeded|exceed_context|string_above_max_length",
        "maximum context length|context length|context size|context window|prompt is too long|too many tokens"
        "|maximum input length|input is too long|max_model_len|exceeds the available",
    ),
    "no model": (
        "model_not_found|deploymentnotfound|invalid_model|unknown_model",
        "not found|does not exist|not a valid model|invalid model|unknown model|no such model|not supported model"
        "|model is not available|no endpoints found",
    ),
}
"""What shows each error: (in its code, in its message)."""
_PARAMETERS = {
    "response_format": "response_format|json_schema|json schema|json mode|json_object|structured output|grammar|guided"
    "|invalid schema|'json'|text.format",
    "logprobs": "logprobs",
    "seed": "seed",
    "max_tokens": "max_completion_tokens|max_tokens",
    "temperature": "temperature",
}
"""What shows that an error is about a parameter."""


def _shows(sign: str, code: str, words: str) -> bool:
    in_code, in_words = _SIGNS[sign]
    return bool(re.search(in_code, code) or re.search(in_words, words))


def _parameter(status: int, data: Any, words: str, reason: str, call: CallContext) -> Exception | None:
    """Return the exception for a parameter that the endpoint refuses; None if it names no parameter that was given."""
    inner = data.get("error") if isinstance(data, dict) else None
    param = str(inner.get("param") or "").lower() if isinstance(inner, dict) else ""
    capabilities, params = call.capabilities, call.params
    in_param, in_words = ([n for n, signs in _PARAMETERS.items() if re.search(signs, text)] for text in (param, words))
    for name in in_param or in_words:
        if name in capabilities.without:
            continue
        if name == "response_format" and (weaker := capabilities.weaken()):
            instead = f"{call.model} does not take {capabilities.mode} here, so {weaker.mode} is used"
            return ParameterRefused(weaker, instead)
        if name == "logprobs" and params.logprobs:
            fewer = "top_logprobs" in words and "top_logprobs" not in capabilities.without
            left = "top_logprobs" if fewer else "logprobs"
            lacking = f"{call.model} gives no {left}: asked without ({status}: {reason})"
            return ParameterRefused(capabilities.drop_parameter(left), lacking)
        if name == "seed" and params.seed is not None:
            lacking = f"{call.model} takes no seed: asked without, so repeats may differ"
            return ParameterRefused(capabilities.drop_parameter("seed"), lacking)
        if name == "max_tokens":
            if not capabilities.renamed and "max_completion_tokens" in words:
                other_name = f"{call.model} calls max_tokens max_completion_tokens: asked so"
                return ParameterRefused(replace(capabilities, renamed=True), other_name)
            return FatalError(
                f"{call.where} does not take max_tokens {params.max_tokens} ({status}: {reason}). Set another."
            )
        if name == "temperature":
            if params.temperature == 1:  # the default of the API: left out, it is what was asked for
                own_only = f"{call.model} takes no temperature but its own, which is 1"
                return ParameterRefused(capabilities.drop_parameter("temperature"), own_only)
            return FatalError(
                f"{call.model} does not take temperature {params.temperature:g} ({status}: {reason}). Set it to 1: "
                "that is another judge, whose scores vary from call to call, so take several samples."
            )
    return None
