"""A plan on record: at how many labelled items a dataset is looked at, fixed before the first label that counts.

Without a plan anybody may look after every label, so the approval check requires the larger distance that makes this
harmless. A few looks fixed in advance require less. A plan is a setting of the dataset, and is in the audit log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from data.approvals import policy
from data.approvals.record import Fact
from data.approvals.rules import Requirements
from data.gold.gold import LABEL_CONDITIONS
from data.records import datasets
from data.records.access import act, allow
from data.records.values import get_setting, put_setting
from data.store import Store, Tx
from data.store.errors import BadInput
from judges.stats.approval_check import CheckResult
from judges.stats.sequential import LookPlan

MAX_LOOKS = 5
"""The most looks of a plan; more would gain little over looking at any time."""
_FIRST_COUNTED = (
    "select 1 from label l join item i on i.id = l.item_id left join draw d on d.id = l.draw_id "
    f"and d.stream = 'audit' where i.dataset_id = $1 and {LABEL_CONDITIONS['imported']} limit 1"
)


@allow("annotator")
def look_plan(store: Store | Tx, dataset_id: str) -> LookPlan | None:
    """The plan of a dataset; None where there is none."""
    sizes = get_setting(store, dataset_id, "plan", {}).get("sizes", [])
    return LookPlan(tuple(int(n) for n in sizes)) if sizes else None


@allow("annotator")
def has_counted_labels(store: Store | Tx, dataset_id: str) -> bool:
    """Whether a label counts, or once counted. From the first one on, a plan can be neither made nor changed."""
    return bool(store.rows(_FIRST_COUNTED, [dataset_id]))


@allow("lead")
def set_look_plan(store: Store, actor: str, dataset_id: str, sizes: Sequence[int]) -> None:
    """Record a plan (leads); no sizes withdraw it.

    Raises NotAllowed, BadInput once there are labels that count, and for a plan that makes no sense, contradicts the
    policy, or asks for more items than there are.
    """
    new = check_sizes(store, dataset_id, sizes)

    def work(tx: Tx) -> None:
        if look_plan(tx, dataset_id) == new:
            return
        if has_counted_labels(tx, dataset_id):
            raise BadInput(
                "This dataset already has labels that count, or that counted until they were replaced or withdrawn. A "
                "plan is valid only if it was fixed before the first of them, so nothing was changed."
            )
        put_setting(tx, dataset_id, "plan", {"sizes": list(new.sizes)} if new else {})

    act(store, actor, "lead", "plan", work, dataset_id)


def parse_sizes(text: str) -> list[int]:
    """Numbers of items from a line of text, with spaces or commas between them. Raises BadInput."""
    words = text.replace(",", " ").replace("、", " ").split()
    if not words or not all(word.isdecimal() and len(word) < 8 for word in words):
        raise BadInput(f"A plan is one to {MAX_LOOKS} numbers of items, such as 150 300; got {text.strip()!r}.")
    return [int(word) for word in words]


def check_sizes(store: Store | Tx, dataset_id: str, sizes: Sequence[int]) -> LookPlan | None:
    """The plan of these sizes, None of none. Raises BadInput."""
    if not sizes:
        return None
    if len(sizes) > MAX_LOOKS:
        raise BadInput(
            f"A plan has at most {MAX_LOOKS} looks; this one has {len(sizes)}. Without a plan, look at any time."
        )
    try:
        new = LookPlan(tuple(sizes))
    except ValueError as error:
        raise BadInput(str(error)) from None
    if against := policy.requirements(store).policy.refuses(new):
        raise BadInput(against)
    items = datasets.count_items(store, dataset_id)
    if new.sizes[-1] > items:
        raise BadInput(f"The last look is at {new.sizes[-1]:,} items, and the dataset has {items:,}.")
    return new


def look_facts(store: Store, dataset_id: str, check: CheckResult, requirements: Requirements) -> Iterator[Fact]:
    """Give as evidence, to be frozen, what was compared with the threshold and under which looks."""
    plan = look_plan(store, dataset_id)
    looks = f"at {', '.join(map(str, plan.sizes))} items, fixed before the first label" if plan else "at any time"
    sure = f"one-sided, {100 * requirements.policy.level:g}%: has to reach the required kappa"
    yield "checked bound", check.bound, sure
    yield "errors asked", check.needed, "how many standard errors it lies below kappa, on the scale -log(1 - kappa)"
    yield "decisions sharing the error", float(check.shared), "dimensions of all judges on these labels"
    yield "looks", None, looks
