"""The part Why they differ: two pipelines, the table of their factors, and the way from one mean to the other."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from data.mtbench import figures, mtbench
from data.mtbench.figures import RunName
from data.records import datasets, protocols
from data.store import Store
from judges.render.findings import mtbench_gap, mtbench_results
from pages.mtbench.selection import BenchSelection
from pages.ui import charts, findings, session, tables, text, url_state


def panel(selection: BenchSelection) -> None:
    """Both pipelines chosen from any datasets, then what differs and how far each factor moves the mean."""
    store = session.store()
    runs = _runs(store, selection)
    if not runs:
        st.info("No judge has rated the answers of any MT-Bench here yet.", icon=":material/gavel:")
        url_state.link("import", "Import judgments")
        return
    text.quiet(
        "A pipeline is a judge's ratings of one dataset, read and averaged by a protocol. What can be replayed on "
        "stored judgments is switched one factor at a time; what is left takes new calls."
    )
    pipeline = _choose("from", "First pipeline", runs, next(iter(runs)))
    other = _choose("to", "Second pipeline", runs, _partner(store, pipeline, runs))
    if pipeline == other:
        text.quiet("Both are the same pipeline. Choose another judge, dataset or protocol for one of them.")
        return
    model = _model(store, pipeline, other)
    with st.spinner("Replaying one pipeline by the rules of the other ..."):
        gap = figures.pipeline_gap(store, pipeline, other, model)
    if gap is None:
        text.quiet("They have no model in common whose ratings count: there is nothing to take apart.")
        factors = figures.pipeline_factors(store, pipeline, other)
    else:
        factors = gap.factors
        findings.draw(mtbench_gap.gap_summary(gap), "gap")
        key = ":".join((*pipeline, *other, model))
        charts.waterfall_chart(mtbench_gap.waterfall(gap), f"waterfall:{key}")
        st.caption("In points from 1 to 10. The axis is cut, so only the bars of the steps are drawn to scale.")
        findings.draw([mtbench_gap.step_table(gap), *mtbench_gap.step_order(gap)], f"steps:{key}")
        findings.draw([mtbench_gap.rest_table(gap), mtbench_gap.unmoved_table(gap)], f"rest:{key}")
        if gap.rest:
            st.header("What new calls would tell apart", anchor=False)
            plan = figures.experiment_plan(store, pipeline, other, model)
            findings.draw(mtbench_gap.experiment(plan), f"experiment:{key}")
    st.header("Both pipelines, factor by factor", anchor=False)
    tables.wrapped_table(mtbench_gap.FACTORS, mtbench_gap.factor_rows(factors), "factors", "Factors of both pipelines")


def _runs(store: Store, selection: BenchSelection) -> dict[str, str]:
    """dataset~judge -> in words, of every judge that rated an MT-Bench here; this dataset's first."""
    known = {d.id: d.name for d in datasets.all_datasets(store)}
    runs: dict[str, str] = {}
    for dataset in sorted(mtbench.bench_datasets(store), key=lambda id_: id_ != selection.dataset.id):
        bench = mtbench.load_bench(store, dataset)
        raters = mtbench_results.names_of_judges(bench, bench.ratings)
        runs |= {f"{dataset}~{judge}": f"{known[dataset]} · {name}" for judge, name in raters.items()}
    return runs


def _choose(name: str, title: str, runs: Mapping[str, str], default: str) -> RunName:
    """A judge's ratings of a dataset, and the protocol by which they are read."""
    store = session.store()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset, _, judge = url_state.select(name, title, runs, default, 460).partition("~")
        known = protocols.known_protocols(store)
        ways = {key: p.shown_title for key, p in known.items()}
        protocol = mtbench.load_bench(store, dataset).judges[judge].protocol
        if protocol in protocols.protocols_by_mark(store) and protocol not in [p.mark for p in known.values()]:
            ways[protocol] = f"{protocol}, as it was then"
        own = protocol if protocol in ways else protocol.partition("@")[0]
        return RunName(dataset, judge, url_state.select(f"{name}-rules", "under the protocol", ways, own, 320))


def _partner(store: Store, run: RunName, runs: Mapping[str, str]) -> str:
    """The first other pipeline that rated a model of this one, else the first other, else itself."""
    others = [name for name in runs if name != f"{run.dataset}~{run.judge}"] or list(runs)
    own_models = figures.rated_models(store, run.dataset).get(run.judge, frozenset())
    for name in others:
        dataset, _, judge = name.partition("~")
        if own_models & figures.rated_models(store, dataset)[judge]:
            return name
    return others[0]


def _model(store: Store, pipeline: RunName, other: RunName) -> str:
    """One of the models that both pipelines rated, "" for all of them."""
    own_models, other_models = (figures.rated_models(store, run.dataset)[run.judge] for run in (pipeline, other))
    common = sorted(own_models & other_models)
    if len(common) < 2:
        return ""
    return url_state.select("model", "Model", {"": "all in common"} | {name: name for name in common}, "", 360)
