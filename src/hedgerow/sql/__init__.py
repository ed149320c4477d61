"""Questions in SQL: text in, a typed question out. A closed world: what no rule reads is
refused, with the piece underlined.
"""
