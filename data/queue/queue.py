"""The two streams: drawing items into them, and giving each to as many people as the rules of its dataset say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal, NamedTuple, get_args

from data.calibration import forecast
from data.cards import cards
from data.queue import strata
from data.queue.review_signals import find_needs, item_sizes, parse_reasons
from data.records import combinations, datasets, people, settings
from data.records.access import act, allow, allow_change, require
from data.records.queue_index import QueuedDraw, QueueIndex, current_index
from data.records.tables import ClaimRow, DrawRow
from data.store import Store, Tx, placeholders
from data.store.errors import BadInput
from data.store.ids import new_id, now
from judges.stats import sampling
from judges.stats.sampling import SampleDesign, StratumShare
from judges.strict_json import canonical
from judges.triage import Reason, ReasonKind, ReviewNeed, rank_by_need

Stream = Literal["audit", "review"]
MAX_DRAWN_ITEMS = 1_000_000
"""Items that may be drawn at a time."""


@dataclass(frozen=True)
class QueueFilters:
    """Narrows a queue; "" means any. Dimension and reason are those of one and the same reason to be in the queue."""

    system: str = ""
    judge: str = ""
    dimension: str = ""
    reason: str = ""

    def sql(self) -> tuple[str, list[str]]:
        """The conditions on draws `d` of items `i`, with parameters numbered from 3."""
        text, params = "", []
        if self.system:
            text += " and (i.system_a = $3 or i.system_b = $3)"
            params.append(self.system)
        if self.judge:
            text += f" and d.judge_id = ${3 + len(params)}"
            params.append(self.judge)
        # The keys of a reason are stored in alphabetical order, so that dimension and kind stand side by side.
        pairs = (("dimension", self.dimension), ("kind", self.reason))
        fragments = [f'"{key}":{canonical(value)}' for key, value in pairs if value]
        if fragments:
            text += f" and strpos(d.reasons, ${3 + len(params)}) > 0"
            params.append(",".join(fragments))
        return text, params


@dataclass(frozen=True)
class OfferedItem:
    """An item that a person may answer now: the draw it comes from, how it is shown and why it is in the queue.

    `route`: in which other way it came to them.
    """

    draw: str
    item: str
    stream: Stream
    mode: Literal["blind", "assisted"]
    judge: str
    reasons: tuple[Reason, ...] = ()
    route: str = ""


@dataclass(frozen=True)
class FilterOptions:
    """For each filter, its values and how they read."""

    system: dict[str, str]
    judge: dict[str, str]
    dimension: dict[str, str]
    reason: dict[str, str]


@allow("annotator")
def filter_options(store: Store, dataset_id: str) -> FilterOptions:
    """The values that occur in a dataset."""
    judges = datasets.dataset_judges(store, dataset_id)
    names = combinations.model_names(store, judges)
    common = Counter(names.values())
    used = [card for card in (cards.card_of_judge_if_known(store, judge) for judge in names) if card is not None]
    return FilterOptions(
        {name: name for name in datasets.dataset_systems(store, dataset_id)},
        {judge: name + (f" ({judge[:6]})" if common[name] > 1 else "") for judge, name in names.items()},
        {d.name: d.title for card in used for d in card.dimensions if d.asked},
        {kind: kind for kind in get_args(ReasonKind)},
    )


# -- drawing ------------------------------------------------------------------------------------------------------


@allow("researcher")
def plan_audit(
    store: Store | Tx, dataset_id: str, size: int, judge_id: str, design: SampleDesign | None = None
) -> list[StratumShare]:
    """Return the part of each stratum in an audit sample of `size` further items.

    `design` None: as the dataset's items were divided before, or by system. Raises BadInput for an impossible size or
    design.
    """
    population, worth, share, _ = _population(store, dataset_id, size, judge_id, design)
    return sampling.plan_draw(population.strata, population.already, size, share, worth)


@allow("researcher")
def draw_audit(
    store: Store, actor: str, dataset_id: str, size: int, judge_id: str, seed: int, design: SampleDesign | None = None
) -> int:
    """Draw `size` further items at random, stratified as designed, into the audit sample; how many were drawn.

    A share of them (the dataset's setting) is shown with the scores of `judge_id`; all others blind. Items that have no
    stratum yet get theirs now, and keep it. Raises NotAllowed below the role researcher, BadInput for a size or a
    design that cannot be.
    """

    def work(tx: Tx) -> int:
        population, worth, share, used = _population(tx, dataset_id, size, judge_id, design)
        rows = [
            DrawRow(
                new_id(), dataset_id, d.item, "audit", *(("assisted", judge_id) if d.assisted else ("blind", "")),
                d.stratum, d.probability, float(len(population.already) + d.place), "[]",
            )
            for d in sampling.draw_sample(population.strata, population.already, size, share, seed, worth)
        ]  # fmt: skip
        strata.store_strata(tx, dataset_id, population, used)
        return tx.append(rows)

    suffix = "" if design is None else f", {strata.describe_design(design)}, {sampling.ALLOCATIONS[design.allocation]}"
    return act(store, actor, "researcher", f"draw audit sample (seed {seed}{suffix})", work, dataset_id)


def _population(
    store: Store | Tx, dataset_id: str, size: int, judge_id: str, design: SampleDesign | None
) -> tuple[strata.SampledPopulation, dict[str, float], float, SampleDesign]:
    """The items with their strata, what each stratum is worth, the share to show assisted, and the design in use."""
    if not 1 <= size <= MAX_DRAWN_ITEMS:
        raise BadInput(f"A sample of {size} items cannot be drawn: give a number from 1 to {MAX_DRAWN_ITEMS:,}.")
    used = design or strata.current_design(store, dataset_id) or SampleDesign()
    population = strata.sampled_population(store, dataset_id, used)
    share = settings.queue_rules(store, dataset_id).assisted_share if judge_id else 0.0
    return population, forecast.stratum_worth(store, dataset_id, population.strata, used), share, used


class ReviewPlan(NamedTuple):
    """The items that `fill_review` would take, in numbers.

    These are the number of items, their number for each kind of reason, and the number of items that need a look but
    stay out because they are reserved for the audit sample.
    """

    new: int
    kinds: dict[str, int]
    reserved: int


@allow("researcher")
def plan_review(
    store: Store, dataset_id: str, judge_id: str, limit: int = 200, kind: ReasonKind | None = None
) -> ReviewPlan:
    """Return the numbers of items that `fill_review` would take; `kind`: only items that have a reason of this kind."""
    new, _, reserved = _split_needs(store, current_index(store), dataset_id, _needs(store, dataset_id, judge_id, kind))
    kinds = Counter(kind for n in new[:limit] for kind in dict.fromkeys(r.kind for r in n.reasons))
    return ReviewPlan(len(new[:limit]), dict(kinds.most_common()), reserved)


def _needs(store: Store, dataset_id: str, judge_id: str, kind: ReasonKind | None) -> list[ReviewNeed]:
    needs = find_needs(store, dataset_id, judge_id)
    return [n for n in needs if kind is None or any(reason.kind == kind for reason in n.reasons)]


@allow("researcher")
def fill_review(
    store: Store, actor: str, dataset_id: str, judge_id: str, limit: int = 200, kind: ReasonKind | None = None
) -> int:
    """Take the items that need a look most into the review queue, if not in it yet; return how many were taken.

    `kind`: only items with a reason of this kind, for example "not spared" for what is not accepted without review.
    Items of the audit sample stay out while they wait for answers, because people who saw them here could not answer
    them there. Raises NotAllowed below the role researcher, BadInput for an impossible number.
    """
    if not 1 <= limit <= MAX_DRAWN_ITEMS:
        raise BadInput(f"{limit} items cannot be taken: give a number from 1 to {MAX_DRAWN_ITEMS:,}.")
    require(store, actor, "researcher")
    needs = _needs(store, dataset_id, judge_id, kind)

    def work(tx: Tx) -> int:
        new, *_ = _split_needs(tx, current_index(tx), dataset_id, needs)
        return tx.append(_review(dataset_id, judge_id, new[:limit]))

    return act(store, actor, "researcher", "fill review queue", work, dataset_id)


class FlaggedItems(NamedTuple):
    """The result of taking items into the review queue.

    It counts the items newly taken, those that were in it already, and those that stay out because they are reserved
    for the audit sample.
    """

    new: int
    existing: int
    reserved: int = 0


@allow("researcher")
def take_flagged(store: Store, actor: str, dataset_id: str, judge_id: str, reasons: Iterable[Reason]) -> FlaggedItems:
    """Take the items of the given reasons into the review queue, if not in it yet and not reserved for the audit.

    Raises NotAllowed below the role researcher, BadInput for an item of another dataset.
    """
    needs = rank_by_need(reasons, item_sizes(store, dataset_id, judge_id))

    def work(tx: Tx) -> FlaggedItems:
        item_ids = {str(r[0]) for r in tx.rows("select id from item where dataset_id = $1", [dataset_id])}
        if any(need.item not in item_ids for need in needs):
            raise BadInput("One of these items is not in this dataset. Load the page again.")
        new, queued_count, reserved = _split_needs(tx, current_index(tx), dataset_id, needs)
        return FlaggedItems(tx.append(_review(dataset_id, judge_id, new)), queued_count, reserved)

    return act(store, actor, "researcher", "fill review queue (flagged by an audit)", work, dataset_id)


def _review(dataset_id: str, judge_id: str, needs: Sequence[ReviewNeed]) -> list[DrawRow]:
    """The rows of draws into the review queue; equal needs stay in the order given, by the order of the ids."""
    ids = sorted(new_id() for _ in needs)
    return [
        DrawRow(
            key, dataset_id, need.item, "review", "assisted", judge_id, "", None, -need.need,
            canonical([{k: v for k, v in asdict(r).items() if k != "item"} for r in need.reasons[:12]]),
        )
        for key, need in zip(ids, needs, strict=True)
    ]  # fmt: skip


def _split_needs(
    reader: Store | Tx, index: QueueIndex, dataset_id: str, needs: Sequence[ReviewNeed]
) -> tuple[list[ReviewNeed], int, int]:  # fmt: skip
    """Return the needs that may come into the review queue, how many are in it, and how many the audit has reserved."""
    rows = reader.rows("select item_id from draw where dataset_id = $1 and stream = 'review'", [dataset_id])
    known = {str(r[0]) for r in rows}
    with index.lock:
        reserved = {need.item for need in needs if need.item not in known and index.is_reserved(need.item)}
    new = [need for need in needs if need.item not in known and need.item not in reserved]
    return new, len(needs) - len(new) - len(reserved), len(reserved)


# -- giving out ---------------------------------------------------------------------------------------------------


@allow("annotator")
def claim_items(
    store: Store, person: str, dataset_id: str, stream: Stream, filters: QueueFilters, ids: Sequence[str], ahead: int
) -> list[OfferedItem]:
    """Claim up to `ahead` items for a person to answer next, in one transaction, and return them.

    `ids` are items that their browser has already: they stay claimed and are not given again. While more than half of
    `ahead` of them fit the filters, no more are given. A claim ends with the answer, or by itself after the dataset's
    claim time. A person's own open claims come first, so that a reload continues with them. Raises NotAllowed.
    """
    require(store, person, "annotator")
    index = current_index(store)
    fit = matching_draws(store, index, dataset_id, stream, filters)
    term = timedelta(minutes=settings.queue_rules(store, dataset_id).claim_minutes)

    def fits(draw: QueuedDraw) -> bool:
        return fit is None or draw.id in fit

    def choose(moment: datetime) -> tuple[list[QueuedDraw], list[QueuedDraw]]:
        """Return (draws to give now, draws whose claim is to be written: new ones, and own ones that are half over)."""
        with index.lock:
            own = index.held_draws(dataset_id, stream, person, moment)
            browser_draws = [d for d in own if d.item in ids]
            want = ahead if sum(map(fits, browser_draws)) <= ahead // 2 else 0
            ranked_draws = sorted(own, key=lambda d: index.rank(d, person))
            chosen = [d for d in ranked_draws if fits(d) and d.item not in ids][:want]
            more = (
                d for d in index.open_draws(dataset_id, stream, person, moment)
                if fits(d) and d not in own and d.item not in ids
            )  # fmt: skip
            chosen += islice(more, want - len(chosen))
            # An item in the browser that nobody else may have taken meanwhile is claimed again, even if its claim is
            # over.
            expired_draws = [
                d for item in ids for d in index.of_item.get(item, ())
                if (d.dataset, d.stream) == (dataset_id, stream) and person in d.holders and d not in own
                and index.is_free(d, person, moment)
            ]  # fmt: skip
        return chosen, [d for d in [*browser_draws, *expired_draws, *chosen] if own.get(d, moment) < moment + term / 2]

    def work(tx: Tx) -> list[QueuedDraw]:
        index.follow(tx)
        moment = now()
        chosen, due = choose(moment)
        tx.append([ClaimRow(new_id(), dataset_id, d.id, d.item, person, moment + term) for d in due])
        return chosen

    chosen, due = choose(now())
    return _to_offered_items(store, act(store, person, "annotator", "claim", work, dataset_id) if due else chosen)


def _to_offered_items(store: Store, chosen: list[QueuedDraw]) -> list[OfferedItem]:
    """The chosen draws with their judge and reasons."""
    if not chosen:
        return []
    rows = store.rows(
        f"select id, item_id, stream, mode, judge_id, reasons from draw where id in ({placeholders(chosen)})",
        [d.id for d in chosen],
    )
    by_draw = {
        draw: OfferedItem(draw, item, stream, mode, judge, parse_reasons(item, reasons_json))
        for draw, item, stream, mode, judge, reasons_json in rows
    }
    return [by_draw[d.id] for d in chosen]


def matching_draws(
    store: Store, index: QueueIndex, dataset_id: str, stream: Stream, filters: QueueFilters
) -> frozenset[str] | None:
    """Return the ids of the draws that pass the filters, cached until more are drawn; None if there is no filter.

    In the audit sample of a dataset that hides systems the filter by system is ignored, because it would name them.
    """
    if filters.system and stream == "audit" and settings.hides_systems(store, dataset_id):
        filters = replace(filters, system="")
    if filters == QueueFilters():
        return None
    known = index.matching.get((dataset_id, stream, filters))
    if known and known[0] == index.newest_draw:
        return known[1]
    drawn = index.newest_draw
    conditions, params = filters.sql()
    draws = "select d.id from draw d join item i on i.id = d.item_id where d.dataset_id = $1 and d.stream = $2"
    rows = store.rows(draws + conditions, [dataset_id, stream, *params])
    ids = frozenset(str(r[0]) for r in rows)
    if len(index.matching) >= 64:
        index.matching.clear()
    index.matching[dataset_id, stream, filters] = (drawn, ids)
    return ids


@allow_change("annotator", "release", "dataset_id")
def release_claims(tx: Tx, person: str, dataset_id: str) -> int:
    """Release the items of a dataset that a person has reserved and not answered, for others; return how many."""
    index, moment = current_index(tx), now()
    with index.lock:
        draws = [d for stream in ("audit", "review") for d in index.held_draws(dataset_id, stream, person, moment)]
    return tx.append([ClaimRow(new_id(), dataset_id, d.id, d.item, person, moment) for d in draws])


def count_open(
    store: Store, person: str, dataset_id: str, stream: Stream, filters: QueueFilters = QueueFilters()
) -> int:
    """Return the number of items of a queue that wait for this person."""
    index = current_index(store)
    fit = matching_draws(store, index, dataset_id, stream, filters)
    with index.lock:
        if fit is None:
            return index.count(dataset_id, stream, person, now())
        return sum(d.id in fit for d in index.open_draws(dataset_id, stream, person, now()))


@allow("researcher")
def count_known_to_all(store: Store, dataset_id: str) -> int:
    """Count the items that are not drawn yet and that nobody who works here now could answer blind.

    Each of these people was shown them with a judge's scores or other people's labels, or answered them. The items stay
    in the population, because a sample of the others would only describe the others.
    """
    names, index = [p.name for p in people.all_people(store)], current_index(store)
    query = "select id from item where dataset_id = $1 and id not in (select item_id from draw where stream = 'audit')"
    with index.lock:
        known_items = [(w.last.keys() | w.saw_people | w.saw_judge) for w in (index.workers[name] for name in names)]
        shared = set.intersection(*map(set, known_items)) if known_items else set[str]()
    return len(shared & {str(r[0]) for r in store.rows(query, [dataset_id])}) if shared else 0


@allow("annotator")
def count_stranded(store: Store, dataset_id: str) -> int:
    """Count the items of the audit sample that wait for a blind answer that nobody who works here now can give."""
    names, index = [p.name for p in people.all_people(store)], current_index(store)
    with index.lock:
        return sum(
            index.wants_blind(d) and all(index.is_closed_to(d, name) for name in names)
            for d in index.queues[dataset_id, "audit"].waiting_draws()
        )
