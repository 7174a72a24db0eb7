"""Flags on people who label, by speed, agreement and change over time (docs/methods.md, Flags on raters).

Nothing here is a verdict on a person. Each remark says what was seen and what else may explain it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, median, variance
from typing import Literal

from judges.stats.uncertainty import Interval

MIN_ITEMS = 20
"""Items below which nothing is reported of a person."""
ACCEPTING_SHARE = 0.95
"""Share of scores kept as they were, from which somebody "accepts everything"."""
FAST_SECONDS = 2.0
"""Median seconds per item below which nobody can have read it."""
HASTY_SECONDS = 3.0
"""Seconds per item that count as hasty, and the share of such items that is worth a look."""
HASTY_SHARE = 0.5
LOW_KAPPA = 0.3
"""Kappa with the others: an upper end of its interval below this is hardly more than chance."""
LENIENT_STEPS = 0.5
"""Steps of the scale between a person and the others, on average, from which it is said."""
DRIFT_SHARE = 0.15
"""Change in the share of answers equal to the others', from the first to the last third of the items, beside that of
the others on the same items."""
MIN_STANDARD_ERRORS = 3.0
"""Standard errors that a difference must lie from 0: of many people looked at, chance makes some differ by two."""
Sort = Literal["accepts", "fast", "apart", "lenient", "drift"]


@dataclass(frozen=True)
class RaterWork:
    """The work of a person, in numbers.

    It has the labels and items, the labels by mode, `scores_shown`, and `scores_kept` of these.
    `seconds` has the time of each item, `assisted_seconds` that of items with the judge's scores in view. Imported
    labels have no seconds. `unseen` of the kept scores were accepted without having been on screen.
    """

    labels: int = 0
    items: int = 0
    blind: int = 0
    assisted: int = 0
    revealed: int = 0
    scores_shown: int = 0
    scores_kept: int = 0
    seconds: tuple[float, ...] = ()
    assisted_seconds: tuple[float, ...] = ()
    unseen: int = 0

    @property
    def pace(self) -> float | None:
        """Median seconds per item; None where none were measured."""
        return median(self.seconds) if self.seconds else None

    @property
    def overlooked(self) -> float | None:
        """Share of the judge's scores kept that were never on screen; None where there are none."""
        return self.unseen / self.scores_kept if self.unseen and self.scores_kept else None

    @property
    def accepted(self) -> float | None:
        """Share of the scores on screen that were kept."""
        return self.scores_kept / self.scores_shown if self.scores_shown else None

    @property
    def hasty(self) -> float | None:
        """Share of items answered in less than `HASTY_SECONDS` seconds."""
        return sum(s < HASTY_SECONDS for s in self.seconds) / len(self.seconds) if self.seconds else None


@dataclass(frozen=True)
class RaterShift:
    """A difference with its standard error, in how many items it was seen; `se` None where it has none."""

    size: float
    se: float | None
    items: int

    @property
    def sure(self) -> bool:
        """Whether it is significantly different from 0."""
        return self.se is not None and self.items >= MIN_ITEMS and abs(self.size) > MIN_STANDARD_ERRORS * self.se


@dataclass(frozen=True)
class RaterFlag:
    """An observation to look at: a keyword, and a sentence about it that continues the person's name."""

    sort: Sort
    text: str


def mean_shift(values: Sequence[float]) -> RaterShift | None:
    """The mean of one value per item against 0; None for no items."""
    if not values:
        return None
    n = len(values)
    return RaterShift(mean(values), sqrt(variance(values) / n) if n > 1 else None, n)


def agreement_drift(values: Sequence[float]) -> RaterShift | None:
    """The mean of the last third of the items minus that of the first, items in the order of their labelling.

    Errors of the two thirds add up as squares. None below `MIN_ITEMS` items.
    """
    third = len(values) // 3
    if len(values) < MIN_ITEMS:
        return None
    first, last = values[:third], values[-third:]
    return RaterShift(mean(last) - mean(first), sqrt(variance(first) / third + variance(last) / third), len(values))


def common_shift(shift: RaterShift | None, other: RaterShift | None) -> RaterShift | None:
    """The smaller of two changes that go the same way and are both sure; else None."""
    if shift is None or other is None or not (shift.sure and other.sure) or shift.size * other.size <= 0:
        return None
    return min(shift, other, key=lambda change: abs(change.size))


def flag_rater(
    work: RaterWork, agreement: Interval | None, leniency: RaterShift | None, course: RaterShift | None,
    step: float = 1.0,
) -> list[RaterFlag]:  # fmt: skip
    """Return the flags on a person's work that should be looked at, most urgent first.

    `agreement` is kappa with gold made without the person's own labels. `leniency` is the person minus that gold in
    units of the scale, of which `step` is one step. `course` is the change in the share of equal answers, in itself and
    relative to the others' (`agreement_drift`, `common_shift`).
    """
    flags = []
    pace = median(work.assisted_seconds) if len(work.assisted_seconds) >= MIN_ITEMS else None
    if pace is not None and pace < FAST_SECONDS and (work.accepted or 0) >= ACCEPTING_SHARE:
        flags.append(RaterFlag(
            "accepts",
            f"accepts everything in {pace:.1f} seconds: an acceptance rate of {work.accepted:.0%} with a median of "
            f"{pace:.1f} seconds per item. Such labels repeat the judge's scores; a few blind items would show whether "
            "this person agrees.",
        ))  # fmt: skip
    elif len(work.seconds) >= MIN_ITEMS and (work.hasty or 0) >= HASTY_SHARE:
        flags.append(RaterFlag(
            "fast",
            f"is rushing: {work.hasty:.0%} of {len(work.seconds):,} items were answered in under {HASTY_SECONDS:g} "
            "seconds. That is possible for short items; long ones cannot have been read.",
        ))  # fmt: skip
    if (
        agreement is not None
        and agreement.items >= MIN_ITEMS
        and agreement.high is not None
        and agreement.high < LOW_KAPPA
    ):
        flags.append(RaterFlag(
            "apart",
            f"agrees with the others hardly more than chance: kappa {agreement.point:z.2f} (upper end "
            f"{agreement.high:z.2f}) on {agreement.items:,} shared items. They may read the guidelines differently, or "
            "be right where the others are not.",
        ))  # fmt: skip
    if leniency is not None and leniency.sure and abs(leniency.size) >= LENIENT_STEPS * step:
        by = f"{abs(leniency.size):.1f} steps" if step == 1 else f"{abs(leniency.size):.2g}"
        flags.append(RaterFlag(
            "lenient",
            f"gives {by} {'more' if leniency.size > 0 else 'less'} than the others on "
            f"average (bias), on {leniency.items:,} shared items. An example of each step may align the scales.",
        ))  # fmt: skip
    if course is not None and course.sure and abs(course.size) >= DRIFT_SHARE:
        flags.append(RaterFlag(
            "drift",
            f"drifts {'towards' if course.size > 0 else 'away from'} the others: % agreement "
            f"{'rises' if course.size > 0 else 'falls'} by {abs(course.size):.0%} from the first to the last third of "
            "the items, beyond what the items explain. Practice, fatigue or another reading of the guidelines may be "
            "the cause.",
        ))  # fmt: skip
    return flags
