"""What readers share: files of text, JSON and CSV, streams that are inflated, and stacks as a profile."""
