"""The crossed judging of two protocols at an endpoint whose judge and prompt move the rating by known amounts."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from data.mtbench.experiment import plan_experiment, start_experiment
from data.records import datasets
from data.runs import runs
from data.runs.run_config import RunConfig
from data.store import Store
from data.store.errors import BadInput
from judges.cards.mt_bench.protocol_cards import judge_card
from judges.mtbench.experiment import estimate_effects
from tests.data.mtbench.recorder import answering, is_judging, recording
from tests.data.mtbench.test_protocol_run import FASTCHAT, make_run, run_steps, store
from tests.judges.endpoint import Say

__all__ = ["store"]
OTHER_PROTOCOL = FASTCHAT.model_copy(update={"name": "other", "prompts": "assay-japanese", "judge": "j2"})


def shifted_reply(body: dict[str, Any], nth: int) -> Say:
    """Nine points; two less by judge j2, one less by the prompt that expects Japanese."""
    if not is_judging(body):
        return answering(body, nth)
    prompt = " ".join(message["content"] for message in body["messages"])
    rating = 9 - 2 * (body["model"] == "j2") - ("in Japanese" in prompt)
    return Say(f"Rating: [[{rating}]]")


def test_cells_are_planned_run_once_and_their_effects_found(store: Store) -> None:
    with recording(shifted_reply, models=("m", "j", "j2")) as served:
        order = make_run(store, served.url)
        run_steps(store, order)
        count = len(served.bodies)
        planned = plan_experiment(store, order, FASTCHAT, OTHER_PROTOCOL, ("j", "j2"))
        assert planned.factors == ("judge", "prompt") and planned.equal == ()
        calls = {"".join(entry.arm.sides.values()): entry.estimate.calls for entry in planned.arms}
        assert calls == {"aa": 0, "ab": 6, "ba": 6, "bb": 6}
        assert planned.arms[0].mean == 9.0, "A's own judge has judged already"
        assert len(served.bodies) == count, "a plan asks nothing"
        part, card = planned.arms[1].run, judge_card(planned.arms[1].run.protocol)
        [dataset] = datasets.all_datasets(store)
        config = RunConfig(dataset.id, card, part.judge, card.defaults, part.judge_endpoint, most=1)
        runs.wait(store, runs.start(store, "lea", config))
        planned = plan_experiment(store, order, FASTCHAT, OTHER_PROTOCOL, ("j", "j2"))
        assert (planned.arms[1].estimate.calls, planned.arms[1].mean) == (4, None), "the mean of a part is no mean"
        for _, run in start_experiment(store, "lea", planned):
            assert runs.wait(store, run).state == "finished"
        assert len(served.bodies) == count + 3 * 6
        after = plan_experiment(store, order, FASTCHAT, OTHER_PROTOCOL, ("j", "j2"))
        assert sum(entry.estimate.calls for entry in after.arms) == 0
        assert list(start_experiment(store, "lea", after)) == []
    effects = estimate_effects([entry.arm for entry in after.arms], [entry.mean for entry in after.arms])
    assert [(effect.factor, effect.alone, effect.main) for effect in effects] == [
        ("judge", -2.0, -2.0), ("prompt", -1.0, -1.0),
    ]  # fmt: skip


def test_what_costs_nothing_takes_nothing_of_the_limit(store: Store) -> None:
    with recording(shifted_reply, models=("m", "j", "j2")) as served:
        order = make_run(store, served.url, price=(0.0, 0.0), judge_price=(0.0, 0.0), spending_limit=1.5)
        run_steps(store, order)
        planned = plan_experiment(store, order, FASTCHAT, OTHER_PROTOCOL, ("j", "j2"))
        started_runs = start_experiment(store, "lea", planned)
        assert [runs.wait(store, run).state for _, run in started_runs] == ["finished"] * 3


def test_what_cannot_be_crossed_is_a_sentence(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url, judge="")
        with pytest.raises(BadInput, match="There are no answers to judge in answers"):
            plan_experiment(store, order, FASTCHAT, OTHER_PROTOCOL)
        run_steps(store, order)
        with pytest.raises(BadInput, match="judge these answers in the same way"):
            plan_experiment(store, order, FASTCHAT, FASTCHAT)
        priced = replace(order, spending_limit=1e-9, judge_price=(1.0, 1.0))
        planned = plan_experiment(store, priced, FASTCHAT, OTHER_PROTOCOL, ("j", "j"), ["prompt"])
        assert [entry.estimate.calls for entry in planned.arms] == [6, 6] and planned.arms[0].estimate.cost
        for _, run in start_experiment(store, "lea", planned):
            assert runs.wait(store, run).state == "stopped"
        assert len(runs.list_runs(store)) == 2, "the next arm does not begin when a limit has ended the one before"


def test_a_limit_is_for_all_arms_and_a_resume_counts_what_those_of_b_have_cost(store: Store) -> None:
    with recording(shifted_reply, models=("m", "j", "j2")) as served:
        order = make_run(store, served.url, judge_price=(1e6, 1e6))  # a call costs 100 + 20
        run_steps(store, order)
        count, planned = len(served.bodies), plan_experiment(store, order, FASTCHAT, OTHER_PROTOCOL, ("j", "j2"))

        def start_first(limit: float, resume: bool, finished: int = 1) -> list[str]:
            """How the first run that begins ended, where so many arms have finished before."""
            arms = tuple(
                replace(
                    entry,
                    run=replace(entry.run, spending_limit=limit),
                    estimate=replace(entry.estimate, judgments=0 if n < finished else 6),
                )
                for n, entry in enumerate(planned.arms)
            )
            going = start_experiment(store, "lea", replace(planned, arms=arms), resume)
            states = [runs.wait(store, run).state for _, run in islice(going, 1)]
            going.close()  # type: ignore[attr-defined]
            return states

        assert start_first(700.0, True) == ["stopped"] and len(served.bodies) == count, "A's own judging is not of this"
        assert start_first(90_000.0, True) == ["finished"] and len(served.bodies) == count + 6
        with pytest.raises(BadInput, match="The spending limit is reached before"):
            start_first(720.0, True, finished=2)
        assert start_first(720.0, False, finished=2) == ["stopped"] and len(served.bodies) == count + 6
        assert start_first(90_000.0, True, finished=2) == ["finished"] and len(served.bodies) == count + 12
        with pytest.raises(BadInput, match="The spending limit is reached before"):
            start_first(1_440.0, True, finished=3)
