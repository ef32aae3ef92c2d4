"""A static site of how every kernel developed over the entries of a history."""

from pipeline.report.page.history.history_words import checked_template
from pipeline.report.page.history.site import site

__all__ = ["checked_template", "site"]
