"""`pipeline serve-mcp`: what `pipeline.cli.assistant` answers, over the Model Context Protocol."""

import functools
import inspect
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipeline.cli.options import command

if TYPE_CHECKING:
    from pipeline.cli.assistant import Answer

_INSTRUCTIONS = """\
Scaling models of parallel programs, made from measured profiles. Begin with `inspect`, then `run` for a
directory of runs, or `predict` for a results directory; `choose` finds the scale of a job.
Cite every predicted value with its 90 % interval, as value (lower to upper), and the trust that the verdict
states. Say so if the notices doubt it, or if a target lies far beyond the measured range (`extrapolation`).
Paths are relative to the directory that is served. Nothing is written there.
"""

Root = Annotated[
    Path, typer.Argument(metavar="[DIR]", help="Directory below which everything asked for lies.")
]


@command("serve-mcp", outputs=())
def serve_mcp(root: Root = Path()) -> None:
    """Answer an assistant over the Model Context Protocol."""
    from ingest.errors import UsageError

    if not root.is_dir():
        raise UsageError("is not a directory", where=str(root))
    from pipeline.cli.assistant import Assistant

    with tempfile.TemporaryDirectory(prefix="pipeline-mcp-") as made:
        signal.signal(signal.SIGTERM, functools.partial(_end, made))
        from importlib.metadata import version

        from ingest.errors import extra

        with extra("mcp", where="serve-mcp"):
            from mcp.server import MCPServer
            from mcp.types import ToolAnnotations

        released = version("callpath-pipeline")
        server = MCPServer("pipeline", instructions=_INSTRUCTIONS, version=released, log_level="ERROR")
        reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        for tool in Assistant(root=root, made=Path(made)).tools:
            described = inspect.getdoc(tool)
            server.tool(description=described, annotations=reads)(_over_the_protocol(tool))
        server.run("stdio")


def _end(made: str, number: int, _: object) -> None:
    """End by a signal as if it were not caught, but remove what was made; a thread may wait for input."""
    shutil.rmtree(made, ignore_errors=True)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _over_the_protocol(tool: "Callable[..., Answer]") -> Callable[..., Any]:
    """Return a tool that answers with data and with the same as compact text, and refuses in one line."""
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import CallToolResult, TextContent

    from ingest.errors import PipelineError
    from ingest.record_codec import document
    from pipeline.wording.escaping import json_line

    @functools.wraps(tool)
    def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        try:
            answer = document(tool(*arguments, **named))
        except PipelineError as error:
            raise ToolError(str(error)) from error
        text = TextContent(type="text", text=json_line(answer))
        return CallToolResult(content=[text], structured_content=answer)

    return call
