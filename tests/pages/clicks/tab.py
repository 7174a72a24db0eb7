"""A browser tab in the tests' own process: it keeps the widgets of a page as a browser does, and runs pages/main.py.

Unlike Streamlit's AppTest it knows fragments, links between pages, addresses, and the events of components.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import MagicMock
from urllib.parse import parse_qs

import pyarrow
import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.proto.ClientState_pb2 import ContextInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.caching.storage.dummy_cache_storage import MemoryCacheStorageManager
from streamlit.runtime.dataframe_source_manager import DataframeSourceManager
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.state.common import TESTING_KEY
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from tests.server import ROOT

MAIN = str(ROOT / "pages" / "main.py")
WIDGETS = (
    "button button_group bidi_component checkbox dataframe date_input multiselect number_input radio selectbox "
    "text_area text_input"
).split()
WORDS = "label body value text help title content delta code_text message caption placeholder query_string".split()
_scripts = ScriptCache()


def replace_runtime(patch: pytest.MonkeyPatch) -> None:
    """Stand for Streamlit's server, as AppTest does."""
    runtime = MagicMock(spec=Runtime)
    runtime.media_file_mgr = MediaFileManager(MemoryMediaFileStorage("/media"))
    runtime.dataframe_source_mgr = DataframeSourceManager()
    runtime.cache_storage_manager = MemoryCacheStorageManager()
    runtime.bidi_component_registry = BidiComponentManager()
    patch.setattr(Runtime, "_instance", runtime)
    patch.setattr(PagesManager, "uses_pages_directory", None)


class Node:
    """An element or block on screen, and the fragment that drew it."""

    def __init__(self, kind: str = "", proto: Any = None, fragment: str = "") -> None:
        self.kind, self.proto, self.fragment = kind, proto, fragment
        self.children: dict[int, Node] = {}

    def walk(self) -> Iterator[Node]:
        yield self
        for number in sorted(self.children):
            yield from self.children[number].walk()

    def table(self) -> pyarrow.Table:
        """The rows of a dataframe."""
        data = self.proto.arrow_data.data if self.proto.HasField("arrow_data") else self.proto.data
        return pyarrow.ipc.open_stream(data).read_all()


def state_of(node: Node, value: Any) -> WidgetState:
    """The state that a widget with that value sends; None is no value."""
    state = WidgetState(id=node.proto.id)
    if isinstance(value, list):
        state.string_array_value.data.extend(value)
    elif value is not None:
        sort = {bool: "bool", float: "double", str: "string"}[type(value)]
        setattr(state, f"{sort}_value", value)
    return state


def mounted_value(node: Node) -> Any:
    """What a widget has when it comes up: what the server sets, or else its default."""
    proto, sets = node.proto, getattr(node.proto, "set_value", False)
    if node.kind in ("multiselect", "button_group"):
        options = [getattr(option, "content", option) for option in proto.options]
        return list(proto.raw_values) if sets else [options[place] for place in proto.default]
    if node.kind == "date_input":
        return list(proto.value if sets else proto.default)
    if node.kind in ("selectbox", "radio"):
        if sets:
            return proto.raw_value if proto.HasField("raw_value") else None
        return proto.options[proto.default] if proto.HasField("default") and proto.options else None
    if node.kind == "checkbox":
        return proto.value if sets else proto.default
    if node.kind in ("text_input", "text_area", "number_input"):
        field = "value" if sets else "default"
        return getattr(proto, field) if proto.HasField(field) else None
    return None


class Tab:
    """A tab of one person: what it shows, and what its widgets hold."""

    def __init__(self, person: str) -> None:
        self.person = person
        self._begin_session()

    def _begin_session(self) -> None:
        """A session of its own, in which the person is signed in."""
        state = SessionState()
        state[TESTING_KEY], state["person"] = {}, self.person
        self.state, self.fragments = SafeSessionState(state, lambda: None), MemoryFragmentStorage()
        self.widgets: dict[str, WidgetState] = {}
        self.page_hash, self.query, self.is_lost = "", "", False
        self.root, self.pages = Node(), dict[str, Any]()

    @property
    def address(self) -> str:
        return str(self.pages.get(self.page_hash, {}).get("url_pathname", ""))

    @property
    def parameters(self) -> dict[str, str]:
        return {name: values[-1] for name, values in parse_qs(self.query).items()}

    def nodes(self, *kinds: str) -> list[Node]:
        return [node for node in self.root.walk() if node.kind in kinds]

    def texts(self) -> list[str]:
        """The words, tables, components and choices on screen."""
        texts = []
        for node in self.root.walk():
            if node.kind == "dataframe":
                texts.append(str(node.table().to_pydict()))
            elif node.kind == "bidi_component":
                texts.append(node.proto.json)
            elif node.kind not in ("", "html", "toast"):
                words = [getattr(node.proto, name, "") for name in WORDS]
                options = [getattr(option, "content", option) for option in getattr(node.proto, "options", ())]
                chosen = self.widgets.get(getattr(node.proto, "id", ""))
                words = [word for word in words if isinstance(word, str)]
                texts.append(" ".join([node.kind, *words, str(options), str(chosen)]))
        return texts

    # -- what a person does -------------------------------------------------------------------------------------------

    def open(self, address: str, query: str = "") -> None:
        """Type an address, which begins another session."""
        self._begin_session()
        self._run(RerunData(query_string=query, page_name=address))

    def follow(self, link: Node) -> None:
        """Click on a link to a page: the widgets of the page before are gone."""
        self.widgets.clear()
        self._run(RerunData(link.proto.query_string, WidgetStates(), link.proto.page_script_hash))

    def click(self, button: Node) -> None:
        self.rerun(button.fragment, WidgetState(id=button.proto.id, trigger_value=True))

    def set(self, node: Node, value: Any) -> None:
        """Give a widget a value."""
        self.widgets[node.proto.id] = state_of(node, value)
        self.rerun(node.fragment)

    def fire(self, component: Node, event: str, value: Any) -> None:
        """Let a component say that something happened."""
        state = WidgetState(id=_make_trigger_id(component.proto.id, "events"))
        state.json_trigger_value = json.dumps([{"event": event, "value": value}])
        self.rerun(component.fragment, state)

    def rerun(self, fragment: str = "", *triggers: WidgetState) -> None:
        states = WidgetStates(widgets=[*self.widgets.values(), *triggers])
        self._run(RerunData(self.query, states, self.page_hash, fragment_id=fragment or None))

    # -- what the server does -----------------------------------------------------------------------------------------

    def _run(self, data: RerunData) -> None:
        """Run the script, and take what it sends."""
        context = ContextInfo(timezone="Europe/Berlin", url="http://127.0.0.1:8501/")
        manager = PagesManager(MAIN, _scripts, setup_watcher=False)
        manager.set_current_page_script_hash(self.page_hash)
        runner = LocalScriptRunner(
            MAIN, self.state, manager, fragment_storage=self.fragments, user_info={"email": "test@example.com"}
        )
        messages: list[Any] = []

        def take(sender: Any, event: Any, **facts: Any) -> None:
            if event.name == "SCRIPT_STARTED":
                messages.append(list(facts.get("fragment_ids_this_run") or []))
            elif event.name == "ENQUEUE_FORWARD_MSG":
                messages.append(facts["forward_msg"])
            elif event.name == "SHUTDOWN":
                self.query = facts["client_state"].query_string

        runner.on_event.connect(take, weak=False)
        runner._requests = ScriptRequests()
        runner.request_rerun(replace(data, context_info=context))
        runner.start()
        runner._script_thread.join(120)
        assert not runner._script_thread.is_alive(), "the script does not end"
        self.page_hash, self.pages, self.is_lost = manager.current_page_script_hash, manager.get_pages(), False
        for message in messages:
            self._take(message)
        shown = {node.proto.id: node for node in self.nodes(*WIDGETS) if node.proto.id}
        self.widgets = {id_: state for id_, state in self.widgets.items() if id_ in shown}
        for id_, node in shown.items():
            value = mounted_value(node)
            if value is not None and (id_ not in self.widgets or getattr(node.proto, "set_value", False)):
                self.widgets[id_] = state_of(node, value)

    def _take(self, message: Any) -> None:
        """Draw what the server sent: a list of fragments begins their run, an empty one that of the page."""
        if isinstance(message, list):
            self.root = self.root if message else Node()
            for node in list(self.root.walk()):
                node.children = {n: child for n, child in node.children.items() if child.fragment not in message}
            return
        self.is_lost = self.is_lost or message.WhichOneof("type") == "page_not_found"
        if message.WhichOneof("type") != "delta":
            return
        delta, place = message.delta, self.root
        *above, last = message.metadata.delta_path
        for number in above:
            place = place.children.setdefault(number, Node())
        new = delta.new_element if delta.WhichOneof("type") == "new_element" else delta.add_block
        kind = new.WhichOneof("type")
        place.children[last] = Node(kind or "", getattr(new, kind) if kind else None, delta.fragment_id)
