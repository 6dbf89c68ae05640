"""The hierarchical linear model: Auto with contexts."""
