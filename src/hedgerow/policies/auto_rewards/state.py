"""The names of the numbers that Auto without contexts keeps: of each arm, of each cluster, and of the policy."""

from ...core.records import Field, kind_of, width
from .settings import SPREADS

EXPLANATIONS = SPREADS.size + 1
"""Of an arm: that it belongs to its cluster, for each spread within; and the last, that it does not."""

LARGE = 1e200
"""More than the square of any reward."""

ARM_FIELDS = (
    Field("plays", 0.0, LARGE),  # of its history as far as that is trusted
    Field("average", -LARGE, LARGE),  # reward; of two values, as an arcsine
    Field("deviations", 0.0, LARGE),  # sum of squared deviations from it
    Field("freedom", 0.0, LARGE),  # their degrees of freedom
    Field("noise", 0.0, LARGE),  # variance of a reward
    Field("trust", 0.0, 1.0),  # plays that a play of its history counts as
    Field("expected", -LARGE, LARGE, (EXPLANATIONS,)),  # its mean, were it never played: by the others, for each explanation
    Field("spread", 0.0, LARGE, (EXPLANATIONS,)),  # the variance of that
    Field("chance", 0.0, 1.0, (EXPLANATIONS,)),  # of each explanation
    Field("member", 0.0, 1.0, (SPREADS.size,)),  # chance that it belongs to its cluster, for each spread within
)
CLUSTER_FIELDS = (
    Field("arms", 0.0, LARGE, whole=True),  # that stand in it, and in no cluster within it
    Field("level", -LARGE, LARGE),  # where its centre is: of all arms, or as the cluster above it says
    Field("around", 0.0, LARGE),  # and the variance around that
    Field("share", 0.0, 1.0, (SPREADS.size,)),  # chance of each spread within
    Field("wrong", 0.0, 1.0),  # share of its arms that do not belong to it
    Field("due", 0.0, LARGE),  # plays at which its arms are looked at anew
)
STATE_FIELDS = (
    Field("due", 1.0, LARGE),  # round at which all is estimated anew
    Field("least", -LARGE, LARGE),  # online reward
    Field("largest", -LARGE, LARGE),
    Field("ready", 0.0, 1.0, whole=True),  # 0 while all rewards are equal, so that there is no unit
    Field("two_valued", 0.0, 1.0, whole=True),
    Field("low", -LARGE, LARGE),  # of two values
    Field("high", -LARGE, LARGE),
    Field("rate", 0.0, 1.0),  # of the typical arm, of two values
    Field("typical", 0.0, LARGE),  # noise variance
    Field("level", -LARGE, LARGE),  # mean of the arms
    Field("variance", 0.0, LARGE),  # of the arms around it
    Field("moved", 0.0, 1.0, whole=True),  # whether arms have rather moved since their history
    Field("drift", 0.0, LARGE),  # variance of that
)
ARM, CLUSTER, STATE = kind_of(ARM_FIELDS), kind_of(CLUSTER_FIELDS), kind_of(STATE_FIELDS)
ARM_SIZE, ROW_SIZE, STATE_SIZE = width(ARM_FIELDS), width(ARM_FIELDS + CLUSTER_FIELDS), width(STATE_FIELDS)
"""A row of a node has the fields of an arm, then those of a cluster."""
