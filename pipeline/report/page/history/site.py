"""All files of the site: pages, badge and the text for a pull request."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from markupsafe import Markup

from pipeline.gate.kernel_values import KernelId
from pipeline.gate.trends import Entries, trends
from pipeline.report.page.embedding import (
    HISTORY,
    HISTORY_KERNEL,
    compressed,
    content_security_policy,
    script,
    style_sheet,
    templates,
)
from pipeline.report.page.history.badge import badge
from pipeline.report.page.history.commits import Commits
from pipeline.report.page.history.index_page import Site, all_changes, index_content
from pipeline.report.page.history.kernel_page import kernel_content
from pipeline.report.page.history.pull_request import pull_request
from pipeline.report.page.history.wording import kernel_name

INDEX, BADGE, PULL_REQUEST = "index.html", "badge.svg", "pull-request.md"
STYLES = ("tokens", "layout", "table", "chart")  # of the report
SLUG = 40  # characters of a kernel's name in the name of its page


def site(entries: Entries, template: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every file; the first page comes last.

    Args:
        entries: of the history.
        template: address of a commit with ``{commit}`` for its name; empty without links.
    """
    kernels, commits = trends(entries), Commits(entries, template)
    whole = Site(
        entries=entries,
        kernels=kernels,
        commits=commits,
        addresses=[page_of(one.kernel) for one in kernels],
        changes=all_changes(kernels, commits),
    )
    pages = _Pages()
    for n, address in enumerate(whole.addresses):
        yield address, pages.text("kernel", kernel_content(whole, n))
    yield BADGE, badge(whole)
    yield PULL_REQUEST, pull_request(whole)
    yield INDEX, pages.text("index", index_content(whole))


def page_of(kernel: KernelId) -> str:
    """Return the path of a kernel's page, which stays the same from one site to the next."""
    slug = re.sub(r"[^a-z0-9]+", "-", kernel_name(kernel).lower()).strip("-")[:SLUG].strip("-")
    identity = "\0".join((kernel.level.value, *kernel.callpath)).encode(errors="surrogatepass")
    return f"kernels/{slug or 'kernel'}-{hashlib.sha256(identity).hexdigest()[:10]}.html"


@dataclass(frozen=True)
class _Pages:
    """Templates with what all pages embed."""

    @cached_property
    def _styles(self) -> str:
        return (
            style_sheet(STYLES) + "\n" + _text(files("pipeline.report.page.history") / "css" / "trends.css")
        )

    @cached_property
    def _scripts(self) -> dict[str, str]:
        return {"index": script(HISTORY), "kernel": script(HISTORY_KERNEL)}

    def text(self, page: str, content: dict[str, Any]) -> str:
        """Return a page: ``index`` or ``kernel``."""
        scripts = self._scripts[page]
        template = templates("pipeline.report.page.history").get_template(f"{page}.html.j2")
        text = template.render(
            content
            | {
                "policy": content_security_policy([scripts], [self._styles]),
                "styles": Markup(self._styles),
                "script": Markup(scripts),
                "data": Markup(compressed(content.get("data"))),
            }
        )
        return text.encode("utf-8", "replace").decode()


def _text(file: Traversable) -> str:
    return file.read_text(encoding="utf-8")
