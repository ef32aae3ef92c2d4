"""Parquet files that are either whole or not there."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.store.atomic import write_atomically


def write_table(path: Path, table: pa.Table) -> None:
    """Write an Arrow table as Parquet atomically."""
    write_atomically(path, lambda temporary: pq.write_table(table, temporary, compression="zstd"))
