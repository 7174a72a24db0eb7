"""An empty page in a real browser on which a component's scripts run without Streamlit."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from pages.server import assets

ORIGIN = "http://localhost:9"


def answer_all(page: Any, bed: str, address: str, scripts: str) -> None:
    """Answer whatever the page asks for: the scripts at their address, the bundled libraries, and else the bed."""
    libraries = assets.library_files()

    def answer(route: Any) -> None:
        path = urlsplit(route.request.url).path
        if path in libraries:
            route.fulfill(path=libraries[path])
        elif path == address:
            route.fulfill(body=scripts, content_type="text/javascript")
        else:
            route.fulfill(body=bed, content_type="text/html")

    page.route("**/*", answer)
