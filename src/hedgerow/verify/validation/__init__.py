"""An independent evaluator of programs, which recomputes the probabilities of every counterexample
before it is reported. It shares no code with the refuter's enumeration and integrals.
"""
