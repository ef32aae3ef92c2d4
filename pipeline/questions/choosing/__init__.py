"""Which scale to run a job at, so that it holds what is asked for."""
