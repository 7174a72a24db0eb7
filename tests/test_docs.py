"""The documents stay true: what there is is named, and every link, path and function that they name is there."""

from __future__ import annotations

import ast
import builtins
import re
from functools import cache
from pathlib import Path

import pytest

from data.exporting.exporting import export_kinds
from data.importing.formats import titles
from judges.cards import cards
from tests.server import ROOT
from tests.test_house import SHIPPED, Source, as_text, product

pytestmark = pytest.mark.together("texts")  # the tree is read and parsed once

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
_CODE = re.compile(r"^( {4}.*|```[\s\S]*?```)$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]*)\)")
_NAMES_OF_MODULE = re.compile(r"`((?:pages|data|judges|tools|tests)/[\w/]+\.(?:py|js))`\s\(((?:`[\w.]+`(?:,\s)?)+)\)")
_WORD = re.compile(r"`([\w.]+)`")
_DOTTED = re.compile(r"(?<![\w./-])((?:pages|data|judges|tools|tests)(?:\.[a-z_]\w*)+)")
_FILE = re.compile(r"(?<![\w./-])((?:pages|data|judges|tools|tests|docs)/[\w/.-]*\.(?:py|md|js|json|css|sql))")


@cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def headings(path: Path) -> frozenset[str]:
    """The addresses of a document's headings, as they are made of them on the web."""
    lines = re.findall(r"^#+ (.+)$", _CODE.sub("", text(path)), re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in lines)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    wrong = []
    for link in _LINK.findall(text(path)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, heading = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (heading and heading not in headings(target)):
            wrong.append(link)
    assert not wrong, f"{path.name} points to what is not there: {wrong}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_path_and_function_that_a_document_names_is_there(path: Path) -> None:
    if path.name == "CHANGELOG.md":
        return  # it says what was
    named = re.findall(r"`((?:pages|data|judges|tools|tests|docs)/[\w/.-]*)`", text(path))
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing, f"{path.name} names paths that are not there: {missing}"
    pairs = [(module, name) for module, names in _NAMES_OF_MODULE.findall(text(path)) for name in _WORD.findall(names)]
    unknown = [pair for pair in pairs if not defines(*pair)]
    assert not unknown, f"{path.name} names what these modules do not have: {unknown}"


def test_every_name_in_a_docstring_is_there() -> None:
    """A name in `quotes`, and every error after "Raises", is one of the code, of its scripts or of its SQL."""
    sources = product()
    known = {"with", *dir(builtins), *(part for name in sources for part in name.split("."))}
    for kind in ("js", "sql"):
        known |= {word for path in ROOT.glob(f"[dp]*/**/*.{kind}") for word in re.findall(r"\w+", text(path))}
    naming = {"name", "id", "attr", "arg", "asname"}
    fields = {sort: naming.intersection(sort._fields) for sort in vars(ast).values() if hasattr(sort, "_fields")}
    for source in sources.values():
        for node in source.nodes:
            for field in fields[type(node)]:
                known.add(str(getattr(node, field)))
    stale = []
    for source in sources.values():
        for node in source.nodes:
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            docstring = ast.get_docstring(node, clean=False) or ""
            raised = " ".join(re.findall(r"\b[Rr]aises? ((?:[A-Z]\w+(?:, | or |, or )?)+)", docstring))
            names = [*re.findall(r"`([A-Za-z_][\w.]*)`", docstring), *re.findall(r"[A-Z]\w+", raised)]
            rest = source.code.replace(docstring, "") if names else ""
            stale += [
                f"{source.path}: {name}"
                for name in names
                if not known.issuperset(name.split(".")) and not re.search(rf"(?<!`)\b{re.escape(name)}\b(?!`)", rest)
            ]
    assert not stale, f"these docstrings name what is not there: {stale}"


def defines(path: str, name: str) -> bool:
    """Whether a module has a function, class or constant of that name (with a dot: of a class)."""
    if not (ROOT / path).exists():
        return False
    code, short = text(ROOT / path), re.escape(name.rpartition(".")[2])
    return bool(re.search(rf"^\s*(?:async def|def|class|function|const) {short}\b|^{short}\b.*=", code, re.MULTILINE))


def explanations(source: Source) -> str:
    """The docstrings and comments of a module."""
    docstrings = [as_text(node.value) for node in source.nodes if isinstance(node, ast.Expr)]
    return "\n".join([*docstrings, *re.findall(r"(?:^|\s)# (.*)$", source.code, re.MULTILINE)])


def is_there(name: str) -> bool:
    """Whether a dotted name is a module or a room that is there, or something that one defines, or a class of one."""
    parts = name.split(".")
    for many in range(len(parts), 1, -1):
        place = ROOT.joinpath(*parts[:many])
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        if file.exists():
            return all(defines(file.relative_to(ROOT).as_posix(), part) for part in parts[many:])
    return False


def test_every_path_that_a_docstring_or_comment_names_is_there() -> None:
    wrong = []
    for source in product().values():
        prose = explanations(source)
        missing = [name for name in _FILE.findall(prose) if not (ROOT / name).exists()]
        missing += [name for name in _DOTTED.findall(prose) if not is_there(name)]
        wrong += [(source.path, name) for name in missing]
    assert not wrong, f"named, and not there: {wrong}"


def test_every_page_is_named() -> None:
    """By its title, as it stands in the menu, and by its folder."""
    main = text(ROOT / "pages/main.py").partition("ROUTES: ")[2].partition(" = [")[2].partition("\n]")[0]
    routes = re.findall(r', "([^"]+)", "([\w-]+)", ":material/', main)
    assert len(routes) > 15
    page = text(ROOT / "docs/architecture.md")
    pages = page.partition("## pages")[2].partition("\n## ")[0]
    missing = [title for title, _ in routes if title not in pages]
    folders = [path.parent.name for path in (ROOT / "pages").glob("*/page.py")]
    missing += [folder for folder in folders if not re.search(rf"\b{folder}\b", pages)]
    assert not missing, f"docs/architecture.md does not name these pages: {missing}"


def test_every_card_export_and_tool_is_named() -> None:
    shipped = [name for name in cards() if name.startswith(SHIPPED)]
    unknown = {
        "docs/cards.md": [name for name in shipped if f"`{name}`" not in text(ROOT / "docs/cards.md")],
        "docs/commands.md": [name for name in export_kinds() if f"`{name}`" not in text(ROOT / "docs/commands.md")],
        "docs/formats.md": [title for title in titles() if title.split()[0] not in text(ROOT / "docs/formats.md")],
    }
    for path, names in unknown.items():
        assert not names, f"{path} does not name these; say there what each is: {names}"


def test_every_room_is_on_the_map() -> None:
    """docs/architecture.md has a row for each folder of judges and data."""
    page = text(ROOT / "docs/architecture.md")
    rooms = [path.parent for floor in ("judges", "data") for path in (ROOT / floor).glob("*/__init__.py")]
    missing = [room.name for room in rooms if f"`{room.parent.name}/{room.name}/`" not in page]
    assert not missing, f"docs/architecture.md has no row for these rooms: {missing}"


def test_a_list_of_modules_at_the_front_of_a_folder_names_all_of_them() -> None:
    """Where the docstring of an `__init__.py` lists modules, as in `judges/stats/__init__.py`, none is left out."""
    missing = []
    for source in (source for source in product().values() if source.path.endswith("/__init__.py")):
        front = ast.get_docstring(source.tree) or ""
        modules = {file.stem for file in (ROOT / source.path).parent.glob("*.py")} - {"__init__"}
        if re.search(r"(?m)^- `\w+`", front):
            missing += [f"{source.path}: {name}" for name in sorted(modules - set(re.findall(r"`(\w+)`", front)))]
    assert not missing, f"these lists do not name these modules; say there what each has: {missing}"


def test_every_key_of_the_desk_is_documented() -> None:
    """What keys.js answers to stands on the desk's page, and on the key card that the desk shows."""
    acts = text(ROOT / "pages/ui/sheet/keys.js").partition("const ACTS = {")[2].partition("\n};")[0]
    keys = {key.strip('"') for key in re.findall(r'(?m)(?:^ {2}|, )("?[\w?\[\]]+"?):', acts)}
    keys |= set(re.findall(r'"(.)":', acts))
    arrows = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Escape": "Esc"}
    page = text(ROOT / "docs/desk.md")
    assert len(keys) > 20
    missing = [key for key in keys if f"`{arrows.get(key, key)}`" not in page]
    assert not missing, f"docs/desk.md does not say what these keys of ACTS do: {missing}"
    card = text(ROOT / "pages/ui/sheet/panels.js").partition("const CARD = [")[2].partition("\n];")[0]
    card_keys = {word for line in re.findall(r'\["([^"]+)", "', card) for word in line.split()}
    missing = [key for key in keys if (arrows | {"Enter": "⏎"}).get(key, key) not in card_keys]
    assert not missing, f"CARD in pages/ui/sheet/panels.js, which the desk shows, lacks these keys of ACTS: {missing}"


def test_every_word_of_the_glossary_is_explained_once() -> None:
    words = re.findall(r"^\| ([^|]+) \|", text(ROOT / "docs/glossary.md"), re.MULTILINE)
    assert len(words) > 40
    twice = sorted({word for word in words if words.count(word) > 1})
    assert not twice, f"docs/glossary.md explains these more than once: {twice}"
