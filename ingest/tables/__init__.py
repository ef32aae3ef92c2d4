"""Users' tables: measurements of many runs in long form (CSV, Parquet, DataFrames), or one row per run.

`ingest.table_mapping` says what columns mean, `table_columns` recognises them by their names,
`table_files` finds tables and results of benchmark frameworks, `table_rows` brings all into one form,
`table_study` finds the runs and makes profiles of them, or a series if the number of
locations is unknown.
"""
