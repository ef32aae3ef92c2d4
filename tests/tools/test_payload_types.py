"""The types of what the pages' scripts read."""

import re

from pipeline.report.page.embedding import modules
from tools.payload_types import FILE, declarations


def test_the_file_has_what_the_records_say() -> None:
    assert FILE.read_text(encoding="utf-8") == declarations(), "run python -m tools.payload_types"


def test_pages_carry_nothing_that_no_script_reads() -> None:
    keys = set(re.findall(r"^  (\w+)\??:", declarations(), re.MULTILINE))
    code = re.sub(r"/\*[\s\S]*?\*/|//.*", "", "\n".join(modules().values()))
    assert len(keys) > 100
    assert keys - set(re.findall(r"\w+", code)) == set()
