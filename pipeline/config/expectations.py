"""``[[expect]]`` of pipeline.toml: how regions, groups and the total are expected to grow."""

from ingest.toml_table import TomlTable
from pipeline.models.formulas import GROWTH_HINT, read_growths
from pipeline.models.options import Expectation

KEYS = ("region", "growth", "metric")


def read_expectation(table: TomlTable) -> Expectation:
    """Read one.

    Raises:
        UsageError: with line, key and what was expected.
    """
    table.check_keys(KEYS)
    growth = table.text("growth")
    exponents = read_growths(growth)
    if exponents is None:
        raise table.error("growth", f"invalid growth {growth!r}", GROWTH_HINT)
    return Expectation(
        region=table.text("region", ""),
        metric=table.text("metric", "time"),
        growth=growth,
        exponents=exponents,
        place=table.at("growth"),
    )
