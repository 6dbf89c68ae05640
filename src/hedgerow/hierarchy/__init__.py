"""Hierarchical models: arms resemble their cluster, clusters each other, and the data say how much."""
