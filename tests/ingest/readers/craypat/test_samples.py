"""Reports of other people, beside the project: totals are those that their README states."""

from pathlib import Path

import pytest

from ingest.readers import find_profile_reader

LOGS = Path(__file__).parents[5] / "shared" / "data" / "logs" / "craypat"
REPORTS = {  # file: processes, effort of the listed functions, effort
    "sphexa.p24.r1/RUNTIME.rpt": (24, 411.34, 424.32),
    "sphexa.p24.r1/rpt": (24, 411.34, 424.32),
    "sphexa.p48.r1/RUNTIME.rpt": (48, 866.64, 905.28),
    "sphexa.p96.r1/RUNTIME.rpt": (96, 1721.18, 1784.06),
    "gromacs.p24.r1/mdrun_mpi+samp+21683-63s.out": (24, 36019.39, 39969.48),
    "vasp.p128.r1/CdTe_1nodes_128cores_1threads_16NCORE_2KPAR_202011071247.report": (
        *(128, 3710753.66, 4479909.89),
    ),
    "vasp.p768.r1/CdTe_32nodes_768cores_1threads_8NCORE_2KPAR_202011111914.pat": (
        *(768, 2739671.81, 3225680.64),
    ),
    "vasp.p1024.r1/CdTe_8nodes_1024cores_1threads_16NCORE_2KPAR_202011071114.report": (
        *(1024, 4301121.54, 5257428.99),
    ),
}


@pytest.mark.skipif(not LOGS.is_dir(), reason="the samples lie beside the project")
@pytest.mark.parametrize(("name", "expected"), REPORTS.items())
def test_effort_is_that_of_separate_scripts(name, expected):
    processes, listed, effort = expected
    reader = find_profile_reader(LOGS / name)
    assert reader.name == "CrayPat"
    profile = reader.read(LOGS / name)
    rest = [name.endswith((" (other)", "(groups not listed)")) for name in profile.regions.name]
    values = profile.values("time")
    of_rest = [rest[region] for region in profile.tree.region.tolist()]
    assert len(profile.locations) == processes
    assert values.sum() == pytest.approx(effort, abs=0.005)
    assert values.sum() - values[of_rest].sum() == pytest.approx(listed, abs=0.005)
    assert len(profile.notices) == 1
