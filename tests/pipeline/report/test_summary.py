import json
from pathlib import Path

import jsonschema
import pytest

from pipeline.config.options import Options
from pipeline.stages.ingest import ingest, locate
from pipeline.stages.model import modelled, summary_of

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "summary.schema.json").read_text())
SAMPLES = Path(__file__).parents[3] / "sample_profiles"


def summarise(directory, at=()):
    options = Options(at=at)
    return summary_of(modelled(ingest(locate(directory), "time"), options, "time"), options.at)


@pytest.mark.parametrize("sample", ["hpcg-strong", "openfoam-cavity"])
def test_summaries_of_real_measurements_keep_to_the_schema(sample):
    summary = summarise(SAMPLES / sample)
    jsonschema.validate(json.loads(json.dumps(summary, allow_nan=False)), SCHEMA)
    assert sum(kernel["share_measured"] for kernel in summary["kernels"]) == pytest.approx(1.0)


def test_every_target_asked_for_is_predicted(strong_study):
    summary = summarise(strong_study, at=({"p": 32.0}, {"p": 1024.0}))
    for kernel in (*summary["kernels"], *summary["regions"], summary["total"]):
        assert [p["at"]["p"] for p in kernel["predictions"]] == [32, 1024]
        for prediction in kernel["predictions"]:
            assert prediction["lower"] <= prediction["value"] <= prediction["upper"]
