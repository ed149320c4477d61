"""What is asked, as data: nine nodes, expressions over columns, and how far one unit can move the
answer.

A plan never sees a mechanism, an engine or a row (``reference`` excepted, which exists to say what
the others mean).
"""
