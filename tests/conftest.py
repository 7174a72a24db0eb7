"""What every test may ask for. A fixture's docstring says what it gives; `pytest --fixtures tests` lists them."""

import asyncio
import compileall
import gc
import ipaddress
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import disk_usage
from typing import Any

import duckdb
import hypothesis
import pytest
from _pytest.assertion import rewrite

import data.cli.options
import data.store
from data.importing import subprocess_reader
from data.store import opening, postgres_driver
from data.store.duckdb_driver import DuckStore
from tests import browser, seeds, workers
from tests.postgres import Databases
from tests.server import ROOT, WARM, Server
from tests.tabs import Tab

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # What its helpers do in threads and a process of their own costs more than it gains where cores are few.
    "--in-process-gpu",
    # No page stays long enough to win back what it costs to compile its scripts better: an eighth of a page's time.
    "--js-flags=--single-threaded --no-opt --no-maglev",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
# A test that asks for one of these, however indirectly, runs beside its file's others.
BROWSING = {"chromium", "serve", "serve_all"}
FAILED = pytest.StashKey[bool]()
ON_POSTGRES = os.environ.get("ASSAY_TEST_STORE", "") == "postgresql"
"""Every `duckdb:///path` where no file is that a test opens in its own process is a database of PostgreSQL instead."""


def _roomy(folder: str) -> bool:
    """Whether programs can lie there, and stores by the hundred."""
    return os.path.isdir(folder) and not os.statvfs(folder).f_flag & os.ST_NOEXEC and disk_usage(folder).free > 8 << 30


if "TMPDIR" not in os.environ and _roomy("/dev/shm"):
    # On a disk every commit of thousands of small stores would be waited for; in memory it is there at once.
    os.environ["TMPDIR"] = tempfile.tempdir = "/dev/shm"

for _number, _usual in (
    (signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL), (signal.SIGHUP, signal.SIG_DFL),
):  # fmt: skip
    # What a shell starts in the background ignores Ctrl+C, and what nohup starts a hangup. Every process that tests
    # start would, too; and that is right for Assay: these are then for somebody else.
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, _usual)

hypothesis.settings.register_profile(
    "assay",
    deadline=None,
    max_examples=200 if os.environ.get("NEW_CASES") else 30,
    derandomize=not os.environ.get("NEW_CASES"),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("assay")


# -- the network ------------------------------------------------------------------------------------------------------


class ReachedOut(RuntimeError):
    """A test tried to reach another machine. No OSError, so that code under test cannot take it for a bad line."""


def is_local(host: object) -> bool:
    """Whether a host is this machine."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(name).partition("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session", autouse=True)
def only_this_machine() -> Iterator[None]:
    """Lets no test reach anything but loopback, nor look up a name (automatic; in the test's own process)."""

    def guard(real: Callable[..., Any], where: int) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            place = args[where] if len(args) > where else kwargs.get("host")
            host = place[0] if isinstance(place, tuple) else place
            if not (isinstance(args[0], socket.socket) and args[0].family == socket.AF_UNIX) and not is_local(host):
                raise ReachedOut(f"A test may reach nothing but this machine, and tried {host!r}.")
            return real(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, guard(getattr(socket.socket, name), 1))
        patch.setattr(socket.socket, "sendto", guard(socket.socket.sendto, -1))
        patch.setattr(socket, "getaddrinfo", guard(socket.getaddrinfo, 0))
        yield


# -- event loops ------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def room_for_a_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Lets a test without a browser run an event loop of its own (automatic).

    From a worker's first browser test on, Playwright's loop waits in that thread and counts as running there.
    """
    waiting = asyncio._get_running_loop()
    if waiting is None or BROWSING & set(request.fixturenames):
        yield
        return
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(waiting)


# -- cards ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def shipped_cards() -> Iterator[None]:
    """Hides the cards that somebody has added, for archives: their sentences list all cards and what these ask."""
    from judges import cards  # here, so that a card which cannot be used fails no other test
    from tests.test_house import SHIPPED

    def forget() -> None:
        cards.cards.cache_clear()
        cards.scales.cache_clear()

    find_folders = cards._card_folders
    added = set(find_folders()) - set(SHIPPED)
    with pytest.MonkeyPatch.context() as patch:
        if added:
            patch.setattr(cards, "_card_folders", lambda: [name for name in find_folders() if name not in added])
            forget()
            cards.cards()
        yield
    if added:
        forget()


# -- stores -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session", autouse=True)
def one_empty_store(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Callable[..., None]]:
    """Migrates one empty store for each worker, and makes every new store as a copy of its file (automatic).

    Only the migrations are left out: each store is locked, marked and opened as ever. A file of tests about the making
    of stores asks for `stores_made_anew`. What is found in a store before it is opened is remembered for its copies.
    """
    empty_file = tmp_path_factory.mktemp("empty") / "empty.duckdb"
    really, inspect = opening.migrate_store, opening.inspect_store

    def bring_up(path: Path, file: opening.StoreFile | None) -> None:
        if file is not None:
            return really(path, file)
        if not empty_file.exists():
            really(empty_file, None)
        part = opening.beside_path(path, ".making")
        shutil.copyfile(empty_file, part)
        os.replace(part, path)

    def look(path: Path, accept: bool = False, write: bool = True) -> opening.StoreFile | None:
        known = None if accept else seeds.inspect_copy(path)
        return known or inspect(path, accept, write)

    with pytest.MonkeyPatch.context() as patch:
        if ON_POSTGRES:
            take_databases(patch, request.getfixturevalue("databases"))
        patch.setattr(opening, "migrate_store", bring_up)
        patch.setattr(opening, "inspect_store", look)
        patch.setattr(seeds, "CLOSED_STORES", [tmp_path_factory.mktemp("kept")])
        yield really


def take_databases(patch: pytest.MonkeyPatch, databases: Databases) -> None:
    """From here on a database of the server stands for every file that is opened as a store and is not there."""
    real, real_address = data.store.DuckStore, data.cli.options.store_address

    def open_one(path: Path, url: str, accept: bool) -> data.store.Store:
        return real(path, url, accept) if path.exists() else databases.open(path)

    def address() -> str:
        """The address that a command looks at before it opens the store: it begins none."""
        url = real_address()
        path = data.store.duckdb_path(url)
        return databases.address_of(path) if path in databases.named and not path.exists() else url

    patch.setattr(data.store, "DuckStore", open_one)
    patch.setattr(data.cli.options, "store_address", address)
    patch.setattr(seeds, "DATABASES", databases)


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """A PostgreSQL server and its databases, see tests.postgres.Databases; whoever asks is of the group `postgres`."""
    server = Databases()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres_driver, "empty_copy", server.empty_copy)
        yield server
    server.close()


@pytest.fixture
def empty_database(databases: Databases, tmp_path: Path) -> Iterator[str]:
    """The address of an empty workspace in PostgreSQL."""
    counts = len(databases.opened), len(databases.named)
    yield databases.address_of(tmp_path)
    databases.tidy(*counts)


@pytest.fixture(autouse=True)
def store_kind(request: pytest.FixtureRequest, one_empty_store: Callable[..., None]) -> Iterator[None]:
    """Gives a test that is marked `both_stores` files one time, and databases the other time (automatic)."""
    if not ON_POSTGRES and getattr(request, "param", "duckdb") == "duckdb":
        yield
        return
    databases, folder = request.getfixturevalue("databases"), request.getfixturevalue("tmp_path")
    counts = len(databases.opened), len(databases.named)
    with pytest.MonkeyPatch.context() as patch:
        take_databases(patch, databases)
        patch.setenv("ASSAY_BACKUPS", str(folder / "backups"))  # where they lie beside a file; a database has no place
        yield
    databases.tidy(*counts)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `both_stores` on both, the half on PostgreSQL on one worker."""
    if not ON_POSTGRES and metafunc.definition.get_closest_marker("both_stores"):
        other = pytest.param("postgresql", marks=pytest.mark.together("postgres"))
        metafunc.parametrize("store_kind", ["duckdb", other], indirect=True)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Lets DuckDB work on one thread in the tests' own process (automatic); apps and commands have all of theirs.

    On stores as small as these the threads mostly wait for each other: a query took a quarter more processor time.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(opening._CONFIG, "threads", 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def uploads_are_read_at_once() -> Iterator[None]:
    """Lets uploads be read as soon as anything else (automatic): where cores are busy, what comes last never comes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess_reader, "LOWEST_PRIORITY", False)
        yield


@pytest.fixture
def stores_made_anew(one_empty_store: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every new store goes through all migrations, as a user's does."""
    monkeypatch.setattr(opening, "migrate_store", one_empty_store)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """Fold no log into the file of a store that is thrown away with its test: three quarters of the time of a close."""
    close = DuckStore.close

    def close_as_it_is(store: DuckStore) -> None:
        if store._con is not None:
            with suppress(duckdb.Error):
                store._con.execute("pragma disable_checkpoint_on_shutdown")
        close(store)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DuckStore, "close", close_as_it_is)
        return (yield)


# -- the app ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def tmp_path(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder of the test's own, emptied when it has passed.

    The folder itself stays, so that no later one has its name: to DuckDB a store that a test has left open is that of
    the same path.
    """
    yield tmp_path
    if not request.node.stash.get(FAILED, False):
        with suppress(OSError):
            for entry in tmp_path.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry, ignore_errors=True)
                else:
                    entry.unlink()


@contextmanager
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """A factory of running apps, all stopped at the end."""
    with ExitStack() as running:

        def start_one(*, folder: Path | None = None, start: bool = True, **options: Any) -> Server:
            server = Server(folder or tmp_path_factory.mktemp("app"), **options)
            running.push(server)
            if start:
                server.start()
            return server

        yield start_one


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """A factory of running apps: serve(samples=True, store="duckdb:///name", env={...}) gives a tests.server.Server.

    Each has a folder and a store of its own; folder=another.store_path.parent takes over the store of another.
    start=False gives one that is not started yet, so that its store can be filled first. At the end of the test all
    are stopped, and none may have a traceback in its log.
    """
    with serving(tmp_path_factory) as start_one:
        yield start_one


@pytest.fixture(scope="module")
def serve_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """The same for fixtures of a whole file, whose tests only look: its apps are stopped when the last of them is done.

    A test that writes what another one of its file could see, stops its app or kills it takes `serve`.
    """
    with serving(tmp_path_factory) as start_one:
        yield start_one


@pytest.fixture
def assay(serve: Callable[..., Server]) -> Server:
    """The app, running with an empty store: .url .store_path .log .kill() .stop() .start(), see tests.server.Server."""
    return serve()


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of real data (MT-Bench, its Japanese sibling, PandaLM): $ASSAY_REAL, else ../shared/real."""
    named = os.environ.get("ASSAY_REAL")
    folder = Path(named) if named else ROOT.parent / "shared" / "real"
    if not folder.is_dir():
        pytest.skip("The real data sets are not here; ASSAY_REAL can name their folder.")
    return folder


# -- the browser ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser_path() -> Path:
    """The Chromium of this machine."""
    return browser.find() or pytest.fail(browser.NONE)


@pytest.fixture(scope="session")
def chromium(browser_path: Path) -> Iterator[Any]:
    """A Playwright browser, headless, for all tests of this process; it cannot look up any name but localhost.

    Playwright keeps an event loop in this thread: a test that calls asyncio.run must do so in a thread of its own.
    """
    from playwright.sync_api import Locator, expect, sync_playwright

    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Locator, "click", _click_when_drawn(Locator.click))
        # Names of downloads keep their letters wherever the tests are started.
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        opened = playwright.chromium.launch(executable_path=browser_path, args=list(FLAGS), env=environment)
        yield opened
        opened.close()


def _click_when_drawn(click: Callable[..., None]) -> Callable[..., None]:
    """A click that waits, but not for ever, until the page's script does not run.

    What is being drawn may be drawn anew between the button's way down and its way up, and then the click is nobody's.
    """
    apps = "[...document.querySelectorAll('[data-testid=stApp]')]"
    drawn = f"() => {apps}.every((app) => app.dataset.testScriptState === 'notRunning')"

    def patient(locator: Any, **options: Any) -> None:
        with suppress(Exception):  # a page that keeps running, or goes away: the click itself says what is wrong
            locator.page.wait_for_function(drawn, polling=20, timeout=3_000)
        click(locator, **options)

    return patient


@pytest.fixture
def page_errors() -> list[str]:
    """Uncaught errors of all pages of this test, which fail it; a test that provokes one takes it out of the list."""
    return []


@pytest.fixture(scope="session")
def tabs(chromium: Any) -> dict[str, list[Tab]]:
    """The tabs that no test has at the moment, by the options that their contexts were made with."""
    return {}


@pytest.fixture
def new_page(
    chromium: Any,
    tabs: dict[str, list[Tab]],
    page_errors: list[str],
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> Iterator[Callable[..., Any]]:
    """A factory of pages, each in a browser context of its own, as of another person: new_page(color_scheme="dark").

    1440x900, English, without animations, which cost a tenth of the time; any option of Playwright's new_context may be
    given. For a second tab of the same person, call `page.context.new_page()`. A page has nothing of the test that had
    it before. When a test fails, a picture of every page is kept and its place is printed.
    """
    open_tabs: list[tuple[str, Tab]] = []

    def keep(error: Any) -> None:
        page_errors.append(str(error.error))

    def open_one(**options: Any) -> Any:
        idle_tabs = tabs.setdefault(repr(options), [])
        tab = idle_tabs.pop() if idle_tabs else Tab(chromium, options)
        open_tabs.append((repr(options), tab))
        tab.context.on("weberror", keep)
        return tab.page

    yield open_one
    failed = request.node.stash.get(FAILED, False)
    for number, page in enumerate(page for _, tab in open_tabs for page in tab.context.pages):
        if failed:
            picture = tmp_path / f"page{number}.png"
            page.screenshot(path=picture)
            print(f"What the browser showed: {picture}")
    for options, tab in reversed(open_tabs):
        if failed or page_errors or tab.spent:
            tab.context.close()
            continue
        tab.begin_anew()
        tab.context.remove_listener("weberror", keep)
        tabs[options].append(tab)
    assert not page_errors, "Uncaught in the page:\n" + "\n".join(page_errors)


@pytest.fixture
def page(new_page: Callable[..., Any]) -> Any:
    """A page of 1440x900, light, as of a person who has never been here; an uncaught error in it fails the test."""
    return new_page()


# -- the run ----------------------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--workers 4`: how many processes run the tests, see tests.workers; without it, this one does."""
    parser.addoption("--workers", type=int, default=1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Where several processes are to run the tests, they compile Assay and its tests together before."""
    count = session.config.option.workers
    if count < 2 or sys.dont_write_bytecode:
        return
    files = sorted(file for room in ("data", "judges", "pages", "tests") for file in (ROOT / room).rglob("*.py"))
    workers.in_each(count, lambda number: [_compile(file, session.config) for file in files[number::count]])


def _compile(file: Path, config: pytest.Config) -> None:
    """Compile a file as Python, or of tests as pytest would: where that is done, it is only looked at."""
    if not file.name.startswith("test_"):
        compileall.compile_file(file, quiet=2)
        return
    place = rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"
    if rewrite._read_pyc(file, place) is None:
        place.parent.mkdir(exist_ok=True)
        stat, code = rewrite._rewrite_test(file, config)
        rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, stat, place)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several workers, the tests of a file that share an app, a browser or a store stay on one worker.

    Otherwise each worker would make what they share. Browsers begin, then what else stays together, of each the files
    with most tests first: all other tests go wherever is room, so that no worker is without work at the end.
    """
    if ON_POSTGRES:
        for item in items:
            if only := item.get_closest_marker("duckdb_only"):
                item.add_marker(pytest.mark.skip(reason=f"DuckDB only: {only.args[0]}"))
    together = Counter(item.path for item in items if _stays(item))
    for item in items:
        if _stays(item) and not item.get_closest_marker("together"):
            item.add_marker(pytest.mark.together(item.nodeid.partition("::")[0]))
    items.sort(key=lambda item: (browses(item), _stays(item), _stays(item) * together[item.path]), reverse=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """With several workers, each takes the next test, or group of tests, that nobody has taken."""
    if session.config.option.workers < 2 or session.config.option.collectonly or session.testsfailed:
        return None
    units: dict[str, list[int]] = {}
    for place, item in enumerate(session.items):
        group = item.get_closest_marker("together")
        units.setdefault(group.args[0] if group else item.nodeid, []).append(place)
    if sys.platform == "linux" and any(map(browses, session.items)):
        WARM.start()
    workers.run(session, session.config.option.workers, list(units.values()), browses)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """With several workers, a test in a browser fails when it does so twice.

    Where all cores are busy, a click can meet a button that is drawn anew in that moment, and then does nothing. That
    failed one run in some forty, and did not come again in 240 trials of that very click on a busy machine.
    """
    if item.config.option.workers < 2 or not browses(item):
        return None
    return workers.run_again(item, nextitem)


def pytest_collection_finish() -> None:
    """Let no garbage collection look through the thousands of tests and modules that stay until the end."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Nor through all that the tests have left, five times: the process ends."""
    gc.freeze()


def browses(item: pytest.Item) -> bool:
    """Whether a test starts apps or browsers."""
    return bool(BROWSING & set(getattr(item, "fixturenames", ())))


def _stays(item: pytest.Item) -> bool:
    """Whether it does, or takes what is made once for its file."""
    info = getattr(item, "_fixtureinfo", None)
    shared = info is not None and any(
        definition.scope == "module" for definitions in info.name2fixturedefs.values() for definition in definitions
    )
    return browses(item) or shared


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Remember that a test has failed, for the pictures of its pages."""
    report = yield
    item.stash[FAILED] = report.failed or (call.when != "setup" and item.stash.get(FAILED, False))
    return report
