"""Showing the danger: how exposed a table or a set of published answers is, and how the same attacks fare against Hedgerow.

For custodians only: what stands in these results is about people in the data, without any protection.
"""
