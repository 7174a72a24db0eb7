"""The counters of this process since it began, as Prometheus reads them: how often, how long, how much.

They never have names of people, datasets or items, or texts: labels are fixed words. Each replica counts for itself, so
a reader of several replicas adds them up. Numbers that are read from the store are the same on all of them.
"""

from __future__ import annotations

import math
import re
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

Labels = tuple[tuple[str, str], ...]
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the buckets of a time, in seconds; nearly all answers have to be saved within 0.3."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Metric(NamedTuple):
    """A number that is read when it is asked for: its name, what it is, its sort, and its values by labels."""

    name: str
    about: str
    sort: Literal["counter", "gauge"]
    values: Mapping[Labels, float]


class _Times:
    """The number of times in each bucket, and the sum of all times."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.sum = 0.0


ABOUT = {
    "events_total": "Events of the log, those too that are below the level that is logged.",
    "answers_total": "Answers of the desk: saved now, or refused with a reason.",
    "save_seconds": "Time to save the answers of one message.",
    "held_back_total": "Saves, sign-ins and requests of programs that were refused because they came too fast.",
}
_lock = threading.Lock()
_counts: defaultdict[str, defaultdict[Labels, float]] = defaultdict(lambda: defaultdict(float))
_times: defaultdict[str, _Times] = defaultdict(_Times)


def increment(name: str, number: float = 1, **labels: str) -> None:
    """Add to a counter."""
    with _lock:
        _counts[name][tuple(sorted(labels.items()))] += number


def observe(name: str, seconds: float) -> None:
    """Add a time to a histogram."""
    with _lock:
        times = _times[name]
        times.counts[bisect_left(BUCKETS, seconds)] += 1
        times.sum += seconds


def metrics_text(read: Sequence[Metric] = ()) -> str:
    """Everything that was counted, and what was read beside it, in Prometheus' text format (version 0.0.4)."""
    with _lock:
        counted = [Metric(name, ABOUT[name], "counter", dict(values)) for name, values in sorted(_counts.items())]
        times = {name: (list(histogram.counts), histogram.sum) for name, histogram in sorted(_times.items())}
    lines = [line for metric in (*counted, *read) for line in _lines(metric)]
    for name, (counts, total) in times.items():
        full = _full(name)
        lines += [f"# HELP {full} {ABOUT[name]}", f"# TYPE {full} histogram"]
        running_count = 0
        for bound, number in zip((*BUCKETS, math.inf), counts, strict=True):
            running_count += number
            lines.append(f'{full}_bucket{{le="{_number(bound)}"}} {running_count}')
        lines += [f"{full}_sum {_number(total)}", f"{full}_count {running_count}"]
    return "\n".join(lines) + "\n"


def _lines(metric: Metric) -> list[str]:
    name = _full(metric.name)
    about = metric.about.replace("\\", r"\\").replace("\n", r"\n")
    shown = [f"{name}{_braces(labels)} {_number(value)}" for labels, value in sorted(metric.values.items())]
    return [f"# HELP {name} {about}", f"# TYPE {name} {metric.sort}", *shown]


def _full(name: str) -> str:
    assert _NAME.fullmatch(name), name
    return f"assay_{name}"


def _braces(labels: Labels) -> str:
    parts = [f'{name}="{_escape(value)}"' for name, value in labels]
    return "{" + ",".join(parts) + "}" if parts else ""


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return "NaN" if math.isnan(value) else repr(float(value)).removesuffix(".0")
