"""Object files: the same instructions as their dump, and every damage in one line."""

import builtins

import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.ports.assembly import function_in_object, functions_in
from tests.pipeline.projection.ports.programs import DUMPED, object_file

pytest.importorskip("capstone", reason="extra 'disassembly' not installed")
pytest.importorskip("elftools", reason="extra 'disassembly' not installed")

CODE = bytes.fromhex(
    "".join(line.split("\t")[1] for line in DUMPED.splitlines() if line.count("\t") == 2 and ":\t" in line)
)


def refused(content, name="f"):
    with pytest.raises((InputError, UsageError)) as caught:
        function_in_object(content, name, where="k.o")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_an_object_file_has_the_mnemonics_and_jumps_of_its_dump():
    found = function_in_object(object_file(CODE, "triad"), "triad")
    dumped = functions_in(DUMPED)["triad"]
    assert [(i.mnemonic.rstrip("lq"), i.target) for i in found] == [
        (i.mnemonic.rstrip("lq"), i.target) for i in dumped
    ]
    assert found[2].operands == ("(%rsi, %rax)", "%ymm1")


def test_only_the_code_of_the_function_is_decoded():
    content = object_file(b"\x90" * 4 + b"\xc3" * 3, "f")
    assert [i.mnemonic for i in function_in_object(content, "f")] == ["nop"] * 4 + ["retq"] * 3
    later = object_file(b"\x90" * 4 + b"\xc3" * 3, "f", value=4)
    assert [i.mnemonic for i in function_in_object(later, "f")][:3] == ["retq"] * 3


def test_arm_code():
    add_and_branch = bytes.fromhex("00040091e0ffff54")  # add x0, x0, #1; b.eq to it
    add, branch = function_in_object(object_file(add_and_branch, "f", machine=183), "f")
    assert (add.mnemonic, add.operands, add.target) == ("add", ("x0", "x0", "#1"), None)
    assert (branch.mnemonic, branch.target) == ("b.eq", 0)


def test_files_that_cannot_be_used():
    assert refused(b"\x7fELF\x02\x01\x01" + bytes(20)).startswith("k.o: damaged object file: ")
    assert refused(b"\x7fELF\x02\x01\x01" + bytes(20)).endswith("; rebuild it")
    unstripped = "k.o: no function symbols in the object file; give one that is not stripped"
    assert refused(object_file(b"", "empty")) == unstripped
    assert refused(object_file(b"\x90", "data", kind=0x11)) == unstripped
    assert refused(object_file(b"\x90", "absolute", section=0xFFF1)) == unstripped
    assert refused(object_file(b"\x90", "idle")) == "k.o: no function 'f'; functions: idle"
    assert refused(object_file(b"\x90", "f", machine=8)) == (
        "k.o: unsupported object file for MIPS; give one for x86-64 or AArch64"
    )


def test_missing_packages_are_named(monkeypatch):
    plain = builtins.__import__

    def without(name, *arguments):
        if name == "capstone":
            raise ImportError(name=name)
        return plain(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    assert refused(b"") == (
        "k.o: reading an object file needs the package capstone; "
        "install it with: pip install 'callpath-pipeline[disassembly]', or give the text of objdump -d"
    )


def test_a_symbol_before_its_section_is_read_from_the_start():
    content = object_file(CODE, "f", value=0)
    assert function_in_object(content, "f")[0].mnemonic.startswith("xor")
