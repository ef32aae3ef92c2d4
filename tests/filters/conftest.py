import pytest

from tests.profiles import profile_from_rows


@pytest.fixture
def make_profile():
    return profile_from_rows
