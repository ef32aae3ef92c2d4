"""Semi-analytical models: symbolic expressions over inputs, machine values and fitted parameters."""
