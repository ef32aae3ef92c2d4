"""Functions by the names of their source; the symbols are those of GCC, Clang, Flang and ifort."""

import shutil

import pytest

from pipeline.projection.ports import assembly
from pipeline.projection.ports.assembly import symbols_called
from tests.pipeline.projection.mistakes import refused

CPP = {
    "_ZN2fv4fluxEPdl": ["fv::flux(double*, long)", "flux( double*,long )"],
    "_ZN2fv4fluxEPfl": ["fv::flux(float*, long)"],
    "_ZN2fv3sumIdEET_PS1_l": ["sum", "fv::sum", "fv::sum<double>", "fv::sum<double>(double*, long)"],
    "_ZN2fv12_GLOBAL__N_16hiddenEPdl": ["hidden", "fv::hidden", "fv::(anonymous namespace)::hidden"],
    "_ZNK2fv1S3runEv": ["run", "S::run", "fv::S::run"],
    "_ZZN2fv5outerEPdlENKUliE_clEi": ["fv::outer"],
    "_Z5triadPdS_l": ["triad"],
}
FORTRAN = {
    "__kernels_MOD_axpy": ["axpy", "AXPY", "kernels::axpy", "Kernels::Axpy"],
    "scal_": ["scal", "SCAL"],
    "_QPdot": ["dot"],
    "_QMfieldsPcurl": ["curl", "fields::curl"],
    "solver_mp_sweep_": ["sweep", "solver::sweep"],
    "with_blank_name__": ["with_blank_name"],
    "inner.0": ["inner"],
}
CASES = [(symbol, name) for symbol, names in (CPP | FORTRAN).items() for name in names]
DEMANGLED = any(map(shutil.which, assembly._DEMANGLERS))


@pytest.mark.parametrize(("symbol", "name"), CASES)
def test_a_function_by_its_name(symbol, name):
    if not DEMANGLED and set("(<") & set(name):
        pytest.skip("no demangler is installed")
    assert symbols_called([*CPP, *FORTRAN], name, where="k.o") == (symbol,)


@pytest.mark.parametrize("name", ["triad", "fv::sum", "hidden", "fv::S::run", "fv::outer", "axpy"])
def test_names_without_parameters_need_no_demangler(monkeypatch, name):
    monkeypatch.setattr(assembly.shutil, "which", lambda _: None)
    (symbol,) = symbols_called([*CPP, *FORTRAN], name, where="k.o")
    assert name in (CPP | FORTRAN)[symbol]


def test_several_functions_of_a_name_are_listed(monkeypatch):
    both = "several functions are called 'fv::flux'; choose one: "
    if DEMANGLED:
        said = refused(symbols_called, CPP, "fv::flux", where="k.o")
        assert said == f"k.o: {both}fv::flux(double*, long), fv::flux(float*, long)"
    monkeypatch.setattr(assembly.shutil, "which", lambda _: None)
    said = refused(symbols_called, CPP, "fv::flux", where="k.o")
    assert said == f"k.o: {both}_ZN2fv4fluxEPdl, _ZN2fv4fluxEPfl"


@pytest.mark.parametrize("installed", [True, False])
def test_a_function_comes_before_what_was_split_from_it(monkeypatch, installed):
    if not installed:
        monkeypatch.setattr(assembly.shutil, "which", lambda _: None)
    symbols = ["_Z4stepv.cold", "_ZZ4stepvENKUliE_clEi", "_Z4stepv", "_Z4stepv._omp_fn.0"]
    first, *rest = symbols_called(symbols, "step", where="k.o")
    assert first == "_Z4stepv"
    assert set(rest) == set(symbols) - {first}


def test_an_unknown_name_is_told_which_there_are():
    assert refused(symbols_called, "hgfedcbaz", "x", where="k.o") == (
        "k.o: no function 'x'; functions: a, b, c, d, e, f, g, h and 1 more"
    )
    assert refused(symbols_called, ["scal_"], "x", where="k.o") == "k.o: no function 'x'; functions: scal"
