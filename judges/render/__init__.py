"""Figures drawn as SVG and HTML, for pages and reports alike."""
