"""Lists that a Python function builds and returns."""

from __future__ import annotations

import ast

from hedgerow.verify.language.program import Parameter
from hedgerow.verify.language.python.expressions import find_place
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["find_returned_list"]


def find_returned_list(function: ast.FunctionDef, parameters: dict[str, Parameter]) -> str | None:
    """Return the name of the list that starts as [], grows at its end and is returned by every
    return. Appending an entry is then the same as outputting it.
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
            "only one list can be built; start it once as [], outside branches and loops",
            find_place(starts[-1]),
        )
    returns = [one for one in ast.walk(function) if isinstance(one, ast.Return)]
    for one in returns:
        if not isinstance(one.value, ast.Name) or one.value.id != name:
            raise UnsupportedProgram(f"every return must return the list {name}", find_place(one))
    if not isinstance(function.body[-1], ast.Return):
        raise UnsupportedProgram(
            f"the list {name} is never returned; return it at the end",
            find_place(function.body[-1]),
        )
    _check_only_appended(function, name, first)
    return name


def _check_only_appended(function: ast.FunctionDef, name: str, first: ast.Assign) -> None:
    """Refuse mentions of the list other than its start, an append and a return, all after its
    start.
    """
    allowed = {id(first.targets[0])}
    for part in ast.walk(function):
        match part:
            case ast.Assign(
                targets=[ast.Name(id=target) as left],
                value=ast.BinOp(left=ast.Name(id=source) as right, op=ast.Add()),
            ):
                if target == source == name:
                    allowed |= {id(left), id(right)}
            case (
                ast.AugAssign(target=ast.Name() as left, op=ast.Add())
                | ast.Return(value=ast.Name() as left)
                | ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name() as left, attr="append"))
                )
            ):
                allowed.add(id(left))
    for part in ast.walk(function):
        if isinstance(part, ast.Name) and part.id == name and id(part) not in allowed:
            raise UnsupportedProgram(
                f"the list {name} can only grow at its end and be returned; write"
                f" {name} = {name} + [value]",
                find_place(part),
            )
    for one in function.body[: function.body.index(first)]:
        for part in ast.walk(one):
            if (isinstance(part, ast.Name) and part.id == name) or isinstance(part, ast.Return):
                raise UnsupportedProgram(
                    f"the list {name} is used before {name} = []; move that line up",
                    find_place(part),
                )
