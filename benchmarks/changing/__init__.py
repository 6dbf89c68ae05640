"""Rewards that change: policies that forget beside those that do not, and beside detectors of changes."""
