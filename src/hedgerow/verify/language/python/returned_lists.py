"""A list that a Python function builds up and returns."""

from __future__ import annotations

import ast

from hedgerow.verify.language.program import Parameter
from hedgerow.verify.language.python.expressions import find_place
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["find_returned_list"]


def find_returned_list(function: ast.FunctionDef, parameters: dict[str, Parameter]) -> str | None:
    """The list that starts as [], grows at its end, and is what every return gives: telling each
    entry at once tells the same.
    """
    starts = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Assign)
        and isinstance(one.value, ast.List)
        and not one.value.elts
        and isinstance(one.targets[0], ast.Name)
    ]
    if not starts:
        return None
    first = starts[0]
    assert isinstance(first.targets[0], ast.Name)
    name = first.targets[0].id
    if len(starts) > 1 or first not in function.body or name in parameters:
        raise UnsupportedProgram(
            "one list may be gathered, started once as [] outside of all branches and loops",
            find_place(starts[-1]),
        )
    returns = [one for one in ast.walk(function) if isinstance(one, ast.Return)]
    for one in returns:
        if not isinstance(one.value, ast.Name) or one.value.id != name:
            raise UnsupportedProgram(
                f"the list {name} is gathered, so that every return must give it", find_place(one)
            )
    if not isinstance(function.body[-1], ast.Return):
        raise UnsupportedProgram(
            f"the list {name} is gathered but not returned at the end",
            find_place(function.body[-1]),
        )
    _check_only_appended(function, name, first)
    return name


def _check_only_appended(function: ast.FunctionDef, name: str, first: ast.Assign) -> None:
    """Every mention of the list is its start, a growth at its end, or a return of it; all after
    its start.
    """
    fine = {id(first.targets[0])}
    for part in ast.walk(function):
        match part:
            case ast.Assign(
                targets=[ast.Name(id=target) as left],
                value=ast.BinOp(left=ast.Name(id=source) as right, op=ast.Add()),
            ):
                if target == source == name:
                    fine |= {id(left), id(right)}
            case (
                ast.AugAssign(target=ast.Name() as left, op=ast.Add())
                | ast.Return(value=ast.Name() as left)
            ):
                fine.add(id(left))
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name() as left, attr="append"))
            ):
                fine.add(id(left))
            case _:
                pass
    for part in ast.walk(function):
        if isinstance(part, ast.Name) and part.id == name and id(part) not in fine:
            raise UnsupportedProgram(
                f"the list {name} can only grow at its end, as in {name} = {name} + [value], and be"
                " returned",
                find_place(part),
            )
    for one in function.body[: function.body.index(first)]:
        for part in ast.walk(one):
            if (isinstance(part, ast.Name) and part.id == name) or isinstance(part, ast.Return):
                raise UnsupportedProgram(
                    f"the list {name} is used before it is started", find_place(part)
                )
