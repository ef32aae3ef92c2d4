import json
from functools import partial

import pytest

from filters.scorep_format.rule_files import kept, parse
from ingest.readers import read_profile
from tests.cubex_writer import write_visited

NAMES = ("main", "solve", "Domain::tiny(int)", "setup", "MPI_Send")
PARENT = [-1, 0, 1, 0, 1]
VISITS = [1, 100, 5_000_000, 1, 100]
TIME = [0.1, 6.0, 0.5, 2.0, 0.4]


@pytest.fixture
def profile(tmp_path):
    return write_visited(tmp_path / "profile.cubex", PARENT, NAMES, VISITS, TIME)


@pytest.fixture
def make(call):
    return partial(call, "filter")


def decided(path, profile):
    regions = read_profile(profile).regions
    verdicts = kept(parse(path.read_text()), regions)
    return dict(zip(regions.name, verdicts.tolist(), strict=True))


def test_the_paper_rule_drops_what_is_visited_often_and_short(make, profile, tmp_path):
    output = tmp_path / "app.filter"
    code, told, error = make(profile, "-o", output)
    assert (code, error) == (0, "")
    verdicts = decided(output, profile)
    # setup has the longest visits; solve's time is told of main, since its visits are above the median
    assert [name for name in NAMES if verdicts[name]] == ["main", "setup", "MPI_Send"]
    assert f"export SCOREP_FILTERING_FILE={output}" in told
    assert "paper rule" in json.loads((tmp_path / "app.filter.json").read_text())["method"]


def test_a_budget_keeps_all_that_matters_and_says_what_it_costs(make, profile, tmp_path):
    output = tmp_path / "app.filter"
    code, told, _ = make(profile, "-o", output, "--max-overhead", "1%")
    assert code == 0
    said = " ".join(told.split())
    assert "Budget 1.0 % met" in said and "and 0.0 % of the computing time" in said  # tiny counts for solve
    assert decided(output, profile) == {n: n != "Domain::tiny(int)" for n in NAMES}
    evidence = json.loads((tmp_path / "app.filter.json").read_text())
    assert evidence["budget"]["met"] and max(evidence["budget"]["predicted"]) <= 0.01


def test_wishes_win_over_the_rule(make, profile, tmp_path):
    output = tmp_path / "app.filter"
    make(profile, "-o", output, "--protect", "*tiny*", "--drop", "setup")
    verdicts = decided(output, profile)
    assert verdicts["Domain::tiny(int)"] and not verdicts["setup"]


def test_merging_twice_changes_nothing(make, profile, tmp_path):
    output = tmp_path / "app.filter"
    output.write_text("SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE setup\nSCOREP_REGION_NAMES_END\n")
    make(profile, "-o", output, "--merge", output)
    once = output.read_bytes()
    make(profile, "-o", output, "--merge", output)
    assert output.read_bytes() == once
    assert not decided(output, profile)["setup"]


@pytest.mark.parametrize(("to", "text"), [("gcc", "Domain::tiny"), ("tau", "setup"), ("xray", "_Z2")])
def test_lists_for_other_instrumenters(make, profile, tmp_path, to, text):
    output = tmp_path / "list"
    code, told, _ = make(profile, "-o", output, "--to", to)
    assert code == 0
    assert text in output.read_text()
    assert str(output) in told


def test_explaining_writes_nothing(make, profile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, told, _ = make(profile, "--explain", "*tiny*")
    assert code == 0
    assert "Domain::tiny(int): dropped" in told
    assert not (tmp_path / "app.filter").exists()


def test_a_filter_on_standard_output_stands_alone(make, profile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(profile, "-o", "written")
    code, text, error = make(profile, "-o", "-")
    assert (code, error) == (0, "")
    assert text == (tmp_path / "written").read_text()
    assert not (tmp_path / "-").exists() and not (tmp_path / "app.filter").exists()


def test_without_a_file_nothing_is_written(make, profile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = make("profile.cubex")[1]
    assert text.startswith("Filter drops 2 of 4 functions")
    assert text.endswith("Nothing is written. To write it, add -o app.filter to the command\n")
    assert [one.name for one in tmp_path.iterdir()] == ["profile.cubex"]


def test_a_filter_and_its_use(make, profile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = make(profile, "-o", "app.filter")[1]
    assert "Written, the evidence beside it as .json. Use it with\n  export SCOREP" in text
    assert sorted(one.name for one in tmp_path.glob("app*")) == ["app.filter", "app.filter.json"]
    compiled = make(profile, "-o", "f", "--max-overhead", "1%", "--applied", "compile-time")[1]
    assert "  scorep --instrument-filter=" in compiled


def test_the_configuration_in_the_directory_counts(make, profile, tmp_path):
    (tmp_path / "pipeline.toml").write_text('[filter]\ndrop = ["setup"]\n')
    output = tmp_path / "out" / "f"
    make(tmp_path, "-o", output)
    assert not decided(output, profile)["setup"]
    make(profile, "-o", output)
    assert decided(output, profile)["setup"]
    make(profile, "-o", output, "--config", tmp_path / "pipeline.toml")
    assert not decided(output, profile)["setup"]


def test_damaged_runs_of_a_study_are_named(make, strong_study, tmp_path):
    (strong_study / "app.p64.r1").mkdir()
    code, _, error = make(strong_study, "-o", tmp_path / "f")
    assert code == 0
    assert f"pipeline: skipped {strong_study / 'app.p64.r1'}: contains no profile" in error


def test_simulating_a_filter(make, profile, rules):
    code, told, _ = make(profile, "--apply", rules)
    assert code == 0
    assert [line.split()[-1] for line in told.splitlines() if line.startswith(("call paths", "visits"))] == [
        "4",
        "202",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--max-overhead", "five"], "--max-overhead: invalid share 'five'"),
        (["--form", "round"], "'round' is not one of"),
        (["--to", "gdb"], "'gdb' is not one of"),
        (["--explain", "nothing"], "'nothing' matches no filterable region"),
        (["--apply", "missing.filter"], "missing.filter: cannot be read"),
        (["--baseline-time", "1000"], "took 1000 s, the instrumented one only 9.00 s"),
        (["--paper-exact", "--max-overhead", "5%"], "--paper-exact: a budget replaces the rule of the paper"),
    ],
)
def test_wrong_options_are_one_line(refused, profile, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused("filter", profile, *arguments)


@pytest.fixture
def reduced(tmp_path):
    left = [0 if n.startswith("Domain") else v for n, v in zip(NAMES, VISITS, strict=True)]
    time = [0.1, 6.0, 0.0, 2.0, 0.4]
    return write_visited(tmp_path / "second" / "profile.cubex", PARENT, NAMES, left, time)


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "hand.filter"
    path.write_text("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE *tiny*\nSCOREP_REGION_NAMES_END\n")
    return path


def test_verifying_a_measurement_under_the_filter(make, profile, reduced, rules, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, told, error = make(profile, "--verify", reduced, "--apply", rules)
    assert (code, error) == (0, "")
    assert told.startswith("The recorded visits are those predicted, call path by call path.\n")
    assert f"Filter: {rules}" in " ".join(told.split())
    told = " ".join(told.split())
    assert "Cost of a recorded visit from both: 100 ns, no surer than what the first shows" in told
    assert "--event-cost" not in told and "predicted" in told
    assert not (tmp_path / "app.filter").exists()


def test_verifying_a_measurement_without_the_filter_has_a_code_of_its_own(make, profile, rules, tmp_path):
    output = tmp_path / "verified.json"
    code, told, _ = make(profile, "--verify", profile, "--apply", rules, "--json", output)
    assert code == 3
    reason = f"{profile} was not measured under this filter: 100.0 % of the visits are in regions that"
    assert reason in " ".join(told.split())
    content = json.loads(output.read_text())
    assert not content["agrees"] and content["tolerance"] == 0.01
    (point,) = content["points"]
    assert point["visits"] == {"predicted": 202.0, "measured": 5_000_202.0}
    (difference,) = point["differences"]
    assert difference["callpath"] == ["main", "solve", "Domain::tiny(int)"]
    assert (difference["kind"], difference["predicted"]) == ("not dropped", 0.0)
    assert make(profile, "--verify", tmp_path / "missing", "--apply", rules)[0] == 2


def test_a_simulation_honours_the_cost_and_comes_as_json(make, profile, rules):
    told = {}
    for cost in ("1e-7", "5e-8"):
        code, text, _ = make(profile, "--apply", rules, "--event-cost", cost, "--json", "-")
        assert code == 0
        told[cost] = json.loads(text)
    assert told["1e-7"]["measured"]["visits"] == 5_000_202 and told["1e-7"]["simulated"]["callpaths"] == 4
    taken = [told[cost]["prediction"]["overhead"]["unfiltered"] for cost in ("1e-7", "5e-8")]
    assert taken[0] == pytest.approx(2 * taken[1], rel=0.05)
    assert make(profile, "--apply", rules, "--baseline-time", "1000")[0] == 2


def test_the_evidence_as_json(make, profile, tmp_path):
    code, told, _ = make(profile, "-o", tmp_path / "f", "--json", "-")
    assert code == 0 and json.loads(told) == json.loads((tmp_path / "f.json").read_text())


@pytest.fixture
def rare(tmp_path):
    """A profile in which the rule keeps get for one visit in setup; it has three million in solve."""
    names = ("main", "setup", "get", "run", "solve", *(f"small{i}" for i in range(12)))
    callee = [0, 1, 2, 3, 4, 2, *range(5, 17)]
    visits, time = [1, 1, 1, 1, 10, 3_000_000, *[100] * 12], [0.1, 2.0, 1e-2, 1.0, 7.0, 0.3, *[1e-4] * 12]
    parent = [-1, 0, 1, 0, 3, 4, *[4] * 12]
    return write_visited(tmp_path / "rare.cubex", parent, names, visits, time, callee=callee)


def test_the_letter_of_the_paper(make, rare, tmp_path):
    output = tmp_path / "f"
    error = make(rare, "-o", output)[2]
    assert not decided(output, rare)["get"]
    assert error.endswith("they show: get; --paper-exact keeps them\n")
    assert make(rare, "-o", output, "--paper-exact")[2] == ""
    assert decided(output, rare)["get"]
    (tmp_path / "pipeline.toml").write_text("[filter]\npaper_exact = true\n")
    make(rare, "-o", output, "--config", tmp_path / "pipeline.toml")
    assert decided(output, rare)["get"]


def test_protection_of_what_grows_can_be_turned_off(make, tmp_path):
    study = tmp_path / "study"
    for p in (1, 2, 4, 8, 16):
        path, names = study / f"app.p{p}.r1" / "profile.cubex", ("main", "big", "grows")
        write_visited(path, [-1, 0, 0], names, [1, 10, 1000], [0.01, 10.0, 0.05 * p])
    output = tmp_path / "app.filter"
    assert "kept because their time grows with the scale: grows" in make(study, "-o", output)[2]
    assert decided(output, study / "app.p16.r1" / "profile.cubex")["grows"]
    assert len(json.loads((tmp_path / "app.filter.json").read_text())["runs"]) == 5
    assert make(study, "-o", output, "--no-protect-growing")[2] == ""
    assert not decided(output, study / "app.p16.r1" / "profile.cubex")["grows"]
