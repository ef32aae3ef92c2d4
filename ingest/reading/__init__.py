"""What readers share: files of text, JSON, XML and CSV, what is packed, and stacks as a profile."""
