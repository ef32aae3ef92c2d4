"""The tables of the command line as data, and how `--format` writes them."""
