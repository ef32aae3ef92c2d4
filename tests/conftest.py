"""What holds for all tests."""


def pytest_make_parametrize_id(val, argname):
    """Name cases of bytes by their argument: compressed data hold the time, names must not."""
    return argname if isinstance(val, bytes) else None
