import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import RunNameError
from ingest.run_names import IDENTIFIERS, PROCESS_PARAMETERS, RunName, parse_run_name


@pytest.mark.parametrize(
    ("name", "prefix", "parameters", "repetition"),
    [
        ("hpcg.p4.n32.r1", "hpcg", {"p": 4, "n": 32}, 1),
        ("prefix.p4.res100.r1", "prefix", {"p": 4, "res": 100}, 1),
        ("p4.n100.r1", "", {"p": 4, "n": 100}, 1),
        ("x10y1z1", "", {"x": 10, "y": 1, "z": 1}, None),
        ("mm.x1y1z1", "mm", {"x": 1, "y": 1, "z": 1}, None),
        ("mm.x1.1y1.1z1.1", "mm", {"x": 1.1, "y": 1.1, "z": 1.1}, None),
        ("mm.x20,5.y20,5.z1,5.r1", "mm", {"x": 20.5, "y": 20.5, "z": 1.5}, 1),
        ("mm.x21.5,y21,5,z1.15.r1", "mm", {"x": 21.5, "y": 21.5, "z": 1.15}, 1),
        ("mm.x22.5.y22.5.z1.25.r1", "mm", {"x": 22.5, "y": 22.5, "z": 1.25}, 1),
        ("mm.x25.y25.z1.r1", "mm", {"x": 25, "y": 25, "z": 1}, 1),
        ("time.p4.n2000.x1.r0", "time", {"p": 4, "n": 2000, "x": 1}, 0),
        ("bt-mz_sum.p2.r12", "bt-mz_sum", {"p": 2}, 12),
        ("ranks4.res100", "", {"ranks": 4, "res": 100}, None),
        ("p4_n32", "", {"p": 4, "n": 32}, None),
        ("radix.r4.r1", "radix", {"r": 4}, 1),
        ("mm2d.p4.r1", "mm2d", {"p": 4}, 1),
        ("hpcg.r2", "hpcg", {}, 2),
        ("r2", "", {}, 2),
        ("n4_r2", "", {"n": 4}, 2),
        ("Random-p256", "Random", {"p": 256}, None),
        ("weak-lu-n8_p256.r1", "weak-lu", {"n": 8, "p": 256}, 1),
        ("lu_ranks8", "lu", {"ranks": 8}, None),
        ("problem_size8", "", {"problem_size": 8}, None),
        ("al3x3.p4", "al3x3", {"p": 4}, None),
        ("p4x2y8", "", {"p": 4, "x": 2, "y": 8}, None),
        ("p4.x8", "", {"p": 4, "x": 8}, None),
        ("eam-v1.p320.r1", "eam-v1", {"p": 320}, 1),
        ("eam-v1.2_p4", "eam-v1.2", {"p": 4}, None),
        ("eam_v1.p4", "", {"eam_v": 1, "p": 4}, None),
        ("app-1.2.1.p4.n8", "app-1.2.1", {"p": 4, "n": 8}, None),
        ("lu-v4", "lu", {"v": 4}, None),
    ],
)
def test_names_are_understood(name, prefix, parameters, repetition):
    assert parse_run_name(name) == RunName(prefix, tuple(parameters.items()), repetition)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "no parameter in it"),
        ("hpcg", "cannot read 'hpcg'"),
        ("mm.p4.nabc.r1", "understood p=4, repetition 1, cannot read 'nabc'"),
        ("mm.n8796093022213.nabc", "understood n=8796093022213, cannot read 'nabc'"),
        ("mm.p4x.n8", "understood p=4, cannot read 'x.n8'"),
        ("p-5", "cannot read 'p-5'"),
        ("mm.p4.p5", "'p' occurs twice"),
        ("n1e5", "power of ten"),
        ("scorep_lulesh_8x1_sum", "cannot read 'scorep_lulesh_8x1_sum'"),
        ("al3x3", "cannot read 'x3'"),
        ("run.p4x8", "cannot read 'x8'"),
        ("hpcg_1", "cannot read 'hpcg_1'"),
        ("run3", "'run' in the run name counts runs"),
        ("p" + "9" * 400, "too large"),
    ],
)
def test_names_that_do_not_parse_say_what_was_understood(name, told):
    with pytest.raises(RunNameError, match=r"\S") as caught:
        parse_run_name(name)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


parameter_names = st.from_regex(r"[a-zA-Z]{1,6}(_[a-z]{1,3})?", fullmatch=True).filter(
    lambda name: (
        name not in {"e", "E", "x", "X"}
        and name.split("_")[-1] not in {"r", *PROCESS_PARAMETERS}
        and name.lower() not in IDENTIFIERS
    )
)
values = st.one_of(st.integers(0, 10**9), st.decimals(0, 10**6, places=2)).map(lambda v: f"{v}")


@given(
    prefix=st.from_regex(r"([a-z][a-z_-]{0,8})?", fullmatch=True),
    parameters=st.dictionaries(parameter_names, values, min_size=1, max_size=4),
    repetition=st.none() | st.integers(0, 10**6),
    comma=st.booleans(),
    dots=st.booleans(),
)
def test_a_written_name_reads_back(prefix, parameters, repetition, comma, dots):
    parts = [name + (value.replace(".", ",") if comma else value) for name, value in parameters.items()]
    body = "." if dots else ""
    name = ".".join(filter(None, [prefix, body.join(parts)]))
    name += "" if repetition is None else f".r{repetition}"
    expected = tuple((name, float(value)) for name, value in parameters.items())
    assert parse_run_name(name) == RunName(prefix, expected, repetition)


@given(st.text(max_size=60))
def test_any_name_parses_or_is_refused_in_one_line(name):
    try:
        run = parse_run_name(name)
    except RunNameError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert run.parameters or run.repetition is not None


@pytest.mark.parametrize("name", ["sim_part1", "case_try2", "app-run3", "sim.part1", "x_slurm99"])
def test_counters_are_no_parameters_behind_a_leading_word_either(name):
    with pytest.raises(RunNameError, match="counts runs, it is not a parameter"):
        parse_run_name(name)
