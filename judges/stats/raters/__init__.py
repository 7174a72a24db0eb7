"""People as raters: how far they agree with each other, and how the judge compares with them.

- `ratings`: labels one by one, and gold made without a person's own label.
- `human_ceiling`: kappa and alpha among people; `alternative_annotator`: could the judge replace one of them?
- `dawid_skene`: how each person errs, from the labels alone; `rater_flags`: what is worth a look in somebody's work.
"""
