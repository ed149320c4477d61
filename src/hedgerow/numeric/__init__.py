"""Exact arithmetic and exact randomness: the ground under every mechanism."""
