"""Judges as data, and the statistics that say how far to believe them. Pure: no Streamlit, no SQL, no clock."""
