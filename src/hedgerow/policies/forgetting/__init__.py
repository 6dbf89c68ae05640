"""Policies that forget: how old rounds count less.

Read ``half_life`` (stamps, epochs and weights), ``aged`` (what a policy that forgets keeps beside its sums), ``blocks`` and
``linear_window`` (how "auto" keeps sums by age, and finds the newest rounds without a visible change; without contexts that is
inference/change_point.py), ``ageing`` (how a state grows
older, learns late rewards and is merged). docs/changing.md is the user's page.
"""
