"""The expansion of UNNEST(string_split(x, ',')): one branch of a UNION ALL for each piece.

Branch k holds the rows whose text has at least k pieces, with the k-th one. So a row becomes as
many rows of the same unit as its text has pieces, up to a declared number of them, and all caps
apply behind the union, as they do behind a join that multiplies rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.rules.text_patterns import escape_pattern, is_separator
from hedgerow.sql.syntax.quoting import quote_key, quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["MAX_PIECES", "expand_unnest"]

MAX_PIECES: Final = 20
_EXAMPLE: Final = "UNNEST(string_split(x, ','))"
_SPLITTERS: Final = ("STRING_TO_ARRAY", "STRING_SPLIT", "STR_SPLIT")


def expand_unnest(text: SourceText, catalog: Catalog, tree: exp.Expr) -> exp.Expr:
    """Return a syntax tree with each UNNEST of a split text expanded."""
    for select in reversed(list(tree.find_all(exp.Select))):
        if select.find_ancestor(exp.Lateral) is not None:
            continue  # read with the SELECT around it
        expander = _UnnestExpander(text, catalog, select)
        for pieces in expander.take_all():
            expander.expand(pieces)
    return tree


@dataclass(frozen=True, slots=True)
class _Pieces:
    """An UNNEST: the text that is split, the separator, the most pieces if the statement says so,
    and the name of their column. With ``keeps_rows``, rows without a text stay, with NULL."""

    node: exp.Expr
    subject: exp.Expr
    separator: str
    limit: int | None
    name: str
    keeps_rows: bool = False


class _UnnestExpander:
    def __init__(self, text: SourceText, catalog: Catalog, select: exp.Select) -> None:
        self._text, self._catalog, self._select = text, catalog, select

    def take_all(self) -> list[_Pieces]:
        """Take each UNNEST out of the select list and FROM, and return them."""
        found = [*self._take_items(), *self._take_joins()]
        if len(found) > 1:
            self._refuse(
                found[1].node,
                "There is more than one UNNEST",
                "Unnest one text in a subquery, and the next one outside.",
            )
        return found

    def expand(self, pieces: _Pieces) -> None:
        """Replace the table whose text is split by a union of its rows, one branch a piece."""
        source = self._find_source(pieces)
        alias, limit = source.alias_or_name, self._find_limit(pieces, source)
        if any(name.casefold() == pieces.name.casefold() for name in self._list_names(source)):
            problem = f"{alias} has a column {pieces.name}"
            self._refuse(pieces.node, problem, "Give the pieces another name.")
        branches = [self._build_branch(pieces, source, place) for place in range(1, limit + 1)]
        union = reduce(
            lambda left, right: exp.Union(this=left, expression=right, distinct=False), branches
        )
        named = exp.TableAlias(this=exp.to_identifier(alias, quoted=True))
        source.replace(exp.Subquery(this=union, alias=named))

    def _build_branch(self, pieces: _Pieces, source: exp.Expr, place: int) -> exp.Expr:
        part = exp.SplitPart(
            this=pieces.subject.copy(),
            delimiter=exp.Literal.string(pieces.separator),
            part_index=exp.Literal.number(place),
        )
        part.meta.update(pieces.node.meta)
        item = exp.alias_(part, pieces.name, quoted=True)
        branch = exp.Select(
            expressions=[exp.Star(), item], from_=exp.From(this=source.copy()), where=None
        )
        if place > 1 or not pieces.keeps_rows:
            branch.set("where", exp.Where(this=_build_condition(pieces, place)))
        return branch

    def _take_items(self) -> Iterator[_Pieces]:
        """Replace UNNEST in the select list by a column."""
        for item in list(self._select.expressions):
            for node in list(item.find_all(exp.Explode)):
                if node.find_ancestor(exp.Select) is not self._select:
                    continue
                is_output = node.parent is item and isinstance(item, exp.Alias)
                name = item.alias if is_output else "unnest"
                yield self._read(node, node.this, name)
                column = exp.column(name, quoted=True)
                node.replace(column if is_output or node is not item else exp.alias_(column, name))

    def _take_joins(self) -> Iterator[_Pieces]:
        """Take joins with UNNEST out of FROM; columns of their aliases become columns of the table
        whose text is split."""
        for join in list(self._select.args.get("joins") or []):
            found = _find_unnest(join.this)
            if found is None:
                continue
            node, alias, name = found
            on, side = join.args.get("on"), join.side.upper()
            is_plain = side in ("", "LEFT") and not join.args.get("using")
            if not is_plain or not (on is None or on == exp.true()):
                self._refuse(
                    node, "UNNEST is joined on a condition", "Write it in WHERE, and ON TRUE."
                )
            columns = [
                column
                for column in self._select.find_all(exp.Column)
                if column.table.casefold() == alias.casefold()
            ]
            unnamed = any(column.name.casefold() == "unnest" for column in columns)
            name = name or ("unnest" if unnamed or not alias else alias)
            pieces = self._read(node, node, name, keeps_rows=side == "LEFT")
            join.pop()
            owner = self._find_source(pieces).alias_or_name
            for column in columns if alias else ():
                column.set("table", exp.to_identifier(owner, quoted=True))
            yield pieces

    def _read(
        self, node: exp.Expr, split: exp.Expr, name: str, *, keeps_rows: bool = False
    ) -> _Pieces:
        limit = None
        if isinstance(split, exp.Bracket):
            limit, split = self._read_slice(node, split), split.this
        if isinstance(split, exp.Anonymous) and split.name.upper() in _SPLITTERS:
            subject, separator = [*split.expressions, None, None][:2]
        else:
            subject, separator = split.args.get("this"), split.args.get("expression")
        is_split = isinstance(split, exp.Split | exp.StringToArray | exp.Anonymous)
        if not is_split or subject is None or subject.find(exp.Query) is not None:
            self._refuse(node, "UNNEST takes the pieces of a text", f"Write {_EXAMPLE}.")
        if not isinstance(separator, exp.Literal) or not separator.is_string:
            self._refuse(node, "The separator must be a literal text", f"Write {_EXAMPLE}.")
        if not is_separator(str(separator.this)):
            self._refuse(
                node,
                "The separator must be one character, or two different ones",
                f"Write {_EXAMPLE}.",
            )
        return _Pieces(node, subject, str(separator.this), limit, name, keeps_rows)

    def _read_slice(self, node: exp.Expr, split: exp.Bracket) -> int:
        """Return n of [1:n]."""
        part = split.expressions[0] if len(split.expressions) == 1 else None
        ends = (
            [str(part.args.get(name) or "") for name in ("this", "expression", "step")]
            if (isinstance(part, exp.Slice))
            else []
        )
        if (
            ends[:1] + ends[2:] != ["1", ""]
            or not ends[1].isdecimal()
            or not (1 <= int(ends[1][:3]) <= MAX_PIECES)
        ):
            self._refuse(
                node,
                f"UNNEST takes the first pieces of a text, up to {MAX_PIECES}",
                "Write UNNEST(string_split(x, ',')[1:5]).",
            )
        return int(ends[1])

    def _find_source(self, pieces: _Pieces) -> exp.Expr:
        """Return the table or subquery of FROM whose text is split."""
        from_ = self._select.args.get("from_")
        joins = self._select.args.get("joins") or []
        sources = [part.this for part in (*([from_] if from_ else []), *joins)]
        columns = list(pieces.subject.find_all(exp.Column))
        qualifiers = {column.table.casefold() for column in columns} - {""}
        if qualifiers:
            found = [one for one in sources if {one.alias_or_name.casefold()} == qualifiers]
        else:
            names = {column.name.casefold() for column in columns}
            found = [
                one
                for one in sources
                if names <= {name.casefold() for name in self._list_names(one)}
            ]
            found = sources if len(sources) == 1 else found
        if not columns or len(found) != 1 or not isinstance(found[0], exp.Table | exp.Subquery):
            self._refuse(
                pieces.node,
                "UNNEST does not say which table its text is from",
                "Write UNNEST(string_split(t.x, ',')), with the name of one table of FROM.",
            )
        return found[0]

    def _list_names(self, source: exp.Expr) -> list[str]:
        """List the columns of a table; of a subquery, those that it names."""
        if isinstance(source, exp.Table):
            known = self._catalog.find_table(source.name)
            return [] if known is None else [column.name for column in known[1].columns]
        inner = source.this if isinstance(source, exp.Subquery) else None
        return [str(name) for name in inner.named_selects] if isinstance(inner, exp.Query) else []

    def _find_limit(self, pieces: _Pieces, source: exp.Expr) -> int:
        """Return the most pieces of a text: as written, or as the policy declares."""
        if pieces.limit is not None:
            return pieces.limit
        names = {column.name.casefold() for column in pieces.subject.find_all(exp.Column)}
        entries = self._list_read_entries(source)
        declared = {
            name: most
            for _, entry in entries
            for name, most in entry.max_pieces.items()
            if name.casefold() in names
        }
        if not declared:
            self._refuse_undeclared(pieces, entries)
        return max(declared.values())

    def _refuse_undeclared(
        self, pieces: _Pieces, entries: list[tuple[str, TableEntry]]
    ) -> NoReturn:
        written = ", ".join(sorted(column.name for column in pieces.subject.find_all(exp.Column)))
        advice = f"Write how many, up to {MAX_PIECES}: string_split({written}, …)[1:5]"
        owner = next(
            ((table, entry) for table, entry in entries if entry.find_column(written)), None
        )
        if owner is not None:
            column = owner[1].find_column(written)
            assert column is not None
            line = f'{quote_key(column.name)} = {{ type = "text", max_pieces = 5 }}'
            advice += f"; or declare it in the policy, under [tables.{owner[0]}.columns]: {line}"
        problem = f"The number of pieces of {quote_name(written)} is not declared"
        self._refuse(pieces.node, problem, f"{advice}.")

    def _list_read_entries(self, source: exp.Expr) -> list[tuple[str, TableEntry]]:
        """List the tables that the pieces may come from: of a named subquery, all."""
        known = [self._catalog.find_table(table.name) for table in source.find_all(exp.Table)]
        if None in known:
            return list(self._catalog.tables.items())
        return [found for found in known if found is not None]

    def _refuse(self, node: exp.Expr, problem: str, fix: str) -> NoReturn:
        raise self._text.refusal(Unsupported, problem, node, fix)


def _find_unnest(source: exp.Expr) -> tuple[exp.Expr, str, str] | None:
    """Return what a join unnests, its alias, and the name of its column; None if it does not."""
    alias = source.args.get("alias")
    table = "" if alias is None else str(alias.name)
    column = str(alias.columns[0].name) if alias is not None and alias.columns else ""
    inner = source.this if isinstance(source, exp.Lateral) else source
    if isinstance(inner, exp.Subquery) and isinstance(source, exp.Lateral):
        select = inner.this
        items = select.expressions if isinstance(select, exp.Select) else []
        bare = [name for name, value in select.args.items() if value] == ["expressions"]
        exploded = items[0].unalias() if len(items) == 1 and bare else None
        if not isinstance(exploded, exp.Explode):
            return None
        return exploded.this, table, column or items[0].alias
    if not isinstance(inner, exp.Unnest) or len(inner.expressions) != 1 or inner.args.get("offset"):
        return None
    return inner.expressions[0], table, column


def _build_condition(pieces: _Pieces, place: int) -> exp.Expr:
    """Build the condition that a text has at least this number of pieces."""
    subject = pieces.subject.copy()
    if place == 1:
        return exp.Not(this=exp.Is(this=subject, expression=exp.Null()))
    separator = pieces.separator
    if set(separator) & set("%_\\"):  # LIKE reads these as more than themselves
        written = r"[\s\S]*".join([escape_pattern(separator)] * (place - 1))
        return exp.RegexpLike(this=subject, expression=exp.Literal.string(written))
    pattern = exp.Literal.string("%" + f"{separator}%" * (place - 1))
    return exp.Like(this=subject, expression=pattern)
