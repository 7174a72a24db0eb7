"""The crossed judging of two protocols on a dataset's answers: what each arm would take, its start, its means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from data.mtbench import protocol_run
from data.mtbench.answers import ProtocolRun, stored_answers
from data.mtbench.mtbench import load_bench
from data.records import judge_prompts
from data.records.datasets import dataset_named
from data.records.protocols import add_protocol
from data.runs import runs
from data.store import Store
from data.store.errors import BadInput
from judges.card import Card
from judges.cards.mt_bench.protocol_cards import judge_card
from judges.client.estimate import Estimate
from judges.mtbench.experiment import (
    FACTORS,
    ExperimentArm,
    cross_protocols,
    differing_factors,
    is_same_to_judge,
)
from judges.mtbench.means import ALL_MODELS, model_means
from judges.mtbench.protocol import Protocol, protocols
from judges.mtbench.ratings import read_ratings, rules_of


@dataclass(frozen=True)
class PlannedArm:
    """An arm, how it is run, what that will still take, and its mean over all models (None: not yet whole)."""

    arm: ExperimentArm
    run: ProtocolRun
    estimate: Estimate
    mean: float | None


@dataclass(frozen=True)
class Experiment:
    """The arms, the factors that are crossed, and the factors that differ but show a judge the same."""

    factors: tuple[str, ...]
    equal: tuple[str, ...]
    arms: tuple[PlannedArm, ...]


def plan_experiment(
    store: Store, usual: ProtocolRun, base: Protocol, other: Protocol, judges: tuple[str, str] = ("", ""),
    factors: Sequence[str] = tuple(FACTORS),
) -> Experiment:  # fmt: skip
    """Plan the crossed judging of a dataset's answers; `usual` has the dataset, endpoint and prices.

    `judges` are those of A and of B, if they are not those that the protocols name. A factor in which both protocols
    differ, but with which a judge sees the same for these very answers, is not crossed. Means are by A's rules of
    reading. Raises BadInput if there is nothing to judge or to cross.
    """
    answers = stored_answers(store, usual.dataset)
    if not answers:
        raise BadInput(f"There are no answers to judge in {usual.dataset}.")
    judge_by_side: dict[str, str] = {"a": judges[0] or base.judge, "b": judges[1] or other.judge}
    crossed, equal = list[str](), list[str]()
    differ = differing_factors(base, other, [name for name in factors if name != "judge"])
    if "judge" in factors and judge_by_side["a"] != judge_by_side["b"]:
        differ.insert(0, "judge")
    for name in differ:
        changed = base.model_copy(update={field: getattr(other, field) for field in FACTORS[name]})
        looks = name in ("references", "shown") and is_same_to_judge(_card(store, base), _card(store, changed), answers)
        (equal if looks else crossed).append(name)
    if not crossed:
        raise BadInput(f"{base.name} and {other.name} judge these answers in the same way: there is nothing to cross.")
    means = _means(store, usual.dataset, base)
    arms = []
    for arm in cross_protocols(base, other, crossed):
        protocol, prompts = judge_prompts.settle_prompts(store, arm.protocol)
        judge = judge_by_side[arm.sides.get("judge", "a")]
        spec = replace(usual, protocol=protocol, prompts=prompts, judge=judge, model="", pairs=False)
        [planned] = protocol_run.plan(store, spec)
        mean = None if planned.estimate.judgments else means.get((protocol.mark, judge))
        arms.append(PlannedArm(arm, spec, planned.estimate, mean))
    return Experiment(tuple(crossed), tuple(equal), tuple(arms))


def start_experiment(store: Store, actor: str, planned: Experiment, resume: bool = False) -> Iterator[tuple[str, str]]:
    """Begin one arm after the other that has something to ask, and give (its protocol's name, its run's id).

    The protocols of the arms are kept in the workspace, so that their judges can be read. The spending limit is for all
    arms together, with `resume` also for those that have finished before. Each run has to finish before the next
    begins.
    """
    spent = 0.0
    for planned_arm in planned.arms:
        run, arm_cost = planned_arm.run, 0.0
        if planned_arm.estimate.judgments:
            left = None if run.spending_limit is None else run.spending_limit - spent
            if left is not None and left <= 0:
                raise BadInput(f"The spending limit is reached before {run.protocol.name}. Give a higher one.")
            if run.protocol.name not in protocols():
                add_protocol(store, actor, run.protocol)
            for _, run_id in protocol_run.steps(store, actor, replace(run, spending_limit=left), resume):
                yield run.protocol.name, run_id
                end = runs.wait(store, run_id)
                if end.state != "finished":
                    return
                arm_cost += (end.cost or 0.0) + end.open
        includes_all_runs = resume and "b" in planned_arm.arm.sides.values()
        spent += sum(protocol_run.step_costs(store, run, "ratings").values()) if includes_all_runs else arm_cost


def _card(store: Store, protocol: Protocol) -> Card:
    settled, prompts = judge_prompts.settle_prompts(store, protocol)
    return judge_card(settled, prompts)


def _means(store: Store, dataset: str, rules: Protocol) -> dict[tuple[str, str], float | None]:
    """(mark of the protocol, model of the judge) -> the mean over all models and turns of a dataset."""
    bench = load_bench(store, dataset_named(store, dataset).id)
    means = model_means(read_ratings(bench, rules.parse), rules_of(rules))
    points = [(bench.judges[mean.judge], mean.all_turns.point) for mean in means if mean.model == ALL_MODELS]
    return {(judge.protocol, judge.model): point for judge, point in points}
