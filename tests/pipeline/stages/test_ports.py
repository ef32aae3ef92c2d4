"""Loops on processor cores: what limits them, the time elsewhere, and every mistake in one line."""

import json
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.errors import InputError, UsageError
from ingest.record_codec import document
from pipeline.projection.ports import loop_estimate
from pipeline.projection.ports.loop_estimate import PortWork, find_llvm_mca, left_out_error, time_elsewhere
from pipeline.stages.ports import counted_variant, ports
from tests.pipeline.projection.ports.stored_llvm_mca import replay

LOOPS = Path(__file__).parents[1] / "projection" / "ports" / "loops"
AVX2, AVX512, SVE = LOOPS / "avx2.s", LOOPS / "avx512.s", LOOPS / "sve.s"


@pytest.fixture(autouse=True)
def stored(monkeypatch):
    """Answer as llvm-mca 19.1.7 did, unless a test brings a program."""
    replay(monkeypatch)
    yield
    find_llvm_mca.cache_clear()


def only(function, on, path=AVX2, **options):
    (loop,) = ports(path, function, on, **options).loops
    return loop


def test_a_sum_waits_for_its_own_additions():
    there = only("dot", "skylake-x").there
    assert there.source == "llvm-mca 19.1.7"
    assert there.limit == "dependencies"
    assert there.bounds["front end"] == 6 / 6
    assert there.bounds["ports"] < 0.85 * there.cycles
    assert there.cycles == pytest.approx(4.0)  # latency of a multiply-add
    assert there.bottleneck.startswith("the bottleneck is latency: instructions wait for results")


def test_division_occupies_the_divider():
    there = only("division", "skylake-x").there
    assert there.limit == "ports"
    assert there.busiest == ("FPDivider",)
    assert there.bounds["ports"] == 8.0  # four doubles at once
    assert there.work == (PortWork(kind="division and square root", cycles=8.0),)
    assert there.ports["FPDivider"] == pytest.approx(8.0, rel=0.05)


def test_loads_are_named():
    there = only("gather", "a64fx", SVE).there
    assert there.busiest == ("EAGA", "EAGB")
    assert there.work[0] == PortWork(kind="loads", cycles=3.0)


def test_the_divider_that_llvm_leaves_out_is_added():
    loop = only("division", "sapphire-rapids")
    assert loop.there.bounds["ports"] == 8.0
    assert loop.there.cycles == pytest.approx(8.0)
    assert "LLVM's model of it has no divider" in " ".join(loop.there.notes)
    assert only("daxpy", "sapphire-rapids").there.notes == ()


def test_a_processor_with_one_wide_unit_takes_longer():
    two, one = (only("polynomial", name, AVX512).there.cycles for name in ("skylake-x", "silver-4116"))
    assert one == pytest.approx(2 * two, rel=0.15)


def test_whose_model_is_borrowed_is_said():
    notes = only("daxpy", "zen5").there.notes
    assert notes[0].startswith("LLVM has no model of Zen 5; it uses that of Zen 4")
    assert only("daxpy", "zen4").there.notes == ()


def test_names_and_aliases_are_the_same_processor():
    assert only("daxpy", "Genoa").there.processor is only("daxpy", "zen4").there.processor
    assert only("daxpy", "Sapphire Rapids").there.processor.key == "sapphire-rapids"


def test_time_goes_with_the_ratio_of_cycles_and_clocks():
    loop = only("division", "skylake-x", here="broadwell", seconds="10 s", clock="2 GHz", clock_here="3 GHz")
    assert loop.time.cycle_ratio == pytest.approx(loop.there.cycles / loop.here.cycles)
    assert loop.time.clock_ratio == 1.5
    assert loop.time.value == pytest.approx(10.0 * 8 / 16 * 1.5, rel=0.03)
    assert loop.time.lower < loop.time.value < loop.time.upper


def test_the_interval_is_that_of_predictions_left_out():
    known = left_out_error("ratio")
    there = only("daxpy", "zen4").there
    found = time_elsewhere(1.0, there, there)
    assert found.value == 1.0
    assert found.upper * found.lower == pytest.approx(1.0)
    # Student's quantile with eight degrees of freedom.
    assert found.upper == pytest.approx(2.718281828 ** (1.859548 * known.spread), rel=1e-5)


def test_cycles_and_time_of_an_element():
    there = only("daxpy", "zen4", clock="2 GHz").there
    assert (there.elements, there.vector_bits) == (4, 256)
    assert there.cycles_of_element == there.cycles / 4
    assert there.nanoseconds == pytest.approx(there.cycles / 4 / 2)
    two = only("daxpy", "zen4", clock="2 GHz", per_pass=2.0).there
    assert two.nanoseconds == 2 * there.nanoseconds
    unknown = only("gather", "a64fx", SVE, clock="2 GHz").there
    if unknown.elements is None:
        assert (unknown.cycles_of_element, unknown.nanoseconds) == (None, unknown.cycles / 2)


def test_time_goes_by_the_elements_of_a_pass(monkeypatch):
    here, there = (only("gather", name, SVE).there for name in ("neoverse-v1", "neoverse-v2"))
    longer, shorter = replace(here, elements=8), replace(there, elements=4)
    ratio = time_elsewhere(1.0, longer, shorter).cycle_ratio
    assert ratio == pytest.approx(2 * there.cycles / here.cycles)


def test_calls_and_unknown_instructions_are_reported_not_refused(tmp_path):
    path = tmp_path / "k.s"
    path.write_text("f:\n.L1:\n\tcall\texp\n\tfrobsd\t%xmm0, %xmm1\n\taddq\t$8, %rax\n\tjne\t.L1\n\tret\n")
    there = only("f", "zen3", path).there
    assert there.unknown == ("frobsd %xmm0, %xmm1",)
    assert "the time in called functions is not included: exp" in there.notes


def test_an_extension_that_the_processor_lacks(tmp_path):
    path = tmp_path / "k.s"
    path.write_text("f:\n.L1:\n\tadd x0, x0, 1\n\tfadd z0.d, z0.d, z1.d\n\tcbnz x0, .L1\n\tret\n")
    line = r"k.s: f: Neoverse N1 does not have 'fadd z0.d, z0.d, z1.d'; compile it for Neoverse N1, or choose"
    with pytest.raises(InputError, match=line):
        only("f", "neoverse-n1", path)


def test_a_loop_of_instructions_that_nobody_knows(tmp_path):
    path = tmp_path / "k.s"
    path.write_text("f:\n.L1:\n\tfrobsd %xmm0, %xmm1\n\tjfrob .L1\n\tret\n")
    with pytest.raises(InputError, match=r"llvm-mca fails: .*invalid instruction mnemonic 'frobsd'"):
        only("f", "zen3", path)


def test_a_loop_of_an_instruction_that_costs_nothing_ends(tmp_path):
    path = tmp_path / "k.s"
    path.write_text("f:\n.L1:\n\tjmp\t.L1\n\tret\n")
    assert only("f", "sapphire-rapids", path).there.cycles <= 1.0


def test_the_deepest_loops_come_first(tmp_path):
    inner = "\taddq\t$1, %rax\n\tjne\t.L2\n"
    outer = f"f:\n.L1:\n\tnop\n.L2:\n{inner}\taddq\t$1, %rbx\n\tjne\t.L1\n"
    alone = "".join(["\taddq\t$1, %rcx\n"] * 5)
    path = tmp_path / "k.s"
    path.write_text(f"{outer}.L3:\n{alone}\tjne\t.L3\n\tret\n")
    report = ports(path, "f", "zen3")
    assert [(loop.depth, loop.instructions) for loop in report.loops] == [(2, 2), (1, 6)]
    assert ports(path, "f", "zen3", loop=2).loops[0].instructions == 6
    assert ports(path, "f", "zen3", most=1).others == 1


MISTAKES = [
    ({"on": "zen9"}, "unknown processor 'zen9'; did you mean 'zen5'?"),
    ({"on": "grace"}, "avx2.s: code for x86-64, but NVIDIA Grace is aarch64; compile it for that processor"),
    ({"seconds": "3 s"}, "--time: needs the processor of the measurement; add --from CPU"),
    ({"clock_here": "3 GHz"}, "--from-clock: needs the processor of the measurement; add --from CPU"),
    ({"here": "zen3", "seconds": "3"}, "--time: '3' is not a positive time; write it like '12.3 s'"),
    ({"here": "zen3", "seconds": "-3 s"}, "--time: '-3 s' is not a positive time"),
    (
        {"here": "zen3", "seconds": "3 s", "clock": "3 GHz"},
        "--clock: cannot be compared with an unknown clock",
    ),
    (
        {"here": "zen3", "seconds": "3 s", "clock": "3 s", "clock_here": "2 GHz"},
        "--clock: '3 s' is not a positive clock",
    ),
    ({"here": "grace"}, "NVIDIA Grace (aarch64) and Zen 4 (x86-64) cannot execute the same file"),
    ({"loop": 7}, "--loop: there is no loop 7; choose 1 to 1"),
    ({"function": "none"}, "avx2.s: no function 'none'; functions: daxpy, division"),
    (
        {"path": Path("none.s")},
        "none.s: cannot be read: No such file or directory; give compiler output (.s)",
    ),
    ({"path": Path(__file__)}, "test_ports.py: it holds no machine code; give compiler output (.s)"),
    (
        {"path": AVX512, "on": "broadwell"},
        "Broadwell does not have AVX-512, which 'vmovupd (%rsi,%rax), %zmm1'",
    ),
    ({"llvm_mca": "/bin/ls"}, "/bin/ls: is not an llvm-mca that runs; install LLVM (apt install llvm-19, or"),
]


@pytest.mark.parametrize(("change", "line"), MISTAKES)
def test_mistakes_are_one_line_each(change, line):
    given = {"path": AVX2, "function": "daxpy", "on": "zen4", **change}
    with pytest.raises((InputError, UsageError)) as caught:
        ports(given.pop("path"), given.pop("function"), given.pop("on"), **given)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_llvm_mca_one_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(loop_estimate.shutil, "which", {}.get)
    with pytest.raises(UsageError) as caught:
        ports(AVX2, "daxpy", "zen4")
    assert str(caught.value) == (
        "llvm-mca was not found; "
        "install LLVM (apt install llvm-19, or module load llvm), or give --llvm-mca PATH"
    )


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a program that answers as given, in place of the stored answers."""
    monkeypatch.undo()
    find_llvm_mca.cache_clear()

    def written(answer, version="19.1.0"):
        path = tmp_path / "llvm-mca"
        path.write_text(
            f'#!/bin/sh\ncase "$*" in *--version*) echo "LLVM version {version}";; '
            f"*iterations=100*) cat {tmp_path}/100;; *) cat {tmp_path}/200;; esac\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        for iterations in (100, 200):
            text = answer(iterations) if callable(answer) else answer
            (tmp_path / str(iterations)).write_text(text)
        return str(path)

    return written


def region(iterations, *usage):
    entries = [
        {"InstructionIndex": line, "ResourceIndex": unit, "ResourceUsage": cycles}
        for line, unit, cycles in usage
    ]
    summary = {"TotalCycles": 7 + 3 * iterations, "TotaluOps": 12 * iterations, "Iterations": iterations}
    return {
        "SummaryView": {**summary, "DispatchWidth": 6},
        "Instructions": ["nop"] * 6,
        "ResourcePressureView": {"ResourcePressureInfo": entries},
    }


def answer(iterations):
    """Three regions: the loop, a load, a store; the units of one name are one."""
    names = ["Zn4ALU0", "Zn4FP1", "Zn4Load.0", "Zn4Load.1", "Zn4Store"]
    loop = region(iterations, (1, 1, 2.5), (0, 2, 1.0), (0, 3, 2.0), (6, 1, 2.5), (6, 2, 1.0), (6, 3, 2.0))
    regions = [loop, region(iterations, (0, 2, 0.5), (6, 2, 0.5)), region(iterations, (0, 4, 1.0))]
    return json.dumps({"CodeRegions": regions, "TargetInfo": {"Resources": names}})


def test_the_answer_of_llvm_mca_is_read(program):
    there = only("daxpy", "zen4", llvm_mca=program(answer)).there
    assert there.source == "llvm-mca 19.1.0"
    assert there.cycles == 3.0  # more for each iteration
    assert there.ports == {"FP1": 2.5, "Load": 1.5}
    assert (there.busiest, there.work) == (("FP1",), (PortWork(kind="fused multiply-add", cycles=2.5),))
    assert (there.micro_operations, there.bounds["front end"]) == (12, 2.0)
    assert there.limit == "dependencies"  # 2.5 of 3 cycles are less than 85 %


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"CodeRegions": [{}]}', '{"CodeRegions": 3}', "not json"])
def test_answers_that_cannot_be_read(program, text):
    with pytest.raises(InputError, match=r"the answer of llvm-mca 19.1.0 cannot be read: .*; use LLVM 14"):
        only("daxpy", "zen4", llvm_mca=program(text))


def test_the_newest_llvm_mca_is_taken(program, tmp_path, monkeypatch):
    found = {"llvm-mca": program("", version="14.0.6"), "llvm-mca-19": str(tmp_path / "newer")}
    Path(found["llvm-mca-19"]).write_text("#!/bin/sh\necho LLVM version 19.1.7\n")
    Path(found["llvm-mca-19"]).chmod(0o755)
    monkeypatch.setattr(loop_estimate.shutil, "which", found.get)
    assert find_llvm_mca().version == "19.1.7"


def test_an_llvm_mca_in_the_working_directory_is_run(program, tmp_path, monkeypatch):
    program(answer)
    monkeypatch.chdir(tmp_path)
    assert only("daxpy", "zen4", llvm_mca="./llvm-mca").there.cycles == 3.0


@pytest.mark.parametrize(
    ("version", "on", "needed"),
    [("13.0.0", "haswell", 14), ("15.0.7", "zen3", 16), ("18.1.8", "zen4", 19), ("18.1.8", "zen5", 19)],
)
def test_an_llvm_mca_that_has_no_model_of_the_processor_or_a_wrong_one(program, version, on, needed):
    what = rf"llvm-mca {version} is too old for .*, which needs {needed} or newer; .*apt install llvm-19, "
    with pytest.raises(UsageError, match=what):
        only("daxpy", on, llvm_mca=program(answer, version=version))
    find_llvm_mca.cache_clear()
    assert only("daxpy", on, llvm_mca=program(answer, version=f"{needed}.0.0")).there.cycles == 3.0


def test_an_instruction_that_an_old_model_has_wrong(program, tmp_path):
    old = program(answer, version="15.0.7")
    assert only("daxpy", "skylake-x", llvm_mca=old).there.cycles == 3.0
    with pytest.raises(
        UsageError, match=r"is too old for 'vdivpd .*' on Skylake-SP, which needs 16 or newer"
    ):
        only("division", "skylake-x", llvm_mca=old)
    find_llvm_mca.cache_clear()
    assert only("division", "skylake-x", llvm_mca=program(answer, version="16.0.6")).there.cycles == 3.0


@pytest.mark.skipif(not shutil.which("llvm-mca"), reason="llvm-mca is not installed")
@pytest.mark.parametrize(
    ("path", "function", "on", "least", "most"),
    [
        (AVX2, "dot", "skylake-x", 3.8, 4.2),
        (AVX2, "division", "zen3", 4.5, 5.5),
        (AVX2, "division", "broadwell", 15, 17),
        (AVX2, "daxpy", "haswell", 1.0, 2.5),
        (AVX512, "polynomial", "skylake-x", 3.8, 5.0),
        (SVE, "gather", "a64fx", 1.0, 4.0),
    ],
)
def test_the_installed_llvm_mca_says_about_the_same(monkeypatch, path, function, on, least, most):
    monkeypatch.undo()
    find_llvm_mca.cache_clear()
    try:
        there = only(function, on, path).there
    except UsageError as refusal:
        assert "is too old for" in str(refusal)
        pytest.skip("the installed llvm-mca is refused for it")
    assert least <= there.cycles <= most
    assert there.unknown == ()
    assert 0 < there.bounds["ports"] <= 1.1 * there.cycles
    assert there.bounds["front end"] <= 1.1 * there.cycles
    assert there.work


def test_what_the_compiler_said(tmp_path):
    path = tmp_path / "k.s"
    path.write_bytes(AVX2.read_bytes())
    report = path.with_suffix(".opt.yaml")
    assert ports(path, "daxpy", "zen4").compiler == ()
    report.write_text(
        "--- !Passed\nPass: loop-vectorize\nName: Vectorized\nDebugLoc: { File: k.c, Line: 4, Column: 3 }\n"
        "Function: daxpy\nArgs:\n  - String: 'vectorized loop (vectorization width: '\n  - Factor: '4'\n"
        "  - String: ', interleaved count: '\n  - Count: '1'\n  - String: ')'\n...\n"
    )
    (verdict,) = ports(path, "daxpy", "zen4").compiler
    assert str(verdict) == "k.c:4: vectorised, width 4"
    assert f"{report} says nothing of the loops of 'dot'" in ports(path, "dot", "zen4").notices
    report.write_text("nothing")
    assert any("nothing of loops in this report" in note for note in ports(path, "dot", "zen4").notices)
    with pytest.raises(InputError, match="nothing of loops in this report"):
        ports(path, "dot", "zen4", report=report)


def test_json_says_the_same():
    report = ports(AVX2, "division", "skylake-x", here="broadwell", seconds="10 s")
    written = json.loads(json.dumps(document(report)))
    loop = written["loops"][0]
    assert loop["on"]["processor"] == "skylake-x"
    assert loop["on"]["bottleneck"] == "the bottleneck is port FPDivider: division and square root 8.00"
    assert loop["time"]["value"] == report.loops[0].time.value
    assert written["measured_seconds"] == 10
    assert any("equal clocks are assumed" in notice for notice in written["notices"])


def test_elements_of_a_pass_that_the_code_contradicts_are_said():
    said = "the code says 4 elements a pass, 2 was given"
    assert said in ports(AVX2, "dot", "zen4", per_pass=2).notices
    assert not any("the code says" in notice for notice in ports(AVX2, "dot", "zen4", per_pass=4).notices)
    given = {"port_map": None, "loop": None, "cycles": None}
    assert counted_variant(AVX2, "dot", per_pass=2, **given)[1] == (said,)
    assert counted_variant(AVX2, "dot", per_pass=None, **given)[1] == ()
