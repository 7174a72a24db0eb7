"""A run over the machines of a Ray cluster, one of which is killed in the middle; its processes are real ones."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from data.runs import ray_cluster, runs
from data.runs.ray_cluster import ray_source
from data.store.errors import BadInput
from data.workspace.verify import verify
from tests import seeds
from tests.data.runs.test_runs import config
from tests.practice_server import practice

ITEMS, HANDS, KEY = 60, 3, "sk-canary-of-the-cluster"
SMALL = {"object_store_memory": 80 * 2**20, "node_ip_address": "127.0.0.1", "include_dashboard": False}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head that works on nothing and two machines of one processor, all of which know the key."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # so that it keeps to 127.0.0.1
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory(prefix="ray-") as folder:  # tmp_path is too long for Ray's sockets
        monkeypatch.setenv("RAY_TMPDIR", folder)  # for all that it writes: /tmp/ray may not be there
        instance = Cluster(initialize_head=True, head_node_args={**SMALL, "num_cpus": 0})
        instance.machines = [instance.add_node(num_cpus=1, wait=False, **SMALL) for _ in range(2)]
        instance.wait_for_nodes()
        try:
            yield instance
        finally:
            instance.shutdown()


@pytest.mark.slow
def test_a_machine_that_is_killed_costs_no_more_than_its_calls_under_way(cluster: Any, tmp_path: Path) -> None:
    store = seeds.workspace(tmp_path / "a.duckdb", [seeds.dialogue(n) for n in range(1, ITEMS + 1)])
    with practice(latency_ms=100, key_variable="OPENAI_API_KEY") as server:
        run_config = config(store, server.url)
        endpoint = run_config.endpoint.model_copy(update={"concurrency": 2 * HANDS})
        with ray_source(cluster.address, 2) as engine:
            run_id = runs.start(store, "lea", runs.replace(run_config, endpoint=endpoint), engine=engine)
            while server.log.answered < ITEMS / 3:
                assert runs.run_progress(store, run_id).state == "running"
                time.sleep(0.05)
            cluster.remove_node(cluster.machines[0], allow_graceful=False)
            end = runs.wait(store, run_id)
        assert (end.state, end.done, end.scored) == ("finished", ITEMS, ITEMS)
        assert ITEMS <= server.log.asked <= ITEMS + HANDS and server.log.widest <= 2 * HANDS
        for table in ("reply", "judgment"):
            assert store.rows(f"select count(*), count(distinct item_id) from {table}") == [(ITEMS, ITEMS)]
        lost_calls = store.rows("select coalesce(sum(calls), 0) from charge where sort = 'lost'")[0][0]
        assert server.log.asked - ITEMS <= lost_calls <= HANDS
    assert verify(store) == []
    store.close()
    logs = Path(cluster.head_node.get_session_dir_path())
    leaks = [file for file in logs.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]
    assert leaks == [] and list(logs.rglob("*.log"))


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"pip install -r requirements-ray.txt"), ray_source():
        pass
    with pytest.raises(BadInput, match="HOST:PORT"), ray_source("ray://127.0.0.1:10001"):
        pass


@pytest.mark.parametrize(
    ("workers", "resources", "used"), [(0, {"CPU": 3.0}, 3), (2, {"CPU": 3.0}, 2), (0, {}, 1), (0, {"CPU": 0.5}, 1)]
)
def test_there_are_as_many_workers_as_are_asked_for_or_one_a_processor(
    monkeypatch: pytest.MonkeyPatch, workers: int, resources: dict[str, float], used: int
) -> None:
    fake = SimpleNamespace(init=lambda **_: None, shutdown=lambda: None, cluster_resources=lambda: resources)
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setattr(ray_cluster, "spread_over", lambda _, count: count)
    with ray_source("1.2.3.4:5", workers) as source:
        assert source == used


@pytest.mark.parametrize(("address", "cluster"), [("", "local"), ("1.2.3.4:5", "1.2.3.4:5")])
def test_workers_are_of_the_cluster_that_is_named_else_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, address: str, cluster: str
) -> None:
    options: dict[str, Any] = {}
    fake = SimpleNamespace(init=options.update, shutdown=lambda: None, cluster_resources=lambda: {"CPU": 1.0})
    monkeypatch.setitem(sys.modules, "ray", fake)
    with ray_source(address):
        assert options["address"] == cluster and ("_node_ip_address" in options) is not bool(address)
        assert options.get("include_dashboard") is (None if address else False)  # nobody is to serve what runs here


def test_a_runner_that_ends_takes_its_process_along(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[object] = []
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(kill=ended.append))
    actor = SimpleNamespace()
    ray_cluster._Actor(actor).end()
    assert ended == [actor]


@pytest.mark.parametrize(
    ("fault", "reason"), [("\nNo head.\nMore of it", "No head"), ("", "RuntimeError"), ("x" * 301, "x" * 300)]
)
@pytest.mark.parametrize(("address", "where"), [("", "workers on this machine"), ("1.2.3.4:5", "cluster at 1.2.3.4:5")])
def test_why_a_cluster_does_not_answer_is_said_in_a_line(
    monkeypatch: pytest.MonkeyPatch, fault: str, reason: str, address: str, where: str
) -> None:
    def init(**_: Any) -> None:
        raise RuntimeError(fault)

    ended: list[int] = []
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(init=init, shutdown=lambda: ended.append(1)))
    with pytest.raises(BadInput) as refused, ray_source(address):
        pass
    assert str(refused.value).startswith("No answer from ")
    assert str(refused.value).endswith(f"{where}: {reason}. Check it with `ray status`.")
    assert ended == [1]
