"""What tests plant in the practice endpoint: faults that they can foretell, limits, keys, and the log of it all."""

import contextlib
import http.client
import json
import urllib.request
from email.utils import parsedate_to_datetime

import pytest

from judges.cards import cards
from judges.practice.family import draw_chance
from judges.practice.model import call_key
from judges.practice.options import BadOption
from judges.reading.reading import json_objects
from tests.judges.practice.test_practice import GOOD, SKY, judge_item, line, run_batch, sky
from tests.practice.faults import TEXTS, fault, faults, plan_fault, spoil
from tests.practice.options import Equipment, Fault
from tests.practice_server import post, practice, practice_process


def test_a_fault_is_read_with_its_share_and_detail():
    assert fault("429:2") == Fault("429", 1.0, "2")
    assert faults("429=0.05:date, reset=.1,") == (Fault("429", 0.05, "date"), Fault("reset", 0.1, ""))


def test_faults_are_foretold_by_seed_call_and_attempt():
    options = Equipment(faults=faults("429=0.1:0,reset=0.1,refused=0.05"), seed=4)
    plans = [plan_fault(options, f"call {n}", 1) for n in range(4000)]
    counts = {name: sum(f is not None and f.name == name for f in plans) for name in ("429", "reset", "refused")}
    assert 330 < counts["429"] < 470 and 330 < counts["reset"] < 470 and 140 < counts["refused"] < 260
    assert plans == [plan_fault(options, f"call {n}", 1) for n in range(4000)]
    assert any(plan_fault(options, "call 1", n) != plan_fault(options, "call 1", 1) for n in range(2, 60))
    assert 0 <= draw_chance(1, "\ud800", 1) < 1


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("418=0.1", "There is no fault '418'"),
        ("429=2", "write it as 429=0.05"),
        ("429=x", "write it as 429=0.05"),
        ("500=0.6,429=0.6", "more than 1"),
    ],
)
def test_a_fault_that_is_none_is_said(spec, words):
    with pytest.raises(BadOption, match=words):
        faults(spec)


@pytest.mark.parametrize("name", TEXTS)
def test_every_spoiled_text_is_spoiled(name):
    card = cards()["rubric_open_ended"]
    ((judgment, (text,)),) = judge_item(SKY, card)
    bad = spoil(name, text)
    assert bad != text
    counts = {"prose_around": 1, "huge": 1, "two_json": 2, "wrong_schema": 1, "out_of_range": 1, "bad_json": 0}
    assert len(json_objects(bad)) == counts[name]
    if name == "out_of_range":
        assert "97" in bad
    prose = spoil(name, "Rating: [[7]]")
    assert name in ("prose_around", "huge", "out_of_range") or "[[" not in prose
    assert judgment.reading.unscored is None


def test_faults_over_http_and_the_log_that_tells_them():
    with practice() as running:

        def send(spec, key, **more):
            return post(running.url, sky(key, **more), {"X-Practice-Fault": spec})

        assert [send("429:0.5,503:date,none", "a")[0] for _ in range(3)] == [429, 503, 200]
        assert send("429:0.5", "b")[2]["Retry-After"] == "0.5"
        assert parsedate_to_datetime(send("429:date", "c")[2]["Retry-After"])
        assert "Retry-After" not in send("429:none", "d")[2]
        assert send("quota", "e")[1]["error"]["code"] == "insufficient_quota"
        for status in ("401", "404", "408", "409", "500", "502", "504"):
            answer = send(status, "f")
            assert (answer[0], "error" in answer[1]) == (int(status), True)
        assert "<!doctype" in send("html:502", "g")[1]
        assert isinstance(send("bad_body", "h")[1], str)
        assert send("no_choices", "i")[1]["choices"] == []
        assert len(send("duplicate", "j")[1]["choices"]) == 2
        assert send("cut_off", "k")[1]["choices"][0]["finish_reason"] == "length"
        assert send("refused", "l")[1]["choices"][0]["message"]["refusal"]
        assert send("refused:filter", "m")[1]["choices"][0]["finish_reason"] == "content_filter"
        assert send("empty", "n")[1]["choices"][0]["message"]["content"] == ""
        assert send("slow:0.01", "o")[0] == 200
        with pytest.raises((OSError, http.client.HTTPException)):
            send("reset", "p")
        assert send("nonsense", "q")[0] == 400
        with contextlib.suppress(OSError):
            request = urllib.request.Request(
                f"{running.url}/chat/completions", json.dumps(sky("r")).encode(),
                {"Content-Type": "application/json", "X-Practice-Fault": "timeout"},
            )  # fmt: skip
            urllib.request.urlopen(request, timeout=0.05)
        log = running.log
        assert log.faults["timeout"] == log.faults["reset"] == 1
        assert {key.split(" ")[0] for key in log.calls} == {GOOD}
        first = log.calls[call_key(sky("a"), sky("a")["messages"][0]["content"])]
        assert (first.asked, first.answered, first.faults) == (3, 1, ["429", "503"])
        report = json.load(urllib.request.urlopen(running.url.replace("/v1", "/practice/log")))
        assert report["asked"] == log.asked and report["faults"] == log.faults


def test_a_script_gives_every_call_the_same_faults():
    with practice(script=("500", "429:0", "")) as running:
        for key in "ab":
            assert [post(running.url, sky(key))[0] for _ in range(4)] == [500, 429, 200, 200]


def test_what_is_refused_on_demand():
    with practice(refuses=frozenset({"json_schema", "logprobs", "max_tokens"})) as running:
        shape = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object", "properties": {}}}}
        for more, param in (({"response_format": shape}, "response_format"), ({"logprobs": True}, "logprobs")):
            status, answer, _ = post(running.url, sky(**more))
            assert (status, answer["error"]["param"]) == (400, param)
        assert post(running.url, sky(max_tokens=9))[1]["error"]["code"] == "unsupported_parameter"
        assert post(running.url, sky(response_format={"type": "json_object"}, max_completion_tokens=900))[0] == 200
    with practice(rpm=60) as running:
        statuses = [post(running.url, sky(str(n)))[0] for n in range(3)]
        assert 429 in statuses and statuses[0] == 200


def test_a_key_is_demanded_and_echoed_only_when_told(monkeypatch):
    monkeypatch.setenv("PRACTICE_KEY", "right")
    with practice(key_variable="PRACTICE_KEY") as running:
        assert post(running.url, sky())[1]["error"]["code"] == "invalid_api_key"
        status, answer, _ = post(running.url, sky(), {"Authorization": "Bearer wrong-canary"})
        assert status == 401 and "canary" not in str(answer)
        assert post(running.url, sky(), {"Authorization": "Bearer right"})[0] == 200
    with practice(key_variable="PRACTICE_KEY", echo_key=True) as running:
        assert "wrong-canary" in str(post(running.url, sky(), {"Authorization": "Bearer wrong-canary"})[1])


def test_faults_meet_the_lines_of_a_batch():
    with practice("500=0.3", seed=2, batch_seconds=0.02) as running:
        batch, good, bad = run_batch(running.url, [line(n) for n in range(40)])
        expected = {
            n for n in range(40)
            if plan_fault(running.options, call_key(sky(), sky(str(n))["messages"][0]["content"]), 1) is None
        }  # fmt: skip
    assert batch.status == "completed"
    assert {entry["custom_id"] for entry in good} == {f"c{n}" for n in expected}
    assert len(good) + len(bad) == batch.request_counts.total == 40
    assert batch.request_counts.failed == len(bad) > 0
    assert {entry["response"]["status_code"] for entry in bad} == {500}
    assert json.loads(good[0]["response"]["body"]["choices"][0]["message"]["content"])["verdict"]


def test_as_a_process_it_answers_too():
    with practice_process("--refuses", "json_schema") as url:
        assert post(url, sky())[0] == 200
        shape = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
        assert post(url, sky(response_format=shape))[0] == 400
