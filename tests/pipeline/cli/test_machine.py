"""`pipeline machine`: the list is that of `project --list`, and a measured machine is written and used."""

import io
import json

import pandas as pd
import pytest

from pipeline.projection.machines.machine_values import load_machine


def test_the_list_is_the_same_as_that_of_projections(call):
    code, listed, error = call("machine", "list")
    _, both, _ = call("project", "--list")
    assert (code, error) == (0, "")
    assert both.endswith(f"\n\n{listed}")
    assert "archer2 " in listed


def test_the_list_as_data(call, tmp_path):
    _, printed, _ = call("machine", "list", "--json", "-")
    machines = json.loads(printed)["machines"]
    _, both, _ = call("project", "--list", "--json", "-")
    assert machines == json.loads(both)["machines"]
    assert next(each for each in machines if each["name"] == "archer2")["covers"] == ["node", "network"]
    _, printed, _ = call("machine", "list", "--format", "csv")
    frame = pd.read_csv(io.StringIO(printed), keep_default_na=False)
    assert frame["name"].tolist() == [each["name"] for each in machines]
    assert set(frame["kind"]) == {"machine"}
    assert frame.set_index("name")["covers"]["fugaku"] == "node network"


@pytest.fixture
def compiler(tmp_path):
    """A compiler whose programs print the figures of a node at once."""
    figures = (
        "hz 2e9",
        "peak_dp 6e10",
        "peak_scalar 8e9",
        "bw_node 2e10",
        "bw_core 1e10",
        "latency_memory 1e-7",
    )
    printed = "\\n".join(f"echo {figure}" for figure in figures)
    path = tmp_path / "mycc"
    path.write_text(
        '#!/bin/sh\nwhile [ "$1" != -o ]; do [ $# = 0 ] && exit 0; shift; done\n'
        f'printf "#!/bin/sh\\n{printed}\\n" > "$2"; chmod +x "$2"\n'
    )
    path.chmod(0o755)
    return path


def test_a_measured_machine_is_written(call, compiler, tmp_path):
    out = tmp_path / "me.toml"
    code, printed, error = call(
        "machine", "measure", "-o", out, "--cc", compiler, "--mpicc", "none", "--quick"
    )
    assert (code, printed) == (0, "")
    assert error.splitlines() == [
        "pipeline: measuring this machine, best without other load: up to two minutes",
        "pipeline: network left out: no none",
        f"pipeline: wrote {out}",
    ]
    assert load_machine(out).values["bw_node"].value == 2e10
    code, printed, _ = call("machine", "measure", "--cc", compiler, "--mpicc", "none")
    assert code == 0
    assert printed == out.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cc", "icpx"], "--cc: 'icpx' is not a program; name a C compiler, such as gcc"),
        (["-o", "."], ".: cannot be written (Is a directory); choose another file or directory"),
        (["--flags", "'"], "--flags: ''' is not a command"),
        (["me.toml"], "unexpected extra argument"),
    ],
)
def test_what_is_wrong_is_one_line(call, arguments, message):
    code, printed, error = call("machine", "measure", *arguments)
    assert (code, printed) == (2, "")
    *progress, last = error.splitlines()
    assert message in last
    assert len(progress) <= 1
