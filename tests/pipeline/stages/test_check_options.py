import datetime
from fractions import Fraction

import pytest

from ingest.errors import UsageError
from pipeline.gate.gate_options import CheckOptions
from pipeline.stages.check import load_check_options

WHOLE = """
[analysis]
metric = "time"

[check]
targets = ["p=4096"]
factor = 1.2            # more than 20 %
false_alarms = 0.01
parallel_efficiency = 0.6

[[check.rule]]
kernel = "*/MPI_Allreduce"
growth = "log2(p)"

[[check.rule]]
kernel = "main"
share = 0.1
factor = 1.5

[[check.waiver]]
kernel = "*/MPI_Bcast"
reason = "see issue 12"
until = 2027-01-31
"""


@pytest.fixture
def load(tmp_path):
    def read(text):
        file = tmp_path / "pipeline.toml"
        file.write_text(text)
        return load_check_options(file)

    return read


def test_a_whole_table(load):
    options = load(WHOLE)
    assert options.targets == ({"p": 4096.0},)
    assert (options.factor, options.false_alarms, options.parallel_efficiency) == (1.2, 0.01, 0.6)
    first, second = options.kernels
    assert (first.match, first.growth) == ("*/MPI_Allreduce", (Fraction(0), 1))
    assert first.place.endswith("pipeline.toml:12")
    assert (second.share, second.factor) == (0.1, 1.5)
    assert options.waivers[0].until == datetime.date(2027, 1, 31)


def test_defaults_without_a_table(load):
    assert load("[analysis]\n") == CheckOptions() == load_check_options(None)


@pytest.mark.parametrize(
    ("text", "exponent"),
    [
        ("1", (0, 0)),
        ("constant", (0, 0)),
        ("p", (1, 0)),
        ("p^2", (2, 0)),
        ("p^(3/2)", (Fraction(3, 2), 0)),
        ("p^0.5", (Fraction(1, 2), 0)),
        ("log(p)", (0, 1)),
        ("log2(p)^2", (0, 2)),
        ("p^(1/2) * log2(p)", (Fraction(1, 2), 1)),
    ],
)
def test_growths(load, text, exponent):
    (rule,) = load(f'[check]\n[[check.rule]]\nkernel = "a"\ngrowth = "{text}"\n').kernels
    assert rule.growth == exponent


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[check]\nfaktor = 2\n", 2, "did you mean 'factor'"),
        ("[check]\n\nfactor = 0.5\n", 3, "number of at least 1"),
        ('[check]\nshare_floor = "much"\n', 2, "number from 0 to 1"),
        ("[check]\ntargets = 4096\n", 2, "list of points"),
        ('[check]\ntargets = ["many"]\n', 2, "is not a target point"),
        ('[check]\n[[check.rule]]\nkernel = "a"\n', 3, "has no rule"),
        ('[check]\n[[check.rule]]\nkernel = "a"\ngrowth = "fast"\ncolour = 1\n', 5, "unknown key"),
        ('[check]\n[[check.rule]]\nkernel = "a"\ngrowth = "p log2(p)"\n', 4, "invalid growth"),
        (
            '[check]\n[[check.rule]]\nkernel = "a"\nshare = 0.1\n[[check.rule]]\nkernel = "b"\nshare = 7\n',
            7,
            "0 to 1",
        ),
        ('[check]\n[[check.waiver]]\nkernel = "a"\nuntil = 2027-01-31\n', 2, "reason: is missing"),
        ('[check]\n[[check.waiver]]\nkernel = "a"\nreason = "r"\nuntil = "soon"\n', 5, "is not a date"),
        ("check = 3\n", 1, "is not a table"),
        ("[check]\nrule = 3\n", 2, "list of tables"),
    ],
)
def test_bad_configuration_tells_line_key_and_what_was_expected(load, text, line, message):
    with pytest.raises(UsageError, match=message) as error:
        load(text)
    assert f"pipeline.toml:{line}: " in str(error.value)
