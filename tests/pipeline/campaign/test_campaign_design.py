"""The runs of a campaign: all of them, in balanced and shuffled order, with names that discovery reads."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import InputError, UsageError
from ingest.run_names import parse_run_name
from pipeline.campaign.campaign_design import (
    CampaignDesign,
    CampaignRound,
    Wanted,
    extended,
    read_design,
    with_round,
    write_design,
)
from pipeline.campaign.folders import run_name
from pipeline.columns.campaigns import CampaignAnswer


def test_every_repetition_is_a_block_of_all_scales(described):
    runs = extended(CampaignDesign(1), described()).runs
    blocks = [runs[i : i + 6] for i in (0, 6, 12)]
    for number, block in enumerate(blocks, start=1):
        assert {run.repetition for run in block} == {number}
        assert len({run.name for run in block}) == 6
    orders = {tuple(tuple(run.point.values()) for run in block) for block in blocks}
    assert len(orders) > 1


def test_the_order_follows_from_the_seed(described):
    campaign = described()
    assert extended(CampaignDesign(1), campaign) == extended(CampaignDesign(1), campaign)
    assert extended(CampaignDesign(1), campaign).runs != extended(CampaignDesign(2), campaign).runs


def test_a_scale_is_first_in_its_block_as_often_as_any_other(described):
    campaign = replace(described(), repetitions=600)
    runs = extended(CampaignDesign(3), campaign).runs
    first = [tuple(run.point.values()) for run in runs[::6]]
    counts = [first.count(point) for point in set(first)]
    assert len(counts) == 6
    assert all(60 <= count <= 140 for count in counts)  # 100 expected, standard deviation 9


def test_more_scales_are_a_further_round_behind_the_first(described):
    campaign = described()
    design = extended(CampaignDesign(1), campaign)
    more = extended(design, replace(campaign, scales={"p": (1.0, 2.0, 4.0, 8.0), "n": (8.0, 20.5)}))
    assert more.runs[: len(design.runs)] == design.runs
    added = more.runs[len(design.runs) :]
    assert {run.point["p"] for run in added} == {8}
    assert {run.round for run in added} == {2}
    assert [run.repetition for run in added] == [1, 1, 2, 2, 3, 3]


def test_runs_that_are_not_wanted_any_more_stay_only_if_they_have_begun(described):
    campaign = described()
    design = extended(CampaignDesign(1), campaign)
    fewer = replace(campaign, scales={"p": (1.0, 2.0), "n": (8.0, 20.5)})
    begun = next(run.name for run in design.runs if run.point["p"] == 4)
    kept = extended(design, fewer, [begun])
    assert [run.name for run in kept.runs if run.point["p"] == 4] == [begun]
    assert len(kept.runs) == 13


def test_a_further_round_has_the_next_repetitions_in_shuffled_blocks(described):
    campaign = described()
    first = with_round(
        CampaignDesign(1), campaign, CampaignRound(purpose="pilot"), [Wanted({"p": 1.0, "n": 8.0}, 2)]
    )
    wanted = [Wanted(point, 2, 7.5) for point in campaign.points]
    design = with_round(first, campaign, CampaignRound(purpose="extra", width=0.3), wanted)
    assert design.runs[:2] == first.runs
    added = design.runs[2:]
    assert {(run.round, run.cost) for run in added} == {(2, 7.5)}
    assert design.rounds == (CampaignRound(purpose="pilot"), CampaignRound(purpose="extra", width=0.3))
    corner = [run.repetition for run in added if run.point == {"p": 1.0, "n": 8.0}]
    assert sorted(corner) == [3, 4]
    assert [run.repetition for run in added] == sorted(run.repetition for run in added)
    assert len({run.name for run in design.runs}) == 14
    assert with_round(design, campaign, CampaignRound(purpose="extra"), []) == design


def test_a_pilot_before_a_filter_has_names_of_its_own(described):
    campaign = described()
    wanted = [Wanted({"p": 1.0, "n": 8.0}, 1)]
    pilot = with_round(CampaignDesign(1), campaign, CampaignRound(purpose="pilot"), wanted, unfiltered=True)
    series = with_round(pilot, campaign, CampaignRound(purpose="series"), wanted)
    assert [run.name for run in series.runs] == ["app-pilot.p1.n8.r1", "app.p1.n8.r1"]


def test_a_design_is_stored_to_the_last_digit(described, tmp_path):
    answer = CampaignAnswer(value=1.1, lower=0.3, upper=2.0 / 3.0)
    extra = CampaignRound(purpose="extra", width=0.1, answer=answer, build=1.0 / 3.0)
    design = extended(CampaignDesign(5), described())
    design = with_round(design, described(), extra, [Wanted({"p": 1.0, "n": 8.0}, 1, 0.7)], unfiltered=True)
    design = replace(design, ending="answered", outlying=("app.p1.n8.r1",))
    write_design(tmp_path, design)
    assert read_design(tmp_path) == design
    assert read_design(tmp_path / "none") is None
    (tmp_path / "design.json").write_text('{"seed": 1, "runs": [{}]}')
    with pytest.raises(InputError, match="is not a design of runs"):
        read_design(tmp_path)


@pytest.mark.parametrize(
    ("good", "bad"),
    [('"seed": 5', '"seed": "5"'), ('"ending": "answered"', '"ending": "soon"'), ('"extra"', '"other"')],
)
def test_a_design_with_values_that_mean_nothing_is_refused(described, tmp_path, good, bad):
    design = with_round(
        extended(CampaignDesign(5), described()),
        described(),
        CampaignRound(purpose="extra"),
        [Wanted({"p": 1.0, "n": 8.0}, 1, 0.7)],
        unfiltered=True,
    )
    write_design(tmp_path, replace(design, ending="answered"))
    text = (tmp_path / "design.json").read_text()
    assert good in text
    (tmp_path / "design.json").write_text(text.replace(good, bad))
    with pytest.raises(InputError, match="is not a design of runs"):
        read_design(tmp_path)


@given(
    st.dictionaries(
        st.sampled_from(["p", "n", "size", "ranks", "n_x"]),
        st.one_of(st.integers(1, 10**9), st.integers(1, 10**6).map(lambda x: x / 1024)),
        min_size=1,
    ),
    st.integers(1, 99),
)
def test_a_name_is_read_back_as_it_was_meant(point, repetition):
    read = parse_run_name(run_name("app", point, repetition))
    assert (read.prefix, dict(read.parameters), read.repetition) == ("app", point, repetition)


def test_a_name_that_would_be_read_otherwise_is_refused():
    with pytest.raises(UsageError, match="rename the application or a parameter"):
        run_name("app4", {"p": 1 / 3}, 1)


def test_the_width_of_an_answer_is_relative_to_its_value():
    assert CampaignAnswer(value=5.0, lower=4.0, upper=8.0).width == pytest.approx(0.8)


def test_a_plain_build_runs_at_the_largest_scale_of_a_round_unless_it_did(described):
    campaign = described()
    campaign = replace(campaign, measurement=replace(campaign.measurement, plain=("plain",)))

    def plain(design):
        return [run.name for run in design.runs if run.plain]

    small, large = (
        [Wanted({"p": p, "n": 8.0}, 2, 7.5 * p) for p in scales] for scales in ((1.0, 2.0), (2.0, 4.0))
    )
    pilot = with_round(CampaignDesign(1), campaign, CampaignRound(purpose="pilot"), small, unfiltered=True)
    assert plain(pilot) == ["app-plain.p2.n8.r1"]
    assert [run.cost for run in pilot.runs if run.plain] == [15.0]
    again = with_round(pilot, campaign, CampaignRound(purpose="filter"), small)
    assert plain(again) == ["app-plain.p2.n8.r1"]
    assert plain(with_round(again, campaign, CampaignRound(purpose="series"), large)) == [
        "app-plain.p2.n8.r1",
        "app-plain.p4.n8.r1",
    ]
    asked = with_round(
        again, campaign, CampaignRound(purpose="extra"), [], plain=[Wanted(small[0].point, 1, 2.0)]
    )
    assert [(run.name, run.cost) for run in asked.runs if run.round == 3] == [("app-plain.p1.n8.r1", 2.0)]
    assert [run.name for run in again.runs if run.in_series and run.point["p"] == 2.0] == [
        "app.p2.n8.r1",
        "app.p2.n8.r2",
    ]
