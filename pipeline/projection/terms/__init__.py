"""Terms, the named functions of machine and application files: families, fitted formulas, measured models."""
