"""Attacks on a secret column: against exact answers, common practice and Hedgerow, and their
limits.
"""
