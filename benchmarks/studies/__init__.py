"""Coverage studies: verdicts on simulated logs whose truth is known."""
