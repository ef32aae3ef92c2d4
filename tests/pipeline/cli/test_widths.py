"""Any command at any width: no word is broken, names may be shortened, only a word alone is wider."""

import re

import pytest
import typer

from pipeline.cli.app import COMMANDS, OLD_COMMANDS, app, register
from tests.accelerated_runs import write_accelerated_runs
from tests.campaigns import begin
from tests.foam_cases import write_foam_case
from tests.pipeline.cli.test_campaign import DESCRIPTION, PROGRAM
from tests.pipeline.projection.ports.stored_llvm_mca import STORED, replay

LONG = "Solver<double, std::vector<std::complex<float>>>::applyPreconditionerToAllTheFacesOfTheMesh(int)"
WITHOUT_BLANK = "a_name_without_any_blank_that_is_longer_than_a_terminal_" + "x" * 60
NAMES = (LONG.removesuffix("(int)"), WITHOUT_BLANK)
WIDE = "500"  # everything fits


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("widths")
    folders = [folder / name for name in ("a", "b")]
    for folder, factor in zip(folders, (1.0, 1.6), strict=True):
        for p in (1, 2, 4, 8):
            for r, wobble in enumerate((1.0, 1.004, 0.997), 1):
                times = {
                    LONG: 640_000.0 / p * wobble * factor,
                    WITHOUT_BLANK: 64_321.0 * wobble / factor**2,
                    "main": 1234.5 / p * wobble,
                }
                write_foam_case(folder / f"app.p{p}.r{r}", times, processes=p)
    return folders


def table_of(text):
    """Return the lines of the table of kernels."""
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("Kernels"))
    return [line.strip() for line in lines[start + 1 : lines.index("", start)] if line.strip()]


def cells_of(text):
    """Return headings and values of a table; the verdict stands with the name."""
    return [cell for line in table_of(text) for cell in re.split(r"\s{2,}", line)]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [None, "60", "80", "120"])
def test_a_comparison_cuts_names_only(call, pair, monkeypatch, columns):
    arguments = ("compare", *pair, "--scaling", "strong", "--details")
    monkeypatch.setenv("COLUMNS", WIDE)
    whole = set(cells_of(call(*arguments)[1]))
    assert {"ratio", "interval at target", "1.02 million", *(f"main › {name}" for name in NAMES)} <= whole
    words = [f" {cell} " for cell in whole]
    monkeypatch.delenv("COLUMNS")
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    text = call(*arguments)[1]
    found = cells_of(text)
    assert max(map(len, table_of(text))) <= int(columns or 120)
    names = [cell for cell in found if "…" in cell]
    assert len(names) == 2 and all(
        any(one.startswith(name.split("…")[0]) and one.endswith(name.split("…")[1]) for one in NAMES)
        for name in names
    )
    for cell in set(found) - set(names):
        assert any(f" {cell} " in word for word in words), cell
    assert {*(path.name for path in pair), "share"} <= set(found) and "1.02 million" in found


QUICK = """
--version|nothing|inspect nothing|inspect study|inspect study --details|inspect study/app.p4.r1 --totals
inspect results|verify results|run nothing|run study --at p|predict results|predict results --at q=1
bottlenecks results
tree results --at p=64|choose results|choose results --deadline soon
choose results --deadline 1ms
plot results nothing|report results --at q=4|export results --to xml
export nothing --to csv|filter nothing|filter study/app.p8.r1 --explain main|check study|check base slow
compare base nothing|baseline nothing|history show sum|history add nothing --label a|project|project --list
project nothing|project milc --on nowhere|project milc --on xt5 --at L=8 --at P=1024
project milc --on xt5 --at L=8 --at P=1024 --show sensitivities|machine list
machine measure --out no/such/folder|campaign plan|campaign status|campaign plan nothing.toml|campaign next
ports loop.s --function dot --on zen4 --llvm-mca nowhere|ports loop.s --function sum --on zen4
serve-mcp --nothing
"""
SLOW = """
filter study/app.p8.r1|check slow --baseline baseline.json|check slow --baseline baseline.json --details
check base --baseline baseline.json|compare base slow|compare base slow --details|run study
run study --details|run study --strict --limit 1|model study|run gpus --out of-gpus|run times.csv --out table
baseline base --out again.json|history add slow --label b|history show sum|history --out site
check slow --history history.parquet|project results --from archer2 --on lumi-c --at p=64|report results
project milc --on power5plus --at L=8 --at P=256:1024:x2|bottlenecks results --from archer2 --on lumi-c
ports loop.s --function division --on skylake-x --from broadwell --time 12s|campaign submit
campaign status|campaign plan|bottlenecks results --tree|bottlenecks results --potential
choose results --deadline 8s --efficiency 40%|choose results --deadline 1ms|choose results --measure
advise results --budget 500|predict results --by callpath|project results --from archer2
bottlenecks results --on archer2
"""
CHANGES = re.compile(r"\d+ of \d+ scales shown;\s+--json has\s+all\.")  # with the width


@pytest.fixture
def folder(call, strong_study, studies, results, tmp_path, monkeypatch):
    """A folder with all that commands read."""
    replay(monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study" / "app.p32.r1").mkdir()
    (tmp_path / "study" / "app.p32.r1" / "profile.cubex").write_bytes(b"torn")
    studies("base", 1.0), studies("slow", 2.0)
    write_accelerated_runs(tmp_path / "gpus", noise=0.01)
    (tmp_path / "times.csv").write_text("cores,time\n1,100\n2,52\n4,28\n8,17\n16,12\n")
    (tmp_path / "loop.s").write_text((STORED.parent / "loops" / "avx2.s").read_text())
    begin(tmp_path, monkeypatch, DESCRIPTION, timers_py=PROGRAM)
    (tmp_path / "fail16").touch()


def faults(call, monkeypatch, command):
    """Say where a command breaks a word, or prints more than one beyond the width of the terminal."""
    monkeypatch.setenv("COLUMNS", WIDE)
    whole = set()
    for _ in range(2):  # results may be there already
        _, text, notices = call(*command.split())
        whole |= words(text + notices)
    for columns in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        _, text, notices = call(*command.split())
        lines = (text + notices).splitlines()
        yield from (line for line in lines if len(line) > columns and len(line.split()) > 1)
        yield from (word for word in words(text + notices) - whole if "…" not in word)


def words(text):
    """Return what blanks and frames separate."""
    return set(re.sub("[─-╿]", " ", CHANGES.sub("", text)).split())


def of_commands(call, monkeypatch, commands):
    found = {command: list(faults(call, monkeypatch, command)) for command in commands}
    return {command: lines for command, lines in found.items() if lines}


def commands_in(text):
    return [command for line in text.split("\n") for command in line.split("|") if command]


def test_no_command_prints_beyond_the_terminal_or_breaks_a_word(call, folder, monkeypatch):
    assert not of_commands(call, monkeypatch, commands_in(QUICK))
    name = "n" * 130  # has no place to break
    assert not of_commands(call, monkeypatch, [f"inspect {name}", f"predict {name}"])


def test_no_help_prints_beyond_the_terminal_or_breaks_a_word(call, monkeypatch):
    register()
    named = typer.main.get_command(app).commands
    names = [
        f"{name} {one}" for name, group in named.items() for one in ("", *getattr(group, "commands", ()))
    ]
    assert not of_commands(call, monkeypatch, [f"{name} --help" for name in ("", *names)])


@pytest.mark.slow
def test_nothing_that_takes_longer_does(call, folder, monkeypatch):
    call("baseline", "base", "--out", "baseline.json")
    call("history", "add", "base", "--label", "a")
    assert not of_commands(call, monkeypatch, commands_in(SLOW))


def test_every_command_is_among_them():
    tried = {command.split()[0] for command in commands_in(QUICK + SLOW)}
    assert tried >= {name for names in COMMANDS.values() for name in names} | set(OLD_COMMANDS)
