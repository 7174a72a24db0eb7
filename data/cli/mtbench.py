"""`mtbench`: MT-Bench in a workspace: run a protocol end to end; the protocols and prompts that there are."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from data.cli import mtbench_experiment, mtbench_protocols
from data.cli import run as run_command
from data.cli.options import acting_person, add_actor, add_dataset, workspace_store
from data.mtbench import protocol_run, questions
from data.mtbench.answers import ProtocolRun
from data.records import judge_prompts
from data.records.datasets import Dataset, question_sets
from data.runs import runs
from data.runs.run_config import DryRunJudgment
from data.store import Store
from data.store.errors import BadInput
from judges.cli.options import add_endpoint
from judges.client.budget import dollars
from judges.client.endpoint import is_practice
from judges.importing.bench_files import read_bench
from judges.mtbench import completeness
from judges.mtbench.records import Bench
from judges.protocols.call_plan import unpack_replies


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="run|experiment|protocol|prompts")
    new = verbs.add_parser(
        "run",
        help="a protocol end to end",
        description="A model answers the questions as a protocol says, and a judge rates the answers. What is there "
        "already is not asked again; without --model a judge rates the answers that a dataset holds.",
    )
    new.add_argument(
        "--questions", nargs="+", default=[], metavar="PATH",
        help="a question file; further files or folders may hold reference answers and judge_prompts.jsonl (default: "
        "the only set of questions in the workspace)",
    )  # fmt: skip
    new.add_argument(
        "--protocol", required=True, metavar="NAME|FILE", help="fastchat, swallow, one of your own, or a file"
    )
    new.add_argument("--model", default="", metavar="NAME", help="who answers; practice-... for practice")
    new.add_argument("--judge", default="", metavar="NAME", help="who rates (default: the protocol's judge)")
    new.add_argument("--answers-only", action="store_true", help="no judging")
    new.add_argument("--pairs", action="store_true", help="also compare with the other models of the dataset")
    add_dataset(new, "where answers go and are judged (default: one of the protocol's name)", required=False)
    new.add_argument("--spend", type=float, metavar="USD", help="the most that all steps and starts may cost together")
    for name, whose in (("price", "the model"), ("judge-price", "the judge")):
        says = f"of {whose}, US dollars per million tokens"
        new.add_argument(f"--{name}", type=float, nargs=2, metavar=("IN", "OUT"), help=says)
    new.add_argument("--dry-run", action="store_true", help="ask about a question of each sort; nothing is stored")
    new.add_argument("--plan", action="store_true", help="only say what it would take")
    new.add_argument("--resume", action="store_true", help="go on where it ended; nothing is asked twice")
    add_endpoint(new)
    new.add_argument("--judge-url", default="", metavar="URL", help="the judge's endpoint (default: the model's)")
    new.add_argument("--judge-key-variable", default="", metavar="NAME", help="that holds the key of the judge's one")
    add_actor(new)
    mtbench_experiment.add(verbs)
    mtbench_protocols.add(verbs)


def run(options: argparse.Namespace) -> int:
    """Run the chosen verb and return its exit code."""
    does = {"run": _run, "experiment": mtbench_experiment.run}
    return does.get(options.verb, mtbench_protocols.run)(options)


def _run(options: argparse.Namespace) -> int:
    """Plan, try or run a protocol; exit code 0 where all steps have finished."""
    with workspace_store(new=True) as store, contextlib.ExitStack() as stack:
        stack.callback(runs.close, store)
        name = acting_person(store, options.actor)
        spec = _build_run(store, name, options)
        for line in protocol_run.describe_plan(store, spec, protocol_run.plan(store, spec)):
            print(line, file=sys.stderr)
        if options.plan:
            return 0
        if options.dry_run:
            return _dry_run(store, name, spec)
        code = 0
        again = "the same command with --resume"
        for step, run_id in protocol_run.steps(store, name, spec, options.resume):
            limit = runs.run_progress(store, run_id).limit
            left = "" if limit is None else f", of the limit {dollars(limit)} is left"
            print(f"{protocol_run.TITLES[step].capitalize()}{left}:", file=sys.stderr)
            words = ("question", "answered") if step == "answers" else ("judgment", "scored")
            code = run_command.follow_run(store, run_id, name, again, *words)
        if not code:
            print(f'All of it is in the dataset "{spec.dataset}".')
        return code


def _build_run(store: Store, name: str, options: argparse.Namespace) -> ProtocolRun:
    bench = _read(options.questions)
    chosen = mtbench_protocols.chosen_protocol(store, options.protocol)
    stored = _questions(store, name, options, bench) if options.model else None
    texts = bench.prompts if bench and bench.prompts else questions.kept_prompts(store, stored.id) if stored else ()
    protocol, prompts = judge_prompts.settle_prompts(store, chosen, texts)
    judge = "" if options.answers_only else options.judge or protocol_run.usual_judge(protocol, options.model)
    at = run_command.model_endpoint(options, options.model or judge)
    judge_settings = {"base_url": options.judge_url, "key_variable": options.judge_key_variable}
    return ProtocolRun(
        protocol,
        options.dataset or protocol_run.usual_dataset(protocol, options.model or judge),
        stored.id if stored else "",
        options.model,
        judge,
        options.pairs,
        prompts,
        at,
        run_command.model_endpoint(options, judge, **judge_settings),
        options.spend,
        run_command.chosen_price(options.price),
        run_command.chosen_price(options.judge_price),
    )


def _read(paths: Sequence[str]) -> Bench | None:
    """Return the contents of the files (None without files), and print what is wrong with them on standard error."""
    if not paths:
        return None
    bench, sentences = read_bench([Path(path) for path in paths])
    for sentence in sentences:
        if bench.answers or sentence != completeness.NO_ANSWERS:
            print(sentence, file=sys.stderr)
    return bench


def _questions(store: Store, name: str, options: argparse.Namespace, bench: Bench | None) -> Dataset:
    if bench is not None and bench.questions:
        return questions.keep_questions(store, name, Path(options.questions[0]).resolve().name, bench)
    stored_sets = question_sets(store)
    if len(stored_sets) == 1:
        return stored_sets[0]
    named = f" There are: {', '.join(stored_set.name for stored_set in stored_sets)}." if stored_sets else ""
    raise BadInput(f"Say which questions are asked: --questions FILE.{named}")


def _dry_run(store: Store, name: str, spec: ProtocolRun) -> int:
    for step, shown in protocol_run.dry_run_protocol(store, name, spec):
        if step == "answers":
            _show_answers(shown)
        else:
            run_command.show_dry_run(shown, protocol_run.step_card(spec, step))
    cost_note = "" if is_practice(spec.model or spec.judge) else " What it cost counts among the trials."
    print(f"Nothing of this was stored.{cost_note}", file=sys.stderr)
    return 0


def _show_answers(shown: DryRunJudgment) -> None:
    """Print the calls about a question one after the other, each with what came back."""
    replies = {piece: text for piece, text, _, _ in unpack_replies(shown.raw) or ()}
    print(f"== question {shown.name}")
    for piece, messages in shown.calls.items():
        print(f"-- call {piece}")
        for message in messages:
            print(f"-- {message['role']}\n{message['content']}")
        print(f"-- reply\n{replies.get(piece, '')}")
    if shown.reading.unscored:
        print(f"-- no whole answer ({shown.reading.unscored}): {shown.reading.why}")
