"""Binding of expressions over rows, where types and bounds matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any, Final, Literal, NoReturn

from sqlglot import exp

from hedgerow.errors import Refused, Unbounded, Unsupported
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Expression
from hedgerow.plan.scalar.functions import FUNCTIONS
from hedgerow.plan.scalar.timestamps import TIMESTAMP_FUNCTIONS
from hedgerow.plan.values import Range, Type
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.binder.declaration_hints import (
    find_auto_bounds_column,
    find_max_length,
    find_unbounded_columns,
    suggest_bounds,
    suggest_max_length,
    suggest_number,
)
from hedgerow.sql.binder.rule import Refusal, find_filled_args
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.catalog import UndeclaredBounds
from hedgerow.sql.predicates.date_granularity import refuse_finer_granularity
from hedgerow.sql.rules import RULES_BY_NODE
from hedgerow.sql.rules.clauses import REFUSED_CLAUSES
from hedgerow.sql.rules.dp_functions import KNOWN_FUNCTIONS
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = [
    "MAX_EXPRESSION_SIZE",
    "RowBinder",
    "build_type_range",
    "check_args",
    "find_functions",
]

MAX_NESTING: Final = 100  # later stages walk expressions recursively
MAX_EXPRESSION_SIZE: Final = 10_000
RowClause = Literal["WHERE", "GROUP BY", "an aggregate", "a subquery"]
_AGGREGATE_FIXES: Final[dict[RowClause, str]] = {
    "WHERE": "Put conditions on aggregates into HAVING: WHERE filters rows.",
    "GROUP BY": "Group by columns, and put aggregates into the SELECT list.",
    "a subquery": "Put it into the outermost SELECT: noise is added last.",
    "an aggregate": "Combine aggregates instead of nesting them: SUM(x) / COUNT(*).",
}
_TYPE_FIXES: Final = {
    "boolean": "Write a condition, such as x > 0 or x = 'a'.",
    "number": "Use columns that the policy declares as numbers.",
    "text": "Use columns that the policy declares as text.",
    "date": "Use a column that the policy declares as a date, or write DATE '2026-01-31'.",
    "timestamp": (
        "Use a column that the policy declares as a timestamp, or write"
        " TIMESTAMP '2026-01-31 09:30:00'."
    ),
    "same": (
        "Compare values of one type: numbers with numbers, text with text, dates with"
        " '2026-01-31', conditions with TRUE or FALSE."
    ),
}
_PUBLIC_CONDITION: Final = (
    "This condition on a public table is not supported",
    "Compare columns: x IN (SELECT y FROM …), or EXISTS with equalities only; or join the table.",
)
_MAX_SHOWN: Final = 60  # characters of an expression in the first line of a refusal
_LENGTHS: Final = frozenset({"length", "position"})
_UNBOUNDED_CAST: Final = (
    "the numbers or dates in a text are not known",
    "Clamp them to bounds of your choice: LEAST(GREATEST(CAST(x AS INTEGER), 0), 100).",
)
_UNBOUNDED_FUNCTIONS: Final = (
    (_LENGTHS, ("the length of text is not known", "")),
    ({"parse integer", "parse real", "parse date", "parse timestamp"}, _UNBOUNDED_CAST),
)
_UNBOUNDED_QUOTIENT: Final = (
    "it has none where a divisor or the argument of LN may be 0",
    "Keep it away from 0: x / GREATEST(y, 1), LN(GREATEST(y, 1)).",
)
_MIXABLE_FUNCTIONS: Final = frozenset(
    ("=", "<>", "<", "<=", ">", ">=", "in", "case", "coalesce", "nullif", "least", "greatest")
)
_ARGUMENT_KINDS: Final = {
    **dict.fromkeys(("and", "or", "not"), "boolean"),
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "in", "case", "coalesce", "nullif"), "same"),
    **dict.fromkeys(
        (
            "like",
            "position",
            "matches pattern",
            "extract pattern",
            "replace pattern",
            "lower",
            "upper",
            "trim",
            "length",
            "substring",
            "right",
            "concat",
            "starts with",
            "parse integer",
            "parse real",
            "parse date",
            "parse timestamp",
        ),
        "text",
    ),
    **{
        name: "date"
        for name in FUNCTIONS
        if name.startswith(("start of", "day", "year", "month", "quarter", "add "))
    },
    **dict.fromkeys((*TIMESTAMP_FUNCTIONS, "to date"), "timestamp"),
}


def build_type_range(type_: Type, *, null: bool = False) -> Range:
    """Build a range that has a type only: noisy results have no bounds."""
    if type_ in ("integer", "real"):
        one = Fraction(1)
        return Range(type_, one, one, one if type_ == "integer" else None, () if null else None)
    return Range(type_, values=() if null else None)


def check_args(text: SourceText, node: exp.Expr, *takes: str) -> None:
    """Refuse a node with arguments that no rule reads."""
    for part in sorted(find_filled_args(node) - set(takes)):
        clause = next((clause for clause in REFUSED_CLAUSES if clause.arg == part), None)
        if clause is None:
            problem, fix = (
                f"{node.key.upper()} … {part.strip('_').upper()} is not supported",
                "Leave it out.",
            )
            raise text.refusal(Unsupported, problem, node, fix)
        inner = node.args[part][0] if isinstance(node.args[part], list) else node.args[part]
        where = text.find_word(*clause.words) if clause.words else None
        raise text.refusal(
            Unsupported,
            clause.problem,
            where or (inner if isinstance(inner, exp.Expr) else node),
            clause.fix,
        )


class RowBinder:
    """A binder for WHERE, keys and the arguments of aggregates; ``clause`` is for messages."""

    def __init__(self, scope: Scope, place: RowClause = "WHERE") -> None:
        self.scope = scope
        self.clause = place
        self._depth = 0

    @property
    def text(self) -> SourceText:
        """The source text."""
        return self.scope.text

    def bind(self, node: Any) -> TypedExpression:
        """Bind a node by its rule."""
        if not isinstance(node, exp.Expr):
            raise self.scope.text.refusal(
                Unsupported, "The SELECT is incomplete", None, "Write SELECT … FROM table."
            )
        if node.meta.get("public"):
            self.refuse(node, *_PUBLIC_CONDITION)
        rule = RULES_BY_NODE.get(type(node))
        if rule is None:
            problem = (
                "This function is not supported"
                if isinstance(node, exp.Func)
                else f"{node.key.upper()} is not supported"
            )
            self.refuse(node, problem, f"The functions are {', '.join(KNOWN_FUNCTIONS)}.")
        if isinstance(rule, Refusal):
            self.refuse(node, rule.problem, rule.fix)
        check_args(self.scope.text, node, *rule.allowed_args)
        self._depth += 1
        if self._depth > MAX_NESTING:
            self.refuse(
                node,
                f"This expression is nested more than {MAX_NESTING} levels deep",
                "Simplify it, or ask for its parts separately.",
            )
        found = rule.bind(node, self)
        self._depth -= 1
        return found

    def apply(self, node: exp.Expr, function: str, *arguments: TypedExpression) -> TypedExpression:
        """Apply a function of the plan; refuse arguments whose types or bounds do not fit."""
        arguments = self._align_times(node, function, arguments)
        size = 1 + sum(argument.size for argument in arguments)
        if size > MAX_EXPRESSION_SIZE:
            self.refuse(
                node,
                f"This expression has more than {MAX_EXPRESSION_SIZE} parts",
                "Simplify it, or ask for its parts separately.",
            )
        kind = _ARGUMENT_KINDS.get(function, "number")
        if kind == "number" and any(argument.is_null for argument in arguments):
            self.refuse(node, "One operand is NULL, so this is always NULL", "Leave it out.")
        try:
            result = self._compute_range(function, arguments)
        except Unbounded:
            raise self.build_unbounded_error(node, arguments) from None
        except Refused as error:
            self.refuse(
                node,
                str(error).rstrip("."),
                suggest_number(self.scope, arguments) or _TYPE_FIXES[kind],
            )
        refuse_finer_granularity(
            self.text, node, function, [(self.scope.rows, argument) for argument in arguments]
        )
        work = size + sum(argument.work for argument in arguments)
        return TypedExpression(
            Call(function, tuple(argument.expression for argument in arguments)), result, size, work
        )

    def _align_times(
        self, node: exp.Expr, function: str, arguments: tuple[TypedExpression, ...]
    ) -> tuple[TypedExpression, ...]:
        """Convert dates among timestamps to their midnights."""
        if function not in _MIXABLE_FUNCTIONS or not {"date", "timestamp"} <= {
            argument.type for argument in arguments
        }:
            return arguments
        return tuple(
            self.apply(node, "to timestamp", argument) if argument.type == "date" else argument
            for argument in arguments
        )

    def _compute_range(self, function: str, arguments: Sequence[TypedExpression]) -> Range:
        return FUNCTIONS[function].infer_range([argument.range for argument in arguments])

    def bind_column(self, node: exp.Column) -> TypedExpression:
        """Bind a column of the rows."""
        return self.check_selectable(node, self.scope.resolve_column(node)).value

    def bind_presence(self, node: exp.Expr) -> TypedExpression:
        """Bind an operand of IS NULL or COUNT: NULL where it is, but never the privacy id itself.

        Whether a LEFT JOIN left an id NULL depends on the rows of one unit.
        """
        column = self.scope.find_bare_column(node)
        if column is None or not column.is_privacy_id:
            return self.bind(node)
        return column.presence

    def check_selectable(self, node: exp.Expr, visible: ColumnReference) -> ColumnReference:
        """Return a column, unless it is the privacy id."""
        if visible.may_be_missing:
            self.refuse(
                node,
                f"{visible.name} may be NULL here because of the LEFT JOIN",
                f"Use {quote_name(visible.name)} of the left table, or test whether it IS NULL.",
            )
        if visible.is_privacy_id:
            problem = (
                f"{visible.name} is {visible.role}. It cannot be selected, filtered or aggregated"
            )
            names = [quote_name(each.name) for each in self.scope.list_id_parts(visible)]
            name = f"({', '.join(names)})" if len(names) > 1 else names[0]
            condition = _find_case_condition(node)
            fix = (
                f"Use COUNT(*), COUNT(DISTINCT {name}), or a subquery with GROUP BY"
                f" {', '.join(names)}."
                if condition is None
                else f"Write COUNT(DISTINCT {name}) FILTER (WHERE"
                f" {self.text.format_node(condition)})."
            )
            self.refuse(node, problem, fix)
        return visible

    def bind_aggregate(self, asked: AggregateSyntax) -> TypedExpression:
        """Refuse an aggregate: rows come before aggregates."""
        self.refuse(
            asked.node,
            f"{asked.name} is not allowed inside {self.clause}",
            _AGGREGATE_FIXES[self.clause],
        )

    def bind_interval(
        self,
        node: exp.Expr,
        argument: exp.Expr,  # noqa: ARG002
        end: str,  # noqa: ARG002
    ) -> TypedExpression:
        """Refuse an interval: only answers have intervals."""
        self.refuse(
            node,
            f"A confidence interval is not allowed inside {self.clause}",
            _AGGREGATE_FIXES[self.clause],
        )

    def find_as_of(self, node: exp.Expr) -> date:
        """Return the moment that the policy declares as the present of the tables."""
        return self.scope.find_as_of(node)

    def find_max_length(self, text: TypedExpression) -> int | None:
        """Return the declared length of the texts of a column."""
        return find_max_length(self.scope, text.expression)

    def replace_keys(
        self,
        node: exp.Expr,
        expression: Expression,
        names: Mapping[Expression, Expression],
        example: str,
    ) -> Expression:
        """Replace keys by the columns that hold them and resolve results; refuse any other
        column."""
        if expression in names:
            return names[expression]
        if isinstance(expression, Call):
            parts = (self.replace_keys(node, part, names, example) for part in expression.arguments)
            return Call(expression.function, tuple(parts))
        if not isinstance(expression, ColumnRef):
            return expression
        if expression.column.startswith("\0"):
            return ColumnRef(expression.column[1:])
        visible = self.scope.find_plan_column(expression.column)
        name = expression.column if visible is None else visible.name
        where = (
            part for part in node.find_all(exp.Column) if part.name.casefold() == name.casefold()
        )
        return self.refuse(
            next(where, node),
            f"{name} is neither in GROUP BY nor inside an aggregate",
            f"Add it to GROUP BY, or aggregate it, as in {example}({name}).",
        )

    def refuse(self, node: exp.Expr, problem: str, fix: str) -> NoReturn:
        """Raise a refusal that underlines the node."""
        raise self.scope.text.refusal(Unsupported, problem, node, fix)

    def build_unbounded_error(
        self, node: exp.Expr, arguments: Sequence[TypedExpression]
    ) -> Refused:
        """Return the refusal of a node that needs bounds, with the bounds that are missing."""
        expressions = [argument.expression for argument in arguments]
        columns = find_unbounded_columns(self.scope, expressions)
        problem = f"{self.text.format_node(node, _MAX_SHOWN)} needs bounds"
        derived = next((visible for visible in columns if visible.origin is None), None)
        if derived is not None:
            clamped = f"LEAST(GREATEST({quote_name(derived.name)}, 0), 500)"
            fix = f"Clamp {derived.name} to bounds of your choice: {clamped}."
            return self.text.refusal(Unbounded, problem, node, fix)
        if not columns:
            used = set().union(*map(find_functions, expressions))
            why, fix = next(
                (reason for functions, reason in _UNBOUNDED_FUNCTIONS if used & functions),
                _UNBOUNDED_QUOTIENT,
            )
            if used & _LENGTHS:
                fix = suggest_max_length(self.scope, expressions)
            return self.text.refusal(Unbounded, f"{problem}: {why}", node, fix)
        findable = {
            visible.plan_column: name
            for visible in columns
            if (name := find_auto_bounds_column(self.scope, visible)) is not None
        }
        undeclared = [visible for visible in columns if visible.plan_column not in findable]
        if not undeclared:
            return UndeclaredBounds(problem, dict.fromkeys(findable.values()))
        return self.text.refusal(Unbounded, problem, node, suggest_bounds(self.scope, undeclared))


def _find_case_condition(node: exp.Expr) -> exp.Expr | None:
    """Return the condition of COUNT(DISTINCT CASE WHEN condition THEN id END)."""
    choice = node.parent
    case = (
        choice.parent
        if isinstance(choice, exp.If) and isinstance(choice.parent, exp.Case)
        else choice
    )
    if (
        not isinstance(choice, exp.If)
        or case is None
        or choice.args.get("true") is not node
        or not isinstance(case.parent, exp.Distinct)
    ):
        return None
    plain = case is choice or (len(case.args["ifs"]) == 1 and case.args.get("this") is None)
    others = choice.args.get("false") if case is choice else case.args.get("default")
    return choice.this if plain and (others is None or isinstance(others, exp.Null)) else None


def find_functions(expression: Expression) -> set[str]:
    """Return the functions in an expression."""
    if not isinstance(expression, Call):
        return set()
    return {expression.function}.union(*map(find_functions, expression.arguments))
