"""Where a kernel is in the source, relative to the repository, as CI servers want it."""

from pathlib import PurePosixPath

from pipeline.gate.decision import Decision


def relative_file(decision: Decision, root: str) -> str:
    """Return the source file relative to `root`; empty where it is unknown or not a file of the source.

    Args:
        decision: a kernel.
        root: directory that the files were compiled in; empty leaves absolute paths as they are.
    """
    if not decision.file or decision.line < 1:
        return ""
    path = PurePosixPath(decision.file)
    if root and path.is_relative_to(root):
        return str(path.relative_to(root))
    return str(path)
