"""The answer to a question, after the release: estimates, intervals, caveats, explanations and
tables. Nothing here sees data."""
