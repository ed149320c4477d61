"""Restricted Python: a function with ``@mechanism`` as a program. The text is parsed, never run.

    @mechanism(epsilon="eps", neighbours="one")
    def noisy(x: private[float], eps: public[float]):
        return x + laplace(1 / eps)

Parameters are ``private[…]`` or ``public[…]`` of ``int``, ``float``, ``bool``, ``list`` (of floats), ``list[int]``, ``bits[n]``.
Statements are assignment and ``+=``, if/elif/else, while, for over range or a list, break, continue, ``output(e)`` and return. A list
that starts as ``[]`` may be appended to and returned. Expressions are made of numbers, True, False, variables, ``q[i]``, ``len(q)``,
arithmetic, comparisons, and/or/not, ``a if c else b``, abs, min, max, ln, exp, sqrt, floor and noise, and for bit strings of ^, &, |, ~, +,
concat and bit.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, Final

from hedgerow.verify.language.kinds import resolved
from hedgerow.verify.language.lowering import Fresh, lowered
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Claim, Expression, Kind, Neighbours, Number, Parameter, Place, Program
from hedgerow.verify.language.python.body import Body
from hedgerow.verify.language.python.expressions import Reader, place_of
from hedgerow.verify.language.signature import checked_claim, checked_size, neighbours

__all__ = ["gives_one", "program_from", "program_of", "programs"]

_KINDS: Final = {"int": Kind.INT, "float": Kind.REAL, "real": Kind.REAL, "bool": Kind.BOOL}
_LARGEST: Final = 50_000  # nodes of the syntax tree of a file


def programs(text: str, file: str = "") -> list[Program | Outside]:
    """Every ``@mechanism`` of a file, in order; what is outside the language is returned as such, with its line."""
    try:
        tree = _tree(checked_size(text))
    except Outside as outside:
        return [outside.of(file)]
    heads = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and _decorator(one) is not None]
    return [_one(node, text) for node in sorted(heads, key=lambda one: one.lineno)]


def program_of(function: Callable[..., Any]) -> Program:
    """The program that a Python function is, read from its source. Raises ``Outside`` where it is none."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise Outside("the source of this function is not to be had; write it in a file") from None
    text = textwrap.dedent("".join(lines))
    tree = _tree(checked_size(text))
    ast.increment_lineno(tree, first - 1)
    node = tree.body[0]
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or _decorator(node) is None:
        raise Outside("a mechanism is a function defined with def, and @mechanism(…) stands above it", place_of(node))
    found = _one(node, "\n" * (first - 1) + text)
    if isinstance(found, Outside):
        raise found
    return found


def gives_one(program: Program) -> bool:
    """Whether the function gives exactly one value, by return, on every way through it: then a caller wants that value, not a list."""
    node = _tree(textwrap.dedent(program.source)).body[0]
    said = [one for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "output"]
    returns = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
    gathered = any(isinstance(one, ast.Assign) and isinstance(one.value, ast.List) for one in ast.walk(node))
    if said or gathered or not isinstance(node, ast.FunctionDef) or not isinstance(node.body[-1], ast.Return):
        return False
    return all(one is not None and not isinstance(one, ast.Tuple | ast.List) and ast.unparse(one) != "None" for one in returns)


def _tree(text: str) -> ast.Module:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise Outside(f"this is not Python: {error.msg}", Place(error.lineno or 0, error.offset or 0)) from None
    except (ValueError, RecursionError, MemoryError):
        raise Outside("this is not Python that can be read: it holds null bytes, or is nested too deeply") from None
    if sum(1 for _ in ast.walk(tree)) > _LARGEST:
        raise Outside(f"the file has more than {_LARGEST} parts")
    return tree


def _decorator(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    for one in node.decorator_list:
        word = one.func if isinstance(one, ast.Call) else one
        if (isinstance(word, ast.Name) and word.id == "mechanism") or (isinstance(word, ast.Attribute) and word.attr == "mechanism"):
            return one
    return None


def _one(node: ast.FunctionDef | ast.AsyncFunctionDef, text: str) -> Program | Outside:
    return program_from(node, _source(node, text))


def program_from(node: ast.FunctionDef | ast.AsyncFunctionDef, source: str) -> Program | Outside:
    """The program of one function that is read already; ``source`` is what a certificate names by its hash."""
    try:
        if isinstance(node, ast.AsyncFunctionDef):
            raise Outside("a mechanism is a plain function, not an async one", place_of(node))
        if len(node.decorator_list) > 1:
            raise Outside("no other decorator may stand beside @mechanism: it would change what runs", place_of(node.decorator_list[-1]))
        parameters = _parameters(node)
        claim = _claim(node, parameters)
        body = Body(node, parameters)
        block = lowered(body.steps(), parameters, body.fresh)
        return resolved(Program(node.name, parameters, block, claim, source, place_of(node)))
    except Outside as outside:
        return outside.of(node.name)
    except RecursionError:
        return Outside("it is nested too deeply to be read", place_of(node), node.name)


def _source(node: ast.FunctionDef | ast.AsyncFunctionDef, text: str) -> str:
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def _parameters(node: ast.FunctionDef) -> tuple[Parameter, ...]:
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.defaults or any(arguments.kw_defaults):
        raise Outside("parameters are plain: no *, no **, and no default values", place_of(node))
    return tuple(_parameter(one) for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))


def _parameter(argument: ast.arg) -> Parameter:
    place = place_of(argument)
    kind = _written(argument.annotation, place)
    word = kind.value if isinstance(kind, ast.Subscript) else None
    name = word.id if isinstance(word, ast.Name) else word.attr if isinstance(word, ast.Attribute) else ""
    if name not in ("private", "public") or not isinstance(kind, ast.Subscript):
        raise Outside(f"say of {argument.arg} whether it is private[…] or public[…], as in {argument.arg}: private[float]", place)
    inner = _written(kind.slice, place)
    entries = isinstance(inner, ast.Subscript) and isinstance(inner.value, ast.Name) and inner.value.id == "list"
    if isinstance(inner, ast.Name) and inner.id == "list":
        return Parameter(argument.arg, Kind.REAL, name == "private", list=True, place=place)
    if entries and isinstance(inner, ast.Subscript):
        inner = _written(inner.slice, place)
    found, width = _kind(inner, place)
    return Parameter(argument.arg, found, name == "private", list=entries, width=width, place=place)


def _kind(node: ast.expr | None, place: Place) -> tuple[Kind, Expression | None]:
    if isinstance(node, ast.Name) and node.id in _KINDS:
        return _KINDS[node.id], None
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "bits":
        return Kind.BITS, Reader((), Fresh()).read(node.slice)
    raise Outside("a parameter is int, float, bool, bits[n], list, or a list[…] of one of those", place)


def _written(node: ast.expr | None, place: Place) -> ast.expr | None:
    """An annotation, also where it is written as a string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise Outside(f"{node.value[:40]!r} is not an annotation", place) from None
    return node


def _claim(node: ast.FunctionDef, parameters: tuple[Parameter, ...]) -> Claim:
    decorator = _decorator(node)
    assert decorator is not None
    place = place_of(decorator)
    if not isinstance(decorator, ast.Call) or decorator.args:
        raise Outside('write the claim as @mechanism(epsilon="eps", neighbours="one")', place)
    given = {one.arg: one.value for one in decorator.keywords}
    unknown = sorted(str(one) for one in given.keys() - {"epsilon", "delta", "neighbours"})
    if unknown:
        raise Outside(f"@mechanism takes epsilon, delta and neighbours, not {unknown[0]}", place)
    for word in ("epsilon", "neighbours"):
        if word not in given:
            raise Outside(f"@mechanism needs {word}", place)
    epsilon = _amount(given["epsilon"], place)
    delta = _amount(given["delta"], place) if "delta" in given else None
    if isinstance(delta, Number) and delta.value == 0:
        delta = None
    return checked_claim(Claim(epsilon, _neighbours(given["neighbours"], place), delta), parameters, place)


def _amount(node: ast.expr, place: Place) -> Expression:
    """An epsilon or a delta: an expression as a string, or a plain number."""
    if not isinstance(node, ast.Constant):
        raise Outside('a claim is written out, as a number or as text: epsilon="2*eps"', place)
    inner = _written(node, place)
    assert inner is not None
    reader = Reader((), Fresh())
    try:
        found = reader.read(inner)
    except Outside as outside:  # its line is the line in the string
        raise Outside(f"in the claim, {outside.reason}", place) from None
    if reader.draws:
        raise Outside("a claim is an expression in numbers and public parameters; noise has no place in it", place)
    if isinstance(found, Number) and found.value < 0:
        raise Outside("a claim cannot be below 0", place)
    return found


def _neighbours(node: ast.expr, place: Place) -> Neighbours:
    if isinstance(node, ast.Constant):
        return neighbours(node.value, None, place)
    if isinstance(node, ast.Tuple) and len(node.elts) == 2 and all(isinstance(one, ast.Constant) for one in node.elts):
        word, k = (one.value for one in node.elts if isinstance(one, ast.Constant))
        return neighbours(word, k, place)
    raise Outside('neighbours is a word such as "one", or a pair such as ("l1", 2)', place)
