"""Everything that goes out. A kind of export is a module in kinds/, found by being there; exporting.py has the acts."""
