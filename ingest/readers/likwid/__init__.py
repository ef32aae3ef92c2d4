"""Output of likwid-perfctr: `tables` reads it, `processes` finds the files of a run, `profile` joins them."""

from ingest.readers.likwid.processes import files, matches
from ingest.readers.likwid.profile import parameters, read

__all__ = ["files", "matches", "parameters", "read"]
