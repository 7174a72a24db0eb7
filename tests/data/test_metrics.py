"""What is counted is said as Prometheus reads it, whatever was counted."""

from __future__ import annotations

import math
import re
import threading
from collections import defaultdict

import pytest

from data import metrics
from data.metrics import Metric

SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)')
Samples = dict[tuple[tuple[str, str], ...], float]


def parse_metrics(text: str) -> dict[str, tuple[str, Samples]]:
    """Family -> (its type, its samples), by the rules of the format; AssertionError where one is broken."""
    assert text.endswith("\n") and "\r" not in text
    families: dict[str, tuple[str, Samples]] = {}
    name, helped = "", set[str]()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = line.split(" ", 3)[2]
            assert family not in helped, "one HELP for a family"
            helped.add(family)
        elif line.startswith("# TYPE "):
            _, _, name, sort = line.split(" ")
            assert name in helped and name not in families and sort in ("counter", "gauge", "histogram")
            families[name] = sort, {}
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            full, labels, value = match.groups()
            part = full.removeprefix(name)
            assert part in ("_bucket", "_sum", "_count") if families[name][0] == "histogram" else not part, line
            pairs = LABEL.findall(labels or "")
            assert "".join(f'{k}="{v}",' for k, v in pairs).rstrip(",") == (labels or ""), line
            key = (*((("part", part),) if part else ()), *pairs)
            assert key not in families[name][1], "no sample twice"
            families[name][1][key] = math.inf if value == "+Inf" else float(value)
    for sort, samples in families.values():
        if sort == "histogram":
            buckets = {k[1][1]: v for k, v in samples.items() if k[0] == ("part", "_bucket")}
            bounds = sorted(buckets, key=lambda bound: math.inf if bound == "+Inf" else float(bound))
            counts = [buckets[bound] for bound in bounds]
            assert bounds[-1] == "+Inf" and counts == sorted(counts), "spans add up"
            assert counts[-1] == samples[("part", "_count"),]
    return families


@pytest.fixture(autouse=True)
def nothing_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "_counts", defaultdict(lambda: defaultdict(float)))
    monkeypatch.setattr(metrics, "_times", defaultdict(metrics._Times))


def test_counts_and_times_are_added_up() -> None:
    for seconds in (0.001, 0.3, 0.31, 99.0):
        metrics.observe("save_seconds", seconds)
    metrics.increment("answers_total", 3, outcome="saved")
    metrics.increment("answers_total", outcome="saved")
    read = [Metric("revision", "R.", "gauge", {(): 12}), Metric("runs", "None.", "gauge", {})]
    families = parse_metrics(metrics.metrics_text(read))
    assert families["assay_answers_total"] == ("counter", {(("outcome", "saved"),): 4})
    assert families["assay_revision"] == ("gauge", {(): 12})
    spans = families["assay_save_seconds"][1]
    part = ("part", "_bucket")
    assert [spans[part, ("le", le)] for le in ("0.005", "0.3", "0.5", "10", "+Inf")] == [1, 2, 3, 3, 4]
    assert spans[("part", "_sum"),] == pytest.approx(99.611)


def test_no_value_breaks_a_line() -> None:
    odd = 'a"b\\c\nd}\u202e 1'
    read = [Metric("odd", "With\na line and a \\.", "gauge", {(("x", odd),): math.nan, (): -math.inf})]
    text = metrics.metrics_text(read)
    assert text.count("\n") == 4 and r'x="a\"b\\c\nd}' in text
    assert "-Inf" in text and " NaN" in text and parse_metrics(text.replace("NaN", "1").replace("-Inf", "2"))


def test_threads_lose_no_count() -> None:
    threads = [
        threading.Thread(target=lambda: [metrics.increment("held_back_total", what="saves") for _ in range(2_000)])
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert parse_metrics(metrics.metrics_text())["assay_held_back_total"][1] == {(("what", "saves"),): 16_000}
