"""The HTTP API under /api/v1, for programs: a table of routes, and what every route shares.

- `routes`: the table: method, path, scope, least role, what it takes and gives, its handler.
- `models`: what comes in and goes out, as pydantic models.
- `intake`, `figures`, `runs`: the handlers: what comes in; figures, states and rows; runs.
- `server`: a request's way: address, token, rate, body, handler in a thread, answer.
- `call`, `parameters`: a request as a handler sees it, and its query, read strictly.
- `problems`: refusals in one form.
- `openapi`: the description that is made of the table.
"""
