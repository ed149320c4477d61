"""The head reader of restricted Python: a function with ``@mechanism`` as a program. The text is
parsed, never run.

    @mechanism(epsilon="eps", neighbours="one")
    def noisy(x: private[float], eps: public[float]):
        return x + laplace(1 / eps)

Parameters are ``private[…]`` or ``public[…]`` of ``int``, ``float``, ``bool``, ``list`` (of
floats), ``list[int]``, ``bits[n]``. Statements are assignment and ``+=``, if/elif/else, while, for
over range or a list, break, continue, ``output(e)`` and return. A list that starts as ``[]`` can be
appended to and returned. Expressions consist of numbers, True, False, variables, ``q[i]``,
``len(q)``, arithmetic, comparisons, and/or/not, ``a if c else b``, abs, min, max, ln, exp, sqrt,
floor and noise; for bit strings also ^, &, |, ~, +, concat and bit.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, Final

from hedgerow.verify.language.lowering import lower_steps
from hedgerow.verify.language.program import (
    Claim,
    Expression,
    Kind,
    Neighbours,
    Number,
    Parameter,
    Place,
    Program,
)
from hedgerow.verify.language.python.expressions import PythonExpressionReader, find_place
from hedgerow.verify.language.python.statements import FunctionBodyReader
from hedgerow.verify.language.signature import (
    KIND_NAMES,
    check_text_size,
    normalise_claim,
    parse_neighbours,
)
from hedgerow.verify.language.steps import NameSupply
from hedgerow.verify.language.type_inference import resolve_program
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["build_program", "read_program", "read_programs", "returns_single_value"]

_MAX_TREE_NODES: Final = 50_000  # nodes of the syntax tree of a file


def read_programs(text: str, file: str = "") -> list[Program | UnsupportedProgram]:
    """Read every ``@mechanism`` of a file, in order; an ``UnsupportedProgram`` takes the place of
    each that is outside the language.
    """
    try:
        tree = _parse_python(check_text_size(text))
    except UnsupportedProgram as outside:
        return [outside.with_name(file)]
    heads = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        and _find_decorator(one) is not None
    ]
    return [_read_function(node, text) for node in sorted(heads, key=lambda one: one.lineno)]


def read_program(function: Callable[..., Any]) -> Program:
    """Read a Python function from its source; raise ``UnsupportedProgram`` if it is outside the
    language.
    """
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise UnsupportedProgram(
            "the source of this function is not available; define it in a file"
        ) from None
    text = textwrap.dedent("".join(lines))
    tree = _parse_python(check_text_size(text))
    ast.increment_lineno(tree, first - 1)
    node = tree.body[0]
    if (
        not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        or _find_decorator(node) is None
    ):
        raise UnsupportedProgram(
            "a mechanism must be a function defined with def, under @mechanism(…)",
            find_place(node),
        )
    found = _read_function(node, "\n" * (first - 1) + text)
    if isinstance(found, UnsupportedProgram):
        raise found
    return found


def returns_single_value(program: Program) -> bool:
    """Return whether each path returns exactly one value, so that a caller gets that value and not
    a list.
    """
    node = _parse_python(textwrap.dedent(program.source)).body[0]
    has_output = any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "output"
        for one in ast.walk(node)
    )
    returns = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
    builds_list = any(
        isinstance(one, ast.Assign) and isinstance(one.value, ast.List) for one in ast.walk(node)
    )
    if (
        has_output
        or builds_list
        or not isinstance(node, ast.FunctionDef)
        or not isinstance(node.body[-1], ast.Return)
    ):
        return False
    return all(
        one is not None and not isinstance(one, ast.Tuple | ast.List) and ast.unparse(one) != "None"
        for one in returns
    )


def _parse_python(text: str) -> ast.Module:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise UnsupportedProgram(
            f"this is not Python: {error.msg}", Place(error.lineno or 0, error.offset or 0)
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise UnsupportedProgram(
            "this is not readable Python: it has null bytes or is nested too deeply; rewrite it"
        ) from None
    if sum(1 for _ in ast.walk(tree)) > _MAX_TREE_NODES:
        raise UnsupportedProgram(
            f"the file has more than {_MAX_TREE_NODES} syntax nodes; move the mechanism to a"
            " file of its own"
        )
    return tree


def _find_decorator(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    for one in node.decorator_list:
        match one.func if isinstance(one, ast.Call) else one:
            case ast.Name(id="mechanism") | ast.Attribute(attr="mechanism"):
                return one
    return None


def _read_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, text: str
) -> Program | UnsupportedProgram:
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return build_program(node, "\n".join(text.splitlines()[first - 1 : node.end_lineno]))


def build_program(
    node: ast.FunctionDef | ast.AsyncFunctionDef, source: str
) -> Program | UnsupportedProgram:
    """Build the program of one parsed function; a certificate names the hash of ``source``."""
    try:
        if isinstance(node, ast.AsyncFunctionDef):
            raise UnsupportedProgram(
                "a mechanism cannot be async; define it with def", find_place(node)
            )
        if len(node.decorator_list) > 1:
            raise UnsupportedProgram(
                "@mechanism must be the only decorator, since another could change what runs;"
                " remove the other",
                find_place(node.decorator_list[-1]),
            )
        parameters = _read_parameters(node)
        claim = _read_claim(node, parameters)
        body = FunctionBodyReader(node, parameters)
        block = lower_steps(body.read_steps(), parameters, body.name_supply)
        return resolve_program(
            Program(node.name, parameters, block, claim, source, find_place(node))
        )
    except UnsupportedProgram as outside:
        return outside.with_name(node.name)
    except RecursionError:
        return UnsupportedProgram(
            "the program is nested too deeply; flatten it", find_place(node), node.name
        )


def _read_parameters(node: ast.FunctionDef) -> tuple[Parameter, ...]:
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.defaults or any(arguments.kw_defaults):
        raise UnsupportedProgram(
            "parameters cannot have *, ** or default values; remove them", find_place(node)
        )
    return tuple(
        _read_parameter(one)
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    )


def _read_parameter(argument: ast.arg) -> Parameter:
    place = find_place(argument)
    match _unquote_annotation(argument.annotation, place):
        case ast.Subscript(
            value=(
                ast.Name(id="private" | "public" as access)
                | ast.Attribute(attr="private" | "public" as access)
            ),
            slice=annotation,
        ):
            inner, is_private = _unquote_annotation(annotation, place), access == "private"
        case _:
            raise UnsupportedProgram(
                f"declare {argument.arg} private[…] or public[…], as in {argument.arg}:"
                " private[float]",
                place,
            )
    match inner:
        case ast.Name(id="list"):
            return Parameter(argument.arg, Kind.REAL, is_private, list=True, place=place)
        case ast.Subscript(value=ast.Name(id="list"), slice=entry):
            kind, width = _read_kind(_unquote_annotation(entry, place), place)
            return Parameter(argument.arg, kind, is_private, list=True, width=width, place=place)
    kind, width = _read_kind(inner, place)
    return Parameter(argument.arg, kind, is_private, width=width, place=place)


def _read_kind(node: ast.expr | None, place: Place) -> tuple[Kind, Expression | None]:
    match node:
        case ast.Name(id=word) if word in KIND_NAMES:
            return KIND_NAMES[word], None
        case ast.Subscript(value=ast.Name(id="bits"), slice=width):
            return Kind.BITS, PythonExpressionReader((), NameSupply()).read(width)
    raise UnsupportedProgram(
        "a parameter must be int, float, bool, bits[n], list, or a list[…] of one of these", place
    )


def _unquote_annotation(node: ast.expr | None, place: Place) -> ast.expr | None:
    """Return an annotation, parsed if it is a string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise UnsupportedProgram(
                f"{node.value[:40]!r} is not a Python expression; correct it", place
            ) from None
    return node


def _read_claim(node: ast.FunctionDef, parameters: tuple[Parameter, ...]) -> Claim:
    decorator = _find_decorator(node)
    assert decorator is not None
    place = find_place(decorator)
    if not isinstance(decorator, ast.Call) or decorator.args:
        raise UnsupportedProgram(
            'write the claim as @mechanism(epsilon="eps", neighbours="one")', place
        )
    given = {one.arg: one.value for one in decorator.keywords}
    unknown = sorted(str(one) for one in given.keys() - {"epsilon", "delta", "neighbours"})
    if unknown:
        raise UnsupportedProgram(
            f"@mechanism takes epsilon, delta and neighbours, not {unknown[0]}", place
        )
    for word in ("epsilon", "neighbours"):
        if word not in given:
            raise UnsupportedProgram(f"@mechanism needs {word}; add {word}=…", place)
    epsilon = _read_claim_amount(given["epsilon"], place)
    delta = _read_claim_amount(given["delta"], place) if "delta" in given else None
    if isinstance(delta, Number) and delta.value == 0:
        delta = None
    return normalise_claim(
        Claim(epsilon, _read_neighbours(given["neighbours"], place), delta), parameters, place
    )


def _read_claim_amount(node: ast.expr, place: Place) -> Expression:
    """Read an epsilon or a delta: a number, or an expression as a string."""
    if not isinstance(node, ast.Constant):
        raise UnsupportedProgram(
            'a claim must be a number or a string literal, as in epsilon="2*eps"', place
        )
    inner = _unquote_annotation(node, place)
    assert inner is not None
    reader = PythonExpressionReader((), NameSupply())
    try:
        found = reader.read(inner)
    except UnsupportedProgram as outside:  # its line is the line in the string
        raise UnsupportedProgram(f"in the claim, {outside.reason}", place) from None
    if reader.draws:
        raise UnsupportedProgram(
            "a claim cannot draw noise; write it with numbers and public parameters",
            place,
        )
    if isinstance(found, Number) and found.value < 0:
        raise UnsupportedProgram("a claim must be at least 0", place)
    return found


def _read_neighbours(node: ast.expr, place: Place) -> Neighbours:
    match node:
        case ast.Constant(value=word):
            return parse_neighbours(word, None, place)
        case ast.Tuple(elts=[ast.Constant(value=word), ast.Constant(value=k)]):
            return parse_neighbours(word, k, place)
    raise UnsupportedProgram(
        'neighbours must be a name such as "one", or a pair such as ("l1", 2)', place
    )
