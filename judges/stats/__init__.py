"""Statistics of judges and people. Formulas, sources and what was measured of them: docs/methods.md.

Foundations of every module:

- `uncertainty`: `Interval`, a figure with its ends; quantiles, Wilson's interval, symmetric intervals (normal, t).
- `agreement`: every figure of a K x K table: kappa, AC1 and AC2, alpha, % agreement, accuracy, precision, recall, F1.
- `bins`: the values of a scale as codes and as rows of its table.
- `intervals`: intervals of kappa and of differences of kappas, by items; `bootstrap` and `strata` are their parts.
- `clustered`: shares, means and their differences, with intervals by items.
- `calibration`: paired ratings of people and judge -> all figures of a dimension, bias, anchoring.
- `multiple_testing`: Holm, Benjamini and Yekutieli.

Whether a dimension may be published:

- `approval_check`: an interval becomes a decision by a policy; `check_states`: the states that it can have;
  `sequential`: any-time looks, or planned ones.
- `sample_size`: kappa as gold grows, and how many more items; `forecast`: what a draw will likely show.
- `sampling`: stratified draws; `nonresponse`: who answered; `drift`: whether an approval is still valid.
- `ppi`: means corrected by labels; `means`: the judge's own; `slices`: kappa and means by slice.

Other views of a judge's quality:

- `concordance` and `other_metrics`: ICC, correlations, mean absolute error, and other figures in papers.
- `baselines`: rules that do not read the text; `comparison`: several judges on the same cells.
- `rates`: true and false positive rates, corrected prevalence; `threshold`: a score used as a flag.
- `confidence`: confidence against agreement; `auto_accept`: verdicts that need no review.
- `self_consistency`: several samples; `both_orders`: both orders of a pair; `missingness`: what is not scored.
- `votes`: single votes on pairs; `weakest_turns`: which turn is the weakest; `system_order`: systems by their means.

For audits only: `association`. People as raters: `raters`.
"""
