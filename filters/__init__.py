"""Instrumentation filters: which regions to keep, at what cost, and the files that say so.

filter_options   what a user can decide
evidence         what a run shows: visits and time of every call path; the regions that filters name
instrumentation  under which filter a run was measured, and which functions it could record
event_cost       what a visit costs, as leaves and callers show it
plain_time       what call paths would take if nothing were recorded
correction       an experiment without the overhead of measuring
filter_effect    overhead, dilation and coverage with and without a filter, predicted and measured
decision         which regions are measured and why, whatever the rule; what was kept or dropped on request
paper_rule       the rule of the paper, and its guard against what costs more than it shows
overhead_budget  the rule within an overhead budget
explanation      why a region is kept or dropped, and all of it as a record, for the file next to the filter
scorep_format    Score-P's filter language: patterns, rules, writer
instrumenters    the same decision for TAU, GCC and XRay
memory           the memory of a trace
filter_verification  what a profile would look like under a filter, compared with a measurement under it
"""
