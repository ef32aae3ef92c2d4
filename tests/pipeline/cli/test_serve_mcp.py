"""`pipeline serve-mcp`, asked by the client of the official SDK over standard input and output."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.cli.published import require_valid

ROOT = Path(__file__).parents[3]


@pytest.fixture
def ask(strong_study):
    """Call tools of a server for the folder of a study: names with arguments in, tools and results out."""
    anyio = pytest.importorskip("anyio")
    mcp = pytest.importorskip("mcp")
    stdio = pytest.importorskip("mcp.client.stdio")

    def run(*calls):
        async def session():
            server = mcp.StdioServerParameters(
                command=sys.executable,
                args=["-m", "pipeline", "serve-mcp", str(strong_study.parent)],
                env={"PYTHONPATH": str(ROOT)},
            )
            async with stdio.stdio_client(server) as streams, mcp.ClientSession(*streams) as client:
                greeting = await client.initialize()
                tools = (await client.list_tools()).tools
                return greeting, tools, [await client.call_tool(name, given) for name, given in calls]

        return anyio.run(session)

    return run


def test_an_assistant_finds_the_tools_asks_and_is_refused_what_lies_elsewhere(ask, strong_study):
    odd = shutil.copytree(strong_study, strong_study.with_name("odd\x9b"))
    greeting, tools, (seen, answered, predicted, refused, unknown, hostile) = ask(
        ("inspect", {"path": strong_study.name}),
        ("run", {"path": strong_study.name, "limit": 2}),
        ("predict", {"results": "run-1", "at": ["p=4096"]}),
        ("inspect", {"path": "../else"}),
        ("predict", {"results": "run-1", "at": ["x=1"]}),
        ("inspect", {"path": odd.name}),
    )
    assert r"odd\u009b" in hostile.content[0].text and "\x9b" not in hostile.content[0].text
    assert "value (lower to upper)" in greeting.instructions
    assert [tool.name for tool in tools] == ["inspect", "run", "predict", "choose", "compare", "check"]
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert "largest at the last target first" in tools[2].description
    for answer in (seen, answered, predicted):
        assert not answer.is_error
        assert json.loads(answer.content[0].text) == answer.structured_content
        require_valid(answer.structured_content["document"], answer.structured_content["shape"])
    assert seen.structured_content["verdict"].startswith("OK: 10 runs")
    (at,) = (one["at"] for one in predicted.structured_content["document"]["targets"])
    assert at == {"p": 4096}
    assert predicted.structured_content["document"]["regions"][0]["region"] == "sum"
    assert refused.is_error and "lies outside the directory" in refused.content[0].text
    assert unknown.is_error and "--at: no parameter 'x'" in unknown.content[0].text.replace('"', "'")


def test_what_was_made_does_not_stay_when_the_server_is_terminated(tmp_path):
    pytest.importorskip("mcp")
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "", "version": ""}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline", "serve-mcp", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as server:
        server.stdin.write(json.dumps(asked).encode() + b"\n")
        server.stdin.flush()
        assert server.stdout.readline()
        (made,) = tmp_path.iterdir()
        (made / "run-1").mkdir()
        server.terminate()
        assert server.wait() == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_what_is_served_is_a_directory(refused, tmp_path):
    assert f"{tmp_path / 'none'}: is not a directory" in refused("serve-mcp", tmp_path / "none")
