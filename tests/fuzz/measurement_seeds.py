"""Seeds of series of measurements, of tables and of descriptions of machines."""

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd

from tests.fuzz.seed_files import files_of, one_file
from tests.ingest.readers import extrap_files
from tests.ingest.readers.texts import text_of
from tests.ingest.tables import benchmark_outputs, message_outputs, table_files

_RECORDS = [
    {"callpath": path, "metric": "time", "value": value}
    for path in ("main", "main->f")
    for value in (8.3, 8.0, None, [1, 2.5])
]
_JSON = {
    "parameters": ["p", "n"],
    "measurements": {
        "main": {"time": [{"point": [2, 10], "values": [8.5, 8.25]}, {"point": [4, 10], "values": [4]}]},
        "main->f": {"visits": [{"point": [2, 10], "values": [1, None]}]},
    },
}
_TABLES = {
    "parameters": [{"id": 1, "name": "p"}],
    "callpaths": [{"id": 1, "name": "main"}, {"id": 2, "name": "main->f"}],
    "metrics": [{"id": 1, "name": "time"}],
    "coordinates": [
        {"id": i, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 2**i}]} for i in (1, 2)
    ],
    "measurements": [
        {"coordinate_id": i, "callpath_id": path, "metric_id": 1, "value": [1.5 * i, 2]}
        for i in (1, 2)
        for path in (1, 2)
    ],
}


def _machines(folder: Path) -> list[str]:
    shipped = sorted((files("pipeline.projection") / "machines").iterdir(), key=str)
    texts = [file.read_text() for file in shipped if file.name.endswith(".toml")]
    return files_of(
        folder, "x.toml", *(text for text in texts if "[terms.message]" in text and "bw_node" in text)
    )


_TEXT_TABLES = (
    "# Ours\n\n| cores | time [s] |\n|---:|:--|\n| 1 | 3.5 |\n| 2 | **2** |\n",
    "# cores  time[ms]  total[ms]\n1 3 3.01\n2 2 2\n# bad\n4 1 1\n",
    "p;Run 1 (s);Run 2 (s);Mean (s)\n1;1.024,5;1.020,25;1.022,4\n2;00:10:30;600s;\nMean;1;2;3\n",
    "p,total,solve,io,unit\n1,5,4,1,ms\n2,3,2,1,us\n4,2,1,1,ms\n",
    "p,real [s],user [s],sys [s],seed\n1,5,4,1,7\n1,6,4,1,8\n",
)


def _csv(folder: Path) -> list[str]:
    ranks = "p;rank;region;time [us];calls;bytes\n2;0;main/f;1,5;3;7\n2;1;main/f;2,5;4;\n"
    sizes = 'n\trun\tkernel\tseconds\n1\t1\ta->b\t2\n1\t2\ta->b\tNA\n4\t1\t"a\nb"\t1e3\n'
    own = table_files.long_form(extra=lambda p: f",{4 * p},alps", header=",cores,machine")
    return files_of(folder, "x.csv", own, table_files.jube(), ranks, sizes, "# a\n\np,walltime\n2,3\n4,-1\n")


def _parquet(folder: Path) -> list[str]:
    rows = {
        "p": [2, 2, 4],
        "kernel": ["a", "b", "a"],
        "seconds": [1.5, 2.5, np.nan],
        "machine": ["x", None, "y"],
    }
    for number, compression in enumerate((None, "snappy", "zstd")):
        (folder / str(number)).mkdir()
        pd.DataFrame(rows).to_parquet(folder / str(number) / "x.parquet", compression=compression)
    return [f"{number}/x.parquet" for number in range(3)]


def _experiment(folder: Path) -> list[str]:
    for name, kept in (("a", True), ("b", False)):
        (folder / name).mkdir()
        chunks = extrap_files.CHUNKS if kept else ()
        extrap_files.write(folder / name / "a.extra-p", extrap_files.experiment(kept), *chunks)
    return ["a/a.extra-p", "b/a.extra-p"]


def _talpas(folder: Path) -> list[str]:
    lines = [json.dumps({"parameters": {"p": 4 + i % 2}, **r}) for i, r in enumerate(_RECORDS)]
    return one_file(folder, "a.txt", "\n".join(lines).replace(', "', '; "'))


def _json_lines(folder: Path) -> list[str]:
    lines = [json.dumps({"params": {"p": 4 + i % 2, "n": 1.5}, **r}) for i, r in enumerate(_RECORDS)]
    return one_file(folder, "a.jsonl", "\n".join(lines))


def _json(folder: Path) -> list[str]:
    return [
        *one_file(folder, "a.json", json.dumps(_JSON, indent=1)),
        *one_file(folder, "b.json", json.dumps(_TABLES)),
    ]


def _text(folder: Path) -> list[str]:
    return one_file(folder, "a.txt", text_of("extrap_text.txt"))


MEASUREMENTS: Mapping[str, Callable[[Path], list[str]]] = {
    "Extra-P experiment": _experiment,
    "Talpas": _talpas,
    "Extra-P JSON lines": _json_lines,
    "Extra-P JSON": _json,
    "Extra-P text": _text,
    "CSV table": _csv,
    "Parquet table": _parquet,
    "machine file": _machines,
    "sacct": lambda folder: files_of(
        folder, "x.txt", table_files.sacct(), table_files.sacct(form="fixed", failed=(8,))
    ),
    "messages": lambda folder: files_of(folder, "x.txt", *message_outputs.MESSAGES),
    "benchmark tools": lambda folder: files_of(
        folder,
        "x.json",
        benchmark_outputs.hyperfine("threads"),
        benchmark_outputs.hyperfine(version=2),
        benchmark_outputs.pytest_benchmark(),
        benchmark_outputs.google(),
        benchmark_outputs.asv(),
        benchmark_outputs.google_csv(),
    ),
    "text tables": lambda folder: files_of(folder, "x.txt", *_TEXT_TABLES),
    "ReFrame log": lambda folder: files_of(folder, "x.log", table_files.perflog()),
    "ReFrame report": lambda folder: files_of(
        folder, "x.json", table_files.report(), table_files.report(version="3.1")
    ),
    "Ramble results": lambda folder: files_of(
        folder, "x.json", table_files.ramble(points=(2, 4)), table_files.ramble(points=(2,), repeats=1)
    ),
}
