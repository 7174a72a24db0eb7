"""A new run: what it is to be, its estimate, a dry run on three items, and the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.cards import cards
from data.records import datasets
from data.records.access import Person
from data.runs import runs
from data.runs.run_config import DryRunJudgment, RunConfig
from data.store import Store
from judges.authoring.card_lookup import POINTWISE
from judges.card import Card
from judges.client.endpoint import Endpoint
from judges.client.estimate import Requirement
from judges.errors import AssayError
from judges.params import Params
from judges.plural import many
from judges.triage import name_unit
from judges.types import Reading, Scale, Score
from pages.runs import endpoints, views
from pages.ui import choose, run_estimate, session, tables, text, url_state


def new_run_form(me: Person) -> None:
    """Draw the form of a run, its estimate, a dry run, and the start."""
    store = session.store()
    config = _choose_config(store)
    if config is None:
        return
    try:
        estimate = runs.estimate(store, config)
    except AssayError as error:
        text.refuse(error)
        return
    _requirements(estimate.requirements, config.card)
    run_estimate.show_estimate(estimate)
    state = session.scratch("runs:dry")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Dry run of three items", icon=":material/visibility:"):
            state.clear()
            with text.refusals(), st.spinner("Asking"):
                state.update(config=config, shown=runs.dry_run(store, me.name, config))
        start = st.button("Start", type="primary", icon=":material/play_arrow:", disabled=not estimate.judgments)
        batch = st.toggle(
            "as a batch", help="The endpoint's Batch API: cheaper, and done within a day.", key="runs:batch"
        )
    if start:
        with text.refusals():
            with st.spinner("Starting"):
                run_id = runs.start(store, me.name, replace(config, batch=batch))
            views.open_run(run_id)
    if state.get("shown") is not None and state.get("config") == config:
        judgments = [(_heading(judgment), judgment) for judgment in state["shown"]]
        views.show_dry_run(judgments, lambda reading: _reading(reading, config.card))


def _heading(judgment: DryRunJudgment) -> str:
    why = judgment.reading.unscored
    state = f"unscored: {why.replace('_', ' ')}" if why else many(len(judgment.reading.scores), "score")
    return f"{judgment.name} · {state}"


PROBES = {
    "": "none: the items as they are",
    "scenario_swapped": "another item's scenario",
    "reference_removed": "no reference answer",
    "injected_order": "prompt injection: an order to the judge in the text",
}
HELP = {
    "confidence": "Off: scores and justifications only, for small models that cannot state a confidence.",
    "samples": "How many replies to each item. How far they agree is the self-consistency.",
    "combine": "The rule is part of the judge: another one makes another judge. Answers without an order are voted on "
    "in any case but the first. A median or mean that falls between two answers counts as it is.",
    "orders": "Both orders measure position bias; a verdict that changes with the order counts as a tie.",
    "window": "Long dialogues are judged in windows of so many assistant turns; 0 never cuts.",
    "context": "Tokens that fit into one call; a longer pair is judged chapter by chapter. 0 never cuts.",
    "logprobs": "Token probabilities, where the endpoint gives them, become an expected score and a confidence.",
    "probe": "A change made to each item before the judge sees it, to measure its effect. It makes another judge.",
}


RULES = {
    "first": "the first one: the others only measure self-consistency",
    "median": "their median",
    "mean": "their mean",
    "vote": "a vote",
}


def _choose_card(store: Store, dataset_id: str) -> Card | None:
    """A card that can be run on the items of a dataset."""
    kinds = datasets.item_kinds(store, dataset_id)
    fitting = {n: c for n, c in cards.current_cards(store).items() if c.kind in kinds and c.prompts}
    if not fitting:
        st.info("No card can judge these items yet.", icon=":material/style:")
        return None
    usual = next((j[1] for j in datasets.dataset_judges(store, dataset_id) if j[1] in fitting), "")
    return fitting[url_state.select("card", "Card", {n: c.title for n, c in fitting.items()}, default=usual)]


def _card_with_names(usual: Card) -> Card | None:
    """The pointwise card with its dimensions as the person names them, on scales of their choice."""
    from judges.cards.pointwise_quality.card import card_with_dimensions

    rows = [(d.name, d.definition, d.scale.lo, d.scale.hi) for d in usual.dimensions if d.asked]
    ends = {
        name: st.column_config.NumberColumn(min_value=0, max_value=10, step=1, default=end, width=60)
        for name, end in (("From", 1), ("To", 5))
    }
    with st.expander("Dimensions: names of your choice, each with a definition and a scale"):
        table = st.data_editor(
            pd.DataFrame(rows, columns=["Name", "Definition", *ends]), num_rows="dynamic", hide_index=True,
            key="runs:named",
            column_config={
                "Name": st.column_config.TextColumn(width=200), "Definition": st.column_config.TextColumn(width=400),
                **ends,
            },
        )  # fmt: skip
        confidence = st.checkbox("Ask for its confidence", value=True, key="runs:confidence", help=HELP["confidence"])
    chosen = [
        (str(name).strip(), str(definition or "").strip(), Scale("ordinal", _end(lo, 1), _end(hi, 5)))
        for name, definition, lo, hi in table.itertuples(index=False)
        if str(name or "").strip()
    ]
    plain = [(name, definition, Scale("ordinal", lo, hi)) for name, definition, lo, hi in rows]
    if confidence and chosen in (plain, []):
        return usual
    with text.refusals():
        return card_with_dimensions(chosen or plain, confidence)
    return None


def _end(value: Any, usual: int) -> int:
    return usual if value is None or pd.isna(value) else int(value)


def _choose_model(at: Endpoint, refusals: DeltaGenerator) -> str:
    """A model of the endpoint's list, or a name that the person types; `refusals` is where there is room for one."""
    known = endpoints.list_models(at, refusals)
    if known is None:
        return ""
    preset = st.query_params.get("model", "")
    options = known if not preset or preset in known else [preset, *known]
    preset = preset or (endpoints.USUAL_PRACTICE if endpoints.USUAL_PRACTICE in known else "")
    chosen: str | None = st.selectbox(
        "Model", options, index=options.index(preset) if preset in options else 0 if len(options) < 8 else None,
        accept_new_options=True, key="runs:model", placeholder="choose, or type a name",
    )  # fmt: skip
    return chosen or ""


def _choose_params(of: Card) -> Params | None:
    """The parameters, which are part of the judge's identity: another value is another judge.

    What was chosen stays with another card, unless that has another value of its own, with which it then begins.
    """
    usual = of.defaults

    def key(name: str) -> str:
        return f"runs:{name}:{getattr(usual, name)}"

    params: dict[str, Any] = {}
    left, right = st.columns(2)
    params["temperature"] = left.number_input("Temperature", 0.0, 2.0, usual.temperature, 0.1, key=key("temperature"))
    params["samples"] = right.number_input(
        "Samples per item", 1, 50, usual.samples, key=key("samples"), help=HELP["samples"]
    )
    if params["samples"] > 1:
        params["combine"] = left.selectbox(
            "How samples are combined", list(RULES), index=list(RULES).index(usual.combine or "median"),
            key=key("combine"), help=HELP["combine"], format_func=RULES.__getitem__,
        )  # fmt: skip
    params["max_tokens"] = left.number_input(
        "Maximum tokens of a reply", 16, 200_000, usual.max_tokens, 256, key=key("max_tokens")
    )
    params["seed"] = right.number_input("Seed", 0, None, None, key="runs:seed", placeholder="none", step=1)
    if of.kind == "pair":
        params["orders"] = left.selectbox(
            "Orders", ["both", "ab"], index=0 if usual.orders == "both" else 1, key=key("orders"), help=HELP["orders"],
            format_func={"both": "A/B and B/A", "ab": "A/B only"}.__getitem__,
        )  # fmt: skip
        params["context"] = right.number_input(
            "Context of the model, in tokens", 0, 10_000_000, usual.context, 1000, key=key("context"),
            help=HELP["context"],
        )  # fmt: skip
    if of.kind == "dialogue" and not of.text:
        params["window"] = left.number_input(
            "Turns per window", 0, 50, usual.window, key=key("window"), help=HELP["window"]
        )
    probes = [p for p in PROBES if p in ("", "injected_order") or _PROBE_KINDS[p] == of.kind]
    preset = st.query_params.get("probe", "")
    params["probe"] = right.selectbox(
        "Probe", probes, index=probes.index(preset) if preset in probes else 0, format_func=PROBES.__getitem__,
        key="runs:probe", help=HELP["probe"],
    )  # fmt: skip
    if not of.text:
        params["logprobs"] = st.checkbox(
            "Ask for token probabilities", usual.logprobs, key=key("logprobs"), help=HELP["logprobs"]
        )
    return endpoints.validate_form(Params, usual.model_dump() | params)


_PROBE_KINDS = {"scenario_swapped": "dialogue", "reference_removed": "response"}


def _choose_limits(at: Endpoint) -> tuple[Endpoint | None, float | None, tuple[float, float] | None, int]:
    """Ask for limits and prices: (endpoint, spending limit in US dollars, price per million in and out, items)."""
    left, right = st.columns(2)
    limits = {
        "concurrency": left.number_input("Calls at a time", 1, 1024, at.concurrency, key="runs:concurrency"),
        "timeout": right.number_input("Seconds until a call times out", 1.0, 3600.0, at.timeout, key="runs:timeout"),
        "requests_per_minute": left.number_input("Requests a minute", 0, None, 0, key="runs:rpm", help="0: not known."),
        "tokens_per_minute": right.number_input("Tokens a minute", 0, None, 0, key="runs:tpm", help="0: not known."),
    }
    spend = left.number_input("Spending limit, US dollars", 0.0, None, None, key="runs:spend", placeholder="no limit")
    most = right.number_input("Items, drawn at random", 1, None, None, key="runs:most", placeholder="all", step=1)
    price_in = left.number_input(
        "US dollars a million tokens in", 0.0, None, None, key="runs:in", placeholder="as listed"
    )
    price_out = right.number_input(
        "US dollars a million tokens out", 0.0, None, None, key="runs:out", placeholder="as listed"
    )
    if (price_in is None) != (price_out is None):
        st.caption(":orange[Give both prices: one alone is not used.]")
    price = (price_in, price_out) if price_in is not None and price_out is not None else None
    return endpoints.validate_form(Endpoint, at.model_dump() | limits), spend, price, int(most or 0)


def _choose_config(store: Store) -> RunConfig | None:
    """The configuration of a run, as far as it was chosen; None while something is missing."""
    dataset_column, card_column, endpoint_column, model_column = st.columns(4)
    with dataset_column:
        dataset = choose.dataset(store, labelled=True)
    if dataset is None:
        return None
    with card_column:
        of = _choose_card(store, dataset.id)
    if of is None:
        return None
    with endpoint_column:
        place = endpoints.choose_place()
    at = endpoints.choose_endpoint(place)
    if at is None:
        return None
    refusals = st.container()
    with model_column:
        name = _choose_model(at, refusals)
    named = _card_with_names(of) if of.name == POINTWISE else of
    left, right = st.columns(2)
    with left, st.expander("Parameters: part of the judge's identity"):
        params = _choose_params(of)
    with right, st.expander("Limits: rate, spending, number of items"):
        limited, spend, price, most = _choose_limits(at)
    if not name or named is None or params is None or limited is None:
        return None
    return RunConfig(dataset.id, named, name, params, limited, spending_limit=spend, price=price, most=most)


def _requirements(requirements: Sequence[Requirement], card: Card) -> None:
    if not requirements:
        return
    for need in (requirement for requirement in requirements if requirement.lacking):
        text.warn("{said}", said=need.text)
    with st.container(gap=None):
        text.say("**What {card} needs**", card=card.title)
        for need in (requirement for requirement in requirements if not requirement.lacking):
            text.quiet("- {said}", said=need.text)


def _reading(reading: Reading, card: Card) -> None:
    if reading.unscored:
        st.text(f"Unscored ({reading.unscored.replace('_', ' ')}): {reading.why}.")
        return

    def value(score: Score) -> str:
        dimension = card.dimension(score.dimension, score.unit)
        if dimension is not None:
            return dimension.scale.format(score.value)
        return "n/a" if score.value is None else f"{score.value:g}"

    rows = [
        {
            "Where": name_unit(s.unit),
            "Dimension": s.dimension.replace("_", " "),
            "Value": value(s),
            "Confidence": s.confidence,
            "Source": s.source,
        }
        for s in reading.scores
    ]
    tables.table(tables.drop_empty_columns(rows, ("Confidence", "Source")), (), max_rows=12)
    for remark in (r for r in reading.remarks if r.sort == "rule"):
        st.text(f"Breaks a rule: {remark.text}")
