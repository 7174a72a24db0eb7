"""Finds a Chromium for the tests, and installs one where there is none: `python -m tests.browser`, by `make test`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SHELL = "chromium-headless-shell"
"""The same browser without a window: a test in it takes about a quarter less processor time."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)
NONE = (
    "No browser was found for the tests, and none could be installed. Install Chromium or Google Chrome, or run: "
    ".venv/bin/python -m playwright install --with-deps chromium"
)


def find(shell: bool = True) -> Path | None:
    """The first Chromium that runs: on the path, as an application of macOS, or in Playwright's own cache.

    Without `shell` one that people browse with, as long as there is one: what is measured is measured in that.
    """
    names = (SHELL, *NAMES) if shell else (*NAMES, SHELL)
    named = [Path(executable) for name in names if (executable := shutil.which(name))]
    return next((path for path in [*named, *MAC] if runs(path)), None) or playwrights_own()


def runs(path: Path) -> bool:
    """Whether it starts at all: on Ubuntu `chromium-browser` may be a stub that only points to a snap."""
    try:
        return path.exists() and subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def playwrights_own() -> Path | None:
    """The Chromium that Playwright has downloaded, if it has."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if runs(path) else None


def ours() -> bool:
    """Whether this is a machine on which packages may be installed without asking: a container, as a rule."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install() -> Path | None:
    """Install a browser: Debian's package (and fonts for Japanese and Chinese) where we may, else Playwright's own."""
    if ours() and attempt(["apt-get", "update"]):
        for package in (SHELL, "chromium"):
            attempt(["apt-get", "install", "-y", "--no-install-recommends", package, "fonts-noto-cjk"])
            if path := find():
                return path
    own = [sys.executable, "-m", "playwright", "install", *(["--with-deps"] if ours() else []), "chromium"]
    return find() if attempt(own) else None


def attempt(command: list[str]) -> bool:
    """Run an installer without questions; True when it went well."""
    print("A browser for the tests:", *command, flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=quiet).returncode == 0


if __name__ == "__main__":
    if not (shutil.which(SHELL) if ours() else find()) and not install():
        sys.exit(NONE)
