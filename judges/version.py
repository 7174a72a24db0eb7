"""The version of Assay, as every report, export and command says it."""

VERSION = "0.15.0"
"""Major, minor and patch, as CHANGELOG.md lists them."""
