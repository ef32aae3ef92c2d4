"""What a user decides: options declared once, read from pipeline.toml and the command line."""
