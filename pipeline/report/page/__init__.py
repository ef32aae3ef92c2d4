"""The HTML report: one file that opens offline, explains itself and re-evaluates the models in the page."""

from pipeline.report.page.page import Report, report_html

__all__ = ["Report", "report_html"]
