"""TOML that is nested deeply is refused, whatever reads it."""

import pytest

from ingest.errors import InputError
from ingest.readers.timer_tables.beside_log import PARENTS_FILE, named_parents
from ingest.toml_text import DEEPEST, TomlError, parse_toml
from pipeline.config.option_readers import read_prior
from pipeline.config.toml_file import read_toml
from pipeline.projection.expressions.toml_tables import read_toml as read_projection

DEEP = {
    "arrays": "x = " + "[" * 5000 + "]" * 5000,
    "inline tables": "x = " + "{a = " * 3000 + "1" + "}" * 3000,
    "headers": "[" + "a." * 3000 + "a]",
    "keys": "a." * 3000 + "a = 1",
}


def test_as_deep_as_allowed_is_read() -> None:
    assert parse_toml("x = " + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1), "f")
    with pytest.raises(InputError, match=f"nested more than {DEEPEST} deep"):
        parse_toml("x = " + "[" * DEEPEST + "]" * DEEPEST, "f")
    assert parse_toml(f"{'a.' * (DEEPEST - 1)}a = 1", "f")
    with pytest.raises(InputError):
        parse_toml(f"{'a.' * DEEPEST}a = 1", "f")


def test_what_is_no_toml_stays_an_error_of_its_own() -> None:
    with pytest.raises(TomlError):
        parse_toml("x = [", "f")


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_every_reader_refuses_what_is_nested_deeply(tmp_path, text: str) -> None:
    (tmp_path / PARENTS_FILE).write_text(text)
    file = tmp_path / PARENTS_FILE
    for read in (read_toml, read_prior, read_projection):
        with pytest.raises(InputError) as caught:
            read(file)
        assert str(caught.value) == f"{file}: tables or arrays nested more than {DEEPEST} deep; flatten them"
    with pytest.raises(InputError, match="nested more than"):
        named_parents(tmp_path / "run.log")


def test_a_number_of_thousands_of_digits_is_one_line() -> None:
    with pytest.raises(InputError) as caught:
        parse_toml(f"x = {'7' * 5000}", "f")
    assert str(caught.value) == "f: a number has too many digits; correct it"
