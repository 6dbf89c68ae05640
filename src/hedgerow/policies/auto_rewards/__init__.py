"""Auto without contexts: one model of rewards, one bound.

Read ``model`` (what is estimated of all arms), ``posterior`` (what that says of each arm), ``index`` (how good an arm may be),
``rounds`` (when which of them is called), and ``policy`` (the family that a Bandit calls). ``settings`` has the six constants,
``state`` the names of the numbers kept.
"""
