"""Projections to other machines: symbolic models over inputs, machine values and fitted parameters.

A family of models     a module in `terms/` that ends with its `FAMILIES`
A machine, a program   a TOML file in ``machines/`` or ``examples/``
A processor            a port map in ``ports/maps/``; instruction sets have their classes in ``ports/tables/``
A counter              a row in `rooflines.counters`; what limits a region by them: `region_verdicts`
A file of counters     a module in `rooflines/`, and a line in the `FORMATS` of `counter_files`
Another output         `expressions.expression_text.export`; `pipeline.report` for what people read
"""
