"""Published answers: what they say together about a few, and what rules for single cells say of
them.
"""
