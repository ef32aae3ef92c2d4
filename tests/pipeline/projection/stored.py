"""Readers of stored scaling models for tests."""


def no_models(directory, level):
    """Stand for a reader where no application uses stored models."""
    raise AssertionError(f"nothing reads {level} models of {directory} here")
