"""People as raters: how far they agree with each other, and how the judge compares with them.

- `ratings`: single labels, and gold without a person's own label.
- `alpha`: Krippendorff's alpha; `human_ceiling`: kappa and alpha among people.
- `alternative_annotator`: could the judge replace one of them?
- `dawid_skene`: how each person errs, from the labels alone; `rater_flags`: what should be looked at in a person's
  work.
"""
