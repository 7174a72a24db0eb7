"""Numbers of things and sizes of files in words."""

from __future__ import annotations

from judges.plural import file_size


def test_the_size_of_a_file_is_in_megabytes_from_one_on_and_in_kilobytes_below() -> None:
    assert [file_size(n) for n in (0, 1536, 2**20 - 2**10, 2**20, 1500 * 2**20)] == [
        "0.1 kB", "1.5 kB", "1,023.0 kB", "1.0 MB", "1,500.0 MB",
    ]  # fmt: skip
