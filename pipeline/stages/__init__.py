"""The stages: each a function from typed inputs to typed outputs; they alone use the results directory."""
