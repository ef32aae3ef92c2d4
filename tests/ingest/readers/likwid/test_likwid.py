"""Output of likwid-perfctr as profiles."""

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader, likwid, read_profile

from .outputs import CSV, LIKWID, MPIRUN, markers, program

FORMAT, FILE = "LIKWID", "x.txt"


def by_region(profile, metric="time"):
    return dict(zip(profile.regions.name, profile.values(metric).tolist(), strict=True))


def names(profile):
    return [metric.name for metric in profile.metrics]


def test_a_program_on_its_cores(read):
    profile = read(program(2.0, 2.5))
    assert by_region(profile) == {"<program>": [2, 2.5]}
    assert names(profile) == ["time", "DRAM", "INSTR"]
    assert by_region(profile, "INSTR") == {"<program>": [10, 20]}
    assert by_region(profile, "DRAM") == {"<program>": [14, 0]}
    assert profile.locations.process.tolist() == [0, 0]
    assert profile.locations.thread.tolist() == [0, 1]
    assert profile.attributes["setting: CPU"] == "AMD EPYC 7702 64-Core Processor"
    assert profile.attributes["reconciled: "] == "runtimes 4.5 s on 2 cores, no total is stated"
    assert profile.notices == ()


@pytest.mark.parametrize("blank", ["", "\n"])
def test_regions_and_groups_that_take_turns(read, blank):
    profile = read(markers(blank))
    assert by_region(profile) == {"Setup phase": [2, 3], "Solve": [8, 10]}
    assert by_region(profile, "visits") == {"Setup phase": [2, 2], "Solve": [2, 3]}
    assert by_region(profile, "INSTR") == {
        "Setup phase": [100, 200],
        "Solve": pytest.approx([1000 * 8 / 6, 1000]),
    }
    assert names(profile) == ["time", "visits", "INSTR"]
    assert profile.notices == (
        "the time of regions that lie inside each other is in all of them: none is stated",
    )


def test_energy_counters_are_in_joules(read):
    profile = read(program(2.0, 2.5, dram="16.3914").replace("DRAM", "PWR_PKG_ENERGY"))
    assert {metric.name: metric.unit for metric in profile.metrics} == {
        "time": "s",
        "PWR_PKG_ENERGY": "J",
        "INSTR": "occ",
    }
    assert by_region(profile, "PWR_PKG_ENERGY") == {"<program>": [2 * 16.3914, 0]}


def test_csv(read):
    profile = read(CSV)
    assert by_region(profile) == {"sweep": [1.5, 2.5]}
    assert by_region(profile, "visits") == {"sweep": [3, 3]}
    assert by_region(profile, "CAS_COUNT_RD") == {"sweep": [800, 0]}
    assert profile.attributes["setting: CPU"] == "Some CPU"


@pytest.mark.parametrize("mark", ["-", "nan", "281474976710655"])
def test_events_that_could_not_be_read_are_missing(read, mark):
    profile = read(program(2.0, dram=mark))
    assert names(profile) == ["time", "INSTR"]
    assert profile.notices == ("events that could not be read are left out: DRAM",)


def test_ranks_of_likwid_mpirun_are_processes(read, tmp_path):
    profile = read(MPIRUN)
    assert profile.locations.process.tolist() == [0, 0, 1]
    assert profile.locations.thread.tolist() == [0, 1, 0]
    assert likwid.READER.processes(tmp_path / "x.txt") == 2


def write(folder, outputs):
    folder.mkdir()
    for name, text in outputs.items():
        (folder / name).write_text(text)
    return folder


def test_files_of_processes_are_one_run(tmp_path):
    for processes in (1, 2):
        outputs = {f"proc_{k}.out": program(1.0 + k, dram="-" if k else "3") for k in range(processes)}
        write(tmp_path / f"a.p{processes}.r1", outputs)
    found = discover(tmp_path)
    assert [(run.path.name, run.parameters, run.repetition) for run in found.runs] == [
        ("proc_0.out", (1,), 1),
        ("a.p2.r1", (2,), 1),
    ]
    profile = read_profile(tmp_path / "a.p2.r1")
    assert by_region(profile) == {"<program>": [1, 2]}
    assert names(profile) == ["time", "INSTR"]
    assert profile.locations.process.tolist() == [0, 1]
    assert profile.locations.thread.tolist() == [0, 0]
    reader = find_profile_reader(tmp_path / "a.p2.r1")
    assert [file.name for file in reader.files(tmp_path / "a.p2.r1")] == ["proc_0.out", "proc_1.out"]
    assert likwid.READER.processes(tmp_path / "a.p2.r1") == 2
    assert likwid.READER.processes(tmp_path / "a.p1.r1" / "proc_0.out") == 0


@pytest.mark.parametrize(
    ("outputs", "one_run"),
    [
        ({f"out{k}": program(1.0, cores=[f"Core {k}"]) for k in range(12)}, True),
        ({f"out{k}": program(1.0) for k in (1, 2)}, False),
        ({f"x.rank{k}.txt": program(1.0) for k in (0, 1)}, True),
        ({f"x.p{k}.txt": program(*[1.0] * k) for k in (1, 2)}, False),
        ({f"rank{k}": program(1.0) for k in (0, 2)}, True),
        ({f"rank{k}": program(1.0) for k in (0, 3)}, False),
        ({f"rank{k}": program(1.0) for k in (1, 2, 4)}, False),
        ({f"rank{k}": program(1.0) for k in (2, 3)}, False),
        ({"rank0": program(1.0), "rank1": "something else"}, False),
        ({"rank0": program(1.0), "rank1": program(1.0), "notes": ""}, True),
    ],
)
def test_what_is_one_run(tmp_path, outputs, one_run):
    folder = write(tmp_path / "run", outputs)
    assert likwid.matches(folder) == one_run
    if one_run:
        assert [file.name for file in likwid.files(folder)] == [name for name in outputs if name != "notes"]


@pytest.mark.parametrize("cut", [None, "CPU name: a\n"])
def test_a_process_whose_file_is_lost_or_has_no_table_is_named(tmp_path, cut):
    outputs = {f"proc_{k}.out": program(1.0) for k in range(16)} | {"proc_14.out": cut or "", "job.out": ""}
    folder = write(tmp_path / "a.p16", outputs)
    if cut is None:
        (folder / "proc_14.out").unlink()
    with pytest.raises(InputError, match="process 14 of 16 is missing; copy the files of all processes"):
        read_profile(folder)
    (folder / "proc_3.out").unlink()
    with pytest.raises(InputError, match="process 3 of 16 is missing, as is 1 more"):
        read_profile(folder)


def test_long_cells_and_headers_that_differ(read):
    assert by_region(read(CSV.replace("STRUCT,Info,3,,", "x," + "9" * 200_000))) == {"sweep": [1.5, 2.5]}
    other = CSV.replace("Event,Counter,HWThread 0,HWThread 1,", "Event,Counter,HWThread 0,")
    profile = read(other)
    assert by_region(profile, "visits") == {"sweep": [3, 3]}
    assert by_region(profile, "INSTR_RETIRED_ANY") == {"sweep": [100, 0]}


def test_other_files(tmp_path):
    file = tmp_path / "x"
    for text in ("", "Group 1: MEM\n", "Group 1: MEM\n+--+\n", LIKWID["program"].replace("Group", "Row")):
        file.write_text(text)
        assert not likwid.matches(file)
    file.write_text("x" * (3 << 20) + "\n" + program(2.0))  # the tables are at the end of the output
    assert likwid.matches(file)
    assert likwid.read(file).values("time").tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("Runtime (RDTSC) [s]", "Another runtime [s]", "no table of likwid with a runtime; write it with"),
        ("2.0", "-2.", "a runtime is negative"),
        ("2.0", "inf", "no table of likwid with a runtime"),
        (" 10 ", " 1e300 ", "the metric 'INSTR' is not finite, or too large"),
    ],
)
def test_damaged_output_is_refused(tmp_path, before, after, error):
    file = tmp_path / "x"
    file.write_text(program(2.0).replace(before, after))
    with pytest.raises(InputError, match=error):
        likwid.read(file)
