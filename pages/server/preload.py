"""Loading all pages before the first visit, and settling what is loaded."""

from __future__ import annotations

import gc
import importlib
import pkgutil

import pages


def settle() -> None:
    """Load every page, and take what is loaded by then out of the garbage collector's way.

    It lives as long as the server, and walking over it now and then would hold up an answer for a tenth of a second.
    """
    for module in pkgutil.walk_packages(pages.__path__, "pages."):
        if module.name != "pages.main":
            importlib.import_module(module.name)
    gc.collect()
    gc.freeze()
