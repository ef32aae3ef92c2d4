"""``[[expect]]`` of pipeline.toml: how regions, groups and the total are expected to grow."""

from pipeline.config.toml_file import Table
from pipeline.models.formulas import GROWTH_HINT, read_growths
from pipeline.models.options import Expectation

KEYS = ("region", "growth", "metric")


def read_expectation(table: Table) -> Expectation:
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
        region=table.text("region") if "region" in table.content else "",
        metric=table.text("metric") if "metric" in table.content else "time",
        growth=growth,
        exponents=exponents,
        place=table.at("growth"),
    )
