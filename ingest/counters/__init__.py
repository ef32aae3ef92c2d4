"""Hardware counters: files of them as their tools write them, and the work that they show (paper 003).

`counter_files` reads a file as an `ingest.counter_report`, `counted_work` makes operations and bytes of
counters by name, those of profiles included.
"""
