"""Files of counters by what they contain, files of several processes, and runs with different counters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.counter_report import TOTAL_ROW, CountedRegion, CounterReport, merged
from ingest.counters.counted_work import work
from ingest.counters.counter_files import FORMATS, parse_counters, read_counters, recognised
from ingest.errors import InputError
from tests.ingest.counters.craypat_report_text import REPORT
from tests.ingest.counters.test_likwid_counters import TEXT, csv
from tests.ingest.counters.test_papi_counters import entry, text_of
from tests.ingest.counters.test_perf_stat_counters import WHOLE
from tests.pipeline.projection.mistakes import refused

TEXTS = {
    "CrayPat report": REPORT,
    "likwid-perfctr -O": csv(),
    "PAPI high-level JSON": text_of([entry("a", 1_000_000)]),
    "perf stat -x, or -j": WHOLE,
}


@pytest.mark.parametrize(("name", "text"), [*TEXTS.items(), ("likwid-perfctr -O", TEXT)])
def test_a_file_is_known_by_its_content(tmp_path, name, text):
    assert recognised(text).name == name
    assert sum(form.recognises(text) for form in FORMATS) == 1
    path = tmp_path / "counters"
    path.write_text(text)
    assert read_counters(path) == recognised(text).read(text, str(path))


def test_every_format_is_tried_here():
    assert [form.name for form in FORMATS] == list(TEXTS)


def test_a_file_of_none_of_them(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("region,time [s]\na,3\n")
    assert refused(lambda: read_counters(path), raises=InputError) == (
        f"{path}: not a file of counters that is known; formats are CrayPat report, likwid-perfctr -O, "
        "PAPI high-level JSON, perf stat -x, or -j"
    )


def test_values_that_are_not_finite():
    text = REPORT.replace("93,750,000,000", "9" * 400)
    with pytest.raises(InputError, match="run: USER/smooth: PAPI_FP_OPS is not a finite number"):
        parse_counters(text, "run")


def test_values_below_zero():
    with pytest.raises(InputError, match="run: USER/smooth: PAPI_FP_OPS is below zero; write the file again"):
        parse_counters(REPORT.replace("93,750,000,000", "-93,750"), "run")


def test_what_a_region_inside_counts_more_by_noise_is_nothing():
    def own(inside):
        text = text_of([entry("a", 9, X=1000), entry("b", 1, parent="0", X=inside)])
        return parse_counters(text, "run").region("a").counters["X"]

    assert [own(900), own(1005)] == [100, 0]
    with pytest.raises(InputError, match="run: a: X is below zero"):
        own(1100)


def test_a_directory_of_processes(tmp_path):
    for rank, nanoseconds in enumerate((2_000_000, 4_000_000)):
        content = text_of([entry("a", nanoseconds, X=rank + 1)], [entry("a", 1, X=10)])
        (tmp_path / f"rank_{rank:06}.json").write_text(content)
    report = read_counters(tmp_path)
    assert (report.processes, report.cores) == (2, 4)
    assert report.regions == (CountedRegion(path=("a",), seconds=0.003, counters={"X": 23.0}),)
    (tmp_path / "rank_000001.json").rename(tmp_path / "rank_000002.json")
    with pytest.raises(InputError, match="process 1 of 3 is missing"):
        read_counters(tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"no rank_\*.json in it; give papi_hl_output as PAPI wrote it"):
        read_counters(empty)


def report(*regions, where="run"):
    return CounterReport(where=where, processes=1, cores=2, regions=regions, notices=(where,))


def region(name, seconds, **counters):
    return CountedRegion(path=(name,), seconds=seconds, counters=counters)


def test_runs_with_different_counters_are_one():
    first = report(region("a", 2.0, X=1.0), region("b", 1.0, X=5.0))
    second = report(region("a", 4.0, X=9.0, Y=10.0), region("c", 1.0, Y=1.0), where="other")
    both = merged([first, second])
    assert (both.where, both.notices) == ("run", ("run", "other"))
    assert both.regions == (region("a", 2.0, X=1.0, Y=5.0), region("b", 1.0, X=5.0))
    assert merged([first]) == first
    with pytest.raises(InputError, match=r"other: no region in common with run; give reports of the same"):
        merged([first, report(region("z", 1.0), where="other")])


def test_regions_by_path():
    found = report(region("a", 1.0), CountedRegion(path=TOTAL_ROW))
    assert found.region("a").seconds == 1.0
    with pytest.raises(InputError, match="run: no region 'b/c'; regions are a, Total"):
        found.region("b", "c")


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([*TEXTS.values(), TEXT]),
    st.floats(0, 1),
    st.integers(0, 60),
    st.sampled_from(["", "\n", ",", "|", "-", "nan", "1e999", "\x00", '"', "{", "9" * 400, "   "]),
)
def test_damaged_files_are_refused_in_one_line_or_read(text, at, removed, inserted):
    place = int(at * len(text))
    damaged = text[:place] + inserted + text[place + removed :]
    try:
        found = parse_counters(damaged, "damaged")
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert found.regions
        work(found.regions[0].counters)
