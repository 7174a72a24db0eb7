"""Figures in words, for pages and reports."""

from __future__ import annotations

from judges.stats.uncertainty import Interval


def number(value: float | None, shape: str = ".3f") -> str:
    """A figure, or "undefined"; with a true minus sign."""
    if value is None:
        return "undefined"
    sign, rest = ("+", shape[1:]) if shape.startswith("+") else ("", shape)
    text = f"{value:{sign}{'z' * ('.' in rest)}{rest}}"  # z: no minus before a zero
    return text.replace("-", "\u2212")


def cell(value: float | None, shape: str = ".3f") -> str:
    """The same for a table, where a dash means an undefined figure."""
    return "–" if value is None else number(value, shape)


def span(interval: Interval | None, shape: str = ".2f", none: str = "–") -> str:
    """The ends of an interval, or `none` if it has no ends."""
    if interval is None or interval.low is None or interval.high is None:
        return none
    return f"{number(interval.low, shape)} to {number(interval.high, shape)}"


def people_agreement(top: Interval | None) -> str:
    """Agreement of people with each other and its interval; a dash where too few items have labels of two people."""
    return "–" if top is None or top.is_too_small or top.point is None else f"{cell(top.point, '.2f')} ({span(top)})"


def p_value(p: float) -> str:
    """A p-value: .031, or that it is below .001."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


REASONS = {
    "unreadable": "unreadable",
    "out_of_range": "out of range",
    "cut_off": "cut off",
    "refused": "refused",
    "api_error": "API error",
    "incomplete": "incomplete",
}
"""The reasons for which a reply of a judge has no score, in words."""
