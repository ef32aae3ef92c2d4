"""Output of likwid-perfctr: `likwid_tables` reads it, `likwid_profile` joins the files of a run."""
