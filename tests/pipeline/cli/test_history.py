"""`pipeline history --out`, and what `history add` stores for it."""

import json

import pyarrow.parquet as pq
import pytest

from tests.pipeline.report.page.studies import carried
from tests.pipeline.store.test_history_entries import rows, table


@pytest.fixture
def history(tmp_path):
    file = tmp_path / "history.parquet"
    entries = [
        rows(f"c{n}", {"total": 10.0 + n % 3, "main/f": 4.0 + n % 2}, commit=f"abc{n}") for n in range(12)
    ]
    pq.write_table(table(*entries), file)
    return file


def write_series(path, factor=1.0):
    lines = [
        {"params": {"p": p}, "callpath": name, "metric": "time", "value": [factor * value, value]}
        for p in (1, 2, 4, 8)
        for name, value in (("main", 1.0), ("main->f", 8.0 / p))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_page_is_written(call, history, tmp_path):
    folder = tmp_path / "new" / "site"
    url = "https://example.org/{commit}"
    code, out, notices = call("history", "--out", folder, "--history", history, "--commit-url", url)
    assert (code, out, notices) == (0, "", f"pipeline: wrote {folder / 'index.html'}\n")
    assert {path.name for path in folder.iterdir()} == {"index.html", "pull-request.md"}
    assert "https://example.org/abc11" in (folder / "pull-request.md").read_text()
    assert carried((folder / "index.html").read_text())["names"][-1] == "c11"
    assert call("history", "--out", folder, "--history", history)[0] == 0  # again, without links
    assert "example.org" not in (folder / "pull-request.md").read_text()
    assert call("history", "--out", tmp_path / "one" / "trends.html", "--history", history)[0] == 0
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["trends.html"]


def test_a_badge_is_written_as_an_image_or_as_shields_io_reads_it(call, history, tmp_path):
    assert call("history", "--history", history, "--badge", tmp_path / "b.json")[0] == 0
    found = json.loads((tmp_path / "b.json").read_text())
    assert found == {"schemaVersion": 1, "label": "p = 8", "message": "500 ms", "color": "#009e73"}
    site = ("history", "--history", history, "--out", tmp_path / "site")
    assert call(*site, "--badge", tmp_path / "site" / "b.svg")[0] == 0
    assert "p = 8: 500 ms" in (tmp_path / "site" / "b.svg").read_text()
    assert (tmp_path / "site" / "index.html").is_file()


def test_the_machine_is_chosen_and_the_others_are_named(call, history, tmp_path):
    add = ("history", "add", write_series(tmp_path / "s.jsonl"), "--history", tmp_path / "h.parquet")
    assert call(*add, "--label", "1", "--machine", "big", "--commit", "0f")[0] == 0
    assert call(*add, "--label", "2", "--machine", "small")[0] == 0
    stored = pq.read_table(tmp_path / "h.parquet").to_pylist()
    assert {(row["label"], row["machine"], row["commit"]) for row in stored} == {
        ("1", "big", "0f"),
        ("2", "small", ""),
    }
    site = ("history", "--out", tmp_path / "site", "--history", tmp_path / "h.parquet")
    code, _, notices = call(*site)
    assert (code, notices.splitlines()[0]) == (
        0,
        "pipeline: left out: 1 entry of other machines (big); `--machine NAME` shows those of one",
    )
    assert call(*site, "--machine", "big")[0] == 0
    assert "big" in (tmp_path / "site" / "index.html").read_text()
    code, _, error = call(*site, "--machine", "none")
    assert (code, "no entry of machine 'none'" in error) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--history", "x"], "give --out DIR, --badge FILE, or a command"),
        (["--badge", "{tmp}/b.png", "--history", "{file}"], "is neither .svg nor .json"),
        (["--badge", "x.svg", "show", "total"], "its options stand without a command"),
        (["--out", "x", "show", "total"], "its options stand without a command; leave out either"),
        (["--history", "x", "show", "total"], "its options stand without a command"),
        (["--out", "{tmp}/s", "--history", "{tmp}/none"], "no such file"),
        (["--out", "{tmp}/s", "--history", "{file}", "--commit-url", "ftp://{commit}"], "--commit-url"),
        (["--out", "{file}", "--history", "{file}"], "cannot be written"),
    ],
)
def test_wrong_use_is_one_line(refused, history, tmp_path, arguments, message):
    places = [text.replace("{tmp}", str(tmp_path)).replace("{file}", str(history)) for text in arguments]
    assert message in refused("history", *places)


def test_show_names_the_commit_that_the_changed_kernel_names(call, tmp_path):
    noise = [0.0, 0.02, -0.01, 0.01, -0.02, 0.015]
    entries = [
        rows(
            f"c{n}",
            {
                "total": 10 + 40 * noise[n % 6] + (4.5 if n >= 21 else 0),
                "main/f": 4.0 + noise[n % 6] + (4.5 if n >= 20 else 0),
            },
        )
        for n in range(30)
    ]
    file = tmp_path / "history.parquet"
    pq.write_table(table(*entries), file)
    for kernel in ("total", "main/f"):
        code, out, _ = call("history", "show", kernel, "--history", file, "--json", "-")
        (found,) = json.loads(out)["kernels"][0]["change_points"]
        assert code == 0 and (found["label"], found["named_by"]) == ("c20", ["main", "f"])
