"""Databases since 2022: ``meta.db`` and ``profile.db``."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import InputError
from ingest.profile import CPU
from ingest.readers import find_profile_reader, read_profile
from ingest.readers.hpctoolkit.profile_db import ONE_DEVICE_EACH, ONE_OF_MANY, PLACEHOLDERS, paradigm_of
from ingest.run_settings import RECONCILED, not_instrumented
from tests.ingest.readers.hpctoolkit_meta_files import (
    CONTEXTS,
    ENTRY,
    FUNCTION,
    GPU,
    INSTRUCTION,
    LINE,
    LOOP,
    OTHERS,
    TIMES,
    Context,
    Thread,
    stream,
    thread,
    write_database,
)

TIME = "CPUTIME (sec)"
ALL = [TIME, *GPU]
MAIN = ("<program root>", "main thread", "main")


def times(profile, metric="time"):
    """Return the values of call paths that have some: a number per location."""
    values = profile.values(metric)
    paths = profile.tree.paths(profile.regions.name)
    return {path[2:]: row.tolist() for path, row in zip(paths, values, strict=True) if row.any()}


def region(profile, name):
    at = profile.regions.name.index(name)
    table = profile.regions
    return table.paradigm[at], table.file[at], table.line[at]


def test_time_is_that_of_functions_and_loops(tmp_path):
    database = write_database(tmp_path / "a", CONTEXTS, [TIME], [thread(0), thread(1, factor=2)])
    profile = read_profile(database)
    assert find_profile_reader(database).name == "HPCToolkit"
    assert times(profile) == {
        ("main",): [0.5, 1.0],  # on a line outside of the loop
        ("main", "Loop@a.c:7"): [6.0, 12.0],  # with the loop inside whose line is unknown
        ("main", "MPI_Send"): [1.5, 3.0],
        ("main", "f(int)"): [0.25, 0.5],  # inlined
    }
    assert profile.tree.paths(profile.regions.name)[2] == MAIN
    assert profile.values("time", inclusive=True)[0].tolist() == [8.25, 16.5]
    assert profile.metrics[0].unit == "s"
    assert profile.locations.process.tolist() == [0, 1]
    assert profile.locations.device.tolist() == [CPU, CPU]
    assert region(profile, "main") == ("sampling", "src/a.c", 5)
    assert region(profile, "Loop@a.c:7") == ("sampling", "src/a.c", 7)
    assert region(profile, "MPI_Send") == ("mpi", "", -1)
    assert profile.attributes["title"] == "cpi"
    assert profile.attributes[RECONCILED] == "CPUTIME 24.75 s = 100.00 % of the stated 24.75 s"
    assert not_instrumented(profile.attributes)
    assert profile.notices == (
        "3 lines, instructions and loops of unknown lines are counted with their functions",
    )


def test_what_is_called_is_a_call_path_even_if_its_function_is_not_known(tmp_path):
    values = {TIME: OTHERS}
    identity = {"RANK": 0, "THREAD": 0}
    database = write_database(tmp_path / "a", CONTEXTS, [TIME], [Thread(identity=identity, values=values)])
    assert times(read_profile(database)) == {
        ("<unknown function> [libucs.so]",): [0.125],  # an instruction
        ("main", "<unknown function> 0x407 [libx.so]"): [3.0],
        ("main", "<unknown function>"): [5.0],
    }


def test_contexts_may_state_function_line_and_module(tmp_path):
    contexts = (
        Context(kind=ENTRY, name="main thread"),
        Context(kind=INSTRUCTION, parent=1, file="[libx.so]", line=3, module="/lib/libx.so", relation=1),
        Context(kind=LOOP, parent=2, name="main", file="b.c", line=4, module="/bin/a"),
        Context(kind=FUNCTION, parent=3, name="f", file="[libx.so]", module="/lib/libx.so", relation=1),
    )
    threads = [Thread(identity={"RANK": 0}, values={TIME: {2: 1.0, 3: 2.0, 4: 3.0}})]
    profile = read_profile(write_database(tmp_path / "a", contexts, [TIME], threads))
    assert times(profile) == {
        ("<unknown function> [libx.so]",): [1.0],
        ("<unknown function> [libx.so]", "Loop@b.c:4"): [2.0],
        ("<unknown function> [libx.so]", "Loop@b.c:4", "f"): [3.0],
    }
    assert region(profile, "f") == ("sampling", "", -1)


@pytest.mark.parametrize(
    ("name", "module", "paradigm"),
    [
        ("PMPI_Send [libmpi.so.40]", "", "mpi"),
        ("MPI_Init", "a.out", "mpi"),
        ("cudaMemcpy", "a.out", "cuda"),
        ("f", "libcuda.so.1", "cuda"),
        ("hipLaunchKernel", "a.out", "hip"),
        ("clEnqueueNDRangeKernel", "a.out", "opencl"),
        ("<omp barrier wait>", "", "openmp"),
        ("clean", "a.out", "sampling"),
        ("cudamemcpy", "a.out", "sampling"),
    ],
)
def test_paradigms_by_name_and_load_module(name, module, paradigm):
    assert paradigm_of(name, module) == paradigm


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_all_below_a_placeholder_runs_on_accelerators(tmp_path, placeholder):
    contexts = (
        Context(kind=ENTRY, name="main thread"),
        Context(kind=FUNCTION, parent=1, name=placeholder, relation=1),
        Context(kind=FUNCTION, parent=2, name="cudaLaunchDevice", relation=1),
        Context(kind=LOOP, parent=3, file="b.cu", line=4),
        Context(kind=INSTRUCTION, parent=4, relation=1),
        Context(kind=FUNCTION, parent=1, name="b", relation=1),
    )
    threads = [Thread(identity={"RANK": 0}, values={"GKER (s)": {5: 1.0}})]
    profile = read_profile(write_database(tmp_path / "a", contexts, ["GKER (s)"], threads))
    kind = "gpu kernel" if "kernel" in placeholder else "gpu copy"
    assert profile.regions.paradigm == ("sampling", "sampling", kind, kind, kind, kind, "sampling")


def test_only_inclusive_values_are_needed_and_later_versions_have_longer_structures(tmp_path):
    plain = read_profile(write_database(tmp_path / "a", CONTEXTS, ALL, [thread(0, gpu=True)]))
    other = read_profile(
        write_database(tmp_path / "b", CONTEXTS, ALL, [thread(0, gpu=True)], scopes=(3,), extra=24)
    )
    assert times(other) == times(plain)
    assert other.attributes == plain.attributes


def test_threads_by_process_and_those_without_values(tmp_path):
    threads = [thread(3, 1), thread(3, 0, 2.0), thread(1, 0, 3.0), thread(1, 7, 0.0)]
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, [TIME], threads))
    assert profile.locations.process.tolist() == [0, 0, 1, 1]
    assert profile.locations.thread.tolist() == [0, 1, 0, 1]
    assert times(profile)["main",] == [1.5, 0.0, 1.0, 0.5]
    assert "1 of 4 profiles have no values" in profile.notices


def test_without_ranks_nodes_are_processes(tmp_path):
    identities = [{"NODE": 9, "THREAD": 1}, {"NODE": 5, "THREAD": 0}, {"NODE": 9, "THREAD": 0}]
    threads = [Thread(identity=identity, values={TIME: TIMES}) for identity in identities]
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, [TIME], threads))
    assert profile.locations.process.tolist() == [0, 1, 1]
    assert profile.locations.thread.tolist() == [0, 0, 1]


def test_the_time_of_operations_is_on_the_accelerator_of_the_process(tmp_path):
    threads = [thread(0, gpu=True), thread(0, 1, 0.5, gpu=True), thread(1, factor=2, gpu=True), thread(2)]
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, ALL, threads))
    assert profile.locations.process.tolist() == [0, 0, 0, 1, 1, 2]
    assert profile.locations.device.tolist() == [CPU, CPU, 0, CPU, 1, CPU]
    found = times(profile)
    launch = ("main", "cudaLaunchKernel")
    assert found[*launch, "<gpu kernel>", "axpy(float*)"] == [0, 0, 9.0, 0, 12.0, 0]
    assert found[*launch, "<gpu copyin>"] == [0, 0, 1.125, 0, 1.5, 0]
    assert found["main",] == [0.5, 0.25, 0, 1.0, 0, 0.5]
    assert launch not in found
    assert region(profile, "axpy(float*)")[0] == region(profile, "<gpu kernel>")[0] == "gpu kernel"
    assert region(profile, "<gpu copyin>")[0] == "gpu copy"
    assert region(profile, "cudaLaunchKernel")[0] == "cuda"
    assert times(profile, "GSYNC")[launch] == [0.5, 0.25, 0, 1.0, 0, 0]  # the host waits
    assert ONE_DEVICE_EACH in profile.notices
    assert profile.attributes[RECONCILED].endswith(
        "; GKER 21 s = 100.00 % of the stated 21 s; GXCOPY 2.625 s = 100.00 % of the stated 2.625 s"
    )


def test_details_of_operations_are_on_the_accelerator(tmp_path):
    more = {"GKER:COUNT": {17: 4.0}, "GXCOPY:H2D (B)": {18: 64.0}, "GSYNC:COUNT": {14: 2.0}}
    threads = [thread(0, gpu=True, **more), thread(0, 1, gpu=True, **more)]
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, [*ALL, *more], threads))
    launch = ("main", "cudaLaunchKernel")
    assert times(profile, "GKER:COUNT") == {(*launch, "<gpu kernel>", "axpy(float*)"): [0, 0, 8.0]}
    assert times(profile, "GXCOPY:H2D") == {(*launch, "<gpu copyin>"): [0, 0, 128.0]}
    assert times(profile, "GSYNC:COUNT") == {launch: [2.0, 2.0, 0]}


def test_streams_without_values_say_which_devices_a_process_has(tmp_path):
    one = [thread(0, gpu=True), stream(0, 3, 7), stream(0, 3, 8)]
    two = [thread(1, gpu=True), stream(1, 0, 7), stream(1, 1, 8)]
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, ALL, one))
    assert profile.locations.device.tolist() == [CPU, 0]
    assert not {ONE_DEVICE_EACH, ONE_OF_MANY} & set(profile.notices)
    profile = read_profile(write_database(tmp_path / "b", CONTEXTS, ALL, one + two))
    assert profile.locations.device.tolist() == [CPU, 0, CPU, 1]
    assert ONE_OF_MANY in profile.notices and ONE_DEVICE_EACH not in profile.notices


def test_ranks_share_a_device_only_if_its_number_is_that_of_hardware(tmp_path):
    def devices(folder, device):
        threads = [of for rank in (0, 1) for of in (thread(rank, gpu=True), stream(rank, device, 7))]
        return read_profile(write_database(tmp_path / folder, CONTEXTS, ALL, threads)).locations.device

    assert devices("a", 4).tolist() == [CPU, 0, CPU, 1]
    assert devices("b", -4).tolist() == [CPU, 0, CPU, 0]


def test_streams_with_values_are_locations(tmp_path):
    kernels = [stream(0, 1, 8, **{"GKER (sec)": {17: 3.0}}), stream(0, 1, 7, **{"GKER (sec)": {17: 1.0}})]
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, ALL, [*kernels, thread(0)]))
    assert profile.locations.device.tolist() == [CPU, 0, 0]
    assert times(profile)["main", "cudaLaunchKernel", "<gpu kernel>", "axpy(float*)"] == [0, 1.0, 3.0]


@pytest.mark.parametrize(
    ("written", "metrics"),
    [
        (["PAPI_TOT_CYC", "REALTIME (usec)"], [("PAPI_TOT_CYC", "", 8.25), ("time", "s", 8.25e-6)]),
        (["CPUTIME (sec)", "REALTIME (sec)"], [("CPUTIME", "sec", 8.25), ("time", "s", 8.25)]),
        (["GGMEM:LDC (B)", "GGMEM:LDC (L2T)"], [("GGMEM:LDC", "B", 8.25), ("GGMEM:LDC (L2T)", "L2T", 8.25)]),
        (["perf::CYCLES"], [("perf::CYCLES", "", 8.25)]),
    ],
)
def test_metrics_by_name_and_unit(tmp_path, written, metrics):
    values = dict.fromkeys(written, TIMES)
    threads = [Thread(identity={"RANK": 0, "THREAD": 0}, values=values)]
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, written, threads))
    found = [(m.name, m.unit, profile.values(m.name).sum()) for m in profile.metrics]
    assert [(name, unit) for name, unit, _ in found] == [(name, unit) for name, unit, _ in metrics]
    assert [value for *_, value in found] == pytest.approx([value for *_, value in metrics])


def test_metrics_without_values_are_left_out_and_those_without_inclusive_ones_are_named(tmp_path):
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, ["A", TIME], [thread(0)]))
    assert [metric.name for metric in profile.metrics] == ["time"]
    with pytest.raises(InputError, match="no values in it; was the measurement interrupted"):
        read_profile(write_database(tmp_path / "b", CONTEXTS, [TIME], [thread(0)], scopes=(0, 1, 2)))
    database = write_database(tmp_path / "c", CONTEXTS, ["A (x)", TIME], [thread(0)], bare=["A (x)"])
    assert "1 metrics without inclusive values are not read: A (x)" in read_profile(database).notices


def test_counters_are_compared_with_what_is_stated_if_there_is_no_time(tmp_path):
    threads = [Thread(identity={"RANK": 0}, values={"CYC": TIMES, "INS (occ)": TIMES})]
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, ["CYC", "INS (occ)"], threads))
    assert profile.attributes[RECONCILED] == "CYC 8.25 = 100.00 % of the stated 8.25"


def test_sums_in_another_order_leave_nothing(tmp_path):
    contexts = [Context(kind=ENTRY, name="main thread")]
    contexts += [Context(kind=FUNCTION, parent=1, name=name, relation=1) for name in "fgh"]
    values = {4: 0.3, 3: 0.2, 2: 0.1}
    assert sum(values.values()) < sum(reversed(values.values()))
    threads = [Thread(identity={"RANK": 0}, values={TIME: values})]
    profile = read_profile(write_database(tmp_path / "a", contexts, [TIME], threads))
    assert profile.values("time")[:, 0].tolist() == [0, 0, 0.1, 0.2, 0.3]


def test_what_is_stated_is_the_summary(tmp_path):
    database = write_database(tmp_path / "a", CONTEXTS, [TIME], [thread(0)], summary=False)
    profile = read_profile(database)
    assert profile.attributes[RECONCILED] == "CPUTIME 8.25 s = 100.00 % of the stated 8.25 s"
    database = write_database(tmp_path / "b", CONTEXTS, [TIME], [thread(0), thread(1)])
    content = bytearray((database / "profile.db").read_bytes())
    at = content.index(struct.pack("<d", 16.5))  # of context 0 in the summary
    content[at : at + 8] = struct.pack("<d", 33.0)
    (database / "profile.db").write_bytes(content)
    assert read_profile(database).attributes[RECONCILED].endswith("= 50.00 % of the stated 33 s")


def test_values_come_in_blocks(tmp_path):
    database = write_database(tmp_path / "a", CONTEXTS, [TIME], [thread(0), thread(1)])
    profile = read_profile(database)
    metric = profile.metric("time")
    blocks = list(profile.load.exclusive_blocks(metric, 3))
    assert [len(nodes) for nodes, _ in blocks] == [3, 1]
    values = np.zeros_like(profile.values("time"))
    for nodes, block in blocks:
        values[nodes] = block
    np.testing.assert_array_equal(values, profile.values("time"))


@st.composite
def databases(draw):
    """Return contexts of any form, and samples on any of them."""
    contexts = [Context(kind=ENTRY, name="main thread")]
    for _ in range(draw(st.integers(0, 25))):
        parent = draw(st.sampled_from([i for i, c in enumerate(contexts) if c.listed])) + 1
        kind = draw(st.sampled_from((FUNCTION, LOOP, LINE, INSTRUCTION)))
        relation = draw(st.sampled_from((1, 2))) if kind == FUNCTION else 0
        contexts.append(
            Context(
                kind=kind,
                parent=parent,
                name=draw(st.sampled_from("fgh")) if kind == FUNCTION else "",
                file="a.c" if kind in (LOOP, LINE) else "",
                line=draw(st.integers(0, 2)),
                relation=relation,
                listed=kind != INSTRUCTION or draw(st.booleans()),
            )
        )
    at = st.integers(1, len(contexts))
    samples = st.dictionaries(at, st.floats(1e-3, 1e3), min_size=1)
    return contexts, draw(st.lists(samples, min_size=1, max_size=3))


@settings(max_examples=60, deadline=None)
@given(database=databases())
def test_each_sample_counts_once_with_the_function_or_loop_around_it(tmp_path_factory, database):
    contexts, samples = database
    threads = [Thread(identity={"RANK": rank}, values={TIME: of}) for rank, of in enumerate(samples)]
    folder = tmp_path_factory.mktemp("hpctoolkit") / "a"
    profile = read_profile(write_database(folder, contexts, [TIME], threads))
    expected = {}
    for rank, of in enumerate(samples):
        for identifier, value in of.items():
            key = around(contexts, identifier)
            expected.setdefault(key, np.zeros(len(samples)))[rank] += value
    found = {}
    values = profile.values("time")
    for path, row in zip(profile.tree.paths(profile.regions.name), values, strict=True):
        if row.any():
            found[path] = found.get(path, 0.0) + row
    assert found.keys() == expected.keys()
    for path, row in expected.items():
        np.testing.assert_allclose(found[path], row, atol=1e-12 * sum(map(np.sum, expected.values())))


def around(contexts, identifier):
    """Return the call path of a context."""
    path = []
    while identifier:
        context = contexts[identifier - 1]
        if context.kind in (ENTRY, FUNCTION):
            path.append(context.name)
        elif context.kind == LOOP and context.line:
            path.append(f"Loop@a.c:{context.line}")
        identifier = context.parent
    return ("<program root>", *reversed(path))
