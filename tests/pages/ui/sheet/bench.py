"""The desk on an empty page: what a test does there, what it sees, and items for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pages.ui.sheet import COMPONENT_FOLDER, SCRIPTS, STYLES, bundle_scripts, join_files
from tests.pages.ui.sheet import fakes
from tests.pages.ui.sheet.bed import ORIGIN, answer_all

Json = dict[str, Any]
BEGIN = 1_800_000_000
SIZE = {"width": 1440, "height": 900}
INNER = "uuid afterPaint slid offRange numberOf within inOrder keptActs actKey".split()
BED = """<!doctype html><meta charset="utf-8"><body style="margin: 0"><script type="module">
import desk, * as inner from "/desk.js";
Object.assign(window, {inner, messages: []});
window.mount = data => {
  window.off?.(); document.body.replaceChildren(); window.messages.length = 0;
  const frame = document.body.appendChild(document.createElement("div")), style = document.createElement("style");
  frame.style.cssText = data.frame ?? "";
  const host = frame.appendChild(document.createElement("div"));
  window.shadow = host.attachShadow({mode: "open"});
  style.textContent = STYLES;
  const root = Object.assign(document.createElement("div"), {className: "sheet", tabIndex: -1});
  shadow.append(style, root);
  const setStateValue = (name, value) => messages.push({...structuredClone(value), clock: performance.now()});
  window.tell = more => { window.off = desk({data: {...data, ...more}, parentElement: shadow, setStateValue}) };
  tell({});
  root.focus();
};
window.ready = true;
</script>"""


PRESSED = """([count, key, ctrlKey]) => { while (count--) shadow.querySelector(".sheet").dispatchEvent(
    new KeyboardEvent("keydown", {key, ctrlKey, bubbles: true, composed: true})) }"""


OVER = """() => { const over = document.body.appendChild(document.createElement("div"));
    over.innerHTML = '<div role="dialog" tabindex="-1">Connection error</div>'; over.firstChild.focus();
    window.close = () => over.remove() }"""
"""A message over the page, until `close()`."""


class Bench:
    """The desk of one person on an empty page, and the messages it sends."""

    def __init__(self, page: Any, person: str) -> None:
        self.page, self.person = page, person

    def open(self, query: str = "") -> None:
        """Load the page, as when a tab is opened or reloaded: only what the browser has stored is left."""
        self.page.goto(f"{ORIGIN}/{query}")
        self.page.wait_for_function("window.ready")

    def sit(self, *sheets: Json, place: str = "demo/review", person: str = "", **data: Any) -> None:
        """Mount the component with these items ahead; what was mounted goes, as when another page was looked at.

        `frame`: the style of what it stands in, as of a page that scrolls in a part of the window.
        """
        nothing = {"acked": [], "refused": [], "progress": None, "empty": None, "notice": None, "guide": None}
        payload = {"person": person or self.person, "place": place, "sheets": sheets, **nothing, **data}
        self.page.evaluate("data => mount(data)", payload)
        self.wait_for_paint()
        self.tell()  # the answer to the first message, which asks for more items

    def tell(self, **data: Any) -> None:
        """Data from the server."""
        self.page.evaluate("more => tell(more)", data)

    def wait_for_paint(self) -> None:
        """Let what was done be painted, and what follows a paint be done."""
        self.wait(0.05)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def press_at_once(self, count: int, key: str, ctrl: bool = False) -> None:
        """Press a key so often within one moment."""
        self.page.evaluate(PRESSED, [count, key, ctrl])

    def go(self) -> None:
        self.press("Control+Enter")

    def wait(self, seconds: float) -> None:
        """Turn the clock on, which stands still otherwise; every timer that is due on the way runs."""
        self.page.clock.run_for(round(seconds * 1000))

    def now(self) -> float:
        """The clock, in milliseconds since the page was opened."""
        return float(self.page.evaluate("performance.now()"))

    def messages(self) -> list[Json]:
        """What the component has sent since it was mounted."""
        self.wait_for_paint()
        return list(self.page.evaluate("messages"))

    def sent_items(self) -> list[list[str]]:
        """The items of each message that holds answers."""
        return [[a["item"] for a in m["answers"]] for m in self.messages() if m["answers"]]

    def waiting(self) -> list[Json]:
        """The answers of the newest message."""
        return list(self.messages()[-1]["answers"])

    def ack(self, **data: Any) -> None:
        """Say that all that was sent last is saved."""
        self.tell(acked=[{"key": a["key"], "at": "14:03:11"} for a in self.waiting()], **data)

    def refuse(self, why: str = "Your claim on it has run out.", **data: Any) -> Json:
        """Refuse the first answer of the newest message; the answer."""
        answer: Json = self.waiting()[0]
        self.tell(refused=[{"key": answer["key"], "item": answer["item"], "why": why}], **data)
        return answer

    @property
    def item(self) -> str:
        return str(self.page.locator(".sheet").get_attribute("data-item"))

    @property
    def here(self) -> str:
        """The dimension of the one cell that has the focus, in the one row that has it."""
        [cell] = self.page.locator(".cell[data-here]").all()
        [_] = self.page.locator(".row.here").all()
        assert cell.locator("xpath=ancestor::section").get_attribute("class").split()[-1] == "here"
        return str(cell.get_attribute("data-dimension"))

    def cell(self, dimension: str) -> Any:
        return self.page.locator(f'.cell[data-dimension="{dimension}"]')

    def room(self) -> tuple[float, float]:
        """How many pixels the rating that has the focus lies below the top of the page, and above the footer."""
        cell, foot = (self.page.locator(css).bounding_box() for css in (".cell[data-here]", ".foot"))
        return cell["y"], foot["y"] - cell["y"] - cell["height"]

    def mine(self, dimension: str) -> list[str]:
        """What the person has set there."""
        chosen = self.cell(dimension).locator('.step[aria-checked="true"]')
        return [str(step.get_attribute("data-v")) for step in chosen.all()]

    def text(self, css: str) -> str:
        return str(self.page.locator(css).inner_text())

    def keys(self) -> str:
        """The keys that answer the focused rating, as the footer names them, without spaces."""
        return "".join(self.text(".foot .keys").split("↑")[0].split())

    def hint(self) -> str:
        return str(self.page.locator(".hint").text_content())

    def sum(self) -> str:
        return str(self.page.locator(".sum").text_content())

    def stored_keys(self, kind: str) -> list[str]:
        start = f"assay:{kind}:{self.person}:"
        keys = self.page.evaluate("start => Object.keys(localStorage).filter(k => k.startsWith(start))", start)
        return sorted(str(key) for key in keys)

    def call(self, name: str, *arguments: Any) -> Any:
        """One of the scripts' own functions."""
        return self.page.evaluate("([name, given]) => inner[name](...given)", [name, list(arguments)])


@contextmanager
def no_uncaught_errors(page: Any) -> Iterator[None]:
    """Fail where a script of the page throws what nobody catches meanwhile."""
    errors: list[str] = []

    def keep(error: Any) -> None:
        errors.append(str(error))

    page.on("pageerror", keep)
    yield
    page.remove_listener("pageerror", keep)
    assert not errors, errors


def add_desk(page: Any, bed: str, exports: str = "") -> None:
    """Answer all that a page asks for with a bed, which has the desk's styles for STYLES, and the desk's scripts."""
    styles = repr(join_files(COMPONENT_FOLDER, *STYLES))
    page.add_init_script(path=Path(__file__).parent / "drawn.js")
    scripts = bundle_scripts(*SCRIPTS) + exports
    answer_all(page, bed.replace("STYLES", styles), "/desk.js", scripts)


@contextmanager
def opened_desk(chromium: Any, **options: Any) -> Iterator[Any]:
    """A tab in which the desk's scripts run at every address, with a clock that stands still until it is turned."""
    with chromium.new_context(locale="en-US", **options) as context:
        context.set_default_timeout(10_000)
        page = context.new_page()
        add_desk(page, BED, f"\nexport {{ {', '.join(INNER)} }};")
        page.clock.install(time=BEGIN)
        page.clock.pause_at(BEGIN + 1)
        yield page


def response(name: str, **more: Any) -> Json:
    """A response with two ratings, which fits on one screen: tone (the judge says 4) and fit (2)."""
    cells = [fakes.cell("response", "tone", 4), fakes.cell("response", "fit", 2)]
    row = fakes.row("response", "response", [fakes.text("output", "As it was said.")], [("", cells)], can_better=True)
    return dict(fakes.item(name, f"Title of {name}", "response", [row], **{"why": [], **more}))


def blind_response(name: str, **more: Any) -> Json:
    """The same, blind."""
    sheet = response(name, mode="blind", stream="audit", **more)
    for cell in sheet["rows"][0]["groups"][0]["cells"]:
        cell["judge"] = None
    return sheet


def answered_sheet(sheet: Json, version: str, ratings: Json, **more: Any) -> Json:
    """A sheet as the server sends it once the person has answered it."""
    for group in sheet["rows"][0]["groups"]:
        for cell in group["cells"]:
            if cell["dimension"] in ratings:
                cell["mine"] = {"v": ratings[cell["dimension"]]}
    return {**sheet, "version": version, **more}


def values(answer: Json) -> Json:
    return {v["dimension"]: v["v"] for v in answer["values"]}
