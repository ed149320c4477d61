"""Where the data are: a plan goes in, whole numbers come out.

``compile`` turns a plan into one statement, ``duckdb`` runs it in this process, ``worker`` in a
child that can be killed.
"""
