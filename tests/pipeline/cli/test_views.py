import csv
import io
import json

import pytest


def test_the_tree_shows_bars_shares_and_growth(call, results):
    code, text, _ = call("tree", results)
    lines = text.splitlines()
    assert code == 0
    assert lines[0].startswith("effort measured at p = 16")
    assert any("100.0 %" in line and "█" in line for line in lines)
    assert any(line.startswith("#3    sum") and "p^2" in line for line in lines), text


def test_predictions_have_a_tree_for_each_target(call, results):
    _, text, _ = call("tree", results, "--at", "p=2", "--at", "p=1024", "--least", "0.1")
    near, text = text.split("effort predicted at p = 1024")
    assert near.startswith("effort predicted at p = 2") and "solve" in near
    assert "solve" not in text and "1 call path below 10.0 % left out" in text
    (line,) = (line for line in text.splitlines() if line.startswith("#3    sum"))
    assert float(line.split()[3]) == pytest.approx(0.5 * 1024**2 / 3600, rel=0.02)


def test_small_call_paths_are_left_out_of_the_tree_from_one_per_cent_on(call, results):
    assert "main" in call("tree", results)[1]
    assert "below 1.0 % left out" not in call("tree", results)[1]
    assert "1 call path below 60.0 % left out" in call("tree", results, "--least", "0.6")[1]


def test_json_of_the_tree_is_the_summary(call, results):
    _, text, _ = call("tree", results, "--at", "p=100", "--json", "-")
    assert json.loads(text)["total"]["predictions"][0]["at"] == {"p": 100}


def test_rankings_by_region_and_by_call_path(call, results):
    assert "Largest regions" in call("bottlenecks", results)[1]
    assert "Largest call paths" in call("bottlenecks", results, "--by", "callpath")[1]
    _, text, _ = call("predict", results, "--by", "callpath", "--limit", "1")
    _, table = text.split("\n\n")  # behind the answer
    assert table.startswith("id  call path") and "main › sum" in table and "solve" not in table
    assert "main › sum" not in call("predict", results)[1]


@pytest.mark.slow
def test_groups_are_rows_of_every_table(call, refused, strong_study, tmp_path):
    (strong_study / "pipeline.toml").write_text('[groups]\nreduction = ["sum"]\nother = ["nothing"]\n')
    code, text, error = call("run", strong_study, "--out", tmp_path / "own", "--by", "group")
    assert (code, "nothing matches 'nothing'" in error) == (0, True)
    assert "reduction" in text.partition("What grows")[2]
    for command in (["bottlenecks"], ["predict"], ["bottlenecks", "--potential"]):
        table = call(*command, tmp_path / "own", "--by", "group", "--format", "csv")[1].splitlines()
        assert any("reduction," in line for line in table), command
        assert not any("sum," in line for line in table), command
    summary = json.loads((tmp_path / "own" / "summary.json").read_text())
    assert [row["region"] for row in summary["groups"]] == ["reduction", "computation"]
    assert [one["overtakes"] for one in summary["group_crossovers"]] == [["reduction"]]
    assert "reduction" in call("plot", tmp_path / "own", "reduction")[1]
    line = refused("predict", tmp_path / "own", "--by", "group", "--metric", "time_per_visit")
    assert "no groups" in line
    (strong_study / "pipeline.toml").write_text('[groups]\nreduction = "sum"\n')
    assert "pipeline.toml:2: reduction: 'sum' is not a list" in refused("run", strong_study)


@pytest.mark.slow
def test_an_id_names_the_same_call_path_in_every_command(call, results, strong_study):
    for command in (("predict", results), ("bottlenecks", results), ("model", strong_study)):
        assert "#3  main › sum" in call(*command, "--by", "callpath")[1]
        rows = json.loads(call(*command, "--json", "-")[1])
        assert {row["id"]: row["callpath"][-1] for row in rows["kernels"]} == {
            1: "main",
            2: "solve",
            3: "sum",
        }
        assert not any("id" in row for row in (*rows["regions"], rows["total"]))
    assert "#3    sum" in call("tree", results)[1]
    assert "main › sum: " in call("plot", results, "#3")[1]
    assert [row["id"] for row in _kernels(call, strong_study, "--focus", "#3")] == [3]
    assert {row["id"] for row in _kernels(call, strong_study, "--without", "#3")} == {1, 2}


def _kernels(call, study, *options):
    return json.loads(call("model", study, *options, "--json", "-")[1])["kernels"]


@pytest.mark.slow
def test_values_per_visit_are_called_so_by_every_command(call, strong_study, tmp_path):
    out, text = tmp_path / "per", "per visit of solve"
    code, shown, notices = call("run", strong_study, "--out", out, "--per", "solve")
    assert code == 0 and f"strong scaling, {text} p 1" in " ".join(shown.split())
    assert "all values are per visit of 'solve' (1 visit per run)" in notices
    for command in (("tree", out), ("predict", out), ("bottlenecks", out), ("plot", out, "sum")):
        assert text in " ".join(call(*command)[1].split())
    assert f"{text}, which a run visits once" in (out / "report.html").read_text()
    assert json.loads(call("predict", out, "--json", "-")[1])["per"] == "solve"
    assert text in " ".join(call("model", strong_study, "--per", "solve")[1].split())
    code, shown, error = call("model", strong_study, "--per", "nothing")
    assert (code, shown) == (2, "") and error.startswith("pipeline: --per: nothing matches 'nothing'; ")


@pytest.mark.slow
def test_what_would_be_is_said_and_shown(call, results, refused):
    _, before, _ = call("predict", results, "--at", "p=64", "--json", "-")
    code, after, notice = call("predict", results, "--at", "p=64", "--what-if", "sum=0.5", "--json", "-")
    totals = [json.loads(text)["regions"] for text in (before, after)]
    old, new = (
        next(row for row in rows if row["region"] == "sum")["predictions"][0]["value"] for rows in totals
    )
    assert code == 0 and new == pytest.approx(0.5 * old)
    assert notice.startswith("pipeline: as if sum=0.5, at p = 64: ") and "of wall time instead of" in notice
    assert "; sum takes most then, " in notice
    same = call("predict", results, "--at", "p=64", "--what-if", "sum=1.0", "--json", "-")[1]
    assert same == before
    for command in ("bottlenecks", "choose"):
        assert "as if solve=0, at p = 64" in call(command, results, "--at", "p=64", "--what-if", "solve=0")[2]
        assert refused(command, results, "--what-if", "slove=0") == (
            "pipeline: --what-if: nothing matches 'slove'; did you mean 'solve'?\n"
        )


def test_potential_ranks_what_kernels_would_gain(call, results, refused):
    found = json.loads(call("bottlenecks", results, "--potential", "--at", "p=64", "--json", "-")[1])
    assert (found["at"], found["kernels"][0]["callpath"]) == ({"p": 64}, ["sum"])
    first = found["kernels"][0]
    assert first["gain"] == first[first["by"].replace(" ", "_")]
    assert first["share"] == pytest.approx(first["gain"]["value"] / found["wall_seconds"], rel=1e-6)
    stored = json.loads(call("predict", results, "--at", "p=64", "--json", "-")[1])["potential"]
    assert stored == {**found, "kernels": found["kernels"][:5]}
    _, text, _ = call("bottlenecks", results, "--potential", "--at", "p=64", "--limit", "1")
    assert text.startswith("Gains in wall time at p = 64 (") and "2 more left out" in text
    rows = call("bottlenecks", results, "--potential", "--by", "callpath", "--format", "csv")[1]
    assert rows.startswith("id,kernel,gain,gain_lower,gain_upper,share,by,twice_as_fast")
    assert "cannot be combined with --potential" in refused(
        "bottlenecks", results, "--potential", "--metric", "visits"
    )


@pytest.mark.slow
def test_an_unknown_id_is_refused(call, results, strong_study):
    what = "no call path #999; there are 3"
    assert call("plot", results, "#999") == (2, "", f"pipeline: {what}\n")
    assert call("model", strong_study, "--focus", "#999")[2].endswith(f"pipeline: --focus: {what}\n")
    assert call("model", strong_study, "--without", "#0") == (
        2,
        "",
        "pipeline: --without: no call path #0; there are 3\n",
    )


def test_a_plot_in_the_terminal_is_plain_when_piped(call, results):
    code, text, _ = call("plot", results, "sum")
    assert code == 0
    assert "sum: " in text and "measured" in text
    assert "\x1b" not in text


def test_a_plot_adapts_to_the_terminal_within_limits(call, results, monkeypatch):
    for columns, lines, width, height in ((60, 30, 60, 27), (300, 80, 140, 40), (60, 10, 60, 16)):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("LINES", str(lines))
        text = call("plot", results, "sum", "--metric", "visits")[1].rstrip("\n").splitlines()
        assert (max(map(len, text)), len(text)) == (width, height)


def test_axes_of_a_plot_are_logarithmic_unless_asked_for(call, results):
    given = ("sum", "--metric", "visits", "--at", "p=128")
    logarithmic, linear = (call("plot", results, *given, *o)[1] for o in ((), ("--linear",)))
    ticks = [text.splitlines()[-3].split() for text in (logarithmic, linear)]
    assert [float(row[0]) for row in ticks] == [1.0, 1.0]
    assert [float(row[-1]) for row in ticks] == [128.0, 128.0]
    assert float(ticks[0][2]) == pytest.approx(128**0.5, rel=0.01)
    assert float(ticks[1][2]) == pytest.approx(64.5, rel=0.01)


@pytest.mark.slow
def test_a_plot_as_two_files_of_which_one_is_linear(call, results, tmp_path):
    both = [tmp_path / name for name in ("a.png", "a.svg", "b.svg")]
    assert call("plot", results, "sum", "--png", both[0], "--svg", both[1])[1] == ""
    assert call("plot", results, "sum", "--svg", both[2], "--linear")[1] == ""
    assert all(file.is_file() for file in both)
    assert b"10^{" in both[1].read_bytes() or both[1].read_bytes() != both[2].read_bytes()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("nothing", "no kernel 'nothing'"),
        ("s*", "'s*' matches 2 kernels (sum 66.6 %, solve 33.3 %); choose one"),
        ("*/s*", "(#3 main › sum 66.6 %, #2 main › solve 33.3 %); choose one, such as '#3'"),
    ],
)
def test_a_kernel_that_is_not_named_clearly(refused, results, pattern, message):
    assert message in refused("plot", results, pattern)


def test_an_export_goes_to_a_file_or_to_standard_output(call, results, tmp_path):
    file = tmp_path / "models.csv"
    assert call("export", results, "--to", "csv", "-o", file, "--at", "p=128")[:2] == (0, "")
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert float(rows[2]["value_at_target"]) == pytest.approx(0.5 * 128**2, rel=0.02)
    assert call("export", results, "--to", "csv", "--at", "p=128")[1] == file.read_text()
    assert call("export", results, "--to", "csv", "-o", "-")[1] != file.read_text()


@pytest.mark.slow
def test_a_proposal_has_a_figure_tables_a_verdict_and_three_sentences(call, refused, results, tmp_path):
    code, text, error = call("export", results, "--to", "proposal", "-o", tmp_path / "scaling.svg")
    assert (code, text) == (0, "")
    assert error.splitlines() == [
        f"pipeline: wrote {tmp_path / 'scaling'}{ending}" for ending in (".svg", ".csv", ".jobs.csv", ".txt")
    ]
    assert (tmp_path / "scaling.svg").read_text().startswith("<?xml")
    sentences = (tmp_path / "scaling.txt").read_text()
    verdict = json.loads((results / "summary.json").read_text())["runtime"]["verdict"]
    assert len(sentences.splitlines()) == 4 and sentences.startswith(f"{verdict}.\n")
    assert call("export", results, "--to", "proposal")[1] == sentences
    assert "'a.gif' is neither .pdf, .svg nor .png" in refused(
        "export", results, "--to", "proposal", "-o", "a.gif"
    )
    assert call("export", results, "--to", "proposal", "-o", tmp_path / "all")[0] == 0
    assert sorted(file.name for file in (tmp_path / "all").iterdir()) == [
        f"proposal.{ending}" for ending in ("csv", "jobs.csv", "pdf", "txt")
    ]


@pytest.mark.slow
def test_a_proposal_is_for_the_target_and_efficiency_asked_for(call, strong_study, tmp_path):
    out = tmp_path / "own"
    assert call("run", strong_study, "--out", out, "--at", "p=48")[0] == 0
    assert "A run at p = 48 is predicted" in call("export", out, "--to", "proposal")[1]
    given = call("export", out, "--to", "proposal", "--at", "p=100", "--efficiency", "60%")[1]
    assert "A run at p = 100 is predicted" in given
    assert " 60 % " in given


@pytest.mark.slow
def test_a_proposal_needs_models_of_time(call, strong_study, tmp_path, refused):
    out = tmp_path / "visits"
    assert call("run", strong_study, "--out", out, "--metric", "visits")[0] == 0
    assert "the models are of visits, so there is no runtime" in refused("export", out, "--to", "proposal")


@pytest.mark.slow
def test_the_efficiency_asked_for_is_that_of_the_option_or_of_the_run(call, strong_study, tmp_path, refused):
    out = tmp_path / "own"

    def threshold(*arguments):
        code, text, errors = call(*arguments, "--json", "-")
        assert code == 0, errors
        return json.loads(text)["runtime"]["efficient_up_to"]["threshold"]

    assert threshold("run", strong_study, "--out", out, "--efficiency", "60%") == 0.6
    assert threshold("predict", out) == threshold("bottlenecks", out) == 0.6
    assert threshold("predict", out, "--efficiency", "0.9") == 0.9
    assert threshold("model", strong_study) == 0.75
    assert call("report", out, "--efficiency", "50%")[0] == 0
    assert "--efficiency" in refused("predict", out, "--efficiency", "high")


def test_predictions_are_those_of_the_largest_kernels_at_the_last_target(call, results):
    def shown(*targets):
        text = call("predict", results, *(part for p in targets for part in ("--at", p)), "--limit", "2")[1]
        return text.splitlines()

    every = json.loads(call("predict", results, "--at", "p=1024", "--json", "-")[1])["regions"]
    ordered = sorted(every, key=lambda row: -row["predictions"][0]["value"])
    lines = shown("p=64", "p=1024")
    start = lines.index("") + 2  # behind the answer and the headings
    assert [line.split()[0] for line in lines[start : start + 3]] == [
        *(row["region"] for row in ordered[:2]),
        "total",
    ]
    assert f"{len(every) - 2} more left out; --limit shows them" in lines
