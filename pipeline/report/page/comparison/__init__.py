"""The page of a comparison of two studies."""
