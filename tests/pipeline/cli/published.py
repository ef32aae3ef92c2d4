"""The published schemas, and documents that are looked at with them."""

import json
from itertools import pairwise
from pathlib import Path

import jsonschema
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from pipeline.cli.app import OLD_COMMANDS
from tools.documents import WRITTEN

FOLDER = Path(__file__).parents[3] / "docs" / "reference" / "schemas"


def published(name):
    """Return a schema as it is published."""
    return json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))


def validator(name):
    """Return what validates a document; schemas may refer to each other by their file names."""
    known = [
        (path.name, json.loads(path.read_text(encoding="utf-8"))) for path in FOLDER.glob("*.schema.json")
    ]
    registry = Registry().with_resources([(uri, Resource.from_contents(one)) for uri, one in known])
    return jsonschema.Draft202012Validator(published(name), registry=registry)


def require_valid(document, name):
    """Fail with the first place that a schema refuses."""
    validator(name).validate(document)


def require_published(arguments, text):
    """Require that what a command wrote has a shape that is published for it, if it was asked for JSON."""
    targets = [target for option, target in pairwise(arguments) if option == "--json"]
    if not targets:
        return
    command = " ".join(arguments[:2]) if " ".join(arguments[:2]) in WRITTEN else arguments[0]
    command = OLD_COMMANDS.get(command, (command,))[0]
    document = json.loads(text if targets[-1] == "-" else Path(targets[-1]).read_text(encoding="utf-8"))
    errors = [best_match(validator(name).iter_errors(document)) for name in WRITTEN[command].values()]
    if all(errors):
        raise min(errors, key=lambda error: -len(error.absolute_path))


def renamed(document):
    """Yield copies of a document with one key of a record renamed, for each of its outermost records."""
    records = document if isinstance(document, list) else [document]
    for key in records[0] if records else ():
        changed = {(f"{name}_" if name == key else name): value for name, value in records[0].items()}
        yield [changed, *records[1:]] if isinstance(document, list) else changed
