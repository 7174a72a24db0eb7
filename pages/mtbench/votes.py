"""The part Votes: people's votes on pairs of answers, with judges, with the majority and with each other."""

from __future__ import annotations

import streamlit as st

from data.mtbench import figures
from judges.render.findings import mtbench_votes
from pages.mtbench.selection import BenchSelection
from pages.ui import findings, session, text, url_state


def panel(selection: BenchSelection) -> None:
    """The table of agreement of single votes; ties counted and dropped."""
    if not selection.bench.votes:
        st.info(
            "Nobody has voted on pairs of this dataset. Import a file of votes (question_id, turn, model_a, model_b, "
            "winner, judge), or label pairs on the desk.",
            icon=":material/how_to_vote:",
        )
        with st.container(horizontal=True):
            url_state.link("import", "Import votes")
            url_state.link("desk", "Label pairs", dataset=selection.dataset.name)
        return
    findings.draw([mtbench_votes.vote_counts(selection.bench)], "votes")
    with st.spinner("Comparing the votes ..."):
        agreements = figures.vote_agreement(session.store(), selection.dataset.id)
    if not agreements:
        text.quiet("No two of these votes, and no verdict of a judge, are about the same pair.")
        return
    shown = mtbench_votes.table(agreements, selection.names)
    findings.draw_table(shown, f"votes:{selection.dataset.id}", len(shown.rows), width="content")
