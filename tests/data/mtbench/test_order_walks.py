"""Random orders of MT-Bench's protocols: answered, judged, stopped, limited and resumed in any order.

After each step all that was asked is charged, nothing is asked twice that could be read, and no limit is passed.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.mtbench import answers, protocol_run, questions
from data.mtbench.answers import ProtocolRun, Step
from data.records import people
from data.runs import runs, worker
from data.store import Store, open_store
from data.workspace.verify import verify
from judges.client import retries
from judges.client.endpoint import Endpoint
from judges.errors import AssayError
from judges.mtbench.protocol import protocols
from judges.mtbench.records import Bench, BenchQuestion
from tests.data.mtbench.recorder import answering, recording
from tests.judges.endpoint import Say, Served

pytestmark = pytest.mark.slow
STEPS = 20
FASTCHAT = protocols()["fastchat"]
SHORT = protocols()["swallow"].model_copy(update={"name": "short", "samples": 2})
BENCH = Bench(
    {
        "81": BenchQuestion("81", "writing", ("Write a post.", "Make it short.")),
        "111": BenchQuestion("111", "math", ("1+1?", "2+2?"), ("own 2", "own 4")),
        "7": BenchQuestion("7", "math", ("Roll a die.", "Again."), (), 0.5),
    },
    references={"j": {"111": ("It is 2", "It is 4")}},
)


class Walk:
    """One walk through one workspace, at an endpoint of which a share of the calls fails as long as `failing` says."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store, self.chance, self.failing = store, random.Random(seed), 0.0
        self.failed_calls = 0
        self.questions = questions.keep_questions(store, "lea", "question.jsonl", BENCH).id
        self.served: Served

    def answer(self, body: dict[str, Any], nth: int) -> Say:
        if self.chance.random() < self.failing:
            self.failed_calls += 1
            return Say(status=500)
        return replace(answering(body, nth), usage=(100, 20))

    def order(self) -> ProtocolRun:
        protocol = self.chance.choice([FASTCHAT, FASTCHAT, SHORT])
        tries, concurrency = self.chance.choice([1, 2]), self.chance.choice([1, 3])
        at = Endpoint(base_url=self.served.url, tries=tries, concurrency=concurrency)
        answered = self.chance.random() < 0.85
        question_set, model = (self.questions, self.chance.choice(["m", "m2"])) if answered else ("", "")
        judge = self.chance.choice(["j", "j", ""]) if answered else "j"
        limit = self.chance.choice([None, 2_500.0, 5_000.0, 9_000.0, 40_000.0])
        pairs, prices = self.chance.random() < 0.3, ((1e6, 1e6), (1e6, 1e6))
        dataset = f"answers {protocol.name}"
        return ProtocolRun(protocol, dataset, question_set, model, judge, pairs, (), at, at, limit, *prices)

    def run_order(self) -> None:
        """Give an order, with some of its calls failing, or stopped after a few of them."""
        order, resumes = self.order(), self.chance.random() < 0.8
        self.failing = self.chance.choice([0.0, 0.0, 0.0, 0.2, 0.5])
        calls_before_stop = self.chance.choice([None, None, None, 1, 4])
        planned = sum(planned.estimate.calls for planned in protocol_run.plan(self.store, order))
        cost_before, calls_before = self.cost(order), len(self.served.bodies)
        states = []
        try:
            for _, run_id in protocol_run.steps(self.store, "lea", order, resumes):
                if calls_before_stop is not None:
                    self.stop_after(run_id, calls_before_stop)
                states.append(runs.wait(self.store, run_id).state)
        finally:
            if resumes and order.spending_limit is not None:
                assert self.cost(order) <= max(cost_before, order.spending_limit) + 1e-6
        if not self.failing and set(states) == {"finished"}:
            assert [p.step for p in protocol_run.plan(self.store, order) if p.estimate.judgments] == []
            assert calls_before_stop is not None or len(self.served.bodies) - calls_before <= planned

    def stop_after(self, run_id: str, calls: int) -> None:
        """Stop a run when it has made so many calls, or was quicker."""
        target = len(self.served.bodies) + calls
        while len(self.served.bodies) < target and worker.live_run(run_id) is not None:
            time.sleep(0.001)
        runs.stop(self.store, "lea", run_id)

    def start_in_background(self) -> None:
        """Give an order as the page does, which asks for one step after the other by itself."""
        self.failing = 0.0
        run_id = protocol_run.start_protocol(self.store, "lea", self.order())
        if self.chance.random() < 0.5:
            self.stop_after(run_id, 1)
        for thread in threading.enumerate():
            if thread.name.startswith("mtbench"):
                thread.join(60)

    def dry_run(self) -> None:
        """Try an order, of which nothing may be stored."""
        before = self.store.rows("select count(*) from reply")
        protocol_run.dry_run_protocol(self.store, "lea", self.order())
        assert self.store.rows("select count(*) from reply") == before

    def ask_unscored_again(self) -> None:
        """Ask what could not be scored again, as the page Runs offers it for any run."""
        if run_ids := [str(run_id) for (run_id,) in self.store.rows("select id from run order by seq")]:
            config = runs.config_of(self.store, self.chance.choice(run_ids))
            runs.wait(self.store, runs.start(self.store, "lea", replace(config, only_unscored=True)))

    def cost(self, order: ProtocolRun) -> float:
        """What the runs of an order's steps have cost, by the rows of its charges."""
        steps: dict[str, Step] = {"mt_bench_answers": "answers", "mt_bench": "ratings", "mt_bench_pair": "verdicts"}
        total = 0.0
        for run_id, card, model, cost in self.store.rows(
            "select r.id, j.card, j.model, (select coalesce(sum(cost), 0) from charge c where c.run_id = r.id) "
            "from run r join judge j on j.id = r.judge_id"
        ):
            spec = protocol_run.of_run(self.store, str(run_id))
            if spec is None or steps.get(card) not in order.steps:
                continue
            same = (spec.dataset, spec.questions, spec.model) == (order.dataset, order.questions, order.model)
            if same and (card == "mt_bench_answers" or model == order.judge):
                total += cost
        return total

    def check(self) -> None:
        """What holds after each step."""
        charged = self.store.rows("select coalesce(sum(calls), 0) from charge where sort <> 'lost'")[0][0]
        assert charged == len(self.served.bodies) - self.failed_calls
        assert list(self.repeated_replies()) == []
        for dataset in ("answers fastchat", "answers short"):
            counts = Counter(answer.id for answer in answers.stored_answers(self.store, dataset))
            assert not counts or max(counts.values()) == 1
        assert verify(self.store) == []

    def repeated_replies(self) -> Iterator[tuple[Any, int, int]]:
        """Replies to the same call, but for those with a judgment between them that could not be used."""
        unusable: dict[Any, list[int]] = defaultdict(list)
        for *place, seq in self.store.rows(
            "select judge_id, item_id, part, sample, seq from judgment where unscored not in ('', 'api_error')"
        ):
            unusable[tuple(place)].append(seq)
        last: dict[Any, int] = {}
        for *call, seq in self.store.rows(
            "select judge_id, item_id, part, sample, piece, seq from reply where unscored <> 'api_error' order by seq"
        ):
            before = last.get(tuple(call))
            if before is not None and not any(before <= at <= seq for at in unusable[tuple(call[:4])]):
                yield call, before, seq
            last[tuple(call)] = seq


@pytest.mark.parametrize("seed", (10, 12, 19, 37))
def test_orders_in_any_order_lose_repeat_and_overspend_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(retries, "FIRST_PAUSE_SECONDS", 0.01)
    store = open_store(f"duckdb:///{tmp_path}/a.duckdb")
    people.join_workspace(store, "lea")
    walk = Walk(store, seed)
    actions = (walk.run_order, walk.start_in_background, walk.dry_run, walk.ask_unscored_again)
    with recording(lambda body, nth: walk.answer(body, nth)) as walk.served:
        for _ in range(STEPS):
            with suppress(AssayError):  # nothing is left to ask, or to spend
                walk.chance.choices(actions, (10, 3, 1, 1))[0]()
            walk.check()
        runs.close(store)
    # How much is scored depends on which calls fail, and threads take turns as they like: on a busy machine it was 4.
    assert len(runs.list_runs(store)) >= 4 and store.rows("select count(*) from score")[0][0] >= 1
    store.close()
