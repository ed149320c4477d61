"""Exact arithmetic and exact random sampling, on which every mechanism rests."""
