"""The parts of an approval: policy, the case for it, decisions on record, suspension."""
