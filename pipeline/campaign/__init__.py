"""A measurement campaign: its description, its runs in order, their job scripts and their states."""
