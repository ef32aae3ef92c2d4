"""Cycles of a loop from an instruction table: the largest of what ports, front end and dependencies take."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.projection.ports.assembly import Instruction
from pipeline.projection.ports.dependencies import Latency, dependency_bound
from pipeline.projection.ports.instruction_table import Cost, InstructionTable


def costs_of(table, body):
    return [table.cost(i) for i in body]


def latencies_of(table, body, costs):
    return [
        Latency(1.0, 1.0, 1.0)
        if c is None
        else Latency(c.late_latency if table.isa=="x86-64" else c.latency, c.latency, c.late_latency)
        for i, c in zip(body, costs, strict=True)
    ]


def group_cycles(costs) -> dict:
    found = {}
    for c in costs:
        for g, v in (c.units if c else ()):
            found[g] = found.get(g, 0.0) + v
    return found


def port_bound(table, groups):
    """max over unions of overlapping groups."""
    own = {frozenset(g) for g in groups}
    found, edge = set(own), set(own)
    while edge:
        edge = {a | b for a in edge for b in own if a & b} - found
        found |= edge
    best, where = 0.0, frozenset()
    for s in found:
        v = sum(c for g, c in groups.items() if set(g) <= s) / sum(table.units[u] for u in s)
        if v > best + 1e-9 or (v > best - 1e-9 and len(s) < len(where)):
            best, where = v, s
    return best, where
