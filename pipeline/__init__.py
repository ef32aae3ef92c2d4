"""The pipeline: stages in order, configuration, results, command line."""
