"""What rooms of `data` decide at and beside the bounds of their rules: archives beside those of whole rooms."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import Any, get_args

import pytest

from data.adjudication import adjudication
from data.approvals import approvals, case, check_results, plans, quota, record, rules, suspension
from data.approvals import policy as policies
from data.approvals.label_caveats import ImportedLabels, LabelOrigin
from data.audits import audits
from data.calibration import calibration, means, nonresponse
from data.calibration.means import MeansChoice
from data.cards import cards, folder
from data.cards.desk_cards import card_uses, choose_desk_cards
from data.desk import labels
from data.exporting import conversations
from data.gold import disputes, excluded_items, fewshot
from data.gold.disputes import LabelledCell, PersonLabel
from data.gold.gold import BASES, WEIGHTED, Basis, gold_sql
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import strata
from data.records import datasets, items, people, settings
from data.records.settings import GoldRule
from data.runs import charges, endpoints, terms, worker, writer
from data.runs.run_config import RunConfig
from judges.authoring.recipe import check_recipe
from judges.card import Example
from judges.cards import card as builtin_card
from judges.client.endpoint import Endpoint
from judges.client.usage import Charge
from judges.gold import Resolve
from judges.protocols.call_plan import CallReply
from judges.stats.approval_check import CheckPolicy
from judges.stats.check_states import State
from judges.stats.sampling import SampleDesign
from judges.types import ITEM, Scale
from tests import seeds
from tests.data import planted_workspace
from tests.data.conftest import Check
from tests.data.flag_dataset import CARD, add_flag_dataset
from tests.data.imports import source as import_lines
from tests.data.planted_workspace import PlantedWorkspace
from tests.facts import collect_refusals, facts, refusal

pytestmark = pytest.mark.together("rooms of data")  # they share the planted workspace

Json = dict[str, Any]


# -- gold -------------------------------------------------------------------------------------------------------------

SCALES = {
    "1 to 5": Scale("ordinal", 1, 5, na=True),
    "words": Scale("ordered", categories=("poor", "fair", "good")),
    "numbers": Scale("interval", 0, 10, na=True),
    "names": Scale("unordered", categories=("a", "b", "c"), na=True),
    "verdict": Scale("unordered", categories=("a", "b", "tie"), drawn="tie"),
    "flag": Scale("flag"),
    "turn": Scale("turn"),
}
CELLS: tuple[tuple[float | None, ...], ...] = (
    (1,), (None,), (1, 1), (0, 1), (0, 2), (0, None), (None, None), (0, 1, 2), (0, 2, 2), (0, 0, 2), (1, None, None),
    (1, 2, None), (1, 1, None), (0, 0, 2, 2), (0, 1, 2, None), (0, 1, None, None), (0, None, None, None),
)  # fmt: skip
"""What the people of a cell say."""


@pytest.mark.slow
def test_gold(workspace: PlantedWorkspace, check: Check) -> None:
    check("gold", gold_figures(workspace))


def gold_figures(workspace: PlantedWorkspace) -> Iterator[str]:
    """What labels resolve to by each rule, which of them count on which basis, and which items never do."""
    yield from facts("bases", BASES)
    yield from _resolutions(workspace)
    yield from _gold_on_bases(workspace)
    yield from _comparisons()
    yield from _waiting(workspace)
    yield from _exclusions(workspace)
    yield from _examples(workspace)


def _resolutions(workspace: PlantedWorkspace) -> Iterator[str]:
    """What cells come to on each sort of scale by each rule, some of them adjudicated."""
    rows = [(n, value) for n, cell in enumerate(CELLS) for value in cell]
    rows += [(len(CELLS) + n, value) for n in range(4) for value in (0, 2)]
    values = ", ".join(f"('{n:02}', {'null' if value is None else value})" for n, value in rows)
    source = (
        "select item_id, 'turn:1' as unit, 0 as no, cast(value as double) as value, 0.5 as probability, "
        f"cast(null as bigint) as part, 0 as drawn, 0 as cut from (values {values}) v(item_id, value) where $1 = $1"
    )
    intake = workspace.store.rows("select min(seq) from intake")[0][0]
    decided = ", ".join(
        f"('{len(CELLS) + n:02}', 'turn:1', {value}, {saw}, cast({seq} as bigint), $2)"
        for n, (value, saw, seq) in enumerate(((1, False, -1), ("null", False, -1), (1, True, -1), (1, False, intake)))
    )
    settled = f"(values {decided}) s(item_id, unit, value, saw_judge, seq, dimension)"
    settled = f"(select * from {settled}) a"
    cell_texts = [
        *map(list, CELLS),
        *(f"0, 2, {decision}" for decision in ("decided 1", "n/a", "seen 1", "a file's 1")),
    ]
    cases: list[tuple[str, Resolve, int | None, Any, Basis]] = [
        ("1 to 5", "median", None, "counted", "all"), ("1 to 5", "median", 0, "counted", "gate"),
        ("1 to 5", "majority", 1, "out", "imported"), ("1 to 5", "mean", 2, "counted", "blind"),
        ("words", "majority", 1, "counted", "all"), ("numbers", "mean", 1, "out", "assisted"),
        ("numbers", "median", 2, "counted", "all"), ("names", "median", 0, "counted", "all"),
        ("names", "median", 1, "out", "gate"), ("verdict", "majority", 1, "counted", "imported"),
        ("verdict", "median", None, "out", "all"), ("flag", "median", 1, "out", "all"),
        ("turn", "mean", 0, "counted", "blind"),
    ]  # fmt: skip
    for (name, resolve, threshold, waiting, basis), with_means in product(cases, (False, True)):
        scale, rule = SCALES[name], GoldRule(resolve, threshold, waiting)
        query = gold_sql("turn", scale, basis, rule, source=source, means=with_means, settled=settled)
        columns = ", ".join(f"said{n}" for n in range(scale.size)) if with_means and scale.size else "0"
        cells = workspace.store.rows(
            f"select item_id, value, how, waits, low, high, people, mean, share, weight, {columns} from ({query}) g "
            "order by item_id", ["x", "d"],
        )  # fmt: skip
        yield f"== {name} by {rule} on {basis}, means {with_means}: {len(cells)} cells"
        for item, value, resolution, waits, *more in cells:
            text = f"{value if value is None else round(value, 4)} {resolution}{', waits' if waits else ''}"
            yield f"  {cell_texts[int(item)]}: {text}{f'; {_round(more)}' if with_means or name == '1 to 5' else ''}"


def _round(values: Sequence[Any]) -> list[Any]:
    return [round(value, 4) if isinstance(value, float) else value for value in values]


def _gold_on_bases(workspace: PlantedWorkspace) -> Iterator[str]:
    """Which labels count on each basis, how much, and what of them is gold; single cells beside their sums."""
    store, clock = workspace.store, workspace.clock
    lines = [
        {"item": f"d-{n:02}", "unit": "turn:1", "dimension": "safety", "value": 1 + n % 5, "annotator": annotator,
         "mode": mode, "made_at": "2026-02-01T10:00:00Z"}
        for n in range(1, 12) for annotator, mode in (("ann", "blind"), ("ben", "assisted" if n % 3 else "blind"))
    ]  # fmt: skip
    clock.pass_(hours=1)
    import_source(store, "lea", import_lines(lines), ImportPlan("support", sampling="random", population=90))
    flags, guard = add_flag_dataset(store, "lea", 30, 12)
    judge_one, pairs = workspace.judges["support", "judge-one"], workspace.judges["duels", "pair-judge"]
    for dataset_id, judge, names in (
        (workspace.datasets["support"], judge_one, ("helpfulness", "safety", "task_completion")),
        (workspace.datasets["duels"], pairs, ("verdict",)), (flags, guard, ("zz_harmful",)),
    ):  # fmt: skip
        rule = settings.gold_rule(store, dataset_id)
        dimensions = [d for d in calibration.compared_dimensions(store, judge) if d.name in names]
        for dimension, basis in product(dimensions, _BASES):
            rows = store.rows(
                "select i.name, g.unit, value, probability, weight, people, how, waits from "
                f"({gold_sql(dimension.sort, dimension.scale, basis, rule)}) g join item i on i.id = g.item_id "
                "order by i.name, g.unit",
                [dataset_id, dimension.name],
            )
            weights = sorted({round(row[4], 4) for row in rows})
            yield f"{judge} {dimension.name} on {basis}: {len(rows)} cells, weights {weights[:9]}"
            if basis in WEIGHTED:
                yield from (f"  {' '.join(map(str, _round(row)))}" for row in rows[:: 1 + len(rows) // 4])
        for basis, dropped, waiting in _SUMMED:
            sums = calibration.load_rating_sums(store, dataset_id, judge, dimensions, basis, dropped, waiting)
            for dimension, of in zip(dimensions, sums, strict=True):
                yield from facts(f"sums of {dimension.name} on {basis}, dropped {dropped}, waiting {waiting}", of, 1)


_BASES: tuple[Basis, ...] = ("gate", "imported", "assisted", "all")
_SUMMED: tuple[tuple[Basis, bool, Any], ...] = (
    ("gate", False, None), ("imported", False, "out"), ("all", True, None),
)  # fmt: skip


def _comparisons() -> Iterator[str]:
    """Which labels of a cell are compared, how far apart they are, and whether somebody has to decide."""
    for modes in ("", "b", "a", "ab", "aab", "abb", "aabb", "bb", "aa"):
        labels = [
            PersonLabel(f"l{n}", "zyxw"[n], float(n), "blind" if mode == "b" else "assisted")
            for n, mode in enumerate(modes)
        ]
        texts = [f"{label.person} {label.mode}" for label in disputes.comparable_labels(labels)]
        yield f"of {modes!r} are compared {texts}"
    for (name, scale), values in product(SCALES.items(), CELLS):
        labels_ = tuple(PersonLabel(f"l{n}", "pqrs"[n], value, "blind") for n, value in enumerate(values))
        cells = [_cell(scale, labels_, GoldRule(apart=threshold)) for threshold in (None, 0, 1, 2)]
        yield f"{name} {list(values)}: {cells[0].distance:.4g} apart, waits {[int(cell.waits) for cell in cells]}"
    two = (PersonLabel("1", "p", 1.0, "blind"), PersonLabel("2", "q", 3.0, "blind"))
    others = {
        "the same": two, "turned": two[::-1], "anew": (two[0]._replace(id="3"), two[1]), "less": two[:1],
        "the lowest": (two[0]._replace(value=0.0), two[1]),
        "otherwise": (two[0]._replace(value=2.0), two[1]), "n/a": (two[0]._replace(value=None), two[1]),
        "seen": (two[0]._replace(mode="assisted"), two[1]), "another": (two[0]._replace(person="r"), two[1]),
    }  # fmt: skip
    usual = _cell(SCALES["1 to 5"], two, GoldRule(apart=0))
    for title, labels_ in others.items():
        decision = disputes.Adjudication("d", "lea", 2.0, "So.", labels_)
        cell = replace(usual, decision=decision)
        yield f"decided on {title}: reopened {cell.reopened}, waits {cell.waits}"
        yield f"  its mark is that of another: {replace(usual, labels=labels_).token == usual.token}"
    yield f"its mark stays: {usual.token == replace(usual).token}, with a decision {cell.token == usual.token}"
    moment = datetime(2026, 3, 4, 5, 6)
    for at in (None, datetime(2026, 1, 2, 3, 4)):
        text = disputes.labels_to_json(two, at)
        yield f"kept as {text}: {disputes.labels_from_json(text) == two}, made {disputes.decision_time(text, moment)}"


def _cell(scale: Scale, labels: tuple[PersonLabel, ...], rule: GoldRule) -> LabelledCell:
    return LabelledCell("i", "item", "turn:1", "d", scale, labels, None, rule)


def _waiting(workspace: PlantedWorkspace) -> Iterator[str]:
    """What waits under each rule and in which order, before and after labels change that somebody had decided on."""
    store, dataset_id, clock = workspace.store, workspace.datasets["support"], workspace.clock
    for threshold in (None, 0, 1, 3, 4):
        cells = disputes.cells_waiting_under(store, dataset_id, GoldRule(apart=threshold))
        texts = [f"{cell.name} {cell.unit} {cell.dimension} {cell.distance:.3g}" for cell in cells]
        yield f"apart {threshold}: {len(cells)} wait, {texts[:30]}"
    duels = disputes.cells_waiting_under(store, workspace.datasets["duels"], GoldRule(apart=0))
    yield f"of duels: {[f'{cell.name} {cell.distance}' for cell in duels]}"
    adjudications = disputes.standing_adjudications(store, dataset_id)
    for (item, unit, dimension), decision in adjudications.items():
        label_texts = [f"{label.person} {label.value} {label.mode}" for label in decision.labels]
        yield (
            f"stands {item} {unit} {dimension}: {decision.value} by {decision.person}, {decision.reason!r}, "
            f"{label_texts}"
        )
    item = next(item for item, _, _ in adjudications)
    yield f"of one item: {len(disputes.standing_adjudications(store, dataset_id, item))}, of none: " + str(
        disputes.standing_adjudications(store, dataset_id, "x")
    )
    for whole in (False, True):
        for cell in disputes.cells_of_item(store, dataset_id, item, whole):
            texts = [f"{label.person} {label.value} {label.mode}" for label in cell.labels]
            yield f"whole {whole}: {cell.name} {cell.unit} {cell.dimension}: {texts}, waits {cell.waits}"
    clock.pass_(hours=1)
    lines = [
        {"item": name, "unit": unit, "dimension": dimension, "value": 1, "annotator": "fay", "mode": mode,
         "made_at": "2026-03-05T10:00:00Z"}
        for (item, unit, dimension), mode in zip(adjudications, ("blind", "assisted", "blind"), strict=False)
        for (name,) in store.rows("select name from item where id = $1", [item])
    ]  # fmt: skip
    import_source(store, "lea", import_lines(lines), ImportPlan("support", sampling="all"))
    for cell in disputes.cells_to_adjudicate(store, dataset_id):
        again = f"{cell.distance:.4g}, reopened {cell.reopened}, decided {cell.decision is not None}"
        yield f"now waits {cell.name} {cell.unit} {cell.dimension}: {again}"
    for person in ("lea", "cy"):
        work = adjudication.adjudication_work(store, person, dataset_id)
        yield f"to {person}: {len(work.own)} and {work.others} of others"
    for rule in (GoldRule("majority", 1), GoldRule("mean", 1), GoldRule("median", 0, "out"), GoldRule("majority")):
        yield f"{rule}: {adjudication.rule_effect(store, dataset_id, rule)}"


def _exclusions(workspace: PlantedWorkspace) -> Iterator[str]:
    """Which items can be put aside or counted again, and in which words it is refused."""
    store, dataset_id = workspace.store, workspace.datasets["answers"]
    answered = sorted(excluded_items.blind_sample_items(store, workspace.datasets["support"]))
    names = sorted(store.rows("select name from item where id = any($1)", [answered]))
    yield f"evidence {[name for (name,) in names]}"
    yield f"drawn {len(excluded_items.audit_sample_items(store, dataset_id))} of {dataset_id}"
    free = [workspace.item("answers", f"r-{n}") for n in (33, 34)]
    calls: list[tuple[str, str, list[str], str]] = [
        ("rex", dataset_id, free, "no"), ("rex", dataset_id, free, " no "), ("rex", dataset_id, free, "Few."),
        ("rex", dataset_id, free[:1], "Why"), ("cy", dataset_id, free, "Tuned."),
        ("rex", dataset_id, free[:1], "x" * 501), ("rex", dataset_id, [*free, "x"], "Tuned."),
        ("rex", dataset_id, [], "Nothing."), ("rex", dataset_id, free * 2, "x" * 500),
        *(("rex", workspace.datasets["support"], answered[:n], "Tuned.") for n in (1, 2, 5, 6, 7)),
        ("rex", workspace.datasets["support"], free, "Elsewhere."),
    ]  # fmt: skip
    for act in (excluded_items.exclude_items, excluded_items.readmit_items, excluded_items.exclude_items):
        for person, where, item_ids, why in calls:
            with collect_refusals() as outcome:
                outcome.append(str(act(store, person, where, item_ids, why)))
            yield f"{act.__name__} {len(item_ids)} of {where} by {person}, {why[:9]!r}: {outcome}"
    for name, dataset in workspace.datasets.items():
        yield from facts(f"put aside in {name}", excluded_items.list_excluded(store, dataset), 0, 3)
    yield f"in SQL {excluded_items.not_excluded_sql(store, 'x.item')!r}"


def _examples(workspace: PlantedWorkspace) -> Iterator[str]:
    """Which items are offered as examples, what a draft of them holds, and which items stand in a prompt."""
    store, dataset_id = workspace.store, workspace.datasets["support"]
    card = cards.card_named(store, "multi_turn_dialogue")
    titles = [*fewshot.items_with_labels(store, dataset_id, card).values()]
    for offered in (titles[:2], titles):
        yield f"offered {len(offered)}: {offered[:: 1 + len(offered) // 12]}"
    for person in ("rex", "lea"):
        yield f"to {person}: {len(fewshot.offered_items(store, person, dataset_id, card))}"
    yield f"to cy: {refusal(lambda: fewshot.offered_items(store, 'cy', dataset_id, card))}"
    drafts = []
    for name in ("d-01", "d-04", "d-13", "d-33"):
        drafts.append(fewshot.open_draft(store, "lea", card, workspace.item("support", name)))
        draft = drafts[-1]
        yield f"draft of {name}: {sorted(draft.fields)}, of {draft.judge!r}, {draft.corrected}, left {draft.left}"
        yield f"  {str(draft.reply)[:900]}"
    pair = cards.card_named(store, "plain_pairwise")
    for name in ("p-01", "p-02", "p-03"):
        draft = fewshot.draft_example(store, pair, workspace.item("duels", name))
        yield f"draft of {name}: {draft.reply} of {draft.judge!r}, {draft.corrected}, left {draft.left}"
    yield f"none: {refusal(lambda: fewshot.draft_example(store, pair, 'x'))}"
    query = "select i.name, e.person, e.judge_id, e.route from exposure e join item i on i.id = e.item_id "
    with collect_refusals() as outcome:
        outcome += [str(row) for row in store.rows(query + "where e.route = 'examples' order by all")]
    yield f"shown {outcome}"
    examples = [Example("a", drafts[0].fields, drafts[0].reply), Example("b", drafts[3].fields, drafts[3].reply)]  # type: ignore[arg-type]
    for subset in (examples, examples[:1], [Example("c", {}, drafts[0].reply)]):  # type: ignore[arg-type]
        with collect_refusals() as outcome:
            outcome += sorted(fewshot.items_in_examples(store, replace(card, examples=tuple(subset))).values())
        yield f"items in {len(subset)} examples: {outcome}"
    with collect_refusals() as outcome:
        new_card = cards.attach_examples(store, "lea", card.name, examples)
        outcome.append(
            f"{len(new_card.examples)} attached, {sorted(fewshot.items_in_examples(store, new_card).values())}"
        )
    yield f"attached: {outcome}"
    dialogues = [item for item in planted_workspace.support() if item.get("id") in ("d-01", "d-02")]
    bring = [seeds.judgment(item, seeds.reply(item, 3, weakest=1), model="shown") for item in dialogues]
    import_source(store, "lea", import_lines([*dialogues, *bring]), ImportPlan("support", sampling="all"))
    for judge in datasets.dataset_judges(store, dataset_id):
        sql = fewshot.not_in_prompt_sql(store, judge.id, "a.b").split(" and ")
        yield f"{judge.model}: {sorted(fewshot.items_in_prompt(store, judge.id).values())}, {sql}"
        dimension = calibration.compared_dimensions(store, judge.id)[0]
        yield f"  {len(calibration.load_paired_ratings(store, dataset_id, judge.id, dimension, 'all'))} ratings of it"


# -- the policy -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_policy(workspace: PlantedWorkspace, check: Check) -> None:
    check("policy", policy_rules(workspace))


def policy_rules(workspace: PlantedWorkspace) -> Iterator[str]:
    """What is required in words and compared, which values are refused, what draws and plans come to, and two leads."""
    yield from _rules()
    yield from _quotas(workspace)
    yield from _cautions()
    yield from _objections(workspace)
    yield from _doubts(workspace)
    yield from _two_leads(workspace)
    yield from _look_plans(workspace)


def _rules() -> Iterator[str]:
    """Each rule at and beside its bounds: what is refused of it, how it is told, and beside which it is stricter."""
    usual, check = rules.Requirements(), CheckPolicy()
    varied: list[rules.Requirements] = [
        usual, *(replace(usual, policy=replace(check, **more)) for more in (
            {"threshold": 0.01}, {"threshold": 0.0}, {"threshold": 0.7}, {"threshold": True}, {"min_items": 30},
            {"min_items": 1_000_000, "horizon": 0}, {"min_items": 1_000_001}, {"min_items": 1},
            {"min_clusters": 29}, {"min_clusters": 30}, {"min_clusters": 120}, {"min_clusters": 120.5},
            {"lower_bound": False}, {"lower_bound": 1}, {"level": 0.999}, {"level": 0.9991}, {"level": 0.5},
            {"horizon": 0}, {"horizon": 100}, {"horizon": 101}, {"horizon": 1_000_000}, {"horizon": 1_000_001},
            {"horizon": 500.5}, {"horizon": 50, "lower_bound": False}, {"horizon": 0.5, "lower_bound": False},
        )),
        *(replace(usual, **more) for more in (
            {"coverage": 0}, {"coverage": 1}, {"coverage": -0.01}, {"coverage": 1.01}, {"coverage": float("nan")},
            {"coverage": "all"}, {"answered": 0}, {"answered": 1.0}, {"answered": 1.5}, {"answered": None},
            {"four_eyes": True}, {"four_eyes": 1}, {"alarms": True}, {"alarms": "no"}, {"imported": True},
            {"imported": None},
        )),
    ]  # fmt: skip
    before: list[str] = []
    for requirements in varied:
        changes = {
            name: value for name, value in policies.to_stored(requirements).items() if getattr(usual, name) != value
        }
        changes |= {name: value for name, value in changes.pop("policy", {}).items() if getattr(check, name) != value}
        why = refusal(requirements.check)
        yield (
            f"== {changes}: {why or 'may be'}; basis {requirements.basis()}, "
            f"of synthetic data {requirements.basis(True)}"
        )
        if why:
            continue
        lines = rules.explain(requirements)
        yield from (f"  {line}" for line in lines if line not in before)
        before = before or lines
        yield f"  looser {rules.is_looser(requirements, usual)}, stricter {rules.is_looser(usual, requirements)}"
        for name, rule in rules.RULES.items():
            pairs = rule.stricter(usual, requirements), rule.stricter(requirements, usual)
            if any(pairs):
                yield f"  {name}: stricter {pairs[0]}, was stricter {pairs[1]}"
        yield f"  kept as it is: {policies.from_stored(policies.to_stored(requirements)) == requirements}"
    values: list[Json] = [
        {}, {"min_items": 0}, {"min_items": 1}, {"min_items": 1_000_000}, {"min_items": 1_000_001},
        {"min_clusters": 0}, {"min_clusters": 1}, {"min_clusters": 2}, {"threshold": float("inf")}, {"threshold": 1.0},
        {"threshold": 1.1}, {"threshold": -1}, {"level": float("nan")}, {"level": 0.49}, {"level": 0.5}, {"level": 1},
        {"horizon": -1}, {"horizon": 0},
    ]  # fmt: skip
    for value in values:
        with collect_refusals() as outcome:
            outcome.append(str(policies.make_policy(**value)))
        yield f"a policy of {value}: {outcome}"
    for text in ("", " ?! ", "x", "\0a", "x" * 2_000, "x" * 2_001, "\ud800 a"):
        with collect_refusals() as outcome:
            outcome.append(repr(policies.check_reason(text))[:40])
        yield f"the reason {text[:9]!r}: {outcome}"
    stored: list[Json] = [{}, {"policy": {}}, {"policy": {"min_items": 40}, "four_eyes": 1, "coverage": 1}]
    for stored_policy in stored:
        yield f"of {stored_policy}: {policies.from_stored(stored_policy)}"


def _quotas(workspace: PlantedWorkspace) -> Iterator[str]:
    """How many items a draw needs: with none, one, just too few, enough and more, with a share that does not count."""
    for required, answered, drawn, left, share in product((1, 100), (0.9, 1.0), (0, 1, 99, 112), (0, 3, 500), (0, 0.3)):
        draw_quota = quota.Quota(required, answered, drawn, left, share)
        yield (
            f"{required} at {answered}, {drawn} drawn, {left} left, {share}: "
            f"{draw_quota.blind} {draw_quota.next_draw} {draw_quota.size}"
        )
    for drawn, blind, left, all_ in product((0, 20), (0, 79, 80, 99, 100, 111, 112), (90, 100), (False, True)):
        draw_quota = quota.Quota(100, 0.9, drawn, left, 0.25)
        if all_ or left == 90:
            yield f"{drawn} and {blind}, all {all_} of {left}: {draw_quota.sentence(blind, all_)}"
    for name, dataset_id in workspace.datasets.items():
        for assisted in (False, True):
            yield f"of {name}, assisted {assisted}: {quota.quota(workspace.store, dataset_id, assisted)}"


def _cautions() -> Iterator[str]:
    """What is to be weighed of labels, by whom they are, and how many changed, were skipped or put aside."""
    two = (ImportedLabels(5, "a.csv", "lea", "2026-01-02", "random"), ImportedLabels(2, "b", "bo", "2026-01-03", "all"))
    usual = LabelOrigin({"ann": 10, "ben": 9}, (), True, 0, 100, 0, 0, 0, 2, ("lea", "lou"))
    varied: list[Json] = [
        {}, {"labels_by_person": {}}, {"labels_by_person": {"ann": 1}}, {"labels_by_person": {"lea": 1}},
        {"labels_by_person": {"lea": 9, "ann": 10}}, {"labels_by_person": {"lea": 10, "ann": 10}},
        {"labels_by_person": {"lou": 4, "lea": 6, "ann": 10}}, {"imported": two}, {"imported": two, "counts": False},
        {"unknown_population": 1}, {"unknown_population": 1, "counts": False}, {"changed": 1}, {"skipped": 1},
        *({"skipped": n} for n in (4, 5, 6, 9, 10, 11)), *({"excluded": n} for n in (1, 4, 5, 9, 10, 11)),
        {"skipped": 1, "drawn": 1}, {"examples": 1}, {"judges": 1}, {"judges": 3},
    ]  # fmt: skip
    for more in varied:
        origin = replace(usual, **more)
        yield f"{more}: {origin.origin()} {list(origin.cautions())}"
        if "imported" in more or "labels_by_person" in more:
            yield f"  {[fact[:2] for fact in origin.facts()][:5]}"


def _objections(workspace: PlantedWorkspace) -> Iterator[str]:
    """What is held against a dimension by what its judge and data are, what was answered, and what audits found."""
    store = workspace.store
    usual = case.find_case(
        store, workspace.datasets["duels"], workspace.judges["duels", "pair-judge"], "pair", "verdict"
    )
    line, gate, requirements = usual.result, usual.result.gate, usual.requirements
    alarm = audits.run_audits(store, usual.dataset.id, usual.judge.id).findings
    cases = {"usual": usual, "probe": replace(usual, judge=usual.judge._replace(params='{"probe": "swapped"}'))}
    for synthetic, synthetic_judge, imported, counts in product((False, True), repeat=4):
        cases[f"synthetic {synthetic}, made {synthetic_judge}, imported {imported}, count {counts}"] = replace(
            usual, dataset=replace(usual.dataset, synthetic=synthetic), has_imported_labels=imported,
            judge=usual.judge._replace(synthetic=synthetic_judge), requirements=replace(requirements, imported=counts),
        )  # fmt: skip
    cases["practice"] = replace(usual, judge=usual.judge._replace(model="practice-constant"))
    for state in get_args(State):
        check = replace(line.check, state=state, reason="So.", missing="More." if "min" in state else "")
        stricter = replace(requirements, coverage=1.0)
        cases[state] = replace(usual, result=replace(line, check=check), requirements=stricter)
    for unscored, human, judge in ((0, 0, 0), (1, 0, 0), (4, 0, 0), (0, 1, 0), (0, 3, 1), (0, 4, 0), (0, 0, 4)):
        cells = gate.gold_cells + unscored + human + judge
        share = replace(gate, gold_cells=cells, unscored=unscored, na_human=human, na_judge=judge)
        for least in (1.0, 0.9):
            cases[f"{unscored} unscored, {human} and {judge} n/a, {least}"] = replace(
                usual, result=replace(line, gate=share), requirements=replace(requirements, coverage=least)
            )
    for strict, findings in ((True, alarm), (False, alarm), (True, {}), (True, None)):
        cases[f"alarms {strict}, {findings and len(findings)}"] = replace(
            usual, alarms=findings, requirements=replace(requirements, alarms=strict)
        )
    for name, dimension_case in cases.items():
        covered = dimension_case.coverage and round(dimension_case.coverage, 4)
        yield (
            f"{name}: {dimension_case.basis}, synthetic {dimension_case.synthetic}, made "
            f"{dimension_case.judge_is_synthetic}, {covered}, {dimension_case.people_only_na} n/a"
        )
        yield from (f"  {objection}" for objection in dimension_case.objections)
        if "n/a" in name and "1.0" in name:
            yield f"  {case.case_context(store, dimension_case).cautions}"
    yield f"none: {refusal(lambda: case.find_case(store, *usual.key[:2], 'turn', 'wit'))}"


def _doubts(workspace: PlantedWorkspace) -> Iterator[str]:
    """What is said beside an approval that new labels speak against, who keeps it, and what such evidence tells."""
    store, key = (
        workspace.store,
        (workspace.datasets["duels"], workspace.judges["duels", "pair-judge"], "pair", "verdict"),
    )
    [approval] = [entry for entry in approvals.active_approvals(store, key[0]) if entry.key == key]
    review = suspension.review_approval(store, approval)
    yield from facts("stands", review.finding, 1)
    yield f"  suspends {review.suspends}, doubtful {review.doubtful}, {review.why!r}, kept {review.frozen}"
    yield f"nothing to keep: {refusal(lambda: suspension.keep_approved(store, 'lea', approval, 'Fine.'))}"
    assert review.case is not None
    finding, gate = review.finding, review.case.result.gate
    own = replace(gate.interval, point=0.5, low=0.3, high=0.625, items=14)
    newer = replace(gate, interval=replace(own, point=0.25))
    doubt = replace(finding, state="to be looked at", reasons=("down",), sentences=("It fell.",))
    news = {
        "doubt": replace(doubt, since=own),
        "two": replace(doubt, reasons=("down", "pooled"), sentences=("It fell.", "It is low.")),
        "gone": replace(finding, state="suspended", reasons=("pooled",), sentences=("It is low.",), change=own),
    }
    for name, latest, against in (("doubt", None, ()), ("two", newer, ("Too few.",)), ("gone", newer, ())):
        new_review = replace(review, finding=news[name], since=newer, latest=latest, against=against)
        fact_rows = list(suspension.suspension_facts(new_review))
        yield f"{name}, {against} against: {new_review.suspends} {new_review.doubtful} {new_review.why}"
        yield f"  {suspension._describe_change(new_review)}"
        yield from facts("told", fact_rows, 1, 30)
        for figure in suspension.period_figures([*fact_rows, ("kappa", 0.125, "")]):
            yield from facts("period", figure, 1)
    with pytest.MonkeyPatch.context() as patch:
        for name, person, reason in (
            ("doubt", "rex", "Fine."), ("doubt", "lea", " ?"), ("doubt", "lea", "Fine."), ("two", "lou", "Still fine."),
            ("doubt", "lou", "Again."),
        ):  # fmt: skip
            new_review = replace(review, finding=news[name], since=newer)
            patch.setattr(suspension, "review_approval", lambda *_, answer=new_review: answer)
            patch.setattr(approvals, "review_approval", lambda *_, answer=new_review: answer)
            before = suspension.find_keeper(store, approval, new_review)
            message = refusal(lambda w=person, r=reason: suspension.keep_approved(store, w, approval, r))  # type: ignore[misc]
            stand = record.approval_statuses(store)[key]
            note = approvals.approval_note(store, stand)
            if name == "two":
                yield from facts("periods", suspension.current_period_figures(store, approval), 1)
                yield from facts(
                    "of none", suspension.current_period_figures(store, replace(approval, decision="suspend"))
                )
            yield f"{name}, kept by {before}; {person} keeps it: {message or 'so'}"
            yield f"  now by {note.confirmation}, doubted {note.doubted}"
        yield f"all: {[entry.dimension for entry, _ in suspension.find_doubted(store)]}"
    older = {name: None if name == "kappa, standard error" else figure for name, figure in review.frozen.items()}
    for frozen in (review.frozen, older, {}):
        yield f"frozen {suspension.frozen_figures(frozen)}, of older {suspension.is_of_older_version(frozen)}"
    for rows in (("", ""), (key[1], ""), ("x", ""), ("", "verdict"), ("", "wit")):
        new = suspension.NewRows("labels", key[0], *rows, approval.seq + 1)
        since_then = [new.touches(approval, approval.seq + n) for n in (0, 1)]
        yield f"rows of {rows}: {since_then}, elsewhere {new._replace(dataset='x').touches(approval, approval.seq)}"


def _two_leads(workspace: PlantedWorkspace) -> Iterator[str]:
    """An approval that takes two leads: in which order, after which changes, and by whom it is refused."""
    store, clock = workspace.store, workspace.clock
    place = workspace.datasets["duels"], workspace.judges["duels", "pair-judge"]
    key = (*place, "pair", "verdict")
    requirements = policies.requirements(store)

    def decide(person: str, decision: Any, look: bool = True) -> str:
        clock.pass_(minutes=1)
        mark = case.seen_mark(store, case.find_case(store, *key)) if look else ""
        return refusal(lambda: approvals.record_decision(store, person, *key, decision, "Seen.", mark)) or "taken"

    def require(title: str, person: str = "lea", **more: Any) -> str:
        clock.pass_(minutes=1)
        new = replace(policies.requirements(store), **more)
        with collect_refusals() as outcome:
            outcome.append(str(policies.set_requirements(store, person, new, "So.")))
        proposed = policies.proposed_requirements(store)
        return f"{title} by {person}: {outcome}, {proposed[2] if proposed else 'nobody'} proposes"

    adjudication = {
        "item": "p-10", "unit": "pair", "dimension": "verdict", "value": "a", "adjudicator": "old hand",
        "reason": "Shorter.", "saw_judge": False, "made_at": "2026-02-27T12:00:00Z",
        "labels": [{"annotator": "ann", "value": "b", "mode": "blind"},
                   {"annotator": "ben", "value": "tie", "mode": "blind"}],
    }  # fmt: skip
    import_source(store, "lea", import_lines([adjudication]), ImportPlan("duels", sampling="random"))
    yield require("two leads", four_eyes=True)
    yield require("the same", four_eyes=True)
    yield f"alone: {decide('lea', 'approve')}; unknown: {decide('lea', 'grant')}"
    yield f"proposed: {decide('lea', 'propose')}; again: {decide('lea', 'propose')}"
    yield f"by the same: {decide('lea', 'approve')}"
    yield require("less kappa", policy=replace(requirements.policy, threshold=0.1))
    yield require("less kappa", policy=replace(requirements.policy, threshold=0.1))
    yield require("as it was")
    yield require("less kappa", policy=replace(requirements.policy, threshold=0.1))
    yield require("less kappa", "lou", policy=replace(requirements.policy, threshold=0.1))
    yield f"by another policy: {decide('lou', 'approve')}"
    yield f"proposed: {decide('lou', 'propose')}; unseen: {decide('lea', 'approve', look=False)}"
    for person in ("lea", "lou"):
        people.set_person(store, person, "rex", "lead")
    for person in ("lea", "rex"):
        people.set_person(store, person, "lou", "annotator")
    yield f"of no lead any more: {decide('lea', 'approve')}"
    yield f"proposed: {decide('rex', 'propose')}; approved: {decide('lea', 'approve')}"
    yield f"once more: {decide('lea', 'approve')}"
    for decision in record.decision_history(store, *place):
        yield f"decided {decision.done} by {decision.person}: {decision.state}, {decision.reason}"
        for name, figure, text in record.frozen_evidence(store, decision.id):
            if name.startswith(("who", "kappa", "checked", "errors", "decisions", "adjudicat")):
                yield f"  {record.fact_title(name)}: {figure} {text}"
    for approval in approvals.active_approvals(store, place[0]):
        yield f"holds {approval.dimension}: kappa was {approvals.kappa_at_decision(store, approval)}"
        yield from facts("periods", suspension.current_period_figures(store, approval), 1)
        review = suspension.review_approval(store, approval)
        keep = refusal(lambda entry=approval: suspension.keep_approved(store, "lea", entry, "Fine."))  # type: ignore[misc]
        yield f"  doubtful {review.doubtful}, kept {keep or 'so'}, {suspension.find_keeper(store, approval, review)}"
    for stricter, met in product((True, False), repeat=2):
        policy_today = approvals.PolicyToday("An older one." if stricter else "", "It fails.", met)
        yield f"older {stricter}, met {met}: {policy_today.mark}"


def _look_plans(workspace: PlantedWorkspace) -> Iterator[str]:
    """Looks that are fixed before the first label: which can be, and what is decided at each."""
    store, clock = workspace.store, workspace.clock
    lines = [line for line in planted_workspace.answers() if "annotator" not in line]
    done = import_source(store, "lea", import_lines(lines), ImportPlan("planned", sampling="random"))
    dataset_id, judge = done.dataset_id, datasets.dataset_judges(store, done.dataset_id)[0].id
    requirements = rules.Requirements(CheckPolicy(30, 0.2, horizon=200), imported=True, answered=0.1)
    policies.set_requirements(store, "lea", replace(requirements, four_eyes=True), "Bounds.")
    for person, text in (
        ("lea", "29 34"), ("lea", "30 35"), ("lea", "31 30"), ("lea", "30 30"), ("lea", "0"), ("cy", "30 34"),
        ("lea", "30, 32、34"), ("lea", "30 32 34"), ("lea", "30 34"), ("lea", "30 31 32 33 34"),
        ("lea", "29 30 31 32 33 34"), ("lea", "12345678"), ("lea", "-1"),
    ):  # fmt: skip
        before = store.newest()
        with collect_refusals() as outcome:
            plans.set_look_plan(store, person, dataset_id, plans.parse_sizes(text))
        yield (
            f"{text!r} by {person}: {outcome}, {plans.look_plan(store, dataset_id)}, "
            f"changed {store.newest() > before}"
        )
    plans.set_look_plan(store, "lea", dataset_id, [])
    yield f"without: {plans.look_plan(store, dataset_id)}"
    plans.set_look_plan(store, "lea", dataset_id, [30, 33])
    for begin, end in ((1, 30), (30, 32)):
        clock.pass_(hours=1)
        more = [
            {"item": f"r-{n:02}", "unit": "response", "dimension": "factuality", "value": 1 + (n + (n % 7 == 0)) % 5,
             "annotator": "ann", "mode": "blind", "made_at": "2026-03-01T10:00:00Z"} for n in range(begin, end)
        ]  # fmt: skip
        import_source(store, "lea", import_lines(more), ImportPlan("planned", sampling="random", population=40))
        every = check_results.dimension_results(store, dataset_id, judge)
        factuality = next(entry for entry in every if entry.dimension.name == "factuality")
        yield (
            f"counted labels {plans.has_counted_labels(store, dataset_id)}: {factuality.check}, "
            f"{factuality.gate.interval.items} items"
        )
        yield from facts("gate", factuality.gate.interval, 1)
        yield f"  {refusal(lambda: plans.set_look_plan(store, 'lea', dataset_id, [30]))}"
        looks = plans.look_facts(store, dataset_id, factuality.check, requirements)
        yield from facts("looks", list(looks), 1)


# -- cards ------------------------------------------------------------------------------------------------------------


def test_cards(workspace: PlantedWorkspace, check: Check) -> None:
    check("cards", card_changes(workspace))


def _recipe(definition: str = "丁寧さ。", hi: int = 5, **more: Any) -> Json:
    dimension = {"name": "zz敬語", "unit": "turn", "definition": definition, "answers": {"hi": hi}}
    return {"name": "zz_manners", "title": "Manners", "kind": "dialogue", "dimensions": [dimension]} | more


def card_changes(workspace: PlantedWorkspace) -> Iterator[str]:
    """Which cards can be saved, changed, given examples and taken elsewhere, and which card a judge goes by."""
    store, clock = workspace.store, workspace.clock
    other = {"name": "helpfulness", "unit": "turn", "definition": "x", "answers": {"hi": 3}}
    for person, recipe in (
        ("lea", _recipe()), ("lea", _recipe()), ("cy", _recipe("x")), ("lea", _recipe("別の定義。")),
        ("lea", _recipe(hi=3)), ("lea", _recipe(name="mt_bench")), ("lea", _recipe(kind="response", dimensions=[
            {"name": "zz_short", "unit": "response", "definition": "Short.", "answers": {"kind": "flag"}}])),
        ("lea", _recipe(name="zz_other", hi=4)), ("lea", _recipe(dimensions=[other])), ("lea", _recipe(name="ZZ")),
        ("lea", _recipe(dimensions=[])), ("lea", CARD), ("lea", _recipe()),
    ):  # fmt: skip
        clock.pass_(minutes=1)
        before = store.newest()
        with collect_refusals() as outcome:
            saved = cards.save_card(store, person, recipe)
            outcome.append(f"{saved.name} with {[f'{d.name} {d.scale.words}' for d in saved.dimensions]}")
        yield f"{person} saves {recipe['name']}: {outcome}, changed {store.newest() > before}"
    for name in ("zz_manners", "zz_safety", "none"):
        versions = cards.card_versions(store, name)
        texts = [
            (f"{version.made_at:%H:%M}", version.actor, version.judges, version.current, version.card.title)
            for version in versions
        ]
        yield f"versions of {name}: {texts}, faults {cards.recipe_faults(store, check_recipe(_recipe(name=name)))}"
    yield f"offered {[f'{name} {cards.is_own_card(card)}' for name, card in cards.current_cards(store).items()]}"
    yield f"used by {dict(sorted(cards.judges_per_card(store).items()))}"
    choose_desk_cards(store, "rex", workspace.datasets["answers"], ["rubric_open_ended", "pointwise_quality"])
    yield from facts("uses", card_uses(store))
    own_card = cards.card_named(store, "zz_manners")
    item = {"role": "user", "turn": 1, "text": "Hello."}
    reply = {"per_turn": [{"turn": 1, "scores": {"zz敬語": 4}, "note": "Kind."}]}
    good = Example("Good", {"scenario_description": "", "dialogue": [item, item | {"role": "assistant"}]}, reply)
    for person, name, examples in (
        ("lea", "zz_manners", [good]), ("lea", "zz_manners", [good, replace(good, shows="Again")]),
        ("lea", "zz_manners", [replace(good, reply={"per_turn": []})]), ("rex", "zz_manners", []),
        ("lea", "rubric_open_ended_on_turns", [good]), ("lea", "none", [good]), ("lea", "plain_pairwise", [good]),
    ):  # fmt: skip
        with collect_refusals() as outcome:
            outcome.append(str(len(cards.attach_examples(store, person, name, examples).examples)))
        now = cards.current_cards(store).get(name)
        yield f"{person} attaches {len(examples)} to {name}: {outcome}, it has {len(now.examples) if now else None}"
    for recipe in (_recipe("Anew."), _recipe(hi=3), _recipe(name="zz_new")):
        draft = cards.draft_card(store, check_recipe(recipe))
        yield f"a draft of {draft.name}: {len(draft.examples)} examples, {[d.definition for d in draft.dimensions]}"
    for name in ("zz_manners", "zz_safety", "mt_bench", "rubric_open_ended_on_turns", "none"):
        with collect_refusals() as outcome, zipfile.ZipFile(io.BytesIO(folder.export(store, name))) as archive:
            outcome += [f"{path} {archive.read(path).decode()[:150]!r}" for path in archive.namelist()]
        yield f"the folder of {name}: {outcome}"
    yield f"without examples {len(cards.attach_examples(store, 'lea', 'zz_manners', []).examples)}"
    elsewhere = replace(own_card, title="Elsewhere")
    for person, card, dry in (
        ("lea", own_card, True), ("cy", own_card, False), ("lea", elsewhere, True), ("cy", elsewhere, False),
        ("lea", elsewhere, False), ("lea", builtin_card("plain_pairwise"), False),
    ):  # fmt: skip
        with collect_refusals() as outcome:
            outcome.append(str(cards.adopt_card(store, person, card, dry)))
        yield f"{person} adopts {card.title}, dry {dry}: {outcome}, it is {cards.card_named(store, 'zz_manners').title}"
    with collect_refusals() as outcome:
        cards.save_card(store, "lea", builtin_card("plain_pairwise"))
    yield f"a built-in one: {outcome}"
    dialogue = next(entry for entry in planted_workspace.support())
    line = {"item": dialogue["id"], "card": "zz_manners", "model": "polite", "params": {}, "reply": {"per_turn": [
        {"turn": turn, "scores": {"zz敬語": 3}, "note": "So."} for turn in (1, 2)]}}  # fmt: skip
    done = import_source(store, "lea", import_lines([dialogue, line]), ImportPlan("manners"))
    judge = datasets.dataset_judges(store, done.dataset_id)[0].id
    for recipe in (_recipe("Later."), _recipe(hi=3)):
        with collect_refusals() as outcome:
            cards.save_card(store, "lea", recipe)
        then, now = cards.card_of_judge(store, judge), cards.card_named(store, "zz_manners")
        yield f"the judge goes by {then.dimensions[0].definition}, now {now.dimensions[0].definition} {outcome}"
    yield f"no judge: {refusal(lambda: cards.card_of_judge(store, 'x'))}, {cards.card_of_judge_if_known(store, 'x')}"
    yield f"no card: {refusal(lambda: cards.card_named(store, 'x' * 90))[:120]}"
    for name, dataset_id in (*workspace.datasets.items(), ("manners", done.dataset_id)):
        along = [f"{spec['name']} {str(spec.get('recipe'))[:60]}" for spec in cards.portable_cards(store, dataset_id)]
        yield f"taken along with {name}: {along}"
    for unit, dimension in (("turn:1", "zz敬語"), ("turn:9", "helpfulness"), ("response", "zz敬語"), ("pair", "x")):
        yield f"{unit} {dimension}: {cards.find_dimension(store, 'dialogue', unit, dimension) is not None}"
    for row in store.rows("select name from card order by seq, name"):
        yield f"stored {row}"


# -- plain functions --------------------------------------------------------------------------------------------------


def test_bounds(workspace: PlantedWorkspace, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_listed", None)
    check("bounds", bounds(workspace, monkeypatch))


def bounds(workspace: PlantedWorkspace, patch: pytest.MonkeyPatch) -> Iterator[str]:
    """What plain functions of several rooms give at and beside their bounds."""
    yield from _run_costs(workspace)
    yield from _allowed_endpoints(patch)
    yield from _stored_replies()
    yield from _answer_values(workspace)
    yield from _conversations()
    yield from _missing(workspace)
    yield from _strata(workspace)


def _run_costs(workspace: PlantedWorkspace) -> Iterator[str]:
    """What charges come to with a price and without, estimated or not, and what was lost sight of."""
    store, reply = workspace.store, CallReply("k", "", 0, "", "x", tokens_in=100, tokens_out=10)
    failed = replace(reply, unscored="api_error", why="HTTP 500")
    tried = Charge("try", 7, 1, calls=2)
    for name, replies, price, sort in (
        ("none", [], None, ""), ("free", [reply], (0.0, 0.0), ""), ("unpriced", [reply, reply], None, ""),
        ("paid", [reply, replace(reply, estimated=True), failed, tried], (1e4, 1e5), ""),
        ("trial", [reply, tried], (1e4, 1e5), "trial"), ("mixed", [reply], (1e4, 1e5), ""),
        ("mixed", [reply], None, ""),
    ):  # fmt: skip
        batch, paid = list(replies), price
        store.tx("rex", "trial", lambda tx, n=name, g=batch, p=paid, s=sort: charges.add_charge(tx, n, g, p, s))  # type: ignore[misc]
    for name, upto in (("paid", 9.0), ("free", 1e-10), ("mixed", 2.0), ("new", 3.0), ("unpriced", 1.0)):
        store.tx("rex", "hold", lambda tx, n=name, u=upto: charges.add_hold(tx, n, u))  # type: ignore[misc]
    names = ("none", "free", "unpriced", "paid", "trial", "mixed", "new")
    for price in (None, (1e4, 1e5)):
        for name, spent in charges.run_costs(store, dict.fromkeys(names, price)).items():
            yield f"cost of {name} at {price}: {spent}, at most {spent.max_cost:.6g}"
    for name in ("paid", "new", "none"):
        store.tx("rex", "lost", lambda tx, n=name: charges.add_lost_charges(tx, n, None))  # type: ignore[misc]
    charges.store_charge(store, "rex", "", [], None)
    charges.store_charge(store, "rex", "", [tried], (1.0, 1.0))
    query = "select run_id, sort, calls, tokens_in, tokens_out, round(cost, 6), estimated from charge "
    for row in store.rows(query + "order by run_id, sort, calls, tokens_in, cost, estimated"):
        yield f"charge {row}"
    for kind, out, elsewhere in product(("started", "finished", "failed"), ({"x"}, set[str]()), ({"x"}, set[str]())):
        yield f"{kind}, waits {out}, elsewhere {elsewhere}: {worker.derive_state('x', kind, 'Why.', out, elsewhere)}"
    whole = RunConfig("d", builtin_card("plain_pairwise"), "m", builtin_card("plain_pairwise").defaults, Endpoint())
    varied: list[Json] = [
        {}, {"price": (0.0, 0.0)}, {"price": (-0.1, 1.0)}, {"price": (1.0, float("inf"))}, {"spending_limit": 1.0},
        {"spending_limit": 0.0, "price": (1.0, 1.0)}, {"spending_limit": -1.0, "price": (1.0, 1.0)},
        {"spending_limit": 1e-9, "price": (1.0, 1.0)}, {"spending_limit": float("nan"), "price": (1.0, 1.0)},
    ]  # fmt: skip
    for more in varied:
        order = replace(whole, **more)
        left = terms.budget(order, 0.25)
        yield f"terms {more}: {refusal(lambda spec=order: terms.check_terms(spec))}; {left and left.spent}"  # type: ignore[misc]


def _allowed_endpoints(patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Which endpoints a server asks, with which key, by what its environment says."""
    at = "https://models.example.org/v1"
    patch.setenv("OPENAI_BASE_URL", "https://usual.example.org/v1")
    for setting, team in (
        ("", False), ("", True), (at, False), (f" {at} OWN_KEY ,, http://127.0.0.1:9/v1", True), (f"{at} A B", True),
        (f"{at} 1A", True), ("nowhere", True),
    ):  # fmt: skip
        patch.setenv("ASSAY_ENDPOINTS", setting)
        refused = refusal(lambda t=team: endpoints.read_environment(t))  # type: ignore[misc]
        allowed = endpoints.allowed_endpoints()
        yield f"{setting!r} of a team {team}: {refused}, {allowed and [(e.address, e.key_variable) for e in allowed]}"
        for endpoint in () if refused else (
            Endpoint(), Endpoint(base_url=at), Endpoint(base_url=at, key_variable="OWN_KEY"),
            Endpoint(base_url=at, key_variable="OTHER"), Endpoint(base_url="http://127.0.0.1:9/v1"),
            Endpoint(base_url="https://elsewhere.example.org/v1"),
        ):  # fmt: skip
            with collect_refusals() as outcome:
                outcome.append(endpoints.settle(endpoint).key_variable)
            yield f"  {endpoint.address} {endpoint.key_variable}: {outcome}"
    yield f"usually {[endpoints.usual_address(model) for model in ('m', 'practice-constant')]}"


def _stored_replies() -> Iterator[str]:
    """What is kept of log-probabilities and of texts that no store can hold."""
    known = writer.answer_words(builtin_card("plain_pairwise")) | {"good"}
    yield f"words {sorted(known)}"
    for tokens in ((), ("x",), ("4",), ("{", ' "', "Go"), ("a", "x", "y", " 5", "z"), ("n", "q", "▁tie", "")):
        logprobs = tuple((token, (("4", 0.12345), ("5", 0.5))) for token in tokens)
        text = writer.compact_logprobs(logprobs, known)
        yield f"of {tokens} is kept {text}, read {writer.expand_logprobs(text)}"
    for text in ("", "a", "é", "a\0b", "\ud83d", "日本\0"):
        yield f"{text!a} is stored as {writer.storable_text(text)!a}"


def _answer_values(workspace: PlantedWorkspace) -> Iterator[str]:
    """Which values can be given to which cells, and how much one message of the desk may hold."""
    store = workspace.store
    for dataset, name, unit, dimension in (
        ("support", "d-01", "turn:1", "helpfulness"), ("support", "d-01", "conversation", "verdict"),
        ("support", "d-01", "conversation", "weakest_turn"), ("support", "d-01", "conversation", "task_completion"),
        ("support", "d-01", "turn:3", "helpfulness"), ("support", "d-05", "turn:3", "helpfulness"),
        ("duels", "p-01", "pair", "verdict"), ("duels", "p-01", "pair", "wit"),
        ("answers", "r-01", "response", "factuality"),
    ):  # fmt: skip
        content = items.load_item(store, workspace.item(dataset, name)).content
        values: list[Any] = [None, -1.0, 0.0, 1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 0, 3, True, "good", "none", "n/a", "3"]
        by_outcome = dict[str, list[Any]]()
        for value in values:
            with collect_refusals() as outcome:
                outcome.append(repr(labels.check_answer_value(store, content, unit, dimension, value)))
            by_outcome.setdefault(outcome[0], []).append(value)
        yield f"{name} {unit} {dimension}: {by_outcome}"
    answer = {"key": "many-00", "person": "rex", "action": "save", "item": workspace.item("answers", "r-01"), "ms": 1,
              "values": [{"unit": "response", "dimension": "factuality", "v": 3}]}  # fmt: skip
    note = {"unit": "", "sort": "comment", "text": "x"}
    for notes, letters, times in (
        (0, 1, 1), (1, 0, 1), (1, 20_001, 1), (50, 20_000, 1), (51, 20_000, 1), (26, 20_000, 2),
    ):  # fmt: skip
        many = [answer | {"key": f"many-{notes}-{letters}-{n}", "notes": [note | {"text": "x" * letters}] * notes}
                for n in range(times)]  # fmt: skip
        saved, refused = labels.save_answers(store, "rex", many)
        why = dict.fromkeys(entry.why for entry in refused)
        yield f"{times} with {notes} notes of {letters}: saved {len(saved)}, refused {len(refused)}, {list(why)}"
    yield f"of nothing: {labels.save_answers(store, 'rex', [])}, {labels.save_answers(store, 'rex', [None])}"


def _conversations() -> Iterator[str]:
    """How dialogues with calls of tools are written as messages, and which of them can be trained on."""
    by_letter = {
        "u": {"role": "user", "text": "Hi."}, "a": {"role": "assistant", "text": "Yes."},
        "e": {"role": "assistant", "text": " "}, "s": {"role": "system", "text": "Be kind."},
        "c": {"role": "tool", "name": "find", "text": 'find({"q": 1})'}, "t": {"role": "tool", "text": "1"},
        "d": {"role": "tool", "name": "look", "text": 'look({"q": 2})'},
        "n": {"role": "tool", "name": "look", "text": "2"}, "m": {"role": "tool", "name": "lost", "text": "3"},
    }  # fmt: skip
    for order in "ua uaua sua usa uua au ue ucta ucdtna ucdnta ucdma ucea uca cta ucdta ucnta".split():
        turns, number = list[Json](), 0
        for letter in order:
            number += letter == "u" or not turns
            turns.append({"turn": number} | by_letter[letter])
        with collect_refusals() as outcome:
            item = ITEM.validate_python({"id": "x", "kind": "dialogue", "scenario": "In a shop.", "turns": turns})
            chat = conversations.item_messages(item, scenario=order == "ua")  # type: ignore[arg-type]
            outcome.append(f"trainable {conversations.is_trainable(chat)}: {chat}")
            for unit in ("turn:1", "turn:2", "turn:3"):
                outcome.append(f"split at {unit}: {conversations.split_at_unit(item, unit, order == 'ua')}")  # type: ignore[arg-type]
        yield from (f"{order}: {line}" for line in outcome)


def _missing(workspace: PlantedWorkspace) -> Iterator[str]:
    """Why drawn items have no answer that counts, as several people are told it, and fields that means cannot go by."""
    store, dataset_id, judge = (
        workspace.store,
        workspace.datasets["support"],
        workspace.judges["support", "judge-one"],
    )
    dimensions = {d.name: d for d in calibration.compared_dimensions(store, judge)}
    for person, name, basis in (
        ("lea", "helpfulness", "gate"), ("cy", "helpfulness", "gate"), ("rex", "verdict", "gate"),
        ("rex", "repair_handling", "assisted"), ("rex", "safety", "imported"), ("rex", "safety", "all"),
    ):  # fmt: skip
        missing = nonresponse.missing_answers(store, person, dataset_id, judge, dimensions[name], basis)  # type: ignore[arg-type]
        yield f"missing of {name} on {basis} as {person} sees it: {nonresponse.summarise_missing(missing)}"
        yield from (f"  {entry}" for entry in missing)
        every = nonresponse.sample_responses(store, dataset_id, judge, [dimensions[name]], basis)  # type: ignore[arg-type]
        yield from facts("sample", every[dimensions[name].sort, name], 1)
    for chosen in (
        MeansChoice("colour"), MeansChoice(only=(("language", "fr"),)), MeansChoice(only=(("colour", "red"),)),
        MeansChoice("", (("language", "ja"), ("topic", "refund"), ("tier", "0"))), MeansChoice("tier"),
    ):  # fmt: skip
        with collect_refusals() as outcome:
            table = means.means_table(store, dataset_id, judge, chosen)
            outcome += [means.explain_few_scores(table), f"few {table.small_groups}"]
            outcome += [f"{row.group} {row.dimension.name} {row.unit} {row.display[:2]}" for row in table.rows[::6]]
        yield from (f"means {chosen.by!r} {chosen.only}: {line}" for line in outcome)
    for (name, model), judge_id in workspace.judges.items():
        yield f"{model} of {name} has means: {means.has_means(store, judge_id)}"


def _strata(workspace: PlantedWorkspace) -> Iterator[str]:
    """How draws fall on strata of dialogues and pairs, and by what they cannot be parted."""
    store = workspace.store
    for (name, model), judge in workspace.judges.items():
        for options in (
            {"by": "meta", "of": "colour"}, {"by": "meta", "of": "tier"}, {"by": "score", "judge": judge},
            {"by": "score", "judge": judge, "of": "conversation.verdict"}, {"by": "score", "judge": judge, "of": "x"},
            {"by": "score", "judge": judge, "of": "pair.verdict"}, {"by": "confidence", "judge": judge},
            {"by": "score", "judge": judge, "of": "response.verdict", "allocation": "root"},
        ):  # fmt: skip
            with collect_refusals() as outcome:
                design = SampleDesign(**options)  # type: ignore[arg-type]
                words = strata.stratum_words(store, workspace.datasets[name], design)
                outcome += sorted(f"{word} x{n}" for word, n in Counter(words.values()).items())
            yield f"strata of {name} by {options | ({'judge': model} if 'judge' in options else {})}: {outcome}"
