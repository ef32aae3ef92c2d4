from pipeline.gate.check_result import Finding, Ground, Ruling
from pipeline.report.check.annotations import github_annotations, gitlab_code_quality
from tests.pipeline.report.check.results import kernel, kernels, result


def test_annotations_are_single_lines_and_at_most_ten(nasty):
    lines = github_annotations(nasty, "/src")
    assert 1 <= len(lines) <= 10
    assert all(line.startswith(("::error ", "::warning ")) and "\n" not in line for line in lines)
    assert any(line.startswith("::error file=") and ",line=" in line for line in lines)
    assert len(github_annotations(result(*kernels(12), reasons=("another machine",)))) == 10


def test_annotations_tell_the_place_and_the_story():
    one = kernel("f,g", file="/src/a,b.c", line=7, evidence=(Finding(Ground.MEASURED, "50 %\r\nmore"),))
    reasons = ("another machine",)
    other = kernel("h", Ruling.INCONCLUSIVE, evidence=(), advice="measure again")
    lines = github_annotations(result(one, other, kernel("i", Ruling.WAIVED), reasons=reasons), "/src")
    assert lines == [
        "::warning title=Scalability regression in 1 kernel::another machine",
        "::error file=a%2Cb.c,line=7,title=regression%3A main › f%2Cg::50 %25%0Amore",
        "::warning title=inconclusive%3A main › h::measure again",
    ]


def test_code_quality_has_gitlabs_keys(nasty):
    entries = gitlab_code_quality(nasty, "/src")
    assert len({e["fingerprint"] for e in entries}) == len(entries)
    for entry in entries:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not entry["location"]["path"].startswith("/")


def test_code_quality_needs_a_file_and_a_line():
    places = [
        e["location"] for e in gitlab_code_quality(result(kernel(file="/src/a.c", line=7), kernel()), "/src")
    ]
    assert places == [
        {"path": "a.c", "lines": {"begin": 7}},
        {"path": "pipeline.toml", "lines": {"begin": 1}},
    ]
