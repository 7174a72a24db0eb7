"""Sign-in: with the provider or, without one, by choosing a name on trust."""

from __future__ import annotations

import streamlit as st

from data.records import people
from data.records.access import Person, Role
from pages.server import limits, provider
from pages.ui import session, text, url_state

MAX_NAME_BUTTONS = 8
"""People who get a button each; with more of them there is only the field that finds a name."""

ROLE_AUDIENCES: dict[Role, str] = {"annotator": "everybody", "researcher": "researchers and leads", "lead": "leads"}

# Sets the cookie by which the next visit knows the name; a component, because only the browser can set it. Its place on
# the page is taken out, so that it leaves no gap.
_remember = st.components.v2.component(
    "assay_name",
    js="""export default function({data, parentElement}) {
      const place = (parentElement.host ?? parentElement).closest('[data-testid="stElementContainer"]');
      if (place) place.style.display = "none";
      const age = data.name ? 60 * 60 * 24 * 90 : 0;
      document.cookie = `${data.cookie}=${encodeURIComponent(data.name)}; path=/; max-age=${age}; samesite=strict`
        + (location.protocol === "https:" ? "; secure" : "");
    }""",
)


def set_cookie() -> None:
    """Let the browser remember (or forget) the name that was chosen in this tab."""
    name = session.cookie_to_set()
    if name is not None:
        _remember(key="assay_name", data={"cookie": session.COOKIE, "name": name}, height=1)


def sign_out() -> None:
    """Sign out: this browser forgets the name. Ends at the root, so that whoever enters next is not sent out again."""
    session.sign_out()
    url_state.open_page("overview")


def refuse_page(title: str, role: Role) -> None:
    """Say that a page is for people of another role, and who can change that."""
    me = session.me()
    leads = [p.name for p in people.all_people(session.store()) if p.may("lead")]
    st.title(text.escape(title), anchor=False)
    text.say(
        "This page is for {roles}, and you are {role}. {leads} can change your role on the page People.",
        roles=ROLE_AUDIENCES[role], role=f"an {me.role}" if me.role == "annotator" else f"a {me.role}",
        leads=", ".join(leads[:MAX_NAME_BUTTONS]) or "A lead",
    )  # fmt: skip
    url_state.link("overview")


def page() -> None:
    """Sign in at the provider; without one, choose a name or enter a new one."""
    if not provider.is_set():
        return _choose_name()
    _, middle, _ = st.columns([1, 1.4, 1])
    with middle:
        st.title("Assay", anchor=False)
        st.markdown("How well does an LLM judge agree with people? Labels by people tell.")
        with text.refusals():
            if session.admit_account():
                st.rerun()
        if st.button("Sign in", type="primary", icon=":material/login:", width="stretch"):
            st.login()
        session.explain_name_trust()


def _choose_name() -> None:
    known = people.all_people(session.store())
    first = not any(p.role == "lead" for p in known)
    _, middle, _ = st.columns([1, 1.4, 1])
    with middle:
        st.title("Assay", anchor=False)
        st.markdown("How well does an LLM judge agree with people? Labels by people tell. **Who\u00a0are\u00a0you?**")
        if 0 < len(known) <= MAX_NAME_BUTTONS:
            with st.container(gap="small"):
                for person in known:
                    key = f"enter:{person.name}"
                    if st.button(text.escape(f"{person.name} · {person.role}"), key=key, width="stretch"):
                        _sign_in_as(person.name)
        if len(known) > MAX_NAME_BUTTONS:
            _find(known)
        with st.form("new", border=False):
            name = st.text_input(
                "Somebody else" if known else "Your name", max_chars=60, placeholder="as shown beside your labels"
            )
            if st.form_submit_button("Enter", type="secondary" if known else "primary"):
                _sign_in_as(name)
        st.caption(
            "You are the first here, so you become this workspace's lead."
            if first
            else "New names begin as annotators; a lead can change that."
        )
        session.explain_name_trust()


def _find(known: list[Person]) -> None:
    """One of many people, found by typing a part of the name."""
    roles = {p.name: p.role for p in known}
    name = st.selectbox(
        "Find your name", list(roles), index=None, placeholder="type a part of it", key="enter:find",
        format_func=lambda n: f"{n} · {roles[n]}",
    )  # fmt: skip
    if name:
        _sign_in_as(name)


def _sign_in_as(name: str) -> None:
    with text.refusals():
        limits.check_sign_in()
        session.sign_in(people.join_workspace(session.store(), name).name)
        st.rerun()
