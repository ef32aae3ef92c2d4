import datetime
import hashlib
import json
import math
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.errors import InputError
from pipeline.gate.compared_studies import set_digest
from pipeline.gate.kernel_values import KernelId, Origin, Scope
from pipeline.gate.target_forecast import forecast
from pipeline.models.options import ModelOptions
from pipeline.questions.locations import Comparison
from pipeline.store.history_file import SCHEMA, add_to_history, history_rows, kernel_rows, read_history
from tests.pipeline.gate.studies import study

K = KernelId(Scope.CALLPATH, ("main", "a"))
TARGET = {"p": 512.0}


@pytest.fixture(scope="module")
def whole():
    return study({"a": [1.0, 2, 4, 8, 16], "b": 10.0}, scales=(8, 16, 128, 64, 32), noise=0)


@pytest.fixture(scope="module")
def ahead(whole):
    return forecast(whole, whole.targets(({"p": 256.0}, TARGET)), ModelOptions())


@pytest.fixture
def rows(whole, ahead):
    return lambda label, verdicts=None: history_rows(whole, ahead, TARGET, label, verdicts or {})


def test_a_changed_value_is_noticed_and_a_file_without_a_digest_is_read(rows, tmp_path):
    file = tmp_path / "h.parquet"
    add_to_history(file, rows("c1"))
    table = pq.read_table(file)
    at = table.column_names.index("value")
    changed = table.set_column(at, "value", pa.array([2.0] * len(table)))
    pq.write_table(changed, file)
    assert table.schema.metadata.keys() == {b"sha256 of columns"}
    with pytest.raises(InputError, match="has changed since it was written"):
        read_history(file)
    pq.write_table(changed.replace_schema_metadata(None), file)  # as earlier programs wrote it
    assert read_history(file)["value"].to_pylist() == [2.0] * len(table)
    pq.write_table(
        table.set_column(at, "value", pa.array(["x"] * len(table))).replace_schema_metadata(None), file
    )
    with pytest.raises(InputError, match="is not a history file"):
        read_history(file)


@pytest.mark.parametrize("column", SCHEMA.names)
def test_a_change_in_any_column_is_noticed(rows, tmp_path, column):
    file = tmp_path / "h.parquet"
    add_to_history(file, rows("c1"))
    table = pq.read_table(file)
    values = table[column].to_pylist()
    other = {"added": datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC), "callpath": ["ma", "in"]}
    kind = SCHEMA.field(column).type
    values[-1] = other.get(column, "x" if kind == pa.string() else 77.0)
    changed = table.set_column(table.column_names.index(column), column, pa.array(values, table[column].type))
    pq.write_table(changed, file)
    with pytest.raises(InputError, match="has changed since it was written"):
        read_history(file)


def test_names_that_move_from_one_call_path_to_another_are_noticed(rows, tmp_path):
    file = tmp_path / "h.parquet"
    add_to_history(file, rows("c1"))
    table = pq.read_table(file)
    paths = table["callpath"].to_pylist()
    paths[-2], paths[-1] = [*paths[-2], paths[-1][0]], paths[-1][1:]
    column = table.column_names.index("callpath")
    pq.write_table(table.set_column(column, "callpath", pa.array(paths, table["callpath"].type)), file)
    with pytest.raises(InputError, match="has changed since it was written"):
        read_history(file)


def test_files_of_earlier_versions_are_read_and_their_digests_checked(rows, tmp_path):
    """As versions wrote them whose digest was that of the values as JSON."""
    file = tmp_path / "h.parquet"
    earlier = rows("c1").select(SCHEMA.names[:15])

    def write(table, digested):
        text = json.dumps(digested.to_pydict(), default=str).encode()
        pq.write_table(table.replace_schema_metadata({"sha256": hashlib.sha256(text).hexdigest()}), file)

    write(earlier, earlier)
    found = read_history(file)
    assert set(found["commit"].to_pylist()) == set(found["machine"].to_pylist()) == {""}
    assert all(math.isnan(value) for value in found["predicted_wall_seconds"].to_pylist())
    assert add_to_history(file, rows("c2")) == 2
    assert read_history(file)["label"].to_pylist() == ["c1"] * 5 + ["c2"] * 5
    write(earlier.slice(1), earlier)
    with pytest.raises(InputError, match="has changed since it was written"):
        read_history(file)


def test_wall_time_efficiency_machine_and_commit_are_kept(whole, ahead):
    measured = replace(
        whole,
        origin=Origin(machine="cluster"),
        comparison=Comparison.STRONG,
        locations=lambda points: 2 * points[:, 0],
    )
    table = history_rows(measured, ahead, TARGET, "release", {}, "abc")
    (row,) = kernel_rows(table)[K]
    assert (row.commit, row.machine) == ("abc", "cluster")
    assert row.wall_seconds == pytest.approx(4.0 / 256)
    assert row.efficiency == pytest.approx(1 / 4)
    assert row.predicted_wall_seconds == pytest.approx(row.predicted / 1024)
    assert row.predicted_efficiency == pytest.approx(1 / row.predicted)
    assert row.predicted_lower == ahead.prediction.lower[3, 1]
    assert row.predicted_upper == ahead.prediction.upper[3, 1]


def test_a_row_holds_the_largest_scale_and_the_last_target(whole, ahead, rows):
    table = rows("c1", {K: "regression"})
    assert len(table) == len(whole.kernels)
    found = kernel_rows(table)
    assert list(found) == list(whole.kernels)
    (row,) = found[K]
    assert (row.label, row.metric, row.unit) == ("c1", "effort", "core-s")
    assert json.loads(row.at) == {"p": 128.0}
    assert json.loads(row.target) == TARGET
    assert row.value == pytest.approx(4.0)
    assert row.share == pytest.approx(4 / 14)
    assert row.growth == ahead.formulas[3]().growth
    assert row.predicted == ahead.prediction.value[3, 1]
    assert row.verdict == "regression"
    assert found[whole.kernels[0]][0].verdict == ""
    age = datetime.datetime.now(datetime.UTC) - row.added
    assert datetime.timedelta(0) <= age < datetime.timedelta(minutes=5)
    assert row.added.microsecond == 0


def test_labels_are_appended_in_order_and_replaced(tmp_path, rows):
    file = tmp_path / "h.parquet"
    assert [add_to_history(file, rows(label)) for label in ("c1", "c2", "c3")] == [1, 2, 3]
    assert add_to_history(file, rows("c2", {K: "improvement"})) == 3
    entries = kernel_rows(read_history(file))[K]
    assert [(e.label, e.verdict) for e in entries] == [("c1", ""), ("c3", ""), ("c2", "improvement")]


def test_columns_of_later_versions_are_ignored(tmp_path, rows):
    file = tmp_path / "h.parquet"
    pq.write_table(rows("c1").append_column("new", pa.array(range(5))), file)
    assert read_history(file).schema.names == SCHEMA.names


def test_what_is_not_a_history_is_refused(tmp_path, rows):
    file = tmp_path / "h.parquet"
    with pytest.raises(InputError, match=r"no such file; write it with `pipeline history add OUT"):
        read_history(file)
    file.write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        read_history(file)
    pq.write_table(rows("c1").drop_columns(["share"]), file)
    with pytest.raises(InputError, match="is not a history file"):
        read_history(file)


def test_what_was_recorded_is_kept_and_unknown_in_earlier_files(tmp_path, whole, ahead, rows):
    recorded = replace(whole, origin=Origin(recorded=frozenset(["0a", "0b"])))
    add_to_history(tmp_path / "h.parquet", history_rows(recorded, ahead, TARGET, "c1", {}))
    (row,) = kernel_rows(read_history(tmp_path / "h.parquet"))[K]
    assert row.recorded == set_digest(["0b", "0a"])
    pq.write_table(rows("c0").drop_columns(["recorded"]), tmp_path / "old.parquet")
    (row,) = kernel_rows(read_history(tmp_path / "old.parquet"))[K]
    assert row.recorded == ""
