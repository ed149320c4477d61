"""The meaning of a question as data: nodes, expressions over columns, and the sensitivity of each
measure.

A plan never sees a mechanism, an engine or a row.
"""
