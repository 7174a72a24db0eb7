"""Which judgments a run still lacks: what holds in a slot decides, however many items are looked at together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.runs import pending, runs
from data.runs.pending import PendingJudgments
from data.runs.run_config import RunConfig
from data.store import Store
from judges.protocols.call_plan import CallReply, Task
from tests import seeds
from tests.data.runs.test_runs import CARD, GOOD, config, scripted_source


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Twelve dialogues that nobody has judged, the fourth far longer than the others."""
    items = [seeds.dialogue(n, text="word " * 3000 if n == 4 else "") for n in range(1, 13)]
    opened = seeds.workspace(tmp_path / "a.duckdb", items)
    yield opened
    runs.close(opened)
    opened.close()


def pending_judgments(store: Store, since: int = 2**62, **changes: Any) -> PendingJudgments:
    run_config = config(store, **changes)
    return PendingJudgments(store, run_config, runs.judge_id_of(run_config), store.newest(), runs.SEED, since)


@pytest.mark.parametrize(
    ("slot", "plain", "again"),
    [
        (None, True, False),
        ((5, ""), False, False),
        ((10, "api_error"), True, True),
        ((11, "api_error"), False, False),
        ((20, "refused"), False, True),
        ((21, "refused"), False, False),
    ],
)
def test_what_holds_in_a_slot_says_whether_it_is_asked_for(slot: Any, plain: bool, again: bool) -> None:
    """It failed before this start (10), or is of no use and from before the run (20)."""
    store: Any = None
    for only, expected in ((False, plain), (True, again)):
        run_config: Any = replace(order_of_nothing(), only_unscored=only)
        assert PendingJudgments(store, run_config, "j", until=20, seed=0, since=10)._is_needed(slot) == expected


def order_of_nothing() -> Any:
    return RunConfig("", CARD, "m", CARD.defaults, runs.Endpoint())


def test_however_many_items_are_looked_at_together_the_same_are_lacking(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = CARD.defaults.model_copy(update={"samples": 2})
    names = {str(key): int(str(name)[2:]) for key, name in store.rows("select id, name from item")}

    def say(task: Task) -> str | CallReply:
        if task.sample and names[task.key] % 2:  # a reply came, and the process ended before its judgment
            return CallReply(task.key, "", 1, "", "", "api_error", "gone")
        return GOOD[0] if names[task.key] > 3 else "no JSON"

    runs.wait(store, runs.start(store, "lea", config(store, params=params, most=7), source=scripted_source(say)))
    first = pending_judgments(store).ids()[:7]
    failed = {key for key in first if names[key] % 2}
    unread = {(key, n) for key in first if names[key] <= 3 for n in (0, 1) if not (n and key in failed)}
    whole = {(key, n) for key in set(pending_judgments(store).ids()) - set(first) for n in (0, 1)} | {
        (k, 1) for k in failed
    }
    assert failed and unread and len(whole) > len(failed)
    for chunk, many in ((200, 20_000), (2, 3), (12, 12)):
        monkeypatch.setattr(pending, "_CHUNK", chunk)
        monkeypatch.setattr(pending, "_MAX_IDS", many)
        for only, expected in ((False, whole), (True, unread | {(key, 1) for key in failed})):
            left = pending_judgments(store, params=params, only_unscored=only)
            tasks = list(left.tasks())
            assert {(task.key, task.sample) for task in tasks} == expected and len(tasks) == len(expected)
            keys = list(dict.fromkeys(task.key for task in tasks))
            assert keys == [key for key in left.ids() if key in keys], "in the order of the draw"
            assert left.count() == (len(keys), len(expected))
            for limit in (2, 99):
                monkeypatch.setattr(pending, "MAX_COUNTED_ITEMS", limit)
                assert [key for key, _ in left.first_items()] == keys[:limit]
            assert dict(left._pending_items(left.ids())).keys() == set(keys)


def test_the_longest_item_is_found_and_calls_that_do_not_fit_are_told(store: Store) -> None:
    left = pending_judgments(store)
    assert [name for name, _ in left.longest_item()] == ["d-0004"] and not str(left.long_calls())
    at = config(store).endpoint.model_copy(update={"room": 6000})
    message = str(pending_judgments(store, endpoint=at).long_calls())
    assert "d-0004" in message and message.count("d-0") == 1
    source = scripted_source(lambda task: GOOD[0])
    runs.wait(store, runs.start(store, "lea", config(store), source=source))
    assert not str(pending_judgments(store, endpoint=at).long_calls()), "what is judged is not asked again"
