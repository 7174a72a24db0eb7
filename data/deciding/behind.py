"""What the labels behind a case are: who gave them, how they came, and what was left out; told beside the figures.

None of it refuses an approval. It is what somebody has to know who answers for one, and who reads it in years.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from data import datasets, fewshot, people
from data.deciding.decided import Fact
from data.ids import canonical
from data.publishing.asking import units_of
from data.store import Store
from data.tuning import aside
from judges.types import Dimension

MANY = 0.1
"""From this share of skipped items, or of n/a on people's side alone, it is worth a sentence."""


@dataclass(frozen=True)
class Behind:
    """The blind labels of random draws in one dimension, and what stands beside them.

    `own` are the labels by name, `imported` those that came in from files by who brought them in (their random draw is
    a claim that nobody here can check), `changed` those that replaced an earlier one. `drawn` items are to be labelled
    blind, of which `skipped` were passed over by everybody. `examples` are items shown in the judge's prompt that have
    labels, `judges` those of the same card that the same labels were held against, `leads` who may decide here.
    """

    own: Mapping[str, int]
    imported: Mapping[str, int]
    changed: int
    drawn: int
    skipped: int
    examples: int
    judges: int
    leads: tuple[str, ...]

    @property
    def labels(self) -> int:
        """How many there are."""
        return sum(self.own.values())

    def cautions(self) -> list[str]:
        """What somebody should weigh who decides, a sentence each."""
        return list(_cautions(self))

    def facts(self) -> Iterator[Fact]:
        """The same as evidence, to be frozen."""
        yield "labels", float(self.labels), "blind labels of random draws, of items that count"
        yield "labels by person", float(len(self.own)), canonical(dict(sorted(self.own.items())))
        brought = sum(self.imported.values())
        yield "labels from files", float(brought), canonical(dict(sorted(self.imported.items()))) if brought else ""
        yield "labels changed later", float(self.changed), "they replace an earlier label of the same person"
        yield "items drawn", float(self.drawn), "to be labelled blind in this dataset"
        yield "items drawn and skipped", float(self.skipped), "nobody labelled them"
        yield "labelled examples left out", float(self.examples), "items in the judge's prompt that have such labels"
        yield "judges tried", float(self.judges), "judges of this card that the same labels were held against"


def behind(store: Store, dataset_id: str, judge_id: str, card: str, dimension: Dimension) -> Behind:
    """What the labels of one dimension are that the gate counts for a judge."""
    own, imported = dict[str, int](), dict[str, int]()
    changed, examples, shown = 0, set[str](), fewshot.used(store, judge_id)
    for item, annotator, from_file, by, again in store.rows(
        "select l.item_id, l.annotator, l.answer_id = '' and l.draw_id = '', c.actor, l.replaces is not null "
        "from label_now l join item i on i.id = l.item_id left join change c on c.seq = l.seq "
        "left join draw d on d.id = l.draw_id and d.stream = 'audit' "
        f"where i.dataset_id = $1 and l.dimension = $2 and {units_of(dimension, 'l')} and l.mode = 'blind' "
        f"and (d.probability is not null or l.probability is not null){aside(store, 'l.item_id')}",
        [dataset_id, dimension.name],
    ):
        if item in shown:
            examples.add(str(item))
            continue
        own[str(annotator)] = own.get(str(annotator), 0) + 1
        changed += bool(again)
        if from_file:
            imported[str(by)] = imported.get(str(by), 0) + 1
    drawn, skipped = store.rows(
        "with drawn as (select distinct item_id from draw where dataset_id = $1 and stream = 'audit' "
        "and mode = 'blind') select count(*), count(s.item_id) from drawn d left join (select distinct a.item_id "
        "from answer a where a.dataset_id = $1 and a.action = 'skip' and not exists ("
        "select 1 from label l where l.item_id = a.item_id)) s on s.item_id = d.item_id",
        [dataset_id],
    )[0]
    tried = sum(name == card for _, name, *_ in datasets.judges(store, dataset_id))
    leads = tuple(p.name for p in people.everyone(store) if p.may("lead"))
    return Behind(own, imported, changed, int(drawn), int(skipped), len(examples), tried, leads)


def _cautions(found: Behind) -> Iterator[str]:
    if not found.labels:
        return
    own = sum(found.own.get(name, 0) for name in found.leads)
    if 2 * own >= found.labels:
        who = " and ".join(sorted(name for name in found.leads if found.own.get(name)))
        yield (
            f"{100 * own / found.labels:.0f}% of the labels are by {who}, who may decide here too: whoever decides "
            "should not be the only one who has labelled."
        )
    elif len(found.own) == 1:
        yield f"All labels are by {next(iter(found.own))}: one person's view, which nobody has checked."
    if brought := sum(found.imported.values()):
        yield (
            f"{brought:,} of {found.labels:,} labels came in from files, by {' and '.join(sorted(found.imported))}, "
            "who said that they are blind and their items drawn at random. Nobody here can check that."
        )
    if found.changed:
        yield f"{found.changed:,} of {found.labels:,} labels were changed after they had been given."
    if found.skipped and found.skipped >= MANY * found.drawn:
        yield (
            f"{found.skipped:,} of {found.drawn:,} items drawn were skipped: if those are the hard ones, the judge "
            "looks better than it is."
        )
    if found.examples:
        yield (
            f"{found.examples:,} labelled items stand as examples in the judge's prompt and do not count: if they were "
            "chosen because the judge failed there, it looks better than it is."
        )
    if found.judges > 2:
        yield (
            f"{found.judges:,} judges of this card were held against the same labels: the best of many looks better "
            "than it is."
        )
