"""What an identifier tells: when it was made, and of what."""

import time
import uuid

import pytest

from data.store.ids import content_id, new_id


@pytest.mark.parametrize("milliseconds", [1_800_000_000_000, 1_800_000_000_001, 2**48 - 1])
def test_an_id_tells_its_millisecond_and_what_sort_of_id_it_is(
    monkeypatch: pytest.MonkeyPatch, milliseconds: int
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: milliseconds * 1_000_000 + 999_999)
    uuids = [uuid.UUID(new_id()) for _ in range(200)]
    assert {value.int >> 80 for value in uuids} == {milliseconds}
    assert {(value.version, value.variant) for value in uuids} == {(7, uuid.RFC_4122)} and len(set(uuids)) == 200
    fixed = [bit for bit in range(80) if len({value.int >> bit & 1 for value in uuids}) == 1]
    assert fixed == list(range(62, 80))


def test_ids_sort_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = []
    for milliseconds in range(1_800_000_000_000, 1_800_000_000_020):
        monkeypatch.setattr(time, "time_ns", lambda at=milliseconds: at * 1_000_000)
        ids.append(new_id())
    assert ids == sorted(ids)
    monkeypatch.undo()
    ids = [new_id() for _ in range(1_000)]
    assert ids == sorted(ids), "those that are made within one millisecond, too"


def test_the_same_content_has_the_same_id_and_other_content_another() -> None:
    same = content_id("a", {"b": 1, "c": [1.0]})
    assert same == content_id("a", {"c": [1.0], "b": 1}) and len(same) == 20 and int(same, 16) >= 0
    assert len({same, content_id("a", {"b": 2, "c": [1.0]}), content_id("b", {}), content_id("a"), content_id()}) == 5
