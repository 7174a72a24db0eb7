"""nginx before several servers, with the settings of deploy/nginx.conf: TLS, and each browser stays with one server."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.certificates import certify
from tests.conftest import FLAGS
from tests.server import PATIENCE, ROOT, Server, free_port

NAME = "assay.example.org"
"""The name of the example, under which the servers answer: it leads to this machine in the tests alone."""
ENVIRONMENT: dict[str, str | None] = {
    "STREAMLIT_SERVER_ALLOWED_HOSTS": NAME,
    "STREAMLIT_SERVER_COOKIE_SECRET": "the same for all replicas of this test",
}


def program() -> str | None:
    """Where nginx is, or None."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def flags() -> list[str]:
    """The flags of a browser to which the name leads to this machine."""
    others = [flag for flag in FLAGS if not flag.startswith("--host-resolver-rules")]
    return [*others, f"--host-resolver-rules=MAP {NAME} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]


class Proxy:
    """nginx in the foreground, before these servers; `url` is where browsers come."""

    def __init__(self, folder: Path, apps: Sequence[Server]) -> None:
        self.port = free_port()
        self.url = f"https://{NAME}:{self.port}"
        folder.mkdir(exist_ok=True)
        certify(folder, NAME)
        config = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
        for number, app in enumerate(apps, 1):
            config = config.replace(f"assay-{number}:8501", f"127.0.0.1:{app.port}")
        config = re.sub(r"\n    server \{\n        listen 80;.*?\n    \}\n", "\n", config, flags=re.DOTALL)
        config = config.replace("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl")
        config = config.replace("/etc/nginx/certificates", str(folder)).replace("/tmp/nginx", str(folder / "nginx"))
        config = config.replace("/run/nginx", str(folder / "nginx"))
        self.settings = folder / "nginx.conf"
        self.settings.write_text(config, encoding="utf-8")
        self.log = folder / "nginx.log"
        nginx = program()
        assert nginx is not None, "nginx is not installed"
        command = [nginx, "-c", str(self.settings), "-g", "daemon off;"]
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self._wait()

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            assert self.process.poll() is None, self.log.read_text(encoding="utf-8")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 2):
                return
            time.sleep(0.05)
        raise AssertionError("nginx did not begin to listen.")

    def close(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(20)


def trusting() -> ssl.SSLContext:
    """What takes that certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
