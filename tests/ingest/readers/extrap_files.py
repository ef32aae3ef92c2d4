"""Tiny Extra-P 4 experiment files, written as Extra-P writes them."""

import io
import json
import struct
import zipfile

import numpy as np

from ingest.errors import InputError
from ingest.readers import find_series_reader


def read_series(path):
    """Read a file of a series; refuse one that no format takes for its own."""
    reader = find_series_reader(path)
    if reader is None:
        raise InputError("no measurements in a known format", where=str(path))
    return reader.read(path)


def rows(*values, kept=True):
    return [
        {
            "coordinate": [float(2 ** (i + 1))],
            "mean": mean,
            "repetitions": 2,
            "values": place if kept else None,
        }
        for i, (mean, place) in enumerate(values)
    ]


def experiment(kept=True):
    return {
        "Extra-P": "4.2.5",
        "parameters": ["p"],
        "measurements": {
            "main": {"time": rows((1.5, [0, 0]), (2.5, [0, 1]), kept=kept)},
            "main->f": {"": rows((3.5, [1, 0]), kept=kept)},
        },
        "modelers": [],
    }


def chunk(arrays):
    data, starts = io.BytesIO(b"Extra-P VALUES\0\0"), []
    data.seek(0, io.SEEK_END)
    for array in arrays:
        starts.append(data.tell())
        np.lib.format.write_array(data, np.asarray(array))
    index = b"Extra-P INDEX\0\0\0" + struct.pack(f"<{len(starts) + 1}Q", len(starts), *starts)
    return data.getvalue(), index


def write(path, content, *chunks):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i, arrays in enumerate(chunks):
            data, index = chunk(arrays)
            archive.writestr(f"values/{i}.vals", data)
            archive.writestr(f"values/{i}.indx", index)
        if content is not None:
            archive.writestr("experiment.json", content if isinstance(content, str) else json.dumps(content))
    return path


CHUNKS = ([[1.0, 2.0], [[2.0, 2.0], [2.5, 3.5]]], [[3, 4]])
