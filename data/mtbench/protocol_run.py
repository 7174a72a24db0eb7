"""A protocol of MT-Bench run end to end: a model answers the questions, its answers become items, a judge rates them.

Answers and ratings are runs of cards like any other. Each step does only what is still missing, so a protocol's run
continues where it was, whatever ended it (a stop, a spending limit, a killed process).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from pydantic import TypeAdapter

from data import log
from data.mtbench import answers
from data.mtbench.answers import ProtocolRun, Step
from data.mtbench.questions import load_questions
from data.records import exposure
from data.records.access import allow, require
from data.records.datasets import all_datasets, item_kinds
from data.records.rows import item_id
from data.records.values import get_setting, put_setting
from data.runs import charges, dry_runs, runs, terms
from data.runs.endpoints import is_practice_here, practice_url
from data.runs.run_config import DryRunJudgment, RunConfig, RunSummary
from data.store import Store, cache_each
from data.store.errors import BadInput
from judges.card import Card
from judges.cards.mt_bench.presentation import references
from judges.cards.mt_bench.protocol_cards import judge_card, pair_card
from judges.client import estimate as estimates
from judges.client.budget import dollars
from judges.client.endpoint import is_practice
from judges.client.estimate import Estimate
from judges.mtbench.answer_pairs import make_pairs
from judges.mtbench.generation import answer_card, answer_temperature, answered_dialogues
from judges.mtbench.protocol import Protocol
from judges.plural import many
from judges.protocols.call_plan import Task, pack_replies, pieces, tasks
from judges.strict_json import canonical
from judges.types import Dialogue, Item

TITLES: dict[Step, str] = {"answers": "answers", "ratings": "ratings of turns", "verdicts": "verdicts on pairs"}
_COUNTED: dict[Step, str] = {"answers": "question", "ratings": "turn", "verdicts": "pair"}
_SCOPE = "mtbench"
_UNFINISHED = ("stopped", "interrupted", "failed")
_PRACTICE = "practice-heuristic"


_NOTHING = Estimate(0, 0, 0, 0, 0, 0.0, 0.0, 0)
_STORED = TypeAdapter(ProtocolRun)


class PlannedStep(NamedTuple):
    """A step, and what it will take; of answers that are not there yet the length is assumed."""

    step: Step
    estimate: Estimate


def usual_dataset(protocol: Protocol, model: str) -> str:
    """The name of the dataset for a protocol's answers; practice answers have one of their own."""
    return f"MT-Bench {protocol.name}{', practice' if is_practice(model) else ''}"


def usual_judge(protocol: Protocol, model: str) -> str:
    """The protocol's judge; a practice model's answers are judged by a practice model, which needs no key."""
    return _PRACTICE if is_practice(model) else protocol.judge


@allow("researcher")
def plan(store: Store, spec: ProtocolRun) -> list[PlannedStep]:
    """Return the calls, tokens and cost that each step will still take. Raises BadInput if `spec` has a fault."""

    def plan_steps() -> list[PlannedStep]:
        _check(store, spec)
        return [PlannedStep(step, _estimate(store, spec, step)) for step in spec.steps]

    return cache_each(store, [("mtbench plan", _STORED.dump_json(spec))], lambda _: [plan_steps()])[0]


@allow("researcher")
def describe_plan(store: Store, spec: ProtocolRun, planned: Sequence[PlannedStep]) -> list[str]:
    """The plan in sentences: each step, all together, and which prompts and references are used."""
    protocol, out = spec.protocol, list[str]()
    for step, estimate in planned:
        model = spec.model if step == "answers" else spec.judge
        calls = f"{many(estimate.calls, 'call')} for {many(estimate.judgments, _COUNTED[step])}"
        summary = f"{calls}, {_describe_use(estimate)}" if estimate.calls else "nothing is left to ask"
        out.append(f"{TITLES[step].capitalize()} by {model}: {summary}.")
        out += [estimate.long] if estimate.long else []
    if len(planned) > 1:
        total = reduce(_sum, (planned_step.estimate for planned_step in planned))
        out.append(f"Together: {many(total.calls, 'call')}, {_describe_use(total)}.")
    if spec.judge:
        params = step_card(spec, "ratings").defaults
        out.append(f"The judge's prompts: {params.prompt}, wording {params.wording}; protocol {protocol.mark}.")
    if spec.model and spec.judge:
        used, named = answers.used_references(store, spec), protocol.references or spec.judge
        if used and used != named:
            out.append(f"There are no reference answers for {named}: those for {used} are used.")
    return out


def step_card(spec: ProtocolRun, step: Step, references: str = "") -> Card:
    """The card by which a step is run; `references` is the set that its judge has of its own."""
    if step == "answers":
        return answer_card(spec.protocol)
    make_card = pair_card if step == "verdicts" else judge_card
    return make_card(spec.protocol, spec.prompts, references)


def _describe_use(estimate: Estimate) -> str:
    price = "price not known" if estimate.cost is None or estimate.max_cost is None else "no cost"
    if estimate.cost is not None and estimate.max_cost:
        price = f"about {dollars(estimate.cost)}, at the very most {dollars(estimate.max_cost)}"
    return f"about {estimate.tokens_in:,} tokens in and {estimate.tokens_out:,} out, {price}"


def steps(store: Store, actor: str, spec: ProtocolRun, resume: bool = False) -> Iterator[tuple[Step, str]]:
    """Begin one step after the other, and give each with its run's id once it has begun; researchers and leads.

    Asking for the next step waits for the end of the one before, which has to finish. Runs that ended early are
    continued if `resume` is set, and refused otherwise; `spending_limit` then includes what all runs of these steps
    have cost. A continued run keeps to the items that it was begun with, so another one follows for those that came
    since. Raises BadInput if there is nothing to ask, or nothing left to spend.
    """
    require(store, actor, "researcher")
    _check(store, spec)
    started, lacking = False, ""
    costs_by_run = {run: cost for step in spec.steps for run, cost in step_costs(store, spec, step).items() if resume}
    _try_judge(store, actor, spec)
    for step in spec.steps:
        if step == "answers" and _answered_elsewhere(store, spec):
            continue
        if step == "verdicts":
            answers.write_pairs(store, actor, spec)
        if step != "answers" and not answers.stored_answers(store, spec.dataset):
            raise BadInput(f"There are no answers to judge in {spec.dataset}.{lacking}")
        config = _run_config(store, spec, step)
        finished = True
        while finished and (run_id := _begin(store, actor, config, costs_by_run, resume)):
            started = True
            _remember(store, actor, run_id, spec)
            yield step, run_id
            end = runs.wait(store, run_id)
            costs_by_run[run_id] = (end.cost or 0.0) + end.open
            finished = end.state == "finished"
            if not runs.has_newer_items(store, run_id):
                break
        if step == "answers":
            reasons = answers.write_answers(store, actor, spec, runs.judge_id_of(config))
            lacking = "".join(f" {many(n, 'question')} without one: {w.replace('_', ' ')}." for w, n in reasons.items())
        if not finished:
            return
    if not started:
        raise BadInput("Nothing is left to ask: all of this is answered and judged.")


@allow("researcher")
def start_protocol(store: Store, actor: str, spec: ProtocolRun) -> str:
    """Begin, or go on, in the background; return the id of the run that begins. What stops a later step is logged.

    Raises BadInput as `steps` does.
    """
    going = steps(store, actor, spec, resume=True)
    _, run_id = next(going)

    def go_on() -> None:
        try:
            for _ in going:
                pass
        except Exception as error:
            log.error("mtbench_broke_off", error, dataset=spec.dataset, run=run_id)

    threading.Thread(target=go_on, name=f"mtbench {run_id}", daemon=True).start()
    return run_id


@allow("researcher")
def of_run(store: Store, run_id: str) -> ProtocolRun | None:
    """Return the protocol run of which a run is a step; None if there is none."""
    stored_run = get_setting(store, _SCOPE, run_id)
    if stored_run is None:
        return None
    spec = _STORED.validate_json(canonical(stored_run["protocol_run"]))
    endpoint_names = [name for name in stored_run["inside"] if name in ("endpoint", "judge_endpoint")]
    moved = {name: getattr(spec, name).model_copy(update={"base_url": practice_url()}) for name in endpoint_names}
    return replace(spec, **moved)


def _remember(store: Store, actor: str, run_id: str, spec: ProtocolRun) -> None:
    """Store what a run is a step of; the practice endpoint in Assay has another address after each start."""
    endpoint_names = [name for name in ("endpoint", "judge_endpoint") if is_practice_here(getattr(spec, name))]
    stored_run = {"protocol_run": _STORED.dump_python(spec, mode="json"), "inside": endpoint_names}
    store.tx(actor, "mtbench", lambda tx: put_setting(tx, _SCOPE, run_id, stored_run), target=run_id)


@allow("researcher")
def dry_run_protocol(store: Store, actor: str, spec: ProtocolRun) -> list[tuple[Step, DryRunJudgment]]:
    """Ask about one question of each sort: with temperature and without, with a reference and without.

    Its answers are judged as they would be; nothing is stored but what it cost, and that ratings were shown of answers
    that are there. Of several samples two are made.
    """
    require(store, actor, "researcher")
    _check(store, spec)
    if not spec.model:
        return [
            (step, judgment)
            for step in spec.steps
            for judgment in runs.dry_run(store, actor, _run_config(store, spec, step), 2)
        ]
    trial = replace(spec, protocol=spec.protocol.model_copy(update={"samples": min(2, spec.protocol.samples)}))
    config = _run_config(store, trial, "answers")
    questions_by_sort: dict[tuple[bool, bool], tuple[str, Dialogue]] = {}
    for key, question in load_questions(store, trial.questions).items():
        sort = answer_temperature(trial.protocol, question) > 0, bool(references(question, 1))
        questions_by_sort.setdefault(sort, (key, question))
    questions = dict(questions_by_sort.values())
    out = _try_items(store, actor, config, list(questions.items()))
    results: list[tuple[Step, DryRunJudgment]] = [("answers", judgment) for judgment in out]
    if trial.judge:
        reference_set = answers.used_references(store, trial)
        items = [
            dialogue
            for shown in out
            for dialogue in answered_dialogues(
                trial.protocol, questions[shown.answers[0].key], trial.model, shown.raw, reference_set
            )
        ]
        judged = _run_config(store, trial, "ratings")
        known = answers.dataset_item_names(store, spec.dataset, "dialogue")
        by_item = {
            item_id(judged.dataset_id, item.id): (runs.judge_id_of(judged),) for item in items if item.id in known
        }
        exposure.record_exposures(store, actor, by_item, "dry run")
        results += [
            ("ratings", judgment) for judgment in _try_items(store, actor, judged, [(item.id, item) for item in items])
        ]
    return results


def _try_items(store: Store, actor: str, config: RunConfig, items: Sequence[tuple[str, Item]]) -> list[DryRunJudgment]:
    first_tasks = [task for task in tasks(config.card, config.params, items) if task.sample == 0]
    return dry_runs.try_tasks(store, actor, config, first_tasks, {key: item.id for key, item in items})


# -- one step ---------------------------------------------------------------------------------------------------------


def _check(store: Store, spec: ProtocolRun) -> None:
    """Raises BadInput where it cannot be run as it is, before anything is paid for."""
    if not spec.steps:
        raise BadInput("Say which model answers, or which judge rates the answers that are there.")
    if spec.model and not spec.questions:
        raise BadInput("Say which questions are asked.")
    if spec.model:
        _answered_elsewhere(store, spec)
    elif not answers.stored_answers(store, spec.dataset):
        raise BadInput(f"There are no answers to judge in {spec.dataset}.")
    for step in spec.steps:
        terms.check_terms(_run_config(store, spec, step))


def _answered_elsewhere(store: Store, spec: ProtocolRun) -> bool:
    """Whether the answers are there, from another set of these questions. Raises BadInput (`check_answer_target`)."""
    return answers.check_answer_target(store, spec, runs.judge_id_of(_run_config(store, spec, "answers")))


def _run_config(store: Store, spec: ProtocolRun, step: Step) -> RunConfig:
    """The run that a step is; its dataset is "" where there is none yet."""
    if step == "answers":
        dataset, model, at, price = spec.questions, spec.model, spec.endpoint, spec.price
    else:
        model, at, price = spec.judge, spec.judge_endpoint, spec.judge_price
        dataset = next((d.id for d in all_datasets(store) if d.name == spec.dataset), "")
    card = step_card(spec, step, _own_references(store, dataset, spec.judge))
    return RunConfig(dataset, card, model, card.defaults, at, spec.spending_limit, price)


def _own_references(store: Store, dataset: str, judge: str) -> str:
    """The judge's name, where the answers of a dataset hold several sets of references that differ, one of them its."""
    rows = store.rows(
        "select meta from item where dataset_id = $1 and meta like '%\"reference_answers\":%' limit 1", [dataset]
    )
    return judge if rows and judge in json.loads(rows[0][0]).get("reference_answers", {}) else ""


def _try_judge(store: Store, actor: str, spec: ProtocolRun) -> None:
    """Ask whether the judge is there before answers are paid for. Raises BadInput or FatalError where it is not."""
    if not spec.model or not spec.judge or not _estimate(store, spec, "answers").judgments:
        return
    config = _run_config(store, spec, "ratings")
    charged = dry_runs.try_endpoint(store, actor, "", config, 0.0)
    charges.store_charge(store, actor, "", charged, terms.token_price(config))


def _begin(store: Store, actor: str, config: RunConfig, costs_by_run: Mapping[str, float], resume: bool) -> str:
    """Begin or go on with a step; the run's id, "" where nothing is left to ask.

    `costs_by_run` is what runs have cost for which the spending limit holds, too.
    """
    newest = next(iter(_runs_of(store, config)), None)
    if newest is not None and newest.state in _UNFINISHED and not resume:
        raise BadInput(
            f"A run of {config.model} over these items ended before its time ({newest.state}). Go on with it "
            "(--resume): nothing that was answered is asked again, and its cost counts."
        )
    if config.card.kind not in item_kinds(store, config.dataset_id) or not runs.estimate(store, config).judgments:
        return ""
    unfinished = newest.id if newest is not None and newest.state in _UNFINISHED else ""
    spent = sum(cost for run_id, cost in costs_by_run.items() if run_id != unfinished)
    left = None if config.spending_limit is None else config.spending_limit - spent
    if left is not None and left <= 0:
        raise BadInput(
            f"{dollars(spent)} of the spending limit of {dollars(config.spending_limit or 0.0)} is spent, before "
            f"{config.model} was asked. Go on with a higher limit: nothing is asked twice."
        )
    if unfinished:
        runs.resume(store, actor, unfinished, limit=left, price=config.price)
        return unfinished
    return runs.start(store, actor, replace(config, spending_limit=left))


def _runs_of(store: Store, config: RunConfig) -> list[RunSummary]:
    """The runs of the same judge over the same dataset, newest first."""
    key = runs.judge_id_of(config)
    return [run for run in runs.list_runs(store, config.dataset_id) if run.judge == key] if config.dataset_id else []


def step_costs(store: Store, spec: ProtocolRun, step: Step) -> dict[str, float]:
    """The cost of each run of a step, in US dollars, with what may still be charged."""
    costs_by_run = {}
    for run in _runs_of(store, _run_config(store, spec, step)):
        # The same judge may also have rated answers of other models in the dataset.
        other = of_run(store, run.id)
        if other and (other.dataset, other.questions, other.model) == (spec.dataset, spec.questions, spec.model):
            progress = runs.run_progress(store, run.id)
            costs_by_run[run.id] = (progress.cost or 0.0) + progress.open
    return costs_by_run


def _estimate(store: Store, spec: ProtocolRun, step: Step) -> Estimate:
    config = _run_config(store, spec, step)
    if step == "answers":
        return _NOTHING if _answered_elsewhere(store, spec) else runs.estimate(store, config)
    stored_dialogues = answers.stored_answers(store, spec.dataset)
    known = {dialogue.id for dialogue in stored_dialogues}
    coming = [dialogue for dialogue in _assumed_dialogues(store, spec) if dialogue.id not in known]
    items: Sequence[Item] = coming
    if step == "verdicts":
        pair_names = answers.dataset_item_names(store, spec.dataset, "pair")
        items = [pair for pair in make_pairs([*stored_dialogues, *coming], spec.model) if pair.id not in pair_names]
    new = estimates.estimate(
        config.card, config.model, config.params, [(item.id, item) for item in items], price=terms.token_price(config)
    )
    kinds = item_kinds(store, config.dataset_id) if config.dataset_id else []
    return _sum(runs.estimate(store, config), new) if config.card.kind in kinds else new


def _assumed_dialogues(store: Store, spec: ProtocolRun) -> list[Dialogue]:
    """The answers that the model will give, with texts of an assumed length, and those that it gave as they are."""
    if not spec.model:
        return []
    card, reference_set = answer_card(spec.protocol), answers.used_references(store, spec)
    dialogues, questions = list[Dialogue](), load_questions(store, spec.questions)
    raws = answers.stored_raws(store, runs.judge_id_of(_run_config(store, spec, "answers")), questions)
    for key, question in questions.items():
        raw, unscored = raws.get(key, ("", "api_error"))
        if unscored == "api_error":
            names = pieces(card, card.defaults, Task(key, question))
            raw = pack_replies((name, estimates.ASSUMED_ANSWER, None, "") for name in names)
        dialogues += answered_dialogues(spec.protocol, question, spec.model, raw, reference_set)
    return dialogues


def _sum(one: Estimate, two: Estimate) -> Estimate:
    """Return the sum of two estimates."""

    def both(a: float | None, b: float | None) -> float | None:
        return None if a is None or b is None else a + b

    return replace(
        two, items=one.items + two.items, judgments=one.judgments + two.judgments, calls=one.calls + two.calls,
        tokens_in=one.tokens_in + two.tokens_in, tokens_out=one.tokens_out + two.tokens_out,
        cost=both(one.cost, two.cost), max_cost=both(one.max_cost, two.max_cost), counted=one.counted + two.counted,
    )  # fmt: skip
