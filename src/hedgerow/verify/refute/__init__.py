"""The refuter: two neighbouring inputs and an event that show a claim to be false, with both
probabilities of the event, exact or within rigorous bounds.
"""
