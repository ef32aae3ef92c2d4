"""Descriptions of campaigns, written as users write them."""

import pytest

from pipeline.campaign.description import read_campaign

PLAIN = """\
[campaign]
repetitions = 3
seed = 7
[application]
command = "true {p} {n}"
[scales]
p = [1, 2, 4]
n = [8, 20.5]
"""


@pytest.fixture
def described(tmp_path):
    """Read a description; texts are replaced in a plain one, and lines appended."""

    def read(*appended, **replaced):
        text = PLAIN
        for old, new in replaced.pop("changed", {}).items():
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / "campaign.toml"
        file.write_text("\n".join((text, *appended)), encoding="utf-8")
        return read_campaign(file)

    return read
