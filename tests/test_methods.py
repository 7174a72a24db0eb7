"""docs/methods.md stays true to the code: the headings that docstrings name, the modules and audits that it names."""

import re
from pathlib import Path

from judges.audits import all_audits

ROOT = Path(__file__).resolve().parent.parent
METHODS = (ROOT / "docs/methods.md").read_text(encoding="utf-8")
_HEADING = re.compile(r"docs/methods\.md, ([^()]+)\)")
_MODULE = re.compile(r"`((?:judges|data|pages|tests)/[\w/]+(?:\.py)?)`")
_LINK = re.compile(r"\]\(#([\w-]+)\)")


def headings() -> list[str]:
    """The headings of the page without their numbers."""
    return [re.sub(r"^\d+\. ", "", line) for line in re.findall(r"^#+ (.+)$", METHODS, re.MULTILINE)]


def test_every_heading_that_a_docstring_names_is_there() -> None:
    named = {
        (path.relative_to(ROOT).as_posix(), " ".join(heading.split()))
        for floor in ("judges", "data", "pages")
        for path in (ROOT / floor).rglob("*.py")
        for heading in _HEADING.findall(path.read_text(encoding="utf-8"))
    }
    assert named
    known = headings()
    unknown = [pair for pair in sorted(named) if pair[1] not in known]
    assert not unknown, f"these modules name a heading that docs/methods.md does not have: {unknown}"


def test_every_module_that_the_page_names_is_there() -> None:
    named = _MODULE.findall(METHODS)
    assert named
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing, f"docs/methods.md names modules that are not there: {missing}"


def test_every_statistic_is_on_the_page() -> None:
    without_figures = {"__init__", "check_states", "ratings"}
    paths = [path for path in (ROOT / "judges/stats").rglob("*.py") if path.stem not in without_figures]
    missing = sorted({path.relative_to(ROOT).as_posix() for path in paths} - set(_MODULE.findall(METHODS)))
    assert not missing, f"docs/methods.md has no section that ends with `Module:` and one of these: {missing}"


def test_every_audit_is_on_the_page_with_its_limit() -> None:
    rows = {name: line for line in METHODS.splitlines() for name in re.findall(r"^\| `(\w+)` \|", line)}
    missing = sorted(all_audits().keys() - rows.keys())
    assert not missing, f"the table of section Audits in docs/methods.md has no row for these: {missing}"
    for name, audit in all_audits().items():
        if audit.threshold:
            limit = f"{audit.threshold:g}".lstrip("0")
            assert re.search(rf"(?<!\d){re.escape(limit)}(?!\d)", rows[name]), f"{name}: the limit is {limit}"


def test_every_link_within_the_page_leads_to_a_heading() -> None:
    anchors = {
        re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-")
        for line in re.findall(r"^#+ (.+)$", METHODS, re.MULTILINE)
    }
    wrong = [link for link in _LINK.findall(METHODS) if link not in anchors]
    assert not wrong, f"docs/methods.md links to headings that it does not have: {wrong}"
