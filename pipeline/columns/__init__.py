"""What tables say: one record per column and one list per table, over which all outputs are written."""
