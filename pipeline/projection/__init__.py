"""Projections to other machines: symbolic models over inputs, machine values and fitted parameters.

A family of models     a function in a file such as `network`, and a row of `terms.FAMILIES`
A machine, a program   a TOML file in ``machines/`` or ``examples/``: `machine`, `application` list the keys
A processor            a port map in ``ports/maps/``; instruction sets have their classes in ``ports/tables/``
A counter              a row in `counters`; what limits a region by them: `verdict`
A file of counters     a module in `counter_files/`, and a line in its `FORMATS`
Another output         `export` for source text; `pipeline.report` for what people read
"""
