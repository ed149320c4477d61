"""Proofs that a program is private: certificates, the checker that alone is trusted, and the search
that finds them.

Nothing here is imported by ``hedgerow`` or ``hedgerow.verify`` on their own: it needs z3, which
comes with ``hedgerow[verify]``.
"""
