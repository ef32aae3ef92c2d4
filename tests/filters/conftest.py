import pytest

from tests.filters import rows


@pytest.fixture
def make_profile():
    return rows.make_profile
