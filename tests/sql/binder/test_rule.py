"""Filled arguments of syntax nodes."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.binder.rule import find_filled_args


def test_constant_conditions_do_not_change_the_groups() -> None:
    node = exp.Count(this=exp.Star(), expressions=[], big_int=True)
    assert find_filled_args(node) == {"this", "big_int"}
    assert find_filled_args(
        exp.Div(this=exp.Null(), expression=exp.Null(), typed=False, safe=None)
    ) == {"this", "expression"}
