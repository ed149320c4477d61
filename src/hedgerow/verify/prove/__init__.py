"""Proofs that a program is private: certificates, their trusted checker, and the search for them.

Neither ``hedgerow`` nor ``hedgerow.verify`` imports this package by itself: it needs z3, which
``hedgerow[verify]`` installs.
"""
