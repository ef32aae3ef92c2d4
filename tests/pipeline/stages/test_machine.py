"""Measuring this machine: compiled, run and read back in seconds; and what may be missing, in one line."""

import shutil
import tempfile
import time

import pytest

from ingest.errors import UsageError
from pipeline.projection.machines.machine_values import load_machine
from pipeline.stages import machine as stage
from pipeline.stages.machine import Effort, OtherLoad, Tools, measure_machine

SMALL = Effort(rounds=3, node_seconds=0.0, network_seconds=0.0, largest=1 << 20)
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")


@pytest.fixture
def program(tmp_path):
    """Write a shell script that stands for a compiler or a launcher."""

    def write(name, script):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    return write


NODE = ("hz 2e9", "peak_dp 6e10", "peak_scalar 8e9", "bw_node 2e10", "bw_core 1e10", "latency_memory 1e-7")


@pytest.fixture
def compiler(program):
    """A compiler whose programs print the figures of a node at once."""
    printed = "\\n".join(f"echo {line}" for line in NODE)
    script = f'printf "#!/bin/sh\\n{printed}\\n" > "$2"; chmod +x "$2"'
    return program("mycc", compiling(script))


def compiling(script):
    """Return a script that stands for a compiler: runs this one with ``-o TARGET`` as its first arguments."""
    return f'[ "$1" = --version ] && exit 0\nwhile [ "$1" != -o ]; do shift; done\n{script}'


@pytest.fixture
def load(tmp_path):
    def from_text(text):
        (tmp_path / "me.toml").write_text(text)
        return load_machine(tmp_path / "me.toml")

    return from_text


@pytest.mark.slow
@needs_compiler
def test_this_node_is_measured(load):
    measured = measure_machine(Tools(mpi_compiler="no-mpicc"), SMALL)
    machine = load(measured.text)
    assert machine.covers == ("node",)
    values = {name: quantity.value for name, quantity in machine.values.items()}
    assert 2e8 < values["hz"] < 1e10
    assert values["peak_scalar"] < 1.1 * values["peak_simd"] < 2 * values["peak_dp"]
    assert 0.5 < values["peak_dp"] / values["cores"] / values["hz"] < 200  # flop a cycle and core
    assert values["latency_l1"] < values["latency_l2"] <= values["latency_memory"] * 1.5
    assert values["bw_l2"] < 1.5 * values["bw_l1"]
    assert all(machine.values[name].relative_sd >= 0.01 for name in ("hz", "peak_dp", "bw_core"))
    assert measured.notices[-1].startswith("network left out: ")
    assert "# Network: not measured, " in measured.text


def test_a_machine_that_is_too_busy_is_said_and_has_no_network(compiler, load, monkeypatch):
    busy = OtherLoad(programs=3.0, stolen=0.0, processors=4, waiting=9.0)
    monkeypatch.setattr(stage, "watch_other_load", lambda: lambda: busy)
    measured = measure_machine(Tools(compiler=compiler), SMALL)
    assert measured.notices == (busy.sentence(), "network left out: the machine is too busy")
    assert f"Doubt: {busy.sentence()}." in measured.text.replace("\n# ", " ")
    assert load(measured.text).values["bw_node"].relative_sd == pytest.approx(3.0)


def test_figures_that_cannot_be_are_said(program, load):
    script = (
        'printf "#!/bin/sh\\necho hz 2e9\\necho bw_node 1e10\\necho bw_core 2e10\\n" > "$2"; chmod +x "$2"'
    )
    measured = measure_machine(Tools(compiler=program("mycc", compiling(script)), mpi_compiler="none"), SMALL)
    assert "bw_core exceeds bw_node by 100.0 %, which cannot be" in measured.notices[0]
    assert load(measured.text).values["bw_node"].relative_sd == pytest.approx(1.0)


@pytest.mark.skipif(not (shutil.which("mpicc") and shutil.which("mpirun")), reason="no MPI here")
def test_the_network_within_this_node_is_measured(compiler, load):
    measured = measure_machine(Tools(compiler=compiler), SMALL)
    machine = load(measured.text)
    if any("cannot compile" in notice for notice in measured.notices):
        pytest.skip("MPI without headers here")
    if machine.values["cores"].value == 1:
        assert "message_node" not in machine.terms
        return
    assert list(machine.terms) == ["message_node"]
    assert 1e-8 < machine.values["allreduce_node"].value < 1e-2
    assert "one node only" in measured.notices[0]


@pytest.mark.parametrize("name", ["srun", "mpirun"])
def test_a_network_of_two_nodes_is_read(program, compiler, load, name):
    """What `network.c` prints where there are several nodes."""
    sizes = [8, 64, 512, 4096, 32768, 262144, 2097152]
    lines = ["ranks 2 4", "allreduce 2 1e-6", "allreduce 4 3e-6"]
    lines += [
        f"{name} {size} {1e-6 + size * 1e-10}" for name in ("message", "message_node") for size in sizes
    ]
    launcher = program(name, "\n".join(f"echo '{line}'" for line in lines))
    fake = program("mpicc", "exit 0")
    measured = measure_machine(
        Tools(compiler=compiler, mpi_compiler=fake, launcher=f"{launcher} -N 2"), SMALL
    )
    machine = load(measured.text)
    assert machine.covers == ("node", "network")
    assert machine.values["allreduce_step"].value == pytest.approx(2e-6)
    assert measured.notices == ()
    assert f"{name} -N 2." in measured.text.replace("\n# ", " ")


@pytest.mark.parametrize(
    ("mpicc", "mpirun", "notice"),
    [
        ("exit 0", "echo no slots >&2; exit 1", "failed: no slots"),
        ("exit 0", "echo ranks 1 1; echo ranks 1 1", "did not start one MPI program; choose with --mpicc"),
        ("exit 0", "exit 0", "did not start one MPI program"),
        ("exit 0", "echo rubbish", "the measuring program printed 'rubbish'; measure again"),
        ("echo network.c:1: error: no mpi.h >&2; exit 1", "exit 0", "error: no mpi.h"),
    ],
)
def test_a_network_that_cannot_be_measured_is_left_out(program, compiler, load, mpicc, mpirun, notice):
    tools = Tools(compiler=compiler, mpi_compiler=program("mpicc", mpicc), launcher=program("mpirun", mpirun))
    measured = measure_machine(tools, SMALL)
    assert load(measured.text).covers == ("node",)
    (told,) = measured.notices
    assert told.startswith("network left out: ") and notice in told and "\n" not in told


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "echo 'cc1: error: bad value for -march' >&2; exit 1",
            "cannot compile the measuring program: cc1: error: bad value for -march; choose another compiler",
        ),
        ("exit 1", "cannot compile the measuring program: exit code 1"),
        (
            'printf "#!/bin/sh\\nexit 4" > "$2"; chmod +x "$2"',
            "the measuring program failed: not enough memory",
        ),
        ('printf "#!/bin/sh\\necho broken >&2; exit 9" > "$2"; chmod +x "$2"', "program failed: broken"),
        (': > "$2"', "the measuring program cannot be run: Permission denied; set TMPDIR"),
    ],
)
def test_what_goes_wrong_with_the_compiler_is_one_line(program, script, message):
    compiler = program("mycc", compiling(script))
    with pytest.raises(UsageError) as caught:
        measure_machine(Tools(compiler=compiler, flags=""), SMALL)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_compiler_that_is_not_there(monkeypatch, tmp_path):
    with pytest.raises(UsageError, match=r"--cc: 'icpx' is not a program; name a C compiler"):
        measure_machine(Tools(compiler="icpx"), SMALL)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"no C compiler: there is none of cc, gcc, clang; install gcc"):
        measure_machine(Tools(), SMALL)


def test_flags_that_are_not_a_command(program):
    with pytest.raises(UsageError, match="--flags: '-O3 \"' is not a command"):
        measure_machine(Tools(compiler=program("mycc", "exit 0"), flags='-O3 "'), SMALL)


@pytest.mark.slow
def test_a_launcher_that_hangs_is_ended_with_all_it_started(program, compiler, monkeypatch, tmp_path):
    monkeypatch.setattr(stage, "_LONGEST_NETWORK", 0.3)
    launcher = program("srun", f"sh -c 'sleep 2; touch {tmp_path}/late' & wait")
    begin = time.monotonic()
    measured = measure_machine(
        Tools(compiler=compiler, mpi_compiler=program("mpicc", "exit 0"), launcher=launcher), SMALL
    )
    assert "srun took more than 0.3 s; measure again on an idle node" in measured.notices[0]
    time.sleep(max(0.0, begin + 4 - time.monotonic()))
    assert not (tmp_path / "late").exists()


def test_the_program_of_several_nodes_is_in_the_current_directory(program, compiler, monkeypatch, tmp_path):
    (tmp_path / "shared").mkdir()
    monkeypatch.chdir(tmp_path / "shared")
    launcher = program("srun", f'echo "$1" > {tmp_path}/where; echo ranks 1 1')
    tools = Tools(compiler=compiler, mpi_compiler=program("mpicc", "exit 0"), launcher=launcher)
    measure_machine(tools, SMALL)
    assert (tmp_path / "where").read_text().startswith(f"{tmp_path}/shared/pipeline-machine-")
    assert list((tmp_path / "shared").iterdir()) == []


def test_no_directory_for_the_programs(compiler, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(UsageError, match=r"none: cannot be written \(No such file or directory\)"):
        measure_machine(Tools(compiler=compiler), SMALL)
