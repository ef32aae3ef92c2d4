"""Instrumentation filters: which regions to keep, at what cost, and the files that say so.

patterns, language, matching         Score-P's filter language: names, files, verdicts
evidence, regions                    what is decided from, and what is decided about
cost, plain_time, prediction, memory what measuring takes, with and without a filter
reasons, wishes                      why a call path or region is kept
paper_rule, decision                 the rule of the paper, and from call paths to regions
shares, knapsack, budget             the budget rule
scales, given_up, explanation        what to know about a decision
summary                              all of it as data
layout, compaction, writer, proof    the filter file, and the proof that it does what was decided
merging, usage                       together with an existing file; the commands that use it
instrumenters                        the same decision for TAU, GCC and XRay
simulation, digest                   what a filter would do to a profile, and which one a run had
walks                                ways through call trees
"""
