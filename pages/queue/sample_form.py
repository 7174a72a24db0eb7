"""The form of a sample: its strata, how the sample falls on them, and how precise it should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.approvals import policy
from data.approvals.quota import Quota
from data.calibration import calibration
from data.calibration import forecast as ahead
from data.queue import strata
from data.records.datasets import Dataset
from data.store import Store
from judges.errors import AssayError
from judges.plural import many
from judges.render.findings.findings import COUNT, Column
from judges.stats.approval_check import CheckPolicy
from judges.stats.forecast import Forecast
from judges.stats.sampling import ALLOCATIONS, Allocation, By, SampleDesign, StratumShare
from judges.stats.sequential import anytime_boundary
from pages.ui import session, tables, text

MAX_FORECAST_ITEMS = 1_000
"""Items up to which is forecast where the policy has a single look."""
BASIS_NAMES: dict[By, str] = {
    "score": "the judge's score", "confidence": "the judge's confidence", "system": "system", "language": "language",
    "meta": "a field of the items",
}  # fmt: skip
ALLOCATION_HELP = (
    "Proportional: every item has the same probability. Square root: small strata get more than their share, which "
    "helps where nearly all scores are the same. Neyman: each stratum by its size and its standard deviation, which is "
    "estimated from labels where there are some, else from simulated ones."
)
_ALLOCATION_NAMES: dict[Allocation | None, str] = {None: "no strata"} | dict(ALLOCATIONS.items())


def choose_design(dataset: Dataset, judges: Mapping[str, str]) -> SampleDesign:
    """Return the design that the person chooses to stratify by. Raises AssayError if it is not possible."""
    store = session.store()
    first = strata.current_design(store, dataset.id)
    fixed = first is not None and not strata.sampled_population(store, dataset.id, first).open
    begin = first or (SampleDesign("score", judge=next(iter(judges)), allocation="root") if judges else SampleDesign())
    if fixed:
        text.quiet(
            "Items are stratified **{by}**, as at the first draw: each keeps its stratum, and only items that are "
            "imported later can be stratified in another way.", by=strata.describe_design(begin),
        )  # fmt: skip
    fields = strata.meta_fields(store, dataset.id)
    left, middle, right = st.columns(3) if not fixed or len(judges) > 1 else [st.container()] * 3
    ways = [by for by in BASIS_NAMES if (judges or by not in ("score", "confidence")) and (fields or by != "meta")]
    by = begin.by if fixed else left.selectbox(
        "Strata by", ways, index=ways.index(begin.by) if begin.by in ways else 0, format_func=BASIS_NAMES.__getitem__,
        key="design:by",
    )  # fmt: skip
    of = begin.of if fixed else ""
    if by == "meta" and not fixed:
        of = middle.selectbox("Field", fields, format_func=text.escape, key="design:field")
    judge = _judge(judges, begin, right if not fixed else left)
    dimensions = calibration.compared_dimensions(store, judge) if judge else []
    titles = {f"{d.sort}.{d.name}": f"{d.name.replace('_', ' ')} ({d.sort})" for d in dimensions}
    if by == "score" and not fixed:
        scores = ["", *titles]
        of = middle.selectbox("Score", scores, format_func=lambda d: titles.get(d, "lowest of all"), key="design:of")
    low, forecast_column = st.columns([3, 3])
    allocation = low.segmented_control(
        "Allocation", list(ALLOCATIONS), default=begin.allocation, format_func=ALLOCATIONS.__getitem__,
        key="design:how", help=ALLOCATION_HELP, required=True,
    )  # fmt: skip
    about = ""
    if titles:
        about = forecast_column.selectbox(
            "Forecast for", list(titles), format_func=titles.__getitem__, key="design:about",
            index=list(titles).index(of) if of in titles else 0,
            help="The dimension whose precision is forecast, and that Neyman's allocation is optimal for.",
        )  # fmt: skip
    return SampleDesign(
        by, of, begin.judge if fixed and begin.by in ("score", "confidence") else judge, allocation, about
    )


def _judge(judges: Mapping[str, str], begin: SampleDesign, column: DeltaGenerator) -> str:
    """The judge whose scores are looked at; "" where there is none."""
    if len(judges) < 2:
        return next(iter(judges), "")
    judge_ids = list(judges)
    place = judge_ids.index(begin.judge) if begin.judge in judge_ids else 0
    return str(
        column.selectbox(
            "Judge for strata and forecast", judge_ids, index=place, format_func=judges.__getitem__, key="design:judge"
        )
    )


def show_shares(shares: Sequence[StratumShare], size: int, needed: Quota) -> None:
    """Draw how the sample falls on the strata, and what it means for the policy."""
    new, assisted = sum(s.now for s in shares), sum(s.now_assisted for s in shares)
    text.say(
        "This draws **{n}** now: {blind} blind and {assisted} assisted.",
        n=many(new, "item"), blind=f"{new - assisted:,}", assisted=f"{assisted:,}",
    )  # fmt: skip
    text.quiet("{said}", said=needed.sentence(new - assisted, new >= needed.left))
    if new > size:
        text.quiet(
            "More than entered: there are {n}, and each needs an item in the sample that is answered blind.",
            n=many(len(shares), "stratum", "strata"),
        )
    if new < size:
        st.caption("Fewer than entered: the dataset has no more items that were not drawn.")
    if lone := sum(s.items == 1 for s in shares):
        text.quiet(
            "{n} with a single item, which is drawn with certainty. One item has no variance, so for standard errors "
            "it is collapsed with the next stratum.", n=many(lone, "stratum", "strata"),
        )  # fmt: skip
    columns = {"Stratum": Column()} | dict.fromkeys(("Items", "Drawn before", "Drawn now"), COUNT)
    columns |= dict.fromkeys(("P(blind)", "P(assisted)"), Column(".4f"))
    tables.table([(s.stratum or "no system", s.items, s.before, s.now, s.blind, s.assisted) for s in shares], columns)
    weights = [(s.items / blind, blind) for s in shares if (blind := round(s.blind * s.items))]
    worth = sum(w * n for w, n in weights) ** 2 / sum(w * w * n for w, n in weights) if weights else 0.0
    text.quiet(
        "With their weights the {n} blind items of all draws count as {worth} equally weighted ones (Kish's effective "
        "sample size). How precisely they estimate kappa is in the table below.",
        n=f"{sum(n for _, n in weights):,}", worth=f"{worth:.0f}",
    )  # fmt: skip


def show_forecast(
    dataset: Dataset, shares: Sequence[StratumShare], judges: Mapping[str, str], chosen: SampleDesign
) -> None:
    """Draw the expected precision of a judge's kappa from the sample, by allocation."""
    if not judges or not chosen.about:
        st.caption("No judge has scored this dataset yet: without scores there is no forecast.")
        return
    store = session.store()
    gate = policy.requirements(store).policy
    best = min(0.95, round(gate.threshold + 0.25, 2))
    low, high = st.slider(
        "Assumed agreement (kappa)", 0.05, 0.95, (min(best - 0.05, round(gate.threshold + 0.1, 2)), best), 0.05,
        format="%.2f", key="design:agreement",
        help="The range of kappa between people and judge that the forecast assumes: before there are labels, nobody "
        "knows it.",
    )  # fmt: skip
    blind = sum(round(s.blind * s.items) for s in shares)
    last = min(gate.horizon or MAX_FORECAST_ITEMS, sum(s.items for s in shares))
    try:
        seen = _forecast_samples(store, dataset.id, chosen, blind, low, high, gate, last, store.newest())
    except AssayError as error:
        text.quiet("{error}", error=error)
        return
    tables.table(
        [
            (
                _ALLOCATION_NAMES[allocation] + (" (chosen)" if allocation == chosen.allocation else ""),
                *_words(forecast, gate, last),
            )
            for allocation, forecast in seen.items()
        ],
        ["Allocation", f"Kappa ± on {blind:,} blind", "Items until the policy is met", "With one look"],
    )
    text.quiet(
        "Simulated on the judge's own scores, with people who agree with it at a kappa of {low} to {high} and use each "
        "answer as often as it does. *Kappa ±* is half the width of the 95% interval. *Until the policy is met* is the "
        "number of blind items after which the lower bound reaches {threshold}, checked after every item (10th to 90th "
        "percentile of the simulations). *With one look* is the number that a plan with a single look needs in 80% of "
        "simulations. All of it is for one dimension of one judge.",
        low=f"{low:.2f}", high=f"{high:.2f}", threshold=f"{gate.threshold:.2f}",
    )  # fmt: skip


@st.cache_data(max_entries=64, show_spinner="Simulating ...")
def _forecast_samples(
    _store: Store, dataset_id: str, chosen: SampleDesign, items: int, low: float, high: float, gate: CheckPolicy,
    last: int, newest: int,
) -> dict[Allocation | None, Forecast]:  # fmt: skip
    """The forecast of every allocation, up to `last` items; `newest` is the change that it was made at."""
    parts = strata.sampled_population(_store, dataset_id, chosen).strata
    first, agreements = min(gate.min_items, last), [low, (low + high) / 2, high]
    z = anytime_boundary(1 - gate.level, first, max(gate.horizon, first))
    return ahead.forecast_draw(
        _store, dataset_id, parts, chosen.judge, chosen.about, items, agreements, gate.threshold, z, first, last,
        gate.level,
    )  # fmt: skip


def _words(forecast: Forecast, gate: CheckPolicy, last: int) -> tuple[str, str, str]:
    """A forecast in words: its half width, and both numbers of items, as ranges."""
    half = _range(*(f"{half:.2f}" for half in forecast.half_width))
    return half, _items(forecast.free, gate, last), _items(forecast.fixed, gate, last)


def _items(ends: tuple[int, int | None], gate: CheckPolicy, last: int) -> str:
    """Numbers of items to the nearest ten: no forecast is nearer than that, but for the least that is required."""
    if ends == (gate.min_items, gate.min_items):
        return f"{gate.min_items:,}, the minimum required"
    low, high = (end if end is None or end < 100 else round(end, -1) for end in ends)
    if high is None:
        return f"more than {last:,}" if ends[0] >= last else f"{low:,} to more than {last:,}"
    return _range(f"{low:,}", f"{high:,}")


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
