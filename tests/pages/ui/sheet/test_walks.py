"""People, browsers and servers that do anything at all: what the desk draws, keeps and sends is what it was before.

A walk (`walk.js`) is of a seed, and each step of it is a line of its archive: what was done, the item on screen, a mark
of all that is drawn, a mark of all that the browser keeps, and what was sent. Where something is otherwise, the failure
names a file with all that is drawn and kept at the first such step; what that was before, the same step says without
the change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from tests.archives import compare_archive
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bed import ORIGIN
from tests.pages.ui.sheet.bench import Json, add_desk, blind_response, no_uncaught_errors, response

FOLDER = Path(__file__).parent
SEEDS, STEPS = range(20), 180
SHEETS: list[Json] = [
    fakes.dialogue(), response("r-1"), fakes.thinking_dialogue(), blind_response("h-1"), fakes.numbers(),
    fakes.pair(size=200, long_input=900), fakes.japanese(), fakes.tools(), fakes.bench(), fakes.cards(), fakes.blind(),
    fakes.formatted_dialogue(),
]  # fmt: skip
BED = """<!doctype html><meta charset="utf-8"><body>
<input id="elsewhere"><div id="over" role="dialog" hidden>over</div><div id="page"></div><script type="module">
let loaded = 0;
window.load = async () => (await import(`/desk.js?${++loaded}`)).default;
window.mount = () => {
  const frame = document.createElement("div"), host = document.createElement("div");
  frame.style.overflowY = "auto";
  frame.append(host);
  document.querySelector("#page").replaceChildren(frame);
  const shadow = host.attachShadow({mode: "open"}), root = document.createElement("div");
  Object.assign(root, {className: "sheet", tabIndex: -1});
  shadow.append(Object.assign(document.createElement("style"), {textContent: STYLES}), root);
  root.focus();
  return shadow;
};
</script>"""
WALK = """async ([sheets, seed, count]) =>
  (await walk(sheets, seed, count)).map((one) => ({...one, drawn: mark(one.drawn), kept: mark(one.kept)}))"""


@pytest.fixture(scope="module")
def page(chromium: Any) -> Iterator[Any]:
    """A tab for walks. An uncaught error in it fails the test."""
    with chromium.new_context(locale="en-US", timezone_id="UTC") as context:
        tab = context.new_page()
        tab.add_init_script(path=FOLDER / "walk.js")
        add_desk(tab, BED)
        yield tab


def walk(page: Any, seed: int, script: str = WALK, count: int = STEPS) -> list[Json]:
    """The steps of a walk, whose items come in an order of its own."""
    first = seed % len(SHEETS)
    with no_uncaught_errors(page):
        page.goto(f"{ORIGIN}/")
        return list(page.evaluate(script, [[*SHEETS[first:], *SHEETS[:first]], seed, count]))


def describe(number: int, step: Json) -> str:
    sent = "".join(f"\n  {json.dumps(message, ensure_ascii=False)}" for message in step["sent"])
    return f"{number} {step['did']} · {step['item']} {step['drawn']} {step['kept']}{sent}\n"


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.slow) if seed >= 2 else seed for seed in SEEDS]
)
def test_a_walk_draws_keeps_and_sends_what_it_did(page: Any, tmp_path: Path, seed: int) -> None:
    steps = walk(page, seed)
    assert not [(number, fault) for number, step in enumerate(steps) for fault in step["faults"]]
    text, archive = (
        "".join(describe(number, step) for number, step in enumerate(steps)),
        FOLDER / "walks" / f"{seed}.txt",
    )
    pairs = zip_longest(text.splitlines(), archive.read_text(encoding="utf-8").splitlines())
    if differs := next((now or was for now, was in pairs if now != was), ""):
        number = next((n for n in range(STEPS) if differs in describe(n, steps[n])), STEPS - 1)
        step = walk(page, seed, "([sheets, seed, count]) => walk(sheets, seed, count)", number + 1)[number]
        whole = tmp_path / f"step{number}.txt"
        whole.write_text("\n".join([*step["drawn"], *step["kept"]]), encoding="utf-8")
        print(f"All that is drawn and kept at step {number}: {whole}")
    compare_archive(text, archive, tmp_path)
