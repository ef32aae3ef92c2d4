"""Instrumentation filters: which regions to keep, at what cost, and the files that say so.

patterns, language, matching   Score-P's filter language: names, files, verdicts
evidence, regions              what is decided from, and what is decided about
reasons, paper_rule, wishes    why a call path or region is kept
decision, summary              from call paths to regions, and the evidence as data
writer, proof                  the file, and the proof that it does what was decided
"""
