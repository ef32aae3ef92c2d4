"""Caliper's profiles: its own format (``.cali``) and ``json-split``.

Both hold records: a path of nested annotations with the values of metrics. `cali` and `json_split` read them
into `Records`, which know what values are by their names, and `caliper_profile` makes a profile of them.
"""
