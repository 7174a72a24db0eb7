"""Runs as people see them: progress, the table of all, one in full, and how the judges of two differ."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

import streamlit as st

from data.mtbench import protocol_run
from data.runs.charges import RunCost
from data.runs.run_config import DryRunJudgment, RunProgress, RunSummary
from judges.client.budget import dollars
from judges.mtbench.generation import NAME as ANSWERS
from judges.plural import many
from judges.render.findings.findings import Column
from judges.types import Reading
from pages.ui import run_estimate, session, tables, text, url_state

STATE_NAMES = {
    "running": "▶ running", "stopping": "■ stopping", "stopped": "■ stopped", "interrupted": "! interrupted",
    "failed": "✕ failed", "finished": "✓ finished", "waiting for batch": "… waiting for batch",
}  # fmt: skip
STATE_COLOURS: dict[str, Literal["blue", "orange", "red", "green"]] = {
    "running": "blue", "stopping": "orange", "stopped": "orange", "interrupted": "orange", "failed": "red",
    "finished": "green", "waiting for batch": "blue",
}  # fmt: skip
COLUMNS = {
    "State": Column(width=115),
    "Progress": st.column_config.ProgressColumn(width=95, format="%d%%", min_value=0, max_value=100),
    "Judgments": Column("", "Made, of all of the run.", width=90),
    "Why": Column("", "Why it ended before all was judged.", width=190),
    "Model": Column(width=135),
    "Card": Column(width=140),
    "Dataset": Column(width=135),
    "Begun": Column(width=100),
    "By": Column(width=80),
    "Cost": Column("", "So far, in US dollars.", width=85),
    "In all": Column("", "The cost of all judgments, if each remaining one costs as much.", width=95),
    "Limit": Column("", "The spending limit, in US dollars.", width=70),
    "Endpoint": Column(width=190),
    "Unscored": Column(",", "Judgments that could not be used.", width=80),
    "Tokens": Column(",", "In and out, with failed calls.", width=90),
    "Parameters": Column(width="large"),
}


def describe_cost(cost: float | None, estimated: bool, limit: float | None, calls: int = 1) -> str:
    """Return the cost of a run and its limit, in words; "" if nothing was asked yet and there is no limit."""
    if not calls and limit is None:
        return ""
    if cost is None and calls:
        return "price not known, so no spending limit can be enforced"
    about = run_estimate.spent_words(cost, estimated) if cost else "no cost"
    return about if limit is None else f"{about if cost else '$0.00'} of the limit of {dollars(limit)}"


def resume_form(run: RunSummary, now: RunProgress) -> tuple[bool, float | None]:
    """(whether to go on with it, the new limit); where it keeps a limit, a small form says what is spent of it."""
    if now.limit is None:
        return st.button("Resume", icon=":material/play_arrow:", key=f"resume:{run.id}", type="primary"), None
    shown = st.popover("Resume, or change the limit", icon=":material/play_arrow:", type="primary")
    with shown, st.form(f"resume:{run.id}", border=False):
        text.say("{spent} is spent so far on this run.", spent=describe_cost(now.cost, now.estimated, now.limit))
        if now.open:
            text.quiet(
                "Up to {open} more may be spent, on calls that were under way when it ended.", open=dollars(now.open)
            )
        limit = st.number_input("Spending limit, US dollars", min_value=0.0, value=now.limit, format="%0.4g", step=1.0)
        resume = st.form_submit_button("Resume", icon=":material/play_arrow:", type="primary")
    return resume, limit if limit != now.limit else None


def draw_progress(run: RunSummary, now: RunProgress, controls: Callable[[RunProgress], None]) -> None:
    """Draw the progress of a run; `controls` draws the actions on it."""
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            text.say("**{model}** · {card} on {dataset}", model=run.model, card=run.card, dataset=run.dataset)
            text.practice(run.model)
            if probe := str(run.params.get("probe") or ""):
                with st.container(width="content"):
                    text.quiet("probe: {probe}", probe=probe.replace("_", " "))
            st.space("stretch")
            with st.container(width="content"):
                st.badge(text.escape(STATE_NAMES[now.state]), color=STATE_COLOURS[now.state])
            controls(now)
        if now.why:
            text.warn("{why}", why=now.why)
        units, outcome = ("questions", "answered") if run.card == ANSWERS else ("judgments", "scored")
        st.progress(
            now.done / now.total if now.total else 1.0, text=text.escape(f"{now.done:,} of {now.total:,} {units}")
        )
        full_cost = _extrapolate_cost(now.cost, now.done, now.total)
        total = f"about {dollars(full_cost)} in all" if full_cost and now.done not in (0, now.total) else ""
        left = f"about {text.duration(timedelta(seconds=now.seconds_left))} left" if now.seconds_left else ""
        if now.state == "running" and not left:
            left = "time left not known yet"
        parts = [
            f"{now.scored:,} {outcome}", *(f"{n:,} {reason.replace('_', ' ')}" for reason, n in now.unscored.items()),
            many(now.calls, "call"), f"{now.tokens_in:,} tokens in, {now.tokens_out:,} out",
            describe_cost(now.cost, now.estimated, now.limit, now.calls), total,
            f"endpoint: {_endpoint_of(run)}", f"up to {dollars(now.open)} more under way" if now.open else "",
            f"{now.rate:.1f} a second" if now.rate and now.state == "running" else "", left,
        ]  # fmt: skip
        text.quiet("{parts}", parts=" · ".join(p for p in parts if p))
        if now.problems:
            with st.expander("Latest problems"), st.container(gap=None):
                for sentence in now.problems[:5]:
                    text.quiet("{said}", said=sentence[:1].upper() + sentence[1:])


def _extrapolate_cost(cost: float | None, done: int, total: int) -> float | None:
    """Return the cost of all judgments if each remaining one costs as much as those that are made."""
    return cost / done * total if cost and done else cost


def run_table(runs: Sequence[RunSummary], counts: Mapping[str, tuple[int, int]]) -> list[RunSummary]:
    """All runs, newest first, with (judgments made, scored) of each; those that were chosen (to open, to compare)."""
    rows = [dict(zip(COLUMNS, _row(run, *counts.get(run.id, (0, 0))), strict=True)) for run in runs]
    shown = tables.drop_empty_columns(rows, ("Why", "In all", "Limit", "Unscored"))
    st.caption("Tick one run to open it, two to see how their judges differ (keys: arrows, then Shift and Space).")
    ticked = tables.table_to_tick(shown, COLUMNS, [run.id for run in runs], "runs:table", "multi-row", 12)
    if len(ticked) > 2:
        st.caption("Choose no more than two.")
    return [runs[n] for n in ticked]


def _row(run: RunSummary, done: int, scored: int) -> tuple[Any, ...]:
    total = max(run.judgments, done)
    full_cost = _extrapolate_cost(run.cost, done, total)
    params = sorted(run.params.items(), key=lambda pair: pair[0] != "probe")  # a probe is what one looks for
    return (
        STATE_NAMES[run.state], int(100 * done / total) if total else 100, f"{done:,} of {total:,}", run.why,
        run.model, run.card, run.dataset, text.moment(run.at), run.by,
        "not known" if run.cost is None else run_estimate.spent_words(run.cost, run.estimated),
        "" if full_cost is None or done == total else run_estimate.spent_words(full_cost, True),
        "" if run.limit is None else dollars(run.limit), _endpoint_of(run), done - scored or None, run.tokens,
        ", ".join(f"{name} {value}" for name, value in params),
    )  # fmt: skip


def _endpoint_of(run: RunSummary) -> str:
    return "practice, within Assay" if run.inside else run.endpoint or "as the server's environment says"


def show_trial_costs(costs: RunCost, unpriced: int) -> None:
    """The cost of calls outside of runs, if there is any; and how many calls had no known price."""
    if costs.cost:
        cost = run_estimate.spent_words(costs.cost, costs.estimated)
        more = f"; {many(unpriced, 'more call')} at a price that is not known" if unpriced else ""
        calls = many(costs.calls, "call")
        text.quiet("Dry runs and checks outside of runs: {calls}, {cost}{more}.", calls=calls, cost=cost, more=more)


def show_differences(judge: Any, other: Any) -> None:
    """Two judges side by side: parameters that differ, and their prompts line by line."""
    pairs = {
        "card": (judge.card.name, other.card.name), "model": (judge.model, other.model),
        "card version": (judge.card.version, other.card.version),
        **{
            name: (judge.params.get(name, "–"), other.params.get(name, "–"))
            for name in {**judge.params, **other.params}
        },
    }  # fmt: skip
    rows = [(name, str(a), str(b)) for name, (a, b) in pairs.items() if a != b]
    st.header("How the two judges differ", anchor=False)
    if rows:
        tables.table(rows, ("", "First", "Second"))
    else:
        st.caption("They are the same judge.")
    prompts_differ = False
    for name in dict.fromkeys([*judge.card.texts, *other.card.texts]):
        lines = _lines(judge.card.texts.get(name, "")), _lines(other.card.texts.get(name, ""))
        diff = list(difflib.unified_diff(*lines, lineterm="", n=2))[2:]
        if diff:
            text.say("**{name}**, sentence by sentence: − the first judge's, + the second's", name=_prompt_title(name))
            st.code(
                "\n".join("   ⋯" if line.startswith("@@") else line for line in diff), language="diff", wrap_lines=True
            )
            prompts_differ = True
    if rows and not prompts_differ:
        st.caption("Their prompts are the same.")


def _lines(prompt: str) -> list[str]:
    """A prompt with a line for each sentence, so that one changed word does not mark a whole paragraph."""
    return re.sub(r"(?<=[.!?:;]) +(?=\S)", "\n", prompt).splitlines()


def _prompt_title(name: str) -> str:
    return f"Prompt for {name.replace('_', ' ')}" if name else "Prompt"


def _show_prompts(card: Any) -> None:
    texts = card.texts
    places = st.tabs([text.escape(_prompt_title(name)) for name in texts]) if len(texts) > 1 else [st.container()]
    for place_, words in zip(places, texts.values(), strict=True):
        place_.code(words, language=None, wrap_lines=True, height=420)


def show_dry_run(
    judgments: Sequence[tuple[str, DryRunJudgment]], show_reading: Callable[[Reading], None] | None = None
) -> None:
    """Draw judgments, each under its heading: what was sent, what came back, and with `show_reading` how it was read.

    The first of them is open.
    """
    st.caption("Nothing of this was stored, except its cost, which counts among the dry runs.")
    for place, (heading, judgment) in enumerate(judgments):
        with st.expander(text.escape(heading), expanded=not place):
            left, right = st.columns(2, gap="medium")
            with left:
                st.caption("What was sent")
                for call, messages in enumerate(judgment.calls.values(), 1):
                    which = f"call {call} of {len(judgment.calls)}, " if len(judgment.calls) > 1 else ""
                    for message in messages:
                        text.quiet("{which}{role} message", which=which, role=message["role"])
                        st.code(message["content"], language=None, wrap_lines=True, height=300)
            with right:
                st.caption("What came back")
                _show_reply(judgment.raw)
                if show_reading is not None:
                    st.caption("What it was read as")
                    show_reading(judgment.reading)


def _show_reply(raw: str) -> None:
    """A raw reply: laid out where it is JSON, and as it came."""
    try:
        spread = json.dumps(json.loads(raw), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):  # a model that repeats itself may write ten thousand brackets
        st.code(raw or "nothing", language=None, wrap_lines=True, height=300 if len(raw) > 600 else "content")
        return
    laid_out, as_it_came = st.tabs(["Laid out", "As it came"])
    laid_out.code(spread, language="json", wrap_lines=True, height=300)
    as_it_came.code(raw, language=None, wrap_lines=True, height=300)


def show_title(run: RunSummary) -> None:
    """Draw the title of a run, its terms, its start and its endpoint."""
    st.title("Run", anchor=False)
    more = [
        f"{many(run.most, 'item')} drawn at random" if run.most else "", "as a batch" if run.batch else "",
        "what was unscored asked again" if run.only_unscored else "",
    ]  # fmt: skip
    start_text = f"Begun by {run.by}, {text.moment(run.at)}. Endpoint: {_endpoint_of(run)}"
    text.quiet("{told}", told=" · ".join([start_text, *(m for m in more if m)]))


def show_links(run: RunSummary) -> None:
    """Draw the links from a run to the pages that use its judgments."""
    with st.container(horizontal=True):
        answers = protocol_run.of_run(session.store(), run.id) if run.card == ANSWERS else None
        if answers and answers.dataset:
            url_state.link("mtbench", dataset=answers.dataset)
            return
        if run.card in ("mt_bench", "mt_bench_pair"):
            url_state.link("mtbench", dataset=run.dataset)
        url_state.link("calibration", dataset=run.dataset, judge=run.judge)
        url_state.link("audits", dataset=run.dataset, judge=run.judge)
        url_state.link("desk", dataset=run.dataset, judge=run.judge)


def show_judge(run: RunSummary, judge: Any) -> None:
    """Parameters and prompt of a run's judge."""
    left, right = st.columns([1, 2], gap="large")
    with left:
        st.header("Parameters", anchor=False)
        st.code(json.dumps(run.params, indent=1, ensure_ascii=False), language="json")
        text.quiet(
            "Card {card}, version {version}. Judge {judge}.", card=run.card, version=run.version, judge=run.judge
        )
    with right:
        st.header("Prompt", anchor=False)
        _show_prompts(judge.card)


def open_run(run: str) -> None:
    """Open a run."""
    st.query_params["run"] = run
    st.rerun()
