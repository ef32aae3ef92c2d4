"""Loops as parts of an application: cores, threads and clocks of the machine, measured times, mistakes."""

from pathlib import Path

import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.ports.loop_estimate import find_llvm_mca, left_out_error
from pipeline.stages.project import project
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.ports.stored_llvm_mca import replay

LOOPS = Path(__file__).parents[1] / "ports" / "loops" / "avx2.s"
MACHINE = 'cpu = "skylake-x"\n[values]\ncores = 4\nhz = "2 GHz"\n'
LOOP = f'file = "{LOOPS}", function = "division", per_pass = 4'
MEASURED = f'{LOOP}, time = "3 ns", from = "here.toml"'


@pytest.fixture(autouse=True)
def stored(monkeypatch):
    replay(monkeypatch)
    yield
    find_llvm_mca.cache_clear()


@pytest.fixture
def projected(tmp_path):
    def of(ports=LOOP, more='elements = "n"', *, machine=MACHINE, parts="", terms="", here="", **at):
        (tmp_path / "there.toml").write_text(machine)
        (tmp_path / "here.toml").write_text(here or 'cpu = "broadwell"\n[values]\nhz = "3 GHz"\n')
        parts = parts or f"[parts.flux]\nports = {{ {ports} }}\n{more}\n"
        (tmp_path / "app.toml").write_text(f"[inputs]\nn = 1e9\nP = 1\n{terms}{parts}")
        return project(tmp_path / "app.toml", tmp_path / "there.toml", at)

    return of


def test_all_cores_share_the_elements(projected):
    """A pass of four elements occupies the divider of Skylake-SP for 8 cycles."""
    found = projected()
    assert found.total.value == pytest.approx(1e9 / 4 / 4 * 8 / 2e9, rel=0.02)
    assert [part.path for part in found.parts] == [("flux",)]
    assert projected(n=2e9).total.value == pytest.approx(2 * found.total.value)
    assert projected(more='elements = "n"\nthreads = "P"').total.value == pytest.approx(4 * found.total.value)


def test_the_interval_has_the_error_of_cycles_that_stand_alone(projected):
    found, known = projected().total, left_out_error("absolute")
    # Student's quantile with ten degrees of freedom, from a thousand draws.
    assert found.upper / found.value == pytest.approx(2.718 ** (1.812 * known.spread), rel=0.1)
    assert found.lower / found.value == pytest.approx(2.718 ** (-1.812 * known.spread), rel=0.1)


def test_what_is_left_out_is_said_once(projected):
    both = (
        f"[parts.a]\nports = {{ {LOOP} }}\nelements = 'n'\n[parts.b]\nports = {{ {LOOP} }}\nelements = 'n'\n"
    )
    notices = projected(parts=both).notices
    assert sum("first-level cache" in notice for notice in notices) == 1
    assert sum("the interval of loops has the error of" in notice for notice in notices) == 1
    assert notices[0].startswith("a: 8.0")
    assert "port FPDivider: division and square root" in notices[0]
    assert not any("per pass is assumed" in notice for notice in notices)
    alone = projected(LOOP.replace(", per_pass = 4", ""))
    assert (
        "flux: elements: 4 per pass, as its code tells; if that is wrong, state per_pass = 4" in alone.notices
    )
    assert alone.total.value == projected().total.value
    said = "flux: the code says 4 elements a pass, 2 was given"
    assert said in projected(LOOP.replace("per_pass = 4", "per_pass = 2")).notices
    assert said.replace("2 was", "4 was") not in notices


def test_threads_of_a_core_share_its_ports_and_hide_latency(projected):
    """Eight threads on four cores: a divider is as busy as before, a chain of additions runs twice."""
    smt, threads = f"{MACHINE}threads_per_core = 2\n", 'elements = "n"\nthreads = "P"'
    divided = [projected(more=threads, machine=smt, P=threads_).total.value for threads_ in (4, 8, 16)]
    assert divided == pytest.approx([divided[0]] * 3, rel=0.02)
    chain = LOOP.replace("division", "dot")
    waited = [projected(chain, threads, machine=smt, P=p).total.value for p in (1, 4, 5, 8, 16)]
    assert waited[0] == pytest.approx(1e9 / 4 * 4 / 2e9, rel=0.02)
    # Of five threads two are on one core, each as fast as alone.
    assert waited == pytest.approx([waited[0] / p for p in (1, 4, 5, 8, 8)], rel=0.02)
    without = [projected(chain, threads, P=p).total.value for p in (4, 8)]
    assert without[1] == pytest.approx(without[0])


def test_a_measured_time_goes_with_the_ratio_of_cycles_and_clocks(projected):
    found, known = projected(MEASURED).total, left_out_error("ratio")
    assert found.value == pytest.approx(1e9 * 3e-9 / 4 * (8 / 16) * (3 / 2), rel=0.03)
    assert found.upper / found.value == pytest.approx(2.718 ** (1.86 * known.spread), rel=0.1)


def test_where_it_was_measured_the_time_is_the_measured_one(projected):
    here = 'cpu = "skylake-sp"\n[values]\nhz = "2 GHz"\n'
    found = projected(MEASURED, here=here).total
    assert found.value == pytest.approx(1e9 * 3e-9 / 4)
    assert found.lower == found.upper == found.value
    spread = projected(MEASURED.replace("3 ns", "3 ns +- 10 %"), here=here).total
    assert spread.upper / spread.value == pytest.approx(2.718 ** (1.645 * 0.1), rel=0.05)


def test_a_loop_is_a_term_of_expressions(projected):
    terms = f"[terms.flux]\nports = {{ {LOOP} }}\n"
    found = projected(
        terms=terms, parts='[parts]\nwork = "max(flux(n, 1), 7 * unit.s)"\nrest = "flux(n, 4)"\n'
    )
    values = {part.path: part.value for part in found.parts}
    assert values["work",] == 7.0
    assert values["rest",] == pytest.approx(0.25, rel=0.02)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"machine": "[values]\ncores = 4\n"}, "there.toml: cpu: is missing; write what its cores are"),
        ({"machine": 'cpu = "zen9"\n'}, "there.toml: cpu: unknown processor 'zen9'; did you mean 'zen5'?"),
        ({"machine": 'cpu = "grace"\n'}, "code for x86-64, but NVIDIA Grace is aarch64; compile it for that"),
        ({"machine": 'cpu = "skylake-x"\n[values]\ncores = 4\n'}, "unknown name 'mach.hz'"),
        (
            {"machine": MACHINE.replace("2 GHz", "2 s")},
            "hz: unit mismatch: 'hz' has to be in 1/s, it is in s",
        ),
        ({"machine": MACHINE.replace('"2 GHz"', "2")}, "hz: unit mismatch: 'hz' has to be in 1/s"),
        ({"machine": MACHINE.replace("= 4", "= 0.5")}, "'cores' has to be a whole number of at least 1"),
        ({"machine": f'{MACHINE}threads_per_core = "2 GB"\n'}, "unit mismatch: 'threads_per_core' has to be"),
        ({"more": ""}, "elements: is missing"),
        ({"more": 'elements = "-n"'}, "app.toml:5: flux: elements have to be at least 0, not -1e+09"),
        ({"more": 'elements = "n"\nthreads = "-4 * P"'}, "flux: threads have to be at least 1, not -4"),
        ({"more": 'elements = "n"\nthreads = "P / 2"'}, "flux: threads have to be at least 1, not 0.5"),
        ({"ports": MEASURED.replace("3 ns", "0 ns")}, "time: has to be positive; write it like"),
        ({"ports": MEASURED.replace("3 ns", "-1 ns")}, "time: has to be positive; write it like"),
        ({"more": 'elements = "n"\nthread = "2"'}, "thread: unknown key; did you mean 'threads'?"),
        ({"more": 'elements = "m"'}, "flux: unknown name 'm'"),
        ({"ports": f"{LOOP}, loops = 1"}, "loops: unknown key; did you mean 'loop'?"),
        ({"ports": f"{LOOP}, loop = 7"}, "loop: invalid value 7; write a whole number from 1 to 1"),
        ({"ports": LOOP.replace("division", "diversion")}, "no function 'diversion'"),
        ({"ports": f'{LOOP}, time = "3 ns"'}, "from: is missing"),
        ({"ports": f'{LOOP}, from = "here.toml"'}, "time: is missing; write what an element takes there"),
        ({"ports": MEASURED.replace("3 ns", "3 B")}, "unit mismatch: 'time' has to be in s, it is in B"),
        (
            {"ports": MEASURED, "here": 'cpu = "broadwell"\n'},
            "here.toml: hz: is missing; write it in [values]",
        ),
    ],
)
def test_mistakes_are_one_line_each(projected, change, line):
    assert line in refused(lambda: projected(**change), raises=(InputError, UsageError))
