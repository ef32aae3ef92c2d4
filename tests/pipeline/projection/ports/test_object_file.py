"""Object files: the same instructions as their dump, and every mistake in one line."""

import shutil

import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.ports import assembly
from pipeline.projection.ports.assembly import functions_in, read_functions
from tests.pipeline.projection.ports.programs import DUMPED, object_file

INSTALLED = [name for name in assembly.DISASSEMBLERS if shutil.which(name)]
CODE = bytes.fromhex(
    "".join(line.split("\t")[1] for line in DUMPED.splitlines() if line.count("\t") == 2 and ":\t" in line)
)


@pytest.fixture(params=assembly.DISASSEMBLERS)
def disassembler(request, monkeypatch):
    """Read with each of the two programs that is installed."""
    if request.param not in INSTALLED:
        pytest.skip(f"{request.param} is not installed")
    monkeypatch.setattr(assembly, "DISASSEMBLERS", (request.param,))
    return request.param


@pytest.fixture
def read(tmp_path):
    def written(content, name="f"):
        path = tmp_path / "k.o"
        path.write_bytes(content)
        return next(read_functions(path, name))[1]

    return written


@pytest.fixture
def refused(read, tmp_path):
    def said(content, name="f"):
        with pytest.raises((InputError, UsageError)) as caught:
            read(content, name)
        assert "\n" not in str(caught.value)
        return str(caught.value).removeprefix(f"{tmp_path}/")

    return said


def plain(mnemonic):
    """Return a mnemonic without the width, which one of the programs leaves out."""
    return mnemonic.rstrip("lqw")


@pytest.mark.usefixtures("disassembler")
def test_an_object_file_has_the_mnemonics_and_jumps_of_its_dump(read):
    found, dumped = read(object_file(CODE, "triad"), "triad"), functions_in(DUMPED)["triad"]
    assert [(plain(i.mnemonic), i.target) for i in found] == [(plain(i.mnemonic), i.target) for i in dumped]
    assert found[:7] == read(object_file(CODE, "_Z5triadPdS_l"), "triad")[:7]


@pytest.mark.usefixtures("disassembler")
def test_only_the_code_of_the_function_is_decoded(read):
    content = object_file(b"\x90" * 4 + b"\xc3" * 3, "f")
    assert [plain(i.mnemonic) for i in read(content)] == ["nop"] * 4 + ["ret"] * 3
    later = object_file(b"\x90" * 4 + b"\xc3" * 3, "f", value=4)
    assert [plain(i.mnemonic) for i in read(later)][:3] == ["ret"] * 3


def test_arm_code(read):
    if "llvm-objdump" not in INSTALLED:
        pytest.skip("llvm-objdump is not installed; that of binutils knows one processor")
    add_and_branch = bytes.fromhex("00040091e0ffff54")  # add x0, x0, #1; b.eq to it
    add, branch = read(object_file(add_and_branch, "f", machine=183))
    assert (add.mnemonic, add.operands, add.target) == ("add", ("x0", "x0", "#1"), None)
    assert (branch.mnemonic, branch.target) == ("b.eq", 0)


@pytest.mark.usefixtures("disassembler")
def test_files_that_cannot_be_used(refused):
    damaged = refused(b"\x7fELF\x02\x01\x01" + bytes(20))
    assert damaged.startswith("k.o: objdump cannot read it: ")
    assert damaged.endswith("; rebuild it, or install an objdump for its processor (apt install llvm)")
    unstripped = "k.o: no function symbols in the object file; give one that is not stripped"
    assert refused(object_file(b"", "empty")) == unstripped
    assert refused(object_file(b"\x90", "data", kind=0x11)) == unstripped
    assert refused(object_file(b"\x90", "idle")) == "k.o: no function 'f'; functions: idle"


def test_a_missing_program_is_named(refused, monkeypatch):
    monkeypatch.setattr(assembly, "DISASSEMBLERS", ())
    assert refused(object_file(CODE, "f")) == (
        "k.o: reading an object file needs objdump; "
        "install it (apt install llvm, or binutils), or give compiler output (-S)"
    )


def test_a_program_that_does_not_run_is_one_line(refused, monkeypatch, tmp_path):
    broken = tmp_path / "objdump"
    broken.write_text("no program")
    monkeypatch.setattr(assembly.shutil, "which", lambda name: str(broken))
    assert refused(object_file(CODE, "f")).startswith("k.o: objdump cannot be run: ")
