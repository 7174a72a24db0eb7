"""Real HTTP on loopback: what is sent, what comes back, and what each kind of refusal amounts to."""

import asyncio
import json
import socket
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.client import errors
from judges.client.capabilities import Capabilities
from judges.client.client import Client, _trusted_authorities
from judges.client.endpoint import Endpoint
from judges.client.errors import CallContext, CallError, FatalError, ParameterRefused, TransientError
from judges.params import Params
from judges.protocols.call_plan import ChatRequest
from tests.certificates import certify, server_context
from tests.judges.endpoint import Say, serving
from tests.judges.run_cases import GOOD

ASK = ChatRequest([{"role": "user", "content": "Judge."}], {"type": "object"}, "merit")
PROSE = ChatRequest(ASK.messages, None, "merit")


def exchange(say, ask=ASK, params=None, capabilities=None, times=1, **settings):
    """(the last of some calls: a reply or what it raised, what was served, the client)"""

    async def go():
        async with serving(say if callable(say) else lambda body, nth: say) as served:
            endpoint = Endpoint(base_url=served.url, **({"timeout": 5.0} | settings))
            async with Client(endpoint, "m", capabilities) as client:
                for _ in range(times):
                    try:
                        outcome = await client.answer(params or Params(), ask)
                    except Exception as fault:
                        outcome = fault
                return outcome, served, client

    return asyncio.run(go())


def error(message, status=400, **more):
    return Say(status=status, body={"error": {"message": message, **more}})


def test_what_is_sent_and_what_comes_back():
    params = Params(temperature=0.3, seed=7, max_tokens=99, logprobs=True)
    logprobs = {"content": [{"token": "4", "logprob": -0.1, "top_logprobs": [{"token": "4", "logprob": -0.1}]}]}
    body = {
        "model": "m-2024",
        "choices": [{"finish_reason": "stop", "message": {"content": GOOD}, "logprobs": logprobs}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3},
    }
    reply, served, _ = exchange(Say(body=body), params=params)
    assert (reply.raw, reply.model, reply.tokens_in, reply.tokens_out) == (GOOD, "m-2024", 12, 3)
    assert (reply.mode, reply.unscored) == ("json_schema", None)
    assert reply.logprobs == (("4", (("4", -0.1),)),)
    sent = served.bodies[0]
    assert sent["response_format"]["json_schema"] == {"name": "merit", "schema": {"type": "object"}, "strict": True}
    assert (sent["temperature"], sent["seed"], sent["max_tokens"], sent["top_logprobs"]) == (0.3, 7, 99, 5)
    _, served, _ = exchange(Say(GOOD), ask=replace(ASK, name="länge " * 20))
    sent_name = served.bodies[0]["response_format"]["json_schema"]["name"]
    assert sent_name == ("l_nge_" * 20)[:64], "OpenAI takes at most 64 of these letters"


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": -5, "completion_tokens": -7},
        {"prompt_tokens": "2000", "completion_tokens": "many"},
        {"prompt_tokens": None, "completion_tokens": None},
        {"prompt_tokens": True, "completion_tokens": [400]},
        {"prompt_tokens": 1e300, "completion_tokens": 10**400},
        [1, 2],
    ],
    ids=lambda usage: str(usage)[:60],
)
def test_a_usage_that_cannot_be_read_is_as_none_at_all(usage):
    """What a run does with all of them is what it does with None (tests/data/runs/test_charges.py)."""
    choice = {"finish_reason": "stop", "message": {"content": GOOD}}
    reply, _, _ = exchange(Say(body={"model": "m", "choices": [choice], "usage": usage}))
    assert (reply.raw, reply.unscored, reply.tokens_in, reply.tokens_out) == (GOOD, None, 0, 0)


def test_prose_is_asked_for_without_a_format():
    reply, served, _ = exchange(Say("It is fine. [[7]]"), ask=PROSE)
    assert "response_format" not in served.bodies[0] and reply.mode == "text"


@pytest.mark.parametrize(
    ("say", "sort", "says"),
    [
        (error("Incorrect API key provided", 401), FatalError, "set OPENAI_API_KEY"),
        (error("Not yours", 403), FatalError, "wants a key"),
        (error("You exceeded your current quota", 429, code="insufficient_quota"), FatalError, "no money left"),
        (error("pay", 402), FatalError, "no money left"),
        (error("The model `m` does not exist", 404, code="model_not_found"), FatalError, "no model 'm'"),
        (Say(status=404, body={"error": 'model "m" not found, try pulling it first'}), FatalError, "no model 'm'"),
        (error("m is not a valid model ID"), FatalError, "no model 'm'"),
        (Say(status=404, body={"error": {"code": "DeploymentNotFound", "message": "no"}}), FatalError, "no model 'm'"),
        (Say(status=404, body={"detail": "Not Found"}), FatalError, "no OpenAI-compatible API"),
        (Say(status=404, body=b"<!doctype html><p>hi"), FatalError, "a web page"),
        (Say(status=405, body=b""), FatalError, "no OpenAI-compatible API"),
        (error("Rate limit reached", 429), TransientError, "turned away"),
        (error("You exceeded your current quota, check your plan", 429), TransientError, "turned away"),
        (error("busy", 408), TransientError, "408"),
        (error("overloaded", 529), TransientError, "529"),
        (Say(status=500, body=b"<html>oops"), TransientError, "a web page"),
        (Say(reset=True), TransientError, "the connection broke"),
        (Say(body=b'{"choices": [{"mess'), TransientError, "cut off, or no JSON"),
        (Say(body=b"<html>a portal"), TransientError, "a web page"),
        (Say(body={"choices": []}), TransientError, "no choice"),
        (Say(body=[1]), TransientError, "no completion"),
        (Say(body={"error": {"message": "upstream died", "code": 503}}), TransientError, "503"),
        (Say(GOOD, finish="error"), TransientError, "broke off"),
        (error("The response was filtered", code="content_filter"), CallError, "filter refused"),
        (error("Your input was flagged", 403), CallError, "filter refused"),
        (error("This model's maximum context length is 8192 tokens, max_tokens too"), CallError, "context"),
        (error("the request exceeds the available context size"), CallError, "context"),
        (error("'messages' is odd"), CallError, "'messages' is odd"),
    ],
)
def test_refusals_are_sorted(say, sort, says, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    fault, _, _ = exchange(say)
    assert isinstance(fault, sort), fault
    assert says in str(fault)


def test_a_timeout_bounds_the_whole_exchange():
    fault, _, _ = exchange(Say(hang=True), timeout=0.05)
    assert isinstance(fault, TransientError) and fault.sort == "timeout" and fault.charged


def test_a_web_page_is_fatal_when_it_stays_and_passing_once_the_endpoint_is_known():
    fault, _, _ = exchange(Say(body=b"<html>hi"), times=2)
    assert isinstance(fault, FatalError) and "/v1" in str(fault)
    fault, _, _ = exchange(lambda body, nth: Say(GOOD) if nth == 0 else Say(body=b"<html>hi"), times=4)
    assert isinstance(fault, TransientError)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("http://127.0.0.1:9/v1", "nothing listens there"),
        ("http://no-such-host.invalid/v1", "its name is not known"),
    ],
)
def test_an_address_that_is_wrong_is_one_sentence(address, says, monkeypatch):
    if "invalid" in address:  # no question leaves this machine

        def unknown(*_, **__):
            raise socket.gaierror(-2, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", unknown)

    async def go():
        async with Client(Endpoint(base_url=address, timeout=5), "m") as client:
            await client.answer(Params(), ASK)

    with pytest.raises(FatalError, match=says):
        asyncio.run(go())


@pytest.fixture
def authorities(monkeypatch):
    """authorities(file): from here on only what it holds is trusted, as in a process that was started so."""

    def trust(file):
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        _trusted_authorities.cache_clear()

    yield trust
    _trusted_authorities.cache_clear()


def over_https(tls):
    """What comes of a call by https to an endpoint that speaks TLS so, or (None) does not."""

    async def go():
        async with serving(lambda body, nth: Say(GOOD), tls=tls) as served:
            endpoint = Endpoint(base_url=served.url.replace("http:", "https:"), timeout=5)
            async with Client(endpoint, "m") as client:
                return (await client.answer(Params(), ASK)).raw

    return asyncio.run(go())


def test_an_endpoint_is_believed_by_its_certificate(tmp_path, authorities):
    certificate = certify(tmp_path, "127.0.0.1")
    with pytest.raises(FatalError, match=r"its certificate is not valid.*in SSL_CERT_FILE"):
        over_https(server_context(certificate))
    authorities(certificate)
    assert over_https(server_context(certificate)) == GOOD
    of_another = certify(tmp_path, "judge.example.org")
    authorities(of_another)
    with pytest.raises(FatalError, match="its certificate is not valid"):
        over_https(server_context(of_another))


def test_https_where_only_http_is_spoken_is_said():
    with pytest.raises(FatalError, match=r"does not speak TLS\. Check the base URL: it may begin with http, not https"):
        over_https(None)


@pytest.mark.parametrize(
    ("text", "says"), [(None, "No such file or directory"), ("no PEM", "it contains no certificate")]
)
def test_a_file_of_authorities_that_cannot_be_read_is_named(text, says, tmp_path, authorities):
    file = tmp_path / "authorities.pem"
    if text:
        file.write_text(text)
    authorities(file)
    fault, served, _ = exchange(Say(GOOD))
    assert str(fault).startswith(f"The certificates in {file} cannot be read: {says}. Set SSL_CERT_FILE")
    assert isinstance(fault, FatalError)
    assert not served.bodies


def test_without_a_file_of_ones_own_the_authorities_are_those_of_certifi(tmp_path, authorities, monkeypatch):
    authorities("")
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.setattr("certifi.where", lambda: str(tmp_path / "cacert.pem"))
    fault, _, _ = exchange(Say(GOOD))
    assert str(fault).startswith("The certificates in the package certifi cannot be read: No such file")


REFUSED = [  # (what the endpoint says, the manner it comes to, parameters)
    (error("Invalid parameter: 'response_format' of type 'json_schema' is not supported"), "json_object", {}),
    (error("unsupported", param="response_format.type"), "json_object", {}),
    (Say(status=422, body={"detail": [{"loc": ["body", "response_format"], "msg": "bad"}]}), "json_object", {}),
    (error("failed to parse grammar"), "json_object", {}),
    (error("Unrecognized request argument supplied: seed"), "json_schema no-seed", {"seed": 1}),
    (error("This model does not support logprobs"), "json_schema no-logprobs", {"logprobs": True}),
    (
        error("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
        "json_schema max_completion_tokens",
        {},
    ),
    (
        error("Unsupported parameter: 'temperature'", param="temperature"),
        "json_schema no-temperature",
        {"temperature": 1},
    ),
]


@pytest.mark.parametrize(("say", "manner", "params"), REFUSED)
def test_a_refused_parameter_changes_the_manner(say, manner, params):
    fault, _, client = exchange(say, params=Params(**params))
    assert isinstance(fault, ParameterRefused) and fault.why
    assert str(client.capabilities) == manner


def test_another_temperature_than_asked_for_is_never_used():
    fault, _, _ = exchange(error("'temperature' does not support 0 with this model", param="temperature"))
    assert isinstance(fault, FatalError) and "another judge" in str(fault)


def test_text_that_an_error_repeats_is_not_taken_for_a_parameter():
    detail = [{"loc": ["body", "messages"], "msg": "wrong", "input": {"seed": 1, "response_format": 1}}]
    fault, _, client = exchange(Say(status=422, body={"detail": detail}), params=Params(seed=1))
    assert isinstance(fault, CallError) and str(client.capabilities) == "json_schema"


def test_a_remembered_manner_is_asked_in_at_once():
    capabilities = {}

    async def go():
        async with serving(lambda body, nth: Say(GOOD)) as served:
            capabilities[f"{served.url} m"] = "text no-seed max_completion_tokens"
            async with Client(Endpoint(base_url=served.url), "m", capabilities) as client:
                await client.answer(Params(seed=3, max_tokens=50), ASK)
                assert client.remembers_model()
            return served.bodies[0]

    sent = asyncio.run(go())
    assert sent.keys() == {"model", "messages", "max_completion_tokens", "temperature"}


def test_manner_is_written_and_read_back():
    for text in ("json_schema", "text no-logprobs no-seed", "json_object max_completion_tokens"):
        assert str(Capabilities.from_text(text)) == text
    assert Capabilities.from_text("something else") == Capabilities()
    assert Capabilities().weaken().weaken().weaken() is None


@pytest.mark.parametrize(
    ("say", "unscored", "raw"),
    [
        (Say(None, message={"refusal": "I will not."}), "refused", "I will not."),
        (Say("half", finish="content_filter"), "refused", "half"),
        (Say('{"score": ', finish="length"), "cut_off", '{"score": '),
        (Say([{"type": "text", "text": "a"}, {"type": "x"}, {"type": "text", "text": "b"}]), None, "ab"),
        (Say(None), None, ""),
        (Say("half a pair \ud800, and \x00"), None, "half a pair ?, and \ufffd"),
        (Say(GOOD, usage=None), None, GOOD),
    ],
)
def test_facts_of_a_reply(say, unscored, raw):
    reply, _, _ = exchange(say)
    assert (reply.unscored, reply.raw) == (unscored, raw)
    assert bool(reply.why) == bool(unscored)


def test_the_key_is_sent_and_appears_nowhere_else(monkeypatch):
    key = "canary-1234567890"
    monkeypatch.setenv("OTHER_KEY", key)

    def echo(body, nth):
        replies = [Say(f"your key is {key}"), error(f"bad key {key}", 401), error(f"slow, {key}", 429), error(key, 418)]
        return replies[nth]

    for times in range(1, 5):
        outcome, served, _ = exchange(echo, times=times, key_variable="OTHER_KEY")
        assert served.headers[-1]["Authorization"] == f"Bearer {key}"
        assert "canary" not in f"{outcome!r} {outcome} {getattr(outcome, 'headers', '')}"
    assert "OTHER_KEY" in str(exchange(error("no", 401), key_variable="OTHER_KEY")[0])


def test_a_key_among_the_tokens_of_a_reply_is_not_kept(monkeypatch):
    key = "canary-1234567890"
    monkeypatch.setenv("OTHER_KEY", key)

    def spell(*tokens):
        choice = {"message": {"content": "".join(tokens)}, "logprobs": {"content": [{"token": t} for t in tokens]}}
        return exchange(Say(body={"choices": [choice]}), params=Params(logprobs=True), key_variable="OTHER_KEY")[0]

    assert spell("your key is ", key[:5], key[5:]).logprobs == () == spell("\ud800", "4").logprobs
    assert spell("4", " of 5").logprobs == (("4", ()), (" of 5", ()))


def test_why_a_batch_was_refused_holds_no_key(monkeypatch):
    monkeypatch.setenv("OTHER_KEY", "canary-1234567890")
    client = Client(Endpoint(base_url="http://127.0.0.1:9", key_variable="OTHER_KEY"))
    sentence = client.refusal({"errors": {"data": [{"message": "canary-1234567890 is none. \ud800"}]}})
    assert sentence == "[key] is none. ?"


def test_the_word_none_stays_a_word_where_there_is_no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    fault, served, _ = exchange(error("messages: none is not an allowed value"))
    assert "(400: messages: none is not an allowed value)" in str(fault)
    assert served.headers[-1]["Authorization"] == "Bearer none", "the library sends nothing without one"


def test_keys_that_are_half_hidden_are_hidden():
    assert errors.redact("Incorrect API key provided: sk-abcd****wxyz.", "none") == (
        "Incorrect API key provided: [key]."
    )


@pytest.mark.parametrize("spelling", ['sé"cret', 's%C3%A9%22cret', r's\u00e9\"cret'])
def test_a_key_is_hidden_as_it_is_in_addresses_and_in_json_too(spelling):
    assert errors.redact(f"The key <{spelling}> is unknown.", 'sé"cret') == "The key <[key]> is unknown."


def test_openai_itself_wants_a_key(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(FatalError, match="OPENAI_API_KEY is not set"):
        Client(Endpoint())
    monkeypatch.setenv("OPENAI_API_KEY", "two\nlines")
    with pytest.raises(FatalError, match="copy it again"):
        Client(Endpoint())


def test_azure_is_asked_at_its_deployment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "azure-key-1234")
    from judges.client import client as home

    client = home.Client(Endpoint(base_url="https://x.openai.azure.com", api_version="2024-10-21"))
    client._open()
    assert type(client._openai).__name__ == "AsyncAzureOpenAI"
    asyncio.run(client.__aexit__(None, None, None))


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ({"data": [{"id": "b"}, {"id": "a"}]}, ["a", "b"]),
        ({"models": []}, []),
        (Say(status=404, body=b"none"), []),
        (Say(body=b"<html>"), []),
    ],
)
def test_the_list_of_models(listed, names):
    async def go():
        async with serving(lambda body, nth: Say(GOOD)) as served:
            served.models = listed
            async with Client(Endpoint(base_url=served.url)) as client:
                return await client.models()

    assert asyncio.run(go()) == names


@pytest.mark.parametrize(
    ("say", "sort"),
    [
        (error("Incorrect API key provided", 401), FatalError),
        (error("Rate limit reached", 429), TransientError),
        (error("down", 503), TransientError),
    ],
)
def test_a_list_of_models_that_is_refused_is_no_empty_list(say, sort):
    async def go():
        async with serving(lambda body, nth: Say(GOOD)) as served:
            served.models = say
            async with Client(Endpoint(base_url=served.url)) as client:
                await client.models()

    with pytest.raises(sort):
        asyncio.run(go())


def test_why_a_connection_failed_may_be_an_error_during_which_another_came():
    error = RuntimeError("closed")
    error.__context__ = ConnectionRefusedError("refused")
    fault = Client(Endpoint(base_url="http://127.0.0.1:9"))._connection(error)
    assert isinstance(fault, FatalError) and "cannot be reached: nothing listens there." in str(fault)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "error",
                    "message",
                    "code",
                    "detail",
                    "loc",
                    "msg",
                    "choices",
                    "content",
                    "finish_reason",
                    "usage",
                    "logprobs",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("address", ["http://127.0.0.1:PORT/v1", "http://[::1/v1"])
def test_an_address_that_cannot_be_one_is_refused_in_a_sentence(address):
    with pytest.raises(FatalError, match="is not a valid address: Invalid"):
        asyncio.run(Client(Endpoint(base_url=address)).models())


@given(JSON, st.sampled_from([400, 401, 403, 404, 413, 422, 429, 500, 503]))
def test_no_answer_of_any_shape_is_a_bug(value, status):
    body = json.dumps(value)
    context = CallContext("http://x", "m", Params(logprobs=True), "KEY", "", Capabilities())
    fault = errors.classify_error(status, {}, body, context)
    assert isinstance(fault, (FatalError, TransientError, CallError, ParameterRefused)) and str(fault)
    client = Client(Endpoint(base_url="http://127.0.0.1:9/v1"))
    try:
        client._read(200, {}, body.encode(), context, "text")
    except (FatalError, TransientError, CallError, ParameterRefused) as error:
        assert str(error)


@pytest.mark.parametrize(
    ("usage", "says"),
    [((100, 2048), "cut off at 2048 tokens"), (None, "cut off at 2048 tokens"), ((100, 7), "off after 7 tokens")],
)
def test_a_reply_that_was_cut_off_says_by_what(usage, says):
    reply, _, _ = exchange(Say('{"score": ', finish="length", usage=usage))
    assert reply.unscored == "cut_off" and says in reply.why
