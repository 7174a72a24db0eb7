"""Calls to an OpenAI-compatible endpoint, their replies and errors: the only module that uses the openai library."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import ssl
from collections.abc import MutableMapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from judges.client import batch_files, errors, response_body
from judges.client.capabilities import Capabilities
from judges.client.endpoint import Endpoint
from judges.client.errors import CallContext, FatalError, ParameterRefused, TransientError, classify_error, redact
from judges.params import Params
from judges.protocols.call_plan import ChatRequest, Mode
from judges.reading.confidence import Logprobs
from judges.strict_json import storable_text
from judges.types import UnscoredReason

if TYPE_CHECKING:
    import httpx

_SERVER_HINT = ", and that the server runs"
_CONNECTION_FAILURES = (
    ({"ClientConnectorDNSError", "gaierror"}, "its name is not known", _SERVER_HINT),
    (
        {"ClientConnectorCertificateError", "SSLCertVerificationError"},
        "its certificate is not valid",
        ", and name the file of an authority of your own in SSL_CERT_FILE",
    ),
    ({"ClientConnectorSSLError"}, "it does not speak TLS", ": it may begin with http, not https"),
    ({"ConnectionRefusedError"}, "nothing listens there", _SERVER_HINT),
)
"""Causes of a failed connection: the names of the exceptions, what they mean, and what else to check."""
_FILE_TIMEOUT_FACTOR = 10  # times the usual patience
_CONTENT_SUFFIX = "/content"
"""The end of the address of a file's content."""


@dataclass(frozen=True, slots=True)
class ClientReply:
    """A reply as it came. `unscored` and `why` are set if the protocol says that it was cut off or refused.

    `tokens_in` and `tokens_out` are the endpoint's own counts, 0 if it gives none; `model` is the name that it reports.
    """

    raw: str
    model: str
    tokens_in: int
    tokens_out: int
    logprobs: Logprobs
    mode: Mode
    unscored: UnscoredReason | None = None
    why: str = ""


class Client:
    """One endpoint, asked for one model ("": for what is about none). `capabilities`: how the model is asked now.

    `known_capabilities` has the capabilities of each model, as text, by its endpoint and name; keep it between runs.
    Make, use and close a client within one event loop: `async with Client(endpoint, model) as client`. It never retries
    a call, and nothing that it raises or returns contains the key.
    """

    def __init__(
        self, endpoint: Endpoint, model: str = "", known_capabilities: MutableMapping[str, str] | None = None
    ) -> None:
        """Raises FatalError if a key is needed and its variable is not set."""
        self.endpoint, self.model, self.where = endpoint, model, endpoint.address
        self._known: MutableMapping[str, str] = {} if known_capabilities is None else known_capabilities
        self._key_of_model = f"{self.where} {model}"
        self.capabilities = Capabilities.from_text(self._known.get(self._key_of_model, ""))
        key = os.environ.get(endpoint.key_variable, "").strip()
        if not key and (endpoint.api_version or "api.openai.com" in self.where):
            raise FatalError(
                f"{self.where} needs a key, but {endpoint.key_variable} is not set: set it in the environment."
            )
        if not key.isascii() or not key.isprintable():
            raise FatalError(f"The key in {endpoint.key_variable} has characters that no key has: copy it again.")
        self._key = key
        self._proven, self._pages = False, 0
        self._openai: Any = None
        self._response: Any = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._openai is not None:
            await self._openai.close()
            self._openai = None

    def set_capabilities(self, capabilities: Capabilities) -> None:
        """Ask the model by these capabilities from now on, and replace the remembered ones, if any."""
        self.capabilities = capabilities
        if self.remembers_model():
            self.remember_model()

    def remembers_model(self) -> bool:
        """Whether the model's capabilities are remembered: from another run, or from this one."""
        return self._key_of_model in self._known

    def remember_model(self) -> None:
        """Remember the model's capabilities: a reply came by them."""
        self._known[self._key_of_model] = str(self.capabilities)

    async def answer(self, params: Params, request: ChatRequest, mode: Mode | None = None) -> ClientReply:
        """Make one call, by the model's capabilities now. `mode` is what the messages of `request` were made for.

        Raises FatalError (stop the run), TransientError (try again), CallError (only this call fails), or
        ParameterRefused: the capabilities have changed, so make the messages for `capabilities.mode` and call again
        at once.
        """
        capabilities = self.capabilities
        if mode is not None and mode != capabilities.mode and request.schema is not None:
            raise ParameterRefused(capabilities, "")
        call, payload = self._call_context(params), capabilities.body(self.model, params, request)
        status, headers, body = await self._send("post", "/chat/completions", payload)
        return self._read(status, headers, body, call, "text" if request.schema is None else capabilities.mode)

    async def models(self) -> list[str]:
        """The models that the endpoint lists; [] where it keeps no list. Raises FatalError or TransientError."""
        status, headers, body = await self._send("get", "/models")
        if status != 200:
            fault = self._fault(status, headers, body, self._call_context())
            if isinstance(fault, (TransientError, FatalError)) and status not in (404, 405):
                raise fault
            return []
        try:
            listed = json.loads(body)["data"]
            return sorted({str(entry["id"]) for entry in listed})
        except (ValueError, RecursionError, KeyError, TypeError):
            return []

    # -- the Batch API ------------------------------------------------------------------------------------------------

    async def upload(self, lines: bytes) -> str:
        """Upload a file of calls (judges.client.batch_files.batch_line); gives its id.

        Raises FatalError or TransientError, like all methods of the Batch API here.
        """
        return str(self._require_id(await self._request("post", "/files", {"purpose": "batch"}, lines))["id"])

    async def submit(self, file: str, note: dict[str, str]) -> dict[str, Any]:
        """Start a batch of an uploaded file, due within a day; gives its state. `note` is stored with the batch."""
        target = {"endpoint": batch_files.CALL_PATH, "completion_window": "24h"}
        payload = {"input_file_id": file, **target, "metadata": note}
        return self._require_id(await self._request("post", "/batches", payload))

    async def batch(self, ident: str) -> dict[str, Any]:
        """The state of a batch; {} if the endpoint does not know it."""
        return _json_object(await self._request("get", f"/batches/{ident}", missing=True))

    async def batches(self) -> list[dict[str, Any]]:
        """The latest batches of this key, up to a hundred."""
        listed = _json_object(await self._request("get", "/batches?limit=100")).get("data")
        return [batch for batch in listed if isinstance(batch, dict)] if isinstance(listed, list) else []

    async def cancel(self, ident: str) -> dict[str, Any]:
        """End a batch early; its results so far can be fetched."""
        return _json_object(await self._request("post", f"/batches/{ident}/cancel", {}))

    def refusal(self, shown: dict[str, Any]) -> str:
        """Return the reason why a batch failed as a whole, in the endpoint's words; "" if it gives none."""
        return redact(storable_text(batch_files.refusal(shown.get("errors"))), self._key)[:500]

    async def content(self, file: str) -> bytes:
        """The content of a file of results."""
        return await self._request("get", f"/files/{file}{_CONTENT_SUFFIX}")

    def result(self, status: int, body: bytes, params: Params, typed: bool) -> ClientReply:
        """A reply from a file; `typed`: whether JSON was enforced. Raises what a direct call would raise."""
        return self._read(status, {}, body, self._call_context(params), self.capabilities.mode if typed else "text")

    def _require_id(self, answer: bytes) -> dict[str, Any]:
        """The answer about a new object; it must contain an id. Raises FatalError."""
        state = _json_object(answer)
        if not isinstance(state.get("id"), str) or not state["id"]:
            raise FatalError(f"{self.where} returned no id for a batch. Run it without a batch.")
        return state

    async def _request(
        self, method: str, path: str, body: dict[str, Any] | None = None, file: bytes | None = None,
        missing: bool = False,
    ) -> bytes:  # fmt: skip
        """The answer of an endpoint about files and batches; `missing`: {} for an object that does not exist.

        Raises FatalError or TransientError if it refuses.
        """
        status, headers, answer = await self._send(method, path, body, file)
        if status == 200:
            return answer
        if status == 404 and missing:
            return b"{}"
        fault = self._fault(status, headers, answer, self._call_context())
        if isinstance(fault, (TransientError, FatalError)) and status != 404:
            raise fault
        reason = errors.error_message(answer.decode("utf-8", "replace"), self._key) or "no reason given"
        raise FatalError(f"{self.where} does not take this as a batch ({status}: {reason}). Run it without a batch.")

    # -- one exchange -------------------------------------------------------------------------------------------------

    async def _send(
        self, method: str, path: str, body: dict[str, Any] | None = None, file: bytes | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (lower case; only where it is not 200) and body of one exchange."""
        import httpx
        import openai

        has_file = file is not None or path.endswith(_CONTENT_SUFFIX)
        patience = self.endpoint.timeout * (_FILE_TIMEOUT_FACTOR if has_file else 1)
        try:
            if self._openai is None:
                self._open()
            async with asyncio.timeout(patience):
                if file is not None:
                    response: httpx.Response = await self._openai.post(
                        path, cast_to=self._response, body=body, files=[("file", ("calls.jsonl", file))],
                        options={"headers": {"Content-Type": "multipart/form-data"}},
                    )  # fmt: skip
                elif method == "post":
                    response = await self._openai.post(path, cast_to=self._response, body=body)
                else:
                    response = await self._openai.get(path, cast_to=self._response)
            return 200, {}, response.content
        except TimeoutError:
            raise TransientError("timeout", f"no answer within {patience:g} s", charged=True) from None
        except openai.APIStatusError as error:
            failure = error.response
            return failure.status_code, {k.lower(): v for k, v in failure.headers.items()}, failure.content
        except httpx.InvalidURL as error:
            raise FatalError(f"{self.where} is not a valid address: {error}. Check the base URL.") from None
        except openai.APIConnectionError as error:
            raise self._connection(error) from None
        except openai.OpenAIError as error:
            raise FatalError(f"{self.where} cannot be asked: {errors.error_message(str(error), self._key)}") from None

    def _open(self) -> None:
        import httpx
        import openai

        limits = httpx.Limits(max_connections=self.endpoint.concurrency + 4, max_keepalive_connections=None)
        options: dict[str, Any] = {
            "api_key": self._key or "none",
            "max_retries": 0,
            "timeout": None,  # asyncio.timeout bounds the whole exchange, also a body that comes in drips
            "http_client": openai.DefaultAioHttpClient(
                verify=_trusted_authorities(), limits=limits, timeout=None, follow_redirects=False,
                headers={"Accept-Encoding": response_body.ACCEPT_ENCODING}, event_hooks={"response": [_bound_body]},
            ),
        }  # fmt: skip
        if self.endpoint.api_version:
            self._openai = openai.AsyncAzureOpenAI(
                azure_endpoint=self.where, api_version=self.endpoint.api_version, **options
            )
        else:
            self._openai = openai.AsyncOpenAI(base_url=self.where, **options)
        self._response = httpx.Response

    def _connection(self, error: BaseException) -> Exception:
        """The error for a failed connection: FatalError if this endpoint has never answered."""
        chain: list[BaseException] = []
        at: BaseException | None = error
        while at is not None and len(chain) < 10:
            chain.append(at)
            at = at.__cause__ or at.__context__
        for cause in chain:
            if isinstance(cause, response_body.Redirected):
                return FatalError(
                    f"{self.where} redirects calls to {cause.to} ({cause.status}), and Assay does not follow: nothing "
                    "was sent there. Set the base URL to the address that answers directly."
                )
            if isinstance(cause, (response_body.TooLarge, response_body.DecompressionError)):
                return TransientError("broken", f"{cause}", charged=True)
        names = {type(e).__name__ for e in chain}
        reason = errors.error_message(next((str(e) for e in reversed(chain) if str(e)), ""), self._key)
        if names & {"InvalidURL", "UnsupportedProtocol", "InvalidUrlClientError", "NonHttpUrlClientError"}:
            return FatalError(f"{self.where} is not a valid address: {reason}. Check the base URL.")
        known = next(((problem, then) for raised, problem, then in _CONNECTION_FAILURES if names & raised), None)
        if not known and "ClientConnectorError" not in names:
            return TransientError("connection", "the connection broke before the answer was whole", charged=True)
        problem, then = known or (reason or "no connection", _SERVER_HINT)
        if not self._proven:
            return FatalError(f"{self.where} cannot be reached: {problem}. Check the base URL{then}.")
        return TransientError("connection", f"the endpoint cannot be reached: {problem}")

    def _call_context(self, params: Params | None = None) -> CallContext:
        """The context of a call of the model; without parameters, of a request that is about no model."""
        model, capabilities = ("", Capabilities()) if params is None else (self.model, self.capabilities)
        of = model, params or Params(), self.endpoint.key_variable, self._key
        return CallContext(self.where, *of, capabilities, self._proven)

    def _fault(self, status: int, headers: dict[str, str], body: bytes, call: CallContext) -> Exception:
        """The error for a refusal; if a capability caused it, it is given up, unless another call has done so."""
        fault = classify_error(status, headers, body.decode("utf-8", "replace"), call)
        if isinstance(fault, ParameterRefused) and call.model and self.capabilities == call.capabilities:
            self.set_capabilities(fault.capabilities)
        return fault

    # -- a reply ------------------------------------------------------------------------------------------------------

    def _read(self, status: int, headers: dict[str, str], body: bytes, call: CallContext, mode: Mode) -> ClientReply:
        if status != 200:
            raise self._fault(status, headers, body, call)
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            raise self._no_json(body) from None
        if not isinstance(data, dict):
            raise TransientError("broken", "the endpoint's answer is no completion", charged=True)
        error = data.get("error")
        if error:  # some proxies send an error with status 200
            code = error.get("code") if isinstance(error, dict) else None
            raise self._fault(code if isinstance(code, int) and 400 <= code < 600 else 502, headers, body, call)
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise TransientError("broken", "the endpoint's answer holds no choice", charged=True)
        finish = choice.get("finish_reason")
        if finish == "error":
            raise TransientError("server", "the endpoint broke off the reply", charged=True)
        self._proven = True
        raw, refused = (self._clean(response_body.message_text(message.get(key))) for key in ("content", "refusal"))
        usage = data.get("usage")
        token_counts = usage if isinstance(usage, dict) else {}
        tokens_in = response_body.token_count(token_counts.get("prompt_tokens"))
        tokens_out = response_body.token_count(token_counts.get("completion_tokens"))
        unscored: UnscoredReason | None = None
        why = ""
        if refused:
            unscored, why = "refused", " ".join(f"the model refused: {refused}".split())[:300]
        elif finish == "content_filter":
            unscored, why = "refused", "the endpoint's filter stopped the reply"
        elif finish == "length":
            unscored, why = "cut_off", response_body.explain_cut_off(tokens_out, call.params.max_tokens)
        model = self._clean(str(data.get("model") or call.model))[:300]
        logprobs = response_body.read_logprobs(choice.get("logprobs")) if call.params.logprobs else ()
        tokens = "".join(token for token, _ in logprobs)
        if self._clean(tokens) != tokens:  # the stored text was changed, and they do not fit it
            logprobs = ()
        return ClientReply(raw or refused, model, tokens_in, tokens_out, logprobs, mode, unscored, why)

    def _no_json(self, body: bytes) -> Exception:
        head = body[:300].decode("utf-8", "replace")
        if not errors.is_web_page(head):
            return TransientError("broken", "the endpoint's answer is cut off, or no JSON", charged=True)
        self._pages += 1
        if self._proven or self._pages < 2:  # a proxy may have shown its face once
            return TransientError("broken", "a web page came instead of an answer")
        return FatalError(f"{self.where} answers with a web page, not as an API. Check the base URL; most end in /v1.")

    def _clean(self, text: str) -> str:
        """The text without the key, and as every store can hold it."""
        text = storable_text(text)
        return redact(text, self._key) if self._key and self._key in text else text


@functools.cache
def _trusted_authorities() -> ssl.SSLContext:
    """The trusted certificate authorities, read once for all clients because that takes 30 ms. Raises FatalError."""
    import httpx

    try:
        return httpx.create_ssl_context()
    except OSError as error:
        named = os.environ.get("SSL_CERT_FILE") or "the package certifi"
        why = "it contains no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise FatalError(
            f"The certificates in {named} cannot be read: {why}. Set SSL_CERT_FILE to a file of certificates (PEM), "
            "or leave it empty, and start again."
        ) from None


def _json_object(answer: bytes) -> dict[str, Any]:
    """The JSON object of an answer about files and batches."""
    try:
        payload = json.loads(answer)
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise TransientError("broken", "the endpoint's answer about a batch is not a JSON object")
    return payload


async def _bound_body(response: httpx.Response) -> None:
    """Bound the body of an answer before any of it is read."""
    file = response.request.url.path.endswith(_CONTENT_SUFFIX)
    response_body.bound_body(response, response_body.MAX_FILE_BYTES if file else response_body.MAX_ANSWER_BYTES)
