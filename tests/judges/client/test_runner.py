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
from tests.judges.run_cases import CARD, GOOD, collect_events, events_of, items


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Pauses between tries of a millisecond, where a test does not look at them."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_SECONDS", 0.001)


def go(script, n=1, **more):
    """(what a run of n items gave, or what it raised; what was served)"""

    async def run():
        async with serving(script) as served:
            try:
                return await collect_events(served, n, **more), served
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


def faulty_script(body, nth):
    """A fault in one call of five, of every kind, fixed by what is asked and how often it was."""
    chance = Random(f"{key(body)} {nth}")
    if json.loads(key(body))["task"] == "task 0" or chance.random() >= 0.2:
        return Say(GOOD)
    kinds = list(TRUTH)
    weights = [0.2 if kind == "timeout" else 1.0 for kind in kinds]
    return TRUTH[chance.choices(kinds, weights)[0]]


@pytest.mark.slow
def test_a_thousand_calls_with_every_fifth_at_fault():
    events, served = go(faulty_script, 1000, concurrency=64, timeout=4.0)
    judged = events_of(events, FinishedJudgment)
    assert Counter(j.task.key for j in judged) == Counter(f"i{k}" for k in range(1000))
    assert Counter(a.key for a in events_of(events, CallReply)) == Counter(f"i{k}" for k in range(1000))
    calls = {json.loads(name)["task"].split()[1]: (name, times) for name, times in served.times.items()}
    tries = {a.key: a.tries for a in events_of(events, CallReply)}
    kind_counts = Counter()
    for judgment in judged:
        name, times = calls[judgment.task.key[1:]]
        replies = [faulty_script({"messages": [{"content": name}]}, nth) for nth in range(times)]
        kinds = [next((k for k, v in TRUTH.items() if v is say), "good") for say in replies]
        assert tries[judgment.task.key] == times <= 6
        assert all(kind in PASS for kind in kinds[:-1])  # only what may pass was asked again
        end = None if kinds[-1] == "good" else ENDS.get(kinds[-1], "api_error")
        assert judgment.reading.unscored == end, (kinds, judgment.reading)
        kind_counts.update(kinds)
    assert set(kind_counts) == {*TRUTH, "good"}
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
            task_count = judgment_count = 0

            def tasks():
                nonlocal task_count
                for task in call_plan.tasks(CARD, Params(), items(500)):
                    task_count += 1
                    yield task

            endpoint = Endpoint(base_url=served.url, concurrency=4)
            async with Client(endpoint, "m") as client:
                async for event in runner.Run(CARD, Params(), client, tasks()).stream():
                    judgment_count += isinstance(event, FinishedJudgment)
                    ahead.append(task_count - judgment_count)
                    await asyncio.sleep(0)
            return task_count

    assert asyncio.run(run()) == 500
    assert max(ahead) <= 4 + (4 * 4 + 64) + 4  # under way, and what may wait to be taken


def test_a_true_reason_after_all_tries():
    events, served = go(lambda body, nth: TRUTH["500"], 3, tries=3)
    assert {(a.unscored, a.why, a.tries) for a in events_of(events, CallReply)} == {
        ("api_error", "the endpoint failed (500: oops), after 3 tries", 3)
    }
    assert all(j.reading.unscored == "api_error" for j in events_of(events, FinishedJudgment))
    assert set(served.times.values()) == {3}


@pytest.fixture
def waits(monkeypatch):
    """The seconds of every wait of a run, none of which takes any time."""
    lengths = []

    async def record_wait(event, seconds):
        lengths.append(seconds)

    monkeypatch.setattr(runner, "wait_for", record_wait)
    return lengths


def test_a_patient_endpoint_is_obeyed(waits):
    say = Say(status=429, body=b"", headers={"Retry-After": "7"})
    events, _ = go(lambda body, nth: say if nth == 0 else Say(GOOD))
    assert events_of(events, CallReply)[0].tries == 2
    assert [w for w in waits if w != runner._STOP_POLL_SECONDS] and min(
        w for w in waits if w != runner._STOP_POLL_SECONDS
    ) >= 7


@pytest.mark.usefixtures("waits")
def test_a_long_pause_is_told_once():
    say = Say(status=429, body=b"", headers={"Retry-After": "3600"})
    events, _ = go(lambda body, nth: say if nth < 2 else Say(GOOD))
    notices = [note.text for note in events_of(events, RunNotice) if "asks for a pause" in note.text]
    assert notices == [retries.describe_pause(3600.0)] and events_of(events, CallReply)[0].tries == 3


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
    budget = Budget(20.0, (1e4, 1e4))
    error, served = go(lambda body, nth: say, 50, budget=budget, params=Params(max_tokens=50))
    assert isinstance(error, FatalError) and says in str(error)
    assert len(served.bodies) == calls and (budget.spent, budget.open) == (0, 0)


def test_a_fatal_answer_in_the_middle_keeps_what_came_before():
    events = []

    async def run():
        async with serving(lambda body, nth: Say(GOOD) if "task 3" not in key(body) else TRUTH_401) as served:
            endpoint = Endpoint(base_url=served.url, concurrency=1)
            async with Client(endpoint, "m") as client:
                tasks = call_plan.tasks(CARD, Params(), items(9))
                async for event in runner.Run(CARD, Params(), client, tasks).stream():
                    events.append(event)

    TRUTH_401 = Say(status=401, body={"error": {"message": "revoked"}})
    with pytest.raises(FatalError, match="revoked"):
        asyncio.run(run())
    assert [j.task.key for j in events_of(events, FinishedJudgment)] == ["i0", "i1", "i2"]


@pytest.mark.parametrize("say", [TRUTH["500"], TRUTH["broken"]])
def test_a_run_that_only_fails_ends_early(say):
    error, served = go(lambda body, nth: say, 400, tries=2)
    assert isinstance(error, FatalError) and "20 calls failed one after the other" in str(error)
    assert len(served.bodies) < 20 * 2 + 2 * 8 + 8


def test_what_is_there_is_not_asked_again_unless_it_failed():
    answers = {
        "i1": {"": CallReply("i1", "", 0, "", GOOD)},
        "i2": {"": CallReply("i2", "", 0, "", "", "api_error", "the endpoint failed")},
    }
    events, served = go(lambda body, nth: Say(GOOD), 4, stored=lambda task: answers.get(task.key))
    assert {a.key for a in events_of(events, CallReply)} == {"i0", "i2", "i3"}
    assert {j.task.key: j.reading.unscored for j in events_of(events, FinishedJudgment)} == dict.fromkeys(
        ["i0", "i1", "i2", "i3"]
    )
    assert len(served.bodies) == 3


def test_a_run_that_is_stopped_goes_on_without_asking_twice():
    judgments = {}

    async def run():
        async with serving(lambda body, nth: Say(GOOD, after=0.002)) as served:
            for most in (7, 20, 10_000):
                stop = asyncio.Event()
                endpoint = Endpoint(base_url=served.url, concurrency=4)
                last = None
                async with Client(endpoint, "m") as client:
                    left = (t for t in call_plan.tasks(CARD, Params(), items(60)) if t.key not in judgments)
                    run = runner.Run(CARD, Params(), client, left, stop=stop.is_set)
                    async for event in run.stream():
                        if isinstance(event, FinishedJudgment):
                            assert event.task.key not in judgments
                            judgments[event.task.key] = event
                        if len(judgments) >= most:
                            stop.set()
                        last = event
                ended = isinstance(last, RunNotice) and last.sort == "stopped"
                assert ended == (most < 60)
            return served

    served = asyncio.run(run())
    assert len(judgments) == 60
    assert set(served.times.values()) == {1}  # calls under way were let in when it was stopped


def test_calls_that_outlast_the_grace_leave_no_row():
    done = []

    def script(body, nth):
        return Say(GOOD) if "task 0" in key(body) else Say(hang=True)

    async def run():
        async with serving(script) as served:
            endpoint = Endpoint(base_url=served.url, concurrency=4)
            async with Client(endpoint, "m") as client:
                tasks = call_plan.tasks(CARD, Params(), items(20))
                work = runner.Run(CARD, Params(), client, tasks, stop=lambda: bool(done), grace=0.02)
                async for event in work.stream():
                    done.append(event)

    asyncio.run(run())
    assert [type(event) for event in done] == [CallReply, FinishedJudgment, *[Charge] * 4, RunNotice]
    assert {(c.tokens_out, c.estimated) for c in events_of(done, Charge)} == {(2048, True)}, (
        "they may have to be paid for"
    )


def test_a_spending_limit_is_not_passed():
    price = (10_000.0, 10_000.0)  # $ .01 a token: a call of 100 + 20 tokens costs $1.20
    budget = Budget(20.0, price)
    params = Params(max_tokens=50)
    events, served = go(lambda body, nth: Say(GOOD), 100, budget=budget, params=params, concurrency=3)
    assert events[-1].sort == "spent" and "$20.00" in events[-1].text
    assert budget.spent == pytest.approx(1.2 * len(events_of(events, CallReply))) and budget.spent <= 20
    assert len(served.bodies) == len(events_of(events, CallReply)) >= 5
    assert budget.open == pytest.approx(0)


def test_a_limit_on_what_costs_nothing_slows_nothing_down():
    async def go():
        async with serving(lambda body, nth: Say(GOOD, after=0.02)) as served:
            events = await collect_events(served, 12, budget=Budget(1.0, (0.0, 0.0)), concurrency=6)
            return len(events_of(events, FinishedJudgment)), served.most

    judged, most = asyncio.run(go())
    assert judged == 12 and most > 1


def test_a_limit_below_one_call_asks_nothing():
    events, served = go(lambda body, nth: Say(GOOD), 5, budget=Budget(0.01, (1e4, 1e4)))
    assert [n.sort for n in events] == ["spent"] and not served.bodies


def test_the_manner_is_found_once_and_remembered():
    def script(body, nth):
        sort = body.get("response_format", {}).get("type")
        if sort:
            return Say(status=400, body={"error": {"message": f"response_format {sort} is not supported"}})
        assert "score" in body["messages"][-1]["content"]  # the shape is said in words
        return Say(GOOD)

    capabilities = {}
    events, served = go(script, 10, capabilities=capabilities)
    assert len(served.bodies) == 12 and list(capabilities.values()) == ["text"]
    assert {a.mode for a in events_of(events, CallReply)} == {"text"}
    assert [a.tries for a in events_of(events, CallReply)] == [1] * 10
    assert [n.sort for n in events_of(events, RunNotice)] == ["manner", "manner"]


def test_a_manner_that_no_longer_holds_is_found_anew():
    class Same(dict):  # whatever the endpoint's address
        def get(self, name, default=None):
            return "json_schema"

        def __contains__(self, name):
            return True

    def script(body, nth):
        return Say(status=400, body={"error": "no json_schema"}) if "response_format" in body else Say(GOOD)

    capabilities = Same()
    events, _ = go(script, 10, capabilities=capabilities, concurrency=4)
    assert [j.reading.unscored for j in events_of(events, FinishedJudgment)] == [None] * 10
    assert list(capabilities.values()) == ["text"]
    # All four calls under way meet the same two refusals: each is reported once.
    assert [n.sort for n in events_of(events, RunNotice)] == ["manner", "manner"]


def test_an_endpoint_that_pays_no_heed_to_the_format_is_asked_in_words():
    def script(body, nth):
        return Say("Fine." if "response_format" in body else GOOD)

    capabilities = {}
    events, served = go(script, 10, capabilities=capabilities)
    assert [j.reading.unscored for j in events_of(events, FinishedJudgment)] == [None] * 10
    assert len(served.bodies) == 12 and list(capabilities.values()) == ["text"]


def test_a_model_that_only_speaks_prose_is_unreadable_and_keeps_the_schema():
    capabilities = {}
    events, served = go(lambda body, nth: Say("Fine."), 10, capabilities=capabilities)
    assert [j.reading.unscored for j in events_of(events, FinishedJudgment)] == ["unreadable"] * 10
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
    events, served = go(lambda body, nth: TRUTH["500"], params=params, card=card, tasks=[task], tries=2)
    assert [a.piece for a in events_of(events, CallReply)] == names[:1] and len(served.bodies) == 2
    (judged,) = events_of(events, FinishedJudgment)
    assert judged.reading.unscored == "api_error"


def test_a_card_without_a_prompt_is_refused():
    error, served = go(lambda body, nth: Say(GOOD), card=replace(CARD, prompts={}))
    assert "has no prompt" in str(error) and not served.bodies


def test_a_bug_is_no_answer():
    def broken(reply, item):
        raise ZeroDivisionError

    error, served = go(lambda body, nth: Say(GOOD), 50, card=replace(CARD, read=broken))
    assert "read() failed on item i" in str(error) and "ZeroDivisionError" in str(error)
    assert isinstance(error, AssayError) and len(served.bodies) < 50


def test_whoever_stops_listening_leaves_nothing_behind():
    async def run():
        async with serving(lambda body, nth: Say(GOOD)) as served:
            endpoint = Endpoint(base_url=served.url, concurrency=4)
            async with Client(endpoint, "m") as client:
                tasks = call_plan.tasks(CARD, Params(), items(99))
                stream = runner.Run(CARD, Params(), client, tasks).stream()
                async for _ in stream:
                    break
                await stream.aclose()
                tasks = [t for t in asyncio.all_tasks() if "Run._" in repr(t.get_coro())]
                return tasks

    assert asyncio.run(run()) == []
