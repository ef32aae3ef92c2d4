"""What profiles hold, by call path or by function."""


def sums_by_path(profile, metric="time", *, inclusive=False):
    """Return the sums over locations that are not zero."""
    paths = profile.tree.paths(profile.regions.name)
    values = profile.values(metric, inclusive=inclusive).sum(axis=1).tolist()
    return {path: value for path, value in zip(paths, values, strict=True) if value}


def values_by_path(profile, metric="time"):
    """Return the values of all call paths by location."""
    paths = profile.tree.paths(profile.regions.name)
    return dict(zip(paths, profile.values(metric).tolist(), strict=True))


def sums_by_function(profile, metric="time"):
    """Return the sums over locations of a profile without callers, but those that are zero."""
    assert (profile.tree.parent < 0).all()
    return {path[0]: value for path, value in sums_by_path(profile, metric).items()}
