"""The shell between two lines of input: its settings, its statements and its commands."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.answers.render import render_explanation_text, render_table_text
from hedgerow.cli.answer_output import print_answer
from hedgerow.cli.custodian import show_budget
from hedgerow.cli.options import parse_number
from hedgerow.cli.terminal import (
    make_output_console,
    print_error,
    print_json,
    print_lines,
    show_progress,
)
from hedgerow.database import Database
from hedgerow.database.query.pricing import QueryRequest
from hedgerow.database.query.run import CUSTODIAN, answer_without_charge
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_delta, parse_epsilon
from hedgerow.sql.syntax.quoting import quote_text

__all__ = ["COMMANDS", "ShellSession", "ShellSettings"]

COMMANDS: Final[Mapping[str, str]] = {
    r"\d": r"List the tables; \d TABLE lists the columns of one.",
    r"\budget": "Show how much budget is spent and left.",
    r"\explain": r"Show the cost and accuracy of a question, for free: \explain SELECT …",
    r"\epsilon": r"Spend this much on each question: \epsilon 0.1; \epsilon default",
    r"\delta": r"The same for delta: \delta 1e-9; \delta default",
    r"\intervals": r"Show intervals or leave them out: \intervals off",
    r"\pay": r"Ask before each payment, or never: \pay ask; \pay always",
    r"\help": "Show this list.",
    r"\q": "Leave; Ctrl-D does so, too. Ctrl-C drops what is typed or ends what is running.",
}
_TABLES_SQL: Final = (
    "SELECT name, unit_kind, neighbours, max_groups, max_rows_per_group, public"
    " FROM hedgerow.tables"
)
_COLUMNS_SQL: Final = (
    "SELECT name, type, min, max, step, value_count, value_list, is_unit FROM hedgerow.columns"
)
_EXPLAIN: Final = re.compile(r"EXPLAIN\b", re.IGNORECASE)

Confirm = Callable[[str], bool]
PrivateAnswer = Answer | Explanation | ExactTable | PostprocessedAnswer


@dataclass
class ShellSettings:
    """The values that ``\\epsilon``, ``\\delta``, ``\\intervals`` and ``\\pay`` change."""

    epsilon: Number | None = None
    delta: Number | None = None
    intervals: bool = True
    asks: bool = True


class ShellSession:
    """Statements and commands on one database; ``confirm`` asks before a payment, unless it is
    None, as in a pipe."""

    def __init__(
        self,
        database: Database,
        policy: Path,
        *,
        analyst: str | None,
        settings: ShellSettings,
        confirm: Confirm | None,
        as_json: bool = False,
    ) -> None:
        self._database, self._policy, self._analyst = database, policy, analyst
        self.settings, self._confirm, self._as_json = settings, confirm, as_json
        self._unfinished: dict[tuple[object, ...], str] = {}

    def run_statement(self, sql: str) -> None:
        """Answer a statement; before a payment, show its price and ask."""
        analyst = self._analyst or CUSTODIAN
        free = answer_without_charge(self._database, QueryRequest(sql, analyst))
        if free is not None:
            self._print(free)
        elif _EXPLAIN.match(sql):
            self._print(self._query(sql, None))
        else:
            self._pay_and_ask(sql)

    def run_command(self, line: str) -> bool:
        """Run a command that begins with a backslash; return False if it ends the shell."""
        name, _, argument = line.strip().rstrip(";").partition(" ")
        argument = argument.strip()
        if name == r"\q":
            return False
        if name == r"\d":
            self._describe_tables(argument)
        elif name == r"\budget":
            show_budget(self._policy, analyst=self._analyst)
        elif name == r"\explain":
            self._print(self._explain(argument))
        elif name == r"\epsilon":
            self.settings.epsilon = _parse_setting(argument, parse_epsilon, self.settings.epsilon)
            print_lines([f"epsilon: {_format_setting(self.settings.epsilon)}"])
        elif name == r"\delta":
            self.settings.delta = _parse_setting(argument, parse_delta, self.settings.delta)
            print_lines([f"delta: {_format_setting(self.settings.delta)}"])
        elif name == r"\intervals":
            self.settings.intervals = _parse_switch(name, argument, ("on", "off"))
        elif name == r"\pay":
            self.settings.asks = _parse_switch(name, argument, ("ask", "always"))
        elif name in (r"\help", r"\?"):
            wide = max(map(len, COMMANDS))
            print_lines(f"  {name:<{wide}}  {summary}" for name, summary in COMMANDS.items())
            print_lines(["  Anything else is SQL and ends with a semicolon."])
        else:
            raise InvalidArgument("command", rf"{name} does not exist: \help lists those that do")
        return True

    def _pay_and_ask(self, sql: str) -> None:
        asked = (sql, self.settings.epsilon, self.settings.delta)
        request = self._unfinished.get(asked)
        if request is None:
            if self._confirm is not None and self.settings.asks and not self._agree(sql):
                return
            request = f"shell {uuid.uuid4()}"
        try:
            answer = self._query(sql, request)
        except KeyboardInterrupt:
            # It may be charged. Under the same key, asking again is not charged a second time.
            self._unfinished[asked] = request
            print_error("Interrupted. If it was charged, asking the same again is free.")
            raise
        self._unfinished.pop(asked, None)
        self._print(answer)

    def _agree(self, sql: str) -> bool:
        """Show the price of a question that is not free, and ask whether to pay it."""
        explanation = self._explain(sql)
        if explanation.free:
            return True
        print_lines([render_explanation_text(explanation, notes=False)])
        if not explanation.covered:
            print_lines([r"Nothing was charged. Ask for less with \epsilon."], style="yellow")
            return False
        assert self._confirm is not None
        if self._confirm(f"Pay {explanation.cost}? [y/N] "):
            return True
        print_lines(["Nothing was charged."])
        return False

    def _query(self, sql: str, request: str | None) -> PrivateAnswer:
        with show_progress("asking", quiet=self._as_json):
            return self._database.query(
                sql, request=request, epsilon=self.settings.epsilon, delta=self.settings.delta
            )

    def _explain(self, sql: str) -> Explanation:
        with show_progress("reading", quiet=self._as_json):
            return self._database.explain(
                sql, epsilon=self.settings.epsilon, delta=self.settings.delta
            )

    def _print(self, answer: PrivateAnswer) -> None:
        if self._as_json:
            print_json(answer.to_dict(), indent=None)
        elif isinstance(answer, Explanation):
            print_lines([repr(answer)])
        else:
            print_answer(answer, intervals=self.settings.intervals)
        if self._confirm is not None:
            print_lines([""])

    def _describe_tables(self, name: str) -> None:
        sql = _TABLES_SQL
        if name:
            tables = {
                entry.schema.table.casefold(): entry.schema.table
                for entry in self._database.catalog.tables.values()
            }
            found = tables.get(name.strip('"').casefold())
            if found is None:
                raise InvalidArgument("table", f"must be one of {', '.join(tables.values())}", name)
            sql = f'{_COLUMNS_SQL} WHERE "table" = {quote_text(found)}'
        table = self._database.query(sql)
        assert isinstance(table, ExactTable)
        if self._as_json:
            self._print(table)
        else:
            make_output_console().print(render_table_text(table, []), markup=False, soft_wrap=True)


def _parse_setting(
    text: str, parse: Callable[[object], Number], current: Number | None
) -> Number | None:
    """Return the number of a setting: None for the policy's default, ``current`` if none is
    given."""
    if not text:
        return current
    if text == "default":
        return None
    number = parse_number(text, "setting")
    parse(number)
    return number


def _format_setting(number: Number | None) -> str:
    return "the policy's default" if number is None else str(number)


def _parse_switch(name: str, word: str, words: tuple[str, str]) -> bool:
    """Return whether the first of two words is given."""
    if word not in words:
        raise InvalidArgument(name, f"must be {' or '.join(words)}", word)
    return word == words[0]
