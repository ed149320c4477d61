"""The engines that hold the data: each runs a plan and returns exact integers.

``compile`` turns a plan into SQL for any engine, ``duckdb`` runs it on files and frames, in this
process or in a sandboxed one, and ``reference`` is the slow interpreter that defines the right
answer.
"""
