"""A static site of how every kernel developed over the entries of a history."""

from pipeline.report.trends.site import site

__all__ = ["site"]
