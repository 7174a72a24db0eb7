"""What can be taken away from a page: files that are made when they are asked for, and the form that plots have."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.ui import session, text


@dataclass(frozen=True)
class Download:
    """A file to take away: what it is in words, its name, its sort, and what makes it once somebody asks for it."""

    label: str
    name: str
    sort: str
    make: Callable[[], bytes]
    told: str


def file_name(*parts: str) -> str:
    """A name for a file from names of things: whatever a file's name cannot have becomes a dash."""
    joined = "-".join(part for part in parts if part)
    return re.sub(r"[^\w.-]+", "-", joined).strip("-.")[:120] or "assay"


def popover(files: list[Download], key: str) -> None:
    """A button that opens the list of files, and the choice between PNG and SVG for the plots of the page."""
    with st.popover("Download", icon=":material/download:"), st.container(width=360):
        for number, file in enumerate(files):
            with st.container(gap="xsmall"):
                st.download_button(
                    text.plain(file.label), file.make, file_name=file.name, mime=file.sort,
                    key=f"{key}:{number:d}", on_click="ignore", icon=":material/download:", width="stretch",
                )  # fmt: skip
                text.quiet("{told}", told=file.told)
        choose_plot_format()


def choose_plot_format() -> None:
    """The form in which the camera of every plot saves it, for this tab."""
    kept = session.scratch("pictures")
    chosen = st.segmented_control(
        "Plots are saved as", ["PNG", "SVG"], default=kept.get("form", "PNG"), key="picture form", required=True,
        help="Point at a plot: the camera at its upper right saves it, with colours that also print well.",
    )  # fmt: skip
    kept["form"] = chosen or "PNG"
