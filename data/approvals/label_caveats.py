"""The origin of the labels behind a case: who gave them, how they came, and what was left out.

It is shown with the figures and refuses no approval. A lead needs it to answer for an approval, and a reader years
later needs it to understand the approval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from data.approvals.record import Fact
from data.calibration.nonresponse import sample_responses
from data.gold import fewshot
from data.gold.excluded_items import not_excluded_sql
from data.gold.gold import LABEL_CONDITIONS, Basis
from data.records import datasets, people
from data.records.outcomes import unit_sort_sql
from data.store import Store, cache_result
from judges.plural import many
from judges.stats.nonresponse import SampleResponse
from judges.strict_json import canonical
from judges.types import Dimension

NOTABLE_SHARE = 0.1
"""The share of skipped items, or of n/a by people only, from which a sentence is shown."""
_MAX_NAMED_IMPORTS = 3
_MAX_STORED_IMPORTS = 100
"""The most imports that are named in a sentence (`_MAX_NAMED_IMPORTS`) and in the evidence (`_MAX_STORED_IMPORTS`)."""


class ImportedLabels(NamedTuple):
    """Labels that came in together.

    It has how many, from which file, by whom, when (UTC), and how their items were chosen by the importer's own word.
    """

    labels: int
    source: str
    by: str
    at: str
    sampling: str

    def __str__(self) -> str:
        return f"{self.labels:,} from {self.source}, imported by {self.by} on {self.at}"


@dataclass(frozen=True)
class LabelOrigin:
    """The blind labels of random draws in one dimension, and what is shown with them.

    `labels_by_person`: the labels that count, by name. `imported`: those from files, most labels first. That they are
    blind and their draw random is the importer's word, which nobody here can check. `counts`: imported ones are among
    those that count. `changed`: labels that replaced an earlier one. `drawn`: items to be labelled blind. Everybody
    passed over `skipped` of them, and somebody put `excluded` aside after the draw. `examples`: labelled items shown in
    the judge's prompt. `judges`: judges of the same card that were compared with the same labels. `leads` may decide
    here. `unknown_population`: labels imported before it was asked from how many items a random draw was made, which
    count as if drawn with certainty. `response`: who answered, by stratum.
    """

    labels_by_person: Mapping[str, int]
    imported: tuple[ImportedLabels, ...]
    counts: bool
    changed: int
    drawn: int
    skipped: int
    excluded: int
    examples: int
    judges: int
    leads: tuple[str, ...]
    unknown_population: int = 0
    response: SampleResponse = field(default_factory=SampleResponse)

    @property
    def labels(self) -> int:
        """The number of labels that count."""
        return sum(self.labels_by_person.values())

    @property
    def imported_count(self) -> int:
        """The number of labels that came from files, whether they count or not."""
        return sum(imported.labels for imported in self.imported)

    def origin(self) -> str:
        """Return where the labels come from, in a sentence or two; "" if there are none."""
        count = self.labels - (self.imported_count if self.counts else 0)
        if not self.imported_count:
            return f"{many(count, 'label')} {'is' if count == 1 else 'are'} used, all given here." if count else ""
        no = "are not, unless a lead allows them in the policy"
        sentence = f"{self.imported_count:,} imported ones {'are used too' if self.counts else no}: {self.sources()}."
        return f"{many(count, 'label')} given here {'is' if count == 1 else 'are'} used. {sentence}"

    def sources(self) -> str:
        """The files that labels came from, in words."""
        more = len(self.imported) - _MAX_NAMED_IMPORTS
        file_list = "; ".join(map(str, self.imported[:_MAX_NAMED_IMPORTS]))
        return f"{file_list}; and {many(more, 'further import')}" if more > 0 else file_list

    def cautions(self) -> Iterator[str]:
        """Yield the points that the person who decides should consider, a sentence each."""
        if not self.labels:
            return
        own = sum(self.labels_by_person.get(name, 0) for name in self.leads)
        if 2 * own >= self.labels:
            names = " and ".join(sorted(name for name in self.leads if self.labels_by_person.get(name)))
            yield (
                f"{100 * own / self.labels:.0f}% of the labels are by {names}, who may approve here too: whoever "
                "approves should not be the only annotator."
            )
        elif len(self.labels_by_person) == 1:
            yield f"All labels are by {next(iter(self.labels_by_person))}: no second annotator has checked them."
        if self.counts and self.imported_count:
            names = " and ".join(sorted({imported.by for imported in self.imported}))
            yield (
                f"{self.imported_count:,} of {self.labels:,} labels were imported by {names}, who stated that they are "
                "blind and their items drawn at random. Nobody here can check that."
            )
        if self.counts and self.unknown_population:
            yield (
                f"{self.unknown_population:,} imported labels are of items drawn at random from an unknown number of "
                "items: each counts as drawn with certainty."
            )
        if self.changed:
            yield f"{self.changed:,} of {self.labels:,} labels were changed later."
        if self.skipped and self.skipped >= NOTABLE_SHARE * self.drawn:
            yield (
                f"{self.skipped:,} of {self.drawn:,} drawn items were skipped: if those are the hard ones, agreement "
                "is overestimated."
            )
        if self.excluded and self.excluded >= NOTABLE_SHARE * self.drawn:
            yield (
                f"{self.excluded:,} of {self.drawn:,} drawn items were excluded afterwards: whoever chose them could "
                "see the judge's scores, so agreement may be overestimated."
            )
        if self.examples:
            yield (
                f"{self.examples:,} labelled items are examples in the judge's prompt and are left out: if they were "
                "chosen because the judge failed there, agreement is overestimated."
            )
        if self.judges > 2:
            yield (
                f"{self.judges:,} judges of this card were compared on the same labels: the best of many is "
                "overestimated."
            )

    def facts(self) -> Iterator[Fact]:
        """The same as evidence, to be frozen."""
        yield "labels", float(self.labels), "blind labels of random draws, of items that count"
        people = self.labels_by_person
        yield "labels by person", float(len(people)), canonical(dict(sorted(people.items())))
        yield "labels given here", float(self.labels - (self.imported_count if self.counts else 0)), "on the desk"
        note = "they count" if self.counts else "they do not count, by the policy"
        imports = canonical([imported._asdict() for imported in self.imported[:_MAX_STORED_IMPORTS]])
        yield "labels from files", float(self.imported_count), f"{note}: {imports}" if self.imported_count else ""
        unknown = float(self.unknown_population)
        yield "labels of random items, of how many unknown", unknown, "each counts as drawn with certainty"
        yield "labels changed later", float(self.changed), "they replace an earlier label of the same person"
        yield "items drawn", float(self.drawn), "to be labelled blind in this dataset"
        yield "items drawn and answered", float(self.response.overall.answered), self.response.list_strata()
        yield "items drawn and skipped", float(self.skipped), "nobody labelled them"
        yield "items drawn and put aside", float(self.excluded), "used for tuning, after they were drawn"
        yield "labelled examples left out", float(self.examples), "items in the judge's prompt that have such labels"
        yield "judges tried", float(self.judges), "judges of this card compared on the same labels"


@cache_result
def label_origin(
    store: Store, dataset_id: str, judge_id: str, card: str, dimension: Dimension, counts: bool = False
) -> LabelOrigin:
    """Return where the labels of one dimension come from that count for a judge; `counts`: imported ones count too."""
    own, imported, certain = Counter[str](), Counter[int](), Counter[int]()
    changed, examples, shown = 0, set[str](), fewshot.items_in_prompt(store, judge_id)
    for item, annotator, from_draw, seq, again, sure in store.rows(
        "select l.item_id, l.annotator, d.probability is not null, l.seq, l.replaces is not null, "
        "l.probability is not null and l.probability >= 1 "
        "from label_now l join item i on i.id = l.item_id "
        "left join draw d on d.id = l.draw_id and d.stream = 'audit' "
        f"where i.dataset_id = $1 and l.dimension = $2 and {unit_sort_sql(dimension.sort, 'l')} "
        f"and {LABEL_CONDITIONS['imported']}{not_excluded_sql(store, 'l.item_id')}",
        [dataset_id, dimension.name],
    ):
        if item in shown:
            examples.add(str(item))
            continue
        if not from_draw:
            imported[int(seq)] += 1
            certain[int(seq)] += bool(sure)
        if from_draw or counts:
            own[str(annotator)] += 1
            changed += bool(again)
    ((drawn, skipped),) = store.rows(
        "with drawn as (select distinct item_id from draw where dataset_id = $1 and stream = 'audit' "
        "and mode = 'blind') select count(*), count(s.item_id) from drawn d left join (select distinct a.item_id "
        "from answer a where a.dataset_id = $1 and a.action = 'skip' and not exists ("
        "select 1 from label l where l.item_id = a.item_id)) s on s.item_id = d.item_id",
        [dataset_id],
    )
    ((excluded,),) = store.rows(
        "select count(distinct d.item_id) from draw d join tuning_now t on t.item_id = d.item_id and t.seq > d.seq "
        "where d.dataset_id = $1 and d.stream = 'audit' and d.mode = 'blind'",
        [dataset_id],
    )
    tried = sum(judge.card == card for judge in datasets.dataset_judges(store, dataset_id))
    leads = tuple(p.name for p in people.all_people(store) if p.may("lead"))
    # Since an import asks how many items there were to draw from, a label is certain only where its own line says so.
    query = (
        "select distinct n.seq from intake n join change c on c.seq = n.seq join migration m on m.name = 'answered' "
        "where n.sampling = 'random' and n.population is null and n.dataset_id = $1 and c.made_at < m.made_at"
    )
    untold = sum(certain[int(row[0])] for row in store.rows(query, [dataset_id])) if certain else 0
    basis: Basis = "imported" if counts else "gate"
    response = sample_responses(store, dataset_id, judge_id, [dimension], basis)[dimension.sort, dimension.name]
    return LabelOrigin(
        own, _imports_of_labels(store, imported), counts, changed, int(drawn), int(skipped), int(excluded),
        len(examples), tried, leads, untold, response,
    )  # fmt: skip


def _imports_of_labels(store: Store, labels: Mapping[int, int]) -> tuple[ImportedLabels, ...]:
    """The imports that labels came from, given how many each change brought in."""
    rows = store.rows(
        "select c.seq, coalesce(n.source, 'no file that is known'), c.actor, c.made_at, "
        "coalesce(n.sampling, 'unknown') from change c left join intake n on n.seq = c.seq "
        "where c.seq = any($1) order by c.seq",
        [sorted(labels)],
    )
    imports = [
        ImportedLabels(labels[int(seq)], str(source), str(by), f"{at:%Y-%m-%d}", str(sampling))
        for seq, source, by, at, sampling in rows
    ]
    return tuple(sorted(imports, key=lambda imported: -imported.labels))
