"""The two ways to read an expression: over the rows of the table, where bounds matter, and over
the noisy results, where types do.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, Literal, NoReturn

from sqlglot import exp

from hedgerow.errors import Refused, Unbounded, Unsupported
from hedgerow.plan.scalar.expressions import Call, Constant, Expression, find_columns
from hedgerow.plan.scalar.functions import FUNCTIONS
from hedgerow.plan.values import Range, Type
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.binder.rule import Refusal, find_filled_args
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.catalog import ColumnName, UndeclaredBounds
from hedgerow.sql.predicates.date_granularity import refuse_finer_granularity
from hedgerow.sql.rules import RULES_BY_NODE
from hedgerow.sql.rules.clauses import REFUSED_CLAUSES
from hedgerow.sql.rules.dp_functions import KNOWN_FUNCTIONS
from hedgerow.sql.syntax.named_arguments import NUMBER
from hedgerow.sql.syntax.quoting import quote_key, quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = [
    "MAX_EXPRESSION_SIZE",
    "RowBinder",
    "build_type_range",
    "check_args",
    "find_functions",
    "suggest_number_declaration",
]

MAX_NESTING: Final = 100  # what walks over the plan later is recursive
MAX_EXPRESSION_SIZE: Final = 10_000
RowClause = Literal["WHERE", "GROUP BY", "an aggregate", "a subquery"]
_AGGREGATE_FIXES: Final[dict[RowClause, str]] = {
    "WHERE": "WHERE picks rows; write conditions on the answer after HAVING.",
    "GROUP BY": "Group by columns; aggregates stand in the SELECT list.",
    "a subquery": "Noise comes last: write it into the outermost SELECT.",
    "an aggregate": "Ask for the parts, and compute with the answer: SUM(x) / COUNT(*).",
}
_TYPE_FIXES: Final = {
    "boolean": "Write a condition, such as x > 0 or x = 'a'.",
    "number": "Use columns that the policy declares as numbers.",
    "text": "Use columns that the policy declares as text.",
    "date": "Use a column that the policy declares as a date, or write DATE '2026-01-31'.",
    "same": (
        "Bring both sides to one type: numbers with numbers, text with text, dates with"
        " '2026-01-31', conditions with TRUE or FALSE."
    ),
}
_ARGUMENT_KINDS: Final = {
    **dict.fromkeys(("and", "or", "not"), "boolean"),
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "in", "case", "coalesce", "nullif"), "same"),
    **dict.fromkeys(
        ("like", "lower", "upper", "trim", "length", "substring", "right", "concat", "starts with"),
        "text",
    ),
    **{
        name: "date"
        for name in FUNCTIONS
        if name.startswith(("start of", "day", "year", "month", "quarter", "add "))
    },
}


def build_type_range(type_: Type, *, null: bool = False) -> Range:
    """A range that says nothing but the type: results are noisy, so their bounds mean nothing,
    and only types are checked.
    """
    if type_ in ("integer", "real"):
        one = Fraction(1)
        return Range(type_, one, one, one if type_ == "integer" else None, () if null else None)
    return Range(type_, values=() if null else None)


def check_args(text: SourceText, node: exp.Expr, *takes: str) -> None:
    """Refuses a node that has parts which nobody looks at."""
    for part in sorted(find_filled_args(node) - set(takes)):
        clause = next((clause for clause in REFUSED_CLAUSES if clause.arg == part), None)
        if clause is None:
            what, instead = (
                f"{node.key.upper()} … {part.strip('_').upper()} is not read",
                "Leave it out.",
            )
            raise text.refusal(Unsupported, what, node, instead)
        inner = node.args[part][0] if isinstance(node.args[part], list) else node.args[part]
        where = text.find_word(*clause.words) if clause.words else None
        instead = (_suggest_join(text, node) if part == "query" else None) or clause.fix
        raise text.refusal(
            Unsupported,
            clause.problem,
            where or (inner if isinstance(inner, exp.Expr) else node),
            instead,
        )


def _suggest_join(text: SourceText, node: exp.Expr) -> str | None:
    """x IN (SELECT x … GROUP BY x HAVING …) as a join; None where it is something else."""
    rows = node.args["query"].unnest()
    keys = (
        rows.args["group"].expressions
        if isinstance(rows, exp.Select) and rows.args.get("group")
        else []
    )
    columns = [node.this, *rows.expressions, *keys] if len(keys) == 1 else []
    if (
        len(columns) != 3
        or not all(isinstance(one, exp.Column) for one in columns)
        or len({one.name.casefold() for one in columns}) > 1
    ):
        return None
    return (
        f"Join it in FROM: JOIN ({text.format_node(rows)}) AS d USING"
        f" ({quote_name(columns[0].name)})."
    )


class RowBinder:
    """Reads WHERE, keys and the arguments of aggregates. ``place`` is the clause, for messages."""

    def __init__(self, scope: Scope, place: RowClause = "WHERE") -> None:
        self.scope = scope
        self.clause = place
        self._depth = 0

    @property
    def text(self) -> SourceText:
        """What was written."""
        return self.scope.text

    def bind(self, node: Any) -> TypedExpression:
        """The meaning of a node, by its rule."""
        if not isinstance(node, exp.Expr):
            raise self.scope.text.refusal(
                Unsupported, "Something is missing here", None, "Write SELECT … FROM table."
            )
        rule = RULES_BY_NODE.get(type(node))
        if rule is None:
            what = (
                "This function is not read"
                if isinstance(node, exp.Func)
                else f"{node.key.upper()} is not read"
            )
            self.refuse(node, what, f"The functions are {', '.join(KNOWN_FUNCTIONS)}.")
        if isinstance(rule, Refusal):
            self.refuse(node, rule.problem, rule.fix)
        check_args(self.scope.text, node, *rule.allowed_args)
        self._depth += 1
        if self._depth > MAX_NESTING:
            self.refuse(
                node,
                f"This expression is nested more than {MAX_NESTING} deep",
                "Write it flatter, or ask for its parts.",
            )
        found = rule.bind(node, self)
        self._depth -= 1
        return found

    def apply(self, node: exp.Expr, function: str, *arguments: TypedExpression) -> TypedExpression:
        """A function of the plan; what it says about types and bounds is told at the place where
        it happens.
        """
        size = 1 + sum(argument.size for argument in arguments)
        if size > MAX_EXPRESSION_SIZE:
            self.refuse(
                node,
                f"This expression has more than {MAX_EXPRESSION_SIZE} parts",
                "Ask for something simpler.",
            )
        kind = _ARGUMENT_KINDS.get(function, "number")
        if kind == "number" and any(argument.is_null for argument in arguments):
            self.refuse(node, "With NULL in it, this is always NULL", "Leave it out.")
        try:
            result = self._compute_range(function, arguments)
        except Unbounded:
            raise self.build_unbounded_error(node, "and arithmetic needs them", arguments) from None
        except Refused as error:
            self.refuse(
                node,
                str(error).rstrip("."),
                _suggest_number(self.scope, arguments) or _TYPE_FIXES[kind],
            )
        refuse_finer_granularity(
            self.text, node, function, [(self.scope.rows, argument) for argument in arguments]
        )
        work = size + sum(argument.work for argument in arguments)
        return TypedExpression(
            Call(function, tuple(argument.expression for argument in arguments)), result, size, work
        )

    def _compute_range(self, function: str, arguments: Sequence[TypedExpression]) -> Range:
        return FUNCTIONS[function].infer_range([argument.range for argument in arguments])

    def bind_column(self, node: exp.Column) -> TypedExpression:
        """A column of the table."""
        return self.check_selectable(node, self.scope.resolve_column(node)).value

    def check_selectable(self, node: exp.Expr, visible: ColumnReference) -> ColumnReference:
        """The column itself, unless it says whose row it is."""
        if visible.may_be_missing:
            what = f"{visible.name} may be missing here, behind a LEFT JOIN"
            self.refuse(node, what, _suggest_left_side(self.scope, node, visible))
        if visible.is_privacy_id:
            what = f"{visible.name} says whose rows these are, and is no column of questions"
            one = f"COUNT(DISTINCT {quote_name(visible.name)})"
            condition = _find_case_condition(node)
            people = f"Ask about everybody: COUNT(*), {one}, or a subquery with GROUP BY on it."
            self.refuse(
                node,
                what,
                (
                    people
                    if condition is None
                    else f"Write {one} FILTER (WHERE {self.text.format_node(condition)})."
                ),
            )
        return visible

    def bind_aggregate(self, asked: AggregateSyntax) -> TypedExpression:
        """Never: rows come before aggregates."""
        self.refuse(
            asked.node,
            f"{asked.name} has no place inside {self.clause}",
            _AGGREGATE_FIXES[self.clause],
        )

    def bind_interval(self, node: exp.Expr, argument: exp.Expr, end: str) -> TypedExpression:  # noqa: ARG002
        """Never: intervals are about the answer."""
        self.refuse(
            node, f"An interval has no place inside {self.clause}", _AGGREGATE_FIXES[self.clause]
        )

    def refuse(self, node: exp.Expr, what: str, instead: str) -> NoReturn:
        """Refuses, with the node underlined."""
        raise self.scope.text.refusal(Unsupported, what, node, instead)

    def build_unbounded_error(
        self, node: exp.Expr, why: str, arguments: Sequence[TypedExpression]
    ) -> Refused:
        """Names the columns without bounds and the lines of the policy that are missing."""
        columns = find_unbounded_columns(
            self.scope, [argument.expression for argument in arguments]
        )
        made = next((visible for visible in columns if visible.origin is None), None)
        if made is not None:
            instead = (
                f"Clamp it, to bounds of your choice: LEAST(GREATEST({quote_name(made.name)}, 0),"
                " 500)."
            )
            return self.scope.text.refusal(
                Unbounded, f"{made.name} has no bounds, {why}", node, instead
            )
        if not columns and any(
            "length" in find_functions(argument.expression) for argument in arguments
        ):
            what = f"How long texts are is not known, {why}"
            return self.scope.text.refusal(
                Unbounded,
                what,
                node,
                "Clamp it, to a length of your choice: LEAST(LENGTH(x), 100).",
            )
        if not columns:
            what = (
                "This may become arbitrarily large, since something is divided by what may be 0 (or"
                " is the logarithm of it)"
            )
            return self.scope.text.refusal(
                Unbounded,
                what,
                node,
                "Keep it away from 0: x / GREATEST(y, 1), LN(GREATEST(y, 1)).",
            )
        found = {
            visible.plan_column: name
            for visible in columns
            if (name := _find_auto_bounds_column(self.scope, visible)) is not None
        }
        others = [visible for visible in columns if visible.plan_column not in found]
        names = " and ".join(visible.name for visible in others or columns)
        what = f"{names} {'has' if len(others or columns) == 1 else 'have'} no bounds, {why}"
        if not others:
            return UndeclaredBounds(what, dict.fromkeys(found.values()))
        return self.scope.text.refusal(Unbounded, what, node, _suggest_declarations(others))


def _suggest_left_side(scope: Scope, node: exp.Expr, visible: ColumnReference) -> str:
    """What to write instead of the id of a table that a LEFT JOIN adds: most ask with it who has
    no row there, or for the rows.
    """
    left = next(
        (one for one in scope.columns if one.is_privacy_id and not one.may_be_missing), None
    )
    table = dict(scope.sources).get(visible.alias, "")
    if isinstance(node.parent, exp.Is) and left is not None and table in dict(scope.tables):
        own = (
            f"{quote_name(left.alias)}.{quote_name(left.name)}"
            if left.alias
            else quote_name(left.name)
        )
        rows = f"(SELECT {quote_name(visible.name)} FROM {quote_name(table)})"
        return (
            f"Without the LEFT JOIN, those who have no row there are found by {own} NOT IN {rows},"
            " those who have one by IN."
        )
    if isinstance(node.parent, exp.Count):
        return (
            "Write JOIN in place of LEFT JOIN, and COUNT(*); or count another column of that table."
        )
    return f"Use the {quote_name(visible.name)} of the table on the left."


def _find_case_condition(node: exp.Expr) -> exp.Expr | None:
    """The condition of COUNT(DISTINCT CASE WHEN condition THEN id END)."""
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


def _suggest_number(scope: Scope, arguments: Sequence[TypedExpression]) -> str | None:
    """What makes a number of a text beside numbers: it is written without quotes, or the policy
    has a line for its column.
    """
    numbers = [argument.type for argument in arguments if argument.type in ("integer", "real")]
    written = [
        argument.expression.value
        for argument in arguments
        if argument.type == "text" and isinstance(argument.expression, Constant)
    ]
    if numbers and len(numbers) < len(arguments) and written and NUMBER.fullmatch(str(written[0])):
        return f"Numbers take no quotes: write {written[0]}."
    line = suggest_number_declaration(
        scope,
        [argument for argument in arguments if argument.type == "text"],
        "real" if "real" in numbers else "integer",
    )
    return f"{line}; else compare it with 'text'." if numbers and line is not None else None


def suggest_number_declaration(
    scope: Scope, values: Sequence[TypedExpression], kind: str, bounds: str = ""
) -> str | None:
    """The line of the policy that makes numbers of text: columns of a .csv file are text where
    it says nothing of them.
    """
    names = [
        name for value in values if value.type == "text" for name in find_columns(value.expression)
    ]
    found = [
        visible
        for name in names
        if (visible := scope.find_plan_column(name)) is not None and _can_be_numbers(visible)
    ]
    if not found or found[0].origin is None:
        return None
    table, column = found[0].origin
    line = f'{quote_key(column.name)} = {{ type = "{kind}"{bounds} }}'
    return (
        f"If {column.name} holds numbers, declare so in the policy, under [tables.{table}.columns]:"
        f" {line}"
    )


def _can_be_numbers(visible: ColumnReference) -> bool:
    """Nothing is known of the text; or its values are, and all spell numbers, as in the .csv
    file of a public table.
    """
    values = visible.range.values
    return values is None or all(NUMBER.fullmatch(str(value)) for value in values)


def find_unbounded_columns(
    scope: Scope, expressions: Sequence[Expression]
) -> list[ColumnReference]:
    """The columns in these that are numbers or dates without bounds."""
    names = dict.fromkeys(name for expression in expressions for name in find_columns(expression))
    columns = [visible for name in names if (visible := scope.find_plan_column(name)) is not None]
    return [
        visible
        for visible in columns
        if visible.range.type in _BOUNDED_TYPES and not visible.range.is_bounded
    ]


def _find_auto_bounds_column(scope: Scope, visible: ColumnReference) -> ColumnName | None:
    """The table and the column whose bounds may be found. What says whose a row is stays as it
    is: clamped, strangers would be one.
    """
    if visible.origin is None or visible.owner is not None:
        return None
    table, column = visible.origin
    entry = dict(scope.tables).get(table)
    return (table, column.name) if entry is not None and entry.can_find_bounds(column) else None


def _suggest_declarations(columns: Sequence[ColumnReference]) -> str:
    """The lines of the policy that are missing, and what an analyst can write who has no say in
    it.
    """
    lines: dict[str, list[str]] = {}
    numbers = []
    for table, column in (visible.origin for visible in columns if visible.origin is not None):
        bounds = (
            "min = …, max = …"
            if column.type in ("integer", "real")
            else f'values = "{_EXAMPLE_DAYS[0]} … {_EXAMPLE_DAYS[1]}"'
        )
        lines.setdefault(table, []).append(
            f'{quote_key(column.name)} = {{ type = "{column.type}", {bounds} }}'
        )
        numbers += [table] if column.type in ("integer", "real") else []
    told = "; and ".join(
        f"under [tables.{table}.columns]: {'; '.join(dict.fromkeys(each))}"
        for table, each in lines.items()
    )
    told = f"Declare them in the policy, {told}"
    if any(visible.owner is not None for visible in columns):
        return f"{told}."
    first = columns[0]
    ends = (
        tuple(f"DATE '{day}'" for day in _EXAMPLE_DAYS)
        if first.range.type == "date"
        else ("0", "500")
    )
    told += (
        "; or clamp in the question, to bounds of your choice:"
        f" LEAST(GREATEST({quote_name(first.name)}, {ends[0]}), {ends[1]})"
    )
    if len(numbers) < len(columns):
        return f"{told}."
    tables = " and ".join(f"[tables.{table}]" for table in dict.fromkeys(numbers))
    return (
        f"{told}; or write auto_bounds = true under {tables}: they are then found privately, and"
        " paid for."
    )


def find_functions(expression: Expression) -> set[str]:
    """The functions that an expression applies."""
    if not isinstance(expression, Call):
        return set()
    return {expression.function}.union(*map(find_functions, expression.arguments))


_BOUNDED_TYPES: Final = ("integer", "real", "date")
_EXAMPLE_DAYS: Final = ("2026-01-01", "2026-12-31")
