"""Results directories made or changed by hand, with digests that hold."""

import hashlib
import json
from pathlib import Path

from ingest.own_results import PROVENANCE
from pipeline.store.atomic import write_json
from pipeline.store.generation import signed


def sign(directory: Path, **changes: object) -> None:
    """Change entries of run.json, and let it name the files as they are now."""
    content = json.loads((directory / PROVENANCE).read_bytes()) | changes
    del content["sha256"]
    content["files"] = {
        name: hashlib.sha256((directory / name).read_bytes()).hexdigest()
        for name in content["files"]
        if (directory / name).is_file()
    }
    write_json(directory / PROVENANCE, signed(content))
