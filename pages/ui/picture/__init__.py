"""SVG plots (judges/render/svg.py) on a page, and what can be taken away from it: plots and other files.

The browser paints a plot as PNG, twice as large, in light colours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui import session, text
from pages.ui.sheet import join_files

COMPONENT_FOLDER = Path(__file__).parent
WIDTHS = (600.0, 680.0, 864.0, 1280.0)
"""The widths, in pixels, at which a plot of the page's whole width is drawn; the widest that has room is shown."""
_BYTES = 200
"""Bytes of a file's name: file systems take 255 with the ending, and a Japanese letter is three."""

_button = st.components.v2.component(
    "assay_picture",
    html='<button type="button" class="save"></button><span class="said" role="status"></span>',
    css=join_files(COMPONENT_FOLDER, "button.css"),
    js=join_files(COMPONENT_FOLDER, "save.js", "button.js"),
    isolate_styles=True,
)
_plot = st.components.v2.component(
    "assay_plot",
    html='<div class="whole"><div class="here"></div><button type="button" class="camera"><svg viewBox="0 0 20 20">'
    '<path d="M2.5 6.5h3.6l1.4-2h5l1.4 2h3.6v9h-15z"/><circle cx="10" cy="10.8" r="2.9"/></svg></button>'
    '<div class="tip" hidden></div></div>',
    css=join_files(COMPONENT_FOLDER, "plot.css"),
    js=join_files(COMPONENT_FOLDER, "save.js", "plot.js"),
    isolate_styles=True,
)


def plot_format() -> str:
    """The form in which plots are saved in this tab: png, or svg once that is chosen under Download."""
    return str(session.scratch("pictures").get("form", "PNG")).lower()


def save_button(svg: str, name: str, key: str) -> None:
    """A button that saves the plot as <name>.png; its colours are the light ones, which also print well."""
    _button(key=key, data={"svg": svg, "name": name, "label": "Save as PNG"})


def draw_picture(
    draw: Callable[[float], str], key: str, name: str, label: str, widths: Sequence[float] = WIDTHS
) -> str | None:
    """A plot with tips at the pointer and a camera that saves it as <name>.png or .svg, as Download says.

    `draw` gives it at a width in pixels; `label` is what a screen reader calls it. What is numbered in it (data-at) can
    be chosen by click or by keys; the number that is chosen, or None.
    """
    plots = [draw(width) for width in widths]

    def parse_choice(chosen: Any) -> str | None:
        """Return the choice if it is one of the plot's numbers, else None."""
        number = session.as_text(chosen)
        return number if re.fullmatch(r"[0-9,]+", number) and f'data-at="{number}"' in plots[0] else None

    chosen = parse_choice(getattr(session.component_state(key), "chosen", None))
    data = {"plots": plots, "name": name, "label": label, "form": plot_format(), "chosen": chosen}
    return parse_choice(_plot(key=key, data=data, default={"chosen": None}, on_chosen_change=lambda: None).chosen)


@dataclass(frozen=True)
class Download:
    """A file to take away: what it is in words, its name, its sort, and what makes it once somebody asks for it."""

    label: str
    name: str
    sort: str
    make: Callable[[], bytes]
    description: str


def file_name(*parts: str) -> str:
    """A name for a file from names of things: whatever a file's name cannot have becomes a dash."""
    joined = "-".join(part for part in parts if part)
    name = re.sub(r"[^\w.-]+", "-", joined).strip("-.")[:120]
    return name.encode()[:_BYTES].decode(errors="ignore") or "assay"


def download_popover(files: list[Download], key: str) -> None:
    """A button that opens the list of files, and the choice between PNG and SVG for the plots of the page."""
    with st.popover("Download", icon=":material/download:"), st.container(width=360):
        for number, file in enumerate(files):
            with st.container(gap="xsmall"):
                st.download_button(
                    text.escape(file.label), file.make, file_name=file.name, mime=file.sort,
                    key=f"{key}:{number:d}", on_click="ignore", icon=":material/download:", width="stretch",
                )  # fmt: skip
                text.quiet("{told}", told=file.description)
        state = session.scratch("pictures")
        chosen = st.segmented_control(
            "Plots are saved as", ["PNG", "SVG"], default=state.get("form", "PNG"), key="picture form", required=True,
            help="Point at a plot: the camera at its upper right saves it, with colours that also print well.",
        )  # fmt: skip
        state["form"] = chosen or "PNG"
