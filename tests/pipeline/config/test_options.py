from pathlib import Path

import pytest

from ingest.errors import UsageError
from pipeline.config.options import load_options
from pipeline.config.targets import parse_at


def write(folder: Path, text: str) -> Path:
    path = folder / "pipeline.toml"
    path.write_text(text)
    return path


def test_defaults_then_file_then_command_line(tmp_path):
    write(tmp_path, '[analysis]\nscaling = "weak"\nmetric = "visits"\nat = ["p=64", {p = 128}]\n')
    options = load_options(None, tmp_path, metric="time", out=None)
    assert options.scaling == "weak"
    assert options.metric == "time"
    assert options.at == ({"p": 64.0}, {"p": 128.0})
    assert options.out == Path("results")


def test_runs_are_relative_to_the_file(tmp_path):
    write(tmp_path, '[[run]]\npath = "a.cubex"\nparameters = {p = 4}\nrepetition = 2\n')
    (run,) = load_options(None, tmp_path).runs
    assert run.path == tmp_path.resolve() / "a.cubex"
    assert run.parameters == {"p": 4.0}
    assert run.repetition == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[analysis]\nscalling = 'weak'\n",
            "pipeline.toml:2: scalling: unknown key; did you mean 'scaling'?",
        ),
        ("[filter]\ntotal = 25\n", "pipeline.toml:2: total: invalid value 25; write a number from 0 to 1"),
        (
            "[analysis]\njobs = 'two'\n",
            "pipeline.toml:2: jobs: invalid value 'two'; write a whole number of at least 1",
        ),
        (
            "[analysis]\nscaling = 'sideways'\n",
            "pipeline.toml:2: scaling: invalid value 'sideways'; choose auto, strong or weak",
        ),
        ("[[run]]\npath = 'a'\n", "pipeline.toml:1: parameters: are missing"),
        ("[analysis\n", "pipeline.toml:1: is not valid TOML"),
        ("[models]\nprior = 'wild'\n", "prior"),
    ],
)
def test_bad_configuration_names_the_line_the_key_and_what_was_expected(tmp_path, text, message):
    write(tmp_path, text)
    with pytest.raises(UsageError) as error:
        load_options(None, tmp_path)
    assert message in str(error.value)


def test_target_points():
    assert parse_at(["p=4096", "p=8,n=32.5"]) == ({"p": 4096.0}, {"p": 8.0, "n": 32.5})


@pytest.mark.parametrize("text", ["4096", "p", "p=", "=4", "p=-1", "p=0", "p=inf", "p=nan", "p=4,"])
def test_what_is_no_target_point(text):
    with pytest.raises(UsageError, match="is not a target point"):
        parse_at([text])
