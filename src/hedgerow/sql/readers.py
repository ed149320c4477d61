"""The two ways to read an expression: over the rows of the table, where bounds matter, and over the noisy results, where types do."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, Literal, NoReturn

from sqlglot import exp

from hedgerow.errors import Refused, Unbounded, Unsupported
from hedgerow.plan.expressions import Call, Constant, Expression, reads
from hedgerow.plan.functions import FUNCTIONS
from hedgerow.plan.values import Range, Type
from hedgerow.sql.asked import Asked
from hedgerow.sql.catalog import Name, Unfound
from hedgerow.sql.grain import refuse_finer
from hedgerow.sql.named import NUMBER
from hedgerow.sql.quoting import declared, quoted
from hedgerow.sql.rule import Refusal, filled
from hedgerow.sql.rules import BY_NODE
from hedgerow.sql.rules.clauses import CLAUSES
from hedgerow.sql.rules.intervals import KNOWN
from hedgerow.sql.scope import Scope, Visible
from hedgerow.sql.text import Text
from hedgerow.sql.typed import Typed

__all__ = ["MAX_PARTS", "RowReader", "as_numbers", "functions", "only", "type_only"]

MAX_NESTING: Final = 100  # what walks over the plan later is recursive
MAX_PARTS: Final = 10_000
Place = Literal["WHERE", "GROUP BY", "an aggregate", "a subquery"]
_NO_RESULTS: Final[dict[Place, str]] = {
    "WHERE": "WHERE picks rows; write conditions on the answer after HAVING.",
    "GROUP BY": "Group by columns; aggregates stand in the SELECT list.",
    "a subquery": "Noise comes last: write it into the outermost SELECT.",
    "an aggregate": "Ask for the parts, and compute with the answer: SUM(x) / COUNT(*).",
}
_INSTEAD: Final = {
    "boolean": "Write a condition, such as x > 0 or x = 'a'.",
    "number": "Use columns that the policy declares as numbers.",
    "text": "Use columns that the policy declares as text.",
    "date": "Use a column that the policy declares as a date, or write DATE '2026-01-31'.",
    "same": "Bring both sides to one type: numbers with numbers, text with text, dates with '2026-01-31', conditions with TRUE or FALSE.",
}
_KINDS: Final = {
    **dict.fromkeys(("and", "or", "not"), "boolean"),
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "in", "case", "coalesce", "nullif"), "same"),
    **dict.fromkeys(("like", "lower", "upper", "trim", "length", "substring", "right", "concat", "starts with"), "text"),
    **{name: "date" for name in FUNCTIONS if name.startswith(("start of", "day", "year", "month", "quarter", "add "))},
}


def type_only(type_: Type, *, null: bool = False) -> Range:
    """A range that says nothing but the type: results are noisy, so their bounds mean nothing, and only types are checked."""
    if type_ in ("integer", "real"):
        one = Fraction(1)
        return Range(type_, one, one, one if type_ == "integer" else None, () if null else None)
    return Range(type_, values=() if null else None)


def only(text: Text, node: exp.Expr, *takes: str) -> None:
    """Refuses a node that has parts which nobody looks at."""
    for part in sorted(filled(node) - set(takes)):
        clause = next((clause for clause in CLAUSES if clause.part == part), None)
        if clause is None:
            what, instead = f"{node.key.upper()} … {part.strip('_').upper()} is not read", "Leave it out."
            raise text.refusal(Unsupported, what, node, instead)
        inner = node.args[part][0] if isinstance(node.args[part], list) else node.args[part]
        where = text.word(*clause.words) if clause.words else None
        instead = (_joined(text, node) if part == "query" else None) or clause.instead
        raise text.refusal(Unsupported, clause.what, where or (inner if isinstance(inner, exp.Expr) else node), instead)


def _joined(text: Text, node: exp.Expr) -> str | None:
    """x IN (SELECT x … GROUP BY x HAVING …) as a join; None where it is something else."""
    rows = node.args["query"].unnest()
    keys = rows.args["group"].expressions if isinstance(rows, exp.Select) and rows.args.get("group") else []
    columns = [node.this, *rows.expressions, *keys] if len(keys) == 1 else []
    if len(columns) != 3 or not all(isinstance(one, exp.Column) for one in columns) or len({one.name.casefold() for one in columns}) > 1:
        return None
    return f"Join it in FROM: JOIN ({text.cut(rows)}) AS d USING ({quoted(columns[0].name)})."


class RowReader:
    """Reads WHERE, keys and the arguments of aggregates. ``place`` is the clause, for messages."""

    def __init__(self, scope: Scope, place: Place = "WHERE") -> None:
        self.scope = scope
        self.place = place
        self._depth = 0

    @property
    def text(self) -> Text:
        """What was written."""
        return self.scope.text

    def read(self, node: Any) -> Typed:
        """The meaning of a node, by its rule."""
        if not isinstance(node, exp.Expr):
            raise self.scope.text.refusal(Unsupported, "Something is missing here", None, "Write SELECT … FROM table.")
        rule = BY_NODE.get(type(node))
        if rule is None:
            what = "This function is not read" if isinstance(node, exp.Func) else f"{node.key.upper()} is not read"
            self.refuse(node, what, f"The functions are {', '.join(KNOWN)}.")
        if isinstance(rule, Refusal):
            self.refuse(node, rule.what, rule.instead)
        only(self.scope.text, node, *rule.takes)
        self._depth += 1
        if self._depth > MAX_NESTING:
            self.refuse(node, f"This expression is nested more than {MAX_NESTING} deep", "Write it flatter, or ask for its parts.")
        found = rule.read(node, self)
        self._depth -= 1
        return found

    def call(self, node: exp.Expr, function: str, *arguments: Typed) -> Typed:
        """A function of the plan; what it says about types and bounds is told at the place where it happens."""
        size = 1 + sum(argument.size for argument in arguments)
        if size > MAX_PARTS:
            self.refuse(node, f"This expression has more than {MAX_PARTS} parts", "Ask for something simpler.")
        kind = _KINDS.get(function, "number")
        if kind == "number" and any(argument.is_null for argument in arguments):
            self.refuse(node, "With NULL in it, this is always NULL", "Leave it out.")
        try:
            result = self._result(function, arguments)
        except Unbounded:
            raise self.unbounded(node, "and arithmetic needs them", arguments) from None
        except Refused as error:
            self.refuse(node, str(error).rstrip("."), _declared_otherwise(self.scope, arguments) or _INSTEAD[kind])
        refuse_finer(self.text, node, function, [(self.scope.rows, argument) for argument in arguments])
        work = size + sum(argument.work for argument in arguments)
        return Typed(Call(function, tuple(argument.expression for argument in arguments)), result, size, work)

    def _result(self, function: str, arguments: Sequence[Typed]) -> Range:
        return FUNCTIONS[function].result([argument.range for argument in arguments])

    def column(self, node: exp.Column) -> Typed:
        """A column of the table."""
        return self.shown(node, self.scope.column(node)).value

    def shown(self, node: exp.Expr, visible: Visible) -> Visible:
        """The column itself, unless it says whose row it is."""
        if visible.lost:
            what = f"{visible.name} may be missing here, behind a LEFT JOIN"
            self.refuse(node, what, _without(self.scope, node, visible))
        if visible.is_unit:
            what = f"{visible.name} says whose rows these are, and is no column of questions"
            one = f"COUNT(DISTINCT {quoted(visible.name)})"
            condition = _condition(node)
            people = f"Ask about everybody: COUNT(*), {one}, or a subquery with GROUP BY on it."
            self.refuse(node, what, people if condition is None else f"Write {one} FILTER (WHERE {self.text.cut(condition)}).")
        return visible

    def aggregate(self, asked: Asked) -> Typed:
        """Never: rows come before aggregates."""
        self.refuse(asked.node, f"{asked.name} has no place inside {self.place}", _NO_RESULTS[self.place])

    def interval(self, node: exp.Expr, argument: exp.Expr, end: str) -> Typed:  # noqa: ARG002
        """Never: intervals are about the answer."""
        self.refuse(node, f"An interval has no place inside {self.place}", _NO_RESULTS[self.place])

    def refuse(self, node: exp.Expr, what: str, instead: str) -> NoReturn:
        """Refuses, with the node underlined."""
        raise self.scope.text.refusal(Unsupported, what, node, instead)

    def unbounded(self, node: exp.Expr, why: str, arguments: Sequence[Typed]) -> Refused:
        """Names the columns without bounds and the lines of the policy that are missing."""
        columns = unbounded_columns(self.scope, [argument.expression for argument in arguments])
        made = next((visible for visible in columns if visible.origin is None), None)
        if made is not None:
            instead = f"Clamp it, to bounds of your choice: LEAST(GREATEST({quoted(made.name)}, 0), 500)."
            return self.scope.text.refusal(Unbounded, f"{made.name} has no bounds, {why}", node, instead)
        if not columns and any("length" in functions(argument.expression) for argument in arguments):
            what = f"How long texts are is not known, {why}"
            return self.scope.text.refusal(Unbounded, what, node, "Clamp it, to a length of your choice: LEAST(LENGTH(x), 100).")
        if not columns:
            what = "This may become arbitrarily large, since something is divided by what may be 0 (or is the logarithm of it)"
            return self.scope.text.refusal(Unbounded, what, node, "Keep it away from 0: x / GREATEST(y, 1), LN(GREATEST(y, 1)).")
        found = {visible.column: name for visible in columns if (name := _findable(self.scope, visible)) is not None}
        others = [visible for visible in columns if visible.column not in found]
        names = " and ".join(visible.name for visible in others or columns)
        what = f"{names} {'has' if len(others or columns) == 1 else 'have'} no bounds, {why}"
        if not others:
            return Unfound(what, dict.fromkeys(found.values()))
        return self.scope.text.refusal(Unbounded, what, node, _declare(others))


def _without(scope: Scope, node: exp.Expr, visible: Visible) -> str:
    """What to write instead of the id of a table that a LEFT JOIN adds: most ask with it who has no row there, or for the rows."""
    left = next((one for one in scope.columns if one.is_unit and not one.lost), None)
    table = dict(scope.sources).get(visible.alias, "")
    if isinstance(node.parent, exp.Is) and left is not None and table in dict(scope.tables):
        own = f"{quoted(left.alias)}.{quoted(left.name)}" if left.alias else quoted(left.name)
        rows = f"(SELECT {quoted(visible.name)} FROM {quoted(table)})"
        return f"Without the LEFT JOIN, those who have no row there are found by {own} NOT IN {rows}, those who have one by IN."
    if isinstance(node.parent, exp.Count):
        return "Write JOIN in place of LEFT JOIN, and COUNT(*); or count another column of that table."
    return f"Use the {quoted(visible.name)} of the table on the left."


def _condition(node: exp.Expr) -> exp.Expr | None:
    """The condition of COUNT(DISTINCT CASE WHEN condition THEN id END)."""
    choice = node.parent
    case = choice.parent if isinstance(choice, exp.If) and isinstance(choice.parent, exp.Case) else choice
    if not isinstance(choice, exp.If) or case is None or choice.args.get("true") is not node or not isinstance(case.parent, exp.Distinct):
        return None
    plain = case is choice or (len(case.args["ifs"]) == 1 and case.args.get("this") is None)
    others = choice.args.get("false") if case is choice else case.args.get("default")
    return choice.this if plain and (others is None or isinstance(others, exp.Null)) else None


def _declared_otherwise(scope: Scope, arguments: Sequence[Typed]) -> str | None:
    """What makes a number of a text beside numbers: it is written without quotes, or the policy has a line for its column."""
    numbers = [argument.type for argument in arguments if argument.type in ("integer", "real")]
    written = [argument.expression.value for argument in arguments if argument.type == "text" and isinstance(argument.expression, Constant)]
    if numbers and len(numbers) < len(arguments) and written and NUMBER.fullmatch(str(written[0])):
        return f"Numbers take no quotes: write {written[0]}."
    line = as_numbers(scope, [argument for argument in arguments if argument.type == "text"], "real" if "real" in numbers else "integer")
    return f"{line}; else compare it with 'text'." if numbers and line is not None else None


def as_numbers(scope: Scope, values: Sequence[Typed], kind: str, bounds: str = "") -> str | None:
    """The line of the policy that makes numbers of text: columns of a .csv file are text where it says nothing of them."""
    names = [name for value in values if value.type == "text" for name in reads(value.expression)]
    found = [visible for name in names if (visible := scope.by_column(name)) is not None and _may_be_numbers(visible)]
    if not found or found[0].origin is None:
        return None
    table, column = found[0].origin
    line = f'{declared(column.name)} = {{ type = "{kind}"{bounds} }}'
    return f"If {column.name} holds numbers, declare so in the policy, under [tables.{table}.columns]: {line}"


def _may_be_numbers(visible: Visible) -> bool:
    """Nothing is known of the text; or its values are, and all spell numbers, as in the .csv file of a public table."""
    values = visible.range.values
    return values is None or all(NUMBER.fullmatch(str(value)) for value in values)


def unbounded_columns(scope: Scope, expressions: Sequence[Expression]) -> list[Visible]:
    """The columns in these that are numbers or dates without bounds."""
    names = dict.fromkeys(name for expression in expressions for name in reads(expression))
    columns = [visible for name in names if (visible := scope.by_column(name)) is not None]
    return [visible for visible in columns if visible.range.type in _BOUNDED and not visible.range.bounded]


def _findable(scope: Scope, visible: Visible) -> Name | None:
    """The table and the column whose bounds may be found. What says whose a row is stays as it is: clamped, strangers would be one."""
    if visible.origin is None or visible.whose is not None:
        return None
    table, column = visible.origin
    entry = dict(scope.tables).get(table)
    return (table, column.name) if entry is not None and entry.findable(column) else None


def _declare(columns: Sequence[Visible]) -> str:
    """The lines of the policy that are missing, and what an analyst can write who has no say in it."""
    lines: dict[str, list[str]] = {}
    numbers = []
    for table, column in (visible.origin for visible in columns if visible.origin is not None):
        bounds = "min = …, max = …" if column.type in ("integer", "real") else f'values = "{_DAYS[0]} … {_DAYS[1]}"'
        lines.setdefault(table, []).append(f'{declared(column.name)} = {{ type = "{column.type}", {bounds} }}')
        numbers += [table] if column.type in ("integer", "real") else []
    told = "; and ".join(f"under [tables.{table}.columns]: {'; '.join(dict.fromkeys(each))}" for table, each in lines.items())
    told = f"Declare them in the policy, {told}"
    if any(visible.whose is not None for visible in columns):
        return f"{told}."
    first = columns[0]
    ends = tuple(f"DATE '{day}'" for day in _DAYS) if first.range.type == "date" else ("0", "500")
    told += f"; or clamp in the question, to bounds of your choice: LEAST(GREATEST({quoted(first.name)}, {ends[0]}), {ends[1]})"
    if len(numbers) < len(columns):
        return f"{told}."
    tables = " and ".join(f"[tables.{table}]" for table in dict.fromkeys(numbers))
    return f"{told}; or write auto_bounds = true under {tables}: they are then found privately, and paid for."


def functions(expression: Expression) -> set[str]:
    """The functions that an expression applies."""
    if not isinstance(expression, Call):
        return set()
    return {expression.function}.union(*map(functions, expression.arguments))


_BOUNDED: Final = ("integer", "real", "date")
_DAYS: Final = ("2026-01-01", "2026-12-31")
