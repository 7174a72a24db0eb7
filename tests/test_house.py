"""The house rules, held by walking the sources: who imports whom, where each library lives, what a page may show.

A rule is a function that takes one source file and yields (line, sentence) for each thing it does not allow. It is
found by its decorator, is held against every file, and is itself tried on SNIPPETS at the end.
"""

import ast
import gc
import importlib.metadata
import inspect
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.together("texts")  # the tree is read and parsed once
Finding = tuple[int, str]

BELOW = {
    "app": {"pages", "data", "judges"},
    "pages": {"data", "judges"},
    "data": {"judges"},
    "judges": set[str](),
    "tools": {"data", "judges"},  # what makes shipped files: nothing but tests leans on it
    "tests": {"app", "pages", "data", "judges", "tools"},
}
HOMES = {  # one home for each library: what stands anywhere else goes through it
    "duckdb": r"data/store/\w+\.py",
    "psycopg": r"data/store/\w+\.py",
    "openai": r"judges/client/\w+\.py",
    "aiohttp": r"judges/practice/\w+\.py",
    "tqdm": r"judges/cli/progress_bar\.py",
    "jinja2": r"judges/render/html\.py",
    "plotly": r"pages/ui/charts\.py",
    "ray": r"data/runs/ray_cluster\.py",
    "streamlit": r"app\.py|pages/.*",
}
ASKED_FOR_WHEN_USED = {"psycopg", "ray"}  # not in requirements.txt: imported inside a function only
SLOW_IMPORTS = {"scipy"}  # takes long to import: imported inside the function that uses it
SECOND_OPINIONS = {"sklearn", "statsmodels", "krippendorff", "pingouin"}
IMPURE = {"streamlit", "duckdb", "sqlite3", "psycopg", "time", "datetime"}
SHIPPED = (
    *("long_form_pairwise", "mt_bench", "multi_turn_dialogue", "plain_pairwise", "pointwise_quality"),
    "rubric_open_ended",
)
"""The cards that Assay ships. Any other folder in judges/cards/ is a user's, and held to what docs/cards.md says."""
TOP = {
    *("app.py", "pages", "data", "judges", "tools", "tests", "docs", "README.md", "LICENSE", "Makefile"),
    *("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"),
    *("requirements.txt", "requirements-postgres.txt", "requirements-ray.txt", "requirements-dev.txt"),
    *("pyproject.toml", ".streamlit", ".ci", ".gitignore", ".dockerignore", "deploy"),
}


@dataclass(frozen=True)
class Source:
    """A Python file of the tree."""

    path: str
    code: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.code, self.path)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree in the order of ast.walk, which takes twice as long; without those of `ctx`."""
        nodes: list[ast.AST] = [self.tree]
        for node in nodes:
            for field in node._fields:
                value = getattr(node, field, None)
                if isinstance(value, list):
                    nodes += [child for child in value if isinstance(child, ast.AST)]
                elif isinstance(value, ast.AST) and field != "ctx":
                    nodes.append(value)
        return nodes

    @property
    def floor(self) -> str:
        return "app" if self.path == "app.py" else self.path.partition("/")[0]

    @property
    def is_users(self) -> bool:
        """Whether it belongs to a card that somebody who uses Assay has added."""
        folder = re.match(r"judges/cards/(\w+)/", self.path)
        return bool(folder) and folder[1] not in SHIPPED

    @property
    def is_page(self) -> bool:
        """The entry of a page: pages/<address>/page.py."""
        return bool(re.fullmatch(r"pages/\w+/page\.py", self.path))

    def imports(self) -> list[tuple[ast.stmt, str]]:
        """Every import, also inside functions: the statement and the full name of what it brings."""
        return self._imports

    @cached_property
    def _imports(self) -> list[tuple[ast.stmt, str]]:
        return list(self._found_imports())

    def _found_imports(self) -> Iterator[tuple[ast.stmt, str]]:
        package = self.path.removesuffix(".py").split("/")[:-1]
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield node, alias.name
            elif isinstance(node, ast.ImportFrom):
                above = package[: len(package) - node.level + 1] if node.level else []
                module = ".".join([*above, *([node.module] if node.module else [])])
                for alias in node.names:
                    yield node, f"{module}.{alias.name}"
            elif isinstance(node, ast.Call) and name_of(node.func).endswith(("import_module", "__import__")):
                yield ast.copy_location(ast.Pass(), node), "".join(as_text(arg) for arg in node.args[:1])

    def strings(self) -> Iterator[tuple[int, str]]:
        """Every string but docstrings; an f-string is one string, with x for whatever is put in."""
        skip = {id(stmt.value) for stmt in self.nodes if isinstance(stmt, ast.Expr)}
        for node in self.nodes:
            if isinstance(node, ast.JoinedStr):
                skip.update(id(part) for part in ast.walk(node) if part is not node)
                yield node.lineno, as_text(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skip:
                yield node.lineno, node.value


def name_of(node: ast.AST) -> str:
    """The dotted name of an expression, "" where it is none: `st.sidebar.button` of that attribute."""
    if isinstance(node, ast.Attribute):
        return f"{name_of(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def as_text(node: ast.AST) -> str:
    """The text of a string; of an f-string with x for whatever is put in; "" of anything else."""
    if isinstance(node, ast.JoinedStr):
        return "".join(as_text(part) or "x" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""


@cache
def sources() -> list[Source]:
    """Every Python file of the house, parsed: to look for garbage meanwhile would take three times as long again."""
    files = [ROOT / "app.py", *(f for floor in BELOW for f in (ROOT / floor).rglob("*.py"))]
    parsed = [
        Source(f.relative_to(ROOT).as_posix(), f.read_text(encoding="utf-8")) for f in sorted(files) if f.exists()
    ]
    gc.disable()
    try:
        assert all(source.nodes for source in parsed)
    finally:
        gc.freeze()
        gc.enable()
    return parsed


RULES: dict[str, Callable[[Source], Iterator[Finding]]] = {}


def rule(check: Callable[[Source], Iterator[Finding]]) -> Callable[[Source], Iterator[Finding]]:
    """Enter a rule under its name."""
    RULES[check.__name__] = check
    return check


# -- who imports whom -------------------------------------------------------------------------------------------------


@rule
def downhill(source: Source) -> Iterator[Finding]:
    """app -> pages -> data -> judges: a floor may skip downward, never upward, and nothing leans on the tests."""
    for node, name in source.imports():
        floor = name.partition(".")[0]
        if floor in BELOW and floor != source.floor and floor not in BELOW[source.floor]:
            yield node.lineno, f"{source.floor} must not import {name}: the way is app -> pages -> data -> judges"


@rule
def pages_apart(source: Source) -> Iterator[Finding]:
    """A page imports nothing of another page; only the router knows them all, and ui and server know none."""
    if source.floor != "pages" or source.path == "pages/main.py":
        return
    own = source.path.split("/")[1]
    for node, name in source.imports():
        folder = re.match(r"pages\.(\w+)", name)
        if folder and folder[1] not in ("ui", "server", own):
            yield node.lineno, f"{name} is in another folder of pages: what pages share belongs in pages/ui"


@rule
def one_home(source: Source) -> Iterator[Finding]:
    """Each library has one home."""
    for node, name in source.imports():
        home = HOMES.get(name.partition(".")[0])
        if home and source.floor != "tests" and not re.fullmatch(home, source.path):
            yield node.lineno, f"{name} is imported outside its home ({home.replace(chr(92), '')})"


@rule
def csv_at_home(source: Source) -> Iterator[Finding]:
    """CSV is written in judges/render/csv_cells.py only, where no cell is left that a spreadsheet would run."""
    if source.floor == "tests" or source.path == "judges/render/csv_cells.py":
        return
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and node.attr in ("writer", "DictWriter", "to_csv", "write_csv"):
            yield node.lineno, "CSV is written by judges.render.csv_cells only: spreadsheets run what others write"


@rule
def session_state_at_home(source: Source) -> Iterator[Finding]:
    """st.session_state is touched in pages/ui/session.py only."""
    if source.floor == "tests" or source.path == "pages/ui/session.py":
        return
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and node.attr == "session_state":
            yield node.lineno, "st.session_state has its home in pages/ui/session.py: ask that module"
    for node, name in source.imports():
        if name.endswith(".session_state"):
            yield node.lineno, "st.session_state has its home in pages/ui/session.py: ask that module"


@rule
def parts_at_home(source: Source) -> Iterator[Finding]:
    """Fragments and dialogs are those of pages/ui/text.py, which say what is refused in them."""
    for node in source.nodes if source.floor == "pages" and source.path != "pages/ui/text.py" else ():
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("st.fragment", "st.dialog"):
            yield node.lineno, f"{ast.unparse(node)} has its home in pages/ui/text.py: take text.{node.attr}"


@rule
def second_opinions_in_tests(source: Source) -> Iterator[Finding]:
    """Other people's statistics check ours in the tests; Assay itself never imports them."""
    for node, name in source.imports():
        if source.floor != "tests" and name.partition(".")[0] in SECOND_OPINIONS:
            yield node.lineno, f"{name} is for the tests only; requirements.txt does not have it"


@rule
def pinned_libraries(source: Source) -> Iterator[Finding]:
    """Whatever Assay imports is one of the libraries that requirements.txt names, or asked for when it is used."""
    if source.floor == "tests" or source.is_users:
        return
    named = {dist.replace("-", "_") for dist in pins("requirements.txt")}
    for node, name in source.imports():
        top = name.partition(".")[0]
        if not top or top in sys.stdlib_module_names or top in BELOW or top in named:
            continue
        if top not in ASKED_FOR_WHEN_USED:
            yield node.lineno, f"{top} is not in requirements.txt"
        elif node in source.tree.body:
            yield node.lineno, f"{top} is not in requirements.txt, so import it in the function that needs it"


@rule
def late_libraries(source: Source) -> Iterator[Finding]:
    """What takes long to import is imported where it is used, so that pages and commands start without it."""
    if source.floor == "tests" or source.is_users:
        return
    inside = {
        id(node)
        for outer in source.nodes if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(outer)
    }  # fmt: skip
    for node, name in source.imports():
        if name.partition(".")[0] in SLOW_IMPORTS and id(node) not in inside:
            yield node.lineno, f"{name} takes long to import: import it in the function that uses it"


# -- judges are pure --------------------------------------------------------------------------------------------------


@rule
def judges_pure(source: Source) -> Iterator[Finding]:
    """judges/ has no screen, no SQL, no clock, and no chance but from a seed; its commands may look at a clock."""
    if source.floor != "judges":
        return
    command = source.path.startswith("judges/cli/")
    for node, name in source.imports():
        if name.partition(".")[0] in IMPURE - ({"time"} if command else set()):
            yield node.lineno, f"judges/ is pure, and {name} is not: let the caller give what it tells"
        if name.startswith("random.") and name != "random.Random":
            yield node.lineno, f"{name} draws without a seed: use random.Random(seed)"
    for node in source.nodes:
        if not isinstance(node, ast.Call):
            continue
        called = name_of(node.func)
        if re.match(r"random\.", called) and called != "random.Random":
            yield node.lineno, f"{called} draws without a seed: use random.Random(seed)"
        if re.match(r"(np|numpy)\.random\.[a-z]", called) and not called.endswith(".default_rng"):
            yield node.lineno, f"{called} draws from a state that all share: use numpy.random.default_rng(seed)"
        if called.endswith(("random.Random", "random.default_rng")) and not (node.args or node.keywords):
            yield node.lineno, f"{called}() needs a seed, so that the same input gives the same output"


@rule
def each_test_draws_alone(source: Source) -> Iterator[Finding]:
    """No test draws from a generator of its module: its numbers would depend on the tests that ran before it."""
    if source.floor != "tests":
        return
    for node in source.tree.body:
        called = name_of(node.value.func) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else ""
        if called.endswith(("random.Random", "random.default_rng")):
            yield node.lineno, "a test's numbers depend on the tests before it: make the generator in the test"


# -- SQL --------------------------------------------------------------------------------------------------------------

# Lower or upper case throughout, as SQL is written: "Select a file from the list" is a sentence.
SQL = re.compile(
    r"\s*(select\b[\s\S]*\bfrom\b|insert\s+into\b|update\s+\w+\s+set\b|delete\s+from\b|with\s+\w+\s+as\s*\("
    r"|create\s+(or\s+replace\s+)?(table|view|temp)\b|alter\s+table\b|drop\s+(table|view)\b)"
)
CHANGES = re.compile(
    r"\b(update\s+[\w.\"]+\s+set|delete\s+from|truncate\s+(table\s+)?\w+|drop\s+table|merge\s+into|replace\s+into"
    r"|insert\s+or\s+replace|do\s+update)\b"
)


def in_sql(text: str) -> str:
    """SQL as our patterns read it: shouted SQL in lower case, anything else as it is."""
    words = re.match(r"\s*(\w+)", text)
    return text.lower() if words and words[1].isupper() else text


@rule
def sql_in_data(source: Source) -> Iterator[Finding]:
    """SQL stands in data/ only."""
    if source.floor in ("app", "pages", "judges"):
        for line, text in source.strings():
            if SQL.match(in_sql(text)):
                yield line, f"SQL stands in data/ only: {' '.join(text.split())[:60]}"


@rule
def only_appends(source: Source) -> Iterator[Finding]:
    """Everything is appended; nothing is updated or deleted, but rows of a change that never came to be."""
    if source.floor == "data" and source.path not in ("data/store/hidden_rows.py", "data/store/postgres_bulk.py"):
        for line, text in source.strings():
            if change := CHANGES.search(in_sql(text)):
                yield line, f"everything is appended, so no {change[0]!r}: add a row, and let a view show the newest"


# -- what a page may show ---------------------------------------------------------------------------------------------


@rule
def headings_leave_no_level_out(source: Source) -> Iterator[Finding]:
    """A page has a title (h1) and below it headers (h2): who goes from heading to heading by ear misses none."""
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and node.attr == "subheader":
            yield node.lineno, "this would be an h3 below an h1: use header"


STRICT = {"markdown", "html", "write"}
BODY = {
    *("title", "header", "subheader", "caption", "info", "warning", "error", "success", "toast", "badge", "latex"),
    *("write_stream", "exception", "spinner", "status", "expander", "popover", "dialog", "progress_text"),
}
WIDGET = {
    *("button", "download_button", "link_button", "form_submit_button", "menu_button", "selectbox", "multiselect"),
    *("radio", "pills", "segmented_control", "checkbox", "toggle", "text_input", "text_area", "number_input", "slider"),
    *("select_slider", "date_input", "time_input", "datetime_input", "file_uploader", "color_picker", "chat_input"),
    *("tabs", "metric", "audio_input", "camera_input"),
    *("Column", "TextColumn", "NumberColumn", "CheckboxColumn", "DatetimeColumn", "ListColumn", "ProgressColumn"),
}
READ_AS_MARKDOWN = STRICT | BODY | WIDGET | {"page_link", "progress", "image", "table"}
TEXT_ARGUMENTS = dict.fromkeys(STRICT | BODY | WIDGET, 1) | {
    "write": 99,
    "metric": 3,
}  # how many of the arguments are read
OPTIONS = {"radio", "pills", "segmented_control", "select_slider", "menu_button"}  # widgets whose options are read, too
BY_NAME = {"body", "label", "help", "text", "title", "caption", "captions", "delta"}
NUMERIC = re.compile(r"[-+ ]?0?\d*,?(\.\d+)?[defg%]|,")  # formats that refuse a text


@rule
def shown_text_is_ours(source: Source) -> Iterator[Finding]:
    """Streamlit reads Markdown in every title and label, and fetches remote images from it.

    So those get string constants or text.escape(...), the templates of text.say, text.quiet and text.warn are
    constants, and nothing asks for raw HTML.
    """
    if source.floor not in ("app", "pages") or source.path == "pages/ui/text.py":
        return
    modules, constants = imported_names(source.tree), names_of_ours(source.tree)
    called = {id(node.func) for node in source.nodes if isinstance(node, ast.Call)}
    for node, name in source.imports():
        if name.startswith("streamlit.") and name.rpartition(".")[2] in READ_AS_MARKDOWN:
            yield node.lineno, f"call it as st.{name.rpartition('.')[2]}, so that what it is given can be checked"
    for node in source.nodes:
        if isinstance(node, ast.keyword) and node.arg in ("unsafe_allow_html", "unsafe_allow_javascript"):
            yield node.value.lineno, f"{node.arg} lets a judged text act as a page"
        if name_of(node) in {f"st.{name}" for name in READ_AS_MARKDOWN} and id(node) not in called:
            yield node.lineno, f"call {name_of(node)} where it stands, so that what it is given can be checked"
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        receiver, method = name_of(node.func.value), node.func.attr
        templated = receiver == "text" and method in ("say", "quiet", "warn")
        if templated and node.args and not is_fixed(node.args[0], constants):
            yield node.lineno, f"the template of text.{method} has to be a constant; values go in by name"
        if receiver in modules or method not in READ_AS_MARKDOWN:
            continue
        if method == "table":
            yield node.lineno, "st.table reads Markdown in every cell: use st.dataframe"
        values = [*node.args[: TEXT_ARGUMENTS.get(method, 0)], *(k.value for k in node.keywords if k.arg in BY_NAME)]
        values += [k.value for k in node.keywords if k.arg == "value" and method == "metric"]
        for value in values:
            if not (is_fixed if method in STRICT else harmless)(value, constants):
                excerpt = ast.unparse(value)[:60]
                yield value.lineno, f"{method} reads Markdown: give it a constant or text.escape(...), not {excerpt}"
        if method in OPTIONS and not options_harmless(node, constants):
            yield node.lineno, f"{method} reads Markdown in its options: give constants, or format_func=text.escape"


FETCHING = {
    *("audio", "video", "logo", "iframe", "pdf", "map", "pydeck_chart", "vega_lite_chart", "altair_chart"),
    *("graphviz_chart", "bokeh_chart", "link_column", "LinkColumn", "ImageColumn", "MarkdownColumn"),
}


@rule
def nothing_is_fetched(source: Source) -> Iterator[Finding]:
    """No element of Streamlit that fetches what it is given, or makes links of the cells of a table."""
    if source.floor not in ("app", "pages"):
        return
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and node.attr in FETCHING and name_of(node).startswith("st."):
            yield node.lineno, f"{name_of(node)} fetches or links what it is given"
        if isinstance(node, ast.Attribute) and name_of(node).startswith("st.components.v1"):
            yield node.lineno, "a component of the first version is a frame that may load anything: use v2"


@rule
def templates_are_ours(source: Source) -> Iterator[Finding]:
    """A page and a report read Markdown in the template of a finding, so it is a constant; values go in by name."""
    if not source.path.startswith("judges/render/findings/"):
        return
    constants = names_of_ours(source.tree)
    for node in source.nodes:
        makes = isinstance(node, ast.Call) and name_of(node.func) in ("say", "quiet", "warn")
        if makes and node.args and not is_fixed(node.args[0], constants):
            yield node.lineno, "the template of a finding has to be a constant; values go in by name"


def imported_names(tree: ast.Module) -> set[str]:
    """The names that a file has by import, Streamlit's own left out."""
    names = [alias for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    return {(a.asname or a.name).partition(".")[0] for a in names if not a.name.startswith("streamlit")}


def names_of_ours(tree: ast.Module) -> set[str]:
    """The names of a file that only ever hold text of ours: imported in capitals, or never assigned anything else."""
    ours, bound, sites = {name for name in imported_names(tree) if name.isupper()}, set[str](), dict[str, int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            sites[node.id] = sites.get(node.id, 0) + 1
    assigned = [n for n in ast.walk(tree) if isinstance(n, ast.Assign | ast.AnnAssign) and n.value is not None]
    for _ in range(2):  # twice, because a name may be made of another
        safe: dict[str, int] = {}
        for node in assigned:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and is_fixed(node.value, ours):
                    safe[target.id] = safe.get(target.id, 0) + 1
        ours |= {name for name, count in safe.items() if count == sites[name] and name not in bound}
    return ours


def is_fixed(node: ast.AST, constants: set[str]) -> bool:
    """Whether an expression can only be text of ours, or what text.escape has made of another's."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name in constants
        case ast.Attribute(value=ast.Name(), attr=name):
            return name.isupper()
        case ast.Subscript(value=table):
            return isinstance(table, ast.Name | ast.Attribute) and is_fixed(table, constants)
        case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted"), args=[table]):
            return is_fixed(table, constants)
        case ast.IfExp(body=yes, orelse=no):
            return is_fixed(yes, constants) and is_fixed(no, constants)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return is_fixed(left, constants) and is_fixed(right, constants)
        case ast.BoolOp(values=values) | ast.List(elts=values) | ast.Tuple(elts=values) | ast.Dict(values=values):
            return all(is_fixed(value, constants) for value in values)
        case ast.Call(func=func):
            return name_of(func) in ("text.escape", "escape")
        case ast.ListComp(elt=element):
            return is_fixed(element, constants)
    return False


def harmless(node: ast.AST, constants: set[str]) -> bool:
    """The same, or a number: len(...), round(...), or an f-string that only lets numbers in, like f"{x:.2f}"."""
    match node:
        case ast.Call(func=ast.Name(id="len" | "round" | "int" | "float")):
            return True
        case ast.JoinedStr(values=parts):
            return all(isinstance(part, ast.Constant) or lets_numbers_in(part) for part in parts)
        case ast.IfExp(body=yes, orelse=no):
            return harmless(yes, constants) and harmless(no, constants)
        case ast.BoolOp(values=values):
            return all(harmless(value, constants) for value in values)
    return is_fixed(node, constants)


def lets_numbers_in(part: ast.AST) -> bool:
    """Whether a placeholder has a format that raises for anything but a number."""
    match part:
        case ast.FormattedValue(format_spec=ast.JoinedStr(values=[ast.Constant(value=str(spec))])):
            return bool(NUMERIC.fullmatch(spec))
    return False


def options_harmless(call: ast.Call, constants: set[str]) -> bool:
    """Whether the options of a widget are constants, or shown through text.escape or a table of constants."""
    named = {k.arg: k.value for k in call.keywords}
    options = named.get("options", call.args[1] if len(call.args) > 1 else None)
    match named.get("format_func"):
        case None:
            return options is None or is_fixed(options, constants)
        case ast.Lambda(body=body):
            return harmless(body, constants)
        case ast.Attribute(value=table, attr="get" | "__getitem__"):
            return is_fixed(table, constants)
        case formatter:
            return name_of(formatter) in ("text.escape", "escape")


# -- size and words ---------------------------------------------------------------------------------------------------


@rule
def has_docstring(source: Source) -> Iterator[Finding]:
    """Every module, and every public function and class, in judges/, data/ and tools/ says what it gives."""
    if source.floor not in ("judges", "data", "tools") or source.is_users:
        return
    if source.code.strip() and not ast.get_docstring(source.tree):
        yield 1, "the module has no docstring"
    for node in source.tree.body:
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if named and not node.name.startswith("_") and not ast.get_docstring(node):
            yield node.lineno, f"{node.name} has no docstring"


PARTICIPLES = set(
    "begun bought built brought caught chosen come done drawn felt found given gone held hidden known laid left "
    "lent lost made meant met paid said seen sent shown sold spent spoken stood taken taught thought told thrown "
    "worn written above ahead alike apart aside bare behind below beside far near none nothing own plain there "
    "whole".split()
)
"""Words that functions were named by, beside those in -ed, and that say neither what one does nor what it gives."""
ENDING_ALIKE = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed", "succeed"}


@rule
def functions_act_or_give(source: Source) -> Iterator[Finding]:
    """A function has the name of what it does, or of what it gives: `sort_rows`, `title`; never `_told`."""
    if source.is_users:
        return
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not any(
            name_of(decorator).endswith("property") for decorator in node.decorator_list
        ):
            word = node.name.strip("_")
            if word in PARTICIPLES or (re.fullmatch("[a-z]+ed", word) and word not in ENDING_ALIKE):
                yield node.lineno, f"{node.name} names neither what it does nor what it gives"


VAGUE = set(
    "alike apart aside asked begun behind beside brought each far few found given held here how its kept lost made "
    "meant mine ones said several some taken theirs there told wanted way what who".split()
)
"""Words that a thousand variables had for names, whatever was in them: rows, sentences, JSON objects, indexes."""


@rule
def variables_say_what_they_hold(source: Source) -> Iterator[Finding]:
    """A variable or parameter has a noun for what is in it: `sentences`, `stored_rows`; never `told` or `held`."""
    if source.is_users:
        return
    for function in source.nodes:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                name = node.arg if isinstance(node, ast.arg) else getattr(node, "id", "")
                bound = isinstance(node, ast.arg) or isinstance(getattr(node, "ctx", None), ast.Store)
                if bound and name in VAGUE:
                    yield node.lineno, f"{name} does not say what it holds"


@pytest.mark.parametrize("name", RULES)
def test_rule(name):
    findings = [f"{source.path}:{line}: {message}" for source in sources() for line, message in RULES[name](source)]
    assert not findings, f"{RULES[name].__doc__}\n" + "\n".join(findings)


# -- the tree ---------------------------------------------------------------------------------------------------------


def tracked_files() -> list[str]:
    """Every file that git has, or would take; of a tree without git, whatever lies at the top."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    git = subprocess.run(command, cwd=ROOT, capture_output=True, text=True) if (ROOT / ".git").exists() else None
    if git and git.returncode == 0:
        return [name for name in git.stdout.splitlines() if (ROOT / name).exists()]
    generated = re.compile(r"\.venv|\.\w+_cache|\.hypothesis|__pycache__|.*\.duckdb.*")
    return [path.name for path in ROOT.iterdir() if not generated.fullmatch(path.name)]


def test_top_level():
    strangers = {name.partition("/")[0] for name in tracked_files()} - TOP
    assert not strangers, f"The top level is the house and what tools need; no place there for {sorted(strangers)}"


def test_router_is_alone():
    """Streamlit would serve any other script in pages/ by itself, past the router and its roles."""
    loose = sorted(path.name for path in (ROOT / "pages").glob("*.py") if path.name not in ("__init__.py", "main.py"))
    assert not loose, f"Page scripts belong one folder down, not directly in pages/: {loose}"


MIGRATIONS = sorted((ROOT / "data" / "store" / "migrations").glob("*.sql"))


@pytest.mark.parametrize("path", MIGRATIONS, ids=lambda path: path.name)
def test_migrations_append(path):
    text = re.sub(r"--.*", "", path.read_text(encoding="utf-8")).lower()
    findings = [f"{path.name}:{text[: hit.start()].count(chr(10)) + 1}: {hit[0]}" for hit in CHANGES.finditer(text)]
    assert not findings, "Everything is appended; nothing is updated or deleted:\n" + "\n".join(findings)


def test_the_shipped_cards_are_in_our_style():
    """pyproject.toml leaves whatever lies in judges/cards/ alone, as users put theirs there."""
    folders = [ROOT / "judges" / "cards" / name for name in SHIPPED]
    flags = ["-m", "ruff", "check", "--no-cache", "--output-format", "concise", "--config", "lint.per-file-ignores={}"]
    ruff = subprocess.run([sys.executable, *flags, *folders], cwd=ROOT, capture_output=True, text=True)
    assert ruff.returncode == 0, ruff.stdout + ruff.stderr
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["overrides"]
    typed = next(override["module"] for override in settings if override.get("ignore_errors") is False)
    assert typed == [f"judges.cards.{name}.*" for name in SHIPPED]


def test_ci_runs():
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111, ".ci/run has to be executable: chmod +x .ci/run"


@pytest.mark.parametrize(
    ("section", "option", "value", "why"),
    [
        ("server", "address", "127.0.0.1", "names are taken on trust, so only this machine may reach it"),
        ("server", "allowedHosts", ["127.0.0.1", "localhost"], "a site elsewhere could rebind its own name to it"),
        ("server", "enableCORS", True, "the websocket needs no XSRF token; its origin check is all there is"),
        ("server", "enableXsrfProtection", True, "uploads"),
        ("server", "enableAgentApi", False, "nothing but a browser with a person in front"),
        ("server", "enableStaticServing", False, "nothing is served but pages"),
        ("server", "maxUploadSize", 50, "a larger file belongs on the command line"),
        ("client", "showErrorDetails", "none", "a traceback may show judged text, paths or keys"),
        ("client", "disableDataExport", True, "the built-in CSV button writes formulas as they are"),
        ("client", "allowedOrigins", [], "pages of Streamlit's cloud, which is anybody's, could send ours messages"),
        ("browser", "gatherUsageStats", False, "nothing leaves the machine"),
        ("logger", "enableRich", False, "where rich is installed, it prints what a page that fails worked on"),
    ],
)
def test_served_closed(section, option, value, why):
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config[section].get(option) == value, f"{section}.{option} has to be {value!r}: {why}"


# -- rooms ------------------------------------------------------------------------------------------------------------


def room_of(path: str) -> str:
    """The room of a file: the folder on its floor, or the module itself where it lies directly on the floor."""
    parts = path.removesuffix(".py").split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else "/".join(parts)


@cache
def product() -> dict[str, Source]:
    """Every module of the product by its dotted name, users' cards left out."""
    return {
        source.path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): source
        for source in sources()
        if source.floor != "tests" and not source.is_users
    }


@cache
def leans(path: str) -> frozenset[str]:
    """The modules of the product that a file imports, as their dotted names."""
    modules = set()
    for _, name in product_by_path()[path].imports():
        while name and name not in product():
            name = name.rpartition(".")[0]
        modules.add(name)
    return frozenset(modules - {""})


@cache
def product_by_path() -> dict[str, Source]:
    return {source.path: source for source in product().values()}


def circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other, found by the order in which they can be taken away."""
    left = {node: {to for to in ends if to != node} for node, ends in arrows.items()}
    while free := [node for node, ends in left.items() if not ends & left.keys()]:
        for node in free:
            del left[node]
    while free := [node for node in left if not any(node in ends for ends in left.values())]:
        for node in free:
            del left[node]
    return [sorted(left)] if left else []


def test_no_circle_of_modules():
    cycles = circles({s.path: {product()[name].path for name in leans(s.path)} for s in product().values()})
    assert not cycles, f"these modules import each other: {cycles}"


def test_no_circle_of_rooms():
    """Rooms of one floor have an order: what one room uses does not use that room."""
    arrows: dict[str, set[str]] = {}
    for source in product().values():
        if source.path.count("/") > 1:
            rooms = {room_of(product()[name].path) for name in leans(source.path)}
            arrows.setdefault(room_of(source.path), set()).update(rooms)
    cycles = circles(arrows)
    assert not cycles, f"these rooms import each other: {cycles}"


ENTRY = ("app.py", "pages/ui/session.py")
"""What has the store itself: it makes the visit that pages are given."""


def test_what_pages_call_of_data_says_whom_it_allows():
    """Pages hold a visit, not the store: whatever of data takes a store bears `allow`, or refuses them."""
    wrong = set()
    for source in product().values():
        if source.floor != "pages" or source.path in ENTRY:
            continue
        used = {name_of(node) for node in source.nodes if isinstance(node, ast.Attribute | ast.Name)}
        for node, name in source.imports():
            if not (isinstance(node, ast.ImportFrom) and name.startswith("data.")):
                continue
            above, _, own = name.rpartition(".")
            alias = next(a.asname or a.name for a in node.names if a.name == own)
            is_module = name in product()
            imported = importlib.import_module(name) if is_module else getattr(importlib.import_module(above), own)
            inside = [getattr(imported, u[len(alias) + 1 :], None) for u in used if u.startswith(f"{alias}.")]
            for function in inside if is_module else [imported]:
                if not inspect.isfunction(function) or hasattr(function, "least_role"):
                    continue
                if any(re.search(r"\b(Store|Tx|Reader)\b", str(kind)) for kind in function.__annotations__.values()):
                    wrong.add(f"{function.__module__}.{function.__name__}")
    assert not wrong, f"pages call these with a store, so give them @allow(role) (data/records/access.py): {wrong}"


def test_pages_share_a_dozen_modules():
    shared = {match[1] for s in product().values() if (match := re.match(r"pages/ui/(\w+)", s.path))} - {"__init__"}
    assert len(shared) <= 12, f"what several pages share is at most twelve modules: {sorted(shared)}"


def test_nothing_is_there_for_tests_alone():
    """Every public function and class of a module is named somewhere else in the product, too."""
    words = Counter(word for source in product().values() for word in re.findall(r"\w+", source.code))
    alone = [
        f"{source.path}: {node.name}"
        for source in product().values() if source.floor in ("data", "judges", "pages")
        for node in source.tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if words[node.name] == 1
    ]  # fmt: skip
    assert not alone, f"nothing but tests uses these: take them out, with the tests that try nothing else: {alone}"


# -- the tests mirror the tree ----------------------------------------------------------------------------------------

NO_ROOM = {  # test files that are about no one room, and what they are about
    "tests/real/": "published data, through several rooms",
    "tests/data/test_rooms.py": "every room of data",
    "tests/data/test_decisions.py": "rules of several rooms of data",
    "tests/data/test_walks.py": "what people do in several rooms of data",
    "tests/data/test_label_walks.py": "what labels come to in several rooms of data",
    "tests/practice/": "what tests plant in the practice endpoint",
    "tests/pages/test_clicks.py": "every page",
    "tests/pages/test_security.py": "every page",
    "tests/pages/test_exposure.py": "every page",
}
TRIED_IN = {  # modules that no test imports, or whole folders that a registry or a page runs -> where they are tried
    "data/cli/": "data/cli/test_cli.py",
    "data/exporting/kinds/": "data/exporting/test_exporting.py",
    "data/importing/checks/": "data/importing/test_importing.py",
    "data/importing/files/": "data/importing/test_importing.py",
    "data/importing/detection/source_contents.py": "data/importing/test_start.py",
    "data/importing/sentences.py": "data/importing/test_importing.py",
    "data/importing/formats/": "data/importing/test_tools.py",
    "judges/render/findings/": "data/reports/test_report.py",
    "judges/audits/": "judges/audits/test_planted.py",
    "judges/authoring/reply_model.py": "judges/authoring/test_custom.py",
    "judges/authoring/rubric.py": "judges/authoring/test_custom.py",
    "judges/authoring/template.py": "judges/authoring/test_soundness.py",
    "judges/cards/": "judges/authoring/test_soundness.py",
    "judges/cli/": "judges/cli/",
    "judges/importing/answer_mapping.py": "data/importing/test_start.py",
    "judges/importing/encodings.py": "data/importing/test_table.py",
    "judges/practice/": "judges/practice/test_practice.py",
    "judges/reading/reply_edit.py": "data/gold/test_fewshot.py",
    "judges/reading/validation.py": "judges/reading/test_reading.py",
    "judges/reading/values.py": "judges/reading/test_replies.py",
    "judges/render/words.py": "data/reports/test_report.py",
    "judges/tool_calls.py": "data/importing/test_chats.py",
    "tools/sample/": "tools/test_sample.py",
}


def test_every_test_file_is_in_the_room_of_its_subject():
    """tests/<room>/test_<module>.py; directly on a floor only what tries a module that lies there."""
    wrong = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        name = path.relative_to(ROOT).as_posix()
        room = path.parent.relative_to(ROOT / "tests")
        if not room.parts or name.startswith(tuple(NO_ROOM)):
            continue
        tried = ROOT / room / f"{path.stem.removeprefix('test_')}.py"
        if not (ROOT / room).is_dir() or (len(room.parts) == 1 and room.parts[0] != "tools" and not tried.exists()):
            wrong.append(name)
    assert not wrong, f"no room has the subject of these; move them below the tests of its room: {wrong}"
    assert all((ROOT / name).exists() for name in NO_ROOM)


@cache
def untested_modules() -> set[str]:
    """The modules that no test imports or names, but for those of a page whose address is a folder of tests."""
    imported_, named = set(), []
    for source in sources():
        if source.path.startswith("tests/") and source.path != "tests/test_house.py":
            imported_.update(name for _, name in source.imports())
            named.append(source.code)
    text, paths = "\n".join(named), set()
    mentions = imported_.union(re.findall(r"(?<![\w.])\w+(?:\.\w+)+", text))
    prefixes = {name[:n] for name in mentions for n in range(len(name) + 1) if n == len(name) or name[n] == "."}
    for name, source in product().items():
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        public = [node for node in source.tree.body if isinstance(node, kinds) and node.name[0] != "_"]
        page = re.match(r"pages/(\w+)/", source.path)
        tried = name in prefixes or source.path in text
        tried = tried or (page and any((ROOT / "tests" / page[0]).glob("test_*.py")))
        if public and not tried:
            paths.add(source.path)
    return paths


def test_every_module_is_tried_somewhere_that_can_be_found():
    """Tests import it or name it; they are in the folder of its page's address; or TRIED_IN says where they are."""
    nowhere = sorted(path for path in untested_modules() if not path.startswith(tuple(TRIED_IN)))
    advice = "write tests/<room>/test_<module>.py for each, or say in TRIED_IN of this file which test runs it"
    assert not nowhere, f"no test imports or names these: {advice}: {nowhere}"


def test_where_a_module_is_tried_is_said_only_where_it_has_to_be():
    needless = [prefix for prefix in TRIED_IN if not any(path.startswith(prefix) for path in untested_modules())]
    needless += [prefix for prefix in TRIED_IN for room in TRIED_IN if prefix != room and prefix.startswith(room)]
    assert not needless, f"tests import these, or a line of TRIED_IN has their room: take them out of it: {needless}"


@pytest.mark.parametrize(("subject", "where"), TRIED_IN.items())
def test_where_a_module_is_tried_is_there(subject, where):
    assert (ROOT / subject).exists() and (ROOT / "tests" / where).exists()


def has_quick_tests(tree: ast.Module) -> bool:
    """Whether `make test` runs some tests of a file: one that is not marked slow, in a file that is not."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node) == "pytestmark = pytest.mark.slow":
            return False
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return any("pytest.mark.slow" not in map(ast.unparse, test.decorator_list) for test in tests)


def test_make_test_leaves_no_folder_out():
    """Slow tests say more of a subject; a folder of which `make test` runs nothing could break unnoticed."""
    quick: dict[str, bool] = {}
    for source in sources():
        folder, _, file = source.path.rpartition("/")
        if folder.startswith("tests") and file.startswith("test_"):
            quick[folder] = quick.get(folder, False) or has_quick_tests(source.tree)
    assert len(quick) > 50
    left_out = sorted(folder for folder, runs in quick.items() if not runs)
    assert not left_out, f"all tests of these folders are marked slow; let one that tells most be none: {left_out}"


@pytest.mark.parametrize(
    ("code", "quick"),
    [
        ("def test_it(): ...", True), ("@pytest.mark.slow\ndef test_it(): ...", False), ("def help_it(): ...", False),
        ("@pytest.mark.slow\ndef test_it(): ...\ndef test_too(): ...", True),
        ("pytestmark = pytest.mark.slow\ndef test_it(): ...", False), ("", False),
    ],
)  # fmt: skip
def test_quick_tests_are_told_by_their_marks(code, quick):
    assert has_quick_tests(ast.parse(code)) == quick


# -- the lock files ---------------------------------------------------------------------------------------------------


def pins(name: str) -> dict[str, str]:
    """Distribution and version of every line of a lock file; a line that pins nothing fails."""
    versions = {}
    for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line or line.startswith("-r requirements"):
            continue
        pin = re.fullmatch(r"([a-z0-9][a-z0-9.-]*)==([0-9][0-9a-z.]*)", line)
        assert pin, f"{name}:{number}: {line!r} does not pin one version: name==version, the name in lower case"
        versions[pin[1]] = pin[2]
    return versions


EXTRAS = ("requirements-postgres.txt", "requirements-ray.txt")


@pytest.mark.parametrize(
    "names",
    [
        ("requirements.txt",),
        *(("requirements.txt", extra) for extra in EXTRAS),
        ("requirements.txt", *EXTRAS, "requirements-dev.txt"),
    ],
    ids="+".join,
)
def test_locks_are_complete(names):
    """Everything that a pinned distribution needs is pinned too, and this environment has those very versions."""
    locked = {dist: version for name in names for dist, version in pins(name).items()}
    wrong = []
    for dist, version in locked.items():
        installed = importlib.metadata.distribution(dist)
        if installed.version != version:
            wrong.append(f"{dist} is {installed.version} here, and {version} in the lock")
        for line in installed.requires or []:
            need = Requirement(line)
            applies = need.marker is None or need.marker.evaluate({"extra": ""})
            if applies and re.sub(r"[-_.]+", "-", need.name).lower() not in locked:
                wrong.append(f"{dist} needs {need}, which is not locked")
    assert not wrong, "\n".join(wrong)


# -- the README -------------------------------------------------------------------------------------------------------


def readme_names() -> list[str]:
    """What the README has to name: every make target, every folder of the house down to the second floor."""
    targets = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    folders = {
        path.parent.relative_to(ROOT)
        for floor in BELOW
        for pattern in (f"{floor}/*.*", f"{floor}/*/*.*")
        for path in ROOT.glob(pattern)
        if "__pycache__" not in path.parts
    }
    inside = sorted(folder.as_posix() for folder in folders if folder.parts and folder.parts[0] != "tests")
    return [*(f"make {target}" for target in targets if target != "help"), *inside, "tests"]


@pytest.mark.parametrize("entry", readme_names())
def test_readme_names(entry):
    pages = ("README.md", "docs/architecture.md", "docs/commands.md")
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in pages)
    folder, _, target = entry.rpartition("/")[2].partition(" ")
    pattern = rf"\bmake [a-z |]*\b{target}\b" if target else rf"(?<![\w.]){re.escape(folder)}\b"
    assert re.search(pattern, text), f"none of {pages} says what {entry} is for"


# -- the rules themselves ---------------------------------------------------------------------------------------------

SNIPPETS = [
    # rule, where, code, whether the rule lets it pass
    ("downhill", "judges/stats/approval_check.py", "from data import gold", False),
    ("downhill", "judges/cards/a/card.py", "def f():\n    import data.gold.gold", False),
    ("downhill", "data/gold/gold.py", "import importlib\nimportlib.import_module('pages.ui.text')", False),
    ("downhill", "judges/a.py", "importlib.import_module(f'data.{name}')", False),
    ("downhill", "judges/a.py", "importlib.import_module(f'judges.cards.{name}')\nimportlib.import_module(name)", True),
    ("downhill", "pages/desk/page.py", "import app", False),
    ("downhill", "data/gold/gold.py", "from tests import server", False),
    (
        "downhill",
        "data/importing/importing.py",
        "from . import plan\nfrom ..ids import now\nfrom judges import types",
        True,
    ),
    ("downhill", "app.py", "from judges import errors", True),
    ("pages_apart", "pages/desk/page.py", "from pages.people import page", False),
    ("pages_apart", "pages/ui/choose.py", "from pages.people import page", False),
    ("pages_apart", "pages/desk/page.py", "from pages.ui import text\nfrom pages.desk import keys", True),
    ("pages_apart", "pages/main.py", "from pages.people import page", True),
    ("downhill", "data/workspace/bootstrap.py", "from tools import sample", False),
    ("downhill", "judges/a.py", "import tools.sample", False),
    ("downhill", "tools/sample/people.py", "from tests import seeds", False),
    ("downhill", "tools/sample/people.py", "from pages.ui import text", False),
    ("downhill", "tools/sample/people.py", "from data.samples import FOLDER\nfrom judges import card", True),
    ("downhill", "tests/tools/test_sample.py", "from tools import sample", True),
    ("one_home", "data/importing/parquet.py", "import duckdb", False),
    ("one_home", "data/gold/gold.py", "import streamlit as st", False),
    ("one_home", "pages/calibration/a.py", "from plotly import graph_objects", False),
    ("one_home", "data/store/duckdb_driver.py", "import duckdb", True),
    ("one_home", "tests/data/store/test_store.py", "import duckdb", True),
    ("csv_at_home", "pages/trail/table.py", "out = csv.writer(file)", False),
    ("csv_at_home", "pages/trail/table.py", "frame.to_csv(file)", False),
    ("csv_at_home", "judges/render/csv_cells.py", "out = csv.writer(file)", True),
    ("session_state_at_home", "pages/desk/page.py", "st.session_state['a'] = 1", False),
    ("parts_at_home", "pages/desk/page.py", "draw = st.fragment(draw)", False),
    ("parts_at_home", "pages/ui/text.py", "draw = st.fragment(draw)", True),
    ("session_state_at_home", "pages/desk/page.py", "from streamlit import session_state", False),
    ("session_state_at_home", "pages/ui/session.py", "st.session_state['a'] = 1", True),
    ("second_opinions_in_tests", "judges/stats/agreement.py", "from sklearn.metrics import cohen_kappa_score", False),
    ("second_opinions_in_tests", "tests/judges/stats/test_agreement.py", "import statsmodels", True),
    ("late_libraries", "judges/stats/agreement.py", "from scipy.special import stdtr", False),
    ("late_libraries", "judges/stats/agreement.py", "def f():\n    from scipy.special import stdtr", True),
    ("pinned_libraries", "data/a.py", "import yaml", False),
    ("pinned_libraries", "data/store/postgresql.py", "import psycopg", False),
    ("pinned_libraries", "data/store/postgresql.py", "def call():\n    import psycopg", True),
    ("pinned_libraries", "judges/cards/zz_mine/card.py", "import yaml", True),
    ("pinned_libraries", "data/a.py", "import json, pandas\nfrom data.store.ids import now", True),
    ("judges_pure", "judges/a.py", "import time", False),
    ("judges_pure", "judges/a.py", "from datetime import datetime", False),
    ("judges_pure", "judges/a.py", "import random\nrandom.shuffle([])", False),
    ("judges_pure", "judges/a.py", "from random import choice", False),
    ("judges_pure", "judges/a.py", "np.random.normal()", False),
    ("judges_pure", "judges/a.py", "np.random.default_rng()", False),
    ("judges_pure", "judges/a.py", "rng = np.random.default_rng(seed)\nrng.normal()\nrandom.Random(7).random()", True),
    ("judges_pure", "data/store/ids.py", "import time", True),
    ("each_test_draws_alone", "tests/judges/test_a.py", "RNG = np.random.default_rng(7)", False),
    ("each_test_draws_alone", "tests/judges/test_a.py", "r = random.Random(7)", False),
    ("each_test_draws_alone", "tests/judges/test_a.py", "def test_a():\n    rng = np.random.default_rng(7)", True),
    ("each_test_draws_alone", "judges/a.py", "RNG = np.random.default_rng(7)", True),
    ("sql_in_data", "pages/a/b.py", "rows('select a from b')", False),
    ("sql_in_data", "pages/a/b.py", 'rows(f"SELECT {a} FROM {b}")', False),
    ("sql_in_data", "judges/a.py", "q = '''\n  with x as (select 1) select * from x'''", False),
    ("sql_in_data", "pages/a/b.py", "st.caption('Select a file from the list')\nx = 'update'", True),
    ("sql_in_data", "data/a.py", "rows('select a from b')", True),
    ("only_appends", "data/a.py", "rows('update label set value = 1')", False),
    ("only_appends", "data/a.py", "rows(f'delete from {table}')", False),
    ("only_appends", "data/a.py", "rows('INSERT INTO a VALUES (1) ON CONFLICT (b) DO UPDATE SET c = 1')", False),
    ("only_appends", "data/a.py", '"""We never delete from a table."""\nrows("insert into a select 1")', True),
    ("functions_act_or_give", "data/a.py", "def _told(x): ...", False),
    ("functions_act_or_give", "judges/a.py", "class A:\n    async def _sorted(self): ...", False),
    ("functions_act_or_give", "pages/a/b.py", "def f():\n    def beside(): ...", False),
    ("functions_act_or_give", "data/a.py", "def feed(): ...\ndef sort_rows(): ...\ndef stored_rows(): ...", True),
    ("functions_act_or_give", "data/a.py", "class A:\n    @property\n    def ended(self): ...", True),
    ("functions_act_or_give", "tests/test_a.py", "def told(x): ...", False),
    ("variables_say_what_they_hold", "data/a.py", "def f(said): ...", False),
    ("variables_say_what_they_hold", "pages/a/b.py", "def f():\n    if held := g():\n        return held", False),
    ("variables_say_what_they_hold", "judges/a.py", "async def f():\n    return [there for there in g()]", False),
    ("variables_say_what_they_hold", "judges/a.py", "f = lambda told: told", False),
    ("variables_say_what_they_hold", "data/a.py", "class A:\n    asked: bool\ndef f(x):\n    return x.asked", True),
    ("variables_say_what_they_hold", "tests/test_a.py", "def f(said): ...", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.markdown(f'{x}')", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.markdown(f'{x:.2f}')", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.write('a', x)", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.title(item.name)", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.warning('a {}'.format(x))", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.caption('a %s' % x)", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.sidebar.button('a' + x)", False),
    ("shown_text_is_ours", "pages/a/b.py", "left.metric('a', name)", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.checkbox('a', help=note)", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.tabs([a, 'b'])", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.radio('a', systems)", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.radio('a', systems, format_func=str)", False),
    ("shown_text_is_ours", "pages/a/b.py", "x = 'a'\nx = name\nst.title(x)", False),
    ("shown_text_is_ours", "pages/a/b.py", "x = 'a'\nfor x in names:\n    st.title(x)", False),
    ("shown_text_is_ours", "pages/a/b.py", "X = 'a'\ndef f(X):\n    st.title(X)", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.title(item.names[0])", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.table(frame)", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.html('<b>', unsafe_allow_javascript=True)", False),
    ("shown_text_is_ours", "pages/a/b.py", "show = st.markdown\nshow(x)", False),
    ("shown_text_is_ours", "pages/a/b.py", "from streamlit import markdown", False),
    ("shown_text_is_ours", "pages/a/b.py", "text.say(f'{x}')", False),
    ("shown_text_is_ours", "pages/a/b.py", "st.markdown('a' if x else 'b')\nst.title(text.escape(x))", True),
    ("shown_text_is_ours", "pages/a/b.py", "HELLO = 'a'\nst.markdown(HELLO)\nst.button('x', key=f'a:{b}')", True),
    ("shown_text_is_ours", "pages/a/b.py", "st.metric('a', f'{x:.2f}', len(b))", True),
    ("shown_text_is_ours", "pages/a/b.py", "st.tabs([text.escape(x) for x in y])", True),
    ("shown_text_is_ours", "pages/a/b.py", "st.radio('a', ['b'])\nst.radio('a', x, format_func=text.escape)", True),
    ("shown_text_is_ours", "pages/a/b.py", "N = {'a': 'A'}\nst.pills('a', list(N), format_func=N.get)", True),
    ("shown_text_is_ours", "pages/a/b.py", "st.caption('a' + ('b' if x else ''))", True),
    ("shown_text_is_ours", "pages/a/b.py", "x = text.escape(y)\nst.title(x)\nst.title(words.HELLO)", True),
    ("shown_text_is_ours", "pages/a/b.py", "N: D = {'a': 'A'}\nst.radio('a', N, format_func=lambda x: N[x])", True),
    ("shown_text_is_ours", "pages/a/b.py", "from a import N\nst.radio('a', x, format_func=N.get)", True),
    ("shown_text_is_ours", "pages/a/b.py", "text.say('{x}', x=x)\nname.title()\nst.text(x)\nst.code(x)", True),
    ("nothing_is_fetched", "pages/a/b.py", "st.video(x)", False),
    ("nothing_is_fetched", "pages/a/b.py", "st.column_config.LinkColumn('a')", False),
    ("nothing_is_fetched", "pages/a/b.py", "st.components.v1.html(x)", False),
    ("nothing_is_fetched", "pages/a/b.py", "st.components.v2.component('a')\nst.column_config.TextColumn()", True),
    ("templates_are_ours", "judges/render/findings/a.py", "say(f'{x}')", False),
    ("templates_are_ours", "judges/render/findings/a.py", "quiet(words[0] + x, x=1)", False),
    ("templates_are_ours", "judges/render/findings/a.py", "T = {'a': 'A {x}'}\nwarn(T[y], x=z)\nsay('{x}', x=x)", True),
    ("headings_leave_no_level_out", "pages/a/page.py", "st.subheader('A')", False),
    ("headings_leave_no_level_out", "pages/a/page.py", "st.title('A')\nst.header('B')", True),
    ("has_docstring", "judges/a.py", "def f(): pass", False),
    ("has_docstring", "judges/a.py", '"""A."""\nclass A: pass', False),
    ("has_docstring", "judges/cards/mt_bench/card.py", "def f(): pass", False),
    ("has_docstring", "judges/cards/zz_mine/card.py", "def f(): pass", True),
    ("has_docstring", "judges/a.py", '"""A."""\ndef f():\n    """F."""\ndef _g(): pass', True),
]


@pytest.mark.parametrize(("name", "path", "code", "passes"), SNIPPETS)
def test_rule_works(name, path, code, passes):
    findings = list(RULES[name](Source(path, code)))
    assert (not findings) is passes, f"{name} on {code!r}: {findings or 'nothing found'}"


def test_every_rule_is_tried():
    both = {(name, passes) for name, _, _, passes in SNIPPETS}
    assert both == {(name, passes) for name in RULES for passes in (True, False)}
