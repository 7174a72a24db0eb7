"""The workspace itself: where it is kept, backups while it is in use, and whether all of it fits together."""

from __future__ import annotations

import streamlit as st

from data import backups
from data.verify import verify
from judges.errors import AssayError
from pages.parts import session, text


def page() -> None:
    """Store, backups, check."""
    who, store = session.me("lead"), session.store()
    st.title("Workspace")
    text.say("Everything is kept in {url}, at change {newest}.", url=store.url, newest=f"{store.newest():,}")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Backups")
        st.caption("A consistent copy, made while everybody goes on working. Never copy the live file itself.")
        if st.button("Make a backup", icon=":material/save:", type="primary"):
            try:
                with st.spinner("Copying"):
                    made = backups.make(store, who.name)
                st.success(text.plain(f"Written: {made.name}"), icon=":material/check:")
            except AssayError as error:
                text.refuse(error)
        found = backups.listing(store)
        if found:
            st.dataframe(
                {
                    "backup": [b.name for b in found],
                    "MB": [b.size / 1e6 for b in found],
                    "made (UTC)": [b.made_at for b in found],
                },
                hide_index=True,
                column_config={"MB": st.column_config.NumberColumn(format="%.1f")},
            )
        else:
            st.caption("There is none yet.")
        st.caption("To put one back: stop Assay, then python -m data restore backups/NAME")
    with right:
        st.subheader("Check")
        st.caption("Reads everything once: that no row is missing, and that every row fits the others.")
        if st.button("Check the workspace", icon=":material/fact_check:"):
            with st.spinner("Reading"):
                wrong = verify(store)
            if wrong:
                st.error("This does not fit together. Make a backup of what is there, and ask before going on.")
                st.dataframe({"what": wrong}, hide_index=True)
            else:
                st.success("Everything fits together.", icon=":material/check:")
