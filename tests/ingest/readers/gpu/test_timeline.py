"""From activities to a profile: what is left of a run, and where it stands."""

import numpy as np
import pytest

from ingest.profile import CPU
from ingest.readers.gpu.timeline import Activities, Timeline, span, timeline_profile
from tests.ingest.readers.gpu_files import by_path, nanoseconds


def profile_of(calls, duration=None, kernels=()):
    """Calls are process, thread, start and end; kernels are device, stream, start and end."""
    timeline = Timeline(duration=duration)
    call, kernel = timeline.regions.number("f", "cuda"), timeline.regions.number("k", "gpu kernel")
    rows = [(process, thread, CPU, call, start, end, 0) for process, thread, start, end in calls]
    rows += [(5, stream, device, kernel, start, end, 0) for device, stream, start, end in kernels]
    names = ("process", "thread", "device", "region", "start", "end", "bytes")
    columns = zip(names, np.array(rows, dtype=np.int64).T, strict=True)
    timeline.parts = [Activities(**dict(columns))]
    return timeline_profile("x", "test", timeline), timeline


@pytest.mark.parametrize(
    ("calls", "program"),
    [
        ([(5, 5, 0, 10), (5, 6, 0, 30)], [90, 0]),  # the thread with the number of the process
        ([(5, 7, 0, 10), (5, 8, 0, 30)], [0, 70]),  # or else that with the most calls
        ([(5, 5, 0, 10), (6, 6, 0, 30)], [90, 70]),
        ([(5, 5, 0, 130)], [0]),
    ],
)
def test_the_main_thread_of_each_process_has_what_is_left_of_the_run(calls, program):
    profile, _ = profile_of(calls, duration=100)
    assert nanoseconds(by_path(profile)).get(("<program>",), [0]) == program
    if any(program):
        assert profile.values("time").sum(axis=0).max() == pytest.approx(100e-9)


def test_without_a_duration_nothing_is_completed():
    profile, timeline = profile_of([(5, 5, 3, 10)], kernels=[(0, 1, 8, 20)])
    assert nanoseconds(by_path(profile)) == {("f",): [7, 0], ("k",): [0, 12]}
    assert span(timeline.parts) == 17
    assert span([]) == 0


def test_a_process_without_calls_has_a_thread_that_lasts_as_long_as_the_run():
    profile, _ = profile_of([], duration=100, kernels=[(0, 1, 10, 30), (0, 2, 20, 40), (1, 1, 0, 200)])
    assert profile.locations.device.tolist() == [-1, 0, 0, 1]
    assert nanoseconds(by_path(profile)) == {
        ("<program>",): [100, 0, 0, 0],
        ("k",): [0, 20, 20, 200],
        ("GPU idle",): [0, 70, 0, 0],
    }
