"""From files to figures without a mapping by hand: what they seem to hold, the plan of that, and where it leads."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from data.approvals.quota import quota
from data.calibration import calibration
from data.cards import cards
from data.gold.gold import BASES, Basis
from data.importing import subprocess_reader
from data.importing.detection.detection import DetectedFile
from data.importing.detection.plan_proposal import propose_plan
from data.importing.detection.source_contents import read_contents
from data.importing.files.source import Source
from data.importing.plan import ImportPlan
from data.importing.source_reader import Progress
from data.importing.subprocess_reader import OnWait
from data.queue import queue
from data.records import datasets
from data.records.access import allow
from data.store import Store
from data.store.errors import BadInput
from judges.authoring.recipe import RecipeScale
from judges.importing.columns import fault_of_names
from judges.importing.interpretation import Interpretation, interpret_contents, set_scales
from judges.plural import many
from judges.stats.calibration import Summary, summarise


@dataclass(frozen=True)
class NextStep:
    """The next step: the address of a page, what it has to show, and a sentence on what was drawn for it."""

    page: str
    query: dict[str, str]
    sentence: str = ""

    @property
    def path(self) -> str:
        """Itself as the end of a web address."""
        return f"/{self.page}?{urlencode(self.query)}"


@allow("researcher")
def interpret_source(
    store: Store,
    source: Source,
    detected: list[DetectedFile],
    judges: Sequence[str] = (),
    people: Sequence[str] = (),
    progress: Progress = lambda *_: None,
    waits: OnWait = lambda _: None,
    scales: Mapping[str, RecipeScale] | None = None,
) -> Interpretation:
    """Return the first reading of the files. `judges` and `people` are the columns named as theirs.

    `scales` are those of answers, by the name of their column, or the name that another tool's file calls them by.
    Raises BadInput if no table has such a column, if one is named on both sides, or if it holds no answers.
    """
    if source.isolated:
        source_contents = subprocess_reader.read_contents(source, detected, progress, waits)
    else:
        source_contents = read_contents(source, detected, progress)
    names = list(dict.fromkeys(name for table in source_contents.tables.values() for name in table.columns))
    if fault := fault_of_names(source.name, names, judges, people):
        raise BadInput(fault)
    stored = cards.answerable_dimensions(store)
    interpretation = interpret_contents(source_contents, stored, judges, people)
    return set_scales(interpretation, scales or {}, stored, source.name)


@allow("researcher")
def plan_import(store: Store, interpretation: Interpretation, draft_plan: ImportPlan) -> ImportPlan:
    """The plan with mappings, questions and cards for what was understood. Raises BadInput."""
    return propose_plan(interpretation, draft_plan, cards.current_cards(store)).check()


@allow("researcher")
def next_step(store: Store, actor: str, dataset_id: str, draw: bool = True) -> NextStep | None:
    """Return where an import leads: to the figures if judge and people share cells, else to the first blind item.

    For the latter an audit sample is drawn if the dataset has none; without `draw` there is then no next step (None).
    Raises NotAllowed below the role researcher, and BadInput if the import made no dataset.
    """
    name = next((d.name for d in datasets.all_datasets(store) if d.id == dataset_id), "")
    if not name:
        raise BadInput("The files hold no item, no judgment and no label that could be imported: nothing was imported.")
    judges = datasets.dataset_judges(store, dataset_id)
    for judge in judges:
        if agreement_figures(store, dataset_id, judge.id):
            return NextStep("calibration", {"dataset": name, "judge": judge.id})
    if not draw:
        return None
    sentence = ""
    if not store.rows("select 1 from draw where dataset_id = $1 and stream = 'audit' limit 1", [dataset_id]):
        sentence = _draw(store, actor, dataset_id, judges[0].id if judges else "")
    return NextStep("desk", {"dataset": name, "stream": "audit"}, sentence)


def _draw(store: Store, actor: str, dataset_id: str, judge_id: str) -> str:
    """Draw what the policy requires, all of it blind if there are too few items otherwise; return that in words."""
    needed = quota(store, dataset_id, bool(judge_id))
    if needed.next_draw > needed.left:
        judge_id, needed = "", quota(store, dataset_id, False)
    drawn = queue.draw_audit(store, actor, dataset_id, needed.size, judge_id, seed=secrets.randbelow(2**31))
    blind = drawn - round(drawn * needed.share)
    assisted = f", {drawn - blind:,} with the judge in view" if drawn > blind else ""
    return (
        f"Drew {many(drawn, 'item')} at random into the audit sample: {blind:,} to be answered blind{assisted}. "
        f"{needed.sentence(blind, drawn >= needed.left)}"
    )


@allow("researcher")
def is_first_import(store: Store, dataset: str) -> bool:
    """Whether an import into that dataset is the first of real data here, so that it leads on by itself."""
    return all(known.synthetic and known.name != dataset for known in datasets.all_datasets(store))


def agreement_figures(store: Store, dataset_id: str, judge_id: str) -> list[Summary]:
    """Return the agreement of a judge with people for every question with gold, on the best basis that has labels."""
    dimensions = calibration.compared_dimensions(store, judge_id)
    sizes = calibration.basis_sizes(store, dataset_id, dimensions)
    basis: Basis | None = next((basis for basis in BASES if sizes[basis].labels), None)
    if basis is None:
        return []
    inputs = calibration.comparison_inputs(store, dataset_id, judge_id, dimensions, basis)
    summaries = [summarise(cells, dimension) for cells, dimension in zip(inputs, dimensions, strict=True)]
    return [summary for summary in summaries if summary.gold_cells]
