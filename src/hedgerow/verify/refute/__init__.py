"""Shows that a claim is false: two neighbouring inputs, an event, and both of its probabilities,
exactly or within rigorous bounds.
"""
