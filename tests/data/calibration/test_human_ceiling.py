"""How far people agree beside a threshold: the panel's own figure, made of the shared cells alone."""

import pytest

from data.calibration import human_ceiling
from data.store import open_store
from judges.cards import cards
from tests.data.cells import Cell, fill

HELP, SAFETY = (d for d in cards()["multi_turn_dialogue"].dimensions if d.name in ("helpfulness", "safety"))


@pytest.fixture
def store(tmp_path):
    opened = open_store(f"duckdb:///{tmp_path}/s.duckdb")
    yield opened
    opened.close()


def test_kappa_between_two_people_is_that_of_the_panel_and_rests_on_so_many_items(store, monkeypatch):
    ratings = [(float(n % 5 + 1), float(min(n % 5 + 1 + n % 2, 5)), 3.0)[: 1 + n % 3] for n in range(90)]
    cells = [Cell(n, "turn:1", people, float(n % 4 + 1)) for n, people in enumerate(ratings)]
    cells += [Cell(n, "turn:1", (3.0,), 3.0, dimension="safety") for n in range(40)]
    dataset, judge = fill(store, cells)
    kappas = human_ceiling.kappas_between_people(store, dataset, judge, [HELP, SAFETY])
    whole = human_ceiling.measure_ceiling(store, dataset, judge, HELP)
    assert kappas[SAFETY] is None and human_ceiling.measure_ceiling(store, dataset, judge, SAFETY) is None
    assert kappas[HELP].point == pytest.approx(whole.between.point) and whole.items == 60
    assert (kappas[HELP].items, kappas[HELP].cells) == (60, 30 + 3 * 30)
    monkeypatch.setattr(human_ceiling, "MAX_ITEMS", 40)
    fill(store, [Cell(0, "turn:1", (1.0,), 1.0)], "other")  # what is remembered is made anew
    assert human_ceiling.kappas_between_people(store, dataset, judge, [HELP])[HELP].items == 40
