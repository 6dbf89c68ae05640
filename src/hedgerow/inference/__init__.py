"""What sums of rewards say: spreads within and between groups, shifts, tests, intervals. Trust and the verdict both ask here."""
