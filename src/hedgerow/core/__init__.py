"""What everything shares: types, kernels, trees, sums, checks, state files."""
