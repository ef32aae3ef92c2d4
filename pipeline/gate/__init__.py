"""The gate: does any kernel scale worse than in the baseline, beyond doubt and by an amount that matters?"""
