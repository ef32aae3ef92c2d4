"""`pipeline verify`: whether the files of a results directory are as they were written."""

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Out


@app.command("verify")
def verify_command(out: Out) -> None:
    """Check every file of a results directory against the digests in run.json."""
    from pipeline.store.generation import StoredResult, read_result

    stored = read_result(out, StoredResult.require_intact)
    typer.echo(f"OK: {len(stored.digests)} files in {out} are as they were written")
