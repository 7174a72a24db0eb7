"""Runners on a Ray cluster: the only module that uses ray."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import judges
from data import temp_folders
from data.runs.spread import Handle, RunnerLost, spread_over
from data.runs.worker import Source
from data.store.errors import BadInput
from judges.runners.remote_runner import EndSignal, RemoteRunner, RunnerMessage, RunnerTerms, Work

OBJECTS = 80 * 2**20
"""Bytes that Ray may keep in shared memory where the cluster is this machine: all that is sent is small."""


@contextlib.contextmanager
def ray_source(address: str = "", workers: int = 0) -> Iterator[Source]:
    """Give a source that asks an endpoint through workers of the Ray cluster at `address`, while the context is open.

    Without an address, workers are processes of this machine, and nothing listens beyond 127.0.0.1. `workers` 0: one
    for each processor of the cluster. Workers get this Assay's own `judges`, so that their machines need no more than
    its packages, and their key from their own environment. Raises BadInput where ray or the cluster is missing.
    """
    if workers < 0 or (address and "://" in address):
        raise BadInput("--workers is a number from 1, and --address a cluster's HOST:PORT; this machine is part of it.")
    # Ray reads these when it is imported; the second lets a cluster of one machine keep to its loopback address.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if not address:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    try:
        import ray
    except ImportError:
        raise BadInput(
            "This engine needs ray, which is not installed: pip install -r requirements-ray.txt. Or leave --engine out."
        ) from None
    local_options: dict[str, Any] = {
        "num_cpus": workers or os.cpu_count(), "object_store_memory": OBJECTS, "include_dashboard": False,
        "_temp_dir": str(temp_folders.folder("ray")), "_node_ip_address": "127.0.0.1",
    }  # fmt: skip
    package = {"py_modules": [str(Path(judges.__file__).parent)]}
    try:
        try:
            ray.init(
                address=address or "local", log_to_driver=False, logging_level=logging.ERROR, runtime_env=package,
                **({} if address else local_options),
            )  # fmt: skip
        except Exception as error:
            where = f"the Ray cluster at {address}" if address else "workers on this machine"
            raise BadInput(f"No answer from {where}: {_first_line(error)}. Check it with `ray status`.") from None
        processors = ray.cluster_resources().get("CPU", 1)  # type: ignore[no-untyped-call]
        yield spread_over(_start_actor, workers or max(1, int(processors)))
    finally:
        ray.shutdown()
        temp_folders.remove("ray")


def _start_actor(terms: RunnerTerms) -> Handle:
    """Start a runner as a Ray actor; actors are spread over the machines of the cluster."""
    import ray

    options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
    return _Actor(ray.remote(RemoteRunner).options(**options).remote(terms))


class _Actor:
    """A Handle: a runner in a process of Ray's."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    async def assign(self, work: list[Work], admitted: list[tuple[int, bool]], signal: EndSignal) -> None:
        await self._call_remote(self._actor.assign.remote(work, admitted, signal))

    async def collect(self) -> list[RunnerMessage]:
        messages: list[RunnerMessage] = await self._call_remote(self._actor.collect.remote())
        return messages

    async def _call_remote(self, reference: Any) -> Any:
        import ray

        try:
            return await reference
        except ray.exceptions.RayError as error:
            raise RunnerLost(_first_line(error)) from None

    def end(self) -> None:
        import ray

        with contextlib.suppress(Exception):  # it may be gone, and Ray with it
            ray.kill(self._actor)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")[:300]
