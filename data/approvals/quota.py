"""The number of items that an audit sample needs so that the policy can be met, and how a draw compares with it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from math import ceil

from data.approvals import policy
from data.approvals.rules import DEFAULT_ANSWERED_SHARE
from data.gold import excluded_items
from data.records import settings
from data.records.access import allow
from data.store import Store, Tx
from judges.plural import many

EXTRA_DRAW_ITEMS = 50
"""Items of a further draw, where as many are drawn as the policy requires."""


@dataclass(frozen=True)
class Quota:
    """The policy's requirements for a dataset's audit sample, and what is there.

    `required`: items with blind answers. `answered`: the share of the drawn items that is expected to be answered.
    `drawn`: items drawn so far to be answered blind. `left`: items of the dataset that are neither drawn nor excluded.
    `share`: the part of a draw that is shown with a judge's scores, which does not count. `imported`: items with blind
    labels from files, where these count; of which dimensions they are is not said.
    """

    required: int
    answered: float
    drawn: int
    left: int
    share: float
    imported: int = 0

    @property
    def blind(self) -> int:
        """Blind items that the sample needs, so that as many are answered as the policy requires."""
        return ceil(self.required / self.answered)

    @property
    def next_draw(self) -> int:
        """The size of the next draw, if enough items were left: the missing items plus the assisted share."""
        missing = self.blind - self.drawn
        if missing <= 0:
            return EXTRA_DRAW_ITEMS
        return next(n for n in count(missing) if n - round(n * self.share) >= missing)

    @property
    def size(self) -> int:
        """Items of the next draw."""
        return max(min(self.next_draw, self.left), 1)

    def sentence(self, blind: int, all_: bool = False) -> str:
        """Say what a draw with so many blind items means for the policy; `all_`: it takes all that are left."""
        words = self._drawn_sentence(blind, all_)
        return f"{words} Imported labels of {many(self.imported, 'item')} count here too." if self.imported else words

    def _drawn_sentence(self, blind: int, all_: bool) -> str:
        total, part = self.drawn + blind, f"{100 * self.answered:g}%"
        before = f", {self.drawn:,} of them before," if self.drawn else ""
        demand = f"The policy requires {many(self.required, 'item')} answered blind"
        if total >= self.blind:
            return f"{demand}: {total:,} drawn blind{before} are enough if {part} are answered."
        if total >= self.required:
            return f"{demand}: {total:,} drawn blind{before} are enough only if {self.required:,} are answered."
        if not all_:
            return f"{demand}: {total:,} drawn blind{before} are {self.required - total:,} too few. Draw {self.size:,}."
        so = "too few by themselves" if self.imported else "no dimension of this dataset can meet it"
        short = f"{demand}, and this makes {total:,}{before.rstrip(',')}: {so}."
        if total + self.left - blind >= self.required > total:
            return f"{short} With no judge shown, all of them are drawn blind, which is enough."
        return f"{short} Import more items; figures can be had from these, with wide intervals."


@allow("annotator")
def quota(store: Store | Tx, dataset_id: str, assisted: bool) -> Quota:
    """Return the quota of a dataset; `assisted`: whether a share of the draw is shown with a judge's scores."""
    requirements = policy.requirements(store)
    condition = excluded_items.not_excluded_sql(store, "i.id")
    ((items, drawn, blind),) = store.rows(
        "select count(*), count(d.item_id), coalesce(sum(case when d.mode = 'blind' then 1 else 0 end), 0) "
        "from item i left join draw d on d.item_id = i.id and d.stream = 'audit' and d.dataset_id = $1 "
        f"where i.dataset_id = $1{condition}",
        [dataset_id],
    )
    share = settings.queue_rules(store, dataset_id).assisted_share if assisted else 0.0
    expected, imported = max(requirements.answered, DEFAULT_ANSWERED_SHARE), 0
    if policy.approval_basis(store, dataset_id) == "imported":
        ((imported,),) = store.rows(
            "select count(distinct l.item_id) from label_now l join item i on i.id = l.item_id where i.dataset_id = $1 "
            f"and l.mode = 'blind' and l.probability is not null{condition}",
            [dataset_id],
        )
    return Quota(requirements.policy.first, expected, int(blind), int(items) - int(drawn), share, int(imported))
