"""The search for shifts and invariants. The checker verifies every result, so none is trusted."""
