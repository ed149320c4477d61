"""The secret column of a policy's table, as a crowd of people to attack. For its custodian: this
reads the data without any protection.

It reads the policy and the file of one table. It opens no ledger: nothing is charged, nothing is
written, nothing is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

import numpy as np

from hedgerow.engines.compile.quoting import quote_name, quote_text
from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.numeric.formatting import list_first
from hedgerow.policy import BudgetRule, ColumnRule, Policy, TableRule, read_policy
from hedgerow.risk.attack.comparison import MAX_PEOPLE, MIN_PEOPLE, Crowd
from hedgerow.risk.attack.reconstruction import Mask
from hedgerow.risk.table.encoded_tables import TableReader, open_tables
from hedgerow.risk.table.encoded_tables import resolve_column as known_name

__all__ = ["AttackTarget", "read_attack_target"]

_MAX_LISTED_NAMES: Final = 8  # names in a refusal


@dataclass(frozen=True, slots=True, eq=False)
class AttackTarget:
    """Whom to attack and for what: the crowd, and the words for it. So many people were
    ``wanted``; the crowd may have fewer.
    """

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
    """The target in a policy file. A column of more values is made one of two: those that are
    ``equals``, or ``above``, and the rest.

    Each unit counts once. Nothing of the table is kept but up to ``people`` secrets of either kind.
    """
    if equals is not None and above is not None:
        raise InvalidArgument(
            "above",
            "and equals (--is) cannot both be given: one of them makes the secret",
            str(above),
        )
    policy = read_policy(path)
    rule = _choose_table(policy, table)
    column = _choose_column(rule, secret)
    if people < MIN_PEOPLE:
        raise InvalidArgument("people", f"must be at least {MIN_PEOPLE}", people)
    yes, words = _compile_secret_condition(column, equals, above)
    secrets = _read_secrets(policy.source_path(rule), rule, column, yes, people)
    return AttackTarget(
        rule, policy.budget(rule.population or ""), column, words, Crowd(secrets, people), people
    )


def _choose_table(policy: Policy, name: str | None) -> TableRule:
    protected = [table for table in policy.tables if table.privacy_unit is not None]
    if name is None and len(protected) > 1:
        raise InvalidArgument(
            "table",
            f"must be named: {list_first([table.name for table in protected], _MAX_LISTED_NAMES)} are protected",
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
            f"The table {rule.name} is public: it protects nobody and has no budget. Name a"
            " protected table."
        )
    if rule.links:
        raise Refused(
            f"Whom a row of {rule.name} is about stands in another table. Attack a table that has"
            f" the id column {rule.unit}."
        )
    return rule


def _choose_column(rule: TableRule, name: str | None) -> str:
    if name is None:
        two = [
            column.name for column in rule.columns if not column.hidden and _is_two_valued(column)
        ]
        if len(two) != 1:
            found = (
                f"{list_first(two, _MAX_LISTED_NAMES)} have two values each"
                if two
                else (
                    f"no column of {rule.name} is declared with two values. Of another one say also"
                    " --is VALUE or --above NUMBER"
                )
            )
            raise InvalidArgument("secret", f"must name the column to attack: {found}")
        return two[0]
    known = rule.column(name)
    if known is not None and known.hidden:
        raise Refused(
            f"The column {known.name} is hidden: no question may touch it, so there is nothing to"
            " attack."
        )
    if name.casefold() == (rule.unit or "").casefold():
        raise InvalidArgument(
            "secret", "must not be the id of a unit, which is nobody's secret", name
        )
    return name if known is None else known.name


def _is_two_valued(column: ColumnRule) -> bool:
    return column.type == "boolean" or len(column.values or ()) == 2


def _compile_secret_condition(
    column: str, equals: str | None, above: Decimal | None
) -> tuple[str | None, str]:
    """The condition on the column, None where its two values are yes and no; and how one says
    it.
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
    """Up to so many people with the secret, and as many without it."""
    if not path.is_file():
        raise SourceError(f"There is no file {path.name}, the source of {rule.name}.")
    with open_tables(path) as opened:
        owner, it = _compile_terms(rule, [name for name, _ in opened.list_columns(0)], column)
        kept = opened.load_terms(0, [_compile_trimmed_text(owner), _compile_trimmed_text(it)])
        counts = _count_secrets(
            opened, f'(SELECT c0 AS owner, c1 AS it FROM "{kept}")', rule.unit == "row", column, yes
        )
    if not counts[0]:
        raise Refused(
            f"Nobody in {rule.name} has this secret: it is about no value of {column}. Values are"
            " compared as the file writes them."
        )
    return np.repeat([True, False], [min(count, people) for count in counts])


def _compile_terms(rule: TableRule, columns: list[str], column: str) -> tuple[str, str]:
    """The owner and the secret of each row, as terms of SQL."""
    secret = known_name(column, columns, "secret")
    if rule.unit == "row":
        return "0", quote_name(secret)
    names = {name.casefold(): name for name in columns}
    unit = (rule.unit or "").casefold()
    if unit not in names:
        raise SourceError(f"The source of {rule.name} has no column {rule.unit}, its unit.")
    return quote_name(names[unit]), quote_name(secret)


def _count_secrets(
    opened: TableReader, source: str, rows: bool, column: str, yes: str | None
) -> list[int]:
    """How many people have the secret, and how many do not. Who has many rows has it if one of
    them says so; empty ones say nothing.
    """
    if yes is None:
        kinds = int(opened.query_integers(f"SELECT count(DISTINCT it) FROM {source}")[0][0])
        if kinds < 2:
            how = "the same value in every row" if kinds else "no values at all"
            raise Refused(
                f"The column {column} has {how}: there is no secret to find. Attack another column."
            )
        if kinds > 2:
            raise Refused(
                f"The column {column} has more than two values. Say what is secret about it: --is"
                " VALUE, or --above NUMBER (in Python equals=, above=)."
            )
        yes = f"it = (SELECT max(it) FROM {source})"
    there = f"FROM {source} WHERE it IS NOT NULL AND owner IS NOT NULL"
    asked = (
        f"SELECT {yes} AS yes {there}"
        if rows
        else f"SELECT bool_or({yes}) AS yes {there} GROUP BY owner"
    )
    found = opened.query_integers(
        f"SELECT count(*) FILTER (WHERE yes), count(*) FILTER (WHERE NOT yes) FROM ({asked})", 2
    )
    return [int(column[0]) for column in found]


def _compile_trimmed_text(term: str) -> str:
    """As text, without the spaces around it; nothing but spaces is nothing."""
    return f"nullif(trim(CAST({term} AS VARCHAR)), '')"
