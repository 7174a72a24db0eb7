"""What Streamlit and the server under it log goes into the log of Assay, without what people's texts say."""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

import streamlit as st
from streamlit import logger as theirs
from streamlit.errors import StreamlitAPIException

PAGES = "streamlit.error_util"
"""The logger that Streamlit tells of an error that no page caught, with the exception."""

SERVER = "uvicorn.error"
"""The logger of the server under Streamlit: of a failed start it has the traceback as a text, which app.py logs."""


def join() -> None:
    """Have every logger of Streamlit's, those that come later too, hand on what it is given."""
    for name in theirs._loggers:
        _hand_on(logging.getLogger("streamlit" if name == "root" else name))
    theirs.setup_formatter = _hand_on
    logging.getLogger(PAGES).addFilter(_named)
    logging.getLogger(SERVER).addFilter(lambda record: not str(record.msg).startswith("Traceback"))


def _hand_on(logger: logging.Logger) -> None:
    """Take away the handler that Streamlit gave it, which would print the messages of exceptions."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.propagate = True


def _named(record: logging.LogRecord) -> bool:
    """Call an error that no page caught by what it is, and say at which address it was."""
    record.event = "page_failed"
    try:
        record.facts = {"page": urlsplit(st.context.url or "").path}
    except (StreamlitAPIException, ValueError, RuntimeError):  # no page's own thread
        record.facts = {}
    return True
