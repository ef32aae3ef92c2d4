"""Caliper's profiles: `cali` and `json_split` read records, `caliper_profile` makes a profile of them."""
