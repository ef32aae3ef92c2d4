"""Where independent work is done: processes of this machine, or a Dask cluster."""
