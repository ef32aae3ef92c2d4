"""Hardware counters: files of them as their tools write them, and the work that they show (paper 003).

`counter_files` recognises a file, `counter_report` is what one says, `counted_work` makes operations and
bytes of counters by name, those of profiles included.
"""
