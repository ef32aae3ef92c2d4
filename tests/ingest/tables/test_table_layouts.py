"""Tables as people, spreadsheets and scripts lay them out: each holds the same runs."""

import datetime

import openpyxl
import pytest

from ingest.errors import InputError
from ingest.table_mapping import TableMapping
from ingest.tables.table_files import find_tables
from tests.ingest.tables.test_tables import efforts

SECONDS = {1: 1020.5, 2: 1010.25, 4: 5.75, 8: 3.125, 16: 1.75}
PLAIN = "cores,time [s]\n" + "".join(f"{p},{s}\n" for p, s in SECONDS.items())


def rows(form, header="", number=str):
    return header + "".join(form.format(p, number(s)) for p, s in SECONDS.items())


def german(value):
    return f"{value:,.3f}".translate(str.maketrans(",.", ".,"))


LAYOUTS = {
    "commas": ("t.csv", PLAIN),
    "semicolons and decimal commas": ("t.csv", rows("{};{}\n", "cores;time [s]\n", german)),
    "tabs and decimal commas": ("t.tsv", rows("{}\t{}\n", "cores\ttime [s]\n", german)),
    "thousands in quotes": ("t.csv", rows('{},"{}"\n', "cores,time [s]\n", lambda s: f"{s:,.3f}")),
    "thousands with blanks": (
        "t.csv",
        rows("{};{}\n", "cores;time [s]\n", lambda s: f"{s:,.3f}".replace(",", " ")),
    ),
    "sep=;": ("t.csv", rows("{};{}\r\n", "sep=;\r\ncores;time [s]\r\n")),
    "UTF-16": ("t.csv", PLAIN.replace(",", "\t").encode("utf-16")),
    "Windows-1252": ("t.csv", rows("{};{}\n", "cores;durée [s]\n").encode("cp1252")),
    "bars": ("t.csv", PLAIN.replace(",", "|")),
    "Markdown": (
        "t.md",
        rows("| {} | **{}** |\n", "# Scaling\n\nOurs:\n\n| cores | time [s] |\n|---:|:--|\n") + "\nEnd.\n",
    ),
    "frames": (
        "t.txt",
        rows("| {} | {} |\n", "+---+---+\n| cores | time [s] |\n+---+---+\n") + "+---+---+\n",
    ),
    "psql": ("t.txt", rows(" {} | {}\n", " cores | time [s] \n-------+---------\n")),
    "blanks": ("t.txt", rows("{:<12}{:>8}\n", "cores         time [s]\n")),
    "single blanks": ("t.dat", rows("{} {}\n", "# cores time[s]\n")),
    "underlined": ("t.txt", rows("{:>5}  {:>9}\n", "cores  time [s]\n-----  ---------\n")),
    "printed by pandas": (
        "t.txt",
        "   cores  time [s]\n"
        + "".join(f"{i}  {p:>5}  {s:>8}\n" for i, (p, s) in enumerate(SECONDS.items())),
    ),
    "comments": ("t.csv", "# made on Monday\n" + PLAIN.replace("4,", "# a bad node:\n#4,99\n4,", 1)),
    "names behind #": ("t.csv", "# a title\n#cores,time [s]\n" + PLAIN.partition("\n")[2]),
    "title": ("t.csv", "My scaling study,\n,\n" + PLAIN),
    "empty columns": ("t.csv", rows("{},{},,\n", "cores,time [s],,\n")),
    "commas at ends": ("t.csv", rows("{},{},\n", "cores,time [s]\n")),
    "empty rows": ("t.csv", PLAIN.replace("4,", ",\n4,", 1)),
    "index of pandas": (
        "t.csv",
        "".join(
            f"{i or ''},{line}\n"
            for i, line in zip(["", *map(str, range(5))], PLAIN.splitlines(), strict=True)
        ),
    ),
    "units below": ("t.csv", "cores,time\n-,[s]\n" + PLAIN.partition("\n")[2]),
}


@pytest.mark.parametrize(("name", "text"), LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("place", ["file", "directory"])
def test_tables_in_any_layout(tmp_path, name, text, place):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    study = find_tables(tmp_path / name if place == "file" else tmp_path, TableMapping()).read()
    assert study.parameters == ("cores",)
    assert efforts(study) == {(p, 1, "(whole run)"): pytest.approx(p * s) for p, s in SECONDS.items()}
    assert study.notices == ("cores: processes",)


def read(folder, name, text):
    (folder / name).write_text(text)
    return find_tables(folder / name, TableMapping()).read()


def test_lines_are_those_of_the_file_in_any_layout(tmp_path):
    text = "# Scaling\n\n| cores | time [s] |\n|---|---|\n| 1 | 3 |\n| 2 | failed |\n"
    assert read(tmp_path, "t.md", text).damaged[0][1] == "line 6: 'time [s]' is not a number: 'failed'"
    text = "# cores time[s]\n1 3\n# twice\n2 failed\n"
    assert read(tmp_path, "t.dat", text).damaged[0][1] == "line 4: 'time[s]' is not a number: 'failed'"
    text = "cores,time\n-,[s]\n1,3\n,\n2,failed\n"
    assert read(tmp_path, "t.csv", text).damaged[0][1] == "line 5: 'time [s]' is not a number: 'failed'"


def test_commas_that_only_one_column_explains(tmp_path):
    """1,024 are many cores where 2.5 shows that decimals have points, and so are 1.024 beside 2,5."""
    study = read(tmp_path, "t.csv", 'cores;time\n"1,024";2.5\n"2,048";1.5\n')
    assert [run.parameters for run in study.runs] == [(1024,), (2048,)]
    study = read(tmp_path, "u.csv", "cores;time\n1.024;2,5\n2.048;1,5\n")
    assert [run.parameters for run in study.runs] == [(1024,), (2048,)]


def test_several_tables_of_a_page_are_not_mixed(tmp_path):
    table = "| cores | time |\n|---|---|\n| 1 | 3 |\n| 2 | 2 |\n"
    (tmp_path / "t.csv").write_text(f"{table}\n{table}")
    with pytest.raises(InputError, match="2 tables are in it; keep one in a file of its own"):
        find_tables(tmp_path / "t.csv", TableMapping()).read()


@pytest.mark.parametrize(
    "text",
    ["p,seconds\n", "some words\nand others\n", "time total\n1 2\n3 4\n", "| a | b |\n|--|--|\n| 1 | 2 |\n"],
)
def test_other_texts_are_no_tables(tmp_path, text):
    (tmp_path / "t.txt").write_text(text)
    assert find_tables(tmp_path / "t.txt", TableMapping()) is None
    assert find_tables(tmp_path, TableMapping()) is None


def workbook(path, *sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, cells in sheets:
        sheet = book.create_sheet(title)
        for row in cells:
            sheet.append(row)
    book.save(path)
    return find_tables(path, TableMapping())


def test_workbooks(tmp_path):
    table = [["Our study"], [], ["cores", "time [s]"], *([p, s] for p, s in SECONDS.items())]
    study = workbook(tmp_path / "t.xlsx", ("Notes", [["on Monday"]]), ("Times", table)).read()
    assert efforts(study) == {(p, 1, "(whole run)"): pytest.approx(p * s) for p, s in SECONDS.items()}
    times = [["cores", "elapsed"], [1, datetime.timedelta(seconds=2000)], [2, datetime.time(0, 20, 30)]]
    assert list(efforts(workbook(tmp_path / "u.xlsx", ("a", times)).read()).values()) == [2000, 2460]
    with pytest.raises(InputError, match=r"2 sheets with tables \(a, b\); save the sheet as CSV"):
        workbook(tmp_path / "v.xlsx", ("a", times), ("b", times)).read()
    (tmp_path / "w.xlsx").write_bytes(b"PK\3\4 and no more")
    with pytest.raises(InputError, match="cannot be read as a workbook"):
        find_tables(tmp_path / "w.xlsx", TableMapping()).read()


def test_without_the_library_workbooks_are_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    (tmp_path / "t.xlsx").write_bytes(b"PK\3\4")
    with pytest.raises(
        InputError, match=r"not installed; pip install 'callpath-pipeline\[excel\]', or save the"
    ):
        find_tables(tmp_path / "t.xlsx", TableMapping()).read()
