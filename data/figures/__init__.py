"""What the calibration and comparison pages draw from the store beside the gate's own figures."""
