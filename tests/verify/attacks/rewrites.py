"""Rewrites of a mechanism's text that keep its meaning: other styles for the same program."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable

_FLIPPED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_OPPOSITE = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}


class _Rewriter(ast.NodeTransformer):
    """A transformer with a source of choices and a supply of names."""

    def __init__(self, choices: random.Random) -> None:
        self.choices, self.count = choices, 0

    def chance(self) -> bool:
        return self.choices.random() < 0.7

    def name(self, word: str) -> str:
        self.count += 1
        return f"{word}_{self.count}"


class SwapConjuncts(_Rewriter):
    """``a and b`` becomes ``b and a``."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return ast.BoolOp(node.op, node.values[::-1])


class ApplyDeMorgan(_Rewriter):
    """``a and b`` becomes ``not (not a or not b)``."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        negated: list[ast.expr] = [ast.UnaryOp(ast.Not(), one) for one in node.values]
        return ast.UnaryOp(ast.Not(), ast.BoolOp(other, negated))


class FlipComparisons(_Rewriter):
    """``a < b`` becomes ``b > a`` or ``not a >= b``."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if len(node.ops) > 1 or type(node.ops[0]) not in _FLIPPED or not self.chance():
            return node
        word, right = type(node.ops[0]), node.comparators[0]
        if self.choices.random() < 0.5:
            return ast.Compare(right, [_FLIPPED[word]()], [node.left])
        return ast.UnaryOp(ast.Not(), ast.Compare(node.left, [_OPPOSITE[word]()], [right]))


class NegateBranches(_Rewriter):
    """``if c: A else: B`` becomes ``if not c: B else: A``."""

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if not node.orelse or not self.chance():
            return node
        return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)


class ExpandAugmented(_Rewriter):
    """``x += e`` becomes ``x = x + e``."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        assert isinstance(node.target, ast.Name)
        here = ast.Name(node.target.id, ast.Load())
        return ast.Assign([node.target], ast.BinOp(here, node.op, node.value))


class LeaveByBreak(_Rewriter):
    """``while c: A`` becomes ``while True: if not c: break; A``."""

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        leave = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
        return ast.While(ast.Constant(True), [leave, *node.body], [])


class CountByHand(_Rewriter):
    """``for i in range(n): A`` becomes a while loop, unless A continues."""

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=[stop]):
                pass
            case _:
                return node
        assert isinstance(node.target, ast.Name)
        if any(isinstance(one, ast.Continue) for one in ast.walk(node)):
            return node
        i = node.target.id
        test = ast.Compare(ast.Name(i, ast.Load()), [ast.Lt()], [stop])
        onward = ast.AugAssign(ast.Name(i, ast.Store()), ast.Add(), ast.Constant(1))
        start = ast.Assign([ast.Name(i, ast.Store())], ast.Constant(0))
        return [start, ast.While(test, [*node.body, onward], [])]


class NameValues(_Rewriter):
    """Entries of lists and draws get names of their own before the statement that uses them."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        first, test = self._name_parts(node.test)
        return [*first, ast.If(test, node.body, node.orelse)]

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        first, value = self._name_parts(node.value)
        return [*first, ast.Assign(node.targets, value)]

    def _name_parts(self, value: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        first: list[ast.stmt] = []
        outer = self

        class Naming(ast.NodeTransformer):
            def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
                word = outer.name("entry")
                first.append(ast.Assign([ast.Name(word, ast.Store())], node))
                return ast.Name(word, ast.Load())

        found = Naming().visit(copy.deepcopy(value)) if self.chance() else value
        assert isinstance(found, ast.expr)
        return first, found


class PassBooleans(_Rewriter):
    """A test gets a name before its branch."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        word = self.name("holds")
        first = ast.Assign([ast.Name(word, ast.Store())], node.test)
        return [first, ast.If(ast.Name(word, ast.Load()), node.body, node.orelse)]


REWRITES: tuple[Callable[[random.Random], _Rewriter], ...] = (
    SwapConjuncts,
    ApplyDeMorgan,
    FlipComparisons,
    NegateBranches,
    ExpandAugmented,
    LeaveByBreak,
    CountByHand,
    NameValues,
    PassBooleans,
)


def rewrite(text: str, seed: int) -> str:
    """Return the function in another style: one to three rewrites, in the order of the seed."""
    choices = random.Random(seed)
    module = ast.parse(text)
    for make in choices.sample(REWRITES, choices.randint(1, 3)):
        module = ast.fix_missing_locations(make(choices).visit(module))
    return ast.unparse(module)
