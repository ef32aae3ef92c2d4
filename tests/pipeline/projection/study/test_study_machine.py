"""What a process gets of a machine."""

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.projection.study.study_machine import slowdowns
from tests.pipeline.projection.study.machines import FAST, SLOW, machine


def test_a_process_has_its_share_of_the_node_but_no_more_than_a_core_can_use(tmp_path):
    slow, fast = machine(tmp_path, SLOW, "slow"), machine(tmp_path, FAST, "fast")
    found = slowdowns(slow, fast, np.array([1.0, 4.0, 8.0, 64.0]))
    memory = [20 / 80, 10 / 80, 10 / 40, 10 / 40]  # GB/s of a process here over there
    np.testing.assert_allclose(found[0, 0], memory)
    np.testing.assert_allclose(found[0, 1], (64 / 4) / (512 / 8))
    np.testing.assert_allclose(found[0, 2], 50 / 100)


def test_spreads_of_both_machines_count(tmp_path):
    uncertain = SLOW.replace('"40 GB/s"', '"40 GB/s +- 10 %"')
    slow, fast = machine(tmp_path, uncertain, "slow"), machine(tmp_path, FAST, "fast")
    found = slowdowns(slow, fast, np.array([1.0, 64.0]))
    assert np.log(found[1:, 0, 1]).std() == pytest.approx(0.1, rel=0.1)
    assert np.ptp(found[1:, 0, 0]) == 0  # a core alone does not notice


def test_figures_that_one_machine_lacks_are_replaced(tmp_path):
    plain = "\n".join(line for line in FAST.splitlines() if not line.startswith(("peak", "latency_memory")))
    slow, fast = machine(tmp_path, SLOW, "slow"), machine(tmp_path, plain, "plain")
    found = slowdowns(slow, fast, np.array([16.0]))
    np.testing.assert_allclose(found[0, 1:, 0], 2 / 4)  # the clock


def test_processes_share_the_cores_of_the_only_node(tmp_path):
    alone = SLOW.replace("[terms.message]", "[terms.message_node]")
    one, many = machine(tmp_path, alone, "one"), machine(tmp_path, SLOW, "many")
    locations = np.array([2.0, 4.0, 16.0])
    np.testing.assert_allclose(one.share_of_core(locations), [1, 1, 0.25])
    np.testing.assert_allclose(many.share_of_core(locations), 1)


def test_messages_within_a_node_are_faster_if_the_file_says_so(tmp_path):
    more = (
        SLOW + '[terms.message_node]\nmodel = "latency_bandwidth"\nlatency = "0.5 us"\nbandwidth = "4 GB/s"\n'
    )
    found = machine(tmp_path, more, "slow").message(np.array([4.0, 5.0]), np.array([4000.0, 4000.0]))
    np.testing.assert_allclose(found[0], [0.5e-6 + 1e-6, 2e-6 + 4e-6])


def test_a_sum_without_a_term_goes_down_and_up_a_tree(tmp_path):
    text = SLOW[: SLOW.index("[terms.allreduce]")]
    found = machine(tmp_path, text, "slow").allreduce(np.array([1.0, 8.0]))
    np.testing.assert_allclose(found[0], [0, 2 * 3 * (2e-6 + 8e-9)])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cores = 4", "", "no value 'cores'"),
        ('bw_node = "40 GB/s"', "", "no value 'bw_node'"),
        ('"40 GB/s"', '"40 GB"', "'bw_node' has to be in B/s, it is in B"),
        ("cores = 4", "cores = 0", "'cores' has to be a whole number"),
        ('"40 GB/s"', '"1e200 GB/s"', "'bw_node' cannot be so"),
    ],
)
def test_what_is_missing_or_wrong_is_said(tmp_path, old, new, message):
    with pytest.raises(UsageError, match=message):
        machine(tmp_path, SLOW.replace(old, new), "slow")


def test_a_term_of_unknown_inputs_is_refused(tmp_path):
    text = SLOW.replace('{ P = "1" }', '{ P = "1", q = "1" }').replace("log2(P)", "log2(P * q)")
    with pytest.raises(UsageError, match="'allreduce' depends on q"):
        machine(tmp_path, text, "slow").allreduce(np.array([4.0]))
