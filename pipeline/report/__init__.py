"""What people and other programs read: terminal tables, summary, HTML report."""
