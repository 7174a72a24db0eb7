"""The documents that leave Assay: plots as SVG, tables as HTML and CSV, and the report of one judge."""
