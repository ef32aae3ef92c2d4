"""Projections to other machines: symbolic models over inputs, machine values and fitted parameters.

A family of models     a module in `terms/` that ends with its `FAMILIES`, and its name in `terms.terms`
A machine, a program   a TOML file in ``machines/`` or ``examples/``
A processor            what LLVM calls it, in ``ports/processors.toml``
What limits a region   `rooflines.region_verdicts`, by counters that `ingest/counters/` reads and knows
Another output         `expressions.expression_text.export`; `pipeline.report` for what people read
"""
