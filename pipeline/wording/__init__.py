"""How things are said: numbers with units, points, intervals, growth, names; the same on every screen."""
