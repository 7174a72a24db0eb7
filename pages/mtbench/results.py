"""The part Results: means by model and judge, categories, what failed, and how far the rules move the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import streamlit as st

from data.mtbench import figures
from data.mtbench.figures import Shared, Source
from data.records import judge_prompts
from judges.mtbench.means import ModelMeans
from judges.mtbench.ranks import Ranking
from judges.render.findings import mtbench_results
from pages.mtbench.selection import MAX_SHOWN_ROWS, BenchSelection
from pages.ui import charts, choose, findings, session, text, url_state

_RADAR_WIDTH = 640
"""Width of the plot of categories, in pixels: wider ones only spread it."""


def panel(selection: BenchSelection) -> None:
    """Everything about the models, judge by judge."""
    findings.draw(mtbench_results.bench_contents(selection.bench), f"contents:{selection.key}")
    if not selection.raters:
        st.info(
            "No judge has rated the answers of this dataset. Run a judge of the card MT-Bench rating, or import "
            "FastChat's model_judgment files beside the answers.",
            icon=":material/gavel:",
        )
        with st.container(horizontal=True):
            url_state.link("runs", "Run a judge", dataset=selection.dataset.name)
            url_state.link("import", "Import judgments")
        if selection.bench.games:
            _wins(selection, next(iter(selection.names)), (), selection.key)
        _japanese(selection)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        judge = choose.judge(selection.raters, width=360)
        shared = _choose_shared(selection)
    store, dataset = session.store(), selection.dataset.id
    model_means = figures.model_means(store, dataset, selection.rules, shared)
    ranked = figures.rankings(store, dataset, selection.rules, shared)
    key = f"{selection.key}:{judge}:{':'.join(shared)}"
    _means(selection, judge, model_means, ranked, key)
    own = mtbench_results.best_first([means for means in model_means if means.judge == judge], ranked)
    _categories(selection, own, ranked.get(judge), key)
    _wins(selection, judge, shared, key)
    _judgments(selection, key)
    _rules(selection, shared, key)
    _japanese(selection)


def _choose_shared(selection: BenchSelection) -> Shared:
    """Ask which ratings count: all (an empty tuple), or those of turns that two judges share (the two judges)."""
    pairs = {f"{judge}~{other}": (judge, other) for judge, other in combinations(selection.raters, 2)}
    if not pairs:
        return ()
    ways = {"all": "all"} | {
        name: f"turns rated by both {selection.names[judge]} and {selection.names[other]}"
        for name, (judge, other) in pairs.items()
    }
    return pairs.get(url_state.select("cells", "Ratings", ways, width=420), ())


def _means(
    selection: BenchSelection, judge: str, model_means: Sequence[ModelMeans], ranked: Mapping[str, Ranking], key: str
) -> None:
    st.header("Mean ratings", anchor=False)
    findings.draw([mtbench_results.reading_rules(selection.rules)], f"rules:{key}")
    if judge in ranked:
        own = [means for means in model_means if means.judge == judge]
        forest = mtbench_results.forest(own, ranked[judge], selection.rules)
        findings.draw([forest, *mtbench_results.model_order(ranked[judge])], f"forest:{key}")
    else:
        text.quiet("This judge has rated none of these turns.")
    shown = mtbench_results.table(model_means, ranked, selection.names, selection.rules)
    findings.draw_table(shown, f"means:{key}", MAX_SHOWN_ROWS)


def _categories(selection: BenchSelection, own: Sequence[ModelMeans], ranking: Ranking | None, key: str) -> None:
    models = [model.model for model in ranking.models] if ranking else []
    categories = {name for means in own for name in means.categories}
    if not models or categories <= {""}:
        return
    st.header("Categories", anchor=False)
    intervals = st.toggle("With 95% intervals", key=f"category intervals:{selection.key}")
    shown = mtbench_results.category_table(own, intervals)
    findings.draw_table(shown, f"categories:{key}:{intervals}", MAX_SHOWN_ROWS)
    if len(categories) < mtbench_results.MIN_IN_RADAR:
        return
    with st.container(width=_RADAR_WIDTH):
        chosen = models
        if len(models) > mtbench_results.MAX_IN_RADAR:
            chosen = st.multiselect(
                "Models in the plot", models, [models[0], models[len(models) // 2], models[-1]],
                key=f"radar of:{key}", max_selections=mtbench_results.MAX_IN_RADAR,
            )  # fmt: skip
        charts.radar_chart(mtbench_results.radar(own, chosen, selection.rules), f"radar:{key}")


def _expander(selection: BenchSelection, title: str, icon: str, opened: bool = False) -> Any:
    """A part that is computed only once it is open."""
    return st.expander(text.escape(title), opened, key=f"{title}:{selection.dataset.id}", icon=icon, on_change="rerun")


def _wins(selection: BenchSelection, judge: str, shared: Shared, key: str) -> None:
    """Win rates by verdicts on pairs, and by ratings: of the judge that was chosen, and of those that compare."""
    ways: dict[Source, str] = {"verdicts": "from verdicts on pairs of answers"} if selection.bench.games else {}
    if selection.raters:
        ways["ratings"] = "from the ratings of this judge: the higher one wins"
    box = _expander(selection, "Win rates", ":material/swords:", not selection.raters)
    if not box.open:
        return
    with box:
        source: Source = url_state.tabs("wins", "Win rates", ways) if len(ways) > 1 else next(iter(ways))
        store, dataset, parse = session.store(), selection.dataset.id, selection.rules.parse
        every = figures.pair_rates(store, dataset, parse, source, shared=shared)
        judges = {rate.judge: selection.names[rate.judge] for rate in every}
        if source == "verdicts":
            counts = figures.verdict_counts(store, dataset)
            findings.draw(mtbench_results.verdicts(counts, selection.names), "decided")
            judge = judge if judge in judges else next(iter(judges), "")
        rates = [rate for rate in every if source == "verdicts" or rate.judge == judge]
        if not rates:
            no_verdicts = "None of these verdicts can be counted."
            text.quiet(no_verdicts if source == "verdicts" else "This judge has rated no two answers to one question.")
            return
        shown = mtbench_results.wins(rates, selection.names)
        findings.draw_table(shown, f"wins:{key}:{source}", MAX_SHOWN_ROWS)
        if len(shown.rows) > 2 and st.toggle("Model against model", key=f"duels of:{key}:{source}"):
            pairs = figures.pair_rates(store, dataset, parse, source, True, shared)
            models, shares, tooltips = mtbench_results.duels([rate for rate in pairs if rate.judge == judge])
            text.say(
                "**Adjusted win rate of the row's model against the column's** ({judge})", judge=selection.names[judge]
            )
            charts.confusion_grid(shares, tooltips, models, f"duels:{key}:{source}")


def _judgments(selection: BenchSelection, key: str) -> None:
    st.header("Judgments", anchor=False)
    counts = figures.judgment_counts(session.store(), selection.dataset.id, selection.rules.parse)
    findings.draw(mtbench_results.counts(counts, selection.names), f"counts:{key}")
    box = _expander(selection, "What there is, what is missing and what is doubled", ":material/checklist:")
    if box.open:
        with box:
            text.bullets(figures.completeness(session.store(), selection.dataset.id))
    with st.expander("Prompts and protocols of the judges", icon=":material/terminal:"):
        known = {
            family.wording: f"{family.wording} ({prompt_set.file})"
            for prompt_set in judge_prompts.all_prompts(session.store()) for family in prompt_set.families.values()
        }  # fmt: skip
        findings.draw([mtbench_results.prompts(selection.bench, selection.names, known)], f"prompts:{key}")


def _rules(selection: BenchSelection, shared: Shared, key: str) -> None:
    box = _expander(selection, "Rules of aggregation side by side", ":material/rule:")
    if not box.open:
        return
    with box:
        rule_means = figures.means_by_rule(session.store(), selection.dataset.id, selection.rules, shared)
        findings.draw(mtbench_results.rule_table(rule_means, selection.names, selection.rules), f"by rule:{key}")


def _japanese(selection: BenchSelection) -> None:
    box = _expander(selection, "Share of Japanese characters", ":material/translate:")
    if not box.open:
        return
    with box:
        shown = mtbench_results.japanese(figures.japanese_shares(session.store(), selection.dataset.id))
        if not shown.rows:
            text.quiet("The texts of the answers are not in this dataset.")
            return
        findings.draw_table(shown, f"japanese:{selection.dataset.id}", MAX_SHOWN_ROWS)
