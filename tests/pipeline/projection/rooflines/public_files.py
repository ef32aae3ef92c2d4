"""Files of other projects, which lie beside the repository and are not part of it."""

from pathlib import Path

import pytest

LOGS = Path(__file__).parents[5] / "shared" / "data" / "logs"


def public_file(name):
    """Return the path of a file of that name; skip the test if there is none."""
    path = LOGS / name
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    return path
