"""What the gate reports: for people, for CI servers, and over commits."""
