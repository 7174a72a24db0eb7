"""A button that saves an SVG plot (data/report/svg.py) as a PNG file: the browser paints it, twice as large, light."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent

_component = st.components.v2.component(
    "assay_picture",
    html='<button type="button" class="save"></button><span class="said" role="status"></span>',
    css=(HERE / "picture.css").read_text(encoding="utf-8"),
    js=(HERE / "picture.js").read_text(encoding="utf-8"),
    isolate_styles=True,
)


def button(svg: str, name: str, key: str, label: str = "Save as PNG") -> None:
    """A button that saves the plot as <name>.png; its colours are the light ones, which also print well."""
    _component(key=key, data={"svg": svg, "name": name, "label": label})
