"""Tests of the decision service."""
