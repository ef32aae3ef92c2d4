"""One page of figures: ours beside those of peers, today and at the last release."""
