"""Applications: what their files state, put together with a machine, and evaluated."""
