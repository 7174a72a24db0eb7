"""Where an import comes from: only what was named is read, under names that can be told apart."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from data.importing.files import source
from data.importing.files.source import from_bytes, from_path, from_paths, from_uploads
from data.store.errors import BadInput, NotFound


def write_files(folder: Path, *names: str) -> Path:
    """The folder with files whose content is their name."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    return folder


def refusal(action: Any) -> str:
    with pytest.raises((BadInput, NotFound)) as refused:
        action()
    return str(refused.value)


def test_what_is_no_path_of_a_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    write_files(tmp_path, "empty/.keep")
    (tmp_path / "full").mkdir()
    long = "x" * 5_000
    for path, says in (
        ("https://example.org/a.jsonl", "https://example.org/a.jsonl is an address. Download the file first and give "
         "its path."),
        (tmp_path / "empty", f"{tmp_path}/empty holds no data file (.jsonl, .ndjson, .json, .csv, .tsv, .parquet)."),
        ("/dev/null", "/dev/null is neither a plain file nor a folder."),
        ("*.nothing", "*.nothing is a pattern that matches no file. Give files, or a folder."),
        ("none?", "none? is a pattern that matches no file. Give files, or a folder."),
        ("[ab]", "[ab] is a pattern that matches no file. Give files, or a folder."),
        ("none.csv", "There is no file none.csv. Check the path; it is relative to the folder you are in."),
        (long, f"{'x' * 200!r} is no path: [Errno 36] File name too long: '{long}'."),
    ):  # fmt: skip
        assert refusal(lambda path=path: from_path(path)) == says
    assert refusal(lambda: from_bytes([])) == "No file was given. Choose one or more files."
    assert refusal(lambda: from_uploads([])) == "No file was given. Choose one or more files."


def test_a_folder_gives_its_data_files_in_order_and_says_what_it_leaves_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("b.jsonl", "a.CSV", "sub/c.parquet", "sub/deep/d.tsv", "e.ndjson", "f.json")
    write_files(tmp_path, *names, "notes.txt", ".hidden.csv", "sub/g.md")
    (tmp_path / "link.csv").symlink_to(tmp_path / "b.jsonl")
    (tmp_path / "links").symlink_to(tmp_path / "sub")
    folder = from_path(tmp_path)
    assert (folder.name, folder.isolated) == (tmp_path.name, False)
    assert [file.name for file in folder.files] == ["a.CSV", "b.jsonl", "e.ndjson", "f.json", "sub/c.parquet",
                                                    "sub/deep/d.tsv"]  # fmt: skip
    assert folder.left_aside == [".hidden.csv", "link.csv", "links", "notes.txt", "sub/g.md"]
    assert folder.size == sum(map(len, names)) and (folder.at, folder.open) == (0, "")
    monkeypatch.setattr(source, "_MOST_FILES", 11)
    assert len(from_path(tmp_path).files) == 6
    monkeypatch.setattr(source, "_MOST_FILES", 10)
    assert refusal(lambda: from_path(tmp_path)) == (
        f"{tmp_path} holds more than 10 files. Give the folder of one import."
    )


def test_it_is_known_how_far_files_are_read(tmp_path: Path) -> None:
    write_files(tmp_path, "a.csv", "bb.csv")
    folder = from_path(tmp_path)
    first, second = folder.files
    assert (first.head(), first.head(2), first.at, first.reading) == (b"a.csv", b"a.", 0, False)
    with first.open() as stream:
        assert stream.read(3) == b"a.c" and (folder.at, folder.open, first.reading) == (3, "a.csv", True)
        with second.open() as other:
            assert other.read(1) == b"b" and (folder.at, folder.open) == (4, "bb.csv")
    assert (folder.at, folder.open, first.reading) == (11, "", False), "what was closed counts whole"
    with first.open_uncounted() as stream:
        assert stream.read() == b"a.csv" and not first.reading
    first_path = tmp_path / "a.csv"
    first_path.unlink()
    assert refusal(first.open) == (
        "a.csv cannot be read: No such file or directory. It was moved or deleted: give it again."
    )


def test_uploads_and_files_at_hand_have_names_that_differ(tmp_path: Path) -> None:
    write_files(tmp_path, "0", "1")
    contents = [("C:\\data\\a.csv", b"1"), ("b/a.csv", b"22"), ("a.csv", b""), ("", b""), ("x/", b""), ("y" * 300, b"")]
    uploads = from_bytes(contents)
    assert [file.name for file in uploads.files] == [
        "a.csv", "a.csv (2)", "a.csv (3)", "upload", "upload (5)", "y" * 200,
    ]  # fmt: skip
    assert (uploads.name, uploads.size, uploads.isolated) == ("a.csv and 5 more", 3, False)
    assert [file.path for file in uploads.files] == [None] * 6
    assert from_bytes(contents[:1]).name == "a.csv"
    file_uploads = from_uploads([("a.csv", tmp_path / "0"), ("../a.csv", tmp_path / "1")])
    assert [file.name for file in file_uploads.files] == ["a.csv", "a.csv (2)"] and file_uploads.isolated
    assert [file.path for file in file_uploads.files] == [tmp_path / "0", tmp_path / "1"]


def test_several_paths_are_read_in_their_order_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, "one/a.csv", "one/b.csv", "two/a.csv", "two/note.txt", "three/one/a.csv", "top.csv")
    monkeypatch.chdir(tmp_path)
    combined = from_paths(["two", "one/b.csv", "one", "two/a.csv", "three/one/a.csv", "top.csv"])
    assert [file.name for file in combined.files] == [
        "two/a.csv", "one/b.csv", "one/a.csv", "three/one/a.csv", "top.csv",
    ]  # fmt: skip
    assert (combined.name, combined.left_aside) == ("two/a.csv and 4 more", ["note.txt"])
    assert [file.name for file in from_paths(["one", "three/one"]).files] == ["one/a.csv", "one/b.csv",
                                             "three/one/a.csv"]
    assert [file.name for file in from_paths(["one"]).files] == ["a.csv", "b.csv"], "of one folder as in it"
    assert from_paths(["one/a.csv"]).name == "a.csv"


def write_export(folder: Path, **changes: Any) -> None:
    """Two files with the list of an export of them, in which `changes` are made of the second."""
    write_files(folder, "a.parquet", "b.parquet")
    entries = [
        {"name": name, "bytes": len(name), "sha256": hashlib.sha256(name.encode()).hexdigest()}
        for name in ("b.parquet", "a.parquet")
    ]
    entries[1] = {k: v for k, v in {**entries[1], **changes}.items() if v is not None}
    (folder / "_manifest.json").write_text(json.dumps({"files": entries}), encoding="utf-8")


def test_a_folder_with_a_list_is_held_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_export(tmp_path)
    write_files(tmp_path, "other.parquet", "zz.txt")
    folder = from_path(tmp_path)
    assert (folder.name, [file.name for file in folder.files]) == (tmp_path.name, ["b.parquet", "a.parquet"])
    assert folder.left_aside == ["other.parquet", "zz.txt"]
    manifest = tmp_path / "_manifest.json"
    other = f"{tmp_path}/a.parquet differs from what _manifest.json says. Copy or export the folder again."
    for changes, says in (
        ({"bytes": 8}, other), ({"sha256": "0"}, other),
        ({"name": "none"}, f"{tmp_path}/none is missing, but _manifest.json lists it. Copy the whole folder, or export "
         "it again."),
        ({"name": None}, f"{manifest} cannot be read (KeyError). Export the folder again."),
        ({"bytes": "x"}, f"{manifest} cannot be read (ValueError). Export the folder again."),
        ({"bytes": [1]}, f"{manifest} cannot be read (TypeError). Export the folder again."),
    ):  # fmt: skip
        write_export(tmp_path, **changes)
        assert refusal(lambda: from_path(tmp_path)) == says
    write_export(tmp_path, name="../a.parquet")
    assert [file.path for file in from_path(tmp_path).files] == [tmp_path / "b.parquet", tmp_path / "a.parquet"], (
        "a list names nothing outside its folder"
    )
    for text, why in (("{", "BadJson"), ("[]", "TypeError"), ("\0", "BadJson")):
        manifest.write_text(text, encoding="utf-8")
        assert refusal(lambda: from_path(tmp_path)) == f"{manifest} cannot be read ({why}). Export the folder again."
    write_export(tmp_path)
    (tmp_path / "a.parquet").unlink()
    os.symlink(tmp_path / "b.parquet", tmp_path / "a.parquet")
    assert re.search(r"a\.parquet is missing, but _manifest\.json lists it", refusal(lambda: from_path(tmp_path)))
    write_export(tmp_path)
    for most, says in ((2, ""), (1, f"{tmp_path} holds more than 1 files. Export it with more rows a file.")):
        monkeypatch.setattr(source, "_MOST_FILES", most)
        (tmp_path / "a.parquet").unlink()
        write_files(tmp_path, "a.parquet")
        if says:
            assert refusal(lambda: from_path(tmp_path)) == says
        else:
            assert len(from_path(tmp_path).files) == 2


def test_a_number_behind_a_name_is_one_that_no_other_name_has() -> None:
    names = [file.name for file in from_bytes([(name, b"x") for name in ("a", "a (3)", "b/a", "a", "a")]).files]
    assert names == ["a", "a (3)", "a (4)", "a (5)", "a (6)"]
