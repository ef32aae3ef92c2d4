"""What profiles of timer tables hold, for tests of their readers."""

import pytest

from ingest.run_settings import RECONCILED, SETTING, stated


def times(profile):
    """Exclusive seconds of one location by call path, without what takes none."""
    paths = profile.tree.paths(profile.regions.name)
    values = profile.values("time")
    assert (values == values[:, :1]).all()
    return {
        path[0] if len(path) == 1 else path: value
        for path, value in zip(paths, values[:, 0].tolist(), strict=True)
        if abs(value) > 1e-12
    }


def overlapping(profile):
    values = profile.values("overlapping_time")[:, 0].tolist()
    return {profile.regions.name[r]: v for r, v in zip(profile.tree.region, values, strict=True) if v}


def effort(profile):
    """Return the core-seconds, to be compared up to rounding."""
    return pytest.approx(float(profile.values("time").sum()))


def settings(profile):
    return stated(profile.attributes, SETTING)


def reconciled(profile):
    return stated(profile.attributes, RECONCILED)
