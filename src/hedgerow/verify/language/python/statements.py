"""The statement reader of restricted Python: the body of a function as steps. Every case that is
not listed is refused with its line.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Expression,
    Length,
    Name,
    Number,
    Output,
    Parameter,
    Place,
    Read,
    Sample,
)
from hedgerow.verify.language.python.expressions import (
    PythonExpressionReader,
    find_called_name,
    find_place,
    format_node,
)
from hedgerow.verify.language.python.returned_lists import find_returned_list
from hedgerow.verify.language.steps import (
    BranchStep,
    JumpStep,
    LoopStep,
    NameSupply,
    Step,
    Steps,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

__all__ = ["FunctionBodyReader"]


class FunctionBodyReader:
    """A reader of the statements of one function."""

    def __init__(self, function: ast.FunctionDef, parameters: Sequence[Parameter]) -> None:
        self.function = function
        taken = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)} | {
            one.name for one in parameters
        }
        self.name_supply = NameSupply(taken)
        self.parameters = {one.name: one for one in parameters}
        self.reader = PythonExpressionReader(parameters, self.name_supply)
        self.returned_list = find_returned_list(function, self.parameters)

    def read_steps(self) -> Steps:
        has_docstring = ast.get_docstring(self.function) is not None
        return self.read_block(self.function.body[has_docstring:])

    def read_block(self, body: Sequence[ast.stmt]) -> Steps:
        return tuple(step for statement in body for step in self.read_statement(statement))

    def read_statement(self, node: ast.stmt) -> list[Step]:
        place = find_place(node)
        match node:
            case ast.Pass():
                return []
            case ast.Break() | ast.Continue():
                return [JumpStep("break" if isinstance(node, ast.Break) else "continue", place)]
            case ast.Assign():
                return self._read_assignment(node, place)
            case ast.AnnAssign() if node.value is not None and isinstance(node.target, ast.Name):
                return self._build_assignment(node.target, node.value, place)
            case ast.AugAssign() if isinstance(node.target, ast.Name):
                if node.target.id == self.returned_list:
                    return self._read_list_extension(node.value, node, place)
                target = ast.Name(
                    node.target.id, ast.Load(), lineno=place.line, col_offset=place.column
                )
                total = ast.BinOp(
                    target, node.op, node.value, lineno=place.line, col_offset=place.column
                )
                return self._build_assignment(node.target, total, place)
            case ast.If():
                condition, draws = self._read_value(node.test)
                return [
                    *draws,
                    BranchStep(
                        condition, self.read_block(node.body), self.read_block(node.orelse), place
                    ),
                ]
            case ast.While() if not node.orelse:
                condition, draws = self._read_value(node.test)
                return [LoopStep(condition, self.read_block(node.body), tuple(draws), (), place)]
            case ast.For() if not node.orelse:
                return self._read_for(node, place)
            case ast.Expr():
                return self._read_expression_statement(node.value, place)
            case ast.Return():
                return [*self._read_return(node.value), JumpStep("return", place)]
        raise refuse_construct(format_node(node).splitlines()[0], place)

    def _read_value(self, node: ast.expr) -> tuple[Expression, list[Sample]]:
        value = self.reader.read(node)
        return value, self.reader.take_draws()

    def _build_assignment(self, target: ast.expr, node: ast.expr, place: Place) -> list[Step]:
        if not isinstance(target, ast.Name):
            raise UnsupportedProgram(
                f"{format_node(target)} cannot be assigned; assign a variable", place
            )
        name = target.id
        value, draws = self._read_value(node)
        if draws and value == Name(draws[-1].name):  # eta = laplace(b) needs no second name
            last = draws.pop()
            return [*draws, replace(last, name=name, place=place)]
        return [*draws, Assign(name, value, place)]

    def _read_assignment(self, node: ast.Assign, place: Place) -> list[Step]:
        target, value = node.targets[0], node.value
        if len(node.targets) > 1:
            steps = self._build_assignment(target, value, place)
            for one in node.targets[1:]:
                steps += self._build_assignment(
                    one,
                    ast.Name(
                        getattr(target, "id", ""), ast.Load(), lineno=place.line, col_offset=0
                    ),
                    place,
                )
            return steps
        if isinstance(target, ast.Name) and target.id == self.returned_list:
            if isinstance(value, ast.List):
                return []
            assert isinstance(value, ast.BinOp)
            return self._read_list_extension(value.right, node, place)
        if isinstance(target, ast.Tuple):
            return self._read_tuple_assignment(target, value, place)
        return self._build_assignment(target, value, place)

    def _read_tuple_assignment(
        self, target: ast.Tuple, value: ast.expr, place: Place
    ) -> list[Step]:
        """Read ``a, b = b, a``; all values are read before any is assigned."""
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
            raise UnsupportedProgram(
                "the right side must have one value for each variable on the left", place
            )
        first: list[Step] = []
        then: list[Step] = []
        for one, node in zip(target.elts, value.elts, strict=True):
            if not isinstance(one, ast.Name):
                raise UnsupportedProgram(
                    f"{format_node(one)} cannot be assigned; assign a variable", place
                )
            held = self.name_supply.make_name(f"{one.id}_next")
            found, draws = self._read_value(node)
            first += [*draws, Assign(held, found, place)]
            then.append(Assign(one.id, Name(held, place), place))
        return [*first, *then]

    def _read_for(self, node: ast.For, place: Place) -> list[Step]:
        if not isinstance(node.target, ast.Name):
            raise UnsupportedProgram("a for-loop must have one variable as its target", place)
        name = node.target.id
        if isinstance(node.iter, ast.Name) and node.iter.id in self.reader.lists:
            start, stop, step = Number(Fraction(0), place), Length(node.iter.id, place), Fraction(1)
            counter = self.name_supply.make_name(f"{name}_place")
            first: tuple[Step, ...] = (
                Assign(name, Read(node.iter.id, Name(counter, place), place), place),
            )
            before: list[Step] = []
        else:
            start, stop, step, before = self._read_range(  # type: ignore[assignment]
                node.iter, node, place
            )
            hidden = self._needs_hidden_counter(name, node)
            counter = self.name_supply.make_name(f"{name}_next") if hidden else name
            first = (Assign(name, Name(counter, place), place),) if hidden else ()
        here = Name(counter, place)
        guard = Apply("<", (here, stop) if step > 0 else (stop, here), place)
        onward = Assign(counter, Apply("+", (here, Number(step, place)), place), place)
        loop = LoopStep(guard, (*first, *self.read_block(node.body)), (), (onward,), place)
        return [*before, Assign(counter, start, place), loop]

    def _needs_hidden_counter(self, name: str, node: ast.For) -> bool:
        """Return whether the loop variable is assigned in the loop or read outside it, so that it
        cannot be the counter itself.
        """
        inside = set(map(id, ast.walk(node)))
        mentions = [
            one
            for one in ast.walk(self.function)
            if isinstance(one, ast.Name) and one.id == name and one is not node.target
        ]
        return any(
            isinstance(one.ctx, ast.Store)
            if id(one) in inside
            else isinstance(one.ctx, ast.Load) and not self._is_owned_elsewhere(one, node)
            for one in mentions
        )

    def _is_owned_elsewhere(self, name: ast.Name, other: ast.For) -> bool:
        """Return whether the name is used in another for-loop over the same variable that does not
        contain ``other``.
        """
        bodies = [
            {id(part) for statement in loop.body for part in ast.walk(statement)}
            for loop in ast.walk(self.function)
            if isinstance(loop, ast.For)
            and isinstance(loop.target, ast.Name)
            and loop.target.id == name.id
        ]
        return any(id(name) in body and id(other) not in body for body in bodies)

    def _read_range(
        self, node: ast.expr, loop: ast.For, place: Place
    ) -> tuple[Expression, Expression, Fraction, list[Step]]:
        if (
            not isinstance(node, ast.Call)
            or find_called_name(node) != "range"
            or node.keywords
            or not 1 <= len(node.args) <= 3
        ):
            raise UnsupportedProgram(
                "a for-loop must iterate over range(…) or over a list parameter", place
            )
        values = [self.reader.read(one) for one in node.args]
        if self.reader.draws:
            raise UnsupportedProgram("range(…) cannot draw noise; draw it before the loop", place)
        step = values[2] if len(values) == 3 else Number(Fraction(1))
        if not isinstance(step, Number) or step.value == 0 or step.value.denominator != 1:
            raise UnsupportedProgram(
                "the step of range(…) must be an integer literal other than 0", place
            )
        start, stop = (
            (Number(Fraction(0), place), values[0]) if len(values) == 1 else (values[0], values[1])
        )
        before: list[Step] = []
        stored = {
            one.id
            for one in ast.walk(loop)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
        mentioned = {
            one.id
            for argument in node.args[:2]
            for one in ast.walk(argument)
            if isinstance(one, ast.Name)
        }
        if mentioned & stored:  # Python evaluates range once; the loop changes its bounds
            end = self.name_supply.make_name("end")
            before.append(Assign(end, stop, place))
            stop = Name(end, place)
        return start, stop, step.value, before

    def _read_expression_statement(self, node: ast.expr, place: Place) -> list[Step]:
        match node:
            case ast.Call(args=[value], keywords=[]) if find_called_name(node) == "output":
                if self.returned_list is not None:
                    raise UnsupportedProgram(
                        "use either output(…) or one returned list, not both", place
                    )
                return self._build_outputs([value], place)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]
            ) if name == self.returned_list:
                return self._build_outputs([value], place)
            case ast.Call(func=ast.Attribute(attr="append"), args=[_]):
                raise UnsupportedProgram(
                    f"{format_node(node)}: append only to a list that starts as [] and is returned"
                    " at the end",
                    place,
                )
        raise UnsupportedProgram(
            f"{format_node(node)} is not a statement of the language; use output(…) or an"
            " assignment",
            place,
        )

    def _read_list_extension(self, added: ast.expr, node: ast.stmt, place: Place) -> list[Step]:
        if not isinstance(added, ast.List):
            raise UnsupportedProgram(
                f"{format_node(node)}: the returned list can only be extended by [value, …]", place
            )
        return self._build_outputs(added.elts, place)

    def _build_outputs(self, values: Sequence[ast.expr], place: Place) -> list[Step]:
        steps: list[Step] = []
        for one in values:
            value, draws = self._read_value(one)
            steps += [*draws, Output(value, place)]
        return steps

    def _read_return(self, node: ast.expr | None) -> list[Step]:
        # each entry of the returned list was output when it was appended
        if node is None or self.returned_list is not None:
            return []
        if isinstance(node, ast.Constant) and node.value is None:
            return []
        values = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        return self._build_outputs(values, find_place(node))
