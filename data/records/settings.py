"""Settings of the workspace and of its datasets: appended rows, the newest holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

from data.records.access import allow, allow_change
from data.records.values import change_setting, get_setting
from data.store import Store, Tx
from data.store.errors import BadInput
from judges.gold import Resolve

Waiting = Literal["counted", "out"]
"""The ways to count cells that wait for adjudication, until somebody has adjudicated."""


_BLINDING = "blinding"


@dataclass(frozen=True)
class QueueRules:
    """The rules for giving out a dataset's items: people per item, assisted share, minutes that an item is reserved."""

    overlap: int = 1
    assisted_share: float = 0.2
    claim_minutes: int = 30

    def check(self) -> QueueRules:
        """Itself. Raises BadInput for values that make no sense."""
        if not 1 <= self.overlap <= 20:
            raise BadInput(f"People per item is {self.overlap}: it must be 1 to 20.")
        if not 0 <= self.assisted_share < 1:
            raise BadInput(f"The assisted share is {self.assisted_share}: it must be at least 0 and below 1.")
        if not 1 <= self.claim_minutes <= 24 * 60:
            raise BadInput(f"An item stays reserved for {self.claim_minutes} minutes: it must be 1 to 1440.")
        return self


@dataclass(frozen=True)
class GoldRule:
    """The rule that makes people's labels of one cell its gold.

    `resolve`: for ordered answers the lower `median`, or the `majority` (if tied, the lower median). For numbers on an
    interval scale also their `mean`; then other ordered answers go by the lower median. Unordered answers always go by
    majority. `apart`: how many steps of the scale (units of an interval scale) two people may differ before somebody
    has to adjudicate (None: any number). It also says whether people who differ on n/a, or in unordered answers, have
    to. `waiting`: until then, the cell is `counted` with the result of `resolve`, or left `out` of kappa, which then
    keeps just the easy cells. Means always count what people said of it.
    """

    resolve: Resolve = "median"
    apart: int | None = None
    waiting: Waiting = "counted"

    def check(self) -> GoldRule:
        """Itself. Raises BadInput for values that make no sense."""
        if self.resolve not in get_args(Resolve):
            raise BadInput(f"{self.resolve!r} is no way to combine labels: there are median, mean and majority.")
        if self.waiting not in ("counted", "out"):
            raise BadInput(f"Ratings that wait are {self.waiting!r}: they can be counted, or left out.")
        if self.apart is not None and not 0 <= self.apart <= 100:
            raise BadInput(f"People may disagree by {self.apart} points: it must be 0 to 100, or any number.")
        return self


@allow("annotator")
def queue_rules(store: Store | Tx, dataset_id: str) -> QueueRules:
    """The queue rules of a dataset."""
    return QueueRules(**get_setting(store, dataset_id, "queue", {}))


@allow_change("researcher", "queue rules", "dataset_id")
def set_queue_rules(tx: Tx, actor: str, dataset_id: str, new: QueueRules) -> None:
    """Change a dataset's queue rules (researchers and leads)."""
    change_setting(tx, dataset_id, "queue", asdict(new.check()), asdict(QueueRules()))


@allow("annotator")
def hides_systems(store: Store | Tx, dataset_id: str) -> bool:
    """Whether items to be answered blind hide which systems are under test, until the judge is revealed.

    They do unless a lead has set otherwise, because people who know the name of a system rate what they think of it.
    """
    return bool(get_setting(store, dataset_id, _BLINDING, {}).get("hide_systems", True))


@allow_change("lead", "blinding", "dataset_id")
def hide_systems(tx: Tx, actor: str, dataset_id: str, hide: bool) -> None:
    """Set whether blind items of a dataset hide the names of systems (leads)."""
    change_setting(tx, dataset_id, _BLINDING, {"hide_systems": hide}, {"hide_systems": True})


@allow("annotator")
def gold_rule(store: Store | Tx, dataset_id: str) -> GoldRule:
    """Return the rule by which labels of a dataset become gold."""
    return GoldRule(**get_setting(store, dataset_id, "gold", {}))


@allow_change("lead", "gold rule", "dataset_id")
def set_gold_rule(tx: Tx, actor: str, dataset_id: str, new: GoldRule) -> None:
    """Change how labels of a dataset become gold (leads, as every figure rests on it)."""
    change_setting(tx, dataset_id, "gold", asdict(new.check()), asdict(GoldRule()))
