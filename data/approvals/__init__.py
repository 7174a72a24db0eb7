"""What an approval is made of: policy, the case for it, decisions on record, suspension."""
