"""What leaves Assay as a document: plots as SVG, tables as HTML and CSV, and the report of one judge."""
