"""Random walks of several people who label: after each step, queue, gold and figures are those of the rows.

The product and a plain reading of all rows (`label_walks/`) have to say the same of who may have which item, in which
mode an answer was given, which cells have gold, and what follows for the judge, the people and the looks of a plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from data.annotators.annotators import LABEL_SETS
from data.calibration import calibration
from data.gold.gold import BASES
from data.records import datasets
from data.store import open_store
from tests import seeds
from tests.data.label_walks import cell_rows, figures, queue_rows, walk
from tests.data.label_walks.label_workspace import TEAM, plant
from tests.data.planted_workspace import PlantedWorkspace, frozen_clock

pytestmark = [pytest.mark.slow, pytest.mark.together("label walks")]
STEPS, SEEDS = 16, range(4)


@pytest.fixture(scope="module")
def first_walk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, walk.Walk, datetime]:
    """The workspace, closed, the walk of its first labels, and the time at which it was."""
    file = tmp_path_factory.mktemp("label walks") / "planted.duckdb"
    store = open_store(seeds.address(file))
    with frozen_clock() as clock:
        steps = walk.begin(plant(store, clock))
        store.close()
    return file, steps, clock.moment


@pytest.fixture
def workspace(first_walk: tuple[Path, walk.Walk, datetime], tmp_path: Path) -> Iterator[PlantedWorkspace]:
    """A copy of it."""
    seeds.copy_store(first_walk[0], tmp_path / "copy.duckdb")
    with frozen_clock() as clock:
        clock.moment = first_walk[2]
        store = open_store(seeds.address(tmp_path / "copy.duckdb"))
        yield PlantedWorkspace(store, clock, first_walk[1].workspace.datasets, first_walk[1].workspace.judges)
        store.close()


def check(steps: walk.Walk, chance: Random, number: int) -> None:
    """Hold what the product says of the step's dataset against the rows: the queue always, figures in turn."""
    workspace, store, dataset = steps.workspace, steps.store, steps.current
    queue_rows.check_modes(workspace)
    queue_rows.check_labels(workspace)
    queue_rows.check_counts(workspace, dataset, tuple(chance.sample(TEAM, 2)))
    queue_rows.check_progress(workspace, dataset)
    judge, basis = chance.choice(datasets.dataset_judges(store, dataset)).id, chance.choice(list(BASES))
    dimension = chance.choice(calibration.compared_dimensions(store, judge))
    if number % 4 == 1:
        figures.check_calibration(store, dataset, judge, basis)
    elif number % 4 == 2:
        cell_rows.check_cells(store, dataset, judge, dimension, basis)
        cell_rows.check_first_items(store, dataset, judge, dimension, basis, chance.randint(1, 12))
    elif number % 4 == 3:
        figures.check_ceiling(store, dataset, judge, dimension)
        figures.check_annotators(store, dataset, dimension, chance.choice(list(LABEL_SETS)))
    else:
        queue_rows.check_index(workspace)
        talks, judge = workspace.datasets["talks"], workspace.judges["talks", "plain"]
        figures.check_looks(store, talks, judge)
        for dimension in calibration.compared_dimensions(store, judge):
            cell_rows.check_first_items(store, talks, judge, dimension, "gate", chance.randint(5, 30))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_people_do_leaves_the_queue_and_figures_as_the_rows_have_them(
    first_walk: tuple[Path, walk.Walk, datetime], workspace: PlantedWorkspace, seed: int
) -> None:
    steps, chance = walk.Walk(workspace, seed), Random(seed)
    steps.answers, steps.keys = list(first_walk[1].answers), first_walk[1].keys
    workspace.clock.random.seed(seed)
    for number in range(1, STEPS + 1):
        try:
            steps.step()
            check(steps, chance, number)
        except Exception as error:
            place = f"seed {seed}, step {number}, {steps.note}: {error}"
            raise AssertionError(workspace.replace_ids(place)) from error
