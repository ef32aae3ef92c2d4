"""Statistics for models and gate: empirical Bayes, multiple tests, Student quantiles, least squares."""
