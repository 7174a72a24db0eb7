"""What people see. Pages call data for rows and judges for decisions, and draw; they compute and store nothing."""
