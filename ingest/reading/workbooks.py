"""Workbooks of spreadsheets (.xlsx) as CSV, by openpyxl."""

import csv
import io
import warnings
import zipfile
from pathlib import Path

from ingest.errors import InputError
from ingest.reading.packed import inflation_limit

ENDINGS = (".xlsx", ".xlsm")
SAVE = "save the sheet as CSV"


def workbook_csv(path: Path, most: int) -> bytes:
    """Return the cells of the only sheet with a table as CSV: values of formulas, times with colons.

    Raises:
        InputError: openpyxl is not installed, the file is damaged or too large, or not one sheet has a table.
    """
    try:
        import openpyxl
    except ModuleNotFoundError as error:
        hint = f"pip install 'callpath-pipeline[excel]', or {SAVE}"
        raise InputError("openpyxl is not installed", where=str(path), hint=hint) from error
    tables: dict[str, list[list[str]]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(file.file_size for file in archive.infolist()) > inflation_limit(
                path.stat().st_size, most
            ):
                raise InputError("a decompression bomb", where=str(path), hint=SAVE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what openpyxl does not keep, such as charts
            for sheet in openpyxl.load_workbook(path, read_only=True, data_only=True).worksheets:
                cells = sheet.iter_rows(values_only=True)
                rows = [["" if value is None else str(value) for value in row] for row in cells]
                if sum(len(list(filter(None, row))) > 1 for row in rows) > 1:
                    tables[sheet.title] = rows
    except InputError:
        raise
    except Exception as error:  # openpyxl raises whatever a damaged file leads to
        raise InputError(f"cannot be read as a workbook: {error}", where=str(path), hint=SAVE) from error
    if len(tables) != 1:
        what = (
            f"{len(tables)} sheets with tables ({', '.join(tables)})" if tables else "no sheet with a table"
        )
        raise InputError(what, where=str(path), hint=SAVE)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(tables.popitem()[1])
    return text.getvalue().encode()
