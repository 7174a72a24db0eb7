"""The import page: what a file becomes is seen before it is written, and nothing in it acts as Markdown."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from sklearn.metrics import cohen_kappa_score
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from data.records import people
from data.store import open_store
from pages.server.uploads import Uploads
from pages.ui import session
from tests.pages.desk_driver import enter, patiently, turn_to
from tests.server import Server

CANARY = "![x](http://127.0.0.1:9/canary.png)"
GOOD = {"id": f"d {CANARY}", "kind": "dialogue", "turns": [{"turn": 1, "role": "assistant", "text": CANARY}]}


@pytest.fixture
def assay(serve: Callable[..., Server], tmp_path: Path) -> Server:
    """The app with lea, who is the lead; uploads wait in `spools`."""
    (tmp_path / "spools").mkdir()
    app = serve(start=False, env={"TMPDIR": str(tmp_path / "spools")})
    store = open_store(app.store)
    people.join_workspace(store, "lea")
    store.close()
    app.start()
    return app


def test_a_table_is_mapped_on_screen_and_two_columns_lead_to_kappa_in_three_actions(
    assay: Server, page: Any, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text("id,instruction,output\n1,Say hi,hi\n2,Say ho,ho\n")
    enter(page, assay.url, "lea", "import")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text("single responses, identified by id. Read from it: task (instruction), output").wait_for()
    page.get_by_text("Map the columns of table.csv by hand").click()
    page.get_by_text("What the first rows become").wait_for()
    page.get_by_role("button", name="Import all").click()
    # Nobody has said anything of them: the first of them waits to be answered, without a judge.
    expect(page).to_have_url(re.compile(r"/desk\?dataset=table&stream=audit"))
    expect(page.get_by_test_id("stMain")).to_contain_text("Say h")
    file = tmp_path / "my scores.csv"
    human = [n % 5 + 1 for n in range(60)]
    judge = [h if n % 3 else min(h + 1, 5) for n, h in enumerate(human)]
    rows = "".join(f"{n},{j}.0,{h}\n" for n, (j, h) in enumerate(zip(judge, human, strict=True)))
    file.write_text(f"nr,judge_score,human_score\n{rows}")
    turn_to(page, "import")
    page.locator("input[type=file]").set_input_files(file)
    # Mapped by hand it says the same at first: nothing that was found is lost on the way.
    page.get_by_role("button", name="Import all").wait_for()
    page.get_by_text("Map the columns of my scores.csv by hand").click()
    page.get_by_text("What the first rows become").wait_for()
    page.get_by_role("button", name="Import all").click()
    expect(page).to_have_url(re.compile(r"/calibration\?dataset=my.scores&judge="))
    kappa = cohen_kappa_score(human, judge, weights="quadratic")
    expect(page.get_by_test_id("stMain")).to_contain_text(f"{kappa:.3f}")


def test_the_roles_of_speakers_are_said_on_screen(assay: Server, page: Any, tmp_path: Path) -> None:
    file = tmp_path / "talks.csv"
    talk = ("mia,How are you?,,", "tom,Well.,,", "ann,And you?,,", "tom,Well too.,4,3")
    rows = "".join(f"d{n},{part}\n" for n in range(3) for part in talk)
    file.write_text(f"conversation_id,speaker,text,judge_score,human_score\n{rows}")
    enter(page, assay.url, "lea", "import")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text("which of the speakers mia, tom, ann in speaker is the assistant is not known").wait_for()
    page.get_by_text("Map the columns of talks.csv by hand").click()
    speakers = page.get_by_role("textbox", name="Speakers")
    speakers.fill("mia = user, tom = robot")
    speakers.press("Enter")
    page.get_by_text("'robot' is no role: write user, assistant, system or tool.").wait_for()
    speakers.fill("Mia = user, tom = assistant, ann = user")
    speakers.press("Enter")
    page.get_by_role("button", name="Import all").click()
    expect(page).to_have_url(re.compile(r"/calibration\?dataset=talks"))
    assay.stop()
    store = open_store(assay.store)
    (content,) = store.rows("select content from item where name = 'd0'")[0]
    store.close()
    assert [turn["role"] for turn in json.loads(content)["turns"]] == ["user", "assistant", "user", "assistant"]


def test_two_columns_that_are_given_one_question_are_two_people(assay: Server, page: Any, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    rows = "".join(f"{n},{n % 5 + 1},{n % 4 + 1},{n % 3 + 1}\n" for n in range(30))
    file.write_text(f"id,judge_score,human_anna,human_ben\n{rows}")
    enter(page, assay.url, "lea", "import")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text("Judges answer rating and people anna, ben: no question has answers of both").wait_for()
    grid = page.get_by_test_id("stDataFrame").nth(1)
    entry = page.locator("#portal textarea")
    for row in (2, 3):
        grid.dblclick(position={"x": grid.bounding_box()["width"] * 0.45, "y": 35 * row + 17})
        entry.fill("rating")
        entry.press("Enter")
        expect(page.get_by_text("no question has answers of both")).to_have_count(0)
    page.get_by_text("Taken for people of these names, as they answer one question: human_anna, human_ben.").wait_for()
    page.get_by_role("button", name="Import all").click()
    expect(page).to_have_url(re.compile(r"/calibration\?dataset=people"))
    assay.stop()
    store = open_store(assay.store)
    assert store.rows("select annotator, count(*) from label_now group by 1 order by 1") == [
        ("human_anna", 30), ("human_ben", 30)
    ]  # fmt: skip
    store.close()


@pytest.mark.slow
def test_good_rows_are_imported_the_bad_ones_are_listed_and_uploads_wait_on_the_disk_until_then(
    assay: Server, page: Any, tmp_path: Path
) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url) if "canary" in request.url else None)
    spools = tmp_path / "spools"
    enter(page, assay.url, "lea", "import")
    file = tmp_path / "rows.jsonl"
    chosen = page.locator("input[type=file]")
    file.write_text(f"nonsense {CANARY}\n")
    chosen.set_input_files(file)
    page.get_by_text("1 line cannot be imported.").wait_for()
    address = page.get_by_role("link", name="These lines as a file").evaluate("a => new URL(a.href).pathname")
    assert json.loads(assay.get(address)[2])["row"] == f"nonsense {CANARY}"
    file.write_text(json.dumps(GOOD) + f"\nnonsense {CANARY}\n" + json.dumps({**GOOD, "kind": CANARY}) + "\n")
    chosen.set_input_files(file)  # in the place of what was there
    page.get_by_role("button", name="Import 1 good row").wait_for()
    assert [path.read_text() for path in uploaded_files(spools)] == [file.read_text()]
    page.get_by_role("button", name="Remove these files").click()
    page.get_by_role("button", name="Remove these files").wait_for(state="detached")
    assert patiently(lambda: not uploaded_files(spools))
    expect(chosen).to_have_count(1)
    zipped = tmp_path / "rows.json"
    zipped.write_bytes(b"PK\x03\x04")
    chosen.set_input_files(zipped)
    page.get_by_text("rows.json is a zip archive.").wait_for()
    assert not uploaded_files(spools)
    expect(chosen).to_have_count(1)  # while the page is drawn anew there may be two
    chosen.set_input_files(file)
    page.get_by_label("Name of the dataset").fill("mine")
    page.get_by_label("Name of the dataset").press("Enter")
    page.get_by_text("2 lines cannot be imported.").wait_for()
    page.get_by_role("button", name="Import 1 good row").click()
    expect(page).to_have_url(re.compile(r"/desk\?dataset=mine&stream=audit"))
    assert patiently(lambda: not uploaded_files(spools))
    assert not fetched
    assay.stop()
    store = open_store(f"duckdb:///{assay.store_path}")
    assert store.rows("select name from item") == [(f"d {CANARY}",)]
    store.close()
    assert not list(spools.iterdir())


def test_an_upload_that_is_cut_off_in_the_middle_is_no_error_of_the_server() -> None:
    heard: list[Message] = [{"type": "http.request", "body": b"half", "more_body": True}, {"type": "http.disconnect"}]

    async def reads(scope: Scope, receive: Receive, send: Send) -> None:
        await Request(scope, receive).body()

    async def receive() -> Message:
        return heard.pop(0)

    async def send(message: Message) -> None:
        raise AssertionError(f"nobody is there to hear {message}")

    scope = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/session/file", "headers": []}
    asyncio.run(Uploads(reads, session.may_send_files)(scope, receive, send))
    assert not heard


def uploaded_files(spools: Path) -> list[Path]:
    """The uploads that lie on the disk."""
    return [path for path in spools.glob("assay-uploads-*/*") if path.name != "lock"]
