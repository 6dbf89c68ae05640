"""What a hierarchical policy over rewards derives from its sums: a row per node, and a ledger.

A row of an arm:      plays | mean | noise | posterior mean and variance in its cluster | chance of being a stranger there
                      | mean and variance as a stranger | ceiling: its bound cannot pass this until the next refresh
                      | hoped: its noise if it were one of the arms played most
                      | trust: plays that a play of its history counts as
A row of a cluster:   arms | tau^2 | centre | precision of the centre | lead: posterior mean of its best arm
                      | tried and familiar: arms with plays, and with some, in the places named below
"""

ARM_PLAYS, MEAN, NOISE, WITHIN, WITHIN_SPREAD, STRANGER, ALONE, ALONE_SPREAD, CEILING, HOPED, TRUST, COLUMNS = range(12)
ARMS, TAU2, CENTRE, PRECISION, LEAD, TRIED, FAMILIAR = range(7)

NEXT, S2, MU0, SPREAD2, UNIT, TYPICAL, LEVEL_MEAN, BINARY, LEAST = range(9)
LARGEST, LAST, INNER, COUNT, POOLED, GROWN, DRIFT2, LOW, HIGH, EVIDENCE, ERRED, NUMBERS = range(9, 21)
"""The ledger: t of the next refresh; s^2, mu0 and the common tau^2; the arm means' variance; typical noise variance; mean of the
arm means; whether rewards take two values; the least and largest online reward; the arm played last; one more than the last
inner node; the number of arms; noise variance pooled by plays, and how many times the typical one that is, at least 1;
d^2, how far history is off; the two values that rewards take, if so; by how many nats arms are likelier with their labels than
without; whether an arm has shown that labels err."""
