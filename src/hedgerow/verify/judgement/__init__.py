"""Judgements ``c1 ~ c2 : P ==> Q [epsilon, delta]`` about two programs, decided exactly if both are
finite.
"""
