"""Reading: profile formats, runs, reduction over locations, alignment into experiments."""
