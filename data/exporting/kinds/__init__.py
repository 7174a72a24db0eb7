"""The kinds of export, a module each with its KIND."""
