"""The answers of a dimension as they are counted, and the SQL of units, of answers and of their counts."""

from __future__ import annotations

from dataclasses import dataclass

from judges.stats import bins
from judges.types import Dimension, Scale, UnitSort

SIDES = ("wins", "ties", "losses")
"""The outcomes of a verdict on a pair for each of its two systems."""


@dataclass(frozen=True)
class CountedDimension:
    """The counted form of a dimension: answers or bins in words, their codes, and the values whose means are taken.

    `mean`: the mean of the value itself is taken; otherwise that of each answer (0 or 1), for a flag only of "yes".
    `sided`: a verdict on the better of two, which is a win, a tie or a loss of each system.
    """

    dimension: Dimension
    answers: tuple[str, ...]
    codes: tuple[float, ...]
    mean: bool
    sided: bool

    @property
    def outcomes(self) -> int:
        """The number of means."""
        return 1 if self.mean or self.dimension.scale.kind == "flag" else len(self.codes)

    def describe_mean(self, outcome: int) -> str:
        """A mean in words: of which answer it is the share, or that it is one."""
        return "mean" if self.mean else self.answers[1 if self.dimension.scale.kind == "flag" else outcome]


def counted_dimension(dimension: Dimension) -> CountedDimension:
    """Return the counted form of a dimension whose scale has a table."""
    scale: Scale = dimension.scale
    mean = scale.is_numeric
    sided = dimension.sort == "pair" and sorted(scale.categories) == ["a", "b", "tie"]
    return CountedDimension(dimension, SIDES if sided else bins.row_labels(scale), bins.row_values(scale), mean, sided)


def rating_condition(counted: CountedDimension, answer: int | None, system: str) -> str:
    """The condition, on score s and item i, that a rating belongs to a system and has an answer.

    It is of the dimension's sort of unit, and has the n-th answer, or n/a (None); `system` is the parameter that names
    the system.
    """
    of = f"{unit_sort_sql(counted.dimension.sort, 's')} and "
    if not counted.sided:
        value = (
            "s.value is null"
            if answer is None
            else is_answer_sql("s.value", counted.codes[answer], counted.dimension.scale)
        )
        if counted.dimension.is_of_side:
            return f"{of}{value} and case when s.unit like '%/b' then i.system_b else i.system_a end = {system}"
        return f"{of}{value} and {system_sql(counted, 's')} = {system}"
    if answer is None:
        return f"{of}s.value is null and {system} in (i.system_a, i.system_b)"
    code_a, code_b = verdict_codes(counted, answer)
    return f"{of}(i.system_a = {system} and s.value = {code_a} or i.system_b = {system} and s.value = {code_b})"


def verdict_codes(counted: CountedDimension, n: int) -> tuple[int, int]:
    """The verdict that is a win (0), tie (1) or loss (2) of the first system, and of the second."""
    a, tie, b = (counted.dimension.scale.categories.index(name) for name in ("a", "tie", "b"))
    return ((a, b), (tie, tie), (b, a))[n]


def unit_sort_sql(sort: UnitSort, table: str) -> str:
    """The condition that a unit is of this sort."""
    begins = {"turn": "turn:%", "section": "section:%", "side": "response/%"}
    return f"{table}.unit like '{begins[sort]}'" if sort in begins else f"{table}.unit = '{sort}'"


def side_column(dimension: Dimension) -> str:
    """A column `side` of the unit of `s`, for what is asked of one side of a pair; "" where nothing is."""
    return "right(s.unit, 1) as side, " if dimension.is_of_side else ""


def sides_join(counted: CountedDimension) -> str:
    """The two systems of a pair as two rows."""
    return " cross join (values ('a'), ('b')) as b(side)" if counted.sided else ""


def pair_name(system_a: str, system_b: str) -> str:
    """The name of the two systems of a pair together; without a second one, that of the first."""
    return f"{system_a} ~ {system_b}" if system_b else system_a


def system_sql(counted: CountedDimension, table: str) -> str:
    """The system that a group is of; of what is asked of a pair as a whole, both."""
    if counted.sided:
        return "case when b.side = 'b' then i.system_b else i.system_a end"
    if counted.dimension.sort == "pair":
        return "case when i.system_b = '' then i.system_a else i.system_a || ' ~ ' || i.system_b end"
    if counted.dimension.is_of_side:
        return f"case when {table}.side = 'b' then i.system_b else i.system_a end"
    return "i.system_a"


def answer_count_sql(counted: CountedDimension, column: str) -> str:
    """A count of the n-th answer; of a verdict: how often the group's system won, tied or lost."""
    letter, n = column[0], int(column[1:])
    if not counted.sided:
        return f"o.{column}"
    code_a, code_b = verdict_codes(counted, n)
    return f"case when b.side = 'a' then o.{letter}{code_a} else o.{letter}{code_b} end"


def outcome_sums(counted: CountedDimension, letter: str) -> list[str]:
    """The value whose mean is taken, or the counts of the answers; `letter` names whose (c: all scores, h: people)."""
    if counted.mean:
        return ["o.t" if letter == "c" else f"o.{letter}"]
    if counted.dimension.scale.kind == "flag":
        return [f"o.{letter}1"]
    return [answer_count_sql(counted, f"{letter}{n}") for n in range(len(counted.codes))]


def nearest_sql(column: str) -> str:
    """SQL of the answer nearest to a judge's value, which may lie between two; a half counts up."""
    return f"floor({column} + 0.5)"


def is_answer_sql(column: str, code: float, scale: Scale) -> str:
    """SQL condition that a value is, or is nearest to, an answer; on an interval scale that it is in the row of one."""
    if scale.kind != "interval":
        return f"{nearest_sql(column)} = {code!r}"
    low, high = bins.row_ends(code, scale)
    return f"{column} >= {low!r} and {column} < {high!r}"


def table_row_sql(column: str, scale: Scale) -> str:
    """SQL of the code of the table's row in which a value is (`judges.stats.bins.row_values`)."""
    if not bins.is_binned(scale):
        return answer_sql(column, scale)
    low, width = repr(float(scale.lo)), repr(bins.scale_width(scale) / bins.MAX_BINS)
    return f"({low} + (least({bins.MAX_BINS - 1}, floor(({column} - {low}) / {width} + 1e-9)) + 0.5) * {width})"


def answer_sql(column: str, scale: Scale) -> str:
    """SQL of the answer of a scale nearest to a value; of an interval scale without steps the value itself."""
    if scale.kind != "interval":
        return nearest_sql(column)
    low, step = repr(float(scale.lo)), repr(float(scale.step))
    return f"({low} + floor(({column} - {low}) / {step} + 0.5 + 1e-9) * {step})" if scale.step else column
