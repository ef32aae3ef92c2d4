"""Which further measurements would narrow a prediction most for what they cost."""
