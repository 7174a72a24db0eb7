"""Browser tabs that go from test to test, each time as new.

A page of the app costs 0.6 s of processor time in a new tab, and 0.4 s in one that has shown that address before: its
scripts are compiled there. So apps that follow each other have the same port, too (tests.server), and a tab waits at
that address for the next test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests import server

ORDINARY = {"viewport": {"width": 1440, "height": 900}, "locale": "en-US", "reduced_motion": "reduce"}
FORGET = "() => { try { localStorage.clear(); sessionStorage.clear() } catch { /* a blank page has none */ } }"
"""In the page that is left, which may store more as it goes, and in the next; the browser does it elsewhere."""


class Tab:
    """A tab in a browser context of its own, as of another person; `page` is Playwright's page."""

    def __init__(self, chromium: Any, options: dict[str, Any]) -> None:
        self.context = chromium.new_context(**{**ORDINARY, **options})
        self.context.set_default_timeout(60_000)
        self.page = self.context.new_page()
        self._scheme = options.get("color_scheme", "light")
        self._hand = self.context.new_cdp_session(self.page)
        self._listening: list[tuple[str, Callable[..., Any]]] = []
        self._scripts = 0
        listen, add = self.page.on, self.page.add_init_script

        def on(event: str, handler: Callable[..., Any]) -> None:
            self._listening.append((event, handler))
            listen(event, handler)

        def add_init_script(*script: Any, **named: Any) -> None:
            self._scripts += 1
            add(*script, **named)

        self.page.on, self.page.add_init_script = on, add_init_script

    @property
    def spent(self) -> bool:
        """Whether it cannot be as new any more: closed, or with a script in it that runs in every page."""
        return self._scripts > 0 or self.page.is_closed()

    def begin_anew(self) -> None:
        """Close the other tabs of the person, leave the page, and forget all that it and the test have left."""
        for other in self.context.pages:
            if other is not self.page:
                other.close()
        while self._listening:
            self.page.remove_listener(*self._listening.pop())
        self.page.unroute_all()
        self._leave()
        self.context.clear_cookies()
        for port in server.PORTS:
            parameters = {"origin": f"http://127.0.0.1:{port}", "storageTypes": "all"}
            self._hand.send("Storage.clearDataForOrigin", parameters)
        if self.page.viewport_size != ORDINARY["viewport"]:
            self.page.set_viewport_size(ORDINARY["viewport"])
        self.page.emulate_media(color_scheme=self._scheme)
        self.page.mouse.move(0, 0)

    def _leave(self) -> None:
        """Go to an empty page of the same address: for one of another, the browser ends the process that compiled."""
        self.page.evaluate(FORGET)
        origin = self.page.evaluate("origin")
        if origin == "null":  # a page that could not be opened
            self.page.goto("about:blank")
            return
        empty = f"{origin}/empty"
        self.page.route(empty, lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
        self.page.goto(empty)
        self.page.unroute_all()
        self.page.evaluate(FORGET)
