import json

import numpy as np
import pytest

from ingest.errors import InputError
from pipeline.gate.baseline import document_text, from_document, to_document
from pipeline.gate.matching import match, possible_renames
from pipeline.gate.measurements import Origin
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import many, study


@pytest.fixture
def document():
    whole = study(many(**{"operator<<": 30.0}), origin=Origin("m", "f"))
    return to_document(whole, ModelOptions(), {"metric": "time"})


def test_what_is_written_is_read_back(document):
    whole = study(many(**{"operator<<": 30.0}), origin=Origin("m", "f"))
    back = from_document(json.loads(document_text(document)), "b.json")
    assert back.kernels == whole.kernels
    assert back.origin == whole.origin
    assert np.allclose(back.values, whole.values, rtol=1e-5)
    assert np.allclose(back.parallel_efficiency, whole.parallel_efficiency)


def test_one_line_a_kernel(document):
    lines = document_text(document).splitlines()
    assert len([line for line in lines if '"callpath"' in line]) == len(document["kernels"])


def test_missing_repetitions_stay_missing():
    whole = study({"a": 1.0, "b": 2.0})
    whole.values[:, 0, 3:] = np.nan
    back = from_document(json.loads(document_text(to_document(whole, ModelOptions(), {}))), "b.json")
    assert np.array_equal(np.isnan(back.values), np.isnan(whole.values))


def test_dust_is_left_out_and_the_total_stays():
    kept = study(many(tiny=1e-4)).above_share(0.001)
    assert "tiny" not in {k.callpath[-1] for k in kept.kernels}
    assert kept.kernels[0].callpath == ("total",)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda d: d.update(version=99), "version 99"),
        (lambda d: d.pop("kernels"), "is not a baseline"),
        (lambda d: d["kernels"].pop(0), "damaged"),
        (lambda d: d["kernels"][0]["values"].pop(), "damaged"),
        (lambda d: d["kernels"][0]["values"][0].append(-1.0), "damaged"),
        (lambda d: d["kernels"][0]["values"][0].append("x"), "damaged"),
        (lambda d: d.update(points=[[0.0]]), "damaged"),
        (lambda d: d.pop("scaling"), "damaged"),
    ],
)
def test_damage_is_one_clear_error(document, damage, message):
    content = json.loads(document_text(document))
    damage(content)
    with pytest.raises(InputError, match=message) as error:
        from_document(content, "b.json")
    assert str(error.value).startswith("b.json: ")


def test_a_renamed_kernel_is_paired():
    before = study(many(compute_old=40.0))
    after = study(many(compute_new=41.0), seed=2)
    ((old, new),) = possible_renames(match(before, after), 0.01)
    assert (old.callpath[-1], new.callpath[-1]) == ("compute_old", "compute_new")
