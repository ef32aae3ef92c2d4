"""What the site generates from the code is complete, and lists written by hand agree with what they list."""

import re
from dataclasses import fields
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

import pipeline
from ingest.options import declaration
from ingest.table_mapping import TableMapping
from pipeline.config.options import FilterOptions, Options
from pipeline.gate.gate_options import CheckOptions
from pipeline.models.options import ModelOptions
from pipeline.stages.run import run
from pipeline.store.history_file import SCHEMA
from tools.documentation import GENERATED, PAGES, command_line, configuration, site_links

ROOT = Path(__file__).parents[2]
TABLES = ("callpaths", "measurements", "runs", "models", "region_models")


def test_every_command_and_option_is_listed():
    text = command_line()
    for command in (
        "run",
        "filter",
        "check",
        "project",
        "history add",
        "history show",
        "machine list",
        "export",
    ):
        assert re.search(rf"^###? pipeline {command}$", text, re.MULTILINE), command
    section = text.split("## pipeline run\n")[1].split("\n## ")[0]
    assert "| `DIR` |" in section
    assert r"| `--scaling <auto\|strong\|weak>` |" in section
    assert "| `--limit N` | Rows to show, in every format. [default: 15] |" in section


def test_the_page_of_the_command_line_has_the_exit_codes_and_nothing_else_lists_them():
    page = (ROOT / "docs/reference/command-line.md").read_text(encoding="utf-8")
    assert "<!-- generated: exit codes -->" in page and "| exit code |" not in page
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", GENERATED["exit codes"](), re.MULTILINE)
    assert [int(code) for code, _ in rows] == [0, 1, 2, 3, 4, 70, 130]
    of_check = (ROOT / "docs/how-to/ci.md").read_text(encoding="utf-8").split("\n## ")[0]
    assert set(re.findall(r"^\| (\d+) \|", of_check, re.MULTILINE)) < set(dict(rows))
    assert dict(rows)["1"] == "`check`: regression, or a rule is broken"


def test_source_files_that_documents_name_exist():
    rooms = ("ingest", "filters", "pipeline", "tests", "benchmarks", "tools", "recipes")
    known = [path for room in rooms for path in (ROOT / room).rglob("*") if path.suffix in (".py", ".js")]
    files = ["/" + path.relative_to(ROOT).as_posix() for path in known]
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        if page.name != "CHANGELOG.md":  # tells what was
            for named in re.findall(r"`((?:\w+/)*\w+\.(?:py|js))`", page.read_text(encoding="utf-8")):
                assert any(file.endswith("/" + named) for file in files), (page.name, named)


def test_every_key_of_the_configuration_is_listed():
    sections = {part.split("]")[0]: part for part in configuration().split("### [")[1:]}
    records = {
        "analysis": Options,
        "filter": FilterOptions,
        "models": ModelOptions,
        "table": TableMapping,
        "check": CheckOptions,
    }
    assert list(sections) == list(records)
    for name, record in records.items():
        keys = [f.name for f in fields(record) if (d := declaration(f)) is not None and d.toml]
        assert re.findall(r"^\| `(\w+)` ", sections[name], re.MULTILINE) == keys
    assert "| `jobs` | whole number from 1 |  | Processes" in sections["analysis"]
    assert '| `"learned"`, `"uniform"`, `"simple"` or a file | `"learned"` |' in sections["models"]


@pytest.mark.parametrize(
    ("page", "link", "shown"),
    [
        ("explanations/statistics.md", "../../benchmarks/accuracy/results.md", "../benchmarks/accuracy.md"),
        ("architecture.md", "docs/glossary.md#effort", "glossary.md#effort"),
        ("index.md", "../CONTRIBUTING.md", "contributing.md"),
        ("how-to/ci.md", "../reference/formats.md", "../reference/formats.md"),
        ("index.md", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_links_to_files_of_the_repository_lead_to_pages(page, link, shown):
    assert site_links(f"see [it]({link}).", page) == f"see [it]({shown})."


@pytest.fixture(scope="module")
def columns():
    """The columns listed for each Parquet file."""
    text = (ROOT / "docs/reference/results-directory.md").read_text(encoding="utf-8")
    found = {}
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        names = re.findall(r"^\| (`[^|]*?) \|", body, re.MULTILINE)
        for file in title.split(", "):
            found[file.removesuffix(".parquet")] = {n for cell in names for n in re.findall(r"`(\w+)`", cell)}
    return found


@pytest.mark.slow
def test_the_columns_of_parquet_files_are_listed(columns, tmp_path):
    run(ROOT / "sample_profiles/openfoam-cavity", Options(out=tmp_path / "results", jobs=1))
    for name in TABLES:
        assert set(pq.read_schema(tmp_path / "results" / f"{name}.parquet").names) - {"n"} == columns[name], (
            name
        )
    assert set(SCHEMA.names) == columns["history"]


def test_every_public_name_is_in_the_python_reference():
    text = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    shown = {line.rpartition(".")[2] for line in text.splitlines() if line.startswith(":::")}
    assert shown == set(pipeline.__all__) - {"__version__"}


@pytest.mark.slow
def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path, caplog):
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site"), strict=True)
    build(config)
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    for page in PAGES.values():
        assert (tmp_path / "site" / page).with_suffix(".html").is_file()
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<(?:script|img|iframe|source)[^>]+src=\"?https?:", text), page
        assert not re.search(r"<link[^>]+href=\"?https?:", text), page
