"""A request's body turned into a completion's body, or into a refusal as an OpenAI-compatible endpoint words it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from judges.practice import completion
from judges.practice.answer import answer_message
from judges.practice.completion import Reply, completion_choice, count_tokens, reply_text, spell_tokens, unix_seconds
from judges.practice.family import FAMILIES, OWNER, PracticeJudge
from judges.practice.mtbench import reply_without_fence
from judges.practice.options import PracticeOptions
from judges.protocols.messages import read_fence

_MAX_TOKENS = ("max_completion_tokens", "max_tokens")


class ErrorReply(Exception):
    """A request that is answered with an error status."""

    def __init__(self, status: int, message: str, kind: str, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.error = {"error": {"message": message, "type": kind, "param": param, "code": code}}


def bad_request(message: str, param: str | None = None, code: str | None = None) -> ErrorReply:
    """A refusal with status 400."""
    return ErrorReply(400, message, "invalid_request_error", code, param)


def last_message(body: dict[str, Any]) -> str:
    """The text of the last user message. Raises ErrorReply where there is none."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise bad_request("'messages' must be a list with at least one message.", "messages")
    for message in reversed(messages):
        if not isinstance(message, dict):
            break
        if message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, list):
                content = "".join(str(p.get("text", "")) for p in content if isinstance(p, dict))
            if isinstance(content, str):
                return content
            break
    raise bad_request("There is no user message with a text among 'messages'.", "messages")


def call_key(body: dict[str, Any], text: str) -> str:
    """Return the key of a call: the model and a hash of the fenced material, or of the whole text without a fence.

    A repeated call about the same material has the same key, even in another mode or with another fence.
    """
    try:
        fence = read_fence(text)
        material = text if fence is None else to_bytes(fence).decode()
    except (ValueError, RecursionError):
        material = text
    return f"{body.get('model')} {hashlib.sha256(material.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def check_request(body: dict[str, Any]) -> None:
    """Raises ErrorReply for what the endpoint does not know."""
    if body.get("model") not in FAMILIES:
        known = ", ".join(FAMILIES)
        message = f"The model '{body.get('model')}' does not exist here. There are: {known}."
        raise ErrorReply(404, message, "invalid_request_error", "model_not_found", "model")
    if body.get("n") not in (None, 1):
        raise bad_request("The practice endpoint gives one choice: leave 'n' at 1.", "n")
    if body.get("stream"):
        raise bad_request("The practice endpoint does not stream: leave 'stream' out.", "stream")
    temperature = body.get("temperature")
    if temperature is not None and not (isinstance(temperature, (int, float)) and 0 <= temperature <= 2):
        raise bad_request("'temperature' must be a number from 0 to 2.", "temperature")
    if body.get("top_logprobs") and not body.get("logprobs"):
        raise bad_request("'top_logprobs' needs 'logprobs' to be true.", "top_logprobs")


def response_format(body: dict[str, Any]) -> str:
    """The sort of `response_format` that a request asks for."""
    spec = body.get("response_format")
    return str(spec.get("type", "text")) if isinstance(spec, dict) else "text"


def make_reply(options: PracticeOptions, body: dict[str, Any], text: str, key: str, attempt: int) -> Reply:
    """The model's reply to a message. Raises ErrorReply for a schema that is none."""
    seed = body.get("seed")
    temperature = float(body.get("temperature") or 0.0)
    # A caller's seed makes noise repeatable; without one, asking again is another draw, as with real endpoints.
    drawn, again = (options.seed * 1_000_003 + seed, 0) if isinstance(seed, int) else (options.seed, attempt)
    judge = PracticeJudge(FAMILIES[body["model"]], options.flaws, temperature, drawn, key, again)
    shape = response_format(body)
    schema = None
    if shape == "json_schema":
        schema = (body["response_format"].get("json_schema") or {}).get("schema")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            raise bad_request("Invalid schema for response_format: it must be of type 'object'.", "response_format")
    try:
        if shape == "text" and read_fence(text) is None:
            return reply_without_fence(judge, body["messages"], text)
        return answer_message(judge, text, schema, shape == "json_object")
    except (ValueError, RecursionError) as error:
        raise bad_request(f"The practice endpoint cannot answer this: {error}.", "messages") from error


def complete_chat(body: dict[str, Any], reply: Reply, ident: str) -> dict[str, Any]:
    """The completion's body with a reply, cut to the tokens that the request allows."""
    spelling = list(spell_tokens(reply)) if body.get("logprobs") else []
    most = next((int(body[n]) for n in _MAX_TOKENS if isinstance(body.get(n), int)), 0)
    text, was_cut = completion.cut_to_tokens(reply_text(reply), most, spelling)
    chances = None
    if body.get("logprobs"):
        shown = spelling[:most] if was_cut else spelling
        chances = completion.write_logprobs(shown, int(body.get("top_logprobs") or 0))
    choices = [completion_choice(0, text, "length" if was_cut else "stop", chances)]
    tokens_in = sum(count_tokens(m["content"]) + 4 for m in body["messages"] if isinstance(m.get("content"), str))
    tokens_out = most if was_cut else count_tokens(text)
    digest = hashlib.sha256(ident.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return {
        "id": f"chatcmpl-{digest}", "object": "chat.completion", "created": unix_seconds(), "model": body["model"],
        "choices": choices,
        "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out},
        "system_fingerprint": OWNER,
    }  # fmt: skip


def to_bytes(value: Any) -> bytes:
    """JSON as bytes; lone surrogates stay escaped."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
