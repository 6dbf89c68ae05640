"""The hierarchical model of rewards: Auto without contexts."""
