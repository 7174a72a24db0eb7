"""Gold by SQL against the rule in Python (`judges.gold`), on any lot of labels."""

from collections import defaultdict
from itertools import product
from statistics import mean

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from data.desk import labels
from data.gold.gold import BASES, LABEL_CONDITIONS, gold_sql, group_alike
from data.queue import queue
from data.records import datasets
from data.records import settings as queue_rules
from data.records.settings import GoldRule
from data.store import open_store
from data.store.ids import new_id
from judges.gold import needs_adjudication, resolve
from judges.types import Dimension, Scale
from tests import seeds
from tests.data.cells import Cell, fill

SCALES = {
    "ordinal": Scale("ordinal", 1, 5, na=True),
    "drawn": Scale("unordered", categories=("a", "tie", "b"), drawn="tie", na=True),
    "undrawn": Scale("unordered", categories=("a", "tie", "b"), na=True),
    "flag": Scale("flag"),
}
OTHERS = {
    "ordered": Scale("ordered", categories=("poor", "fair", "good"), na=True),
    "interval": Scale("interval", 0, 2, na=True),
    "steps": Scale("interval", 0, 10, na=True, step=0.5),
    "turn": Scale("turn"),
}


BASES_OF = {
    ("blind", True): ("gate", "imported", "blind", "all"),
    ("blind", False): ("blind", "all"),
    ("assisted", True): ("assisted", "all"),
    ("assisted", False): ("all",),
    ("revealed", True): (),
    ("revealed", False): (),
}
"""The bases of a label by its mode and whether its item was drawn here."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = open_store(f"duckdb:///{tmp_path_factory.mktemp('gold')}/s.duckdb")
    yield store
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("rule", [GoldRule(), GoldRule("majority")], ids=["median", "majority"])
@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES.keys())
@settings(max_examples=3)
@given(data=some.data())
def test_every_cell_resolves_as_the_rule_says(store, scale, rule, data):
    value = some.integers(scale.base, scale.base + scale.size - 1).map(float)
    answer = some.one_of(value, some.none()) if scale.na else value
    people = some.lists(answer, min_size=1, max_size=6).map(tuple)
    mode = some.sampled_from(["blind", "assisted", "revealed"])
    chance = some.sampled_from([None, 0.25, 0.5])
    cells = data.draw(
        some.lists(
            some.builds(Cell, some.integers(0, 29), some.sampled_from(["turn:1", "turn:2", "conversation"]), people,
                        some.none(), mode, chance),
            min_size=40, max_size=80, unique_by=lambda c: (c.item, c.unit),
        )
    )  # fmt: skip
    chances = {}
    cells = [
        Cell(
            c.item, c.unit, c.people, c.judge, c.mode, chances.setdefault((c.item, c.mode == "assisted"), c.probability)
        )
        for c in cells
    ]
    # What was adjudicated, with the judge in view or not, and perhaps taken back.
    settled = data.draw(
        some.dictionaries(
            some.sampled_from([(c.item, c.unit) for c in cells]),
            some.tuples(answer, some.booleans(), some.booleans()), max_size=18,
        )
    )  # fmt: skip
    name = f"{scale} {store.newest()}"
    dataset, _ = fill(store, cells, name)
    names = {
        r[0]: int(r[1].split()[1]) for r in store.rows("select id, name from item where dataset_id = $1", [dataset])
    }
    ids = {number: item for item, number in names.items()}
    adjudicate(store, dataset, [(ids[item], unit, *decision) for (item, unit), decision in settled.items()])
    for basis in BASES:
        labels = defaultdict(list)
        for c in cells:
            if c.unit.startswith("turn:") and basis in BASES_OF[c.mode, c.probability is not None]:
                labels[c.item, c.unit].extend(c.people)
        expected = {key: gold for key, values in labels.items() if (gold := resolve(values, scale, rule.resolve))}
        for key, (decided, saw, withdrawn) in settled.items():
            if key in labels and not withdrawn and not (saw and basis in ("gate", "imported", "blind")):
                expected[key] = (decided, "adjudicated")
        rows = store.rows(
            "select item_id, unit, value, how, probability, people, low, high "
            f"from ({gold_sql('turn', scale, basis, rule)}) g",
            [dataset, "helpfulness"],
        )
        assert {(names[r[0]], r[1]): (r[2], r[3]) for r in rows} == expected
        codes = range(scale.base, scale.base + scale.size)
        columns = [f"said{n}" for n in range(scale.size)]
        every = f"from ({gold_sql('turn', scale, basis, rule, means=True)}) g"
        means = {
            (names[item], unit): row_means
            for item, unit, *row_means in store.rows(
                f"select item_id, unit, mean, share, {', '.join(columns)} {every}", [dataset, "helpfulness"]
            )
        }
        assert means.keys() == labels.keys()  # drawn votes too: each vote counts in a mean
        for item, unit, _, method, probability, n, low, high in rows:
            values = labels[names[item], unit]
            numbers = [v for v in values if v is not None]
            assert (n, low, high) == (len(values), min(numbers, default=None), max(numbers, default=None))
            [cell] = [c for c in cells if (c.item, c.unit) == (names[item], unit)]
            assert probability == cell.probability
            if method == "adjudicated":
                numbers, values = (
                    [] if expected[names[item], unit][0] is None else [expected[names[item], unit][0]]
                ), [0]
            figures = dict(zip(("mean", "share", *columns), means[names[item], unit], strict=True))
            assert figures["mean"] == (pytest.approx(mean(numbers)) if numbers else None)
            assert figures["share"] == pytest.approx(len(numbers) / len(values))
            assert [figures[name] for name in columns] == pytest.approx([numbers.count(c) / len(values) for c in codes])


@pytest.mark.parametrize("scale", [*SCALES.values(), *OTHERS.values()], ids=[*SCALES, *OTHERS])
@settings(max_examples=4)
@given(data=some.data())
def test_sql_says_of_any_scale_and_rule_what_python_says(store, scale, data):
    count = {"interval": 20, "turn": 4}.get(scale.kind, scale.size - 1)
    value = some.integers(0, count).map(lambda n: n / 10 if scale.kind == "interval" else float(scale.base + n))
    answers = some.lists(some.one_of(value, value, some.none()) if scale.na else value, min_size=1, max_size=6)
    people = data.draw(some.lists(answers.map(tuple), min_size=40, max_size=80))
    dataset, _ = fill(
        store, [Cell(n, "turn:1", votes, None) for n, votes in enumerate(people)], f"rule {store.newest()}"
    )
    numbers = {item: int(name.split()[1]) for item, name in store.rows("select id, name from item")}
    rows_by_sql = {}  # several rules are the same question on some scales
    for method, steps in product(("median", "mean", "majority"), (None, 0, 1, 3)):
        expected = {n: resolve(votes, scale, method) for n, votes in enumerate(people)}
        waits = {n: needs_adjudication(votes, scale, steps) for n, votes in enumerate(people)}
        for waiting in ("counted", "out"):
            sql = gold_sql("turn", scale, "all", GoldRule(method, steps, waiting))
            if sql not in rows_by_sql:
                rows = store.rows(f"select item_id, value, how, waits from ({sql}) g", [dataset, "helpfulness"])
                rows_by_sql[sql] = {numbers[item]: rest for item, *rest in rows}
            resolved = rows_by_sql[sql]
            counted = [n for n, gold in expected.items() if gold and not (waits[n] and waiting == "out")]
            assert sorted(resolved) == counted
            for n in counted:
                value, came, waited = resolved[n]
                assert (came, waited) == (expected[n].origin, waits[n])
                assert value == (None if expected[n].value is None else pytest.approx(expected[n].value, abs=1e-12))


@pytest.mark.slow
def test_dimensions_share_a_statement_only_where_each_comes_out_as_alone(store):
    """Dimensions of every scale, some with one name in two sorts of units, and any labels and decisions on them."""
    scales = SCALES | OTHERS | {
        "wide": Scale("ordinal", 0, 10, na=True),
        "first": Scale("unordered", categories=("tie", "a", "b"), drawn="tie", na=True),
    }  # fmt: skip
    dimensions = [Dimension(name, "turn", scale, "") for name, scale in scales.items()]
    dimensions += [Dimension(name, "conversation", scales[name], "") for name in ("ordinal", "wide", "drawn")]
    rng, cells, decided = np.random.default_rng(8), [], []
    for d, n in product(dimensions, range(24)):
        answers = np.arange(max(d.scale.size, 4)) + d.scale.base
        people = tuple(float(v) if v < answers[-1] or not d.scale.na else None for v in rng.choice(answers, 1 + n % 4))
        unit = f"turn:{1 + n % 2}" if d.sort == "turn" else d.sort
        mode = "assisted" if n % 6 == 5 else "blind"
        cells.append(Cell(n, unit, people, None, mode, (None, 0.25, 0.5)[n % 3], d.name))
        if n % 7 == 0:
            decided.append((n, unit, people[0], n % 2 == 0, False, d.name))
    dataset, _ = fill(store, cells, "alike")
    items = {int(name.split()[1]): item for item, name in store.rows(
        "select id, name from item where dataset_id = $1", [dataset]
    )}  # fmt: skip
    adjudicate(store, dataset, [(items[n], *rest) for n, *rest in decided])
    for basis, rule, means in (
        ("gate", GoldRule(), True), ("imported", GoldRule("mean", 1, "out"), False),
        ("all", GoldRule("majority", 0), False), ("assisted", GoldRule("majority", 1, "out"), True),
    ):  # fmt: skip
        groups = group_alike(dimensions, means)
        assert sorted(d.name for group in groups for d in group) == sorted(d.name for d in dimensions)
        assert len(groups) < len(dimensions)
        for group in groups:
            names = [f"${n + 2}" for n in range(len(group))]
            sql = gold_sql(group[0].sort, group[0].scale, basis, rule, means=means, names=names)
            shared = store.frame(f"select * from ({sql}) g", [dataset, *(d.name for d in group)])
            for no, d in enumerate(group):
                sql = gold_sql(d.sort, d.scale, basis, rule, means=means)
                alone = store.frame(f"select * from ({sql}) g order by item_id, unit", [dataset, d.name])
                part = shared[shared["no"] == no].sort_values(["item_id", "unit"], ignore_index=True)
                pandas.testing.assert_frame_equal(part[alone.columns].assign(no=0), alone, check_dtype=False)
                assert len(alone)


def adjudicate(store, dataset, rows):
    """Decisions as they stand in the table: (item, unit, value, saw the judge, withdrawn[, dimension])."""
    columns = "id, dataset_id, item_id, unit, dimension, value, reason, labels, saw_judge, withdrawn, person"
    decisions = [
        (dataset, item, unit, *(of or ["helpfulness"]), v, "why", "[]", saw, withdrawn, "lea")
        for item, unit, v, saw, back, *of in rows
        for withdrawn in ([False, True] if back else [False])
    ]
    for withdrawn in (False, True):
        batch = [(new_id(), *row) for row in decisions if row[-2] == withdrawn]
        store.tx("test", "adjudicate", lambda tx, batch=batch: tx.add("adjudication", columns, batch))


RESOLVED = [
    # people say,        median,              majority
    ((4.0,),             (4.0, "one"),        (4.0, "one")),
    ((None,),            (None, "one"),       (None, "one")),
    ((3.0, 3.0),         (3.0, "agreed"),     (3.0, "agreed")),
    ((2.0, 5.0),         (2.0, "median"),     (2.0, "median")),  # a drawn vote of two: the lower one
    ((1.0, 2.0, 5.0),    (2.0, "median"),     (2.0, "median")),
    ((1.0, 1.0, 4.0, 5.0), (1.0, "median"),   (1.0, "majority")),
    ((2.0, 4.0, 5.0, 5.0), (4.0, "median"),   (5.0, "majority")),
    ((None, None, 3.0),  (None, "majority"),  (None, "majority")),
    ((None, 3.0),        (3.0, "median"),     (3.0, "majority")),  # as many say n/a as do not: the value
]  # fmt: skip


@pytest.mark.parametrize(("votes", "median", "majority"), RESOLVED)
def test_what_people_say_resolves_by_the_rule(store, votes, median, majority):
    dataset, _ = fill(store, [Cell(0, "turn:1", votes, 3.0)], f"{votes}")
    for rule, expected in ((GoldRule(), median), (GoldRule("majority"), majority)):
        sql = gold_sql("turn", SCALES["ordinal"], "all", rule)
        assert store.rows(f"select value, how from ({sql}) g", [dataset, "helpfulness"]) == [expected]
        assert resolve(votes, SCALES["ordinal"], rule.resolve) == expected


def test_who_may_be_in_which_basis(store):
    conditions = ", ".join(f"coalesce({condition}, false)" for condition in LABEL_CONDITIONS.values())

    def bases(mode, stated, drawn):
        row = (
            "select cast($1 as text) as mode, cast($2 as double precision) as probability",
            "select cast($3 as double precision) as probability",
        )
        [holds] = store.rows(f"select {conditions} from ({row[0]}) l cross join ({row[1]}) d", [mode, stated, drawn])
        return tuple(basis for basis, on in zip(LABEL_CONDITIONS, holds, strict=True) if on)

    assert tuple(LABEL_CONDITIONS) == tuple(BASES)
    for (mode, random), expected in BASES_OF.items():
        assert bases(mode, None, 0.5 if random else None) == expected
    assert bases("blind", 0.5, None) == ("imported", "blind", "all"), "its importer says so"
    assert bases("assisted", 0.5, None) == ("assisted", "all")


def test_a_withdrawn_or_replaced_label_is_no_gold(store):
    dataset, _ = fill(store, [Cell(0, "turn:1", (2.0, 4.0), 3.0), Cell(1, "turn:1", (1.0,), 3.0)], "replaced")
    rows = store.rows(
        "select l.id, l.item_id, l.value from label l join item i on i.id = l.item_id "
        "where i.dataset_id = $1 order by l.value",
        [dataset],
    )

    def replace(tx):
        columns = (
            "id, answer_id, item_id, unit, dimension, value, annotator, mode, draw_id, judge_id, saw, seen, "
            "probability, replaces, withdrawn, made_at"
        )
        for old, item, value, withdrawn in ((rows[0][0], rows[0][1], 1.0, True), (rows[1][0], rows[1][1], 5.0, False)):
            fields = (
                f"new {old}",
                "",
                item,
                "turn:1",
                "helpfulness",
                value,
                "p",
                "blind",
                "",
                "",
                False,
                None,
                None,
                old,
            )
            tx.add("label", columns, [(*fields, withdrawn, "2026-01-01")])

    store.tx("test", "replace", replace)
    sql = gold_sql("turn", SCALES["ordinal"], "blind", GoldRule())
    assert store.rows(f"select value, people from ({sql}) g", [dataset, "helpfulness"]) == [(4.0, 2)]  # of 4 and 5


WAITING = [
    # people say, steps apart, waits: as ordered answers, as those of which none is above another
    ((2.0, 4.0), 1, True, True), ((2.0, 3.0), 1, False, True), ((2.0, 2.0), 0, False, False),
    ((2.0, 3.0), 0, True, True),
    ((2.0, None), 4, True, True), ((0.0, 1.0, 1.0), 0, True, True), ((0.0, 1.0, 1.0), 1, False, False),
    ((4.0,), 0, False, False), ((None, None), 0, False, False), ((1.0, 5.0), None, False, False),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("scale", [Scale("ordinal", 0, 5, na=True), SCALES["drawn"]], ids=["ordered", "unordered"])
@pytest.mark.parametrize(("votes", "difference", "ordered", "unordered"), WAITING)
def test_cells_wait_as_the_docket_has_them_and_are_left_out_if_so_asked(
    store, scale, votes, difference, ordered, unordered
):
    waits = ordered if scale.kind == "ordinal" else unordered
    assert needs_adjudication(votes, scale, difference) == waits
    dataset, _ = fill(store, [Cell(0, "turn:1", votes, 3.0)], f"waits {store.newest()}")

    def rows(waiting, means=False):
        sql = gold_sql("turn", scale, "all", GoldRule("median", difference, waiting), means=means)
        return store.rows(f"select item_id, waits from ({sql}) g", [dataset, "helpfulness"])

    [(item, is_waiting)] = rows("counted")
    assert is_waiting is waits and (rows("out") == []) == waits and len(rows("out", means=True)) == 1
    for saw in (True, False):  # once somebody has decided, with the judge in view or without, nothing waits
        adjudicate(store, dataset, [(item, "turn:1", 1.0, saw, False)])
        assert rows("out") == [(item, False)]


def test_answers_exactly_as_far_apart_as_the_rule_allows_do_not_wait(store):
    """4.4 - 3.4 is a little more than 1 in binary numbers."""
    scale = Scale("interval", 0, 10, step=0.1)
    dataset, _ = fill(store, [Cell(0, "turn:1", (4.4, 3.4), 3.0), Cell(1, "turn:1", (4.5, 3.4), 3.0)], "a step of .1")
    sql = gold_sql("turn", scale, "all", GoldRule("median", 1))
    assert store.rows(f"select low, high, waits from ({sql}) g order by high", [dataset, "helpfulness"]) == [
        (3.4, 4.4, needs_adjudication([4.4, 3.4], scale, 1)), (3.4, 4.5, needs_adjudication([4.5, 3.4], scale, 1))
    ] == [(3.4, 4.4, False), (3.4, 4.5, True)]  # fmt: skip


def test_an_item_of_several_turns_is_one_of_those_that_were_answered(tmp_path):
    """Four of ten dialogues are drawn, and three answered, turn by turn: they stand for all ten, in either turn."""
    items = [seeds.dialogue(n, turns=2) for n in range(10)]
    store = seeds.workspace(tmp_path / "turns.duckdb", items, names=("lea", "ann"))
    dataset = datasets.dataset_named(store, "demo").id
    queue_rules.set_queue_rules(store, "lea", dataset, queue_rules.QueueRules(assisted_share=0))
    queue.draw_audit(store, "lea", dataset, 4, "", seed=1)
    values = [{"unit": f"turn:{n}", "dimension": "helpfulness", "v": 3.0} for n in (1, 2)]
    for item in queue.claim_items(store, "ann", dataset, "audit", queue.QueueFilters(), [], 3):
        about = {"person": "ann", "item": item.item, "claim": item.draw, "judge": "", "version": ""}
        answer = {"key": new_id(), "action": "save", "values": values, **about}
        assert labels.save_answers(store, "ann", [answer])[0]
    sql = gold_sql("turn", SCALES["ordinal"], "gate", GoldRule())
    counted = "select unit, count(distinct item_id), sum(weight)"
    rows = store.rows(f"{counted} from ({sql}) g group by unit order by unit", [dataset, "helpfulness"])
    store.close()
    assert rows == [("turn:1", 3, pytest.approx(10)), ("turn:2", 3, pytest.approx(10))]
