"""docs/operation.md has every setting and every event of the log."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.server import ROOT

TEXT = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
SETTING = r"""(?:environ(?:\.get\(|\[)|(?:_setting|is_switched_on)\()["'](\w+)["']"""
SOURCES = [ROOT / "app.py", *(p for floor in ("pages", "data", "judges") for p in sorted((ROOT / floor).rglob("*.py")))]


def calls(path: Path) -> list[ast.Call]:
    return [call for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(call, ast.Call)]


def test_every_setting_is_documented() -> None:
    read = {
        name
        for path in [*SOURCES, *sorted((ROOT / "tests").rglob("*.py")), ROOT / "Makefile"]
        for name in re.findall(SETTING, path.read_text("utf-8"))
    } - {"PATH"}
    assert {"ASSAY_STORE", "ASSAY_LOG_LEVEL", "ASSAY_PORT", "OPENAI_BASE_URL"} <= read
    own = {name for name in read if name.startswith(("ASSAY_", "OPENAI_", "STREAMLIT_", "ITEMS", "NEW_CASES"))}
    assert not [name for name in sorted(own) if f"`{name}`" not in TEXT]
    named = set(re.findall(r"`((?:ASSAY|OPENAI)_\w+)`", TEXT)) - {"OPENAI_LOG", "OPENAI_API_KEY"}
    of_tests = TEXT.partition("Tests and measurements read a few more")[2].partition("\n\n")[0]
    named |= set(re.findall(r"`([A-Z_]+)`", of_tests))
    assert named <= read, f"Nothing reads {sorted(named - read)}."


def test_every_event_is_documented_and_named_alike() -> None:
    """An event is something, and what became of it."""
    logged = {
        str(call.args[0].value)
        for path in SOURCES
        for call in calls(path)
        if re.fullmatch(r"((log|events)\.)?(debug|info|warning|error)", ast.unparse(call.func))
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }
    assert len(logged) > 20
    assert not [name for name in sorted(logged) if f"`{name}`" not in TEXT]
    assert not [name for name in logged if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name)]
    events = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", TEXT.partition("| event |")[2].partition("`GET /health`")[0]))
    composed = {"store_made", "store_opened", "page_failed", *(f"run_{state}" for state in RUNS)}
    assert events <= logged | composed, f"Nothing logs {sorted(events - logged - composed)}."


RUNS = ("started", "resumed", "stopped", "finished", "failed", "waits")
