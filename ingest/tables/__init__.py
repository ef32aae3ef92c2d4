"""Tables of one's own: measurements of many runs in long form (CSV, Parquet, DataFrames), or one row per run.

`ingest.table_mapping` says what columns mean, `columns` recognises them by their names, `files` reads CSV and
Parquet, `reframe` and `ramble` the results of benchmark frameworks, `rows` brings all of them into one form,
`numbering` finds the runs, and `study` makes profiles of them, or a series if the number of locations is
unknown.
"""
