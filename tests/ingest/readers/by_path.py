"""What profiles hold, by call path."""


def sums_by_path(profile, metric="time", *, inclusive=False):
    """Return the sums over locations that are not zero."""
    paths = profile.tree.paths(profile.regions.name)
    values = profile.values(metric, inclusive=inclusive).sum(axis=1).tolist()
    return {path: value for path, value in zip(paths, values, strict=True) if value}
