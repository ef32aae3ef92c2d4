"""A static site of how every kernel developed over the entries of a history."""

from pipeline.report.trends.commits import checked_template
from pipeline.report.trends.site import site

__all__ = ["checked_template", "site"]
