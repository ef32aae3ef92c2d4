"""Output of perf script: samples, seconds and counters by call path and thread."""

import pytest

from ingest.errors import InputError
from ingest.readers import perf_script
from tests.ingest.readers.by_path import sums_by_path

from . import profiler_files
from .profiler_files import CYCLES, PERF, PERF_HEADER, sample

FORMAT, FILE = "perf", "out.perf"


def metrics(profile):
    return {metric.name: metric.unit for metric in profile.metrics}


@pytest.mark.parametrize("name", PERF)
def test_each_form_is_recognised(read, name):
    profile = read(PERF[name])
    assert profile.values("samples").sum() == {"clock": 4, "cycles": 4}.get(name, 3 if "no " in name else 1)
    assert any("skipped" in notice for notice in profile.notices) == (name == "messages")


def test_periods_of_clocks_are_nanoseconds(read):
    profile = read(PERF["clock"])
    assert metrics(profile) == {"time": "s", "samples": "occ"}
    assert sums_by_path(profile, "time") == pytest.approx(
        {("main", "solve", "dot"): 2e-3, ("main",): 1e-3, ("[unknown]",): 1e-3}
    )
    assert sums_by_path(profile, "samples") == {("main", "solve", "dot"): 2, ("main",): 1, ("[unknown]",): 1}
    assert profile.attributes["reconciled: "] == "4 samples, 0.004 s by cpu-clock, no total is stated"
    assert profile.notices == (
        "several commands in it: app (3 samples), swapper (1 samples)",
        "25 % of the samples are of idle processors (swapper): perf script --comm NAME leaves them out",
    )


def test_other_events_are_counters_and_give_seconds_by_the_frequency_of_the_header(read):
    profile = read(PERF["cycles"])
    assert metrics(profile) == {"time": "s", "samples": "occ", "cycles": "occ"}
    assert profile.values("cycles").sum() == 1600
    assert profile.values("time").sum() == 4 / 250
    assert profile.attributes["hostname"] == "node17"
    assert metrics(read(PERF["cycles"].replace("freq = 1", "freq = 0"))) == {
        "samples": "occ",
        "cycles": "occ",
    }


def test_without_period_and_frequency_there_are_no_seconds(read):
    profile = read(PERF["no periods"])
    assert metrics(profile) == {"samples": "occ"}
    assert profile.notices == (
        "neither a unit nor an interval is stated: values are numbers of samples, not seconds",
    )


def test_heads_without_a_time_are_those_before_frames(read, tmp_path):
    profile = read(PERF["no times"])
    assert sums_by_path(profile, "samples") == {("main", "solve", "dot"): 2, ("f",): 1}
    (tmp_path / "log").write_text("step 12 energy: 1.5\nstep 13 energy: 1.25\n")
    assert not perf_script.matches(tmp_path / "log")


def test_one_of_several_events_gives_the_time(read):
    profile = read(PERF_HEADER + sample(head=CYCLES) + 2 * sample())
    assert profile.values("time").sum() == pytest.approx(2e-3)
    assert profile.values("cycles").sum() == 400
    assert profile.values("samples").sum() == 2


def of_events(*numbers):
    """Samples of events, each in a function of its own: event, how many, period."""
    heads = ((f"{event}_f", f"app  7 [000] 1.5: {period} {event}:u: ", n) for event, n, period in numbers)
    return "".join(n * sample((name, "main"), head=head) for name, head, n in heads)


@pytest.mark.parametrize(
    ("numbers", "event", "metrics"),
    [
        ([("cycles", 4, ""), ("cache-misses", 9, "")], "cycles", {"samples": 4, "cache-misses": 9}),
        ([("cache-misses", 9, ""), ("cycles", 4, "")], "cycles", {"samples": 4, "cache-misses": 9}),
        (
            [("instructions", 3, 10), ("branches", 5, 2)],
            "instructions",
            {"samples": 3, "instructions": 30, "branches": 10},
        ),
        (
            [("page-faults", 3, 1), ("task-clock", 2, 1000)],
            "task-clock",
            {"time": 2e-6, "samples": 2, "page-faults": 3},
        ),
        ([("cpu_core/cycles/", 3, ""), ("cpu_atom/cycles/", 2, "")], "", {"samples": 5}),
        (
            [("cpu_core/cache-misses/", 3, ""), ("cpu_core/cycles/", 2, "")],
            "cycles",
            {"samples": 2, "cache-misses": 3},
        ),
    ],
)
def test_events_of_one_recording_are_metrics(read, numbers, event, metrics):
    profile = read(of_events(*numbers))
    sums = {metric.name: profile.values(metric.name).sum() for metric in profile.metrics}
    assert sums == pytest.approx(metrics)
    assert profile.attributes.get("setting: event", "") == event
    others = ", ".join(name for name in metrics if name not in ("time", "samples", event))
    said = [notice for notice in profile.notices if "--metric" in notice]
    assert said == (
        [f"samples are those of {event}; --metric NAME models another: {others}"] if event else []
    )


MESSAGES = """\
Warning:
Processed 1000 events and lost 3 chunks!

Check IO/CPU overload!
[ perf record: Woken up 1 times to write data ]
Failed to open /tmp/perf-31.map, continuing without symbols
addr2line: DWARF error: section .debug_info is larger than its filesize!

"""


def test_what_perf_says_is_skipped_wherever_it_stands(read, tmp_path):
    inside = sample().replace("\n\t", "\nFailed to open /x.so, continuing without symbols\n\t", 3)
    profile = read(MESSAGES + PERF["clock"] + MESSAGES + inside)
    assert sums_by_path(profile, "samples")["main", "solve", "dot"] == 3
    assert profile.values("samples").sum() == 5
    (notice,) = (notice for notice in profile.notices if "skipped" in notice)
    assert notice.startswith(f"{2 * 6 + inside.count('Failed')} lines are skipped: neither a sample nor")
    page = tmp_path / "README.md"
    page.write_text(MESSAGES + PERF["clock"])
    assert not perf_script.matches(page)
    page.write_text(PERF["clock"])
    assert perf_script.matches(page)


@pytest.mark.parametrize("length", [6500, 40000])
@pytest.mark.parametrize("form", ["clock", "no chains", "no times"])
def test_long_names_of_templates(read, form, length):
    name = f"std::vector<{'std::pair<int, ' * (length // 15)}int>::f(int) const"
    short = "f<int>(int)" if form == "no chains" else "dot"
    profile = read(PERF[form].replace(f" {short} ", f" {name} ").replace(f" {short}+", f" {name}+"))
    assert name in profile.regions.name


def test_threads_and_processes_are_locations(read):
    heads = [
        f"app  {pid}/{tid} [000] 1.5:   1000 cpu-clock: " for pid, tid in ((9, 9), (4, 4), (9, 10), (4, 4))
    ]
    profile = read("".join(sample(head=head) for head in heads))
    assert profile.locations.process.tolist() == [0, 1, 0]
    assert profile.locations.thread.tolist() == [0, 0, 1]
    assert profile.values("samples").sum(axis=0).tolist() == [1, 2, 1]


def test_threads_without_processes_are_those_of_one(read):
    profile = read("".join(sample(head=f"app  {tid} 1.5:  10 cpu-clock: ") for tid in (5, 6)))
    assert profile.locations.process.tolist() == [0, 0]
    assert profile.notices == (
        "threads are stated without their processes and read as those of one"
        " (perf script -F +pid states them)",
    )


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        ("operator new(unsigned long)+0x1c (/usr/lib/libstdc++.so.6)", "operator new(unsigned long)"),
        (
            "std::function<void (int)>::operator() (int) const (/a b/c)",
            "std::function<void (int)>::operator() (int) const",
        ),
        ("[unknown] ([kernel.kallsyms])", "[unknown]"),
        ("f (/tmp/app (deleted))", "f"),
        ("_ZN4core3addE+0x144 (inlined)", "_ZN4core3addE"),
        ("main", "main"),
        (" (/tmp/app)", "[unknown]"),
    ],
)
def test_names_of_functions(read, frame, name):
    profile = read(f"app 7/7 1.5: 10 cpu-clock: \n\t  4f {frame}\n\t  5f main+0x1 (/tmp/app)\n\n")
    assert sums_by_path(profile, "samples") == {("main", name): 1}


def test_recursion_and_equal_lines_in_another_order(read):
    profile = read(sample(("f", "f", "main")) + sample(("f", "main", "f")))
    assert sums_by_path(profile, "samples") == {("main", "f", "f"): 1, ("f", "main", "f"): 1}


def test_samples_without_chains_are_one_frame(read):
    assert sums_by_path(read(PERF["no chains"]), "cycles") == {("f<int>(int)",): 30}


def test_many_samples_without_empty_lines(read, monkeypatch):
    monkeypatch.setattr(perf_script, "_MAX_BLOCK", 4)
    assert read(5 * PERF["no chains"]).values("samples").sum() == 15


def test_lines_that_are_not_understood_are_skipped_and_counted(read):
    profile = read(sample() + "Warning: lost events\nand more\n\n" + sample())
    assert profile.values("samples").sum() == 2
    assert profile.notices == ("2 lines are skipped: neither a sample nor a frame (line 6 is the first)",)


def test_what_is_cut_is_read_up_to_there_and_what_is_none_is_refused(read, tmp_path):
    text = sample() + sample()
    assert read(text[: text.rindex("main")]).values("samples").sum() == 2
    file = tmp_path / "x.perf"
    file.write_text("nothing\nof the kind\n" + "3 4\n")
    assert not perf_script.matches(file)
    with pytest.raises(InputError, match=r"x\.perf: no sample of perf in it"):
        perf_script.read(file)
    file.write_text(sample(()) + "a\nb\nc\n")
    with pytest.raises(InputError, match="line 3: neither a sample nor a frame, as are 2 more lines"):
        perf_script.read(file)


def test_other_texts_are_not_recognised(tmp_path):
    file = tmp_path / "x.txt"
    for text in ("", profiler_files.folded(), "a log 1 line: that goes on:\n", "# perf\n"):
        file.write_text(text)
        assert not perf_script.matches(file)
    assert not perf_script.matches(tmp_path)
