"""The results directory: what a run leaves behind, written atomically and read back."""
