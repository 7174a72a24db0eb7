"""Runs over a scripted endpoint: nothing is lost or doubled, whatever goes wrong, and every end is a clean one."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from judges.cards import cards
from judges.client import retries, runner
from judges.client.budget import Budget
from judges.client.client import Client
from judges.client.endpoint import Endpoint
from judges.client.errors import FatalError
from judges.client.runner import RunNotice
from judges.client.usage import Charge
from judges.errors import AssayError
from judges.params import Params
from judges.protocols import call_plan
from judges.protocols.call_plan import CallReply, FinishedJudgment
from judges.types import Dialogue, Turn
from tests.judges.endpoint import Say, key, serving
from tests.judges.run_cases import CARD, GOOD, items, of, ran


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Pauses between tries of a millisecond, where a test does not look at them."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_SECONDS", 0.001)


def go(script, n=1, **more):
    """(what a run of n items gave, or what it raised; what was served)"""

    async def run():
        async with serving(script) as served:
            try:
                return await ran(served, n, **more), served
            except AssayError as fault:
                return fault, served

    return asyncio.run(run())


TRUTH = {
    "429": Say(status=429, body={"error": {"message": "slow"}}, headers={"Retry-After-Ms": "2"}),
    "500": Say(status=500, body=b"oops"),
    "timeout": Say(hang=True),
    "reset": Say(reset=True),
    "cut body": Say(body=b'{"choices": [{"mess'),
    "half": Say('{"score": ', finish="length"),
    "prose": Say("It is rather good."),
    "refused": Say(None, message={"refusal": "I will not."}),
    "wrong": Say('{"score": 9}'),
    "broken": Say(status=400, body={"error": {"message": "the item is odd"}}),
}
PASS = ("429", "500", "timeout", "reset", "cut body")
ENDS = {"half": "cut_off", "prose": "unreadable", "refused": "refused", "wrong": "out_of_range", "broken": "api_error"}


def planted(body, nth):
    """A fault in one call of five, of every kind, fixed by what is asked and how often it was."""
    chance = Random(f"{key(body)} {nth}")
    if json.loads(key(body))["task"] == "task 0" or chance.random() >= 0.2:
        return Say(GOOD)
    kinds = list(TRUTH)
    weights = [0.2 if kind == "timeout" else 1.0 for kind in kinds]
    return TRUTH[chance.choices(kinds, weights)[0]]


def test_a_thousand_calls_with_every_fifth_at_fault():
    found, served = go(planted, 1000, concurrency=64, timeout=4.0)
    judged = of(found, FinishedJudgment)
    assert Counter(j.task.key for j in judged) == Counter(f"i{k}" for k in range(1000))
    assert Counter(a.key for a in of(found, CallReply)) == Counter(f"i{k}" for k in range(1000))
    asked = {json.loads(name)["task"].split()[1]: (name, times) for name, times in served.times.items()}
    tries = {a.key: a.tries for a in of(found, CallReply)}
    seen = Counter()
    for one in judged:
        name, times = asked[one.task.key[1:]]
        said = [planted({"messages": [{"content": name}]}, nth) for nth in range(times)]
        kinds = [next((k for k, v in TRUTH.items() if v is say), "good") for say in said]
        assert tries[one.task.key] == times <= 6
        assert all(kind in PASS for kind in kinds[:-1])  # only what may pass was asked again
        end = None if kinds[-1] == "good" else ENDS.get(kinds[-1], "api_error")
        assert one.reading.unscored == end, (kinds, one.reading)
        seen.update(kinds)
    assert set(seen) == {*TRUTH, "good"}
    assert all(j.reading.why for j in judged if j.reading.unscored)


def test_no_more_at_a_time_than_allowed_and_the_first_goes_alone():
    opened = []

    def script(body, nth):
        opened.append(key(body))
        return Say(GOOD, after=0.01)

    _, served = go(script, 60, concurrency=5)
    assert served.most == 5
    assert len(opened) == 60


def test_tasks_are_taken_as_there_is_room():
    ahead = []

    async def run():
        async with serving(lambda body, nth: Say(GOOD)) as served:
            taken = given = 0

            def tasks():
                nonlocal taken
                for task in call_plan.tasks(CARD, Params(), items(500)):
                    taken += 1
                    yield task

            endpoint = Endpoint(base_url=served.url, concurrency=4)
            async with Client(endpoint) as client:
                async for one in runner.run(CARD, "m", Params(), client, tasks(), endpoint=endpoint):
                    given += isinstance(one, FinishedJudgment)
                    ahead.append(taken - given)
                    await asyncio.sleep(0)
            return taken

    assert asyncio.run(run()) == 500
    assert max(ahead) <= 4 + (4 * 4 + 64) + 4  # under way, and what may wait to be taken


def test_a_true_reason_after_all_tries():
    found, served = go(lambda body, nth: TRUTH["500"], 3, tries=3)
    assert {(a.unscored, a.why, a.tries) for a in of(found, CallReply)} == {
        ("api_error", "the endpoint failed (500: oops), after 3 tries", 3)
    }
    assert all(j.reading.unscored == "api_error" for j in of(found, FinishedJudgment))
    assert set(served.times.values()) == {3}


@pytest.fixture
def waits(monkeypatch):
    """The seconds of every wait of a run, none of which takes any time."""
    lengths = []

    async def noted(event, seconds):
        lengths.append(seconds)

    monkeypatch.setattr(runner, "wait_for", noted)
    return lengths


def test_a_patient_endpoint_is_obeyed(waits):
    say = Say(status=429, body=b"", headers={"Retry-After": "7"})
    found, _ = go(lambda body, nth: say if nth == 0 else Say(GOOD))
    assert of(found, CallReply)[0].tries == 2
    assert [w for w in waits if w != runner._STOP_POLL_SECONDS] and min(
        w for w in waits if w != runner._STOP_POLL_SECONDS
    ) >= 7


@pytest.mark.usefixtures("waits")
def test_a_long_pause_is_told_once():
    say = Say(status=429, body=b"", headers={"Retry-After": "3600"})
    found, _ = go(lambda body, nth: say if nth < 2 else Say(GOOD))
    told = [note.text for note in of(found, RunNotice) if "asks for a pause" in note.text]
    assert told == [retries.describe_pause(3600.0)] and of(found, CallReply)[0].tries == 3


def test_a_date_is_counted_from_the_endpoints_own_clock(waits):
    dates = {"Retry-After": "Sun, 06 Nov 1994 08:49:57 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"}
    go(lambda body, nth: Say(status=503, body=b"", headers=dates) if nth == 0 else Say(GOOD))
    assert 20 <= max(waits) < 21


@pytest.mark.parametrize(
    ("say", "calls", "says"),
    [
        (Say(status=401, body={"error": {"message": "no"}}), 1, "OPENAI_API_KEY"),
        (Say(status=404, body={"error": {"message": "no model m", "code": "model_not_found"}}), 1, "no model"),
    ],
)
def test_what_is_fatal_costs_one_call(say, calls, says):
    found, served = go(lambda body, nth: say, 50)
    assert isinstance(found, FatalError) and says in str(found)
    assert len(served.bodies) == calls


def test_a_fatal_answer_in_the_middle_keeps_what_came_before():
    got = []

    async def run():
        async with serving(lambda body, nth: Say(GOOD) if "task 3" not in key(body) else TRUTH_401) as served:
            endpoint = Endpoint(base_url=served.url, concurrency=1)
            async with Client(endpoint) as client:
                tasks = call_plan.tasks(CARD, Params(), items(9))
                async for one in runner.run(CARD, "m", Params(), client, tasks, endpoint=endpoint):
                    got.append(one)

    TRUTH_401 = Say(status=401, body={"error": {"message": "revoked"}})
    with pytest.raises(FatalError, match="revoked"):
        asyncio.run(run())
    assert [j.task.key for j in of(got, FinishedJudgment)] == ["i0", "i1", "i2"]


@pytest.mark.parametrize("say", [TRUTH["500"], TRUTH["broken"]])
def test_a_run_that_only_fails_ends_early(say):
    found, served = go(lambda body, nth: say, 400, tries=2)
    assert isinstance(found, FatalError) and "20 calls failed one after the other" in str(found)
    assert len(served.bodies) < 20 * 2 + 2 * 8 + 8


def test_what_is_there_is_not_asked_again_unless_it_failed():
    answers = {
        "i1": {"": CallReply("i1", "", 0, "", GOOD)},
        "i2": {"": CallReply("i2", "", 0, "", "", "api_error", "the endpoint failed")},
    }
    found, served = go(lambda body, nth: Say(GOOD), 4, stored=lambda task: answers.get(task.key))
    assert {a.key for a in of(found, CallReply)} == {"i0", "i2", "i3"}
    assert {j.task.key: j.reading.unscored for j in of(found, FinishedJudgment)} == dict.fromkeys(
        ["i0", "i1", "i2", "i3"]
    )
    assert len(served.bodies) == 3


def test_a_run_that_is_stopped_goes_on_without_asking_twice():
    kept = {}

    async def run():
        async with serving(lambda body, nth: Say(GOOD, after=0.002)) as served:
            for most in (7, 20, 10_000):
                stop = asyncio.Event()
                endpoint = Endpoint(base_url=served.url, concurrency=4)
                last = None
                async with Client(endpoint) as client:
                    left = (t for t in call_plan.tasks(CARD, Params(), items(60)) if t.key not in kept)
                    async for one in runner.run(CARD, "m", Params(), client, left, endpoint=endpoint, stop=stop):
                        if isinstance(one, FinishedJudgment):
                            assert one.task.key not in kept
                            kept[one.task.key] = one
                        if len(kept) >= most:
                            stop.set()
                        last = one
                ended = isinstance(last, RunNotice) and last.sort == "stopped"
                assert ended == (most < 60)
            return served

    served = asyncio.run(run())
    assert len(kept) == 60
    assert set(served.times.values()) == {1}  # calls under way were let in when it was stopped


def test_calls_that_outlast_the_grace_leave_no_row():
    done = []

    def script(body, nth):
        return Say(GOOD) if "task 0" in key(body) else Say(hang=True)

    async def run():
        async with serving(script) as served:
            endpoint = Endpoint(base_url=served.url, concurrency=4)
            async with Client(endpoint) as client:
                tasks = call_plan.tasks(CARD, Params(), items(20))
                async for one in runner.run(
                    CARD, "m", Params(), client, tasks, endpoint=endpoint, stop=lambda: bool(done), grace=0.02
                ):
                    done.append(one)

    asyncio.run(run())
    assert [type(one) for one in done] == [CallReply, FinishedJudgment, *[Charge] * 4, RunNotice]
    assert {(c.tokens_out, c.estimated) for c in of(done, Charge)} == {(2048, True)}, "they may have to be paid for"


def test_a_spending_limit_is_not_passed():
    price = (10_000.0, 10_000.0)  # $ .01 a token: a call of 100 + 20 tokens costs $1.20
    budget = Budget(20.0, price)
    params = Params(max_tokens=50)
    found, served = go(lambda body, nth: Say(GOOD), 100, budget=budget, params=params, concurrency=3)
    assert found[-1].sort == "spent" and "$20.00" in found[-1].text
    assert budget.spent == pytest.approx(1.2 * len(of(found, CallReply))) and budget.spent <= 20
    assert len(served.bodies) == len(of(found, CallReply)) >= 5
    assert budget.open == pytest.approx(0)


def test_a_limit_on_what_costs_nothing_slows_nothing_down():
    async def go():
        async with serving(lambda body, nth: Say(GOOD, after=0.02)) as served:
            found = await ran(served, 12, budget=Budget(1.0, (0.0, 0.0)), concurrency=6)
            return len(of(found, FinishedJudgment)), served.most

    judged, most = asyncio.run(go())
    assert judged == 12 and most > 1


def test_a_limit_below_one_call_asks_nothing():
    found, served = go(lambda body, nth: Say(GOOD), 5, budget=Budget(0.01, (1e4, 1e4)))
    assert [n.sort for n in found] == ["spent"] and not served.bodies


def test_the_manner_is_found_once_and_remembered():
    def script(body, nth):
        sort = body.get("response_format", {}).get("type")
        if sort:
            return Say(status=400, body={"error": {"message": f"response_format {sort} is not supported"}})
        assert "score" in body["messages"][-1]["content"]  # the shape is said in words
        return Say(GOOD)

    capabilities = {}
    found, served = go(script, 10, capabilities=capabilities)
    assert len(served.bodies) == 12 and list(capabilities.values()) == ["text"]
    assert {a.mode for a in of(found, CallReply)} == {"text"}
    assert [a.tries for a in of(found, CallReply)] == [1] * 10
    assert [n.sort for n in of(found, RunNotice)] == ["manner", "manner"]


def test_a_manner_that_no_longer_holds_is_found_anew():
    class Same(dict):  # whatever the endpoint's address
        def get(self, name, default=None):
            return "json_schema"

        def __contains__(self, name):
            return True

    def script(body, nth):
        return Say(status=400, body={"error": "no json_schema"}) if "response_format" in body else Say(GOOD)

    capabilities = Same()
    found, _ = go(script, 10, capabilities=capabilities, concurrency=4)
    assert [j.reading.unscored for j in of(found, FinishedJudgment)] == [None] * 10
    assert list(capabilities.values()) == ["text"]


def test_an_endpoint_that_pays_no_heed_to_the_format_is_asked_in_words():
    def script(body, nth):
        return Say("Fine." if "response_format" in body else GOOD)

    capabilities = {}
    found, served = go(script, 10, capabilities=capabilities)
    assert [j.reading.unscored for j in of(found, FinishedJudgment)] == [None] * 10
    assert len(served.bodies) == 12 and list(capabilities.values()) == ["text"]


def test_a_model_that_only_speaks_prose_is_unreadable_and_keeps_the_schema():
    capabilities = {}
    found, served = go(lambda body, nth: Say("Fine."), 10, capabilities=capabilities)
    assert [j.reading.unscored for j in of(found, FinishedJudgment)] == ["unreadable"] * 10
    assert len(served.bodies) == 12 and list(capabilities.values()) in ([], ["json_schema"])
    assert sum("response_format" in body for body in served.bodies) == 11


def long():
    turns = [Turn(turn=n, role=role, text=f"words {n}") for n in range(1, 15) for role in ("user", "assistant")]
    return Dialogue(id="d", kind="dialogue", turns=turns)


def test_pieces_are_asked_in_order_and_no_further_than_the_first_that_fails():
    card = cards()["multi_turn_dialogue"]
    card = replace(card, prompts=card.prompts or {"": "Judge."})
    params = Params()
    task = call_plan.Task("d", long())
    names = call_plan.pieces(card, params, task)
    assert len(names) == 3
    found, served = go(lambda body, nth: TRUTH["500"], params=params, card=card, tasks=[task], tries=2)
    assert [a.piece for a in of(found, CallReply)] == names[:1] and len(served.bodies) == 2
    (judged,) = of(found, FinishedJudgment)
    assert judged.reading.unscored == "api_error"


def test_a_card_without_a_prompt_is_refused():
    found, served = go(lambda body, nth: Say(GOOD), card=replace(CARD, prompts={}))
    assert "has no prompt" in str(found) and not served.bodies


def test_a_bug_is_no_answer():
    def broken(reply, item):
        raise ZeroDivisionError

    found, served = go(lambda body, nth: Say(GOOD), 50, card=replace(CARD, read=broken))
    assert "read() failed on item i" in str(found) and "ZeroDivisionError" in str(found)
    assert isinstance(found, AssayError) and len(served.bodies) < 50


def test_whoever_stops_listening_leaves_nothing_behind():
    async def run():
        async with serving(lambda body, nth: Say(GOOD)) as served:
            endpoint = Endpoint(base_url=served.url, concurrency=4)
            async with Client(endpoint) as client:
                found = runner.run(
                    CARD, "m", Params(), client, call_plan.tasks(CARD, Params(), items(99)), endpoint=endpoint
                )
                async for _ in found:
                    break
                await found.aclose()
                mine = [t for t in asyncio.all_tasks() if "_Run." in repr(t.get_coro())]
                return mine

    assert asyncio.run(run()) == []
