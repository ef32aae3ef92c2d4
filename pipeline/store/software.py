"""Versions of installed packages, each looked up once: that parses the package's metadata."""

from functools import cache
from importlib.metadata import version

installed_version = cache(version)
