"""Everything around the pages, in app.py and in the browser: nothing here draws a page.

- `startup`: logs, loaded pages and sockets, set up once as the server starts.
- `access`: who may ask the server, and the security headers of every answer.
- `assets`: the files of Streamlit and of Assay, packed and answered from memory; among them the scripts in bundled/,
  by which judged texts are drawn, and the HTML that a page begins with, with the styles of all pages.
- `provider`, `auth_routes`: the provider at which people sign in, and what Assay adds to Streamlit's addresses for it.
- `limits`, `problems`: rate limits, and refusals to programs in one form.
- `health`: addresses for monitoring: whether the server reads and saves, and its metrics.
- `uploads`, `downloads`: files that people give and take, on the disk instead of in memory (data/temp_folders.py).
"""
