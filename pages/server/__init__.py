"""Everything around the pages, in app.py and in the browser: nothing here draws a page.

- `startup`: logs, loaded pages and sockets, set up once as the server starts.
- `access`: who may ask the server, and the security headers of every answer.
- `assets`: the files of Streamlit and of Assay, packed and answered from memory; among them the scripts in bundled/,
  by which judged texts are drawn, and the HTML that a page begins with, with the styles of all pages.
- `uploads`, `downloads`: files that people give and take, on the disk instead of in memory (data/temp_folders.py).
"""
