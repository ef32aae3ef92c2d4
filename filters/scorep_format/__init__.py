"""Score-P's filter language: patterns of names, parser, matcher, and writer with the layout of its files."""
