"""Gold by SQL against a plain Python reading of the rules, on any lot of labels."""

from collections import Counter, defaultdict
from statistics import median_low

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from data.gold import BASES, gold, rests_on
from data.settings import GoldRule
from data.store import open_store
from judges.types import Scale
from tests.data.cells import Cell, fill

SCALES = {
    "ordinal": Scale("ordinal", 1, 5, na=True),
    "drawn": Scale("unordered", categories=("a", "tie", "b"), drawn="tie", na=True),
    "undrawn": Scale("unordered", categories=("a", "tie", "b"), na=True),
    "flag": Scale("flag"),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    opened = open_store(f"duckdb:///{tmp_path_factory.mktemp('gold')}/s.duckdb")
    yield opened
    opened.close()


def by_hand(values, scale):
    """The gold of one cell's values as {value} (None = n/a), or empty where there is none."""
    given = [v for v in values if v is not None]
    if scale.kind == "ordinal":
        return {None if 2 * len(given) < len(values) else median_low(given)}
    counts = Counter(values)
    top = [value for value, n in counts.items() if n == max(counts.values())]
    if len(top) == 1:
        return {top[0]}
    return {float(scale.categories.index(scale.drawn))} if scale.drawn else set()


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES.keys())
@settings(max_examples=15)
@given(data=some.data())
def test_every_cell_resolves_as_the_rule_says(store, scale, data):
    value = some.integers(scale.base, scale.base + scale.size - 1).map(float)
    people = some.lists(some.one_of(value, some.none()) if scale.na else value, min_size=1, max_size=6).map(tuple)
    mode = some.sampled_from(["blind", "assisted", "revealed"])
    chance = some.sampled_from([None, 0.25, 0.5])
    given_ = data.draw(
        some.lists(
            some.builds(Cell, some.integers(0, 9), some.sampled_from(["turn:1", "turn:2", "conversation"]), people,
                        some.none(), mode, chance),
            min_size=10, max_size=30, unique_by=lambda c: (c.item, c.unit),
        )
    )  # fmt: skip
    chances = {}
    given_ = [
        Cell(
            c.item, c.unit, c.people, c.judge, c.mode, chances.setdefault((c.item, c.mode == "assisted"), c.probability)
        )
        for c in given_
    ]
    name = f"{scale} {store.newest()}"
    dataset, _ = fill(store, given_, name)
    names = {r[0]: r[1] for r in store.rows("select id, name from item where dataset_id = $1", [dataset])}
    for basis in BASES:
        labels = defaultdict(list)
        for c in given_:
            if c.unit.startswith("turn:") and basis in rests_on(c.mode, c.probability is not None):
                labels[c.item, c.unit].extend(c.people)
        wanted = {key: found for key, values in labels.items() if (found := by_hand(values, scale))}
        rows = store.rows(
            f"select item_id, unit, value, probability, people from ({gold('turn', scale, basis, GoldRule())}) g",
            [dataset, "helpfulness"],
        )
        assert {(int(names[r[0]].split()[1]), r[1]): {r[2]} for r in rows} == wanted
        for r in rows:
            key = int(names[r[0]].split()[1]), r[1]
            assert r[4] == len(labels[key])
            [cell] = [c for c in given_ if (c.item, c.unit) == key]
            assert r[3] == cell.probability


def test_who_may_be_in_which_basis():
    assert rests_on("blind", True) == ["gate", "blind", "all"]
    assert rests_on("blind", False) == ["blind", "all"]
    assert rests_on("assisted", True) == ["assisted", "all"]
    assert rests_on("assisted", False) == ["all"]
    assert rests_on("revealed", True) == []


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
            told = (
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
            tx.add("label", columns, [(*told, withdrawn, "2026-01-01")])

    store.tx("test", "replace", replace)
    sql = gold("turn", SCALES["ordinal"], "blind", GoldRule())
    assert store.rows(f"select value, people from ({sql}) g", [dataset, "helpfulness"]) == [(4.0, 2)]  # of 4 and 5
