"""The calibration page's tables, plots and sentences about all dimensions of a judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st

from data.calibration import Rest
from data.gold import BASES, WEIGHTED, Basis
from data.report import plots
from data.scores import Mean
from judges.calibrate import Line
from judges.counted import many
from judges.gate import Policy
from judges.intervals import Interval
from judges.raters import ceiling
from pages.parts import charts, rows, text

COLUMNS = {
    "dimension": st.column_config.TextColumn(width=122),
    "unit": st.column_config.TextColumn(width=86, help="What the question is asked of. Units are never pooled."),
    "items": st.column_config.NumberColumn(width=54, format="localized", help="Items with gold."),
    "cells": st.column_config.NumberColumn(
        width=54, format="localized", help="Units that both people and judge gave a value: what the figures rest on."
    ),
    "kappa": st.column_config.NumberColumn(
        width=58,
        format="%.3f",
        help="Quadratic-weighted (QWK) where answers are ordered, plain Cohen's kappa elsewhere.",
    ),
    "95% interval": st.column_config.TextColumn(width=98, help="By items, which are resampled whole."),
    "lower bound": st.column_config.NumberColumn(
        width=80, format="%.3f", help="The cautious reading: kappa is lower in one case of twenty only."
    ),
    "people": st.column_config.TextColumn(
        width=132,
        help="How far two people agree with each other on the same blind items, with its interval: the ceiling. "
        "A dash: fewer than 30 items have labels of two.",
    ),
    "exact": st.column_config.NumberColumn(width=56, format="%.0f%%", help="Share of equal answers."),
    "leniency": st.column_config.NumberColumn(
        width=70, format="%+.2f", help="Mean of judge − people in scale steps: above 0 the judge is kinder."
    ),
    "state": st.column_config.TextColumn(
        width=154, help="What the approval check says, on the labels that the policy counts."
    ),
    "floor": st.column_config.TextColumn(
        width=88,
        help="Whether its kappa lies above those of two rules that do not read the text: one looks only at the length, "
        "one always says the same. The figures stand in the detail below.",
    ),
    "missing": st.column_config.TextColumn(width=152, help="What is missing before a lead may approve it."),
}


def span(interval: Interval) -> str:
    """The ends of an interval in words."""
    return "–" if interval.low is None or interval.high is None else f"{interval.low:z.2f} to {interval.high:z.2f}"


def between(top: Interval | None) -> str:
    """How far people agree with each other, with the interval; a dash where too few items have labels of two."""
    if top is None or top.verdictless or top.point is None:
        return "–"
    return f"{top.point:.2f} ({span(top)})"


def number(value: float | None, shape: str = ".3f") -> str:
    """A figure, or a dash where it is undefined."""
    return "–" if value is None else f"{value:{shape}}"


def small(p: float) -> str:
    """A p-value: .031, or that it is below .001."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def judge_names(judges: Sequence[tuple[str, str, str, bool, int]], samples: Mapping[str, str]) -> dict[str, str]:
    """Judges by id in words.

    Model · card, how their `samples` combine where they have several, and the id's head where
    that is not enough to tell them apart.
    """
    named = {
        id_: f"{model} · {card}" + (f" · {samples[id_]}" if id_ in samples else "") + (" (synthetic)" if made else "")
        for id_, card, model, made, _ in judges
    }
    common = {name for name in named.values() if list(named.values()).count(name) > 1}
    return {id_: f"{name} · {id_[:6]}" if name in common else name for id_, name in named.items()}


def title(line: Line) -> str:
    """A dimension's name and unit in words."""
    return f"{line.dimension.title} · {line.dimension.sort}"


def basis_names(rests: Mapping[Basis, Rest]) -> dict[str, str]:
    """The bases in words, with what each has to rest on where that was counted."""
    told = {b: f" · {many(r.labels, 'label')} of {r.people:,} people" for b, r in rests.items()}
    return {basis: name + told.get(basis, "") for basis, name in BASES.items()}


def resting(
    lines: Sequence[Line], basis: Basis, dropped: bool, counted: Basis, rests: Mapping[Basis, Rest]
) -> None:
    """What the figures below rest on, and whether the gate's are others, which rest on `counted`."""
    items = max(line.shown.gold_items for line in lines)
    cells = sum(line.shown.gold_cells for line in lines)
    stands = "each weighted by the items that it stands for (those of its stratum / those answered)"
    weights = stands if basis in WEIGHTED else "each counted once"
    ties = ", ties dropped on both sides" if dropped else ""
    text.quiet(
        "These figures rest on **{basis}**: {items}, {cells} with gold, {weights}{ties}.",
        basis=BASES[basis][0].lower() + BASES[basis][1:], items=many(items, "item"), cells=many(cells, "cell"),
        weights=weights, ties=ties,
    )  # fmt: skip
    given, brought = rests["gate"].labels, rests["imported"].labels - rests["gate"].labels
    if brought:
        no = "do not count for the approval check here; a lead can allow them in the policy."
        told = "count too." if counted == "imported" else no
        text.quiet(
            "The approval check counts {given} given here. {n} imported ones {told}",
            given=many(given, "blind label"), n=f"{brought:,}", told=told,
        )  # fmt: skip
    if all(line.gated for line in lines):
        return
    if any(line.gate.gold_cells for line in lines):
        text.say("The **states** rest on {basis}, with ties counted.", basis=_lower(BASES[counted]))
    elif basis != counted:
        st.warning(
            text.plain(
                f"The approval check counts {_lower(BASES[counted])}, and this dataset has none: every state "
                "is “below minimum sample”, whatever these figures say. Draw an audit sample on the Queues page, and "
                "label it."
            ),
            icon=":material/info:",
        )


def combined(since: str) -> None:
    """Why the figures of a judge of before are others now; nothing where `since` is empty."""
    if since:
        text.quiet(
            "Until {since} the first sample of this judge stood for it. Now all its samples about one thing count as "
            "one answer, so figures, decisions and reports from before may differ from these. The panel Samples shows "
            "both.",
            since=since,
        )


def _lower(told: str) -> str:
    return told[0].lower() + told[1:]


def plot(lines: Sequence[Line], tops: plots.Tops, policy: Policy, key: str) -> None:
    """Every dimension with its interval, its bound and its state, against what the policy asks and people reach."""
    charts.intervals(plots.standing(lines, tops), f"plot:{key}", policy.threshold, f"asked: {policy.threshold:.2f}")
    asked = plots.REACH if policy.lower_bound else ""
    known = [top for top in tops.values() if top is not None and not top.verdictless]
    text.quiet("{whose}", whose=whose(lines, bool(known)))
    text.quiet(
        "Mark: kappa. Line: its 95% interval. Small upright tick: the one-sided lower bound{asked}. {top} ● meets "
        "policy, ○ inconclusive, ✕ fails, □ below minimum sample, – undefined. Click a row of the table to see more.",
        asked=asked, top="Long tick: how far people agree with each other, with its interval below." if known else "",
    )  # fmt: skip


def whose(lines: Sequence[Line], known: bool) -> str:
    """Whose agreement the figures are."""
    people = [line.shown.people for line in lines if line.shown.gold_cells]
    if not people:
        return ""
    labels, cells = sum(p.labels for p in people), sum(line.shown.gold_cells for line in lines)
    return ceiling.whose(min(p.fewest for p in people), max(p.most for p in people), labels / cells, known)


def _missing(line: Line) -> str:
    """What is missing in a few words; the sentences stand in the detail."""
    state, more = line.decision.state, line.decision.more_told
    return more or {"meets policy": "nothing", "fails": "agreement"}.get(state, "more agreement")


def table(
    lines: Sequence[Line], tops: plots.Tops, key: str, chosen: Callable[[int], None], floor: Sequence[str]
) -> None:
    """The table of every dimension with its figures.

    Every dimension with its figures, how far people agree, and whether it lies above the floor in words; `chosen`
    gets the number of a row that is clicked.
    """
    frame = pd.DataFrame(
        [
            {
                "dimension": line.dimension.title,
                "unit": line.dimension.sort,
                "state": f"{plots.MARKS[line.decision.state]} {line.decision.state}",
                "missing": _missing(line),
                "items": line.shown.gold_items,
                "cells": line.shown.cells,
                "kappa": line.shown.interval.point,
                "95% interval": span(line.shown.interval),
                "lower bound": line.bound,
                "people": between(tops.get(line.dimension)),
                "exact": _percent(line.shown.exact),
                "leniency": line.shown.mean_difference,
                "floor": above,
            }
            for line, above in zip(lines, floor, strict=True)
        ]
    )
    rows.clickable(frame, chosen, f"dimensions:{key}", height="content", column_config=COLUMNS, placeholder="–")


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def means(found: list[Mean]) -> None:
    """What the judge gave each system on average; "all" is over all its rows."""
    st.dataframe(
        {
            "system": [m.system or "unnamed" for m in found],
            "dimension": [m.dimension.replace("_", " ") for m in found],
            "unit": [m.unit.replace(":", " ") or "all" for m in found],
            "scores": [m.cells for m in found],
            "mean": [m.mean for m in found],
        },
        hide_index=True,
        column_config={"mean": st.column_config.NumberColumn(format="%.4f")},
    )
