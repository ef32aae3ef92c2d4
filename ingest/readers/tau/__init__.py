"""TAU's profiles: `tau_text` reads a file per thread, `tau_packed` all in one."""
