"""Mistakes of users, which are said in one line."""

import pytest

from ingest.errors import InputError, UsageError


def refused(call, *arguments, raises=(InputError, UsageError), **options):
    """Return the line that a call is refused with."""
    with pytest.raises(raises) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)
