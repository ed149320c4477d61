"""Statements of a Python function, as steps. What is not listed here is refused with its line."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction

from hedgerow.verify.language.lowering import Branch, Draw, Fresh, Leave, Loop, Say, Set, Step, Steps
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Apply, Expression, Length, Name, Number, Parameter, Place, Read
from hedgerow.verify.language.python.expressions import Reader, called, place_of, said
from hedgerow.verify.language.python.gathering import gathered

__all__ = ["Body"]


class Body:
    """Reads the statements of one function."""

    def __init__(self, function: ast.FunctionDef, parameters: Sequence[Parameter]) -> None:
        self.function = function
        taken = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)} | {one.name for one in parameters}
        self.fresh = Fresh(taken)
        self.parameters = {one.name: one for one in parameters}
        self.reader = Reader(parameters, self.fresh)
        self.gathered = gathered(function, self.parameters)

    def steps(self) -> Steps:
        body = self.function.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
            body = body[1:]  # the docstring
        return self.block(body)

    def block(self, body: Sequence[ast.stmt]) -> Steps:
        return tuple(step for statement in body for step in self.statement(statement))

    def statement(self, node: ast.stmt) -> list[Step]:
        place = place_of(node)
        match node:
            case ast.Pass():
                return []
            case ast.Break() | ast.Continue():
                return [Leave("break" if isinstance(node, ast.Break) else "continue", place)]
            case ast.Assign():
                return self._assignment(node, place)
            case ast.AnnAssign() if node.value is not None and isinstance(node.target, ast.Name):
                return self._set(node.target, node.value, place)
            case ast.AugAssign() if isinstance(node.target, ast.Name):
                if node.target.id == self.gathered:
                    return self._more(node.value, node, place)
                target = ast.Name(node.target.id, ast.Load(), lineno=place.line, col_offset=place.column)
                whole = ast.BinOp(target, node.op, node.value, lineno=place.line, col_offset=place.column)
                return self._set(node.target, whole, place)
            case ast.If():
                condition = self.reader.read(node.test)
                draws = self.reader.taken()
                return [*draws, Branch(condition, self.block(node.body), self.block(node.orelse), place)]
            case ast.While() if not node.orelse:
                condition = self.reader.read(node.test)
                draws = self.reader.taken()
                return [Loop(condition, self.block(node.body), tuple(draws), (), place)]
            case ast.For() if not node.orelse:
                return self._for(node, place)
            case ast.Expr():
                return self._spoken(node.value, place)
            case ast.Return():
                return [*self._returned(node.value), Leave("return", place)]
        raise Outside(f"{said(node).splitlines()[0]} is not in the language", place)

    def _value(self, node: ast.expr) -> tuple[Expression, list[Draw]]:
        value = self.reader.read(node)
        return value, self.reader.taken()

    def _set(self, target: ast.expr, node: ast.expr, place: Place) -> list[Step]:
        if not isinstance(target, ast.Name):
            raise Outside(f"{said(target)} cannot be assigned to; only a plain variable can", place)
        name = target.id
        value, draws = self._value(node)
        if draws and value == Name(draws[-1].name):  # eta = laplace(b) needs no second name
            last = draws.pop()
            return [*draws, Draw(name, last.noise, last.parameters, place)]
        return [*draws, Set(name, value, place)]

    def _assignment(self, node: ast.Assign, place: Place) -> list[Step]:
        target, value = node.targets[0], node.value
        if len(node.targets) > 1:
            steps = self._set(target, value, place)
            for one in node.targets[1:]:
                steps += self._set(one, ast.Name(getattr(target, "id", ""), ast.Load(), lineno=place.line, col_offset=0), place)
            return steps
        if isinstance(target, ast.Name) and target.id == self.gathered:
            if isinstance(value, ast.List):
                return []
            assert isinstance(value, ast.BinOp)
            return self._more(value.right, node, place)
        if isinstance(target, ast.Tuple):
            return self._together(target, value, place)
        return self._set(target, value, place)

    def _together(self, target: ast.Tuple, value: ast.expr, place: Place) -> list[Step]:
        """a, b = b, a: every value is read before any is assigned."""
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
            raise Outside("as many values as variables must stand on the right", place)
        first: list[Step] = []
        then: list[Step] = []
        for one, node in zip(target.elts, value.elts, strict=True):
            if not isinstance(one, ast.Name):
                raise Outside(f"{said(one)} cannot be assigned to; only a plain variable can", place)
            held = self.fresh.name(f"{one.id}_next")
            found, draws = self._value(node)
            first += [*draws, Set(held, found, place)]
            then.append(Set(one.id, Name(held, place), place))
        return [*first, *then]

    def _for(self, node: ast.For, place: Place) -> list[Step]:
        if not isinstance(node.target, ast.Name):
            raise Outside("for takes one plain variable", place)
        name = node.target.id
        if isinstance(node.iter, ast.Name) and node.iter.id in self.reader.lists:
            start, stop, step = Number(Fraction(0), place), Length(node.iter.id, place), Fraction(1)
            counter = self.fresh.name(f"{name}_place")
            first: tuple[Step, ...] = (Set(name, Read(node.iter.id, Name(counter, place), place), place),)
            before: list[Step] = []
        else:
            start, stop, step, before = self._range(node.iter, node, place)  # type: ignore[assignment]
            hidden = self._changed(name, node)
            counter = self.fresh.name(f"{name}_next") if hidden else name
            first = (Set(name, Name(counter, place), place),) if hidden else ()
        here = Name(counter, place)
        guard = Apply("<", (here, stop) if step > 0 else (stop, here), place)
        onward = Set(counter, Apply("+", (here, Number(step, place)), place), place)
        loop = Loop(guard, (*first, *self.block(node.body)), (), (onward,), place)
        return [*before, Set(counter, start, place), loop]

    def _changed(self, name: str, node: ast.For) -> bool:
        """Whether the variable of a loop is assigned in it, or used outside of it: then it is not the counter itself."""
        inside = set(map(id, ast.walk(node)))
        for one in ast.walk(self.function):
            if isinstance(one, ast.Name) and one.id == name and one is not node.target:
                if isinstance(one.ctx, ast.Store) and id(one) in inside:
                    return True
                if isinstance(one.ctx, ast.Load) and id(one) not in inside and not self._owned(one, node):
                    return True
        return False

    def _owned(self, name: ast.Name, other: ast.For) -> bool:
        """Whether this use lies in the body of a for-loop over the same variable that ``other`` does not lie in."""
        for loop in ast.walk(self.function):
            if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and loop.target.id == name.id:
                inside = [part for statement in loop.body for part in ast.walk(statement)]
                if any(part is name for part in inside) and all(part is not other for part in inside):
                    return True
        return False

    def _range(self, node: ast.expr, loop: ast.For, place: Place) -> tuple[Expression, Expression, Fraction, list[Step]]:
        if not isinstance(node, ast.Call) or called(node) != "range" or node.keywords or not 1 <= len(node.args) <= 3:
            raise Outside("for goes over range(…) or over a list among the parameters", place)
        values = [self.reader.read(one) for one in node.args]
        if self.reader.draws:
            raise Outside("draw the noise before the loop: range(…) is read once", place)
        step = values[2] if len(values) == 3 else Number(Fraction(1))
        if not isinstance(step, Number) or step.value == 0 or step.value.denominator != 1:
            raise Outside("the step of range(…) must be a whole number other than 0, written out", place)
        start, stop = (Number(Fraction(0), place), values[0]) if len(values) == 1 else (values[0], values[1])
        before: list[Step] = []
        stored = {one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        mentioned = {one.id for argument in node.args[:2] for one in ast.walk(argument) if isinstance(one, ast.Name)}
        if mentioned & stored:  # range is read once, and what it was read from changes
            end = self.fresh.name("end")
            before.append(Set(end, stop, place))
            stop = Name(end, place)
        return start, stop, step.value, before

    def _spoken(self, node: ast.expr, place: Place) -> list[Step]:
        if isinstance(node, ast.Call) and called(node) == "output" and len(node.args) == 1 and not node.keywords:
            if self.gathered is not None:
                raise Outside("give what is told either by output(…) or in one list that is returned, not both", place)
            value, draws = self._value(node.args[0])
            return [*draws, Say(value, place)]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append" and len(node.args) == 1:
            if isinstance(node.func.value, ast.Name) and node.func.value.id == self.gathered:
                value, draws = self._value(node.args[0])
                return [*draws, Say(value, place)]
            raise Outside(f"{said(node)}: only a list that starts as [] and is returned at the end can be appended to", place)
        raise Outside(f"{said(node)} does nothing that the language knows", place)

    def _more(self, added: ast.expr, node: ast.stmt, place: Place) -> list[Step]:
        if not isinstance(added, ast.List):
            raise Outside(f"{said(node)}: only [value, …] is added to the list that is returned", place)
        return self._told(added.elts, place)

    def _told(self, values: Sequence[ast.expr], place: Place) -> list[Step]:
        steps: list[Step] = []
        for one in values:
            value, draws = self._value(one)
            steps += [*draws, Say(value, place)]
        return steps

    def _returned(self, node: ast.expr | None) -> list[Step]:
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return []
        if self.gathered is not None:
            return []  # it was told when it was put on the list
        if isinstance(node, ast.Tuple | ast.List):
            return self._told(node.elts, place_of(node))
        return self._told([node], place_of(node))
