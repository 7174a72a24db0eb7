"""Statistics of judges and people: agreement, intervals, the approval check, corrected means."""
