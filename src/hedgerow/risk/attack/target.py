"""The secret column of a policy's table, as a crowd of people to attack. For the custodian only.

This reads the policy and the file of one table, without any protection. It opens no ledger: nothing
is charged, written or accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

import numpy as np

from hedgerow.charts.number_text import list_first
from hedgerow.engines.compile.quoting import quote_name, quote_text
from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.policy import BudgetRule, ColumnRule, Policy, TableRule, read_policy
from hedgerow.risk.attack.comparison import MAX_PEOPLE, MIN_PEOPLE, Crowd
from hedgerow.risk.attack.reconstruction import Mask
from hedgerow.risk.table.encoded_tables import (
    TableReader,
    compile_trimmed_text,
    open_tables,
    resolve_column,
)

__all__ = ["AttackTarget", "read_attack_target"]

_MAX_LISTED_NAMES: Final = 8  # in an error


@dataclass(frozen=True, slots=True, eq=False)
class AttackTarget:
    """The crowd to attack, and the secret in words; the crowd may be smaller than requested."""

    table: TableRule
    budget: BudgetRule
    column: str
    description: str
    crowd: Crowd
    requested_people: int = MAX_PEOPLE


def read_attack_target(
    path: str | Path,
    *,
    secret: str | None = None,
    table: str | None = None,
    equals: str | None = None,
    above: Decimal | None = None,
    people: int = MAX_PEOPLE,
) -> AttackTarget:
    """Read the target in a policy file.

    A column of more than two values is split: the values that are ``equals``, or ``above``, and the
    rest. Each unit counts once. Nothing of the table is kept but up to ``people`` secrets of either
    kind.
    """
    if equals is not None and above is not None:
        raise InvalidArgument(
            "above",
            "and equals (--is) cannot both be given: leave one of them out",
            str(above),
        )
    policy = read_policy(path)
    rule = _choose_table(policy, table)
    column = _choose_column(rule, secret)
    if people < MIN_PEOPLE:
        raise InvalidArgument("people", f"must be at least {MIN_PEOPLE}", people)
    yes, description = _compile_secret_condition(column, equals, above)
    secrets = _read_secrets(policy.source_path(rule), rule, column, yes, people)
    budget = policy.budget(rule.population or "")
    return AttackTarget(rule, budget, column, description, Crowd(secrets, people), people)


def _choose_table(policy: Policy, name: str | None) -> TableRule:
    protected = [table for table in policy.tables if table.privacy_unit is not None]
    if name is None and len(protected) > 1:
        raise InvalidArgument(
            "table",
            f"must be named: {list_first([table.name for table in protected], _MAX_LISTED_NAMES)}"
            " are protected",
        )
    rule = protected[0] if name is None else policy.table(name)
    if rule is None:
        raise InvalidArgument(
            "table",
            f"must be one of {list_first([table.name for table in protected], _MAX_LISTED_NAMES)}",
            name,
        )
    if rule.privacy_unit is None:
        raise Refused(
            f"The table {rule.name} is public: it has no budget to attack. Name a protected table."
        )
    if rule.links:
        raise Refused(
            f"The rows of {rule.name} have their owner in another table. Attack a table that has"
            f" the id column {rule.unit}."
        )
    return rule


def _choose_column(rule: TableRule, name: str | None) -> str:
    if name is None:
        two = [
            column.name for column in rule.columns if not column.hidden and _is_two_valued(column)
        ]
        if len(two) != 1:
            reason = f"{_list_names(two)} have two values each"
            if not two:
                reason = (
                    f"no column of {rule.name} is declared with two values. For another column add"
                    " --is VALUE or --above NUMBER"
                )
            raise InvalidArgument("secret", f"must name the column to attack: {reason}")
        return two[0]
    known = rule.column(name)
    if known is not None and known.hidden:
        raise Refused(
            f"The column {known.name} is hidden: no question may use it, so there is nothing to"
            " attack. Name another column."
        )
    if name.casefold() == (rule.unit or "").casefold():
        raise InvalidArgument("secret", "must not be the privacy id. Name another column", name)
    return name if known is None else known.name


def _is_two_valued(column: ColumnRule) -> bool:
    return column.type == "boolean" or len(column.values or ()) == 2


def _compile_secret_condition(
    column: str, equals: str | None, above: Decimal | None
) -> tuple[str | None, str]:
    """Return the SQL condition on the column and its description.

    The condition is None where the two values of the column are yes and no.
    """
    if equals is not None:
        return f"it = {quote_text(equals.strip())}", f"whether {column} is {equals}"
    if above is not None:
        return (
            f"TRY_CAST(it AS DOUBLE) > CAST('{float(above)!r}' AS DOUBLE)",
            f"whether {column} is above {above:g}",
        )
    return None, f"which of its two values {column} has"


def _read_secrets(path: Path, rule: TableRule, column: str, yes: str | None, people: int) -> Mask:
    """Read up to ``people`` people with the secret, and as many without it."""
    if not path.is_file():
        raise SourceError(
            f"The file {path.name}, the source of {rule.name}, does not exist. Check the policy."
        )
    with open_tables(path) as opened:
        owner, it = _compile_terms(rule, [name for name, _ in opened.list_columns(0)], column)
        kept = opened.load_terms(0, [compile_trimmed_text(owner), compile_trimmed_text(it)])
        counts = _count_secrets(
            opened, f'(SELECT c0 AS owner, c1 AS it FROM "{kept}")', rule.unit == "row", column, yes
        )
    if not counts[0]:
        raise Refused(
            f"Nobody in {rule.name} has this secret: no value of {column} matches. Write values as"
            " the file does."
        )
    return np.repeat([True, False], [min(count, people) for count in counts])


def _compile_terms(rule: TableRule, columns: list[str], column: str) -> tuple[str, str]:
    """Return the owner and the secret of each row as SQL terms."""
    secret = resolve_column(column, columns, "secret")
    if rule.unit == "row":
        return "0", quote_name(secret)
    names = {name.casefold(): name for name in columns}
    unit = (rule.unit or "").casefold()
    if unit not in names:
        raise SourceError(
            f"The source of {rule.name} has no column {rule.unit}, its unit. Check the policy."
        )
    return quote_name(names[unit]), quote_name(secret)


def _count_secrets(
    opened: TableReader, source: str, rows: bool, column: str, yes: str | None
) -> list[int]:
    """Count the people with the secret, and those without it.

    A person with many rows has it if one of them says so; rows with a missing value are ignored.
    """
    if yes is None:
        kinds = int(opened.query_integers(f"SELECT count(DISTINCT it) FROM {source}")[0][0])
        if kinds < 2:
            values = "the same value in every row" if kinds else "no values at all"
            raise Refused(
                f"The column {column} has {values}, so it holds no secret. Attack another column."
            )
        if kinds > 2:
            raise Refused(
                f"The column {column} has more than two values. Define the secret with --is VALUE"
                " or --above NUMBER (in Python equals=, above=)."
            )
        yes = f"it = (SELECT max(it) FROM {source})"
    complete = f"FROM {source} WHERE it IS NOT NULL AND owner IS NOT NULL"
    units = f"SELECT bool_or({yes}) AS yes {complete} GROUP BY owner"
    if rows:
        units = f"SELECT {yes} AS yes {complete}"
    counts = opened.query_integers(
        f"SELECT count(*) FILTER (WHERE yes), count(*) FILTER (WHERE NOT yes) FROM ({units})", 2
    )
    return [int(count[0]) for count in counts]


def _list_names(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_LISTED_NAMES} more" if len(names) > _MAX_LISTED_NAMES else ""
    return ", ".join(names[:_MAX_LISTED_NAMES]) + more
