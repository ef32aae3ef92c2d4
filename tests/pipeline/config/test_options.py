from pathlib import Path

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.config.option_readers import ONLY, broadcast_points, parse_at, read_targets
from pipeline.config.options import (
    FilterOptions,
    Options,
    configuration_file,
    declared_fields,
    flag_of,
    load_options,
    override,
)
from pipeline.store.freshness import reuse_key


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


def test_as_many_processes_as_cores_may_work_unless_told(monkeypatch):
    asked = []
    monkeypatch.setattr("os.sched_getaffinity", lambda process: asked.append(process) or {0, 2, 5})
    assert Options().processes == 3
    assert Options(jobs=2).processes == 2
    assert asked == [0]


def test_runs_are_relative_to_the_file(tmp_path):
    write(tmp_path, '[[run]]\npath = "a.cubex"\nparameters = {p = 4}\nrepetition = 2\n')
    (run,) = load_options(None, tmp_path).runs
    assert run.path == tmp_path.resolve() / "a.cubex"
    assert run.parameters == {"p": 4.0}
    assert run.repetition == 2
    assert run.metadata == {}


def test_runs_may_be_described(tmp_path):
    text = '[[run]]\npath = "a"\nparameters = {p = 4}\nmetadata = {compiler = "gcc 12", nodes = 2}\n'
    write(tmp_path, text)
    (run,) = load_options(None, tmp_path).runs
    assert run.metadata == {"compiler": "gcc 12", "nodes": "2"}


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
        ("[models]\nprior = 'wild'\n", "pipeline.toml:2: prior: invalid prior 'wild'; choose learned,"),
        ("[modells]\nrivals = 2\n", "pipeline.toml:1: modells: unknown key; did you mean 'models'?"),
        ("[[run]]\npath = 'a'\nparameters = {}\n", "pipeline.toml:3: parameters: are missing; write"),
        ("[[run]]\npath = 'a'\nparameters = {p = 'x'}\n", "pipeline.toml:3: p: invalid value 'x'"),
        (
            "[[run]]\nrepetition = 0\npath = 'a'\nparameters = {p = 1}\n",
            "pipeline.toml:2: repetition: invalid",
        ),
        (
            "[[run]]\ncolour = 1\npath = 'a'\n",
            "pipeline.toml:2: colour: unknown key; known: path, parameters",
        ),
        (
            "[[run]]\npath = 'a'\nparameters = {p = 1}\nmetadata = {a = []}\n",
            "pipeline.toml:4: a: is not a text, a number or a date",
        ),
        ("[analysis]\nengine = 'dask'\n", "--engine: Dask needs a scheduler"),
        ("[filter]\nmax_overhead = 'x'\n", "pipeline.toml:2: max_overhead: invalid share 'x'"),
    ],
)
def test_bad_configuration_names_the_line_the_key_and_what_was_expected(tmp_path, text, message):
    write(tmp_path, text)
    with pytest.raises(UsageError) as error:
        load_options(None, tmp_path)
    assert message in str(error.value)


def test_a_wrong_target_names_option_and_form():
    with pytest.raises(UsageError) as error:
        parse_at("p")
    assert str(error.value) == "--at: 'p' is not a target point; write p=4096 or p=4096,n=32"


def test_target_points():
    assert parse_at("p=4096") == {"p": 4096.0}
    assert parse_at("p=8,n=32.5") == {"p": 8.0, "n": 32.5}
    assert parse_at("64") == {ONLY: 64.0}


@pytest.mark.parametrize("text", ["4,5", "p", "p=", "=4", "p=-1", "p=0", "p=inf", "p=nan", "p=4,"])
def test_what_is_no_target_point(text):
    with pytest.raises(UsageError, match="is not a target point"):
        parse_at(text)


def test_the_configuration_is_the_file_named_or_the_one_in_the_directory(tmp_path):
    assert configuration_file(None, tmp_path) is None
    assert configuration_file(None, None) is None
    own = write(tmp_path, "")
    assert configuration_file(None, tmp_path) == own
    assert configuration_file(Path("other.toml"), tmp_path) == Path("other.toml")


def test_a_named_file_wins_over_the_one_in_the_directory(tmp_path):
    write(tmp_path, '[analysis]\nmetric = "a"\n')
    (tmp_path / "other.toml").write_text('[analysis]\nmetric = "b"\n')
    assert load_options(tmp_path / "other.toml", tmp_path).metric == "b"


def test_every_table_of_the_configuration_is_read(tmp_path):
    write(
        tmp_path,
        """
[analysis]
jobs = 3
[filter]
max_overhead = "5%"
per_visit = 0.5
protect = ["a*"]
merge = "old.filter"
calibrate = "c.cubex"
[models]
rivals = 2
method = "extra-p"
prior = "simple"
[check]
factor = 1.2
""",
    )
    options = load_options(None, tmp_path)
    assert options.processes == options.jobs == 3
    assert (options.filter.max_overhead, options.filter.per_visit) == (0.05, 0.5)
    assert options.filter.protect == ("a*",)
    assert (options.filter.merge, options.filter.calibrate) == (tmp_path / "old.filter", tmp_path / "c.cubex")
    assert (options.models.rivals, options.models.method, options.models.prior) == (
        2,
        "extra-p",
        "simple",
    )


@pytest.mark.parametrize(
    ("value", "share"), [("5%", 0.05), ("0.05", 0.05), (0.05, 0.05), ("150 %", 1.5), (1, 1.0)]
)
def test_shares(value, share):
    assert override(FilterOptions(), {"max_overhead": value}).max_overhead == pytest.approx(share)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_overhead": "0%"}, "--max-overhead: invalid share '0%'; write 5% or 0.05"),
        ({"max_overhead": "inf"}, "--max-overhead: invalid share 'inf'; write 5% or 0.05"),
        ({"max_overhead": 5}, "--max-overhead: invalid share 5: it is 500 %; write 5% or 0.05"),
        ({"max_overhead": True}, "--max-overhead: invalid share True; write 5% or 0.05"),
        ({"protect": "solve"}, '--protect: \'solve\' is not a list of patterns; write ["solve*", "main"]'),
        ({"drop": [3]}, '--drop: [3] is not a list of patterns; write ["solve*", "main"]'),
        ({"merge": 3}, "--merge: 3 is not a path; write text in quotes"),
        ({"event_cost": -1.0}, "--event-cost: invalid value -1.0; write a number from 0 to 1"),
        ({"form": "round"}, "--form: invalid value 'round'; choose shorter, include or exclude"),
        (
            {"colour": "red"},
            "colour: unknown option; known: per_visit, total, visits, paper_exact, max_overhead, ",
        ),
    ],
)
def test_invalid_options_are_named(given, message):
    with pytest.raises(UsageError) as error:
        override(FilterOptions(), given)
    assert str(error.value).startswith(message)


def test_python_names_the_argument_instead_of_the_flag():
    with pytest.raises(UsageError, match=r"^max_overhead: invalid share"):
        override(FilterOptions(), {"max_overhead": -1}, flags=False)


def test_options_of_inner_records_are_overridden_and_nothing_else():
    options = override(Options(metric="visits"), {"rivals": 3, "drop": ["a"], "metric": None})
    assert (options.models.rivals, options.filter.drop, options.metric) == (3, ("a",), "visits")
    assert override(Options(), {}) == Options()


def test_every_option_has_a_help_and_one_name():
    found = [
        (one.name, flag_of(one.name, declared), declared.help)
        for one, _, declared in declared_fields(Options)
    ]
    names, flags, helps = zip(*found, strict=True)
    assert len(set(names)) == len(names) and len(set(flags)) == len(flags)
    assert all(text.endswith(".") for text in helps)
    assert dict(zip(names, flags, strict=True))["max_overhead"] == "--max-overhead"


@pytest.mark.parametrize(
    ("engine", "scheduler", "message"),
    [
        ("dask", "", "--engine: Dask needs a scheduler; give --engine dask --scheduler ADDRESS_OR_FILE"),
        (
            "local",
            "tcp://x",
            "--scheduler: only Dask takes a scheduler; give --engine dask --scheduler ADDRESS_OR_FILE",
        ),
    ],
)
def test_dask_and_a_scheduler_belong_together(engine, scheduler, message):
    with pytest.raises(UsageError) as error:
        load_options(None, None, engine=engine, scheduler=scheduler)
    assert str(error.value) == message
    assert load_options(None, None, engine="dask", scheduler="tcp://x").scheduler == "tcp://x"


def test_the_key_of_reuse_is_plain_data():
    key = reuse_key(load_options(None, None, at=["p=4,n=2"], merge="m", prior="simple"))
    assert key["at"] == [{"p": 4.0, "n": 2.0}]
    assert key["filter"]["merge"] == "m"
    assert key["models"]["prior"] == "simple"
    assert "jobs" not in key and "out" not in key


@pytest.mark.parametrize("entry", ["p=4", {"p": 4}, {"p": 4.0}])
def test_target_points_of_a_file_are_texts_or_tables(entry):
    assert read_targets([entry], Path()) == ({"p": 4.0},)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("p=4", "'p=4' is not a list of points"),
        ([4], "4 is not a target point; write p=4096 or p=4096,n=32"),
        ([{}], "{} is not a target point"),
        ([{"p": True}], "{'p': True} is not a target point"),
        ([{"p": "4"}], "{'p': '4'} is not a target point"),
        ([{"p": 0}], "{'p': 0} is not a target point"),
        ([{"p": float("inf")}], "{'p': inf} is not a target point"),
    ],
)
def test_what_is_no_target_point_of_a_file(value, message):
    with pytest.raises(UsageError) as error:
        read_targets(value, Path())
    assert str(error.value).startswith(message)


def test_points_from_numbers_and_lists():
    assert broadcast_points({}) == ()
    assert broadcast_points({"p": 4}) == ({"p": 4.0},)
    assert broadcast_points({"p": [4, 8], "n": 2}) == ({"p": 4.0, "n": 2.0}, {"p": 8.0, "n": 2.0})
    assert broadcast_points({"p": (4, 8), "n": np.array([1, 2])}) == (
        {"p": 4.0, "n": 1.0},
        {"p": 8.0, "n": 2.0},
    )
    assert broadcast_points({"p": np.int64(4)}) == ({"p": 4.0},)
