import numpy as np
import pytest

from filters.evidence import evidence_from_profile
from filters.instrumenters import list_functions
from filters.options import Instrumenter
from filters.regions import unite_regions

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
