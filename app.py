"""The server: opens the store, serves the pages, and answers those who watch over it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from data import log, temp_folders
from data.runs import endpoints, runs
from data.webhooks.deliverer import Deliverer
from data.workspace import schedule
from data.workspace.bootstrap import open_workspace
from data.workspace.warmup import warm_up
from judges.cards import cards
from judges.errors import AssayError
from judges.version import VERSION
from pages.api.routes import ADDRESSES
from pages.api.server import Api
from pages.server import downloads, health, provider, startup
from pages.server.access import OriginCheck, SecurityHeaders, check_hosts, is_local
from pages.server.assets import Assets
from pages.server.auth_routes import AuthRoutes
from pages.server.uploads import Uploads
from pages.ui import session


@contextlib.asynccontextmanager
async def life(_: object) -> AsyncIterator[None]:
    """Hold the store open while the server runs, and compute slow figures in the background."""
    startup.join_logs()
    log.catch()
    try:
        log.begin("INFO")
        check_hosts()
        provider.check_settings()
        endpoints.read_environment(team=provider.is_set() or not is_local())
        cards()
        api.begin()
        store = open_workspace()
    except AssayError as error:
        print(f"Assay cannot start. {error}", file=sys.stderr, flush=True)
        log.error("start_refused", error=type(error).__name__)
        raise SystemExit(1) from None
    except Exception as error:
        log.error("start_failed", error)
        raise SystemExit(1) from None
    end_backups, end_webhooks = schedule.start_schedule(store), Deliverer(store).start()
    try:
        startup.heed_hangup()
        startup.disable_nagle()
        session.set_store(store)
        startup.load_pages()
        runs.follow_all_batches(store)
        warm_up(store)
        log.info("server_started", version=VERSION, store=store.url.partition("://")[0], revision=store.newest())
        yield
    except Exception as error:
        log.error("server_failed", error)
        raise
    finally:
        session.set_store(None)
        end_backups()
        end_webhooks()
        runs.close(store)
        store.close()
        temp_folders.remove()
        log.info("server_stopped", version=VERSION)


api = Api(session.whole_store)
app = st.App(
    "pages/main.py",
    lifespan=life,
    secrets=provider.read_secrets(),
    routes=[
        *health.routes(session.whole_store),
        *(Route(address, downloads.serve_file) for address in downloads.ADDRESSES),
        *(Route(address, endpoint=api) for address in ADDRESSES),
    ],
    middleware=[
        *(Middleware(middleware) for middleware in (SecurityHeaders, OriginCheck, AuthRoutes, Assets)),
        Middleware(Uploads, may_send=session.may_send_files),
    ],
)
