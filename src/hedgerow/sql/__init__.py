"""The SQL reader: query text in, a typed question out. Constructs without a rule are refused."""
