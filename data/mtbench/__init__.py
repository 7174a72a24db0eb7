"""MT-Bench as a workspace holds it: its datasets as the records that figures are made of."""
