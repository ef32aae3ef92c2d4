"""How much compressed data may inflate to, so that it never decides how much memory it takes."""

HARMLESS = 1 << 26
RATIO = 100  # profiles stay below it, even those that are nearly all zeros


def inflation_limit(compressed: int, most: int) -> int:
    """Return the number of bytes that so many compressed bytes may inflate to, `most` at most."""
    return min(most, max(HARMLESS, RATIO * compressed))
