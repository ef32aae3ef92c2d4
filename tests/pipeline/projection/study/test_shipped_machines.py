"""Every shipped machine carries a study to every other, or says in one line what it does not state."""

from functools import cache

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.models.options import ModelOptions
from pipeline.projection.expressions.shipped_files import shipped
from pipeline.projection.machines.machine_values import load_machine
from pipeline.projection.study.projected_study import project_study
from pipeline.projection.study.study_machine import slowdowns, study_machine
from tests.pipeline.projection.study.machines import no_results, study

# Kernels and networks as a paper printed them: no figure of a node.
NO_NODE = ("bgp", "infiniband-ds1", "power5plus", "x1e", "xe6", "xt5")
NODES = sorted(set(shipped("machine")) - set(NO_NODE))
SCALES = np.array([[2.0], [64.0], [4096.0]])


@cache
def place(name):
    return study_machine(load_machine(name), no_results)


@pytest.fixture(scope="module")
def measured():
    calls = {"sweep": (10, 0), "MPI_Allreduce": (1000, 8000)}
    return study(lambda p: {"sweep": 100.0 / p, "MPI_Allreduce": 0.1}, lambda p: calls)


@pytest.mark.parametrize("name", NODES)
def test_a_study_goes_from_a_shipped_machine_to_every_other_and_back(name, measured):
    here = place(name)
    assert load_machine(name).source
    for other in map(place, NODES):
        there, back = slowdowns(here, other, SCALES[:, 0]), slowdowns(other, here, SCALES[:, 0])
        assert (np.isfinite(there) & (there > 0)).all()
        np.testing.assert_allclose(there[0] * back[0], 1)
    other = place(NODES[NODES.index(name) - 1])
    found = project_study(measured["time"], measured, here, other, ModelOptions())
    values = found.there.callpaths.models.predict(SCALES)
    assert np.isfinite(values.value).all()
    assert (values.lower <= values.value).all()
    assert (values.value <= values.upper).all()


@pytest.mark.parametrize("name", NO_NODE)
def test_a_machine_without_figures_of_a_node_says_which(name):
    with pytest.raises(UsageError, match=r"^[^\n]*: no value 'cores' or 'bw_node'; studies need it: [^\n]*$"):
        place(name)
