"""The one line that a user sees, whatever the files hold that it tells of."""

import pytest

from ingest.errors import InputError


@pytest.mark.parametrize("odd", ["\x1b[31m", "\n", "\x85", "\u2028", "\x00", "\ud800", "\u202e", "\r\n"])
def test_what_files_hold_cannot_steer_a_terminal(odd):
    line = str(InputError(f"a{odd}b", where=f"c{odd}d", hint=f"e{odd}f"))
    assert line.isprintable()
    assert line.encode()


def test_other_scripts_stay_as_they_are():
    assert str(InputError("größer als 多", where="é.txt")) == "é.txt: größer als 多"


@pytest.mark.parametrize("cited", ["9", "\0"])
def test_a_citation_at_length_is_cut(cited):
    line = str(InputError(cited * 5000, where="a", hint="do this"))
    assert len(line) < 1000
    assert line.endswith("...; do this")
