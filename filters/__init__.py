"""Instrumentation filters: which regions to keep, at what cost, and the files that say so.

options          what a user can decide
evidence         what a run shows: visits and time of every call path
regions          the regions that filters name, united over runs
instrumentation  which functions a run could record
cost, overhead   the cost of an event; overhead, dilation and coverage with and without a filter
visit_cost       what a visit costs, as leaves and callers show it
plain_time       what call paths would take if nothing were recorded
correction       an experiment without the overhead of measuring
memory           the memory of a trace
override_notices what was kept or dropped on request
decision         which regions are measured and why, whatever the rule
paper_rule, guard  the rule of the paper, and its guard against what costs more than it shows
budget, knapsack the rule within an overhead budget
explanation      why a region is kept or dropped, and what to know about a decision
evidence_file    all of it as data, for the file beside the filter
scorep_format    Score-P's filter language: patterns, parser, matcher, writer
instrumenters    the same decision for TAU, GCC and XRay
simulation       what a profile would look like under a filter
verification, measured_effect  a measurement under a filter beside what was predicted
digest           which filter a run was measured with
"""
