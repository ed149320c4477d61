"""Looking for shifts and invariants. Nothing here is trusted: the checker shows again what is
found.
"""
