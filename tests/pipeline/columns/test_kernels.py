import json
from pathlib import Path

import pytest

from pipeline.columns.kernels import KERNELS, growth_style

SCHEMA = Path(__file__).parents[3] / "docs" / "reference" / "schemas" / "summary.schema.json"
REQUIRED = (  # what every version of summary.json says of a kernel
    *("callpath", "region", "metric", "unit", "model", "growth", "growth_class", "probability_growing"),
    *("quality", "share_measured", "predictions", "flags"),
)


def test_the_schema_of_kernels_is_that_of_their_columns(request):
    """``--update-snapshots`` writes it."""
    stated = json.loads(SCHEMA.read_text(encoding="utf-8"))
    made = {**stated, "$defs": {**stated["$defs"], "kernel": json_schema(KERNELS, REQUIRED)}}
    if request.config.getoption("--update-snapshots"):
        SCHEMA.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        assert stated == made


@pytest.mark.parametrize(
    ("statement", "notes", "style"),
    [
        ("constant", (), "green"),
        ("falls", (), "green"),
        ("grows, about p", (), "red"),
        ("grows (p unclear: 2 values)", (), "red"),
        ("grows (law unclear)", (), "yellow"),
        ("may grow", (), "yellow"),
        ("falls, then grows", (), "yellow"),
        ("law unclear: 2 points", (), "yellow"),
        ("unclear", (), "yellow"),
        ("grows, about p", ("cannot tell",), "yellow"),
    ],
)
def test_the_colour_of_growth_says_how_sure_it_is(statement, notes, style):
    assert growth_style(statement, notes) == style


def json_schema(columns, required):
    """Return the schema of a row."""
    schema = empty_object(required)
    for column in columns:
        *outer, key = column.key.split(".")
        place = schema
        for name in outer:
            place = place["properties"].setdefault(name, empty_object(()))
            place["required"].append(key)
        about = {"description": column.about} if column.about else {}
        place["properties"][key] = {**column.kind.json, **about}
    return schema


def empty_object(required):
    return {"type": "object", "required": list(required), "additionalProperties": False, "properties": {}}
