"""A new run of a protocol of MT-Bench: who answers which questions, who rates, the plan, a dry run and the start."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from data.mtbench import protocol_run, questions
from data.mtbench.answers import ProtocolRun, Step
from data.mtbench.mtbench import bench_datasets
from data.records import datasets, judge_prompts
from data.records.access import Person
from data.records.protocols import known_protocols
from data.runs import runs
from data.runs.run_config import LIVE, DryRunJudgment
from judges.errors import AssayError
from judges.importing.bench_files import read_bench
from judges.plural import many
from pages.runs import endpoints, views
from pages.server.uploads import Tray
from pages.ui import session, text, url_state

_NO_MODEL = "nobody"
_UPLOAD, _DATASET_PREFIX = "upload", "of "
HELP = {
    "model": "Its answers become items of the dataset. Nobody: the answers that the dataset holds are judged.",
    "judge": "Rates every turn of every answer. Nobody: the model answers, and is judged later.",
    "dataset": "Where answers go and are judged. Use a separate dataset for each protocol: the name of an answer gives "
    "only question, model and sample.",
    "pairs": "Also compare with the other models' answers in the dataset, each pair in both orders.",
    "files": "question.jsonl, and with it your own judge_prompts.jsonl. Reference answers come with a dataset that was "
    "imported with them, or by the command.",
}


def protocol_form(me: Person) -> None:
    """Draw the form of a run by a protocol, its requirements, a dry run, and the start."""
    with text.refusals():
        spec = _choose_protocol_run(me)
        if spec is None:
            return
        planned = protocol_run.plan(session.store(), spec)
        text.bullets(protocol_run.describe_plan(session.store(), spec, planned))
        state = session.scratch("runs:protocol")
        with st.container(horizontal=True):
            if st.button("Dry run of a question of each sort", icon=":material/visibility:"):
                state.clear()
                with st.spinner("Asking"):
                    state.update(of=spec, shown=protocol_run.dry_run_protocol(session.store(), me.name, spec))
            open_ = any(step.estimate.judgments for step in planned)
            begin = st.button("Start", type="primary", icon=":material/play_arrow:", disabled=not open_)
        if begin:
            with st.spinner("Starting"):
                run_id = protocol_run.start_protocol(session.store(), me.name, spec)
            views.open_run(run_id)
        if state.get("of") == spec:
            views.show_dry_run([(_heading(step, judgment), judgment) for step, judgment in state["shown"]])


def continue_button(me: Person, run_id: str) -> None:
    """Draw a button to go on with the protocol of a finished run, if more of it is open."""
    spec = protocol_run.of_run(session.store(), run_id)
    if spec is None or spec.steps[-1] == "answers":
        return
    going = [run for run in runs.list_runs(session.store()) if run.state in LIVE and run.dataset == spec.dataset]
    if going:
        return
    try:
        left = [step for step in protocol_run.plan(session.store(), spec) if step.estimate.judgments]
    except AssayError:
        return
    if left and st.button("Go on with judging", icon=":material/play_arrow:", key=f"judge:{run_id}"):
        with text.refusals(), st.spinner("Starting"):
            views.open_run(protocol_run.start_protocol(session.store(), me.name, spec))


def resume(me: Person, run_id: str, limit: float | None) -> None:
    """Go on with a run; of a protocol also with the steps after it, where its limit is that of all steps."""
    store, spec = session.store(), protocol_run.of_run(session.store(), run_id)
    if spec is None:
        runs.resume(store, me.name, run_id, limit=limit)
    else:
        protocol_run.start_protocol(store, me.name, spec if limit is None else replace(spec, spending_limit=limit))


def _choose_protocol_run(me: Person) -> ProtocolRun | None:
    """Return the protocol run that was chosen; None while something is missing."""
    protocol_column, endpoint_column, model_column, judge_column = st.columns(4)
    with protocol_column:
        protocols = known_protocols(session.store())
        name = url_state.select("protocol", "Protocol", {key: p.shown_title for key, p in protocols.items()})
    with endpoint_column:
        place = endpoints.choose_place()
    at = endpoints.choose_endpoint(place)
    if at is None:
        return None
    refusals = st.container()
    known = endpoints.list_models(at, refusals)
    if known is None:
        return None
    with model_column:
        options, first = _names(known)
        model = _name(st.selectbox(
            "Model that answers", options, first, key="runs:answers", help=HELP["model"], accept_new_options=True
        ))  # fmt: skip
    left, middle, right, last = st.columns(4, vertical_alignment="bottom")
    with left:
        question_set = _choose_questions(me) if model else ""
    with judge_column:
        options, first = _names(known, protocol_run.usual_judge(protocols[name], model))
        judge = _name(st.selectbox(
            "Judge", options, first, key="runs:judge", help=HELP["judge"], accept_new_options=True
        ))  # fmt: skip
    usual = protocol_run.usual_dataset(protocols[name], model or judge)
    dataset = middle.text_input("Dataset", usual, key=f"runs:into:{usual}", help=HELP["dataset"], max_chars=120).strip()
    spend = right.number_input("Spending limit, US dollars", 0.0, None, None, key="runs:all", placeholder="no limit")
    pairs = last.checkbox("Compare in pairs, too", key="runs:pairs", help=HELP["pairs"])
    if question_set is None or not dataset or not (model or judge):
        return None
    kept_prompts = questions.kept_prompts(session.store(), question_set)
    protocol, prompts = judge_prompts.settle_prompts(session.store(), protocols[name], kept_prompts)
    return ProtocolRun(protocol, dataset, question_set, model, judge, pairs and bool(judge), prompts, at, at, spend)


def _names(known: Sequence[str], usual: str = "") -> tuple[list[str], int]:
    """Nobody and the models of the endpoint's list, and which of them is chosen at first."""
    options = [_NO_MODEL, *known] if not usual or usual in known else [_NO_MODEL, usual, *known]
    first = usual or (endpoints.USUAL_PRACTICE if endpoints.USUAL_PRACTICE in known else _NO_MODEL)
    return options, options.index(first)


def _name(chosen: str | None) -> str:
    return "" if chosen in (None, _NO_MODEL) else str(chosen)


def _choose_questions(me: Person) -> str | None:
    """The id of a set of questions: one that is there, that of a dataset's answers, or of files; None: not yet."""
    store = session.store()
    question_sets = {question_set.id: question_set.name for question_set in datasets.question_sets(store)}
    names = {dataset.id: dataset.name for dataset in datasets.all_datasets(store)}
    own = [id_ for id_ in bench_datasets(store) if id_ in names]
    question_sets |= {f"{_DATASET_PREFIX}{id_}": f"those of {names[id_]}" for id_ in own}
    chosen = url_state.select("questions", "Questions", {**question_sets, _UPLOAD: "Files ..."})
    if chosen.startswith(_DATASET_PREFIX):
        of = datasets.find_dataset(store, chosen.removeprefix(_DATASET_PREFIX))
        return questions.questions_of(store, me.name, of).id
    if chosen != _UPLOAD:
        return chosen
    state = session.scratch("runs:files")
    uploads = st.file_uploader(
        "Question files", ["jsonl", "json"], accept_multiple_files=True, help=HELP["files"],
        key=f"runs:files:{state.setdefault('turn', 0)}",
    )  # fmt: skip
    if uploads:
        state["turn"] += 1
        url_state.set_choice("questions", _store_questions(me, uploads))
        st.rerun()
    return None


def _store_questions(me: Person, uploads: Sequence[Any]) -> str:
    tray = Tray()
    tray.add(uploads)
    with tempfile.TemporaryDirectory() as folder:
        for file in tray.source.files:
            with file.open_uncounted() as stream:
                (Path(folder) / file.name).write_bytes(stream.read())
        bench, _ = read_bench([folder])
    return questions.keep_questions(session.store(), me.name, Path(uploads[0].name).name, bench).id


def _heading(step: Step, judgment: DryRunJudgment) -> str:
    reading = judgment.reading
    state = reading.unscored or (", ".join(f"{score.value:g}" for score in reading.scores) or "answered")
    return f"{protocol_run.TITLES[step].capitalize()}: {judgment.name} · {many(len(judgment.calls), 'call')} · {state}"
