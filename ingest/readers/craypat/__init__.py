"""CrayPat's text reports: `report` says what is in them, `profile` makes a profile of the profile table."""

from ingest.readers.craypat.profile import content, matches, parameters, read

__all__ = ["content", "matches", "parameters", "read"]
