"""docs/llms.txt keeps to the form of llmstxt.org, and all that it links exists."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "llms.txt").read_text(encoding="utf-8")
ENTRY = re.compile(r"- \[(?P<name>[^\]]+)\]\((?P<page>[^)]+)\): (?P<about>.+)")


def test_it_has_a_title_a_summary_and_sections_of_links():
    title, summary, *_ = (block for block in TEXT.split("\n\n") if block)
    assert title == "# pipeline"
    assert summary.startswith("> ") and "\n" not in summary
    assert re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE) == [
        "pipeline",
        "Start",
        "For programs",
        "What numbers mean",
        "Optional",
    ]
    for section in TEXT.split("\n## ")[1:]:
        _, _, *lines = section.rstrip("\n").split("\n")
        assert lines and all(map(ENTRY.fullmatch, lines)), section


def test_all_links_lead_to_pages():
    pages = [found["page"] for found in ENTRY.finditer(TEXT)]
    assert len(set(pages)) == len(pages) > 10
    for page in pages:
        assert (DOCS / page).is_file(), page


def test_it_is_small():
    assert len(TEXT) < 4000
