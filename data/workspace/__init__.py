"""The workspace as a whole: begin, back up, restore, verify."""
