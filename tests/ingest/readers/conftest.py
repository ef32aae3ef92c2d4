"""Reading what tests of a format write."""

import pytest

from ingest.readers import find_profile_reader


@pytest.fixture
def read(tmp_path, request):
    """Return a function that writes a file called `FILE` of the `FORMAT` of the module, and reads it."""

    def write_and_read(content, name=""):
        file = tmp_path / (name or request.module.FILE)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        reader = find_profile_reader(file)
        assert reader.name == request.module.FORMAT
        return reader.read(file)

    return write_and_read
