"""The first HTML of a page, which names the scripts that the page is known to need, so that they load side by side.

Streamlit's own HTML names what its frame needs; what a page's elements need it asks for when they arrive from the
server, and what these need in turn after that.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import streamlit as st

from judges.version import VERSION
from pages.server import libraries

STATIC = Path(st.__file__).parent / "static"
SCRIPTS = STATIC / "static" / "js"
STYLE = (Path(__file__).parent / "frame.css").read_text(encoding="utf-8")
FOOT = (
    f'<style>:root {{ --version: "Assay {VERSION}" }}\n'
    f"{(Path(__file__).parent / 'foot.css').read_text(encoding='utf-8')}</style>"
)
"""The version at the foot of a page, for the pages that have room for it."""
_TABLE = ("DataFrame", "Selectbox")
NEEDED: dict[str, tuple[str, ...]] = {
    "": ("Button", "Metric", "PageLink", "ProgressBar"),
    "desk": ("BidiComponent", "ButtonGroup", "Selectbox"),
    "queue": ("Button", "ButtonGroup", *_TABLE),
    "adjudication": ("BidiComponent", "Button", "Selectbox"),
    "dashboard": ("BidiComponent", "PageLink", "Selectbox"),
    "calibration": ("BidiComponent", "ButtonGroup", "Metric", *_TABLE),
    "comparison": ("BidiComponent", "Multiselect", *_TABLE),
    "audits": ("Button", "Selectbox"),
    "annotators": ("BidiComponent", "Metric", "PlotlyChart", *_TABLE),
    "approvals": ("Button", "Checkbox", "NumberInput", "Selectbox", "TextInput"),
    "runs": ("Button", "Checkbox", "NumberInput", "Selectbox"),
    "cards": ("Button", "Multiselect", "TextArea", "TextInput", *_TABLE),
    "import": ("FileUploader",),
    "export": ("Button", "ButtonGroup", "Checkbox", "TextArea", "TextInput", *_TABLE),
    "people": ("Button", "DataFrame"),
    "trail": ("DownloadButton", "Multiselect", *_TABLE),
    "workspace": ("Button",),
}
"""Address of a page -> Streamlit's names of the elements that every view of it has."""
TEXTS = ("desk", "adjudication")
"""The pages that draw judged texts."""
_ROOT = '<script>window.__streamlit = {BACKEND_BASE_URL: new URL("./", location.href).href}</script>\n'
"""Where the server is, as seen from a page: else Streamlit tries below the page's own address first, and waits."""
_IMPORTED = re.compile(r'(?:\bfrom|\bimport)\s*"\./([\w.-]+\.js)"')


@cache
def first_html(address: str) -> bytes | None:
    """The HTML that a page begins with; None where nothing is known of the address."""
    if address not in NEEDED:
        return None
    first = (STATIC / "index.html").read_text(encoding="utf-8").replace("<title>Streamlit<", "<title>Assay<")
    links = "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">\n'
        for name in sorted(scripts(NEEDED[address]))
        if f"/{name}" not in first
    )
    if address in TEXTS:
        links += "".join(f'<link rel="preload" as="script" href=".{name}">\n' for name in libraries.first())
    return first.replace("</head>", f"{_ROOT}<style>{STYLE}</style>{links}</head>", 1).encode()


def scripts(elements: tuple[str, ...]) -> set[str]:
    """The files that elements are drawn by: their own, and all that these import before they run."""
    found: set[str] = set()
    left = [file.name for element in elements for file in SCRIPTS.glob(f"{element}.*.js")]
    while left:
        name = left.pop()
        if name not in found and (SCRIPTS / name).is_file():
            found.add(name)
            left += _IMPORTED.findall((SCRIPTS / name).read_text(encoding="utf-8"))
    return found
