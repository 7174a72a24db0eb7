"""Many people on the desk at once, in the way of browsers and in browsers: `make load`, see `__main__`."""
