"""Headings as people and frameworks write them: each table has the same runs."""

import pytest

from ingest.errors import InputError
from tests.ingest.tables.test_tables import efforts, read

SECONDS = {1: 20.5, 2: 10.5, 4: 5.5, 8: 3.0, 16: 1.75}

HEADINGS = [  # of the parameter and of the time, what the parameter is called, seconds per unit
    ("p", "time", "p", 1),
    ("cores", "Wall time [s]", "cores", 1),
    ("Cores", "Walltime[s]", "Cores", 1),
    ("cpus", "time", "cpus", 1),
    ("core", "elapsed", "core", 1),
    ("cpu", "seconds", "cpu", 1),
    ("PEs", "t", "PEs", 1),
    ("number of cores", "runtime (s)", "cores", 1),
    ("No. of cores", "Run time (sec)", "cores", 1),
    ("#cores", "Elapsed Time(s)", "cores", 1),
    ("Total cores", "Total time", "cores", 1),
    ("CPU cores", "total", "cores", 1),
    ("n_cores", "execution_time_s", "n_cores", 1),
    ("NumCores", "wallTime", "NumCores", 1),
    ("MPI ranks", "Wall time [s]", "ranks", 1),
    ("MPI-Ranks", "time (seconds)", "Ranks", 1),
    ("mpi_ranks", "time_ms", "mpi_ranks", 1e-3),
    ("# MPI processes", "duration_us", "processes", 1e-6),
    ("Number of processes", "timeMs", "processes", 1e-3),
    ("nProcs", "durationNs", "nProcs", 1e-9),
    ("process count", "time/s", "process", 1),
    ("num_tasks", "t / ms", "num_tasks", 1e-3),
    ("jobsize", "wall_seconds", "jobsize", 1),
    ("mpi.world.size", "real", "mpi.world.size", 1),
    ("world_size", "time [minutes]", "world_size", 60),
    ("SLURM ntasks", "time", "ntasks", 1),
    ("workers", "makespan [s]", "workers", 1),
    ("gpus", "time", "gpus", 1),
    ("# GPUs", "time per step [ms]", "GPUs", 1e-3),
    ("num GPUs", "s/iteration", "GPUs", 1),
    ("threads", "elapsed (h)", "threads", 3600),
    ("OMP_NUM_THREADS", "time in seconds", "OMP_NUM_THREADS", 1),
    ("Kerne", "Laufzeit [s]", "Kerne", 1),
    ("Anzahl Kerne", "Zeit in s", "Kerne", 1),
    ("Anzahl der MPI-Prozesse", "Gesamtzeit [Sekunden]", "Prozesse", 1),
    ("Prozessoren", "Dauer/s", "Prozessoren", 1),
    ("coeurs", "temps (s)", "coeurs", 1),
    ("nombre de cœurs", "temps d'exécution (s)", "cœurs", 1),
    ("processus", "durée [ms]", "processus", 1e-3),
    ("núcleos", "tiempo (s)", "núcleos", 1),
    ("número de procesos", "tiempo de ejecución [s]", "procesos", 1),
    ("hilos", "tiempo", "hilos", 1),
]


@pytest.mark.parametrize(("parameter", "time", "name", "unit"), HEADINGS)
def test_usual_headings_of_a_scaling_study(tmp_path, parameter, time, name, unit):
    rows = "".join(f"{p};{seconds}\n" for p, seconds in SECONDS.items())
    study = read(tmp_path, f"{parameter};{time}\n{rows}")
    assert study.parameters == (name,)
    assert efforts(study) == {
        (p, 1, "(whole run)"): pytest.approx(p * seconds * unit) for p, seconds in SECONDS.items()
    }
    assert [len(run.profile.locations) for run in study.runs] == list(SECONDS)
    assert study.damaged == ()


def test_nodes_count_if_nothing_else_does(tmp_path):
    for nodes, time in (("nodes", "elapsed"), ("Knoten", "Zeit"), ("nœuds", "temps [s]"), ("# nodes", "t/s")):
        study = read(tmp_path, f"{nodes};{time}\n1;00:20:30\n2;00:10:30\n")
        assert study.parameters == (nodes.removeprefix("# "),)
        assert list(efforts(study).values()) == [1230, 2 * 630]


def test_sizes_in_words_describe_the_runs(tmp_path):
    study = read(tmp_path, "p,time,Size\n1,8,large\n2,4,large\n")
    assert study.parameters == ("p",)
    assert study.runs[0].profile.attributes["metadata: Size"] == "large"
    with pytest.raises(InputError, match="'Size' is not a number"):
        read(tmp_path, "p,time,Size\n1,8,64 kB\n2,4,64 kB\n")


@pytest.mark.parametrize("header", ["cores", "Size"])
def test_a_row_of_averages_makes_no_column_one_of_words(tmp_path, header):
    study = read(tmp_path, f"{header},time [s]\n1,8\n2,4\nAverage,6\n")
    assert study.parameters == (header,)


def test_a_column_with_a_total_names_the_kernels(tmp_path):
    rows = "".join(f"{p},Solve,{8 / p}\n{p},IO,1\n{p},Total,{8 / p + 1}\n" for p in (1, 2, 4))
    study = read(tmp_path, f"p,what,time [s]\n{rows}")
    assert {path[-1] for path in efforts(study)} == {"Solve", "IO"}


@pytest.mark.parametrize("header", ["epoch_time_s", "epoch time [s]"])
def test_the_time_of_an_epoch_is_a_time(tmp_path, header):
    assert efforts(read(tmp_path, f"p,{header}\n2,3\n4,2\n")) == {
        (2, 1, "(whole run)"): 6,
        (4, 1, "(whole run)"): 8,
    }


def test_what_is_counted_alone_is_said(tmp_path):
    assert read(tmp_path, "number of cores,time\n1,3\n2,2\n").notices == ("cores: processes",)
    assert read(tmp_path, "GPUs,time\n1,3\n2,2\n").notices == ("GPUs: locations",)
    assert read(tmp_path, "p,cores,time\n1,4,3\n2,8,2\n").notices == ()


@pytest.mark.parametrize(
    ("header", "locations", "parameters"),
    [
        ("p,cores", (2, 4), ("p",)),  # cores of the run
        ("nodes,cores", (2, 4), ("nodes",)),
        ("n,cores", (2, 4), ("n", "cores")),
        ("gpus,p", (2, 4), ("p",)),
    ],
)
def test_cores_beside_processes_or_nodes_are_locations(tmp_path, header, locations, parameters):
    study = read(tmp_path, f"{header},time\n1,2,3\n2,4,2\n")
    assert study.parameters == parameters
    assert tuple(len(run.profile.locations) for run in study.runs) == locations


def test_cores_that_vary_at_one_point_are_a_parameter(tmp_path):
    study = read(tmp_path, "p,cores,time\n1,1,20\n1,2,11\n1,4,6\n")
    assert [run.parameters for run in study.runs] == [(1, 1), (1, 2), (1, 4)]
    assert study.parameters == ("p", "cores")
    assert read(tmp_path, "p,n,time\n4,1,3\n4,2,6\n").parameters == ("p", "n")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("p,time_min", r"'time_min' is in minutes or the least; call it 'time \[min\]' or 'least time'"),
        ("p,time_16,time_32", "time_16, time_32: they do not count repetitions; give each measurement a row"),
        ("p,user [s],sys [s]", "user, sys: clocks of processors, but no wall time"),
        ("p,cpu time [s]", "cpu time: clocks of processors, but no wall time"),
        ("p,foo/s", r"no column of times is recognised \(p, foo/s\)"),
        ("p,stddev [s]", r"no column of times is recognised \(p, stddev \[s\]\)"),
        ("p,time limit [s]", "no column of times is recognised"),
        ("p,time [parsec]", "the unit 'parsec' of 'time .parsec.' is neither a time nor a rate"),
        ("1,20.5", r"the first line names no columns \(1, 20.5\); write p,seconds there"),
    ],
)
def test_headings_that_are_ambiguous_or_no_times_are_refused(tmp_path, header, message):
    rows = "".join(f"{p}{f',{s}' * header.count(',')}\n" for p, s in SECONDS.items())
    with pytest.raises(InputError, match=message) as raised:
        read(tmp_path, f"{header}\n{rows}")
    assert len(str(raised.value).removeprefix(str(tmp_path))) <= 200


@pytest.mark.parametrize(
    "header", ["steps/s", "GB/s", "Mcells/s", "tokens per second", "GFlop/s", "ns/day", "img/s"]
)
def test_rates_of_work_are_turned_over(tmp_path, header):
    slow, fast = efforts(read(tmp_path, f"p,{header}\n1,10\n2,16\n")).values()
    assert fast / slow == pytest.approx(2 * 10 / 16)


def test_a_table_that_is_not_understood_shows_a_line_that_explains_it(tmp_path):
    rows = "".join(f"{p},{s},x\n" for p, s in SECONDS.items())
    with pytest.raises(InputError) as raised:
        read(tmp_path, f"how many,took,note\n{rows}")
    line = 'table = {parameters = ["how many"], locations = "how many", value = "took"}'
    assert line in str(raised.value)
    stated = {"parameters": ("how many",), "locations": "how many", "value": ("took",)}
    assert list(efforts(read(tmp_path, f"how many,took,note\n{rows}", **stated)).values()) == [
        p * s for p, s in SECONDS.items()
    ]
