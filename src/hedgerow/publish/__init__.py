"""Publishing once for all questions."""
