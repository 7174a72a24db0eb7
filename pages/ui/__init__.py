"""Parts that pages share: they draw what they are given and compute nothing."""
