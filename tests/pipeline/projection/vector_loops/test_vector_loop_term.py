"""A vector loop as a term of an application file."""

import pytest

from ingest.errors import InputError
from pipeline.projection.applications.application import load_application
from pipeline.projection.applications.composition import compose
from pipeline.projection.expressions.symbolic_model import constant, symbol
from pipeline.projection.expressions.toml_tables import TomlTable
from pipeline.projection.vector_loops.vector_loop import (
    Conventions,
    VectorLoop,
    average_vector_length,
    loop_time,
)
from pipeline.projection.vector_loops.vector_loop_term import vector_loop_term
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.stored import no_models
from tests.pipeline.projection.vector_loops.x1e import LOOP, NAMES, VALUES, at

APPLICATION = """\
machine = "x1e"
[inputs]
n = { meaning = "points" }
[terms.sweep]
model = "vector_loop"
mv = "11"
sl = 0
tl = 2
vflops = "2 * n"
vloads = "n"
sloads = 1e6
trip = "n"
[parts]
sweep = "sweep()"
"""
TABLE = {"model": "vector_loop", "mv": "01", "sl": 1, "tl": 2, "vloads": "n", "avl": 32}
WITH_INPUT = {**NAMES, "n": symbol("n")}


def term(folder, table):
    return vector_loop_term(TomlTable(table, folder / "app.toml", ("terms", "sweep")), "sweep", WITH_INPUT)


def test_term_in_an_application_file(tmp_path):
    path = tmp_path / "app.toml"
    path.write_text(APPLICATION)
    composed = compose(load_application(path), NAMES, no_models)
    assert at(composed.total, n=1000.0) == pytest.approx(at(loop_time(LOOP, VALUES).total, n=1000.0))


def test_every_count_and_every_choice_is_read(tmp_path):
    counts = {"vflops": 3, "vloads": 5, "vstores": 7, "sflops": 11, "sloads": 13, "sstores": 17}
    choices = {
        "scalar_bandwidth": "scalar",
        "references": "instructions",
        "overlap": True,
        "strategy": "pred_hb",
    }
    stated = VectorLoop(
        name="sweep",
        score="01",
        spatial=1,
        temporal=2,
        vector_flops=constant(3e6),
        vector_loads=constant(5e6),
        vector_stores=constant(7e6),
        scalar_flops=constant(11e6),
        scalar_loads=constant(13e6),
        scalar_stores=constant(17e6),
        vector_length=constant(32),
    )
    table = {**TABLE, **{key: f"{count}e6" for key, count in counts.items()}}
    for given in ({}, *({key: value} for key, value in choices.items())):
        assert at(term(tmp_path, {**table, **given})) == at(
            loop_time(stated, VALUES, Conventions(**given)).total
        )


def test_the_trip_count_gives_the_vector_length(tmp_path):
    table = {key: value for key, value in TABLE.items() if key != "avl"}
    trip = VectorLoop(
        name="sweep",
        score="01",
        spatial=1,
        temporal=2,
        vector_loads=symbol("n"),
        vector_length=average_vector_length(symbol("n"), constant(64)),
    )
    assert at(term(tmp_path, {**table, "trip": "n"}), n=100) == at(loop_time(trip, VALUES).total, n=100)
    assert at(term(tmp_path, table), n=100) == pytest.approx(100 * 8 / 6e9)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"mv": "x"}, "app.toml: [terms.sweep]: invalid MV score 'x'; choose"),
        ({"sl": 5}, "app.toml: [terms.sweep]: 'sl' is missing or not a level; write sl = 0, 1 or 2"),
        ({"tl": True}, "'tl' is missing or not a level"),
        ({"vload": "n"}, "unknown key 'vload'; did you mean 'vloads'"),
        ({"vloads": "m"}, "app.toml: [terms.sweep] vloads: unknown name 'm' in 'm'"),
        ({"trip": "m"}, "app.toml: [terms.sweep] trip: unknown name 'm'"),
        ({"strategy": "best"}, "invalid strategy 'best'; choose one of pred, pred_novl, pred_lb, pred_hb"),
        ({"overlap": "yes"}, "invalid overlap 'yes'; choose one of False, True"),
        (
            {"vflops": "mach.element"},
            "app.toml: [terms.sweep]: unit mismatch: floating-point operations in B",
        ),
    ],
)
def test_wrong_terms_are_named_with_their_place(tmp_path, change, line):
    assert line in refused(lambda: term(tmp_path, {**TABLE, **change}))


@pytest.fixture
def reported(tmp_path):
    (tmp_path / "build.log").write_text(
        "src/sweep.c:12:16: optimized: loop vectorized using 32 byte vectors\n"
    )
    (tmp_path / "sweep.c").write_text("\n" * 9 + "#pragma omp parallel for schedule(static)\n")
    return {key: value for key, value in TABLE.items() if key != "mv"} | {"report": "build.log"}


def test_the_score_from_the_compilers_report(tmp_path, reported):
    stated = {score: at(term(tmp_path, {**TABLE, "mv": score}), n=1e6) for score in ("01", "11")}
    read = {**reported, "lines": "sweep.c:10-20", "source": "sweep.c"}
    assert at(term(tmp_path, read), n=1e6) == stated["11"]
    assert at(term(tmp_path, {**reported, "lines": "sweep.c:10-20"}), n=1e6) == stated["01"]
    assert at(term(tmp_path, {**reported, "lines": "sweep.c:12"}), n=1e6) == stated["01"]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"lines": "sweep.c"}, "'lines' has to be a file and line numbers; write lines = "),
        ({}, "'lines' is missing"),
        ({"lines": "sweep.c:13-20"}, "[terms.sweep]: sweep.c: no loop is reported in lines 13 to 20"),
        ({"lines": "sweep.c:13"}, "no loop is reported in lines 13 to 13"),
        (
            {"report": "sweep.c", "lines": "sweep.c:12"},
            "sweep.c: nothing about loops in this report; compile with",
        ),
        ({"report": "none.log", "lines": "sweep.c:12"}, "none.log: cannot be read"),
    ],
)
def test_reports_that_do_not_help(tmp_path, reported, change, line):
    said = refused(lambda: term(tmp_path, {**reported, **change}))
    assert line in said
    assert said.startswith(f"{tmp_path}/app.toml: [terms.sweep]: ")


def test_a_term_needs_a_score_or_a_report(tmp_path):
    with pytest.raises(InputError, match=r"'mv' is missing; write mv = \"11\", or report and lines"):
        term(tmp_path, {key: value for key, value in TABLE.items() if key != "mv"})
