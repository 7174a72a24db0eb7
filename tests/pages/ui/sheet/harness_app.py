"""Serves the harness script as the app serves its pages: with the files of Streamlit and the desk from memory."""

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pages.server.assets import Assets

app = st.App(
    "harness.py",
    routes=[Route("/health", lambda _: PlainTextResponse("here"))],
    middleware=[Middleware(Assets)],
)
