"""Imports: everything is validated, compared with what is there, and written all at once or not at all.

One file's way: `files/source` names it, `detection/detection` says what it is, `plan` has what a person decided (or
`detection/plan_proposal` proposes), and `snapshot` what has to be known of the workspace. `source_reader` goes through
it, for an upload in a process of its own (`subprocess_reader`), and makes questions of names: `files/container` makes
records of its bytes, a module of `formats/` lines of its records, and `checks/line_checks` rows of lines. These wait in
files (`staging`) until all was read; then `importing` writes them in one transaction.
"""
