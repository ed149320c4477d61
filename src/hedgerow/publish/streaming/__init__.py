"""Running totals of a stream, one after each element."""
