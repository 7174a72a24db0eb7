"""Judges as data, and the statistics of how far to believe them. Pure: no Streamlit, no SQL, no clock."""
