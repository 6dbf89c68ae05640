"""What sums say of arms and their groups, with intervals and tests: shared by ``trust`` and ``verdict``."""
