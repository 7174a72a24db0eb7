"""A run whose process is killed, three times, at an endpoint where a fifth of the calls goes wrong.

Where several processes share the store, the next one has to wait until the lease of the killed one runs out.
300 calls, or as many as ASSAY_KILL_CALLS says. What may be asked again is what the endpoint had answered and the killed
process had not stored yet; a call whose reply is stored is never asked again, unless it was an api_error.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from data.store import Store, open_store
from judges.cards import card
from judges.practice.model import call_key
from judges.protocols.call_plan import Task, build_request
from judges.types import ITEM
from tests import seeds
from tests.fork_server import Forked
from tests.practice.faults import plan_fault
from tests.practice_server import practice

ROOT = Path(__file__).resolve().parents[3]
CALLS = int(os.environ.get("ASSAY_KILL_CALLS", "300"))
CARD, MODEL = card("multi_turn_dialogue"), "practice-constant"
FAULTS = (
    "429=0.02:0,500=0.02,503=0.01:0,timeout=0.01,reset=0.03,bad_body=0.01,html=0.01,bad_json=0.02,two_json=0.01,"
    "cut_off=0.02,refused=0.02,empty=0.01,out_of_range=0.01,wrong_schema=0.01,prose_around=0.02"
)
TRUE = {
    "": {""}, "prose_around": {""}, "bad_json": {"unreadable", "cut_off"}, "two_json": {"unreadable"},
    "cut_off": {"cut_off"}, "refused": {"refused"}, "empty": {"unreadable"},
    "out_of_range": {"out_of_range", "incomplete"},  # the number may be that of a turn
    "wrong_schema": {"incomplete"},
}  # fmt: skip
CHILD = """
import sys
import time
from datetime import timedelta
from data.records import datasets
from data.runs import leases, runs
from data.runs.run_config import RunConfig
from data.store import open_store
from judges.cards import card
from judges.client.endpoint import Endpoint
url, run_id = sys.argv[1:]
store = open_store()
leases.LEASE_DURATION, leases.RENEW_SECONDS = timedelta(seconds=2), 0.5
made = card("multi_turn_dialogue")
if run_id == "new":
    endpoint = Endpoint(base_url=url, tries=3, concurrency=16, timeout=4.0)
    dataset = datasets.dataset_named(store, "demo").id
    run_id = runs.start(store, "lea", RunConfig(dataset, made, "practice-constant", made.defaults, endpoint))
else:
    while run_id in leases.runs_elsewhere(store):
        time.sleep(0.05)
    runs.resume(store, "lea", run_id)
end = runs.wait(store, run_id)
print(end.state, end.done, end.total)
store.close()
"""


def keys(store: Store) -> dict[str, str]:
    """The name under which the endpoint knows the call about an item, by the item's id."""
    names = {}
    for item, content in store.rows("select id, content from item"):
        request = build_request(CARD, CARD.defaults, Task(item, ITEM.validate_json(content)), "", {}, "json_schema")
        names[str(item)] = call_key({"model": MODEL}, request.messages[-1]["content"])
    return names


@pytest.mark.slow
def test_three_kills_lose_nothing_and_ask_nothing_twice_that_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    workspace = seeds.workspace(path, [seeds.dialogue(n) for n in range(1, CALLS + 1)])
    workspace.close()
    environment = {**os.environ, "ASSAY_STORE": workspace.url, "PYTHONPATH": str(ROOT)}
    stored_at: list[dict[str, int]] = []
    losses = 0
    with practice(FAULTS, latency_ms=100) as server:

        def child(run_id: str) -> subprocess.Popen[str]:
            command = [sys.executable, "-c", CHILD, server.url, run_id]
            return Forked(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)

        run_id = "new"
        for quarter in (1, 2, 3):
            process = child(run_id)
            while server.log.answered < CALLS * quarter / 4 and process.poll() is None:
                time.sleep(0.005)
            assert process.poll() is None, "it ended before it could be killed"
            process.kill()
            process.wait()
            store = open_store(f"duckdb:///{path}")
            named = keys(store)
            rows = store.rows("select item_id from reply where unscored <> 'api_error'")
            stored_at.append({named[str(i)]: server.log.calls[named[str(i)]].asked for (i,) in rows})
            losses += sum(c.answered for c in server.log.calls.values()) - _count_answered(
                server.log.calls, stored_at[-1]
            )
            run_id = str(store.rows("select id from run")[0][0])
            store.close()
        last = child(run_id)
        out, _ = last.communicate()
        assert out.split() == ["finished", str(CALLS), str(CALLS)]

        store = open_store(f"duckdb:///{path}")
        named = keys(store)
        # Nothing whose reply was stored was asked again after that kill.
        for before in stored_at:
            assert {key: server.log.calls[key].asked for key in before} == before
        assert [len(b) for b in stored_at] == sorted(len(b) for b in stored_at) and stored_at[0]
        # One reply and one judgment that hold for each item, and nothing else but calls that failed.
        usable = "select item_id, count(*) from {} where unscored <> 'api_error' group by item_id having count(*) > 1"
        assert store.rows(usable.format("reply")) == [] == store.rows(usable.format("judgment"))
        assert store.rows("select item_id from score group by item_id, unit, dimension having count(*) > 1") == []
        # Scored, or unscored with the true reason: that of the last time that it was asked.
        reasons: Counter[str] = Counter()
        for item, unscored in store.rows(
            "select item_id, unscored from (select item_id, unscored, row_number() over (partition by item_id "
            "order by case when unscored = '' then 0 else 1 end, seq desc, id desc) n from judgment) r where n = 1"
        ):
            fault = plan_fault(server.options, named[str(item)], server.log.calls[named[str(item)]].asked)
            name = "" if fault is None else fault.name
            assert str(unscored) in TRUE.get(name, {"api_error"}), (name, unscored)
            reasons[str(unscored)] += 1
        store.close()
    assert sum(reasons.values()) == CALLS and len(reasons) >= 4
    print(f"{CALLS} calls, {losses} answers lost unstored in three kills; {dict(reasons)}; faults {server.log.faults}")


def _count_answered(calls: dict[str, object], stored: dict[str, int]) -> int:
    return sum(calls[key].answered for key in stored)  # type: ignore[attr-defined]
