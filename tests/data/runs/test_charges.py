"""A spending limit holds over all starts of a run, whatever an endpoint tells of its usage and however a start ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.records import datasets, people
from data.records.tables import RunEventRow
from data.runs import batches, charges, runs
from data.runs.charges import RunCost
from data.runs.dry_runs import list_models
from data.runs.run_config import RunConfig, RunProgress
from data.store import Store, Tx, open_store
from data.store.errors import BadInput, NotAllowed
from data.store.ids import new_id
from data.trail import trail
from data.workspace.verify import verify
from judges.cards import card
from judges.client.budget import dollars
from judges.client.client import ClientReply
from judges.client.endpoint import Endpoint
from judges.client.usage import tokens_billed, tokens_used
from judges.protocols.call_plan import CallReply, ChatRequest
from tests import seeds
from tests.data.runs.test_runs import GOOD, scripted_source
from tests.fork_server import Forked
from tests.judges.cli.test_run import serve_in_thread
from tests.judges.endpoint import Say, Served
from tests.practice_server import practice

ROOT = Path(__file__).resolve().parents[3]
CARD = card("multi_turn_dialogue")
PARAMS = CARD.defaults.model_copy(update={"max_tokens": 1000})
PRICE, LIMIT = (2.0, 10.0), 0.15
REPLY = GOOD[0]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Forty dialogues that nobody has judged, a lead and an annotator."""
    opened = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(n) for n in range(1, 41)])
    yield opened
    runs.close(opened)
    opened.close()


def config(store: Store, url: str, **changes: Any) -> RunConfig:
    endpoint = Endpoint(base_url=url, **{"tries": 2, "concurrency": 4, "timeout": 5.0} | changes.pop("endpoint", {}))
    options = {"spending_limit": LIMIT, "price": PRICE} | changes
    return RunConfig(datasets.dataset_named(store, "demo").id, CARD, "m", PARAMS, endpoint, **options)


def endpoint_bill(endpoint: Served, usage: tuple[int, int] | None = None) -> float:
    """What the endpoint would ask for: by the usage that it tells, or a token for four characters."""
    if usage:
        return len(endpoint.bodies) * (usage[0] * PRICE[0] + usage[1] * PRICE[1]) / 1e6
    sent = sum(len(message["content"]) for body in endpoint.bodies for message in body["messages"]) / 4
    return (sent * PRICE[0] + len(endpoint.bodies) * len(REPLY) / 4 * PRICE[1]) / 1e6


def end(store: Store, run_id: str, limit: float | None = None) -> RunProgress:
    runs.resume(store, "lea", run_id, limit=limit)
    return runs.wait(store, run_id)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("usage", "estimated"),
    [
        ({"prompt_tokens": 2000, "completion_tokens": 400}, False),
        (None, True),
        ({"prompt_tokens": 10**15, "completion_tokens": 10**15}, True),
    ],
    ids=lambda value: str(value)[:60],
)
def test_five_starts_together_do_not_pass_the_limit(store: Store, usage: Any, estimated: bool) -> None:
    """Whatever else an endpoint may tell is read as nothing told (tests/judges/client/test_client.py)."""

    def say(body: dict[str, Any], nth: int) -> Say:
        choice = {"finish_reason": "stop", "message": {"content": REPLY}}
        return Say(body={"model": "m", "choices": [choice], "usage": usage})

    with serve_in_thread(say) as endpoint:
        run_id = runs.start(store, "lea", config(store, endpoint.url))
        first = runs.wait(store, run_id)
        calls = len(endpoint.bodies)
        for _ in range(4):
            last = end(store, run_id)
        tokens = (2000, 400) if not estimated else None
        assert 0 < endpoint_bill(endpoint, tokens) <= LIMIT and len(endpoint.bodies) == calls >= 2
        assert last.cost is not None and endpoint_bill(endpoint, tokens) * 0.99 <= last.cost <= LIMIT
        assert (last.cost, last.estimated, last.limit, last.open) == (first.cost, estimated, LIMIT, 0.0)
        assert last.state == "stopped" and f"limit of $0.15 ends the run: {dollars(last.cost)} is spent" in last.why
        (listed,) = runs.list_runs(store)
        assert (listed.cost, listed.estimated, listed.limit) == (last.cost, estimated, LIMIT)
        with pytest.raises(BadInput, match=rf"^{'About ' * estimated}\$0\.1\d* is spent so far"):
            runs.resume(store, "lea", run_id, limit=0.05)
        # A higher limit lets it go on, and holds in its turn.
        higher = end(store, run_id, 0.3)
        assert higher.done > last.done and LIMIT < (higher.cost or 0.0) <= 0.3 and higher.limit == 0.3
        assert end(store, run_id, 50.0).done == 40 and endpoint_bill(endpoint, tokens) <= 50
    assert verify(store) == []


@pytest.mark.parametrize("concurrency", [4, 256])
def test_calls_that_cost_more_than_their_most_pass_the_limit_by_no_more_than_one(
    store: Store, concurrency: int
) -> None:
    """An endpoint that counts four times the tokens that a call sends, and thinks past its limit."""
    usage = (20_000, 3_000)
    call_cost = (usage[0] * PRICE[0] + usage[1] * PRICE[1]) / 1e6
    with serve_in_thread(lambda body, nth: Say(REPLY, usage=usage, after=0.02)) as endpoint:
        first = config(store, endpoint.url, endpoint={"concurrency": concurrency})
        for run_config in (first, replace(first, params=PARAMS.model_copy(update={"temperature": 0.5}))):
            endpoint.bodies.clear()
            run_id = runs.start(store, "lea", run_config)  # the second time, how the model is asked is known
            runs.wait(store, run_id)
            for _ in range(3):
                last = end(store, run_id)
            assert LIMIT - call_cost < endpoint_bill(endpoint, usage) <= LIMIT + call_cost
            assert last.cost == pytest.approx(endpoint_bill(endpoint, usage)) and last.state == "stopped"


def test_tries_that_may_have_to_be_paid_for_count(store: Store) -> None:
    """A broken body is counted at its most, a refusal is not."""

    def say(body: dict[str, Any], nth: int) -> Say:
        return Say(status=429, headers={"Retry-After": "0"}) if nth % 2 else Say(body=b'{"choices": [')

    with serve_in_thread(say) as endpoint:
        run_id = runs.start(store, "lea", config(store, endpoint.url))
        progress = runs.wait(store, run_id)
        for _ in range(4):
            progress = end(store, run_id)
        broken = sum((n + 1) // 2 for n in endpoint.times.values())
        rows = store.rows("select sort, sum(calls), sum(tokens_out), min(estimated) from charge group by sort")
        assert rows == [("try", broken, broken * 1000, True)]
        assert (
            progress.cost is not None
            and broken * 0.01 < progress.cost <= LIMIT
            and progress.scored == 0
            and progress.estimated
        )


def test_the_call_that_tries_an_endpoint_is_charged_at_each_start(store: Store) -> None:
    with serve_in_thread(lambda body, nth: Say(REPLY, usage=(2000, 400))) as endpoint:
        run_id = runs.start(store, "lea", replace(config(store, endpoint.url), model="not listed"))
        runs.wait(store, run_id)
        for tries, limit in ((2, 0.2), (3, 0.3)):
            assert end(store, run_id, limit).cost == pytest.approx(endpoint_bill(endpoint, (2000, 400)))
            questions = [body["messages"][-1]["content"] for body in endpoint.bodies]
            assert questions.count("Answer with the word yes.") == tries


CHILD = """
import sys
from data.records import datasets
from data.runs import runs
from data.store import open_store
from tests.data.runs.test_charges import config
url, run_id = sys.argv[1:]
store = open_store()
if run_id == "new":
    run_id = runs.start(store, "lea", config(store, url))
else:
    runs.resume(store, "lea", run_id)
print(runs.wait(store, run_id).state)
store.close()
"""


@pytest.mark.slow
@pytest.mark.duckdb_only("its lease would have to run out first; test_run_kills.py waits for that")
def test_kills_do_not_forget_what_was_under_way(tmp_path: Path) -> None:
    """Three starts that are killed while calls are out: what the endpoint was asked for stays below the limit."""
    path = tmp_path / "a.duckdb"
    seeds.workspace(path, [seeds.dialogue(n) for n in range(1, 41)]).close()
    environment = {**os.environ, "ASSAY_STORE": f"duckdb:///{path}", "PYTHONPATH": str(ROOT)}
    slow = 0

    def say(body: dict[str, Any], nth: int) -> Say:
        return Say(REPLY, usage=(2000, 1000), after=0.0 if len(endpoint.bodies) <= slow else 20.0)

    with serve_in_thread(say) as endpoint:
        run_id = "new"
        for _ in range(3):
            before = len(endpoint.bodies)
            slow = before + 2
            child = Forked(
                [sys.executable, "-c", CHILD, endpoint.url, run_id], cwd=ROOT, env=environment, stdout=subprocess.PIPE
            )
            while len(endpoint.bodies) < before + 4 and child.poll() is None:
                time.sleep(0.005)
            child.kill()
            child.communicate()
            store = open_store(f"duckdb:///{path}")
            run_id = str(store.rows("select id from run")[0][0])
            now = runs.run_progress(store, run_id)
            paid = endpoint_bill(endpoint, (2000, 1000))
            assert paid <= LIMIT and paid <= (now.cost or 0.0) + now.open + 1e-9
            store.close()
        assert len(endpoint.bodies) >= 6
    store = open_store(f"duckdb:///{path}")
    assert verify(store) == []
    store.close()


def test_a_cost_is_known_where_all_of_it_was_stored_with_a_price_or_one_is_given(store: Store) -> None:
    call = CallReply("k", "", 0, "", "", tokens_in=1000, tokens_out=100)
    for run_id, prices in (("priced", [PRICE]), ("bare", [None]), ("mixed", [PRICE, None])):
        for price in prices:
            store.tx("lea", "test", lambda tx, to=run_id, at=price: charges.add_charge(tx, to, [call], at))
    cost = pytest.approx(0.003)
    costs = {key: charges.run_cost(store, key, None).cost for key in ("priced", "bare", "mixed", "none")}
    assert costs == {"priced": cost, "bare": None, "mixed": None, "none": None}
    for side in ("tokens_in", "tokens_out"):
        part = CallReply("k", "", 0, "", "", **{side: 7})
        for at, price in ((call, PRICE), (part, None)):
            store.tx("lea", "test", lambda tx, at=at, to=side, price=price: charges.add_charge(tx, to, [at], price))
        assert charges.run_cost(store, side, None).cost is None, "tokens of one side have no price, either"
    nothing = charges.run_cost(store, "none", None)
    assert (nothing.calls, nothing.tokens_in, nothing.tokens_out, nothing.open) == (0, 0, 0, 0)
    costs = {key: charges.run_cost(store, key, PRICE).cost for key in ("priced", "bare", "mixed", "none")}
    assert costs == {"priced": cost, "bare": cost, "mixed": pytest.approx(0.006), "none": 0.0}


def test_what_was_under_way_when_a_process_ended_is_charged_at_its_most_by_the_next_start(store: Store) -> None:
    run_id = runs.start(store, "lea", config(store, "http://127.0.0.1:9"), source=scripted_source(most=2))
    assert runs.wait(store, run_id).state == "stopped"

    def cut_off(tx: Tx) -> None:
        """What a killed process leaves: the row of its start, and what its calls might cost."""
        tx.append([RunEventRow(new_id(), run_id, "started", "resumed")])
        charges.add_hold(tx, run_id, 0.07)

    store.tx("lea", "test", cut_off)
    assert runs.run_progress(store, run_id).open == pytest.approx(0.07)
    runs.resume(store, "lea", run_id, source=scripted_source())
    end = runs.wait(store, run_id)
    assert (end.state, end.cost, end.open) == ("finished", pytest.approx(0.07), 0.0)
    lost_charges = store.rows("select calls, tokens_in, tokens_out, cost, estimated from charge where sort = 'lost'")
    assert lost_charges == [(0, 0, 0, pytest.approx(0.07), True)]


def test_a_limit_that_makes_no_sense_is_refused_in_a_sentence(store: Store) -> None:
    people.set_person(store, "lea", "rae", "researcher")
    with serve_in_thread(lambda body, nth: Say(REPLY, usage=(2000, 400))) as endpoint:
        for limit in (0.0, -1.0, float("nan"), float("inf")):
            with pytest.raises(BadInput, match="above 0"):
                runs.start(store, "lea", config(store, endpoint.url, spending_limit=limit))
        with pytest.raises(BadInput, match="price is two amounts"):
            runs.start(store, "lea", config(store, endpoint.url, price=(-1.0, 1.0)))
        run_id = runs.start(store, "lea", config(store, endpoint.url))
        spent = runs.wait(store, run_id).cost or 0.0
        calls = len(endpoint.bodies)
        for limit, message in ((spent / 2, f"{dollars(spent)} is spent so far"), (float("nan"), "above 0")):
            with pytest.raises(BadInput, match=message.replace("$", r"\$")):
                runs.resume(store, "lea", run_id, limit=limit)
        with pytest.raises(NotAllowed):
            runs.resume(store, "ann", run_id, limit=5.0)
        assert runs.run_progress(store, run_id).limit == LIMIT and len(endpoint.bodies) == calls
        runs.resume(store, "rae", run_id, limit=0.2)
        runs.wait(store, run_id)
        entries = [part for entry in trail.all_entries(store, trail.TrailFilter(("runs",))) for part in [str(entry)]]
        assert any("gave a run a spending limit of $0.20" in part for part in entries)
        bare = replace(config(store, endpoint.url, price=None, spending_limit=None), model="n")
        unpriced = runs.start(store, "lea", bare)
        assert runs.wait(store, unpriced).cost is None
        with pytest.raises(BadInput, match="price of n is not known"):
            runs.resume(store, "lea", unpriced, limit=1.0)


def test_trials_are_counted_and_keep_the_limit(store: Store) -> None:
    with serve_in_thread(lambda body, nth: Say(REPLY, usage=(2000, 400))) as endpoint:
        endpoint.models = {"data": [{"id": "another"}]}  # a check before each start then asks a short call
        runs.dry_run(store, "lea", config(store, endpoint.url))
        assert charges.trial_costs(store)[0].calls == len(endpoint.bodies) == 3
        with pytest.raises(BadInput, match=r"limit of \$0\.01 ends the run"):
            runs.dry_run(store, "lea", config(store, endpoint.url, spending_limit=0.01))
        assert len(endpoint.bodies) == 3
        run_id = runs.start(store, "lea", config(store, endpoint.url))
        runs.wait(store, run_id)
        for _ in range(4):
            last = end(store, run_id)
        calls = len(endpoint.bodies) - 3
        assert store.rows("select sum(calls) from charge where run_id <> ''") == [(calls,)]
        assert last.cost == pytest.approx(calls * 0.008) and last.cost <= LIMIT
        assert store.rows("select sum(calls) from charge where run_id <> '' and sort = 'trial'")[0][0] >= 1


def test_trials_at_a_price_are_told_though_others_have_none(store: Store) -> None:
    with serve_in_thread(lambda body, nth: Say(REPLY, usage=(2000, 400))) as endpoint:
        assert charges.trial_costs(store) == (RunCost(cost=0.0), 0)
        priced = config(store, endpoint.url)
        runs.dry_run(store, "lea", priced, 2)
        spent = charges.trial_costs(store)
        assert spent == (RunCost(2, 4000, 800, pytest.approx(0.016)), 0)
        runs.dry_run(store, "lea", replace(priced, model="n", price=None, spending_limit=None))
        assert charges.trial_costs(store) == (spent[0], 3)


def test_a_dry_run_tries_a_call_twice_at_most(store: Store) -> None:
    with serve_in_thread(lambda body, nth: Say(status=429, headers={"Retry-After": "0"})) as endpoint:
        [judgment] = runs.dry_run(store, "lea", config(store, endpoint.url, endpoint={"tries": 5}), n=1)
        assert judgment.reading.unscored == "api_error" and len(endpoint.bodies) == 2


def test_an_endpoint_that_is_not_ready_is_named_and_what_its_trial_may_cost_is_charged(store: Store) -> None:
    with serve_in_thread(lambda body, nth: Say(status=504)) as endpoint:
        endpoint.models = {"data": [{"id": "another"}]}
        run_config, unanswered = (
            config(store, endpoint.url),
            "The endpoint does not answer just now: .* Try again in a while",
        )
        with pytest.raises(BadInput, match=unanswered):
            runs.start(store, "lea", run_config)
        spent, _ = charges.trial_costs(store)
        assert (spent.calls, spent.tokens_out, len(endpoint.bodies)) == (1, 1000, 1) and spent.tokens_in > 0
        with pytest.raises(BadInput, match=r"^The endpoint does not answer"):
            runs.start(store, "lea", replace(run_config, spending_limit=0.02))
        assert charges.trial_costs(store)[0].calls == len(endpoint.bodies) == 2
        endpoint.models = Say(status=503)
        with pytest.raises(BadInput, match=unanswered):
            list_models(run_config.endpoint)
        assert store.rows("select count(*) from run") == [(0,)]


def test_a_batch_is_charged_as_its_results_come(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "POLL_SECONDS", 0.02)
    with practice(batch_seconds=0.02) as server:
        run_config = config(store, server.url, price=(0.0, 100.0), spending_limit=0.5, batch=True)
        run_id = runs.start(store, "lea", replace(run_config, model="practice-constant"))
        progress = runs.wait(store, run_id)
        for _ in range(4):
            progress = end(store, run_id)
        assert progress.state == "stopped" and progress.cost is not None and 0 < progress.cost <= 0.5
        assert progress.cost == pytest.approx(store.rows("select sum(tokens_out) from reply")[0][0] * 100 / 1e6)
        assert verify(store) == []


@pytest.mark.parametrize(
    ("usage", "raw", "cut", "expected"),
    [
        ((100, 20), "x" * 30, False, (100, 20, False)),
        ((0, 20), "x" * 30, False, (50, 20, True)),
        ((100, 0), "x" * 30, False, (100, 14, True)),
        ((100, 0), "", False, (100, 0, False)),
        ((0, 0), "", False, (50, 1000, True)),
        ((0, 0), "x" * 30, True, (50, 1000, True)),
        ((10**9, 10**9), "x" * 30, False, (50, 14, True)),
        ((0, 0), "x" * 90_000, False, (50, 1000, True)),
    ],
)
def test_usage_by_hand(usage: tuple[int, int], raw: str, cut: bool, expected: tuple[int, int, bool]) -> None:
    size: Callable[[], int] = lambda: 50  # noqa: E731
    reply = ClientReply(raw, "m", *usage, (), "text", "cut_off" if cut else None)
    assert tokens_used(reply, 200, size, 1000) == expected


@pytest.mark.parametrize(("unscored", "out"), [("cut_off", 1000), ("refused", 14), (None, 14)])
def test_a_reply_that_was_cut_off_is_charged_all_that_it_may_have_taken(unscored: Any, out: int) -> None:
    request = ChatRequest([{"role": "user", "content": "x" * 200}], None, CARD.name)
    came = ClientReply("x" * 30, "m", 0, 0, (), "text", unscored)
    assert tokens_billed(came, request, "text", 1000)[1:] == (out, True)
