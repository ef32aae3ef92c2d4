"""`campaign.toml`: what is read, and one line with file and line number for everything that is wrong."""

import pytest

from ingest.errors import UsageError
from pipeline.campaign.description import CampaignQuestion, Resources, read_campaign, resources, settings_at
from pipeline.stages.campaign import template


def test_the_shipped_description_is_valid(tmp_path):
    file = tmp_path / "campaign.toml"
    file.write_text(template(), encoding="utf-8")
    campaign = read_campaign(file)
    assert campaign.scales == {"p": (1, 2, 4, 8, 16), "n": (64,)}
    assert (campaign.repetitions, campaign.launcher.program) == (5, "mpirun")
    assert campaign.budget is None


def test_the_shipped_description_is_valid_with_all_that_it_mentions(tmp_path):
    for name in ("solver", "app.filter"):
        (tmp_path / name).touch()
    (tmp_path / "case").mkdir()
    lines = [
        line.removeprefix("# ")
        if line.startswith(("# [", "# p =")) or (" = " in line and line[:2] == "# ")
        else line
        for line in template().replace('tool = "none" ', 'tool = "score-p" ').splitlines()
    ]
    (tmp_path / "campaign.toml").write_text("\n".join(lines), encoding="utf-8")
    campaign = read_campaign(tmp_path / "campaign.toml")
    assert campaign.budget == 500 * 3600
    assert campaign.question == CampaignQuestion(at={"p": 4096, "n": 64}, quantity="efficiency", width=0.2)
    assert campaign.filter == tmp_path / "work" / "filter" / "app.filter"
    assert campaign.measurement.environment == {"SCOREP_TOTAL_MEMORY": "64M"}
    assert campaign.application.command[0] == "{folder}/solver"
    assert [one.content_only for one in campaign.application.inputs] == [False, True]
    settings = settings_at(campaign.scheduler, {"p": 16, "n": 64})
    assert settings.time == "02:00:00"
    assert settings.options == ("--partition=short", "--exclusive", "--constraint=gpu")
    assert settings_at(campaign.scheduler, {"p": 8, "n": 64}).time == "01:00:00"


def test_processes_and_threads_are_parameters_or_numbers(described):
    campaign = described("[launcher]", 'threads = "{p}"', "processes = 3")
    assert resources(campaign.launcher, {"p": 4, "n": 8}) == Resources(3, 4)
    assert resources(campaign.launcher, {"p": 4, "n": 8}).cores == 12
    assert resources(described().launcher, {"p": 4, "n": 8}) == Resources(4, 1)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("{n}", "{m}", 5, "command: unknown placeholder {m}; known: p, n, repetition, run, folder"),
        ("{n}", "{folde}", 5, "did you mean 'folder'?"),
        ("{n}", "", 8, "n: no run depends on it; write {n} into command"),
        ("repetitions", "repetition", 2, "repetition: unknown key; did you mean 'repetitions'?"),
        ("[scales]", "[scale]", 6, "scale: unknown key; did you mean 'scales'?"),
        ("repetitions = 3", "repetitions = 0", 2, "invalid value 0; write a whole number of at least 1"),
        ("seed = 7", "budget = 500", 3, "budget: '500' has no unit; write"),
        ("seed = 7", 'budget = "500 hours"', 3, "budget: unknown unit 'hours'"),
        ("seed = 7", 'budget = "much"', 3, "budget: invalid budget 'much'"),
        ("seed = 7", 'work = "profiles"', 3, "work: profiles, results and work are not three folders"),
        ('"true {p} {n}"', '"true \'{p} {n}"', 5, "command: is not a command: No closing quotation"),
        ('command = "true', 'name = "a.b1"\ncommand = "true', 5, "invalid name 'a.b1'"),
        ("n = [8, 20.5]", "n = [8, 8]", 8, "n: a value occurs twice"),
        ("n = [8, 20.5]", "n = [0]", 8, "[0] is not a list of numbers above 0"),
        ("n = [8, 20.5]", "n2 = [8]", 8, "n2 = 8 cannot be written in the name of a run"),
        ("n = [8, 20.5]", "run = [8]", 8, "run = 8 cannot be written in the name of a run"),
        ("p = [1, 2, 4]", "p = [1, 2.5]", 9, "'{p}' is not a whole number from 1"),
        ('{n}"', '{n}"\ncollect = ["../x"]', 6, "collect: ../x lies outside of the working directory"),
        ('{n}"', '{n}"\ninputs = ["gone"]', 6, "inputs: gone does not exist"),
        ("seed = 7", "seed = 7\n[measurement]\nfilter = 'a'", 5, "none takes no filter of Score-P"),
        ("seed = 7", "seed = 7\n[scheduler]\nkind = 'lsf'", 5, "choose slurm, pbs or shell"),
        (
            "seed = 7",
            "seed = 7\n[[scheduler.scale]]\np = 3",
            5,
            "3 is not a scale of p; the scales are 1, 2, 4",
        ),
        ("seed = 7", "seed = 7\n[question]\nat = 'q=3'", 5, "unknown parameter q"),
        (
            "seed = 7",
            "seed = 7\n[measurement]\ntool = 'tau'\nfilter = 'pilot'",
            6,
            "tau takes no filter of Score-P",
        ),
        (
            "seed = 7",
            "seed = 7\n[measurement]\nrebuild = 'make'",
            5,
            "rebuild: is for a filter from the pilot",
        ),
        (
            "seed = 7",
            "seed = 7\n[measurement]\ntool = 'score-p'\nfilter = 'pilot'\nrebuild = 'make {n}'",
            7,
            "rebuild: unknown placeholder {n}; known: filter",
        ),
        (
            "p = [1, 2, 4]\nn = [8, 20.5]",
            "p = 1\nn = [8, 16]\n[question]\nat = 'n=64'",
            9,
            'all runs have the same; write quantity = "time"',
        ),
        (
            "seed = 7",
            "seed = 7\n[question]\nat = 'p=8,n=8'\nwidth = 0",
            6,
            "width: invalid value 0; write a number of at",
        ),
        (
            "n = [8, 20.5]",
            "n = '32..8'\n[question]\nat = 'p=8,n=8'",
            8,
            "'32..8' is not a range of whole numbers from 1",
        ),
        ("seed = 7", "seed = 7\n[launcher]\nthreads = '{n}'", 5, "'{n}' is not a whole number from 1"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place(described, tmp_path, old, new, line, message):
    with pytest.raises(UsageError) as error:
        described(changed={old: new})
    text = str(error.value)
    place = f"{tmp_path / 'campaign.toml'}"
    assert message in text
    assert text.startswith((f"{place}:{line}: ", f"{place}: ")) or "launcher" in text
    assert "\n" not in text


def test_a_budget_has_its_unit(described):
    assert described(changed={"seed = 7": 'budget = "1.5 core-h"'}).budget == 5400
    assert described(changed={"seed = 7": 'budget = "90core-s"'}).budget == 90


def test_braces_of_the_shell_are_no_placeholders(described):
    campaign = described(changed={'"true {p} {n}"': '"true {p} {n} {{x}} ${HOME}"'})
    assert campaign.application.command == ("true", "{p}", "{n}", "{{x}}", "${HOME}")


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("n", "8..32", (8, 10, 11, 13, 16, 19, 23, 27, 32)),
        ("n", "1..3", (1, 2, 3)),
        ("p", "1..24", (1, 2, 4, 8, 16, 24)),
        ("ranks", "3..24", (3, 6, 12, 24)),
    ],
)
def test_ranges_are_for_questions(described, name, text, values):
    changed = {"p = [1, 2, 4]\nn = [8, 20.5]": f'{name} = "{text}"', "{p} {n}": f"{{{name}}}"}
    asked = ("[question]", f'at = "{name}=64"', 'quantity = "time"')
    assert described(*asked, changed=changed).scales == {name: values}
    with pytest.raises(UsageError, match="a range is for campaigns that choose scales for a question"):
        described(changed=changed)


def test_a_question_has_the_only_value_of_other_parameters(described):
    campaign = described("[question]", 'at = "p=64"', changed={"n = [8, 20.5]": "n = 8"})
    assert campaign.question == CampaignQuestion(at={"p": 64, "n": 8})
    with pytest.raises(UsageError, match="at: has no n; give every parameter"):
        described("[question]", 'at = "p=64"')


def test_a_plain_command_is_for_instrumented_runs_in_rounds(described):
    rounds = '[question]\nat = "p=8,n=8"'
    plain = 'plain = "true {p} {n}"'
    found = described("[measurement]", 'tool = "score-p"', plain, rounds)
    assert found.measurement.plain == ("true", "{p}", "{n}")
    for lines in (('tool = "score-p"', plain), (plain, rounds)):
        with pytest.raises(UsageError, match="plain: is for instrumented runs in rounds"):
            described("[measurement]", *lines)
    with pytest.raises(UsageError, match=r"unknown placeholder \{q\}"):
        described("[measurement]", 'tool = "score-p"', 'plain = "true {q}"', rounds)
