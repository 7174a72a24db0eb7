"""A run spread over Ray workers beside the same run in one process: `python -m tests.bench spread` (minutes).

The endpoint of the measurement `runner`, in a process of its own, answers after 50 ms and after 1 s. Said are judgments
stored a second, between the first and the last tenth (workers need seconds to come), and the processor time of this
process, which owns the store, for each; workers are on this machine, and share its processors.
"""

import functools
import os
import tempfile
import time

from data.runs import runs
from data.runs.ray_cluster import ray_source
from data.runs.run_config import RunConfig
from judges.client.endpoint import Endpoint
from judges.params import Params
from tests.bench import runner

CASES = ((0.05, 64, 5000), (1.0, 256, 5000))
"""(seconds of an answer, calls at a time, judgments)"""
WORKERS = (1, 2, 4)
SHARE = 0.8
"""What two workers reach at the least of one process' rate at slow answers, where there is little to do but wait."""


def run(workspace, url, concurrency, most, engine=None):
    """(judgments a second, milliseconds of processor each) of a run of a judge of its own."""
    workspace.runs += 1
    endpoint = Endpoint(base_url=url, concurrency=concurrency)
    config = RunConfig(workspace.dataset, runner.CARD, f"fixed {workspace.runs}", Params(), endpoint, most=most)
    used, points = time.process_time(), []

    def look(now):
        if most / 10 <= now.done <= most * 9 / 10:
            points.append((time.perf_counter(), now.done))

    end = runs.wait(workspace.store, runs.start(workspace.store, "lea", config, engine=engine), look, every=0.1)
    assert (end.state, end.scored) == ("finished", most), end
    (first, low), (last, high) = points[0], points[-1]
    return (high - low) / (last - first), (time.process_time() - used) / most * 1000


def main():
    """Measure, and hold what has to hold."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = runner.Workspace(folder)
        for latency, concurrency, most in CASES:
            with runner.Served(latency) as url:
                measure = functools.partial(run, workspace, url, concurrency, most)
                measure()
                figures = {"one process": measure()}
                for workers in WORKERS:
                    with ray_source("", workers) as engine:
                        figures[f"{workers} workers"] = measure(engine)
            print(f"{most:,} calls of {latency:g} s, {concurrency} at a time, load {os.getloadavg()[0]:.1f}:")
            for name, (rate, processor) in figures.items():
                print(f"  {name:12} {rate:6.1f} judgments a second, {processor:.2f} ms of processor here each")
        workspace.store.close()
    share = figures["2 workers"][0] / figures["one process"][0]
    assert share >= SHARE, f"two workers reach {share:.0%} of one process' rate, {SHARE:.0%} are asked for"
