from dataclasses import replace

import numpy as np
import pytest

from filters.evidence import evidence_from_profile, unite_regions
from filters.filter_options import Instrumenter
from filters.make_filter import list_functions

NAMES = [
    "int main(int, char**)",
    "void ns::kernel(double*, int)",
    "double ns::at<int, 3>(int)",
    "void ns::kernel_small()",
    "run()::{lambda(int)#1}::operator()(int) const",
    "PMPI_Send",
]


@pytest.fixture
def regions(make_profile):
    rows = [(0, "main", 1, 0.0), *((1, name, 1, 1.0) for name in NAMES)]
    return unite_regions([evidence_from_profile(make_profile(rows))])


def keep(regions, *names):
    return np.array([name in names for name in regions.table.name])


def test_gcc_gets_a_response_file_of_substrings_that_touch_nothing_kept(regions):
    found = list_functions(regions, keep(regions, "main", NAMES[0]), Instrumenter.GCC)
    entries = r"PMPI_Send,ns::at<int\\, 3>,ns::kernel,ns::kernel_small"
    assert found.text == f'"-finstrument-functions-exclude-function-list={entries}"\n'
    assert NAMES[4] in found.left
    kept_small = list_functions(regions, keep(regions, "main", NAMES[0], NAMES[3]), Instrumenter.GCC)
    assert NAMES[1] in kept_small.left  # ns::kernel is a part of ns::kernel_small


def test_tau_lists_the_fewer_functions_with_its_wildcard(regions):
    found = list_functions(regions, keep(regions, "main", NAMES[1]), Instrumenter.TAU)
    assert found.text == 'BEGIN_INCLUDE_LIST\nmain\n"#ns::kernel(#"\nEND_INCLUDE_LIST\n'
    most = keep(regions, "main", *NAMES[:4])
    found = list_functions(regions, most, Instrumenter.TAU)
    assert found.left == (NAMES[4],) and "EXCLUDE" in found.text


def test_xray_lists_both_by_mangled_names(regions):
    found = list_functions(regions, keep(regions, "main"), Instrumenter.XRAY)
    assert found.text.startswith("[always]\nfun:main\n[never]\n")
    assert "fun:_Z9PMPI_Send\n" in found.text
    assert NAMES[0] in found.left  # its mangled name here is none that a compiler makes


def made(profile_of, names, **settings):
    rows = [(0, "main", 1, 0.0), *((1, name, 1, 1.0) for name in names)]
    return unite_regions([evidence_from_profile(profile_of(rows, **settings))])


def test_gcc_escapes_commas_for_itself_and_quotes_for_the_response_file(make_profile):
    names = ["void a::b<x, y>(int)", 'operator"" _km(long double)', "int f(double)", "int f(int)"]
    found = list_functions(made(make_profile, names), np.zeros(5, dtype=np.bool_), Instrumenter.GCC)
    assert found.text == (
        '"-finstrument-functions-exclude-function-list=f,main,operator\\"\\" _km,a::b<x\\\\, y>"\n'
    )
    assert found.left == ()
    assert found.usage == "g++ -finstrument-functions @FILE ..."


@pytest.mark.parametrize(
    "name",
    [
        "int run(int)::{lambda()#1}::operator()() const",
        "(anonymous namespace)::helper(int)",
        "run()::<lambda(int)>",
    ],
)
def test_functions_without_a_name_of_their_own_are_left_to_the_user(make_profile, name):
    regions = made(make_profile, [name, "other", "third"])
    gcc = list_functions(regions, keep(regions, "main", "other"), Instrumenter.GCC)
    assert gcc.left == (name,) and "third" in gcc.text
    tau = list_functions(regions, keep(regions, "main", "other", "third"), Instrumenter.TAU)
    assert '"#' not in tau.text


def test_gcc_spares_what_is_kept_by_its_name_without_parameters(make_profile):
    regions = made(make_profile, ["void at(foo)", "void foo(int)", "bar"])
    found = list_functions(regions, keep(regions, "main", "void at(foo)"), Instrumenter.GCC)
    assert "bar,foo" in found.text  # the parameter of what is kept does not matter to GCC
    assert found.left == ()
    nothing = list_functions(regions, ~keep(regions), Instrumenter.GCC)
    assert (nothing.text, nothing.left) == ("", ())


def test_only_called_functions_that_the_compiler_instrumented_are_listed(make_profile):
    profile = make_profile(
        [(0, "main", 1, 0.0), (1, "USER phase", 1, 1.0), (1, "called", 1, 1.0), (1, "not", 1, 0.0)]
    )
    profile.tree.region[3] = 2
    regions = unite_regions([evidence_from_profile(profile)])
    found = list_functions(regions, keep(regions), Instrumenter.XRAY)
    assert found.text == "[always]\n[never]\nfun:_Z6called\nfun:main\n"
    assert found.left == ()
    assert found.usage == "clang++ -fxray-instrument -fxray-attr-list=FILE ..."


def test_a_profile_without_compiled_functions_gives_empty_lists(make_profile):
    regions = unite_regions([evidence_from_profile(make_profile([(0, "MPI_Init", 1, 1.0)]))])
    nothing = np.zeros(0, dtype=np.bool_)
    texts = [
        list_functions(regions, nothing, one).text
        for one in (Instrumenter.GCC, Instrumenter.TAU, Instrumenter.XRAY)
    ]
    assert texts == ["", "", "[always]\n[never]\n"]


def test_tau_lists_the_kept_if_the_lists_are_of_one_length(make_profile):
    regions = made(make_profile, ["a", "b(int)", "c"])
    found = list_functions(regions, keep(regions, "main", "b(int)"), Instrumenter.TAU)
    assert found.text == 'BEGIN_INCLUDE_LIST\n"#b(#"\nmain\nEND_INCLUDE_LIST\n'
    assert found.usage == "tau_cxx.sh -optTauSelectFile=FILE ..."
    more = list_functions(regions, keep(regions, "main", "a", "b(int)"), Instrumenter.TAU)
    assert more.text == "BEGIN_EXCLUDE_LIST\nc\nEND_EXCLUDE_LIST\n"


def test_tau_names_overloads_in_full_and_each_template_once(make_profile):
    names = ["int f(int)", "int f(double)", "T g(T) [with T = int]", "T g(T) [with T = char]", "x", "y", "z"]
    regions = made(make_profile, names)
    found = list_functions(regions, keep(regions, "int f(int)", *names[2:4]), Instrumenter.TAU)
    assert found.text.splitlines() == ["BEGIN_INCLUDE_LIST", '"#g(#"', "int f(int)", "END_INCLUDE_LIST"]
    assert found.left == ()


@pytest.mark.parametrize("name", ["a#b", "a?b", 'operator"" _k'])
def test_what_tau_reads_as_a_wildcard_cannot_be_listed(make_profile, name):
    regions = made(make_profile, [name, f"{name}(int)", "other", "third", "fourth"])
    found = list_functions(regions, keep(regions, name, f"{name}(int)"), Instrumenter.TAU)
    assert found.left == (name, f"{name}(int)")
    assert found.text == "BEGIN_INCLUDE_LIST\nEND_INCLUDE_LIST\n"


def test_two_functions_of_one_displayed_name_cannot_be_told_apart_by_tau(make_profile):
    profile = make_profile(
        [(0, "main", 1, 0.0), (1, "a", 1, 1.0), (1, "b", 1, 1.0), (1, "c", 1, 1.0), (1, "d", 1, 1.0)]
    )
    table = replace(profile.regions, name=("main", "same", "same", "c", "d"))
    regions = unite_regions([evidence_from_profile(replace(profile, regions=table))])
    kept = np.array([mangled == "_Z1a" for mangled in regions.table.mangled])
    assert list_functions(regions, kept, Instrumenter.TAU).left == ("same",)


def test_xray_escapes_what_globs_and_regular_expressions_read(make_profile):
    regions = made(make_profile, ["f.part.0", "g$1", "bad name", "größe"])
    found = list_functions(regions, keep(regions, "g$1", "größe"), Instrumenter.XRAY)
    assert found.text.splitlines() == [
        "[always]",
        "fun:_Z3g\\$1",
        "[never]",
        "fun:_Z8f\\.part\\.0",
        "fun:main",
    ]
    assert found.left == ("größe", "bad name")
