"""Partial sums of a stream, one by one as its elements arrive."""
