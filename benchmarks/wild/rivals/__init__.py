"""Textbook policies as compiled loops over a table of rewards, a file each.

A history counts as plays of the rounds. Where a formula needs the noise and nobody knows it, it is estimated: pooled_noise.py.
"""
